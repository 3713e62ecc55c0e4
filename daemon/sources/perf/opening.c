// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Opening the kernel's perf events as a source: see perf.h.
 */
#include "perf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "libop/perf/threads.h"
#include "state.h"

/* Records are read this often even if no ring is full enough to wake us. */
#define PERIOD_NS 250000000

static int perf_source_wait_for(const struct perf_source *perf, int fd)
{
	struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};

	return epoll_ctl(perf->source.fd, EPOLL_CTL_ADD, fd, &event);
}

static int open_descriptors(struct perf_source *perf, struct op_error *error)
{
	const struct itimerspec period = {{0, PERIOD_NS}, {0, PERIOD_NS}};
	bool good;

	perf->source.fd = epoll_create1(EPOLL_CLOEXEC);
	perf->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	perf->more = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	good = perf->source.fd >= 0 && perf->timer >= 0 && perf->more >= 0 &&
	       !timerfd_settime(perf->timer, 0, &period, NULL) &&
	       !perf_source_wait_for(perf, perf->timer) && !perf_source_wait_for(perf, perf->more);
	if (perf->hotplug.drain)
		good = good && !perf_source_wait_for(perf, perf->drain.filled);
	if (perf->hotplug.uevents >= 0)
		good = good && !perf_source_wait_for(perf, perf->hotplug.uevents);
	for (size_t i = 0; good && !perf->hotplug.drain && i < perf->counters.cpus; i++)
		good = !perf_source_wait_for(perf, perf->counters.cpu[i].fd);
	if (!good)
		return op_error_errno(error, "cannot wait for samples");
	perf->hotplug.epoll = perf->source.fd;
	return 0;
}

/* The most frames of a call chain that the kernel allows. */
static unsigned int depth_of(unsigned int wanted)
{
	unsigned int most = (unsigned int)op_perf_setting("perf_event_max_stack", 127);

	return wanted < most ? wanted : most;
}

static void choose_copies(struct perf_source *perf, const struct source_perf_config *config,
			  const struct perf_counters_config *counters)
{
	size_t ring = perf_event_pages(counters) * (size_t)sysconf(_SC_PAGESIZE);

	perf->copies = config->unwind == PERF_UNWIND_AUTO ? perf_copies_adapting(ring)
							  : perf_copies_fixed(config->unwind);
}

static int open_counters(struct perf_source *perf, const struct source_perf_config *config,
			 struct op_error *error)
{
	struct perf_counters_config counters = {
		.events = config->events,
		.target.on_exec = config->on_exec,
		.target.ends = config->ends,
		.attr = perf->attr,
		.depth = depth_of(config->callgraph),
	};
	pid_t *threads;
	int result;

	if (config->unwind)
		choose_copies(perf, config, &counters);
	counters.copies = perf->copies;
	if (!perf->targets)
		return perf_hotplug_open(&perf->hotplug, &counters, error)
			       ? -1
			       : perf_counters_open(&perf->counters, &counters, error);
	for (int attempt = 1;; attempt++) {
		if (op_threads_list(perf->target, perf->targets, &threads, &counters.target.count,
				    error))
			return -1;
		counters.target.threads = threads;
		result = perf_counters_open(&perf->counters, &counters, error);
		if (!result && attempt < OP_THREADS_ATTEMPTS)
			result = op_threads_new(perf->target, perf->targets, threads,
						counters.target.count, error);
		free(threads);
		if (result <= 0)
			return result;
		perf_counters_close(&perf->counters);
	}
}

static int copy_targets(struct perf_source *perf, const struct source_perf_config *config,
			struct op_error *error)
{
	perf->on_exec = config->on_exec;
	if (!config->processes)
		return 0;
	perf->target = calloc(config->count + 1, sizeof(*perf->target));
	if (!perf->target)
		return op_error_memory(error);
	memcpy(perf->target, config->processes, config->count * sizeof(*perf->target));
	perf->targets = config->count;
	return 0;
}

static int open_all(struct perf_source *perf, const struct source_perf_config *config,
		    struct op_error *error)
{
	if (config->unwind && !PERF_UNWIND_REGISTERS)
		return op_error_set(error, ENOTSUP,
				    "callers by call frame information are known on x86-64 only");
	if (config->unwind && !(perf->samples.unwind = perf_unwind_new(&perf_unwind_live)))
		return op_error_memory(error);
	if (perf_times_init(&perf->times, config->events))
		return op_error_memory(error);
	if (copy_targets(perf, config, error) || open_counters(perf, config, error) ||
	    (perf->hotplug.drain && perf_drain_start(&perf->drain, &perf->counters,
						     config->unwind ? &perf->attr : NULL, error)) ||
	    open_descriptors(perf, error))
		return -1;
	perf->source.events = op_perf_format(config->events);
	if (!perf->source.events || perf_merge_reserve(&perf->merge, perf->counters.cpus))
		return op_error_memory(error);
	return 0;
}

struct source *source_perf_open(const struct source_perf_config *config, struct op_error *error)
{
	struct perf_source *perf = calloc(1, sizeof(*perf));
	struct source *source;

	if (!perf) {
		op_error_memory(error);
		return NULL;
	}
	source = &perf->source;
	source->ops = &perf_source_ops;
	source->name = "perf";
	source->fd = perf->timer = perf->more = perf->hotplug.uevents = -1;
	perf->hotplug.counters = &perf->counters;
	perf->hotplug.merge = &perf->merge;
	/* a whole system goes on while the reader waits for a disk */
	perf->hotplug.drain = config->unwind || !config->processes ? &perf->drain : NULL;
	source->buffer_words = PERF_WORDS_MOST;
	source->syncs_all = true;
	source->cpu_mhz = machine_cpu_mhz();
	source->is_live = true;
	source->rate = op_perf_rate(config->events);
	snprintf(source->cpu_type, sizeof(source->cpu_type), "%s", config->events->cpu_type);
	perf->samples.counters = &perf->counters;
	perf->samples.processes = &perf->processes;
	perf->samples.words = &perf->words;
	perf->samples.code = &perf->code;
	perf->samples.copies = &perf->copies;
	perf->samples.counts = &perf->chains;
	perf->attr = perf_live_attr(config->callgraph, config->unwind ? PERF_UNWIND_REGISTERS : 0);
	if (op_perf_adapts(config->events))
		perf->attr.sample_type |= PERF_SAMPLE_PERIOD;
	perf->samples.chain = config->callgraph;
	perf_processes_init(&perf->processes);
	perf_code_init(&perf->code);
	if (open_all(perf, config, error)) {
		source_close(source);
		return NULL;
	}
	return source;
}
