// SPDX-License-Identifier: GPL-2.0-only
/*
 * The buffers of the CPUs, written in NMI.
 *
 * Pairs of accesses (the left one is ordered before the right one):
 *
 *	producer (NMI on the buffer's CPU)	consumer (worker, any CPU)
 *	log:A  write words of the record
 *	log:B  store-release head	-->	head:A load-acquire head
 *						peek:A read words of the record
 *	log:C  load-acquire tail	<--	advance:A store-release tail
 *	log:A  write words over it
 *
 * log:B with head:A: who sees the new head sees the whole record, with its callers.
 * advance:A with log:C: a place is written again only after it has been read.
 *
 * A producer that is itself interrupted by a producer (an NMI in a hard interrupt) would
 * break the single-producer rule: the inner one sees op_cpu_buffer::logging and gives up,
 * counted as lost_nested.  It is the same CPU, so plain accesses in program order do.
 */
#include <linux/cpu.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "backend.h"
#include "cpu_buffer.h"
#include "sync.h"
#include "unmapped.h"
#include "uapi/oprofile.h"

#define CONTEXT_WORDS 3

/**
 * struct op_cpu_buffer - one CPU's
 * @head: where the next record is published; counts words, wraps as unsigned long
 * @pid, @tgid, @mm: the last context that was logged; @mm is compared, never followed: the
 *	reference belongs to the record
 * @context_logged: there is a last context
 * @logging: a producer is at work
 * @tail: where the oldest record begins
 * @mask: words - 1
 * @words: the ring
 */
struct op_cpu_buffer {
	/* the producer's */
	unsigned long head;
	u32 pid;
	u32 tgid;
	struct mm_struct *mm;
	bool context_logged;
	bool logging;

	/* the consumer's */
	unsigned long tail ____cacheline_aligned;

	/* constant */
	unsigned long mask ____cacheline_aligned;
	u64 words[];
};

/*
 * Lifetime: a buffer is allocated in process context before its CPU's first sample and freed
 * by op_cpu_buffers_tear_down(), when the backend has stopped for good.  It outlives its CPU.
 */
static DEFINE_PER_CPU(struct op_cpu_buffer *, cpu_buffer);
static DEFINE_PER_CPU(struct op_cpu_stats, cpu_stats);
static unsigned long buffer_entries;
static u8 backtrace_depth;

static void put_word(struct op_cpu_buffer *buffer, unsigned long position, u64 word)
{
	buffer->words[position & buffer->mask] = word;
}

static u64 get_word(const struct op_cpu_buffer *buffer, unsigned long position)
{
	return buffer->words[position & buffer->mask];
}

static void put_header(struct op_cpu_buffer *buffer, unsigned long position,
		       struct op_record_header header)
{
	u64 word;

	memcpy(&word, &header, sizeof(word));
	put_word(buffer, position, word);
}

bool op_frames_add(struct op_frames *frames, unsigned long pc, bool kernel)
{
	if (frames->nr >= frames->depth)
		return false;
	if (pc == OPROFILE_ESCAPE_CODE) {
		op_frames_abort(frames);
		return false;
	}
	put_word(frames->buffer, frames->position + frames->nr, pc);
	frames->nr++;
	if (kernel)
		frames->nr_kernel++;
	return frames->nr < frames->depth;
}

void op_frames_abort(struct op_frames *frames)
{
	frames->aborted = true;
}

static bool context_changed(const struct op_cpu_buffer *buffer)
{
	return !buffer->context_logged || buffer->pid != current->pid ||
	       buffer->tgid != current->tgid || buffer->mm != current->mm;
}

