/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The actions: what each of --init, --start, ... does.
 */
#ifndef UTILS_OPCONTROL_ACTION_H
#define UTILS_OPCONTROL_ACTION_H

#include "control.h"
#include "libop/base/error.h"

/* Executes control->request->action: 0, or -1 with @error set. */
int action_run(struct control *control, struct op_error *error);

#endif
