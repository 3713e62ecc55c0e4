// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel's perf events as a source: see source_perf.h.
 *
 * A buffer of words ends early where a process whose anonymous memory is in it is about to
 * change: questions about that memory are asked when the buffer is decoded, and are answered
 * from the tables as they are then.
 */
#include "perf.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/sysmacros.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "libop/perf/threads.h"
#include "libop/session/log.h"
#include "daemon/live/machine.h"
#include "perf_drain.h"
#include "perf_hotplug.h"
#include "perf_merge.h"
#include "perf_process.h"
#include "perf_sample.h"
#include "perf_unwind.h"
#include "perf_words.h"

/* Records are taken this often even if no ring is full enough to wake us. */
#define PERIOD_NS 250000000
/*
 * A record gets its time before it is in the ring.  Those younger than this wait for the next
 * read, so that an older one of another CPU can still come before them.
 */
#define SLACK_NS  10000000
#define SECOND_NS UINT64_C(1000000000)

#define EVENTS_AT_ONCE 64

struct perf_source {
	struct source source;
	struct perf_counters counters;
	struct perf_merge merge;
	struct perf_processes processes;
	struct perf_words words;
	struct perf_layout layout;
	struct machine machine;
	struct perf_samples samples; /* perf_samples::unwind is ours */
	struct perf_drain drain;     /* that unwinding does not keep rings full */
	struct perf_hotplug hotplug; /* if all processes are profiled: events of threads stay */
	int timer, more;     /* descriptors; @more is readable while there is more to read */
	uint64_t sync_until; /* a sync is under way: reads take no younger records; else 0 */
	uint64_t bad;	     /* records that made no sense */
	pid_t *target;	     /* the processes to profile; NULL: all */
	size_t targets;
	bool on_exec;
	uint64_t missed_until; /* until then records of processes may have been missed; else 0 */
	uint64_t taken_until;  /* all records that are older were taken */
	bool has_run;
	bool running; /* from source_run() to source_run() */
};

static struct perf_source *perf_of(struct source *source)
{
	return (struct perf_source *)source; /* its first member */
}

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * SECOND_NS + (uint64_t)time.tv_nsec;
}

/* ---- records ---- */

static void take_map(struct perf_source *perf, const struct perf_record *record)
{
	const struct perf_file file = {
		.path = record->map.name,
		.device = record->map.build_id_size ? 0
						    : makedev(record->map.major, record->map.minor),
		.inode = record->map.inode,
		.generation = record->map.generation,
		.build_id_size = record->map.build_id_size,
		.build_id = record->map.build_id,
	};

	if (record->map.length > UINT64_MAX - record->map.start)
		return;
	perf_process_map(&perf->processes, record->pid, record->map.start,
			 record->map.start + record->map.length, record->map.offset, &file);
}

static void take_lost(struct perf_source *perf, struct perf_cpu *cpu, uint64_t records)
{
	cpu->lost += records;
	perf_processes_lost(&perf->processes);
}

static void take(struct perf_source *perf, struct perf_cpu *cpu, const struct perf_record *record)
{
	struct perf_processes *processes = &perf->processes;

	if (log_topics & LOG_MISC)
		perf_record_log(record);
	switch (record->kind) {
	case PERF_KIND_SAMPLE:
		cpu->samples++;
		perf_sample_take(&perf->samples, record);
		break;
	case PERF_KIND_MAP:
		take_map(perf, record);
		break;
	case PERF_KIND_EXEC:
		perf_process_exec(processes, record->pid);
		break;
	case PERF_KIND_FORK:
		perf_process_fork(processes, record->pid, record->task.parent_pid);
		break;
	case PERF_KIND_EXIT:
		perf_process_exit(processes, record->pid);
		break;
	case PERF_KIND_NAMESPACE:
		perf_process_namespace(processes, record->pid, record->namespaces.mount);
		break;
	case PERF_KIND_LOST:
		take_lost(perf, cpu, record->lost.records);
		break;
	case PERF_KIND_THROTTLE:
		cpu->throttled++;
		break;
	case PERF_KIND_OTHER:
		break;
	}
}

