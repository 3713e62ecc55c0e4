// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Times of multiplexed events: see multiplexed_times.h.
 */
#include "multiplexed_times.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/file.h"
#include "libop/base/number.h"
#include "libop/session/paths.h"
#include "libop/session/number_file.h"

/* Parses a line such as "counter3/running_ns 12".  Return: whether it is one. */
static bool parse_line(const char *line, unsigned int *counter, bool *running, uint64_t *ns)
{
	static const char running_key[] = "/running_ns ", enabled_key[] = "/enabled_ns ";
	const char *at = line + strlen("counter");
	uint64_t number;

	if (strncmp(line, "counter", strlen("counter")) != 0 ||
	    !op_number_take(&at, 10, OP_COUNTERS_MAX - 1, &number))
		return false;
	*counter = (unsigned int)number;
	*running = !strncmp(at, running_key, strlen(running_key));
	if (!*running && strncmp(at, enabled_key, strlen(enabled_key)) != 0)
		return false;
	at += strlen(running_key); /* as long as the other */
	return op_number_take(&at, 10, UINT64_MAX, ns) && (!*at || *at == '\n');
}

int multiplexed_times_open(struct multiplexed_times *self, const struct op_events *events,
			   const int16_t *event_of, struct op_error *error)
{
	size_t n = events->count + 1; /* never 0 */

	*self = (struct multiplexed_times){
		.events = events,
		.event_of = event_of,
		.previous = calloc(n, sizeof(*self->previous)),
		.start = calloc(n, sizeof(*self->start)),
		.latest = calloc(n, sizeof(*self->latest)),
		.parsed = calloc(n, sizeof(*self->parsed)),
	};
	if (self->previous && self->start && self->latest && self->parsed)
		return 0;
	multiplexed_times_close(self);
	return op_error_memory(error);
}

void multiplexed_times_close(struct multiplexed_times *self)
{
	free(self->previous);
	free(self->start);
	free(self->latest);
	free(self->parsed);
	*self = (struct multiplexed_times){0};
}

static char *path_of(const char *dir, const struct op_event *event, const char *name)
{
	return op_path("%s/" OP_STATS_EVENTS "/%s.%" PRIu32 ".%" PRIu32 "/%s", dir, event->name,
		       event->count, event->unit_mask, name);
}

static uint64_t read_time(const char *dir, const struct op_event *event, const char *name)
{
	char *path = path_of(dir, event, name);
	uint64_t ns = number_file_read(path);

	free(path);
	return ns;
}

void multiplexed_times_load(struct multiplexed_times *self, const char *dir)
{
	for (size_t i = 0; i < self->events->count; i++) {
		const struct op_event *event = &self->events->event[i];

		self->previous[i].enabled_ns = read_time(dir, event, OP_STATS_ENABLED_NS);
		self->previous[i].running_ns = read_time(dir, event, OP_STATS_RUNNING_NS);
		self->start[i] = self->latest[i];
	}
}

static void parse(struct multiplexed_times *self, const char *kernel)
{
	unsigned int counter;
	uint64_t ns;
	bool running;

	memset(self->parsed, 0, self->events->count * sizeof(*self->parsed));
	for (const char *line = kernel; *line;) {
		struct event_time *parsed;

		/* an event may be on several counters, such as those of two kinds of CPU */
		if (parse_line(line, &counter, &running, &ns) && self->event_of[counter] >= 0) {
			parsed = &self->parsed[self->event_of[counter]];
			*(running ? &parsed->running_ns : &parsed->enabled_ns) += ns;
		}
		line = strchrnul(line, '\n');
		line += *line == '\n';
	}
}

void multiplexed_times_update(struct multiplexed_times *self, const char *kernel)
{
	if (!kernel)
		return;
	parse(self, kernel);
	for (size_t i = 0; i < self->events->count; i++) {
		const struct event_time *parsed = &self->parsed[i];
		struct event_time *latest = &self->latest[i];

		if (!parsed->enabled_ns)
			continue; /* not counted yet, or not reported now */
		if (parsed->enabled_ns < latest->enabled_ns ||
		    parsed->running_ns < latest->running_ns) {
			/* the source has restarted */
			self->previous[i].enabled_ns +=
				latest->enabled_ns - self->start[i].enabled_ns;
			self->previous[i].running_ns +=
				latest->running_ns - self->start[i].running_ns;
			self->start[i] = (struct event_time){0};
		}
		*latest = *parsed;
	}
}

static int save_time(const char *dir, const struct op_event *event, const char *name, uint64_t ns,
		     struct op_error *error)
{
	char *path = path_of(dir, event, name);
	int result = number_file_save(path, ns, error);

	free(path);
	return result;
}

int multiplexed_times_save(const struct multiplexed_times *self, const char *dir,
			   struct op_error *error)
{
	for (size_t i = 0; i < self->events->count; i++) {
		const struct op_event *event = &self->events->event[i];
		const struct event_time *previous = &self->previous[i];
		uint64_t enabled = self->latest[i].enabled_ns - self->start[i].enabled_ns;
		uint64_t running = self->latest[i].running_ns - self->start[i].running_ns;

		if (!enabled)
			continue; /* the files are up to date */
		if (save_time(dir, event, OP_STATS_ENABLED_NS, previous->enabled_ns + enabled,
			      error) ||
		    save_time(dir, event, OP_STATS_RUNNING_NS, previous->running_ns + running,
			      error))
			return -1;
	}
	return 0;
}

void multiplexed_times_remove_lines(char *kernel)
{
	char *to = kernel;
	unsigned int counter;
	uint64_t ns;
	bool running;

	for (char *line = kernel, *next; line && *line; line = next) {
		next = strchrnul(line, '\n');
		next += *next == '\n';
		if (parse_line(line, &counter, &running, &ns))
			continue;
		memmove(to, line, (size_t)(next - line));
		to += next - line;
	}
	if (to)
		*to = '\0';
}
