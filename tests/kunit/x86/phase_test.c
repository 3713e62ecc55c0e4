// SPDX-License-Identifier: GPL-2.0-only
/*
 * The phases of a CPU's counters: each one, with each event.  What NMIs mean there is in
 * pmu_test.c.
 */
#include <linux/kernel.h>

#include "suite.h"

#include "x86/phase.c"

#define NO OP_X86_NOWHERE

static const enum op_x86_phase follows[OP_X86_PHASES][OP_X86_EVENTS] = {
			/* START, BEGIN, SWITCH, STOP, RESTORE, END */
	[OP_X86_OFF] = { OP_X86_STARTING, NO, NO, NO, NO, NO },
	[OP_X86_STARTING] = { NO, OP_X86_COUNTING, NO, NO, NO, NO },
	[OP_X86_RESTORING] = { NO, NO, NO, NO, NO, OP_X86_OFF },
	[OP_X86_SWITCHING] = { NO, OP_X86_COUNTING, NO, NO, NO, NO },
	[OP_X86_COUNTING] = { NO, NO, OP_X86_SWITCHING, OP_X86_STOPPING, NO, NO },
	[OP_X86_STOPPING] = { NO, NO, NO, NO, OP_X86_RESTORING, NO },
};

static void phase_follows_each_event(struct kunit *test)
{
	unsigned int phase, event;

	for (phase = 0; phase < OP_X86_PHASES; phase++) {
		for (event = 0; event < OP_X86_EVENTS; event++)
			KUNIT_EXPECT_EQ_MSG(test, op_x86_phase_next(phase, event),
					    follows[phase][event], "of phase %u, event %u",
					    phase, event);
	}
}

/* A CPU's memory is zero before its first start. */
static void phase_is_off_at_first(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, OP_X86_OFF, 0);
}

TEST_SUITE(oprofile_x86_phase, NULL, NULL,
	   KUNIT_CASE(phase_follows_each_event),
	   KUNIT_CASE(phase_is_off_at_first));
