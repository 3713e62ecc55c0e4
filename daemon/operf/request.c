// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The command line of operf: see request.h.
 */
#include "request.h"

#include <errno.h>
#include <popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/perf/arguments.h"
#include "libop/base/number.h"
#include "libop/perf/event.h"
#include "libop/session/paths.h"

enum option { OPTION_EVENT = 1, OPTION_PID, OPTION_VERSION };

/* Arguments as popt hands them over. */
struct raw {
	char *session_dir, *vmlinux, *frequency, *topics, *chains;
	int system_wide, callgraph, append, lazy, thread, cpu, loose;
};

static int no_memory(struct op_error *error)
{
	return op_error_set(error, ENOMEM, "out of memory");
}

static int take_option(void *all, int option, char *value, struct op_error *error)
{
	struct request *request = all;

	switch (option) {
	case OPTION_EVENT:
		return arguments_events(value, &request->events, error);
	case OPTION_PID:
		return arguments_pids(value, "--pid", &request->processes, &request->count, error);
	case OPTION_VERSION:
		printf("operf: oprofile %s\n", OP_VERSION);
		exit(OP_EXIT_OK);
	}
	return 0;
}

static int check_target(const struct request *request, struct op_error *error)
{
	int targets = !!request->command + !!request->processes + request->system_wide;

	if (targets > 1)
		return op_error_set(error, EINVAL,
				    "a command, --pid and --system-wide exclude each other");
	if (!targets)
		return op_error_set(error, EINVAL,
				    "nothing to profile: give a command, --pid PID or "
				    "--system-wide");
	return 0;
}

static int take_raw(struct request *request, const struct raw *raw, struct op_error *error)
{
	request->system_wide = raw->system_wide;
	request->callgraph = raw->callgraph || raw->chains;
	request->unwind = raw->chains && !strcmp(raw->chains, "dwarf");
	if (raw->chains && !request->unwind && strcmp(raw->chains, "fp") != 0)
		return op_error_set(error, EINVAL, "--call-graph: \"%s\" is neither fp nor dwarf",
				    raw->chains);
	request->append = raw->append;
	request->loose = raw->loose;
	request->separate_thread = raw->thread;
	request->separate_cpu = raw->cpu;
	if (raw->frequency &&
	    op_number_parse(raw->frequency, "--freq", 1, 100000, &request->frequency, error))
		return -1;
	if (raw->vmlinux) {
		request->vmlinux = realpath(raw->vmlinux, NULL);
		if (!request->vmlinux)
			return op_error_set(error, errno, "--vmlinux: %s: %s", raw->vmlinux,
					    strerror(errno));
	}
	request->session_dir =
		op_session_dir(raw->session_dir ? raw->session_dir : "oprofile_data");
	return request->session_dir ? 0 : no_memory(error);
}

int request_parse(int argc, const char **argv, struct request *request, struct op_error *error)
{
	struct raw raw = {0};
	const struct poptOption table[] = {
		{"events", 'e', POPT_ARG_STRING, NULL, OPTION_EVENT,
		 "what to sample: NAME:COUNT[:UNITMASK[:KERNEL[:USER]]],...", "LIST"},
		{"freq", 'F', POPT_ARG_STRING, &raw.frequency, 0,
		 "samples a second, whatever the counts", "HZ"},
		{"callgraph", 'g', POPT_ARG_NONE, &raw.callgraph, 0,
		 "take call chains (by frame pointers)", NULL},
		{"call-graph", '\0', POPT_ARG_STRING, &raw.chains, 0,
		 "take call chains by frame pointers or call frame information", "fp|dwarf"},
		{"pid", 'p', POPT_ARG_STRING, NULL, OPTION_PID,
		 "profile processes that run, and their children", "PID,..."},
		{"system-wide", 's', POPT_ARG_NONE, &raw.system_wide, 0,
		 "profile the whole system (root)", NULL},
		{"session-dir", 'd', POPT_ARG_STRING, &raw.session_dir, 0,
		 "where sample files go (./oprofile_data)", "DIR"},
		{"append", 'a', POPT_ARG_NONE, &raw.append, 0, "add to the samples that are there",
		 NULL},
		{"separate-thread", 't', POPT_ARG_NONE, &raw.thread, 0, "count each thread apart",
		 NULL},
		{"separate-cpu", 'c', POPT_ARG_NONE, &raw.cpu, 0, "count each CPU apart", NULL},
		{"vmlinux", 'k', POPT_ARG_STRING, &raw.vmlinux, 0, "the kernel's ELF file", "FILE"},
		{"lazy-conversion", 'l', POPT_ARG_NONE, &raw.lazy, 0,
		 "taken for old scripts' sake: samples are counted as they come", NULL},
		{"no-pack", '\0', POPT_ARG_NONE, &raw.loose, 0, "leave sample files loose at the end",
		 NULL},
		{"verbose", 'V', POPT_ARG_STRING, &raw.topics, 0,
		 "log some things: all,sfile,arcs,samples,module,misc", "LIST"},
		{"version", 'v', POPT_ARG_NONE, NULL, OPTION_VERSION, "show the version", NULL},
		POPT_AUTOHELP POPT_TABLEEND};
	poptContext context = poptGetContext(NULL, argc, argv, table, POPT_CONTEXT_POSIXMEHARDER);
	int result;

	*request = (struct request){0};
	if (!context)
		return no_memory(error);
	poptSetOtherOptionHelp(context, "[OPTION...] COMMAND [ARGUMENT...] | --pid PID | "
					"--system-wide");
	result = arguments_read(context, take_option, request, error);
	if (!result) {
		request->command = arguments_command(context, argc, argv);
		result = take_raw(request, &raw, error);
	}
	if (!result)
		result = check_target(request, error);
	request->topics = raw.topics;
	free(raw.session_dir);
	free(raw.vmlinux);
	free(raw.frequency);
	free(raw.chains);
	poptFreeContext(context);
	return result;
}

void request_free(struct request *request)
{
	op_strings_free(&request->events);
	free(request->session_dir);
	free(request->vmlinux);
	free(request->processes);
	free(request->topics);
	*request = (struct request){0};
}
