// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel's perf events as a source: see perf.h.
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
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "libop/session/log.h"
#include "state.h"

/*
 * A record gets its time before it is in the ring.  Those younger than this wait for the next
 * read, so that an older one of another CPU can still come before them.
 */
#define SLACK_NS  10000000
#define SECOND_NS UINT64_C(1000000000)

#define EVENTS_AT_ONCE 64

#define MOUNT_NAMESPACE 5 /* MNT_NS_INDEX of perf */

static struct perf_source *perf_of(struct source *source)
{
	return (struct perf_source *)source; /* its first member */
}

static uint64_t perf_now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * SECOND_NS + (uint64_t)time.tv_nsec;
}

/* ---- records ---- */

static void apply_mmap(struct perf_source *perf, const struct perf_mmap *mmap)
{
	const struct perf_file file = {
		.path = mmap->path,
		.device = makedev(mmap->major, mmap->minor),
		.inode = mmap->inode,
		.generation = mmap->generation,
		.build_id_size = (uint8_t)mmap->build_id_length,
		.build_id = mmap->build_id,
	};

	if (mmap->length > UINT64_MAX - mmap->start)
		return;
	perf_process_map(&perf->processes, mmap->pid, mmap->start, mmap->start + mmap->length,
			 mmap->offset, &file);
}

static void apply_lost(struct perf_source *perf, struct perf_cpu *cpu, uint64_t records)
{
	cpu->lost += records;
	if (cpu->of_processes)
		perf_processes_lost(&perf->processes);
	else
		perf_copies_lost(&perf->copies, records);
}

static void apply_namespaces(struct perf_source *perf, const struct perf_namespaces *namespaces)
{
	if (namespaces->n > MOUNT_NAMESPACE)
		perf_process_namespace(&perf->processes, namespaces->pid,
				       perf_namespace_at(namespaces, MOUNT_NAMESPACE, false).inode);
}

/* Names of threads that ended are kept until there are too many; /proc has those that run. */
static void set_name(struct perf_source *perf, uint32_t tgid, uint32_t tid, const char *name)
{
	if (op_thread_names_set(&perf->names, tgid, tid, name) >= 0)
		return;
	op_thread_names_free(&perf->names);
	op_thread_names_set(&perf->names, tgid, tid, name);
}

/* A number is another thread's now, which has its parent's name, and no record says so. */
static void forget_name(struct perf_source *perf, const struct perf_task *task)
{
	if (op_thread_names_find(&perf->names, task->pid, task->tid))
		op_thread_names_set(&perf->names, task->pid, task->tid, "");
}

/* The place of the event that a record is of, or -1. */
static int event_of(const struct perf_source *perf, const struct perf_record *record)
{
	return perf_counters_event(&perf->counters, record->ids.id);
}

static void apply(struct perf_source *perf, struct perf_cpu *cpu,
		  const struct perf_live_record *record)
{
	struct perf_processes *processes = &perf->processes;
	const struct perf_record *other = &record->other;

	if (log_topics & LOG_MISC)
		perf_live_log(record);
	switch (record->type) {
	case PERF_RECORD_SAMPLE:
		cpu->samples++;
		perf_times_take(&perf->times, perf_sample_write(&perf->samples, record));
		break;
	case PERF_RECORD_MMAP2:
		apply_mmap(perf, &other->mmap);
		break;
	case PERF_RECORD_COMM:
		if (other->comm.exec)
			perf_process_exec(processes, other->comm.pid);
		set_name(perf, other->comm.pid, other->comm.tid, other->comm.comm);
		break;
	case PERF_RECORD_FORK:
		forget_name(perf, &other->task);
		perf_process_fork(processes, other->task.pid, other->task.parent_pid);
		break;
	case PERF_RECORD_EXIT:
		perf_process_exit(processes, other->task.pid);
		break;
	case PERF_RECORD_NAMESPACES:
		apply_namespaces(perf, &other->namespaces);
		break;
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		apply_lost(perf, cpu, other->lost.count);
		break;
	case PERF_RECORD_KSYMBOL:
		perf->source.kernel_code += perf_programs_apply(&perf->programs, &other->ksymbol);
		break;
	case PERF_RECORD_THROTTLE:
		cpu->throttled++;
		perf_times_pause(&perf->times, cpu->cpu, event_of(perf, other), other->ids.time);
		break;
	case PERF_RECORD_UNTHROTTLE:
		perf_times_resume(&perf->times, cpu->cpu, event_of(perf, other), other->ids.time);
		break;
	default:
		break;
	}
}

