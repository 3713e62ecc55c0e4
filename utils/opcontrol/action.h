/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The actions: what each of --init, --start, ... does.
 */
#ifndef OPCONTROL_ACTION_H
#define OPCONTROL_ACTION_H

#include "control.h"
#include "libop/base/error.h"

/* Does what control->request->action says: 0, or -1 with @error set. */
int action_run(struct control *control, struct op_error *error);

/* Loads the module and mounts oprofilefs, unless that is done: 0, or -1 with @error set. */
int action_load_driver(const struct request *request, struct op_error *error);

#endif
