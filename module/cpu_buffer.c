// SPDX-License-Identifier: GPL-2.0-only
/*
 * The buffers of the CPUs, written in NMI.
 *
 * Pairs of accesses (the left one is ordered before the right one):
 *
 *	producer (NMI on the buffer's CPU)	consumer (worker, any CPU)
 *	log:A  write words of the record
 *	log:B  store-release head	-->	head:A load-acquire head
 *						read:A read words of the record
 *	log:C  load-acquire tail	<--	release:A store-release tail
 *	log:A  write words over it
 *	allocate:A  store-release buffer -->	open:A load-acquire buffer
 *
 * log:B with head:A: a reader that sees the new head sees the whole record, with its callers.
 * release:A with log:C: a place is written again only after it has been read.
 * allocate:A (in process context, when a CPU comes online) with open:A: a reader that sees a
 * buffer sees it empty, with its size.
 *
 * A producer that is itself interrupted by a producer (an NMI in a hard interrupt) would
 * break the single-producer rule: the inner one sees op_cpu_buffer::logging and gives up,
 * counted as lost_nested.  It is the same CPU, so plain accesses in program order do.
 */
#include <linux/cpu.h>
#include <linux/kprobes.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "backend.h"
#include "cpu_buffer.h"
#include "current.h"
#include "images/marks.h"
#include "kick.h"
#include "published.h"
#include "uapi/oprofile.h"

/**
 * struct op_cpu_buffer - one CPU's
 * @head: where the next record is published; counts words, wraps as unsigned long
 * @pid, @tgid, @mm, @exec_id: the last context that was logged; @mm is compared, never followed:
 *	exec may put another address space in its place, which changes @exec_id; NO_CONTEXT: none
 *	was
 * @mark_period: in which the last context's address space was marked, see marks.h
 * @logging: a producer is at work
 * @tail: where the oldest record begins
 * @marked: up to where it was published when op_cpu_buffers_mark() was called
 * @mask: words - 1
 * @most_used: words that may be in use when a record of any kind is to fit
 * @words: the ring
 */
struct op_cpu_buffer {
	/* the producer's */
	unsigned long head;
	u32 pid;
	u32 tgid;
	const struct mm_struct *mm;
	u64 exec_id;
	unsigned int mark_period;
	bool logging;

	/* the consumer's */
	unsigned long tail ____cacheline_aligned;
	unsigned long marked;

	/* constant */
	unsigned long mask ____cacheline_aligned;
	unsigned long most_used;
	u64 words[];
};

#define NO_CONTEXT ((const struct mm_struct *)-1UL)

/*
 * Lifetime: a buffer is allocated in process context before its CPU's first sample and freed
 * by op_cpu_buffers_tear_down(), when the backend has stopped for good.  It outlives its CPU.
 */
static DEFINE_PER_CPU(struct op_cpu_buffer *, cpu_buffer);
static DEFINE_PER_CPU(struct op_cpu_stats, cpu_stats);
static unsigned long buffer_entries;
static u8 backtrace_depth;
static unsigned long throttled_said; /* of op_cpu_stats_watch() */

static void put_word(struct op_cpu_buffer *buffer, unsigned long position, u64 word)
{
	buffer->words[position & buffer->mask] = word;
}

static struct op_record_header *header_at(struct op_cpu_buffer *buffer, unsigned long position)
{
	return (struct op_record_header *)&buffer->words[position & buffer->mask];
}

static __always_inline bool in_last_context(const struct op_cpu_buffer *buffer)
{
	return buffer->pid == op_current(pid) && buffer->mm == op_current(mm) &&
	       buffer->tgid == op_current(tgid) && buffer->exec_id == op_current(self_exec_id);
}

/* Who lends a child of vfork() its address space, which is not to be found by the child later. */
static u32 lender(void)
{
	const struct task_struct *parent;
	u32 tgid = 0;

	if (!op_current(vfork_done))
		return 0;
	rcu_read_lock();
	/* A parent that ends gives its children to another one, on any CPU: either will do. */
	parent = data_race(rcu_dereference(current->real_parent));
	if (parent)
		tgid = parent->tgid;
	rcu_read_unlock();
	return tgid;
}

