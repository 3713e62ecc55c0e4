// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Profiling by the kernel's perf events: see perf.h.
 */
#include "perf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/session/control_socket.h"
#include "libop/base/safe_text.h"
#include "libop/perf/event.h"

int perf_argument(const struct settings *settings, char **argument, struct op_error *error)
{
	const struct op_perf_choose how = {
		.frequency = settings->frequency,
		.callgraph = settings->callgraph,
	};
	struct op_perf_events events;

	if (op_perf_choose(settings->events.item, settings->events.count, &how, &events, error))
		return -1;
	*argument = op_perf_format(&events);
	op_perf_events_free(&events);
	return *argument ? 0 : op_error_memory(error);
}

int perf_run(const struct settings *settings, bool on, struct op_error *error)
{
	return op_control_call(settings->session_dir, on ? "start" : "stop", NULL, error);
}

/* A line "key value" of the daemon, and how it is shown. */
struct line {
	const char *key, *title;
};

static const struct line of_perf[] = {
	{"state", "State"},
	{"cpu-type", "CPU type"},
	{"events", "Events"},
	{"received", "Samples received"},
	{"samples", "Samples stored"},
	{"lost", "Samples lost"},
	{"lost-cause", "  lost"},
	{"beyond-budget", "  stored as {other}, beyond the budget"},
	{"lost-by-source", "Records lost in the kernel's buffers"},
	{"session-bytes", "Session, bytes"},
	{"session-files", "Session, files and directories"},
	{"session-names", "Session, bytes of names"},
	{NULL, NULL},
};

/* What the driver does not know. */
static const struct line of_module[] = {
	{"samples", "Samples stored by the daemon"},
	{"lost", "Samples lost by the daemon"},
	{"lost-cause", "  lost"},
	{"beyond-budget", "  stored as {other}, beyond the budget"},
	{"session-bytes", "Session, bytes"},
	{"session-files", "Session, files and directories"},
	{"session-names", "Session, bytes of names"},
	{NULL, NULL},
};

static int print(const struct settings *settings, const struct line *lines, struct op_error *error)
{
	char *reply;

	if (op_control_call(settings->session_dir, "status", &reply, error))
		return -1;
	for (char *rest = reply, *text; (text = strsep(&rest, "\n"));) {
		for (const struct line *line = lines; line->key; line++) {
			size_t length = strlen(line->key);

			if (!strncmp(text, line->key, length) && text[length] == ' ')
				op_safe_line(stdout, "%s: %s", line->title, text + length + 1);
		}
	}
	free(reply);
	return 0;
}

int perf_status_print(const struct settings *settings, struct op_error *error)
{
	return print(settings, of_perf, error);
}

void perf_status_print_stored(const struct settings *settings)
{
	print(settings, of_module, NULL);
}
