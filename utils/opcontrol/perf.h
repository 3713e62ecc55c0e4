/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Profiling by the kernel's perf events, without the module.
 */
#ifndef UTILS_OPCONTROL_PERF_H
#define UTILS_OPCONTROL_PERF_H

#include <stdbool.h>

#include "libop/base/error.h"
#include "libop/text/json.h"
#include "setting.h"

/**
 * perf_argument - the daemon's option --events
 * @argument: set to a text that the caller frees
 *
 * Return: 0, or -1 with @error set: an event that there is not.
 */
int perf_argument(const struct settings *settings, char **argument, struct op_error *error);

/* Checks that the kernel has counters for the events: 0, or -1 with @error set. */
int perf_check(const struct settings *settings, struct op_error *error);

/* Has the daemon of the session start or stop sampling: 0, or -1 with @error set. */
int perf_run(const struct settings *settings, bool on, struct op_error *error);

/* Prints the status of the session's daemon: 0, or -1 with @error set. */
int perf_status_print(const struct settings *settings, struct op_error *error);

/**
 * perf_status_json - what the daemon says of itself, as members of an open object
 *
 * Return: 0, or -1 with @error set: it does not answer, and nothing was written.
 */
int perf_status_json(const struct settings *settings, struct op_json *json, struct op_error *error);

/* With the module: prints what the daemon knows of stored and lost samples, if it answers. */
void perf_status_print_stored(const struct settings *settings);

#endif
