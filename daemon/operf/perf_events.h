/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events of a line of perf, whose periods and sides are options there and parts of events here. */
#ifndef DAEMON_OPERF_PERF_EVENTS_H
#define DAEMON_OPERF_PERF_EVENTS_H

#include "perf_words.h"

/* As of perf_word.take; each notes what it is given. */
int perf_take_events(struct perf_line *line, const char *value, struct op_error *error);
int perf_take_count(struct perf_line *line, const char *value, struct op_error *error);
int perf_take_user(struct perf_line *line, const char *value, struct op_error *error);
int perf_take_kernel(struct perf_line *line, const char *value, struct op_error *error);

/**
 * perf_finish_events - add the option that names the events, if there are any
 *
 * Return: 0, or -1 with @error set: what was noted cannot be said here.
 */
int perf_finish_events(struct perf_line *line, struct op_error *error);

#endif
