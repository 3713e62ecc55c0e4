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

/* Lines "key value" of the daemon, as far as they are about what is counted and lost. */
int perf_status_print(const struct settings *settings, struct op_error *error)
{
	static const struct {
		const char *key, *title;
	} lines[] = {
		{"state", "State"},
		{"cpu-type", "CPU type"},
		{"events", "Events"},
		{"received", "Samples received"},
		{"samples", "Samples stored"},
		{"lost", "Samples lost"},
		{"lost-cause", "  lost"},
		{"lost-by-source", "Records lost in the kernel's buffers"},
	};
	char *reply;

	if (op_control_call(settings->session_dir, "status", &reply, error))
		return -1;
	for (char *rest = reply, *line; (line = strsep(&rest, "\n"));) {
		for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
			size_t length = strlen(lines[i].key);

			if (!strncmp(line, lines[i].key, length) && line[length] == ' ')
				op_safe_line(stdout, "%s: %s", lines[i].title, line + length + 1);
		}
	}
	free(reply);
	return 0;
}
