/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Samples that could not be resolved yet, as their address space is locked by its process, or as
 * what was mapped at their address is just being unmapped.  They are copied here, so that samples
 * behind them need not wait; sync tries them again, and after OP_DEFERRED_TIME counts them as
 * lost.  A process may lock its address space for ever, so this is bounded by deferred_max, a
 * module parameter; one address space can have an eighth of it.
 *
 * All functions: process context, op_sync_mutex held.  None sleeps.
 */
#ifndef OPROFILE_DEFERRED_H
#define OPROFILE_DEFERRED_H

#include <linux/list.h>
#include <linux/types.h>

#include "context.h"
#include "cpu_buffer.h"

#define OP_DEFERRED_TIME HZ

/**
 * struct op_deferred_sample - a copy of a record
 * @until: jiffies from which it is tried no more
 * @account: of the user whose it is
 * @context: whose @mm is the space's
 * @words: the record, as in the CPU's buffer
 */
struct op_deferred_sample {
	struct list_head list;
	unsigned long until;
	unsigned int cpu;
	u16 account;
	struct op_context context;
	unsigned int nr_words;
	u64 words[];
};

/**
 * struct op_deferred_space - the samples of one address space, the oldest first
 * @mm: where its mm_struct was; compared, never followed
 */
struct op_deferred_space {
	struct hlist_node node;
	struct list_head list;
	const struct mm_struct *mm;
	unsigned int nr;
	struct list_head samples;
};

/* All that have samples; op_deferred_remove() may free the one that is looked at. */
extern struct list_head op_deferred_spaces;

/**
 * op_deferred_add - copy a sample
 * @context: with an mm
 * @record: its first word is the header
 *
 * Return: false if there is no room for it.
 */
bool op_deferred_add(unsigned int cpu, const struct op_context *context,
		     const struct op_cpu_reader *record);

/* The sample was resolved or lost; with the last one of a space, that goes, too. */
void op_deferred_remove(struct op_deferred_space *space, struct op_deferred_sample *sample);

/* Any context, no lock: a hint without op_sync_mutex. */
bool op_deferred_any(void);

/**
 * op_deferred_keep - see to it that what samples will ask for is not forgotten
 * @epoch: the earliest that may be forgotten; becomes that of the oldest sample here, if earlier
 */
void op_deferred_keep(u32 *epoch);

void op_deferred_tear_down(void); /* forgets all */

#endif