/* The process whose mappings a record changes, if it does; else NULL. */
static const struct perf_process *changed_by(const struct perf_source *perf,
					     const struct perf_live_record *record)
{
	switch (record->type) {
	case PERF_RECORD_MMAP2:
		return perf_process_find(&perf->processes, record->other.mmap.pid);
	case PERF_RECORD_FORK:
		return perf_process_find(&perf->processes, record->other.task.pid);
	case PERF_RECORD_COMM:
		if (record->other.comm.exec)
			return perf_process_find(&perf->processes, record->other.comm.pid);
		return NULL;
	default:
		return NULL;
	}
}

/* Whether the record has to wait for the next buffer: see the head of this file. */
static bool has_to_wait(const struct perf_source *perf, const struct perf_live_record *record)
{
	const struct perf_process *process;

	if (record->type == PERF_RECORD_SAMPLE)
		return !perf_sample_fits(&perf->samples, record);
	process = changed_by(perf, record);
	return process && process->anon_round == perf->processes.round;
}

/* ---- reading ---- */

/* Takes back what makes a timer or an eventfd ready.  That there is nothing is no error. */
static void clear_times(int fd)
{
	uint64_t times;

	if (read(fd, &times, sizeof(times)) < 0)
		return;
}

/* Descriptors of events whose tasks have all ended would be ready for ever. */
static void clear_readiness(struct perf_source *perf)
{
	struct epoll_event event[EVENTS_AT_ONCE];
	int n = epoll_wait(perf->source.fd, event, EVENTS_AT_ONCE, 0);

	for (int i = 0; i < n; i++) {
		int fd = event[i].data.fd;

		/* a socket that lost messages has an error, too */
		if (fd != perf->timer && fd != perf->more && fd != perf->hotplug.uevents &&
		    event[i].events & (EPOLLHUP | EPOLLERR))
			epoll_ctl(perf->source.fd, EPOLL_CTL_DEL, fd, NULL);
	}
	/* each, whichever was ready: one that stays so would never let the reader sleep */
	clear_times(perf->timer);
	if (perf->hotplug.drain)
		clear_times(perf->drain.filled);
	clear_times(perf->more);
}

/* CPUs that have gone or come.  Nothing of the counters is held between reads. */
static void follow_hotplug(struct perf_source *perf)
{
	bool changed;

	if (perf->target)
		return;
	changed = perf_hotplug_follow(&perf->hotplug, perf_now());
	if (perf_hotplug_close_done(&perf->hotplug) || changed)
		perf->missed_until = perf_now();
}

/*
 * What is known of processes is doubted until all records older than the gap are applied,
 * and once more: they may begin what the missed ones went on with.
 */
static void doubt_missed(struct perf_source *perf)
{
	if (!perf->missed_until)
		return;
	perf_processes_lost(&perf->processes);
	if (perf->read_until >= perf->missed_until)
		perf->missed_until = 0;
}

/* Return: whether there is more to read than fits into the buffer. */
static bool apply_records(struct perf_source *perf, uint64_t until)
{
	struct perf_live_record record;
	struct perf_cpu *cpu;
	const void *bytes;
	size_t size;

	perf_merge_begin(&perf->merge, &perf->counters);
	while ((cpu = perf_merge_next(&perf->merge, until, &bytes, &size))) {
		if (perf_live_read(&record, &perf->attr, bytes, size)) {
			perf->bad++;
		} else {
			if (has_to_wait(perf, &record))
				return true;
			apply(perf, cpu, &record);
		}
		perf_merge_pass(&perf->merge, size);
	}
	return false;
}

/* Events with the size of copies that the samples so far ask for. */
static int follow_copies(struct perf_source *perf, struct op_error *error)
{
	if (perf->copies.chosen == perf->counters.copy)
		return 0;
	log_verbose(LOG_MISC, "of stacks, %" PRIu32 " bytes are copied",
		    perf->copies.size[perf->copies.chosen]);
	return perf_counters_copy(&perf->counters, perf->copies.chosen, perf->running, error);
}

static int perf_read(struct source *source, const uint64_t **words, size_t *count,
		     struct op_error *error)
{
	struct perf_source *perf = perf_of(source);
	static const uint64_t one = 1;
	uint64_t until;
	bool more;

	clear_readiness(perf);
	follow_hotplug(perf);
	until = perf->sync_until ? perf->sync_until : perf_now() - SLACK_NS;
	perf_processes_next_round(&perf->processes, until);
	perf_words_begin(&perf->words);
	doubt_missed(perf);
	more = apply_records(perf, until);
	if (perf->samples.unwind)
		perf_unwind_rest(perf->samples.unwind);
	if (!more)
		perf->read_until = until;
	if (follow_copies(perf, error))
		return -1;
	if (more && write(perf->more, &one, sizeof(one)) < 0)
		return op_error_errno(error, "cannot signal that there are more records");
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
	perf_of(source)->sync_until = perf_now();
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

