// SPDX-License-Identifier: GPL-2.0-only
/*
 * Executable mappings that have gone; unmapped.h explains the epochs.
 *
 * Which address spaces matter is kept as two small hashed bitmaps.  NMIs set bits in that of
 * the present period; the unmap hook looks into both.  A period ends in op_unmapped_drained():
 * the older map is cleared and becomes that of the next.  A hash collision only costs a record.
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
#include <linux/atomic.h>
#include <linux/bitmap.h>
#include <linux/hash.h>
#include <linux/hashtable.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "images/address_space.h"
#include "images/dcookie.h"
#include "published.h"
#include "images/unmapped.h"
#include "uapi/oprofile.h"

#define MARK_BITS_ORDER 12
#define MARK_BITS BIT(MARK_BITS_ORDER)
#define REGIONS_MAX 65536 /* about 6 MB; a storm of exits between two syncs */

/**
 * struct unmapped_region - what was mapped
 * @mm: identity only; see unmapped.h why a new mm_struct at this address does no harm
 * @epoch: the last epoch of samples that it is good for
 * @program: cookie of the address space's program
 *
 * Lifetime: from op_unmapped_remember() to op_unmapped_drained() or tear-down, under
 * regions_lock.  It holds no reference to anything.
 */
struct unmapped_region {
	struct hlist_node node;
	const struct mm_struct *mm;
	unsigned long start;
	unsigned long end;
	u64 offset;
	u64 cookie;
	u64 program;
	u32 epoch;
};

static DEFINE_HASHTABLE(regions, 10);
static DEFINE_SPINLOCK(regions_lock);
static unsigned int nr_regions;
static atomic_long_t nr_lost = ATOMIC_LONG_INIT(0);
static struct kmem_cache *region_cache;

atomic_t op_mapping_epoch = ATOMIC_INIT(0);
static DECLARE_BITMAP(marks[2], MARK_BITS); /* of periods with even and with odd numbers */
unsigned int op_mark_period;

/* The period that is to end: its samples' epochs, and the grace period that closes it. */
static u32 period_epoch;
static unsigned long period_rcu_state;
static bool period_closed;

void op_unmapped_advance_epoch(void)
{
	atomic_inc(&op_mapping_epoch);
}

void op_unmapped_mark_sampled(const struct mm_struct *mm, unsigned int period)
{
	unsigned long *map = marks[period % 2];
	unsigned int bit = hash_ptr(mm, MARK_BITS_ORDER);

	if (!test_bit(bit, map)) {
		set_bit(bit, map); /* mark:A */
		smp_mb__after_atomic();
	}
}

static bool sampled(const struct mm_struct *mm)
{
	unsigned int bit = hash_ptr(mm, MARK_BITS_ORDER);

	return test_bit(bit, marks[0]) || test_bit(bit, marks[1]); /* remember:B */
}

static struct unmapped_region *new_region(struct vm_area_struct *vma, unsigned long start,
					  unsigned long end)
{
	struct unmapped_region *region;

	if (READ_ONCE(nr_regions) >= REGIONS_MAX) /* about so many: not under the lock */
		return NULL;
	region = kmem_cache_alloc(region_cache, GFP_ATOMIC | __GFP_NOWARN);
	if (!region)
		return NULL;

	region->mm = vma->vm_mm;
	region->start = start;
	region->end = end;
	region->offset = op_vma_file_offset(vma, start);
	region->cookie = op_dcookie_get(vma->vm_file);
	region->program = op_program_cookie(vma->vm_mm);
	return region;
}

/* madvise(MADV_DONTNEED) "unmaps" the same region again and again. */
static bool remembered(const struct unmapped_region *wanted)
{
	const struct unmapped_region *region;

	hash_for_each_possible(regions, region, node, (unsigned long)wanted->mm) {
		if (region->mm == wanted->mm && region->start == wanted->start &&
		    region->end == wanted->end && region->epoch == wanted->epoch &&
		    region->cookie == wanted->cookie && region->offset == wanted->offset)
			return true;
	}
	return false;
}

static void add_region(struct unmapped_region *region)
{
	spin_lock(&regions_lock);
	region->epoch = op_unmapped_epoch(); /* remember:A */
	if (remembered(region)) {
		kmem_cache_free(region_cache, region);
	} else {
		hash_add(regions, &region->node, (unsigned long)region->mm);
		WRITE_ONCE(nr_regions, nr_regions + 1); /* remember:C */
	}
	spin_unlock(&regions_lock);
}

void op_unmapped_remember(struct vm_area_struct *vma, unsigned long start, unsigned long end)
{
	struct mm_struct *mm = vma->vm_mm;
	struct unmapped_region *region;

	if (!sampled(mm))
		return;

	/* Where no lock may be taken: mapping_hooks.c says when. */
	region = in_nmi() ? NULL : new_region(vma, start, end);
	if (region)
		add_region(region);
	else
		atomic_long_inc(&nr_lost);

	/* No task runs in it any more: exit or exec. */
	if (!atomic_read(&mm->mm_users))
		op_unmapped_advance_epoch();
}

