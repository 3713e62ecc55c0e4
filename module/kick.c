// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kicks: see kick.h.
 */
#include <linux/irq_work.h>
#include <linux/kprobes.h>

#include "kick.h"

atomic_t op_kicked = ATOMIC_INIT(OP_KICK_NONE);
static void (*answer_kick)(bool now);

static void kick_irq_fn(struct irq_work *work)
{
	/* A kick that comes behind this queues the irq_work anew. */
	answer_kick(atomic_read(&op_kicked) != OP_KICK_LATER);
}

/* In a hard interrupt on PREEMPT_RT, too: all that it takes is raw locks. */
static struct irq_work kick_irq = IRQ_WORK_INIT_HARD(kick_irq_fn);

void op_sync_kick(void)
{
	/*
	 * Once until the work runs: irq_work interrupts this CPU.  A kick that crosses work:A and
	 * is lost costs no sample: the work runs again in its time, as there are samples.
	 */
	if (atomic_read(&op_kicked) != OP_KICK_NOW &&
	    atomic_xchg(&op_kicked, OP_KICK_NOW) != OP_KICK_NOW) /* kick:A */
		irq_work_queue(&kick_irq);
}

NOKPROBE_SYMBOL(op_sync_kick);

void op_sync_kick_later(void)
{
	if (atomic_read(&op_kicked) == OP_KICK_NONE &&
	    atomic_cmpxchg(&op_kicked, OP_KICK_NONE, OP_KICK_LATER) == OP_KICK_NONE) /* kick:B */
		irq_work_queue(&kick_irq);
}

NOKPROBE_SYMBOL(op_sync_kick_later);

void op_kick_set_up(void (*answer)(bool now))
{
	answer_kick = answer;
	atomic_set(&op_kicked, OP_KICK_NONE);
}

void op_kick_hold_off(void)
{
	atomic_set(&op_kicked, OP_KICK_NOW);
}

void op_kick_answered(void)
{
	atomic_set(&op_kicked, OP_KICK_NONE); /* work:A - before the buffers are read; see kick:A */
}

void op_kick_stop(void)
{
	irq_work_sync(&kick_irq);
}
