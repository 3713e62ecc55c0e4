// SPDX-License-Identifier: GPL-2.0-only
/*
 * Marks of sampled address spaces; marks.h explains epochs and periods.
 *
 * Marks are two small hashed bitmaps.  NMIs set bits in that of the present period; the unmap hook
 * looks into both.  As a period ends, the older map is cleared and becomes that of the next.  A
 * hash collision only costs a record.
 *
 * Pairs of accesses:
 *
 *	NMI on any CPU				unmap hook, process context
 *	mark:A   set bit of mm			remember:A  store region with the epoch
 *	mark:B   read epoch			remember:B  test bit of mm
 *
 * A sample of a process is taken before its exit; the locks of exit order mark:A before
 * remember:B.  For munmap() by another thread they can cross, once for an address space
 * that had no sample for a whole period: then that one sample finds no region and counts as
 * sample_lost_no_mapping.
 *
 * A period may end only when no NMI that read the epoch before it can still be about to
 * publish its sample: NMI handlers are RCU readers, so an RCU grace period tells.
 */
#include <linux/bitmap.h>
#include <linux/hash.h>
#include <linux/kprobes.h>
#include <linux/rcupdate.h>

#include "images/marks.h"
#include "published.h"

#define MARK_BITS_ORDER 12
#define MARK_BITS BIT(MARK_BITS_ORDER)

atomic_t op_mapping_epoch = ATOMIC_INIT(0);
static DECLARE_BITMAP(marks[2], MARK_BITS); /* of periods with even and with odd numbers */
unsigned int op_mark_period;

/* The period that is to end: its samples' epochs, and the grace period that closes it. */
static u32 period_epoch;
static unsigned long period_rcu_state;
static bool period_rcu_started; /* else it is waited for, but nobody asked for it */
static bool period_closed;

u32 op_epoch_advance(void)
{
	return atomic_fetch_inc(&op_mapping_epoch);
}

void op_mark_sampled(const struct mm_struct *mm, unsigned int period)
{
	unsigned long *map = marks[period % 2];
	unsigned int bit = hash_ptr(mm, MARK_BITS_ORDER);

	if (!test_bit(bit, map)) {
		set_bit(bit, map); /* mark:A */
		smp_mb__after_atomic();
	}
}

NOKPROBE_SYMBOL(op_mark_sampled);

bool op_was_sampled(const struct mm_struct *mm)
{
	unsigned int bit = hash_ptr(mm, MARK_BITS_ORDER);

	return test_bit(bit, marks[0]) || test_bit(bit, marks[1]); /* remember:B */
}

/* While the hook tests bits of it: to see one or not is the same here, see above. */
static void forget_marks(unsigned long *map)
{
	op_published_clear(map, BITS_TO_LONGS(MARK_BITS));
}

void op_mark_period_begin(bool kept)
{
	unsigned int next = op_mark_period + 1;

	forget_marks(marks[next % 2]);
	WRITE_ONCE(op_mark_period, next);
	/* Where nothing is ever mapped, only this lets old regions be forgotten. */
	if (kept)
		op_epoch_advance();
	period_epoch = op_epoch_now();
	period_rcu_state = get_state_synchronize_rcu();
	period_rcu_started = false;
	period_closed = false;
}

/* On a quiet machine no grace period ends unless it is asked for. */
static void want_grace_period(void)
{
	if (period_rcu_started)
		return;
	period_rcu_state = start_poll_synchronize_rcu();
	period_rcu_started = true;
}

bool op_mark_period_over(bool hurry, u32 *epoch)
{
	/*
	 * Samples that carry an epoch before period_epoch were published before the grace
	 * period was over, but perhaps after this sync looked: the next one resolves them.
	 */
	if (period_closed) {
		*epoch = period_epoch;
		return true;
	}
	if (poll_state_synchronize_rcu(period_rcu_state))
		period_closed = true;
	else if (hurry)
		want_grace_period();
	return false;
}

void op_marks_set_up(void)
{
	bitmap_zero(marks[0], MARK_BITS);
	bitmap_zero(marks[1], MARK_BITS);
	op_mark_period_begin(false);
}
