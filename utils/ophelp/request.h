/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command line of ophelp.
 */
#ifndef UTILS_OPHELP_REQUEST_H
#define UTILS_OPHELP_REQUEST_H

#include <stdbool.h>

#include "libop/base/error.h"
#include "libop/base/option.h"
#include "libop/base/strings.h"

enum action {
	ACTION_LIST, /* events, as text */
	ACTION_XML,
	ACTION_JSON,
	ACTION_CODE, /* of one event */
	ACTION_CHECK_EVENTS,
	ACTION_UNIT_MASK,
	ACTION_EXTRA_MASK,
	ACTION_CPU_TYPE,
	ACTION_DEFAULT_EVENT,
	ACTION_LIST_CPU_TYPES,
};

struct request {
	enum action action;
	const struct op_option *chosen; /* the option of the action, or NULL */
	char *cpu_type;			/* NULL: that of this machine */
	char *search;			/* NULL: all events */
	uint64_t counters;		/* 0: those of the CPU type */
	uint64_t fixed_counters, callgraph_depth;
	bool ignore_count;
	struct op_strings specs;
};

/* Reads the command line; request_free() frees what @request holds, also after an error.
 * --help and --version print and end the program.
 * Return: 0, or -1 with @error set. */
int request_parse(int argc, const char **argv, struct request *request, struct op_error *error);
void request_free(struct request *request);

#endif