/* Whether the record has to wait for the next buffer: see the head of this file. */
static bool has_to_wait(const struct perf_source *perf, const struct perf_record *record)
{
	const struct perf_process *process;

	if (record->kind == PERF_KIND_SAMPLE)
		return !perf_sample_fits(&perf->samples, record);
	if (record->kind != PERF_KIND_MAP && record->kind != PERF_KIND_EXEC &&
	    record->kind != PERF_KIND_FORK)
		return false;
	process = perf_process_find(&perf->processes, record->pid);
	return process && process->told == perf->processes.round;
}

/* ---- reading ---- */

/* Descriptors of events whose tasks have all ended would be ready for ever. */
static void take_readiness(struct perf_source *perf)
{
	struct epoll_event event[EVENTS_AT_ONCE];
	uint64_t times;
	int n = epoll_wait(perf->source.fd, event, EVENTS_AT_ONCE, 0);

	for (int i = 0; i < n; i++) {
		int fd = event[i].data.fd;

		/* a socket that lost messages has an error, too */
		if (fd != perf->timer && fd != perf->more && fd != perf->hotplug.uevents &&
		    event[i].events & (EPOLLHUP | EPOLLERR))
			epoll_ctl(perf->source.fd, EPOLL_CTL_DEL, fd, NULL);
	}
	/* they are read until they are empty, which is no error */
	if (read(perf->timer, &times, sizeof(times)) < 0 ||
	    (perf->samples.unwind && read(perf->drain.filled, &times, sizeof(times)) < 0) ||
	    read(perf->more, &times, sizeof(times)))
		return;
}

/* CPUs that have gone or come.  Nothing of the counters is held between reads. */
static void take_hotplug(struct perf_source *perf)
{
	if (!perf->target &&
	    (perf_hotplug_follow(&perf->hotplug, now()) | perf_hotplug_close_done(&perf->hotplug)))
		perf->missed_until = now();
}

/*
 * What is known of processes is doubted until all records are taken that are older than the gap,
 * and once more: they may begin what the missed ones went on with.
 */
static void doubt_missed(struct perf_source *perf)
{
	if (!perf->missed_until)
		return;
	perf_processes_lost(&perf->processes);
	if (perf->taken_until >= perf->missed_until)
		perf->missed_until = 0;
}

/* Return: whether there is more to take than fits into the buffer. */
static bool take_records(struct perf_source *perf, uint64_t until)
{
	struct perf_record record;
	struct perf_cpu *cpu;
	const void *bytes;
	size_t size;

	perf_merge_begin(&perf->merge, &perf->counters);
	while ((cpu = perf_merge_next(&perf->merge, until, &bytes, &size))) {
		if (perf_record_parse(bytes, size, &perf->layout, &record)) {
			perf->bad++;
		} else {
			if (has_to_wait(perf, &record))
				return true;
			take(perf, cpu, &record);
		}
		perf_merge_pass(&perf->merge, size);
	}
	return false;
}

static int perf_read(struct source *source, const uint64_t **words, size_t *count,
		     struct op_error *error)
{
	struct perf_source *perf = perf_of(source);
	static const uint64_t one = 1;
	uint64_t until;
	bool more;

	take_readiness(perf);
	take_hotplug(perf);
	until = perf->sync_until ? perf->sync_until : now() - SLACK_NS;
	perf_processes_next_round(&perf->processes, until);
	perf_words_begin(&perf->words);
	doubt_missed(perf);
	more = take_records(perf, until);
	if (!more)
		perf->taken_until = until;
	if (more && write(perf->more, &one, sizeof(one)) < 0)
		return op_error_set(error, errno, "cannot go on: %s", strerror(errno));
	for (size_t i = 0; i < perf->counters.cpus; i++) {
		if (perf->counters.cpu[i].ring.page)
			perf_ring_release(&perf->counters.cpu[i].ring);
	}
	*words = perf->words.word;
	*count = perf->words.count;
	if (!*count)
		perf->sync_until = 0;
	return 0;
}

static int perf_sync(struct source *source, struct op_error *error)
{
	(void)error;
	perf_of(source)->sync_until = now();
	return 0;
}

/* ---- answers ---- */

static int perf_image(struct source *source, uint64_t cookie, struct image_facts *facts)
{
	return perf_image_facts(&perf_of(source)->processes.images, cookie, facts);
}

static char *perf_maps(struct source *source, uint32_t tgid)
{
	const struct perf_process *process = perf_process_find(&perf_of(source)->processes, tgid);

	return process ? perf_process_anon_text(process) : NULL;
}

