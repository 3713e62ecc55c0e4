/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * In which phase the counters of a CPU are, which says what an NMI there means.
 *
 * A phase changes by an event, which is a step of the code that starts, stops or switches the
 * counters of its own CPU; an NMI changes none:
 *
 *	          START              BEGIN
 *	    OFF ---------> STARTING --------> COUNTING <-------+
 *	     ^                                 |    |          | BEGIN
 *	     | END                        STOP |    | SWITCH   |
 *	     |                                 v    +-----> SWITCHING
 *	 RESTORING <---------------------- STOPPING
 *	              RESTORE
 *
 * No other event may come in a phase.  What an NMI means:
 *
 *	phase		registers	an overflow that is found
 *	OFF		others'		is not looked for.  An NMI that nmi_cost.h has sent is ours
 *	STARTING	others', and	is not looked for: it is not ours
 *	RESTORING	  half ours
 *	COUNTING	ours		becomes a sample, and its counter goes on
 *	STOPPING	ours, halted	becomes a sample, and nothing goes on
 *	SWITCHING	half of each	is left to the switch, which makes a sample of it.  As many
 *			  group's	NMIs are ours as counters of the group before overflowed
 *
 * In each of them, an NMI that finds nothing is ours if one may be late (late.h); else it is
 * somebody else's.  Registers are written by NMIs only in COUNTING and STOPPING.
 */
#ifndef OPROFILE_X86_PHASE_H
#define OPROFILE_X86_PHASE_H

#include <linux/types.h>

/* @OP_X86_NOWHERE: no phase, but what follows on an event that may not come. */
enum op_x86_phase {
	OP_X86_OFF,
	OP_X86_STARTING,
	OP_X86_RESTORING,
	OP_X86_SWITCHING,
	OP_X86_COUNTING,
	OP_X86_STOPPING,
	OP_X86_PHASES,
	OP_X86_NOWHERE = OP_X86_PHASES,
};

/**
 * enum op_x86_event - what changes a phase
 * @OP_X86_START: registers are going to be saved, and set up
 * @OP_X86_BEGIN: a group of counters is complete, and going to count
 * @OP_X86_SWITCH: the group is going to be put by for the next
 * @OP_X86_STOP: counters are going to be halted
 * @OP_X86_RESTORE: they are, and overflows were waited for: registers are going to be restored
 * @OP_X86_END: they are restored
 */
enum op_x86_event {
	OP_X86_START,
	OP_X86_BEGIN,
	OP_X86_SWITCH,
	OP_X86_STOP,
	OP_X86_RESTORE,
	OP_X86_END,
	OP_X86_EVENTS,
};

/* May an NMI look for overflows of the group, and write to registers?  Any context. */
static inline bool op_x86_phase_handles(enum op_x86_phase phase)
{
	return phase >= OP_X86_COUNTING;
}

/* Any context but NMI.  Return: OP_X86_NOWHERE if @event may not come. */
enum op_x86_phase op_x86_phase_next(enum op_x86_phase phase, enum op_x86_event event);

#endif
