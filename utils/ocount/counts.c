// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Events that are being counted: see counts.h.
 */
#include "counts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "libop/cpu/list.h"
#include "libop/perf/threads.h"

/* A product of two 64-bit numbers. */
__extension__ typedef unsigned __int128 wide;

/* What the events are opened on: each is a pid and a CPU of perf_event_open(2). */
struct parts {
	pid_t *thread; /* NULL: CPUs */
	int *cpu;
	size_t count;
};

static int find_parts(struct parts *parts, const struct request *request, pid_t command,
		      struct op_error *error)
{
	*parts = (struct parts){0};
	if (request->system_wide)
		return op_cpu_list_online(&parts->cpu, &parts->count, error);
	if (request->cpus) {
		parts->count = request->nr_cpus;
		parts->cpu = calloc(parts->count + 1, sizeof(*parts->cpu));
		if (!parts->cpu)
			return op_error_memory(error);
		memcpy(parts->cpu, request->cpus, parts->count * sizeof(*parts->cpu));
		return 0;
	}
	if (request->processes.count)
		return op_threads_list(request->processes.item, request->processes.count,
				       &parts->thread, &parts->count, error);
	parts->count = command ? 1 : request->threads.count;
	parts->thread = calloc(parts->count + 1, sizeof(*parts->thread));
	if (!parts->thread)
		return op_error_memory(error);
	if (command)
		parts->thread[0] = command;
	else
		memcpy(parts->thread, request->threads.item, parts->count * sizeof(*parts->thread));
	return 0;
}

static int open_place(struct place *place, const struct op_perf_events *events,
		      const struct parts *parts, size_t first, size_t count, bool on_exec,
		      struct op_error *error)
{
	place->parts = count;
	place->fd = calloc(events->count * count + 1, sizeof(*place->fd));
	place->before = calloc(events->count + 1, sizeof(*place->before));
	if (!place->fd || !place->before)
		return op_error_memory(error);
	memset(place->fd, -1, events->count * count * sizeof(*place->fd));
	for (size_t i = 0; i < events->count * count; i++) {
		const struct op_perf_event *event = &events->event[i / count];
		struct perf_event_attr attr = event->attr;
		size_t part = first + i % count;
		pid_t pid = parts->thread ? parts->thread[part] : -1;

		attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
		attr.disabled = 1;
		attr.inherit = parts->thread != NULL;
		attr.enable_on_exec = on_exec;
		place->fd[i] = op_perf_open(&attr, pid, parts->cpu ? parts->cpu[part] : -1, -1);
		if (place->fd[i] < 0)
			return op_perf_explain_open(errno, event->event.name, &attr, pid, error);
	}
	return 0;
}

static int open_all(struct counts *counts, const struct request *request, const struct parts *parts,
		    bool on_exec, struct op_error *error)
{
	bool apart = request->by_cpu || request->by_thread;
	size_t places = apart ? parts->count : 1;

	counts->place = calloc(places + 1, sizeof(*counts->place));
	if (!counts->place)
		return op_error_memory(error);
	counts->places = places;
	for (size_t i = 0; i < places; i++) {
		struct place *place = &counts->place[i];

		place->number = !apart ? -1 : parts->thread ? (int)parts->thread[i] : parts->cpu[i];
		if (open_place(place, counts->events, parts, i, apart ? 1 : parts->count, on_exec,
			       error))
			return -1;
	}
	return 0;
}

int counts_open(struct counts *counts, const struct op_perf_events *events,
		const struct request *request, pid_t command, struct op_error *error)
{
	struct rlimit limit;
	struct parts parts;
	int result;

	*counts = (struct counts){.events = events};
	if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
	for (int attempt = 1;; attempt++) {
		result = find_parts(&parts, request, command, error);
		if (!result)
			result = open_all(counts, request, &parts, command, error);
		if (!result && request->processes.count && attempt < OP_THREADS_ATTEMPTS)
			result = op_threads_new(request->processes.item, request->processes.count,
						parts.thread, parts.count, error);
		/* a thread has ended meanwhile, which is not an error if its process continues */
		else if (result && error->code == ESRCH && parts.count &&
			 attempt < OP_THREADS_ATTEMPTS && request->processes.count)
			result = 1;
		free(parts.thread);
		free(parts.cpu);
		if (result <= 0)
			return result;
		counts_close(counts);
		counts->events = events;
	}
}

int counts_enable(struct counts *counts, struct op_error *error)
{
	for (size_t i = 0; i < counts->places; i++) {
		const struct place *place = &counts->place[i];

		for (size_t j = 0; j < counts->events->count * place->parts; j++) {
			if (ioctl(place->fd[j], PERF_EVENT_IOC_ENABLE, 0))
				return op_error_errno(error, "cannot start counting");
		}
	}
	return 0;
}

void counts_close(struct counts *counts)
{
	for (size_t i = 0; i < counts->places; i++) {
		struct place *place = &counts->place[i];

		for (size_t j = 0; place->fd && j < counts->events->count * place->parts; j++) {
			if (place->fd[j] >= 0)
				close(place->fd[j]);
		}
		free(place->fd);
		free(place->before);
	}
	free(counts->place);
	*counts = (struct counts){0};
}

int counts_read(struct counts *counts, size_t index, size_t event, struct count *count,
		struct op_error *error)
{
	struct place *place = &counts->place[index];
	struct count *before = &place->before[event], now = {0}, part;

	for (size_t i = 0; i < place->parts; i++) {
		ssize_t n = read(place->fd[event * place->parts + i], &part, sizeof(part));

		if (n < 0)
			return op_error_errno(error, "cannot read a counter");
		if (n != sizeof(part))
			return op_error_set(error, EIO, "cannot read a counter: it has no value");
		now.value += part.value;
		now.enabled += part.enabled;
		now.running += part.running;
	}
	*count = (struct count){now.value - before->value, now.enabled - before->enabled,
				now.running - before->running};
	*before = now;
	return 0;
}

uint64_t count_scaled(const struct count *count)
{
	wide scaled;

	if (!count->running || count->running >= count->enabled)
		return count->value;
	scaled = ((wide)count->value * count->enabled + count->running / 2) / count->running;
	return scaled > UINT64_MAX ? UINT64_MAX : (uint64_t)scaled;
}