/* Is @a at or before @b?  Epochs wrap. */
static bool not_later(u32 a, u32 b)
{
	return (s32)(a - b) <= 0;
}

/* If none is found, @gap is narrowed to where none of those that hold is. */
static const struct unmapped_region *find_region(const struct mm_struct *mm,
						 unsigned long address, u32 epoch,
						 struct op_unmapped_image *gap)
{
	const struct unmapped_region *region, *best = NULL;

	hash_for_each_possible(regions, region, node, (unsigned long)mm) {
		if (region->mm != mm || !not_later(epoch, region->epoch))
			continue;
		if (region->end <= address)
			gap->start = max(gap->start, region->end);
		else if (region->start > address)
			gap->end = min(gap->end, region->start);
		else if (!best || not_later(region->epoch, best->epoch))
			best = region;
	}
	return best;
}

bool op_unmapped_find(const struct mm_struct *mm, unsigned long address, u32 epoch,
		      struct op_unmapped_image *image)
{
	const struct unmapped_region *region;

	image->start = 0;
	image->end = ULONG_MAX;
	/*
	 * The lock of the mappings, which the caller holds, orders these: a region that is to be
	 * found was counted (remember:C) before the lock could be taken.
	 */
	if (!READ_ONCE(nr_regions)) /* find:A */
		return false;

	spin_lock(&regions_lock);
	region = find_region(mm, address, epoch, image);
	if (region) {
		image->start = region->start;
		image->end = region->end;
		image->cookie = region->cookie;
		image->offset = region->offset;
		image->epoch = region->epoch;
	}
	spin_unlock(&regions_lock);
	return region;
}

u64 op_unmapped_find_program(const struct mm_struct *mm, u32 epoch)
{
	u64 program = OPROFILE_INVALID_COOKIE;
	const struct unmapped_region *region;

	spin_lock(&regions_lock);
	hash_for_each_possible(regions, region, node, (unsigned long)mm) {
		if (region->mm == mm && not_later(epoch, region->epoch))
			program = region->program;
	}
	spin_unlock(&regions_lock);
	return program;
}

static void forget_before(u32 epoch)
{
	struct unmapped_region *region;
	struct hlist_node *next;
	int bucket;

	spin_lock(&regions_lock);
	hash_for_each_safe(regions, bucket, next, region, node) {
		if (!not_later(epoch, region->epoch)) {
			hash_del(&region->node);
			kmem_cache_free(region_cache, region);
			WRITE_ONCE(nr_regions, nr_regions - 1);
		}
	}
	spin_unlock(&regions_lock);
}

/* While the hook tests bits of it: to see one or not is the same here, see above. */
static void forget_marks(unsigned long *map)
{
	op_published_clear(map, BITS_TO_LONGS(MARK_BITS));
}

static void begin_period(void)
{
	unsigned int next = op_mark_period + 1;

	forget_marks(marks[next % 2]);
	WRITE_ONCE(op_mark_period, next);
	/* Where nothing is ever mapped, only this lets old regions be forgotten. */
	if (READ_ONCE(nr_regions) > REGIONS_MAX / 2)
		op_unmapped_advance_epoch();
	period_epoch = op_unmapped_epoch();
	period_rcu_state = get_state_synchronize_rcu();
}

void op_unmapped_drained(u32 oldest)
{
	/*
	 * Samples that carry an epoch before period_epoch were published before the grace
	 * period was over, but perhaps after this sync looked: the next one resolves them.
	 */
	if (period_closed) {
		forget_before(not_later(oldest, period_epoch) ? oldest : period_epoch);
		begin_period();
		period_closed = false;
	} else if (poll_state_synchronize_rcu(period_rcu_state)) {
		period_closed = true;
	}
}

unsigned long op_unmapped_lost(void)
{
	return atomic_long_read(&nr_lost);
}

void op_unmapped_lost_reset(void)
{
	atomic_long_set(&nr_lost, 0);
}

int op_unmapped_set_up(void)
{
	region_cache = KMEM_CACHE(unmapped_region, 0);
	if (!region_cache)
		return -ENOMEM;
	bitmap_zero(marks[0], MARK_BITS);
	bitmap_zero(marks[1], MARK_BITS);
	period_closed = false;
	begin_period();
	return 0;
}

void op_unmapped_tear_down(void)
{
	struct unmapped_region *region;
	struct hlist_node *next;
	int bucket;

	hash_for_each_safe(regions, bucket, next, region, node) {
		hash_del(&region->node);
		kmem_cache_free(region_cache, region);
	}
	nr_regions = 0;
	kmem_cache_destroy(region_cache);
}
