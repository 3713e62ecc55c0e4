/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The work of oppush: closed sessions to the spools, and from there to the destinations. */
#ifndef UTILS_OPPUSH_SERVICE_H
#define UTILS_OPPUSH_SERVICE_H

#include "request.h"

/**
 * service_run - send sessions until SIGTERM or SIGINT, or with --once what there is
 *
 * A server that does not answer, or refuses, is tried again after a time that doubles, up to ten
 * minutes; with --once it is an error, and the other destinations get what there is all the same.
 *
 * Return: 0, or -1 with @error set.
 */
int service_run(const struct request *request, struct op_error *error);

#endif