static unsigned long log_context(struct op_cpu_buffer *buffer, unsigned long position)
{
	u8 kind = OP_RECORD_CONTEXT;
	const struct mm_struct *mm = op_current(mm);

	buffer->pid = op_current(pid);
	buffer->tgid = op_current(tgid);
	buffer->mm = mm;
	buffer->exec_id = op_current(self_exec_id);

	if (op_current(flags) & PF_KTHREAD) {
		kind |= OP_CONTEXT_KERNEL_THREAD;
		mm = NULL; /* it may have borrowed an address space, which is not what it runs in */
	}

	*header_at(buffer, position) = (struct op_record_header){
		.epoch = op_epoch_now(),
		.kind = kind,
	};
	put_word(buffer, position + 1, (u64)buffer->tgid << 32 | buffer->pid);
	put_word(buffer, position + 2, (unsigned long)mm);
	put_word(buffer, position + 3, buffer->exec_id << 32 | (mm ? lender() : 0));
	return position + OP_CONTEXT_WORDS;
}

/*
 * If this is another task or another period: marks the address space, before its epoch is read
 * (see marks.c, mark:A), and logs what has changed.  Returns the position behind it.
 */
static unsigned long begin_context(struct op_cpu_buffer *buffer, unsigned long position)
{
	unsigned int period = op_mark_period_now();
	bool change = !in_last_context(buffer);
	const struct mm_struct *mm = op_current(mm);

	if ((change || buffer->mark_period != period) && mm)
		op_mark_sampled(mm, period);
	buffer->mark_period = period;
	return change ? log_context(buffer, position) : position;
}

/* The callers go behind @position and into @header.  Returns the position behind them. */
static unsigned long log_callers(struct op_cpu_buffer *buffer, unsigned long position,
				 struct pt_regs *regs, struct op_record_header *header)
{
	struct op_frames frames = {
		.words = buffer->words,
		.mask = buffer->mask,
		.position = position,
		.depth = backtrace_depth,
	};

	op_backend()->backtrace(regs, &frames);
	if (frames.aborted)
		__this_cpu_inc(cpu_stats.backtrace_aborted);
	__this_cpu_inc(cpu_stats.chains[frames.end]);
	header->kind |= OP_SAMPLE_TRACED;
	header->nr_callers = frames.nr;
	header->nr_kernel_callers = frames.nr_kernel;
	return position + frames.nr;
}

/* Is a sample all there is to log? */
static bool plain(const struct op_cpu_buffer *buffer)
{
	return !backtrace_depth && in_last_context(buffer) &&
	       buffer->mark_period == op_mark_period_now();
}

/* @weight: 0 for the event's period */
static __always_inline void log_interrupt(struct op_cpu_buffer *buffer, struct pt_regs *regs,
					  u8 event, u64 weight, bool is_plain)
{
	unsigned long position, used;
	struct op_record_header *header;

	WRITE_ONCE(buffer->logging, true);
	barrier();
	position = buffer->head;
	used = position - smp_load_acquire(&buffer->tail); /* log:C */

	if (used > buffer->most_used) {
		__this_cpu_inc(cpu_stats.lost_overflow);
	} else {
		/* log:A */
		if (!is_plain)
			position = begin_context(buffer, position);
		header = header_at(buffer, position);
		*header = (struct op_record_header){
			.epoch = op_epoch_now(),
			.event = event,
			.kind = user_mode(regs) ? OP_RECORD_SAMPLE :
						  OP_RECORD_SAMPLE | OP_SAMPLE_KERNEL,
		};
		put_word(buffer, position + 1, instruction_pointer(regs));
		position += OP_SAMPLE_WORDS;
		if (!is_plain && weight) {
			header->kind |= OP_SAMPLE_WEIGHTED;
			put_word(buffer, position++, weight);
		}
		if (!is_plain && backtrace_depth)
			position = log_callers(buffer, position, regs, header);
		smp_store_release(&buffer->head, position); /* log:B */
	}
	barrier();
	WRITE_ONCE(buffer->logging, false);

	if (used > buffer->mask / 2)
		op_sync_kick();
}

static noinline void log_at_length(struct op_cpu_buffer *buffer, struct pt_regs *regs, u8 event,
				   u64 weight)
{
	log_interrupt(buffer, regs, event, weight, false);
}

NOKPROBE_SYMBOL(log_at_length);

static noinline void refuse_sample(const struct op_cpu_buffer *buffer)
{
	if (!buffer) /* no memory for one when this CPU came online */
		__this_cpu_inc(cpu_stats.lost_overflow);
	else if (buffer->logging)
		__this_cpu_inc(cpu_stats.lost_nested);
	else
		__this_cpu_inc(cpu_stats.invalid_eip);
}

NOKPROBE_SYMBOL(refuse_sample);

/* Most samples are plain: for them everything is inline, and no register is saved. */
void oprofile_add_sample(struct pt_regs *regs, u8 event)
{
	struct op_cpu_buffer *buffer = __this_cpu_read(cpu_buffer);

	__this_cpu_inc(cpu_stats.received);
	if (!buffer || buffer->logging || instruction_pointer(regs) == OPROFILE_ESCAPE_CODE)
		refuse_sample(buffer);
	else if (plain(buffer))
		log_interrupt(buffer, regs, event, 0, true);
	else
		log_at_length(buffer, regs, event, 0);
}

