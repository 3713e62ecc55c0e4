// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The command line of ocount: see request.h.
 */
#include "request.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/file.h"
#include "libop/base/number.h"
#include "libop/base/option.h"
#include "libop/cpu/list.h"
#include "libop/perf/spelling.h"

#define SYNOPSIS "[OPTION...] [-s | -C LIST | -p PIDS | -r TIDS] [COMMAND [ARG...]]"

#define INTERVAL_MOST (24 * 60 * 60 * 1000) /* a day, in ms */

/* MS[:N] */
static int take_interval(const struct op_option *option, void *field, const char *text,
			 struct op_error *error)
{
	struct request *request = field;
	const char *colon = strchrnul(text, ':');
	char *milliseconds = strndup(text, colon - text);
	int result;

	if (!milliseconds)
		return op_error_memory(error);
	result = op_number_parse(milliseconds, option->name, 1, INTERVAL_MOST,
				 &request->milliseconds, NULL);
	free(milliseconds);
	if (result)
		return op_option_refuse(option, text, error, "not 1 to %d milliseconds",
					INTERVAL_MOST);
	if (*colon &&
	    op_number_parse(colon + 1, option->name, 1, UINT32_MAX, &request->intervals, NULL))
		return op_option_refuse(option, text, error, "not 1 to %u intervals", UINT32_MAX);
	return 0;
}

static int take_cpus(const struct op_option *option, void *field, const char *text,
		     struct op_error *error)
{
	struct request *request = field;
	struct op_error cause;

	free(request->cpus);
	request->cpus = NULL;
	if (op_cpu_list_parse(text, "CPUs", &request->cpus, &request->nr_cpus, &cause))
		return op_option_refuse(option, text, error, "%s", cause.text);
	return 0;
}

static const struct op_option_type interval_type = {.take = take_interval},
				   cpus_type = {.take = take_cpus};

static const struct op_option rows[] = {
	{"events", 'e', "LIST", "what to count: NAME[:UNITMASK[:KERNEL[:USER]]],...",
	 OP_LIST(struct request, events)},
	{"system-wide", 's', NULL, "count on all CPUs (root)",
	 OP_FLAG(struct request, system_wide)},
	{"cpu-list", 'C', "LIST", "count on these CPUs, such as 0-3,8 (root)", .type = &cpus_type},
	{"process-list", 'p', "PID,...", "count in running processes",
	 OP_PIDS(struct request, processes)},
	{"thread-list", 'r', "TID,...", "count in running threads",
	 OP_PIDS(struct request, threads)},
	{"separate-cpu", 'c', NULL, "report each CPU separately", OP_FLAG(struct request, by_cpu)},
	{"separate-thread", 't', NULL, "report each thread separately",
	 OP_FLAG(struct request, by_thread)},
	{"time-interval", 'i', "MS[:N]", "report every MS milliseconds, N times",
	 .type = &interval_type},
	{"brief-format", 'b', NULL, "report as CSV", OP_FLAG(struct request, brief)},
	{"json", 'j', NULL, "report as JSON, one object per line", OP_FLAG(struct request, json)},
	{"output-file", 'f', "FILE", "report to this file, not to stderr",
	 OP_TEXT(struct request, output)},
	{"list", 'l', NULL, "list events that need no catalogue", OP_FLAG(struct request, list)},
	/* as perf stat has them */
	{"all-cpus", 'a', NULL, NULL, OP_FLAG(struct request, system_wide)},
	{"interval-print", 'I', "MS", NULL, .type = &interval_type},
	{"output", 'o', "FILE", NULL, OP_TEXT(struct request, output)},
	{"repeat", 0, "N", NULL, OP_HINT("there is no such option: run it in a loop")},
	{"field-separator", 'x', "TEXT", NULL, OP_HINT("--brief-format has commas, --json names")},
	OP_OPTION_VERSION('v'),
	{0}};

/* ---- events ---- */

/* "cycles:u" and "sched:sched_switch" have no unit mask behind the colon. */
static bool is_spelled_as_perf(const char *event)
{
	struct perf_spelling spelling;
	struct op_error ignored;
	bool is = !perf_spelling_parse(event, &spelling, &ignored) &&
		  (spelling.has_modifiers || spelling.kind == PERF_SPELLING_TRACEPOINT);

	perf_spelling_free(&spelling);
	return is;
}

/* The specification of an event without a count, for op_perf_choose(): NAME::REST. */
static int rewrite_event(char **event, struct op_error *error)
{
	char *colon = strchr(*event, ':'), *fresh;
	size_t colons = 0;

	for (const char *at = colon; at; at = strchr(at + 1, ':'))
		colons++;
	if (!colon || colon[1] == ':' || is_spelled_as_perf(*event))
		return 0;
	if (colons > 3)
		return op_error_set(error, EINVAL,
				    "event \"%s\": more than NAME:UNITMASK:KERNEL:USER; a count "
				    "is for operf",
				    *event);
	fresh = op_path("%.*s:%s", (int)(colon - *event), *event, colon);
	if (!fresh)
		return op_error_memory(error);
	free(*event);
	*event = fresh;
	return 0;
}

static int rewrite_events(struct request *request, struct op_error *error)
{
	for (size_t i = 0; i < request->events.count; i++)
		if (rewrite_event(&request->events.item[i], error))
			return -1;
	return 0;
}

/* ---- all together ---- */

static int ocount_request_check(const struct request *request, struct op_error *error)
{
	int targets = (request->processes.count || request->threads.count) +
		      (request->system_wide || request->cpus);

	if (request->json && request->brief)
		return op_error_set(error, EINVAL, "--brief-format and --json exclude each other");
	if (request->list)
		return 0;
	if (targets > 1 || (request->processes.count && request->threads.count) ||
	    (request->system_wide && request->cpus))
		return op_error_set(error, EINVAL,
				    "--process-list, --thread-list, --system-wide and --cpu-list "
				    "exclude each other");
	if (!targets && !request->command)
		return op_error_set(error, EINVAL,
				    "nothing to count: give a command, --process-list, "
				    "--thread-list, --system-wide or --cpu-list");
	if (request->by_cpu && !request->system_wide && !request->cpus)
		return op_error_set(error, EINVAL,
				    "--separate-cpu goes with --system-wide and --cpu-list only");
	if (request->by_thread && !request->processes.count && !request->threads.count)
		return op_error_set(
			error, EINVAL,
			"--separate-thread goes with --process-list and --thread-list only");
	return 0;
}

int request_parse(int argc, const char **argv, struct request *request, struct op_error *error)
{
	const struct op_option_table tables[] = {{rows, request, NULL}, {0}};

	*request = (struct request){0};
	if (op_options_read_command(tables, SYNOPSIS, argc, argv, &request->command, error))
		return -1;
	request->format = request->json	   ? FORMAT_JSON
			  : request->brief ? FORMAT_BRIEF
					   : FORMAT_TABLE;
	return ocount_request_check(request, error) ? -1 : rewrite_events(request, error);
}

void request_free(struct request *request)
{
	op_options_release((const struct op_option_table[]){{rows, request, NULL}, {0}});
	free(request->cpus);
	*request = (struct request){0};
}
