/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The buffer of one CPU: samples go in from NMI, and out to the event buffer.
 *
 *	    producer: this CPU, in NMI or hard interrupt      consumer: op_sync, in a worker
 *	                         |                                      |
 *	  ... | context | sample, its pc and callers | sample | (free) | ...
 *	      ^tail                                           ^head
 *
 * One producer, one consumer, no lock.  A record is written behind head, then published as
 * a whole by moving head; it is given back by moving tail.  cpu_buffer.c lists the pairs of
 * accesses.
 *
 * The CPU's last context is said once, in a record before the first sample of that context: the
 * task's numbers, and where its mm_struct is, which context.h leads back to.  Nothing is referred
 * to, so that what waits here keeps no memory of a process.
 */
#ifndef OPROFILE_CPU_BUFFER_H
#define OPROFILE_CPU_BUFFER_H

#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/string.h>
#include <linux/types.h>

#include "uapi/oprofile.h"
#include "uapi/unwind_step.h"

struct mm_struct;
struct pt_regs;
struct op_cpu_buffer;

/* op_record_header::kind */
#define OP_RECORD_CONTEXT BIT(0)
#define OP_RECORD_SAMPLE BIT(1)
#define OP_SAMPLE_WEIGHTED BIT(2)	/* its weight follows the pc */
#define OP_SAMPLE_KERNEL BIT(4)		/* the pc is kernel code */
#define OP_SAMPLE_TRACED BIT(5)		/* callers were asked for, even if there are none */
#define OP_CONTEXT_KERNEL_THREAD BIT(6) /* the task never had a user address space */

/**
 * struct op_record_header - the first word of every record
 * @epoch: of mappings, see marks.h: read before the record was written
 * @event: number of the counter
 * @kind: OP_RECORD_*, with OP_SAMPLE_* or OP_CONTEXT_*
 * @nr_callers: words that follow the pc; those of the kernel come first
 *
 * A context is followed by three words: tgid << 32 | pid; where the mm_struct is, NULL for kernel
 * threads and for a task that has left its address space; and exec_id << 32 | lender, see
 * context.h. A sample is followed by its pc, its weight if it is OP_SAMPLE_WEIGHTED, and the
 * callers, nearest first.
 */
struct op_record_header {
	u32 epoch;
	u8 event;
	u8 kind;
	u8 nr_callers;
	u8 nr_kernel_callers;
};
static_assert(sizeof(struct op_record_header) == sizeof(u64));

#define OP_CONTEXT_WORDS 4
#define OP_SAMPLE_WORDS 2 /* and its weight and callers */
#define OP_WEIGHT_WORDS 1

/* The words of a sample before its callers. */
static inline unsigned int op_sample_words(struct op_record_header header)
{
	return header.kind & OP_SAMPLE_WEIGHTED ? OP_SAMPLE_WORDS + OP_WEIGHT_WORDS :
						  OP_SAMPLE_WORDS;
}

#define OP_BACKTRACE_DEPTH_MAX 255 /* what fits nr_callers */

/* An entry, the unit of cpu_buffer_size, is what a sample without callers takes. */
#define OP_ENTRY_WORDS OP_SAMPLE_WORDS
#define OP_CPU_BUFFER_SIZE_DEFAULT 8192
#define OP_CPU_BUFFER_SIZE_MIN 512 /* room for a context and the deepest backtrace */
#define OP_CPU_BUFFER_SIZE_MAX (1UL << 22)

/**
 * struct op_cpu_stats - what happened on one CPU since the last start
 * @received: samples handed to oprofile_add_sample()
 * @lost_overflow: of these, lost because the buffer was full
 * @lost_nested: of these, lost because they interrupted the logging of another one
 * @invalid_eip: of these, dropped because the pc is the escape code
 * @backtrace_aborted: samples whose callers could not all be read
 * @throttled: times that the period was doubled, see x86/throttle.h
 * @idle: interrupts that found the CPU idle, and so made no sample
 * @chains: samples whose callers ended so, by enum unwind_end; UNWIND_GOES_ON: at the depth
 * @guest: overflows in virtual machines, which made no sample
 *
 * Written by the producer only, and by the core while there is none; read by anybody.
 */
struct op_cpu_stats {
	unsigned long received;
	unsigned long lost_overflow;
	unsigned long lost_nested;
	unsigned long invalid_eip;
	unsigned long backtrace_aborted;
	unsigned long throttled;
	unsigned long idle;
	unsigned long chains[UNWIND_BAD_FRAME + 1];
	unsigned long guest;
};

/**
 * struct op_frames - where a backtrace goes; only for cpu_buffer.c and the functions below
 * @words, @mask: the ring
 * @position: of the first caller
 * @depth: at most so many
 * @end: why there are no more; UNWIND_GOES_ON: no more are wanted
 */
struct op_frames {
	u64 *words;
	unsigned long mask;
	unsigned long position;
	unsigned int depth;
	unsigned int nr;
	unsigned int nr_kernel;
	enum unwind_end end;
	bool aborted;
};

/* The rest of the stack could not be read.  Context: that of the backend's backtrace(). */
static inline void op_frames_abort(struct op_frames *frames)
{
	frames->aborted = true;
}

/* How the chain ended.  Context: that of the backend's backtrace(). */
static inline void op_frames_end(struct op_frames *frames, enum unwind_end end)
{
	frames->end = end;
	if (end == UNWIND_UNREADABLE || end == UNWIND_BAD_FRAME)
		op_frames_abort(frames);
}

