/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loading the driver: the module, and oprofilefs.
 */
#ifndef UTILS_OPCONTROL_LOAD_H
#define UTILS_OPCONTROL_LOAD_H

#include "libop/base/error.h"
#include "request.h"

/**
 * load_driver - load the module and mount oprofilefs, unless that is done
 * @request: its module and backend, if it has any
 *
 * Return: 0, or -1 with @error set.
 */
int load_driver(const struct request *request, struct op_error *error);

#endif
