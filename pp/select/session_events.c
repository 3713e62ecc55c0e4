// SPDX-License-Identifier: GPL-2.0-or-later
/* Events of sessions: see session_events.h. */
#include "session_events.h"

#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"
#include "libop/foreign/door.h"
#include "libop/session/paths.h"

#define NOTES_MOST (1 << 20)

/* Moves the events of one line to @events. */
static void events_take_line(struct op_events *events, const char *text)
{
	size_t capacity = events->count;
	struct op_events line;
	struct op_error error;

	if (op_events_parse(text, &line, &error))
		return;
	events->event = op_grow(events->event, &capacity, events->count + line.count,
				sizeof(*events->event));
	for (size_t i = 0; i < line.count; i++)
		events->event[events->count++] = line.event[i];
	free(line.event);
}

void pp_session_events_read(const char *samples_dir, struct op_events *events)
{
	static const char key[] = "events ";
	char *path = op_format("%s/" OP_SAMPLES_SOURCE, samples_dir), *line;
	char *text = foreign_read(path, NOTES_MOST, NULL, NULL), *rest = text;

	while ((line = strsep(&rest, "\n")))
		if (!strncmp(line, key, strlen(key)))
			events_take_line(events, line + strlen(key));
	free(text);
	free(path);
}
