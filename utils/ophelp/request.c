// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The command line: see request.h.
 */
#include "request.h"

#include <errno.h>
#include <popt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/events/counters.h"
#include "libop/base/number.h"

enum option {
	OPTION_CPU_TYPE = 1,
	OPTION_COUNTERS,
	OPTION_FIXED_COUNTERS,
	OPTION_SEARCH,
	OPTION_CALLGRAPH,
	OPTION_IGNORE_COUNT,
	OPTION_ACTION, /* and the number of the action */
};

#define WORD(name, letter, option, text)                                                           \
	{                                                                                          \
		name, letter, POPT_ARG_NONE, NULL, option, text, NULL                              \
	}
#define VALUE(name, letter, option, text, value)                                                   \
	{                                                                                          \
		name, letter, POPT_ARG_STRING, NULL, option, text, value                           \
	}
#define ACTION(name, letter, action, text) WORD(name, letter, OPTION_ACTION + (action), text)

static const struct poptOption options[] = {
	VALUE("search", 's', OPTION_SEARCH, "list only events with all of these words", "WORDS"),
	ACTION("xml", 'X', ACTION_XML, "list events as XML"),
	ACTION("json", 'J', ACTION_JSON, "list events as JSON"),
	VALUE("cpu-type", 'c', OPTION_CPU_TYPE, "look at this CPU type, not this machine", "TYPE"),
	VALUE("counters", '\0', OPTION_COUNTERS, "which has so many counters", "N"),
	VALUE("fixed-counters", '\0', OPTION_FIXED_COUNTERS, "and so many fixed ones (Intel)", "N"),
	ACTION("list-cpu-types", '\0', ACTION_LIST_CPU_TYPES, "list the CPU types with events"),
	ACTION("get-cpu-type", 'r', ACTION_CPU_TYPE, "print the CPU type"),
	ACTION("get-default-event", 'd', ACTION_DEFAULT_EVENT, "print the default event"),
	ACTION("check-events", 'e', ACTION_CHECK_EVENTS,
	       "print the counters that the events given get"),
	VALUE("callgraph", '\0', OPTION_CALLGRAPH, "with call graphs of this depth", "N"),
	WORD("ignore-count", 'i', OPTION_IGNORE_COUNT, "events may have no count, or a low one"),
	ACTION("unit-mask", 'u', ACTION_UNIT_MASK, "print the unit mask of the events given"),
	ACTION("extra-mask", 'E', ACTION_EXTRA_MASK, "print the modifiers of the events given"),
	ACTION("help", '?', ACTION_HELP, "show this help"),
	ACTION("version", 'v', ACTION_VERSION, "show the version"),
	POPT_TABLEEND};

static int no_memory(struct op_error *error)
{
	return op_error_set(error, ENOMEM, "out of memory");
}

static int set_text(char **text, const char *value, struct op_error *error)
{
	free(*text);
	*text = strdup(value);
	return *text ? 0 : no_memory(error);
}

static int set_number(unsigned int *number, const char *what, const char *value, uint64_t min,
		      uint64_t max, struct op_error *error)
{
	uint64_t n;

	if (op_number_parse(value, what, min, max, &n, error))
		return -1;
	*number = (unsigned int)n;
	return 0;
}

static int apply(struct request *request, int option, const char *value, bool *chosen,
		 struct op_error *error)
{
	switch (option) {
	case OPTION_CPU_TYPE:
		return set_text(&request->cpu_type, value, error);
	case OPTION_SEARCH:
		return set_text(&request->search, value, error);
	case OPTION_COUNTERS:
		request->has_counters = true;
		return set_number(&request->counters, "--counters", value, 1, OP_COUNTERS_LIMIT,
				  error);
	case OPTION_FIXED_COUNTERS:
		return set_number(&request->fixed_counters, "--fixed-counters", value, 0, 32,
				  error);
	case OPTION_CALLGRAPH:
		return set_number(&request->callgraph_depth, "--callgraph", value, 0, INT32_MAX,
				  error);
	case OPTION_IGNORE_COUNT:
		request->ignore_count = true;
		return 0;
	default:
		if (*chosen && request->action != (enum action)(option - OPTION_ACTION))
			return op_error_set(error, EINVAL, "only one thing can be asked at a time");
		*chosen = true;
		request->action = option - OPTION_ACTION;
		return 0;
	}
}

/* Options that do nothing would be a misunderstanding. */
static int check(struct request *request, bool chosen, struct op_error *error)
{
	bool takes_specs = request->action == ACTION_CHECK_EVENTS ||
			   request->action == ACTION_UNIT_MASK ||
			   request->action == ACTION_EXTRA_MASK;
	bool lists = request->action == ACTION_LIST || request->action == ACTION_XML ||
		     request->action == ACTION_JSON;

	if (!chosen && request->specs.count) {
		if (request->search)
			return op_error_set(error, EINVAL,
					    "\"%s\": --search takes one argument: "
					    "put the words in quotes",
					    request->specs.item[0]);
		if (request->specs.count > 1)
			return op_error_set(error, EINVAL,
					    "several events: say what about them, such as "
					    "--check-events");
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
	if (request->fixed_counters && !request->has_counters)
		return op_error_set(error, EINVAL, "--fixed-counters goes with --counters only");
	return 0;
}

int request_parse(int argc, const char **argv, struct request *request, struct op_error *error)
{
	poptContext context = poptGetContext("ophelp", argc, argv, options, 0);
	bool chosen = false;
	const char *word;
	int option, result = 0;

	*request = (struct request){0};
	while (!result && (option = poptGetNextOpt(context)) > 0) {
		char *value = poptGetOptArg(context);

		result = apply(request, option, value, &chosen, error);
		free(value);
	}
	if (!result && option < -1)
		result = op_error_set(error, EINVAL, "%s: %s", poptBadOption(context, 0),
				      poptStrerror(option));
	while (!result && (word = poptGetArg(context)))
		result = op_strings_add(&request->specs, word) ? no_memory(error) : 0;
	poptFreeContext(context);
	return result ? result : check(request, chosen, error);
}

void request_free(struct request *request)
{
	free(request->cpu_type);
	free(request->search);
	op_strings_free(&request->specs);
}

void request_print_help(void)
{
	const char *argv[] = {"ophelp", NULL};
	poptContext context = poptGetContext("ophelp", 1, argv, options, 0);

	poptSetOtherOptionHelp(context, "[OPTION...] [EVENT...]");
	poptPrintHelp(context, stdout, 0);
	poptFreeContext(context);
}
