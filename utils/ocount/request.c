// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The command line of ocount: see request.h.
 */
#include "request.h"

#include <errno.h>
#include <popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/cpu/list.h"
#include "libop/base/number.h"
#include "libop/perf/arguments.h"

#define INTERVAL_MOST (24 * 60 * 60 * 1000) /* a day, in ms */

enum option {
	OPTION_EVENT = 1,
	OPTION_CPUS,
	OPTION_PROCESSES,
	OPTION_THREADS,
	OPTION_INTERVAL,
	OPTION_VERSION
};

static int no_memory(struct op_error *error)
{
	return op_error_set(error, ENOMEM, "out of memory");
}

/* MS[:N] */
static int take_interval(struct request *request, char *text, struct op_error *error)
{
	char *colon = strchr(text, ':');

	if (colon)
		*colon = '\0';
	if (op_number_parse(text, "--time-interval", 1, INTERVAL_MOST, &request->milliseconds,
			    error))
		return -1;
	return colon ? op_number_parse(colon + 1, "--time-interval: number of intervals", 1,
				       UINT32_MAX, &request->intervals, error)
		     : 0;
}

static int take_option(void *all, int option, char *value, struct op_error *error)
{
	struct request *request = all;

	switch (option) {
	case OPTION_EVENT:
		return arguments_events(value, &request->events, error);
	case OPTION_CPUS:
		free(request->cpus);
		return op_cpu_list_parse(value, "--cpu-list", &request->cpus, &request->nr_cpus,
					 error);
	case OPTION_PROCESSES:
		return arguments_pids(value, "--process-list", &request->processes,
				      &request->nr_processes, error);
	case OPTION_THREADS:
		return arguments_pids(value, "--thread-list", &request->threads,
				      &request->nr_threads, error);
	case OPTION_INTERVAL:
		return take_interval(request, value, error);
	case OPTION_VERSION:
		printf("ocount: oprofile %s\n", OP_VERSION);
		exit(OP_EXIT_OK);
	}
	return 0;
}

static int check(const struct request *request, struct op_error *error)
{
	int targets = !!request->command + (request->processes || request->threads) +
		      (request->system_wide || request->cpus);

	if (request->list)
		return 0;
	if (targets > 1 || (request->processes && request->threads) ||
	    (request->system_wide && request->cpus))
		return op_error_set(error, EINVAL,
				    "a command, --process-list, --thread-list, --system-wide and "
				    "--cpu-list exclude each other");
	if (!targets)
		return op_error_set(error, EINVAL,
				    "nothing to count: give a command, --process-list, "
				    "--thread-list, --system-wide or --cpu-list");
	if (request->by_cpu && !request->system_wide && !request->cpus)
		return op_error_set(error, EINVAL,
				    "--separate-cpu goes with --system-wide and --cpu-list only");
	if (request->by_thread && !request->processes && !request->threads)
		return op_error_set(
			error, EINVAL,
			"--separate-thread goes with --process-list and --thread-list only");
	return 0;
}

int request_parse(int argc, const char **argv, struct request *request, struct op_error *error)
{
	int system_wide = 0, by_cpu = 0, by_thread = 0, list = 0, brief = 0, json = 0;
	const struct poptOption table[] = {
		{"events", 'e', POPT_ARG_STRING, NULL, OPTION_EVENT,
		 "what to count: NAME[::UNITMASK[:KERNEL[:USER]]],...", "LIST"},
		{"system-wide", 's', POPT_ARG_NONE, &system_wide, 0, "count on all CPUs (root)",
		 NULL},
		{"cpu-list", 'C', POPT_ARG_STRING, NULL, OPTION_CPUS,
		 "count on these CPUs, such as 0-3,8 (root)", "LIST"},
		{"process-list", 'p', POPT_ARG_STRING, NULL, OPTION_PROCESSES,
		 "count in processes that run", "PID,..."},
		{"thread-list", 'r', POPT_ARG_STRING, NULL, OPTION_THREADS,
		 "count in threads that run", "TID,..."},
		{"separate-cpu", 'c', POPT_ARG_NONE, &by_cpu, 0, "report each CPU apart", NULL},
		{"separate-thread", 't', POPT_ARG_NONE, &by_thread, 0, "report each thread apart",
		 NULL},
		{"time-interval", 'i', POPT_ARG_STRING, NULL, OPTION_INTERVAL,
		 "report every MS milliseconds, and end after N times", "MS[:N]"},
		{"brief-format", 'b', POPT_ARG_NONE, &brief, 0, "report as CSV", NULL},
		{"json", 'j', POPT_ARG_NONE, &json, 0, "report as JSON, one object a line", NULL},
		{"output-file", 'f', POPT_ARG_STRING, &request->output, 0,
		 "report there, not to stderr", "FILE"},
		{"list", 'l', POPT_ARG_NONE, &list, 0, "list events that need no catalogue", NULL},
		{"version", 'v', POPT_ARG_NONE, NULL, OPTION_VERSION, "show the version", NULL},
		POPT_AUTOHELP POPT_TABLEEND};
	poptContext context;
	int result;

	*request = (struct request){0};
	context = poptGetContext(NULL, argc, argv, table, POPT_CONTEXT_POSIXMEHARDER);
	if (!context)
		return no_memory(error);
	poptSetOtherOptionHelp(context, "[OPTION...] COMMAND [ARGUMENT...] | -s | -C LIST | "
					"-p PIDS | -r TIDS");
	result = arguments_read(context, take_option, request, error);
	request->command = arguments_command(context, argc, argv);
	request->system_wide = system_wide;
	request->by_cpu = by_cpu;
	request->by_thread = by_thread;
	request->list = list;
	request->format = json ? FORMAT_JSON : brief ? FORMAT_BRIEF : FORMAT_TABLE;
	if (!result && json && brief)
		result =
			op_error_set(error, EINVAL, "--brief-format and --json exclude each other");
	if (!result)
		result = check(request, error);
	poptFreeContext(context);
	return result;
}

void request_free(struct request *request)
{
	op_strings_free(&request->events);
	free(request->processes);
	free(request->threads);
	free(request->cpus);
	free(request->output);
	*request = (struct request){0};
}