static uint64_t perf_process(struct source *source, uint32_t tgid)
{
	const struct perf_process *process = perf_process_find(&perf_of(source)->processes, tgid);

	return process ? process->number : 0;
}

static char *perf_modules(struct source *source)
{
	return machine_modules(&perf_of(source)->machine);
}

static char *perf_kallsyms(struct source *source)
{
	return machine_kallsyms(&perf_of(source)->machine);
}

/* The numbers of a CPU, if its first ring is this: it has another when it was away. */
static void put_numbers(const struct perf_counters *counters, size_t first, FILE *out)
{
	struct perf_cpu sum = {.cpu = counters->cpu[first].cpu};

	for (size_t i = 0; i < counters->cpus; i++) {
		const struct perf_cpu *cpu = &counters->cpu[i];

		if (cpu->cpu != sum.cpu)
			continue;
		if (i < first)
			return;
		sum.samples += cpu->samples;
		sum.lost += cpu->lost;
		sum.throttled += cpu->throttled;
	}
	fprintf(out,
		"cpu%d/sample_received %" PRIu64 "\ncpu%d/sample_lost_overflow %" PRIu64
		"\ncpu%d/throttled %" PRIu64 "\n",
		sum.cpu, sum.samples + sum.lost, sum.cpu, sum.lost, sum.cpu, sum.throttled);
}

static char *perf_stats(struct source *source)
{
	const struct perf_counters *counters = &perf_of(source)->counters;
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	uint64_t bad = perf_of(source)->bad;

	if (!out)
		return NULL;
	for (size_t i = 0; i < counters->cpus; i++) {
		bad += counters->cpu[i].broken + perf_ring_broken(&counters->cpu[i].ring);
		put_numbers(counters, i, out);
	}
	fprintf(out, "bad_perf_records %" PRIu64 "\n", bad);
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

struct source_perf_losses source_perf_losses(const struct source *source)
{
	const struct perf_counters *counters = &((const struct perf_source *)source)->counters;
	struct source_perf_losses losses = {0};

	for (size_t i = 0; i < counters->cpus; i++) {
		losses.received += counters->cpu[i].samples;
		losses.lost += counters->cpu[i].lost;
		losses.throttled += counters->cpu[i].throttled;
	}
	return losses;
}

static int read_processes(struct perf_source *perf)
{
	perf_processes_next_round(&perf->processes, now());
	/* while nothing was counted, nothing was told */
	perf_processes_lost(&perf->processes);
	if (!perf->target)
		return perf_processes_read_all(&perf->processes);
	for (size_t i = 0; i < perf->targets; i++) {
		if (!perf_process_get(&perf->processes, (uint32_t)perf->target[i]))
			return -1;
	}
	return 0;
}

static int perf_run(struct source *source, bool on, struct op_error *error)
{
	struct perf_source *perf = perf_of(source);

	if (!on) {
		perf_counters_disable(&perf->counters);
		perf->running = perf->hotplug.running = false;
		return 0;
	}
	if (perf->on_exec) {
		perf->running = true;
		return 0;
	}
	/*
	 * Processes that are there already are looked at before records come, for those that end
	 * soon, and again after: what is mapped meanwhile is told by both, and nothing by neither.
	 */
	if (read_processes(perf))
		return op_error_set(error, ENOMEM, "out of memory");
	if (!perf->target && perf->has_run)
		perf_hotplug_restart(&perf->hotplug);
	if (perf_counters_enable(&perf->counters, error))
		return -1;
	perf->running = perf->has_run = perf->hotplug.running = true;
	return read_processes(perf) ? op_error_set(error, ENOMEM, "out of memory") : 0;
}

static bool perf_running(struct source *source)
{
	return perf_of(source)->running;
}

static void perf_close(struct source *source)
{
	struct perf_source *perf = perf_of(source);

	perf_drain_stop(&perf->drain);
	perf_hotplug_close(&perf->hotplug);
	perf_counters_close(&perf->counters);
	perf_merge_free(&perf->merge);
	perf_unwind_free(perf->samples.unwind);
	perf_processes_free(&perf->processes);
	if (perf->timer >= 0)
		close(perf->timer);
	if (perf->more >= 0)
		close(perf->more);
	if (source->fd >= 0)
		close(source->fd);
	free(source->events);
	free(perf->target);
	free(perf);
}

static const struct source_ops perf_ops = {
	.read = perf_read,
	.sync = perf_sync,
	.run = perf_run,
	.running = perf_running,
	.image = perf_image,
	.maps = perf_maps,
	.process = perf_process,
	.modules = perf_modules,
	.kallsyms = perf_kallsyms,
	.stats = perf_stats,
	.close = perf_close,
};

/* ---- opening ---- */

static int wait_for(const struct perf_source *perf, int fd)
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
	       !timerfd_settime(perf->timer, 0, &period, NULL) && !wait_for(perf, perf->timer) &&
	       !wait_for(perf, perf->more);
	if (perf->samples.unwind)
		good = good && !wait_for(perf, perf->drain.filled);
	if (perf->hotplug.uevents >= 0)
		good = good && !wait_for(perf, perf->hotplug.uevents);
	for (size_t i = 0; good && !perf->samples.unwind && i < perf->counters.cpus; i++)
		good = !wait_for(perf, perf->counters.cpu[i].fd);
	if (!good)
		return op_error_set(error, errno, "cannot wait for samples: %s", strerror(errno));
	perf->hotplug.epoll = perf->source.fd;
	return 0;
}

