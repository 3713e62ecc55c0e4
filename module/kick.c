// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kicks: see kick.h.
 */
#include <linux/irq_work.h>
#include <linux/kprobes.h>

#include "kick.h"

atomic_t op_kicked = ATOMIC_INIT(0);
static void (*answer_kick)(void);

static void kick_irq_fn(struct irq_work *work)
{
	answer_kick();
}

/* In a hard interrupt on PREEMPT_RT, too: all that it takes is raw locks. */
static struct irq_work kick_irq = IRQ_WORK_INIT_HARD(kick_irq_fn);

void op_sync_kick(void)
{
	/*
	 * Once until the work runs: irq_work interrupts this CPU.  A kick that crosses work:A and
	 * is lost costs no sample: the work runs again in its time, as there are samples.
	 */
	if (!atomic_read(&op_kicked) && !atomic_xchg(&op_kicked, 1)) /* kick:A */
		irq_work_queue(&kick_irq);
}

NOKPROBE_SYMBOL(op_sync_kick);

void op_kick_set_up(void (*answer)(void))
{
	answer_kick = answer;
	atomic_set(&op_kicked, 0);
}

void op_kick_hold_off(void)
{
	atomic_set(&op_kicked, 1);
}

void op_kick_answered(void)
{
	atomic_set(&op_kicked, 0); /* work:A - before the buffers are read; see kick:A */
}

void op_kick_stop(void)
{
	irq_work_sync(&kick_irq);
}