NOKPROBE_SYMBOL(oprofile_add_sample);

void oprofile_add_weighted_sample(struct pt_regs *regs, u8 event, u64 weight)
{
	struct op_cpu_buffer *buffer = __this_cpu_read(cpu_buffer);

	__this_cpu_inc(cpu_stats.received);
	if (!buffer || buffer->logging || instruction_pointer(regs) == OPROFILE_ESCAPE_CODE)
		refuse_sample(buffer);
	else
		log_at_length(buffer, regs, event, min_t(u64, weight, OPROFILE_WEIGHT_MAX));
}

NOKPROBE_SYMBOL(oprofile_add_weighted_sample);

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

void op_cpu_buffers_tear_down(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		kvfree(per_cpu(cpu_buffer, cpu));
		per_cpu(cpu_buffer, cpu) = NULL;
	}
}

int op_cpu_buffer_allocate(unsigned int cpu)
{
	unsigned long nr_words = buffer_entries * OP_ENTRY_WORDS;
	struct op_cpu_buffer *buffer;

	if (per_cpu(cpu_buffer, cpu))
		return 0;

	/* More than there is: fail without the OOM killer. */
	buffer = kvzalloc_node(struct_size(buffer, words, nr_words),
			       GFP_KERNEL | __GFP_RETRY_MAYFAIL | __GFP_NOWARN, cpu_to_node(cpu));
	if (!buffer)
		return -ENOMEM;
	buffer->mm = NO_CONTEXT;
	buffer->mask = nr_words - 1;
	buffer->most_used = nr_words - OP_CONTEXT_WORDS - OP_SAMPLE_WORDS - OP_WEIGHT_WORDS -
			    backtrace_depth;
	/* The consumer, on another CPU, may look for it at any time: op_cpu_reader_open(). */
	smp_store_release(per_cpu_ptr(&cpu_buffer, cpu), buffer); /* allocate:A */
	return 0;
}

void op_cpu_stats_throttled(void)
{
	__this_cpu_inc(cpu_stats.throttled);
}

NOKPROBE_SYMBOL(op_cpu_stats_throttled);

void op_cpu_stats_guest(void)
{
	__this_cpu_inc(cpu_stats.guest);
}

NOKPROBE_SYMBOL(op_cpu_stats_guest);

void op_cpu_stats_watch(void)
{
	unsigned long sum = 0;
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(op_cpu_stats(cpu)->throttled);
	if (sum < throttled_said)
		throttled_said = 0;
	if (!sum || sum < 2 * throttled_said)
		return;
	throttled_said = sum;
	pr_info("samples came too fast: events were throttled %lu times since the start\n", sum);
}

struct op_cpu_stats *op_cpu_stats(unsigned int cpu)
{
	return per_cpu_ptr(&cpu_stats, cpu);
}

NOKPROBE_SYMBOL(op_cpu_stats);

void op_cpu_stats_reset(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		op_published_clear((unsigned long *)op_cpu_stats(cpu),
				   sizeof(struct op_cpu_stats) / sizeof(long));
}

bool op_cpu_reader_open(struct op_cpu_reader *reader, unsigned int cpu)
{
	struct op_cpu_buffer *buffer =
		smp_load_acquire(per_cpu_ptr(&cpu_buffer, cpu)); /* open:A */

	if (!buffer)
		return false;
	reader->buffer = buffer;
	reader->words = buffer->words;
	reader->mask = buffer->mask;
	reader->position = buffer->tail;
	reader->end = smp_load_acquire(&buffer->head); /* head:A */
	return true;
}

void op_cpu_buffers_mark(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		struct op_cpu_buffer *buffer;

		/* Pairs with allocate:A, as open:A does. */
		buffer = smp_load_acquire(per_cpu_ptr(&cpu_buffer, cpu));
		if (buffer)
			WRITE_ONCE(buffer->marked, READ_ONCE(buffer->head)); /* marked:A */
	}
}

void op_cpu_reader_end_at_mark(struct op_cpu_reader *reader)
{
	unsigned long marked = READ_ONCE(reader->buffer->marked); /* end_at_mark:A */

	/* Positions wrap. */
	if ((long)(marked - reader->position) < 0)
		reader->end = reader->position;
	else if ((long)(marked - reader->end) < 0)
		reader->end = marked;
}

void op_cpu_reader_release(const struct op_cpu_reader *reader)
{
	smp_store_release(&reader->buffer->tail, reader->position); /* release:A */
}
