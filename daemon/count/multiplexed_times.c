// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Times of events: see times.h.
 */
#include "multiplexed_times.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/file.h"
#include "libop/session/paths.h"
#include "libop/session/number_file.h"

/* Takes a line such as "counter3/running_ns 12" apart.  Return: whether it is one. */
static bool parse_line(const char *line, unsigned int *counter, bool *running, uint64_t *ns)
{
	char which[16], end;

	int fields = sscanf(line, "counter%3u/%15[a-z_] %" SCNu64 "%c", counter, which, ns, &end);

	if (fields < 3 || (fields == 4 && end != '\n') || *counter >= OP_COUNTERS_MAX)
		return false;
	*running = !strcmp(which, "running_ns");
	return *running || !strcmp(which, "enabled_ns");
}

int times_open(struct times *self, const struct op_events *events, const int16_t *event_of,
	       struct op_error *error)
{
	size_t n = events->count + 1; /* never none */

	*self = (struct times){
		.events = events,
		.event_of = event_of,
		.before = calloc(n, sizeof(*self->before)),
		.begin = calloc(n, sizeof(*self->begin)),
		.now = calloc(n, sizeof(*self->now)),
		.said = calloc(n, sizeof(*self->said)),
	};
	if (self->before && self->begin && self->now && self->said)
		return 0;
	times_close(self);
	return op_error_set(error, ENOMEM, "out of memory");
}

void times_close(struct times *self)
{
	free(self->before);
	free(self->begin);
	free(self->now);
	free(self->said);
	*self = (struct times){0};
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

void times_load(struct times *self, const char *dir)
{
	for (size_t i = 0; i < self->events->count; i++) {
		const struct op_event *event = &self->events->event[i];

		self->before[i].enabled_ns = read_time(dir, event, OP_STATS_ENABLED_NS);
		self->before[i].running_ns = read_time(dir, event, OP_STATS_RUNNING_NS);
		self->begin[i] = self->now[i];
	}
}

static void parse(struct times *self, const char *kernel)
{
	unsigned int counter;
	uint64_t ns;
	bool running;

	memset(self->said, 0, self->events->count * sizeof(*self->said));
	for (const char *line = kernel; *line;) {
		struct event_time *said;

		/* an event may be on several counters, such as those of two kinds of CPU */
		if (parse_line(line, &counter, &running, &ns) && self->event_of[counter] >= 0) {
			said = &self->said[self->event_of[counter]];
			*(running ? &said->running_ns : &said->enabled_ns) += ns;
		}
		line = strchrnul(line, '\n');
		line += *line == '\n';
	}
}

void times_take(struct times *self, const char *kernel)
{
	if (!kernel)
		return;
	parse(self, kernel);
	for (size_t i = 0; i < self->events->count; i++) {
		const struct event_time *said = &self->said[i];
		struct event_time *now = &self->now[i];

		if (!said->enabled_ns)
			continue; /* not counted yet, or not known at the moment */
		if (said->enabled_ns < now->enabled_ns || said->running_ns < now->running_ns) {
			/* the source has begun anew */
			self->before[i].enabled_ns += now->enabled_ns - self->begin[i].enabled_ns;
			self->before[i].running_ns += now->running_ns - self->begin[i].running_ns;
			self->begin[i] = (struct event_time){0};
		}
		*now = *said;
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

int times_save(const struct times *self, const char *dir, struct op_error *error)
{
	for (size_t i = 0; i < self->events->count; i++) {
		const struct op_event *event = &self->events->event[i];
		const struct event_time *before = &self->before[i];
		uint64_t enabled = self->now[i].enabled_ns - self->begin[i].enabled_ns;
		uint64_t running = self->now[i].running_ns - self->begin[i].running_ns;

		if (!enabled)
			continue; /* the files are as they should be */
		if (save_time(dir, event, OP_STATS_ENABLED_NS, before->enabled_ns + enabled,
			      error) ||
		    save_time(dir, event, OP_STATS_RUNNING_NS, before->running_ns + running, error))
			return -1;
	}
	return 0;
}

void times_cut(char *kernel)
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