	return process ? process->task.number : 0;
}

static char *perf_thread_name(struct source *source, uint32_t tgid, uint32_t tid)
{
	struct perf_source *perf = perf_of(source);
	const char *known = op_thread_names_find(&perf->names, tgid, tid);
	char *name = known ? strdup(known) : op_thread_name_of(tgid, tid);

	if (!known && name)
		set_name(perf, tgid, tid, name);
	return name;
}

static char *perf_modules(struct source *source)
{
	return machine_modules(&perf_of(source)->machine);
}

static char *perf_kallsyms(struct source *source)
{
	struct perf_source *perf = perf_of(source);

	return perf_programs_join(&perf->programs, machine_kallsyms(&perf->machine));
}

/* The numbers of a CPU, if its first ring is this: it has another when it was away. */
static void print_numbers(const struct perf_counters *counters, size_t first, FILE *out)
{
	struct perf_cpu sum = {.cpu = counters->cpu[first].cpu};

	if (counters->cpu[first].of_processes)
		return;

	for (size_t i = 0; i < counters->cpus; i++) {
		const struct perf_cpu *cpu = &counters->cpu[i];

		if (cpu->cpu != sum.cpu || cpu->of_processes)
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
	uint64_t bad = perf_of(source)->bad, lost = 0;

	if (!out)
		return NULL;
	for (size_t i = 0; i < counters->cpus; i++) {
		bad += counters->cpu[i].broken + perf_ring_broken(&counters->cpu[i].ring);
		print_numbers(counters, i, out);
		lost += counters->cpu[i].of_processes ? counters->cpu[i].lost : 0;
	}
	fprintf(out, "bad_perf_records %" PRIu64 "\nlost_process_records %" PRIu64 "\n", bad, lost);
	perf_times_print(&perf_of(source)->times, counters, perf_of(source)->target != NULL, out);
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
		if (counters->cpu[i].of_processes) {
			losses.of_processes += counters->cpu[i].lost;
			continue;
		}
		losses.received += counters->cpu[i].samples;
		losses.lost += counters->cpu[i].lost;
		losses.throttled += counters->cpu[i].throttled;
	}
	return losses;
}

struct source_perf_chains source_perf_chains(const struct source *source)
{
	const struct perf_chain_counts *counts = &((const struct perf_source *)source)->chains;

	return (struct source_perf_chains){counts->user, counts->early, counts->cut};
}

void source_perf_set_use(struct source *source, uint64_t user_ns, uint64_t system_ns)
{
	struct perf_source *perf = (struct perf_source *)source;

	perf->times.user_ns = user_ns;
	perf->times.system_ns = system_ns;
	perf->times.processes = perf->processes.spaces.last_number;
}

size_t source_perf_running(const struct source *source)
{
	const struct perf_source *perf = (const struct perf_source *)source;

	return perf->target ? perf_processes_running(&perf->processes) : 0;
}

struct source_perf_time source_perf_time(const struct source *source, size_t place)
{
	const struct perf_source *perf = (const struct perf_source *)source;
	struct perf_time time =
		perf_times_read(&perf->times, &perf->counters, place, perf->target != NULL);

	return (struct source_perf_time){
		.running_ns = time.running_ns,
		.paused_ns = time.paused_ns,
		.taken = time.taken,
		.unsampled_ns = time.unsampled_ns,
		.missing_ns = time.missing_ns,
	};
}

static int read_processes(struct perf_source *perf)
{
	perf_processes_next_round(&perf->processes, perf_now());
	/* while events were disabled, there were no records */
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
	 * soon, and again after: what is mapped in between is found by both, and nothing is missed.
	 */
	if (read_processes(perf))
		return op_error_memory(error);
	if (!perf->target && perf->has_run)
		perf_hotplug_restart(&perf->hotplug);
	if (perf_counters_enable(&perf->counters, error))
		return -1;
	perf->running = perf->has_run = perf->hotplug.running = true;
	return read_processes(perf) ? op_error_memory(error) : 0;
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
	perf_times_free(&perf->times);
	perf_merge_free(&perf->merge);
	perf_unwind_free(perf->samples.unwind);
	perf_code_free(&perf->code);
	perf_processes_free(&perf->processes);
	perf_programs_free(&perf->programs);
	op_thread_names_free(&perf->names);
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

const struct source_ops perf_source_ops = {
	.read = perf_read,
	.sync = perf_sync,
	.run = perf_run,
	.running = perf_running,
	.image = perf_image,
	.maps = perf_maps,
	.process = perf_process,
	.thread_name = perf_thread_name,
	.modules = perf_modules,
	.kallsyms = perf_kallsyms,
	.stats = perf_stats,
	.close = perf_close,
};
