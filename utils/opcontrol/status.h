/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --status: what runs, with which settings, and what was lost.
 */
#ifndef UTILS_OPCONTROL_STATUS_H
#define UTILS_OPCONTROL_STATUS_H

#include "control.h"
#include "libop/base/error.h"

/* Prints it on stdout: 0, or -1 with @error set if the driver could not be read. */
int status_print(const struct control *control, struct op_error *error);

/* The same as one JSON object on a line; nothing after an error. */
int status_print_json(const struct control *control, struct op_error *error);

#endif
