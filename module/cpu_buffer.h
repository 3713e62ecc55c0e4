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
 * The CPU's last context is said once, in a record before the first sample of that context:
 * the task's numbers and its mm_struct with a reference (mmgrab), so that the address space
 * stays identifiable, and its address is not used again, until the consumer has passed the
 * record that follows.  No task pointer is ever kept.
 */
#ifndef OPROFILE_CPU_BUFFER_H
#define OPROFILE_CPU_BUFFER_H

#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/types.h>

struct mm_struct;
struct pt_regs;
struct op_cpu_buffer;

enum op_record_type {
	OP_RECORD_CONTEXT = 1,
	OP_RECORD_SAMPLE = 2,
};

/* op_record_header::flags */
#define OP_SAMPLE_KERNEL BIT(0)	       /* the pc is kernel code */
#define OP_SAMPLE_TRACED BIT(1)	       /* callers were asked for, even if there are none */
#define OP_CONTEXT_KERNEL_THREAD BIT(2) /* the task never had a user address space */

/**
 * struct op_record_header - the first word of every record
 * @epoch: of mappings, see unmapped.h: read before the record was written
 * @type: enum op_record_type
 * @flags: OP_SAMPLE_*, OP_CONTEXT_*
 * @event: number of the counter
 * @nr_callers: words that follow the pc; those of the kernel come first
 */
struct op_record_header {
	u32 epoch;
	u8 type : 4;
	u8 flags : 4;
	u8 event;
	u8 nr_callers;
	u8 nr_kernel_callers;
};
static_assert(sizeof(struct op_record_header) == sizeof(u64));

#define OP_BACKTRACE_DEPTH_MAX 255 /* what fits nr_callers */

/* An entry, the unit of cpu_buffer_size, is what a sample without callers takes. */
#define OP_ENTRY_WORDS 2
#define OP_CPU_BUFFER_SIZE_DEFAULT 8192
#define OP_CPU_BUFFER_SIZE_MIN 512 /* room for a context and the deepest backtrace */
#define OP_CPU_BUFFER_SIZE_MAX (1UL << 22)

/**
 * struct op_record - a record taken out of the buffer
 * @pid, @tgid, @mm: of a context; the reference to @mm passes to the caller; @mm is NULL
 *	for kernel threads and for a task that has left its address space
 * @pc: of a sample
 * @callers: copied out, nearest first
 */
struct op_record {
	struct op_record_header header;
	union {
		struct {
			u32 pid;
			u32 tgid;
			struct mm_struct *mm;
		};
		struct {
			u64 pc;
			u64 callers[OP_BACKTRACE_DEPTH_MAX];
		};
	};
};

/**
 * struct op_cpu_stats - what happened on one CPU since the last start
 * @received: samples handed to oprofile_add_sample()
 * @lost_overflow: of these, lost because the buffer was full
 * @lost_nested: of these, lost because they interrupted the logging of another one
 * @invalid_eip: of these, dropped because the pc is the escape code
 * @backtrace_aborted: samples whose callers could not all be read
 * @throttled: times that the period was doubled, see x86/guard.h
 * @idle: interrupts that found the CPU idle, and so made no sample
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
};

/* Where a backtrace goes; only cpu_buffer.c looks inside. */
struct op_frames {
	struct op_cpu_buffer *buffer;
	unsigned long position;
	u8 depth; /* at most so many */
	u8 nr;
	u8 nr_kernel;
	bool aborted;
};

/**
 * op_frames_add - log one caller
 * @pc: its return address
 * @kernel: it is kernel code; kernel callers must all come before the first user one
 *
 * Context: that of the backend's backtrace().  Return: false when no more are wanted.
 */
bool op_frames_add(struct op_frames *frames, unsigned long pc, bool kernel);

/* The rest of the stack could not be read.  Context: as op_frames_add(). */
void op_frames_abort(struct op_frames *frames);

/**
 * oprofile_add_sample - log that this CPU was interrupted
 * @regs: the interrupted context
 * @event: number of the counter
 *
 * Lock-free and bounded.  Context: NMI, or hard interrupt; not preemptible.  Only between
 * the backend's cpu_start() and cpu_stop() on this CPU.
 */
void oprofile_add_sample(struct pt_regs *regs, u8 event);

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

/* Statistics of @cpu.  Any context. */
struct op_cpu_stats *op_cpu_stats(unsigned int cpu);

/* All statistics to zero.  No producer may run. */
void op_cpu_stats_reset(void);

/* The consumer's side; serialised by the caller (sync.c).  Context: process. */

/* The position behind the last published record of @cpu; 0 if it has no buffer. */
unsigned long op_cpu_buffer_head(unsigned int cpu);

/**
 * op_cpu_buffer_peek - copy out the oldest record
 * @end: a head; records at and behind it are not looked at
 *
 * Return: true if there is one.  It stays in the buffer until op_cpu_buffer_advance().
 */
bool op_cpu_buffer_peek(unsigned int cpu, unsigned long end, struct op_record *record);

/* Gives the place of the record that was peeked at back to the producer. */
void op_cpu_buffer_advance(unsigned int cpu, const struct op_record *record);

#endif
