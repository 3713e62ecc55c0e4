/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Metrics in the text format of Prometheus (version 0.0.4), and the file that node_exporter's
 * collector "textfile" reads:
 *
 *	op_metric_begin(out, "oppush_sent_bytes_total", "counter", "Bytes that were sent.");
 *	op_metric_put(out, "oppush_sent_bytes_total", "destination", name, "%" PRIu64, bytes);
 *
 * Errors are those of @out.
 */
#ifndef LIBOP_TEXT_METRICS_H
#define LIBOP_TEXT_METRICS_H

#include <stddef.h>
#include <stdio.h>

#include "libop/base/error.h"

/* Begins a metric, whose samples follow.  @type: "counter" or "gauge"; @help: a sentence of one
 * line. */
void op_metric_begin(FILE *out, const char *name, const char *type, const char *help);

/* Puts a sample, whose number is printed as by printf.  @label: NULL: it has none; its @value may
 * have any bytes: what is not UTF-8 becomes U+FFFD. */
void op_metric_put(FILE *out, const char *name, const char *label, const char *value,
		   const char *format, ...) __attribute__((format(printf, 5, 6)));

/**
 * op_metrics_write - replace a file of metrics, atomically, for all to read
 * @path: in a directory that others may own (libop/foreign/output.h): a file that is there is not
 *	opened
 *
 * Return: 0, or -1 with @error set; then @path is what it was.
 */
int op_metrics_write(const char *path, const char *text, size_t length, struct op_error *error);

#endif
