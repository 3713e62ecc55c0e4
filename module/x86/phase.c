// SPDX-License-Identifier: GPL-2.0-only
/*
 * Phases of a CPU's counters: phase.h draws this table.
 */
#include <linux/kernel.h>

#include "x86/phase.h"

struct transition {
	enum op_x86_phase from;
	enum op_x86_event event;
	enum op_x86_phase to;
};

static const struct transition transitions[] = {
	{ OP_X86_OFF, OP_X86_START, OP_X86_STARTING },
	{ OP_X86_STARTING, OP_X86_BEGIN, OP_X86_COUNTING },
	{ OP_X86_COUNTING, OP_X86_SWITCH, OP_X86_SWITCHING },
	{ OP_X86_SWITCHING, OP_X86_BEGIN, OP_X86_COUNTING },
	{ OP_X86_COUNTING, OP_X86_STOP, OP_X86_STOPPING },
	{ OP_X86_STOPPING, OP_X86_RESTORE, OP_X86_RESTORING },
	{ OP_X86_RESTORING, OP_X86_END, OP_X86_OFF },
};

enum op_x86_phase op_x86_phase_next(enum op_x86_phase phase, enum op_x86_event event)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(transitions); i++) {
		if (transitions[i].from == phase && transitions[i].event == event)
			return transitions[i].to;
	}
	return OP_X86_NOWHERE;
}
