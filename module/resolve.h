/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From samples in the buffers of the CPUs to records in the event buffer.  sync.h says when.
 *
 * What the event buffer has no room for stays in the buffers of the CPUs, and what can't be
 * resolved now, but perhaps soon, is set aside (deferred.h).
 *
 * All functions: process context; op_sync_mutex held, where nothing else is said.  None waits for a
 * profiled process.
 */
#ifndef OPROFILE_RESOLVE_H
#define OPROFILE_RESOLVE_H

#include <linux/types.h>

/**
 * struct op_resolve_stats - samples that were lost here, since the last start
 * @lost_no_mm: user samples of a task without an address space
 * @lost_no_mapping: samples of addresses where nothing was mapped
 * @lost_busy: samples of a process that kept its address space locked
 * @lost_no_room: samples larger than the whole event buffer
 * @event_lost_overflow: the words of those
 * @bt_lost_no_mapping: backtraces cut short or dropped at such an address
 *
 * Under op_sync_mutex; read by anybody.
 */
struct op_resolve_stats {
	unsigned long lost_no_mm;
	unsigned long lost_no_mapping;
	unsigned long lost_busy;
	unsigned long lost_no_room;
	unsigned long event_lost_overflow;
	unsigned long bt_lost_no_mapping;
};

extern struct op_resolve_stats op_resolve_stats;

/**
 * op_resolve_cpu - all samples of a CPU
 * @up_to_mark: not those behind its mark (op_cpu_buffers_mark())
 * @found: set if there were any
 *
 * Return: false if the event buffer is full, and records were left behind.
 */
bool op_resolve_cpu(unsigned int cpu, bool up_to_mark, bool *found);

/**
 * op_resolve_deferred - try the samples that were set aside
 * @last: those that still can't be resolved are lost; else only those that have waited long enough
 *
 * Return: false if the event buffer is full.
 */
bool op_resolve_deferred(bool last);

/* Tells the reader that a module was loaded.  Return: false if the event buffer is full. */
bool op_resolve_say_module_loaded(void);

/* Will more samples come?  Else no stack will be walked.  Any context, no lock. */
bool op_resolve_sampling(void);
void op_resolve_set_sampling(bool more);

/* Without op_sync_mutex, while no sync runs. */
void op_resolve_set_up(void);	 /* no context is known */
void op_resolve_tear_down(void); /* forgets what was set aside, and contexts */

#endif