/* Are no more callers wanted? */
static inline bool op_frames_full(const struct op_frames *frames)
{
	return frames->nr >= frames->depth;
}

/* As op_frames_add(), for who knows that @frames is not full. */
static inline bool op_frames_put(struct op_frames *frames, unsigned long pc, bool kernel)
{
	if (pc == OPROFILE_ESCAPE_CODE) {
		op_frames_abort(frames);
		return false;
	}
	frames->words[(frames->position + frames->nr) & frames->mask] = pc;
	frames->nr++;
	frames->nr_kernel += kernel;
	return !op_frames_full(frames);
}

/**
 * op_frames_add - log one caller
 * @pc: its return address
 * @kernel: it is kernel code; kernel callers must all come before the first user one
 *
 * Context: that of the backend's backtrace().  Return: false when no more are wanted.
 */
static inline bool op_frames_add(struct op_frames *frames, unsigned long pc, bool kernel)
{
	return !op_frames_full(frames) && op_frames_put(frames, pc, kernel);
}

/**
 * oprofile_add_sample - log that this CPU was interrupted
 * @regs: the interrupted context
 * @event: number of the counter
 *
 * Lock-free and bounded.  Context: NMI, or hard interrupt; not preemptible.  Only between
 * the backend's cpu_start() and cpu_stop() on this CPU.
 */
void oprofile_add_sample(struct pt_regs *regs, u8 event);

/* The same; @weight: how many events it stands for, if that is not the event's period. */
void oprofile_add_weighted_sample(struct pt_regs *regs, u8 event, u64 weight);

/**
 * op_cpu_buffers_set_up - begin with no buffers
 * @entries: size of those that are allocated later
 * @backtrace_depth: callers a sample may have
 *
 * Context: process, may sleep.  Return: 0 or -ENOMEM.
 */
int op_cpu_buffers_set_up(unsigned long entries, u8 backtrace_depth);

/* Frees all buffers and what is in them.  No producer, no consumer may be left. */
void op_cpu_buffers_tear_down(void);

/* Allocates the buffer of @cpu if it has none.  Context: process, may sleep. */
int op_cpu_buffer_allocate(unsigned int cpu);

/* Counts in op_cpu_stats::throttled of this CPU.  Context: NMI. */
void op_cpu_stats_throttled(void);

/* Counts in op_cpu_stats::guest of this CPU.  Context: NMI, or hard interrupt. */
void op_cpu_stats_guest(void);

/*
 * Logs it if CPUs were throttled, each time that they were twice as often as last said.  Context:
 * process; one caller at a time.
 */
void op_cpu_stats_watch(void);

/* Statistics of @cpu.  Any context. */
struct op_cpu_stats *op_cpu_stats(unsigned int cpu);

/* All statistics to zero.  No producer may run. */
void op_cpu_stats_reset(void);

/* Marks what has been published so far, on all CPUs.  Context: process; never waits. */
void op_cpu_buffers_mark(void);

/**
 * struct op_cpu_reader - the consumer's look at one CPU's buffer
 * @position: of the record to be consumed
 * @end: behind the last record that was published when the look began
 *
 * Positions count words.  Only the functions below look at @words and @mask.
 *
 * Lifetime: the buffers', so not across op_cpu_buffers_tear_down().  One reader of a
 * CPU at a time; sync.c sees to that.  Context: process.
 */
struct op_cpu_reader {
	struct op_cpu_buffer *buffer;
	const u64 *words;
	unsigned long mask;
	unsigned long position;
	unsigned long end;
};

/* Returns false if the CPU has no buffer: then nothing may be done with @reader. */
bool op_cpu_reader_open(struct op_cpu_reader *reader, unsigned int cpu);

/* Ends the look at the mark of op_cpu_buffers_mark(), if there is anything before it. */
void op_cpu_reader_end_at_mark(struct op_cpu_reader *reader);

/* Gives the place of all that lies before @position back to the producer. */
void op_cpu_reader_release(const struct op_cpu_reader *reader);

static inline bool op_cpu_reader_at_end(const struct op_cpu_reader *reader)
{
	return reader->position == reader->end;
}

/* A word of the record to be consumed. */
static inline u64 op_cpu_reader_word(const struct op_cpu_reader *reader, unsigned int index)
{
	return reader->words[(reader->position + index) & reader->mask]; /* read:A */
}

/* The first @nr words of the record to be consumed; NULL if they are not in a row. */
static inline const u64 *op_cpu_reader_words(const struct op_cpu_reader *reader, unsigned int nr)
{
	unsigned long first = reader->position & reader->mask;

	return first + nr <= reader->mask + 1 ? reader->words + first : NULL; /* read:A */
}

/* The header of the record to be consumed. */
static inline struct op_record_header op_cpu_reader_header(const struct op_cpu_reader *reader)
{
	u64 word = op_cpu_reader_word(reader, 0);
	struct op_record_header header;

	memcpy(&header, &word, sizeof(header));
	return header;
}

/* Past the record to be consumed, whose header is @header. */
static inline void op_cpu_reader_advance(struct op_cpu_reader *reader,
					 struct op_record_header header)
{
	if (header.kind & OP_RECORD_CONTEXT)
		reader->position += OP_CONTEXT_WORDS;
	else
		reader->position += op_sample_words(header) + header.nr_callers;
}

#endif