/* What the kernel takes for a call chain at most. */
static unsigned int depth_of(unsigned int wanted)
{
	unsigned int most = (unsigned int)op_perf_setting("perf_event_max_stack", 127);

	return wanted < most ? wanted : most;
}

static int open_counters(struct perf_source *perf, const struct source_perf_config *config,
			 struct op_error *error)
{
	struct perf_counters_config counters = {
		.events = config->events,
		.target.on_exec = config->on_exec,
		.target.ends = config->ends,
		.layout = perf->layout,
		.depth = depth_of(config->callgraph),
		.stack = PERF_UNWIND_STACK,
	};
	pid_t *threads;
	int result;

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

static int take_targets(struct perf_source *perf, const struct source_perf_config *config,
			struct op_error *error)
{
	perf->on_exec = config->on_exec;
	if (!config->processes)
		return 0;
	perf->target = calloc(config->count + 1, sizeof(*perf->target));
	if (!perf->target)
		return op_error_set(error, ENOMEM, "out of memory");
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
	if (config->unwind && !(perf->samples.unwind = perf_unwind_new()))
		return op_error_set(error, ENOMEM, "out of memory");
	if (take_targets(perf, config, error) || open_counters(perf, config, error) ||
	    (perf->samples.unwind && perf_drain_start(&perf->drain, &perf->counters, error)) ||
	    open_descriptors(perf, error))
		return -1;
	perf->source.events = op_perf_format(config->events);
	if (!perf->source.events || perf_merge_reserve(&perf->merge, perf->counters.cpus))
		return op_error_set(error, ENOMEM, "out of memory");
	return 0;
}

struct source *source_perf_open(const struct source_perf_config *config, struct op_error *error)
{
	struct perf_source *perf = calloc(1, sizeof(*perf));
	struct source *source;

	if (!perf) {
		op_error_set(error, ENOMEM, "out of memory");
		return NULL;
	}
	source = &perf->source;
	source->ops = &perf_ops;
	source->name = "perf";
	source->fd = perf->timer = perf->more = perf->hotplug.uevents = -1;
	perf->hotplug.counters = &perf->counters;
	perf->hotplug.merge = &perf->merge;
	perf->hotplug.drain = config->unwind ? &perf->drain : NULL;
	source->buffer_words = PERF_WORDS_MOST;
	source->syncs_all = true;
	source->cpu_mhz = machine_cpu_mhz();
	snprintf(source->cpu_type, sizeof(source->cpu_type), "%s", config->events->cpu_type);
	perf->samples.counters = &perf->counters;
	perf->samples.processes = &perf->processes;
	perf->samples.words = &perf->words;
	perf->samples.layout = &perf->layout;
	perf->layout.chain = config->callgraph;
	if (config->unwind)
		perf->layout.user_registers = PERF_UNWIND_REGISTERS;
	perf_processes_init(&perf->processes);
	if (open_all(perf, config, error)) {
		source_close(source);
		return NULL;
	}
	return source;
}
