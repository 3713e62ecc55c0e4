// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Times of multiplexed events: see multiplexed_times.h.
 */
#include "multiplexed_times.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/array.h"
#include "libop/base/file.h"
#include "libop/base/number.h"
#include "libop/session/paths.h"
#include "libop/session/small_files.h"

/* The files of an event, and lines of a source. */
static const struct {
	const char *name;
	size_t offset; /* in struct event_time */
} numbers[] = {
	{OP_STATS_ENABLED_NS, offsetof(struct event_time, enabled_ns)},
	{OP_STATS_RUNNING_NS, offsetof(struct event_time, running_ns)},
	{OP_STATS_PAUSED_NS, offsetof(struct event_time, paused_ns)},
	{OP_STATS_TAKEN, offsetof(struct event_time, taken)},
	{OP_STATS_UNSAMPLED_NS, offsetof(struct event_time, unsampled_ns)},
	{OP_STATS_MISSING_NS, offsetof(struct event_time, missing_ns)},
};

#define NUMBERS OP_ARRAY_SIZE(numbers)

static uint64_t *number_of(struct event_time *time, size_t which)
{
	return (uint64_t *)((char *)time + numbers[which].offset);
}

/* The number that "NAME VALUE" begins with, or NUMBERS. */
static size_t find_number(const char *text)
{
	size_t i = 0;

	while (i < NUMBERS && (strncmp(text, numbers[i].name, strlen(numbers[i].name)) != 0 ||
			       text[strlen(numbers[i].name)] != ' '))
		i++;
	return i;
}

/* Parses a line such as "counter3/running_ns 12".  Return: whether it is one. */
static bool parse_line(const char *line, unsigned int *counter, size_t *which, uint64_t *value)
{
	const char *at = line + strlen("counter");
	uint64_t number;

	if (strncmp(line, "counter", strlen("counter")) != 0 ||
	    !op_number_take(&at, 10, OP_COUNTERS_MAX - 1, &number) || *at++ != '/')
		return false;
	*counter = (unsigned int)number;
	*which = find_number(at);
	if (*which == NUMBERS)
		return false;
	at += strlen(numbers[*which].name) + 1;
	return op_number_take(&at, 10, UINT64_MAX, value) && (!*at || *at == '\n');
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
		for (size_t k = 0; k < NUMBERS; k++)
			*number_of(&self->previous[i], k) =
				read_time(dir, &self->events->event[i], numbers[k].name);
		self->start[i] = self->latest[i];
	}
}

static void multiplexed_times_parse(struct multiplexed_times *self, const char *kernel)
{
	unsigned int counter;
	uint64_t value;
	size_t which;

	memset(self->parsed, 0, self->events->count * sizeof(*self->parsed));
	for (const char *line = kernel; *line;) {
		/* an event may be on several counters, such as those of two kinds of CPU */
		if (parse_line(line, &counter, &which, &value) && self->event_of[counter] >= 0)
			*number_of(&self->parsed[self->event_of[counter]], which) += value;
		line = strchrnul(line, '\n');
		line += *line == '\n';
	}
}

void multiplexed_times_update(struct multiplexed_times *self, const char *kernel)
{
	if (!kernel)
		return;
	multiplexed_times_parse(self, kernel);
	for (size_t i = 0; i < self->events->count; i++) {
		const struct event_time *parsed = &self->parsed[i];
		struct event_time *latest = &self->latest[i];

		if (!parsed->enabled_ns)
			continue; /* not counted yet, or not reported now */
		if (parsed->enabled_ns < latest->enabled_ns ||
		    parsed->running_ns < latest->running_ns) {
			/* the source has restarted */
			for (size_t k = 0; k < NUMBERS; k++)
				*number_of(&self->previous[i], k) +=
					*number_of(latest, k) - *number_of(&self->start[i], k);
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
		struct event_time *previous = &self->previous[i], *start = &self->start[i];
		struct event_time *latest = &self->latest[i];

		if (latest->enabled_ns == start->enabled_ns)
			continue; /* the files are up to date */
		for (size_t k = 0; k < NUMBERS; k++) {
			uint64_t value = *number_of(latest, k) - *number_of(start, k) +
					 *number_of(previous, k);

			/* what only some sources report has no file with the others */
			if ((value || k < 2) &&
			    save_time(dir, &self->events->event[i], numbers[k].name, value, error))
				return -1;
		}
	}
	return 0;
}

void multiplexed_times_remove_lines(char *kernel)
{
	char *to = kernel;
	unsigned int counter;
	uint64_t value;
	size_t which;

	for (char *line = kernel, *next; line && *line; line = next) {
		next = strchrnul(line, '\n');
		next += *next == '\n';
		if (parse_line(line, &counter, &which, &value))
			continue;
		memmove(to, line, (size_t)(next - line));
		to += next - line;
	}
	if (to)
		*to = '\0';
}