/* Returns the position behind the record. */
static unsigned long log_context(struct op_cpu_buffer *buffer, unsigned long position, u32 epoch)
{
	struct op_record_header header = {
		.epoch = epoch,
		.type = OP_RECORD_CONTEXT,
		.flags = current->flags & PF_KTHREAD ? OP_CONTEXT_KERNEL_THREAD : 0,
	};
	/* A kernel thread may have borrowed an address space: it is not the one it runs in. */
	struct mm_struct *mm = current->flags & PF_KTHREAD ? NULL : current->mm;

	/*
	 * Lifetime: current holds its mm, and cannot give it up while it is interrupted here;
	 * from now on so does the record.  op_cpu_buffer_peek()'s caller gets the reference.
	 */
	if (mm)
		mmgrab(mm);

	buffer->pid = current->pid;
	buffer->tgid = current->tgid;
	buffer->mm = current->mm;
	buffer->context_logged = true;

	put_header(buffer, position, header);
	put_word(buffer, position + 1, (u64)current->tgid << 32 | (u32)current->pid);
	put_word(buffer, position + 2, (unsigned long)mm);
	return position + CONTEXT_WORDS;
}

static unsigned long log_sample(struct op_cpu_buffer *buffer, unsigned long position, u32 epoch,
				struct pt_regs *regs, u8 event, struct op_cpu_stats *stats)
{
	struct op_frames frames = {
		.buffer = buffer,
		.position = position + OP_ENTRY_WORDS,
		.depth = backtrace_depth,
	};
	struct op_record_header header = {
		.epoch = epoch,
		.type = OP_RECORD_SAMPLE,
		.flags = user_mode(regs) ? 0 : OP_SAMPLE_KERNEL,
		.event = event,
	};

	put_word(buffer, position + 1, instruction_pointer(regs));
	if (frames.depth) {
		header.flags |= OP_SAMPLE_TRACED;
		op_backend()->backtrace(regs, &frames);
	}
	if (frames.aborted)
		WRITE_ONCE(stats->backtrace_aborted, stats->backtrace_aborted + 1);
	header.nr_callers = frames.nr;
	header.nr_kernel_callers = frames.nr_kernel;
	put_header(buffer, position, header);
	return frames.position + frames.nr;
}

static bool log_interrupt(struct op_cpu_buffer *buffer, struct pt_regs *regs, u8 event,
			  struct op_cpu_stats *stats)
{
	unsigned long need = OP_ENTRY_WORDS + backtrace_depth;
	unsigned long size = buffer->mask + 1;
	bool change = context_changed(buffer);
	unsigned long position = buffer->head;
	unsigned long used;
	u32 epoch;

	used = position - smp_load_acquire(&buffer->tail); /* log:C */
	if (change)
		need += CONTEXT_WORDS;
	if (used + need > size)
		return false;

	/* The address space is marked before its epoch is read: see unmapped.c, mark:A. */
	if (current->mm)
		op_unmapped_mark_sampled(current->mm);
	epoch = op_unmapped_epoch();

	if (change)
		position = log_context(buffer, position, epoch);
	position = log_sample(buffer, position, epoch, regs, event, stats); /* log:A */
	smp_store_release(&buffer->head, position);			    /* log:B */

	if (used + need > size / 2)
		op_sync_kick();
	return true;
}

void oprofile_add_sample(struct pt_regs *regs, u8 event)
{
	struct op_cpu_buffer *buffer = this_cpu_read(cpu_buffer);
	struct op_cpu_stats *stats = this_cpu_ptr(&cpu_stats);

	WRITE_ONCE(stats->received, stats->received + 1);
	if (!buffer) { /* no memory for one when this CPU came online */
		WRITE_ONCE(stats->lost_overflow, stats->lost_overflow + 1);
		return;
	}
	if (buffer->logging) {
		WRITE_ONCE(stats->lost_nested, stats->lost_nested + 1);
		return;
	}
	if (instruction_pointer(regs) == OPROFILE_ESCAPE_CODE) {
		WRITE_ONCE(stats->invalid_eip, stats->invalid_eip + 1);
		return;
	}

	WRITE_ONCE(buffer->logging, true);
	barrier();
	if (!log_interrupt(buffer, regs, event, stats))
		WRITE_ONCE(stats->lost_overflow, stats->lost_overflow + 1);
	barrier();
	WRITE_ONCE(buffer->logging, false);
}

int op_cpu_buffers_set_up(unsigned long entries, u8 depth)
{
	unsigned int cpu;
	int err = 0;

	buffer_entries = roundup_pow_of_two(entries);
	backtrace_depth = depth;

	cpus_read_lock();
	for_each_online_cpu(cpu) {
		err = op_cpu_buffer_allocate(cpu);
		if (err)
			break;
	}
	cpus_read_unlock();
	if (err)
		op_cpu_buffers_tear_down();
	return err;
}

