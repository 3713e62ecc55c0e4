// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The command line: see request.h.
 */
#include "request.h"

#include <errno.h>

#include "libop/base/option.h"
#include "libop/events/counters.h"

#define SYNOPSIS "[OPTION...] [EVENT...]"

#define ACTION(number) OP_ACTION(struct request, chosen, number)

static const struct op_option rows[] = {
	{"search", 's', "WORDS", "list only events that contain all WORDS",
	 OP_TEXT(struct request, search)},
	{"xml", 'X', NULL, "list events as XML", ACTION(ACTION_XML)},
	{"json", 'J', NULL, "list events as JSON", ACTION(ACTION_JSON)},
	{"cpu-type", 'c', "TYPE", "use this CPU type, not that of this machine",
	 OP_TEXT(struct request, cpu_type)},
	{"counters", 0, "N", "the number of counters of the CPU",
	 OP_NUMBER(struct request, counters, 1, OP_COUNTERS_LIMIT)},
	{"fixed-counters", 0, "N", "the number of its fixed counters (Intel)",
	 OP_NUMBER(struct request, fixed_counters, 0, 32)},
	{"list-cpu-types", 0, NULL, "list the CPU types with events",
	 ACTION(ACTION_LIST_CPU_TYPES)},
	{"get-cpu-type", 'r', NULL, "print the CPU type", ACTION(ACTION_CPU_TYPE)},
	{"get-default-event", 'd', NULL, "print the default event", ACTION(ACTION_DEFAULT_EVENT)},
	{"check-events", 'e', NULL, "print the counters that the events given get",
	 ACTION(ACTION_CHECK_EVENTS)},
	{"callgraph", 0, "N", "check for call graphs of this depth",
	 OP_NUMBER(struct request, callgraph_depth, 0, INT32_MAX)},
	{"ignore-count", 'i', NULL, "accept events with a low count or none",
	 OP_FLAG(struct request, ignore_count)},
	{"unit-mask", 'u', NULL, "print the unit mask of the events given",
	 ACTION(ACTION_UNIT_MASK)},
	{"extra-mask", 'E', NULL, "print the modifiers of the events given",
	 ACTION(ACTION_EXTRA_MASK)},
	OP_OPTION_VERSION('v'),
	{0}};

/* Options without effect are errors. */
static int ophelp_request_check(struct request *request, struct op_error *error)
{
	bool takes_specs = request->action == ACTION_CHECK_EVENTS ||
			   request->action == ACTION_UNIT_MASK ||
			   request->action == ACTION_EXTRA_MASK;
	bool lists = request->action == ACTION_LIST || request->action == ACTION_XML ||
		     request->action == ACTION_JSON;

	if (!request->chosen && request->specs.count) {
		if (request->search)
			return op_error_set(error, EINVAL,
					    "\"%s\": --search takes one argument: "
					    "put the words in quotes",
					    request->specs.item[0]);
		if (request->specs.count > 1)
			return op_error_set(error, EINVAL,
					    "several events need an option such as --check-events");
		request->action = ACTION_CODE;
		return 0;
	}
	if (takes_specs && !request->specs.count)
		return op_error_set(error, EINVAL, "no events given");
	if (!takes_specs && request->specs.count)
		return op_error_set(error, EINVAL, "\"%s\": an event is not expected here",
				    request->specs.item[0]);
	if (request->search && !lists)
		return op_error_set(error, EINVAL, "--search goes with lists of events only");
	if (request->fixed_counters && !request->counters)
		return op_error_set(error, EINVAL, "--fixed-counters goes with --counters only");
	return 0;
}

int request_parse(int argc, const char **argv, struct request *request, struct op_error *error)
{
	const struct op_option_table tables[] = {{rows, request, NULL}, {0}};

	*request = (struct request){0};
	if (op_options_read(tables, SYNOPSIS, argc, argv, &request->specs, error))
		return -1;
	request->action = request->chosen ? request->chosen->value : ACTION_LIST;
	return ophelp_request_check(request, error);
}

void request_free(struct request *request)
{
	op_options_release((const struct op_option_table[]){{rows, request, NULL}, {0}});
	op_strings_free(&request->specs);
}
