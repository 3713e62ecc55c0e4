// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Samples of perf events as words: see sample.h.
 */
#include "sample.h"

#include "libop/events/spec.h"
#include "libop/perf/chain.h"
#include "libop/perf/copies.h"
#include "module/uapi/oprofile.h"
#include "resolve.h"

/* Most callers of a sample; the kernel's limit is 127 unless it was raised. */
#define FRAMES_MOST 4096

static void write_mapped(const struct perf_samples *samples, struct perf_process *process,
			 const struct space_mapping *mapping, uint64_t address, uint64_t counter)
{
	if (mapping->image == OPROFILE_NO_COOKIE) {
		process->anon_round = samples->processes->round;
		perf_words_user(samples->words, OPROFILE_NO_COOKIE, address, counter);
	} else {
		perf_words_user(samples->words, mapping->image,
				address - mapping->start + mapping->offset, counter);
	}
}

/* An address at which user code was executed; one outside all mappings is written as such. */
static void write_user(const struct perf_samples *samples, struct perf_process *process,
		       uint64_t address, uint64_t counter)
{
	const struct space_mapping *mapping =
		process ? perf_process_where(samples->processes, process, address) : NULL;

	if (mapping)
		write_mapped(samples, process, mapping, address, counter);
	else
		perf_words_user(samples->words, OPROFILE_INVALID_COOKIE, address, counter);
}

/*
 * A caller in user code.  In code without frame pointers, chains lead to any value that is on the
 * stack.  Where one is no address of code, the chain is broken: that is written as a frame at 0,
 * which is the same for all of them, and nothing behind it is believed.
 *
 * Return: whether the chain goes on.
 */
static bool write_caller(const struct perf_samples *samples, struct perf_process *process,
			 uint64_t address)
{
	const struct space_mapping *mapping = process ? perf_process_known(process, address) : NULL;

	if (mapping)
		write_mapped(samples, process, mapping, address, 0);
	else
		perf_words_user(samples->words, OPROFILE_INVALID_COOKIE, 0, 0);
	return mapping;
}

/* Whether kernel code was sampled.  The kernel says so, but for some software events. */
static bool is_kernel(uint16_t misc, uint64_t ip)
{
	switch (misc & PERF_RECORD_MISC_CPUMODE_MASK) {
	case PERF_RECORD_MISC_KERNEL:
	case PERF_RECORD_MISC_GUEST_KERNEL:
	case PERF_RECORD_MISC_HYPERVISOR:
		return true;
	case PERF_RECORD_MISC_USER:
	case PERF_RECORD_MISC_GUEST_USER:
		return false;
	default:
		return ip >> 63;
	}
}

static size_t frames_of(const struct perf_live_record *record)
{
	return record->sample.chain_size < FRAMES_MOST ? record->sample.chain_size : FRAMES_MOST;
}

/* A marker among the frames: what the frames behind it are.  Return: whether they are known. */
static bool read_marker(uint64_t marker, bool *kernel)
{
	*kernel = marker == PERF_CONTEXT_KERNEL;
	return *kernel || marker == PERF_CONTEXT_USER;
}

/*
 * The callers, behind the sampled address itself, which the kernel puts first.  Behind kernel
 * code comes the address at which user code went there.  Those in user code are left out if it is
 * unwound.
 */
static void write_callers(const struct perf_samples *samples, struct perf_process *process,
			  const struct perf_live_record *record, bool kernel)
{
	size_t frames = frames_of(record);
	bool first = true, entered = false;

	for (size_t i = 0; i < frames; i++) {
		uint64_t address = perf_chain_at(&record->sample, i);

		if (address >= PERF_CONTEXT_MAX) {
			bool before = kernel;

			if (!read_marker(address, &kernel) || (samples->unwind && !kernel))
				return;
			entered = before && !kernel;
			continue;
		}
		if (first && address == record->sample.ip) {
			first = false;
			continue;
		}
		first = false;
		if (kernel)
			perf_words_kernel(samples->words, address, 0);
		else if (entered)
			write_user(samples, process, address, 0);
		else if (!write_caller(samples, process, address))
			return;
		entered = false;
	}
}

/* Counts whether unwinding led to the start, and what it needed of the stack for that. */
static void count_chain(const struct perf_samples *samples, const struct perf_user_state *user,
			bool is_whole)
{
	const struct perf_unwind_end *end = perf_unwind_last(samples->unwind);
	bool is_cut = end->is_cut && !is_whole;

	samples->counts->user++;
	samples->counts->early += !is_whole;
	samples->counts->cut += is_cut;
	perf_copies_take(samples->copies, is_cut ? user->size + 1 : end->used);
}

/*
 * User code and its callers, by unwinding, and by frame pointers behind that.  Of a user sample,
 * the first is written already.
 */
static void write_unwound(const struct perf_samples *samples, struct perf_process *process,
			  const struct perf_live_record *record, bool kernel)
{
	const struct perf_user_state *user = &record->sample.user;
	uint64_t frame[PERF_UNWIND_FRAMES_MOST], by_fp[PERF_UNWIND_FRAMES_MOST];
	size_t unwound, count;
	bool is_whole;

	if (!process || (kernel && !user->abi))
		return; /* of a thread of the kernel */
	unwound = perf_unwind_chain(samples->unwind, samples->code, samples->processes, process,
				    user, frame);
	is_whole = perf_unwind_last(samples->unwind)->is_start;
	count = unwound;
	if (!is_whole)
		count = perf_chain_join(frame, unwound, by_fp,
					perf_chain_by_fp(&record->sample, by_fp));
	if (count > unwound)
		is_whole = perf_unwind_starts(samples->unwind, samples->processes, process,
					      frame[count - 1]);
	count_chain(samples, user, is_whole);
	if (kernel && count)
		write_user(samples, process, frame[0], 0);
	for (size_t i = 1; i < count; i++) {
		if (!write_caller(samples, process, frame[i]))
			return;
	}
}

bool perf_sample_fits(const struct perf_samples *samples, const struct perf_live_record *record)
{
	return perf_words_have_room(samples->words, frames_of(record) + PERF_UNWIND_FRAMES_MOST);
}

int perf_sample_write(const struct perf_samples *samples, const struct perf_live_record *record)
{
	const struct perf_ids *ids = &record->sample.ids;
	int event = perf_counters_event(samples->counters, ids->id);
	/* a counter that has no event is counted as such */
	uint64_t counter = perf_words_sample(event < 0 ? OP_COUNTERS_MAX : (uint32_t)event,
					     record->sample.period);
	bool kernel = is_kernel(record->misc, record->sample.ip);
	bool named = ids->pid <= INT32_MAX && ids->tid <= INT32_MAX; /* else: it has ended */
	struct perf_process *process =
		named ? perf_process_get(samples->processes, ids->pid) : NULL;

	perf_words_cpu(samples->words, ids->cpu);
	perf_words_task(samples->words, named ? ids->pid : 0, named ? ids->tid : 0,
			process ? process->task.app : OPROFILE_NO_COOKIE);
	if (samples->chain)
		perf_words_trace(samples->words);
	if (kernel)
		perf_words_kernel(samples->words, record->sample.ip, counter);
	else
		write_user(samples, process, record->sample.ip, counter);
	if (samples->chain)
		write_callers(samples, process, record, kernel);
	if (samples->unwind)
		write_unwound(samples, process, record, kernel);
	return event;
}
