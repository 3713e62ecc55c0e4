// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The command line of optop: see request.h.
 */
#include "request.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/file.h"
#include "libop/session/paths.h"

#define SYNOPSIS "[OPTION...]"

static const char *const methods[] = {"auto", "fp", "dwarf", NULL};
static const char *const sources[] = {"any", "daemon", "perf", NULL};

/* The word itself, for operf. */
static int take_method(const struct op_option *option, void *field, const char *text,
		       struct op_error *error)
{
	enum { FP, DWARF } method;
	char **word = field;

	if (op_option_word.take(option, &method, text, error))
		return -1;
	free(*word);
	*word = strdup(methods[method]);
	return *word ? 0 : op_error_memory(error);
}

static void release_method(void *field)
{
	op_option_text.release(field);
}

static const struct op_option_type method_type = {.take = take_method, .release = release_method};

static const struct op_option rows[] = {
	{"source", 0, "SOURCE", "whose samples: daemon, perf, or any: a daemon's if one runs",
	 OP_WORD(struct request, source, enum request_source, sources)},
	{"session-dir", 0, "DIR", "the session of the daemon (/var/lib/oprofile)",
	 OP_TEXT(struct request, session_dir)},
	{"events", 'e', "LIST", "what to sample by perf events, as operf has it",
	 OP_TEXT(struct request, events)},
	{"freq", 'F', "HZ", "samples per second, instead of counts",
	 OP_NUMBER(struct request, frequency, 1, 100000)},
	{"callgraph", 'g', NULL, "record call chains (the default)",
	 OP_FLAG(struct request, frame_pointers)},
	{"call-graph", 0, "METHOD", "how to find callers, as of operf: auto, fp or dwarf",
	 .type = &method_type, .words = methods,
	 .field = OP_FIELD(struct request, callgraph, char *)},
	{"no-call-graph", 0, NULL, "record no call chains", OP_FLAG(struct request, no_callgraph)},
	{"pid", 'p', "PID,...", "only these processes, and their children",
	 OP_PIDS(struct request, processes)},
	{"keep", 'k', "DIR", "keep the samples as a session, for opreport",
	 OP_TEXT(struct request, keep)},
	{"by", 0, "WHAT", "what rows are: application, function, image, process, thread, ...",
	 OP_WORD(struct request, by, enum dimension, dimension_names)},
	{"sort", 0, "COLUMN", "the order of rows: self, total, rate, name",
	 OP_WORD(struct request, sort, enum view_sort, view_sort_names)},
	{"period", 0, "PERIOD", "which samples: of the last interval, recent, or since the start",
	 OP_WORD(struct request, period, enum model_period, model_period_names)},
	{"filter", 'f', "TEXT", "only rows with this in their names",
	 OP_TEXT(struct request, filter)},
	{"delay", 'd', "SECONDS", "between two pictures (2)",
	 OP_NUMBER(struct request, delay, 1, 3600)},
	{"batch", 'b', NULL, "write tables to standard output, without a terminal",
	 OP_FLAG(struct request, batch)},
	{"iterations", 'n', "N", "end after so many pictures",
	 OP_NUMBER(struct request, iterations, 1, 1000000000)},
	{"lines", 'l', "N", "rows of each table of --batch (20)",
	 OP_NUMBER(struct request, lines, 1, 1000000)},
	{"no-color", 0, NULL, "no colours, as with NO_COLOR in the environment",
	 OP_FLAG(struct request, no_color)},
	/* as perf top has them */
	{"stdio", 0, NULL, NULL, OP_FLAG(struct request, batch)},
	{"all-cpus", 'a', NULL, NULL, .type = &op_option_ignored},
	OP_OPTION_VERSION('v'),
	{0}};

static int optop_request_add(struct op_strings *list, const char *format, const char *text)
{
	char *option = op_path("%s%s", format, text);
	int result = option ? op_strings_add(list, option) : -1;

	free(option);
	return result;
}

/* What operf is to do, if it is to do anything. */
static int make_operf_options(struct request *request)
{
	struct op_strings *operf = &request->operf;
	char number[32];
	int result = 0;

	if (request->frequency) {
		snprintf(number, sizeof(number), "%" PRIu64, request->frequency);
		result |= optop_request_add(operf, "--freq=", number);
	}
	if (request->events)
		result |= optop_request_add(operf, "--events=", request->events);
	if (request->callgraph)
		result |= optop_request_add(operf, "--call-graph=", request->callgraph);
	else
		result |= optop_request_add(
			operf, request->no_callgraph ? "--no-call-graph" : "--callgraph", "");
	if (!request->processes.count)
		return result | optop_request_add(operf, "--system-wide", "");
	for (size_t i = 0; i < request->processes.count; i++) {
		snprintf(number, sizeof(number), "%d", (int)request->processes.item[i]);
		result |= optop_request_add(operf, "--pid=", number);
	}
	return result;
}

static bool wants_perf(const struct request *request)
{
	return request->events || request->frequency || request->frame_pointers ||
	       request->callgraph || request->no_callgraph || request->processes.count ||
	       request->keep;
}

static int optop_request_check(struct request *request, struct op_error *error)
{
	if (request->source == SOURCE_DAEMON && wants_perf(request))
		return op_error_set(error, EINVAL,
				    "what the daemon samples was set when it was started: "
				    "--events, --freq, --callgraph, --no-call-graph, --pid and "
				    "--keep are for --source=perf");
	if (request->session_dir && (request->source == SOURCE_PERF || wants_perf(request)))
		return op_error_set(error, EINVAL,
				    "--session-dir is of a daemon; for --source=perf "
				    "there is --keep");
	if (request->no_callgraph && (request->frame_pointers || request->callgraph))
		return op_error_set(error, EINVAL,
				    "--no-call-graph excludes --callgraph and --call-graph");
	if (request->lines && !request->batch)
		return op_error_set(error, EINVAL, "--lines is for --batch");
	return 0;
}

/* Paths are made absolute, and what was not given is set. */
static int complete(struct request *request)
{
	char *dir = op_session_dir(request->session_dir);

	if (wants_perf(request))
		request->source = SOURCE_PERF;
	else if (request->session_dir)
		request->source = SOURCE_DAEMON;
	free(request->session_dir);
	request->session_dir = dir;
	if (!request->delay)
		request->delay = 2;
	if (!request->lines)
		request->lines = 20;
	return dir && !make_operf_options(request) && !op_strings_add(&request->operf, "") ? 0 : -1;
}

int request_parse(int argc, const char **argv, struct request *request, struct op_error *error)
{
	const struct op_option_table tables[] = {{rows, request, NULL}, {0}};

	*request = (struct request){.by = BY_FUNCTION, .period = MODEL_RECENT};
	if (op_options_read(tables, SYNOPSIS, argc, argv, NULL, error) ||
	    optop_request_check(request, error))
		return -1;
	if (complete(request))
		return op_error_memory(error);
	/* the list ends with NULL, as execv(3) wants it */
	free(request->operf.item[--request->operf.count]);
	request->operf.item[request->operf.count] = NULL;
	return 0;
}

void request_free(struct request *request)
{
	op_options_release((const struct op_option_table[]){{rows, request, NULL}, {0}});
	op_strings_free(&request->operf);
	*request = (struct request){0};
}
