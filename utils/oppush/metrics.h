/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Metrics of what was sent (--metrics), by destination, as a file for Prometheus. */
#ifndef UTILS_OPPUSH_METRICS_H
#define UTILS_OPPUSH_METRICS_H

#include <stddef.h>

#include "libop/base/error.h"
#include "sender.h"

/**
 * metrics_write - write them, of @n senders
 *
 * Return: 0, or -1 with @error set.
 */
int metrics_write(const char *path, struct sender *senders, size_t n, struct op_error *error);

#endif