/* Drops the references that records nobody has consumed still hold. */
static void discard_records(unsigned int cpu, struct op_record *record)
{
	unsigned long end = op_cpu_buffer_head(cpu);

	while (op_cpu_buffer_peek(cpu, end, record)) {
		if (record->header.type == OP_RECORD_CONTEXT && record->mm)
			mmdrop(record->mm);
		op_cpu_buffer_advance(cpu, record);
	}
}

void op_cpu_buffers_tear_down(void)
{
	static struct op_record record; /* too large for the stack; the core's mutex is held */
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		struct op_cpu_buffer *buffer = per_cpu(cpu_buffer, cpu);

		if (!buffer)
			continue;
		discard_records(cpu, &record);
		per_cpu(cpu_buffer, cpu) = NULL;
		kvfree(buffer);
	}
}

int op_cpu_buffer_allocate(unsigned int cpu)
{
	unsigned long nr_words = buffer_entries * OP_ENTRY_WORDS;
	struct op_cpu_buffer *buffer;

	if (per_cpu(cpu_buffer, cpu))
		return 0;

	buffer = kvzalloc_node(struct_size(buffer, words, nr_words), GFP_KERNEL, cpu_to_node(cpu));
	if (!buffer)
		return -ENOMEM;
	buffer->mask = nr_words - 1;
	/* The consumer, on another CPU, may look for it at any time: op_cpu_buffer_head(). */
	smp_store_release(per_cpu_ptr(&cpu_buffer, cpu), buffer);
	return 0;
}

void op_cpu_stats_throttled(void)
{
	struct op_cpu_stats *stats = this_cpu_ptr(&cpu_stats);

	WRITE_ONCE(stats->throttled, stats->throttled + 1);
}

struct op_cpu_stats *op_cpu_stats(unsigned int cpu)
{
	return per_cpu_ptr(&cpu_stats, cpu);
}

void op_cpu_stats_reset(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		memset(op_cpu_stats(cpu), 0, sizeof(struct op_cpu_stats));
}

unsigned long op_cpu_buffer_head(unsigned int cpu)
{
	/* Pairs with op_cpu_buffer_allocate(): who sees the buffer sees its mask. */
	struct op_cpu_buffer *buffer = smp_load_acquire(per_cpu_ptr(&cpu_buffer, cpu));

	return buffer ? smp_load_acquire(&buffer->head) : 0; /* head:A */
}

static unsigned long record_words(const struct op_record *record)
{
	if (record->header.type == OP_RECORD_CONTEXT)
		return CONTEXT_WORDS;
	return OP_ENTRY_WORDS + record->header.nr_callers;
}

bool op_cpu_buffer_peek(unsigned int cpu, unsigned long end, struct op_record *record)
{
	const struct op_cpu_buffer *buffer = per_cpu(cpu_buffer, cpu);
	unsigned long position;
	u64 word;
	int i;

	if (!buffer || buffer->tail == end)
		return false;

	position = buffer->tail;
	word = get_word(buffer, position); /* peek:A */
	memcpy(&record->header, &word, sizeof(word));
	if (record->header.type == OP_RECORD_CONTEXT) {
		word = get_word(buffer, position + 1);
		record->pid = lower_32_bits(word);
		record->tgid = upper_32_bits(word);
		record->mm = (struct mm_struct *)(unsigned long)get_word(buffer, position + 2);
	} else {
		record->pc = get_word(buffer, position + 1);
		for (i = 0; i < record->header.nr_callers; i++)
			record->callers[i] = get_word(buffer, position + OP_ENTRY_WORDS + i);
	}
	return true;
}

void op_cpu_buffer_advance(unsigned int cpu, const struct op_record *record)
{
	struct op_cpu_buffer *buffer = per_cpu(cpu_buffer, cpu);

	smp_store_release(&buffer->tail, buffer->tail + record_words(record)); /* advance:A */
}
