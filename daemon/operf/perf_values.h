/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values of perf's options that are written otherwise here; events: perf_events.h. */
#ifndef DAEMON_OPERF_PERF_VALUES_H
#define DAEMON_OPERF_PERF_VALUES_H

#include "perf_words.h"

/* As of perf_word.take; each notes what it is given, or adds it to @line->out. */
int perf_take_frequency(struct perf_line *line, const char *value, struct op_error *error);
int perf_take_method(struct perf_line *line, const char *value, struct op_error *error);
int perf_take_calls(struct perf_line *line, const char *value, struct op_error *error);
int perf_take_caller(struct perf_line *line, const char *value, struct op_error *error);
int perf_take_children(struct perf_line *line, const char *value, struct op_error *error);
int perf_take_no_children(struct perf_line *line, const char *value, struct op_error *error);
int perf_take_no_source(struct perf_line *line, const char *value, struct op_error *error);
int perf_take_keys(struct perf_line *line, const char *value, struct op_error *error);
int perf_take_interval(struct perf_line *line, const char *value, struct op_error *error);
int perf_take_intervals(struct perf_line *line, const char *value, struct op_error *error);
int perf_take_separator(struct perf_line *line, const char *value, struct op_error *error);
int perf_take_process(struct perf_line *line, const char *value, struct op_error *error);
int perf_take_all_cpus(struct perf_line *line, const char *value, struct op_error *error);
int perf_take_profile(struct perf_line *line, const char *value, struct op_error *error);
int perf_take_percentage(struct perf_line *line, const char *value, struct op_error *error);
int perf_take_compute(struct perf_line *line, const char *value, struct op_error *error);

/**
 * perf_finish - add what only all options together say
 *
 * Return: 0, or -1 with @error set.
 */
int perf_finish(struct perf_line *line, struct op_error *error);

#endif
