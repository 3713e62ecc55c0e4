// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where the samples of a session came from: see origin.h.
 */
#include "origin.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "daemon/live/machine.h"
#include "libop/base/file.h"
#include "libop/foreign/door.h"
#include "libop/perf/event.h"
#include "libop/session/log.h"
#include "libop/session/paths.h"

/* Each daemon adds some hundred bytes. */
#define NOTES_MOST (1 << 20)

/* Appends a note to a file as a whole, unless the file has it already.  Logs errors. */
static void add_note(const char *dir, const char *name, const char *note)
{
	struct op_error error = {.code = ENOMEM, .text = OP_OUT_OF_MEMORY};
	char *path = op_path("%s/%s", dir, name);
	char *before = path ? foreign_read(path, NOTES_MOST, NULL, NULL) : NULL;
	char *text = note ? op_path("%s%s", before ? before : "", note) : NULL;

	if (!text || !path ||
	    ((!before || !strstr(before, note)) &&
	     op_file_replace(path, text, strlen(text), OP_SESSION_FILE_MODE, &error)))
		log_line("cannot write the source of the samples to the session: %s", error.text);
	free(text);
	free(before);
	free(path);
}

static void save_source(const char *dir, const struct source *source,
			const struct op_events *events)
{
	char *names = op_events_format(events);
	char *note = names ? op_path("source %s\ncpu-type %s\nevents %s\n",
				     source->name ? source->name : "unknown", source->cpu_type,
				     names)
			   : NULL;

	add_note(dir, OP_SAMPLES_SOURCE, note);
	free(note);
	free(names);
}

/* The line of an event without a period; others say all in the names of their sample files. */
static void origin_put_event(FILE *out, const struct op_event *event, unsigned int rate)
{
	const struct op_perf_name *name = op_perf_name(event->name);

	if (event->count || !rate)
		return;
	fprintf(out, "event %s 0 %" PRIu32 " - 0 %u %" PRIu64 " %" PRIu32 " %s\n", event->name,
		event->unit_mask, rate, name ? name->config : event->code,
		name ? name->type : UINT32_MAX, event->name);
}

static char *rates_of(const struct source *source, const struct op_events *events)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	if (!out)
		return NULL;
	for (size_t i = 0; i < events->count; i++)
		origin_put_event(out, &events->event[i], source->rate);
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}

static char *beginning(const char *command_line)
{
	char *machine = machine_facts();
	struct timespec now;
	char *text;

	clock_gettime(CLOCK_REALTIME, &now);
	text = machine ? op_path("%s%s%s%sstart-time %" PRId64 "%09ld\n", machine,
				 command_line ? "command-line " : "",
				 command_line ? command_line : "", command_line ? "\n" : "",
				 (int64_t)now.tv_sec, now.tv_nsec)
		       : NULL;
	free(machine);
	return text;
}

static void save_origin(const char *dir, const struct source *source,
			const struct op_events *events, const char *command_line)
{
	char *path = op_path("%s/" OP_SAMPLES_ORIGIN, dir);
	char *before = path ? foreign_read(path, NOTES_MOST, NULL, NULL) : NULL;
	char *begins = before ? NULL : beginning(command_line);
	char *rates = rates_of(source, events);

	if (begins)
		add_note(dir, OP_SAMPLES_ORIGIN, begins);
	if (!rates || *rates)
		add_note(dir, OP_SAMPLES_ORIGIN, rates);
	free(rates);
	free(begins);
	free(before);
	free(path);
}

void origin_save(const char *dir, const struct source *source, const struct op_events *events,
		 const char *command_line)
{
	save_source(dir, source, events);
	if (source->is_live)
		save_origin(dir, source, events, command_line);
}

void origin_save_backend(const char *dir, struct source *source)
{
	char *backend = source_backend(source);
	char *note = backend ? op_path("backend %.*s\n", (int)strcspn(backend, "\n"), backend)
			     : NULL;

	if (note)
		add_note(dir, OP_SAMPLES_ORIGIN, note);
	free(note);
	free(backend);
}
