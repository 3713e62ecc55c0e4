/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command line of ophelp.
 */
#ifndef OPHELP_REQUEST_H
#define OPHELP_REQUEST_H

#include <stdbool.h>

#include "libop/base/error.h"
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
	ACTION_HELP,
	ACTION_VERSION,
};

struct request {
	enum action action;
	char *cpu_type; /* NULL: that of this machine */
	char *search;	/* NULL: all events */
	bool has_counters;
	unsigned int counters, fixed_counters;
	unsigned int callgraph_depth;
	bool ignore_count;
	struct op_strings specs;
};

/* Reads the command line; request_free() frees what @request holds, also after an error.
 * Return: 0, or -1 with @error set. */
int request_parse(int argc, const char **argv, struct request *request, struct op_error *error);
void request_free(struct request *request);
void request_print_help(void);

#endif
