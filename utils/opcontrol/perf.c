// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Profiling by the kernel's perf events: see perf.h.
 */
#include "perf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/array.h"
#include "libop/session/control_socket.h"
#include "libop/base/number.h"
#include "libop/base/safe_text.h"
#include "libop/perf/event.h"

static int perf_choose(const struct settings *settings, struct op_perf_events *events,
		       struct op_error *error)
{
	const struct op_perf_choose how = {
		.frequency = settings->frequency,
		.callgraph = settings->callgraph,
	};

	if (op_perf_choose(settings->events.item, settings->events.count, &how, events, error))
		return -1;
	if (!op_perf_check_format(events, error))
		return 0;
	op_perf_events_free(events);
	return -1;
}

int perf_check(const struct settings *settings, struct op_error *error)
{
	struct op_perf_events events;
	int result;

	if (perf_choose(settings, &events, error))
		return -1;
	result = op_perf_check_counters(&events, error);
	op_perf_events_free(&events);
	return result;
}

int perf_argument(const struct settings *settings, char **argument, struct op_error *error)
{
	struct op_perf_events events;

	if (perf_choose(settings, &events, error))
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

/* ---- JSON ---- */

/* "3 of 7" is an object. */
static void put_used(struct op_json *json, const char *name, const char *text)
{
	uint64_t used, most;

	if (!op_number_take(&text, 10, UINT64_MAX, &used) || strncmp(text, " of ", 4) ||
	    !op_number_all(text + 4, 10, UINT64_MAX, &most))
		return;
	op_json_object(json, name);
	op_json_number(json, "used", used);
	op_json_number(json, "most", most);
	op_json_end(json);
}

static void put_number(struct op_json *json, const char *name, const char *text)
{
	uint64_t number;

	if (op_number_take(&text, 10, UINT64_MAX, &number))
		op_json_number(json, name, number);
}

/* Lines "key value" of the daemon, but for those that are repeated. */
static const struct member {
	const char *key, *name;
	void (*put)(struct op_json *json, const char *name, const char *text);
} members[] = {
	{"state", "state", op_json_string},
	{"cpu-type", "cpu_type", op_json_string},
	{"events", "events", op_json_string},
	{"started", "started", put_number},
	{"received", "received", put_number},
	{"samples", "stored", put_number},
	{"lost", "lost", put_number},
	{"beyond-budget", "beyond_budget", put_number},
	{"lost-by-source", "lost_by_source", put_number},
	{"session-bytes", "session_bytes", put_used},
	{"session-files", "session_files", put_used},
	{"session-names", "session_name_bytes", put_used},
};

/* The value of a line with this key, or NULL. */
static const char *value_of(const char *text, const char *key)
{
	size_t length = strlen(key);

	return !strncmp(text, key, length) && text[length] == ' ' ? text + length + 1 : NULL;
}

static void put_causes(struct op_json *json, const struct op_strings *lines)
{
	op_json_array(json, "lost_causes");
	for (size_t i = 0; i < lines->count; i++)
		if (value_of(lines->item[i], "lost-cause"))
			op_json_string(json, NULL, value_of(lines->item[i], "lost-cause"));
	op_json_end(json);
}

int perf_status_json(const struct settings *settings, struct op_json *json, struct op_error *error)
{
	struct op_strings lines = {0};
	char *reply;
	int result;

	if (op_control_call(settings->session_dir, "status", &reply, error))
		return -1;
	result = op_strings_split(&lines, reply, '\n') ? op_error_memory(error) : 0;
	for (size_t i = 0; !result && i < lines.count; i++)
		for (size_t k = 0; k < OP_ARRAY_SIZE(members); k++)
			if (value_of(lines.item[i], members[k].key))
				members[k].put(json, members[k].name,
					       value_of(lines.item[i], members[k].key));
	if (!result)
		put_causes(json, &lines);
	op_strings_free(&lines);
	free(reply);
	return result;
}
