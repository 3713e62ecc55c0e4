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
#include <linux/jhash.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/xarray.h>

#include "images/address_space.h"
#include "images/area.h"
#include "images/dcookie.h"
#include "images/postponed.h"
#include "published.h"
#include "images/unmapped.h"
#include "uapi/oprofile.h"

#define MARK_BITS_ORDER 12
#define MARK_BITS BIT(MARK_BITS_ORDER)

static unsigned int regions_max = 65536; /* about 6 MB; a storm of exits between two syncs */
module_param(regions_max, uint, 0644);
MODULE_PARM_DESC(regions_max, "mappings that have gone and are remembered (default 65536)");

#define SHARE 64 /* no address space has more than this part of them */
#define WALK_MAX 8192 /* mappings looked at, with preemption off, as an address space goes */

/**
 * struct unmapped_space - an address space that regions are remembered of
 * @mm: with a reference (mmgrab), so that its address is not that of another one
 * @regions: of struct unmapped_region, @nr of them
 * @program: cookie of its program
 *
 * Lifetime: that of its regions, under regions_lock.
 */
struct unmapped_space {
	struct hlist_node node;
	struct mm_struct *mm;
	struct list_head regions;
	unsigned int nr;
	u64 program;
};

/**
 * struct unmapped_region - what was mapped
 * @node: by all that makes it what it is
 * @list: of its address space
 * @epoch: the last epoch of samples that it is good for
 *
 * Lifetime: from op_unmapped_remember() to op_unmapped_drained() or tear-down, under
 * regions_lock.  It uses its cookie (op_dcookie_use()).
 */
struct unmapped_region {
	struct hlist_node node;
	struct list_head list;
	struct unmapped_space *space;
	unsigned long start;
	unsigned long end;
	u64 offset;
	u64 cookie;
	u32 epoch;
};

static DEFINE_HASHTABLE(unmapped_spaces, 10);
static DEFINE_HASHTABLE(regions, 12);
static DEFINE_SPINLOCK(regions_lock);
static unsigned int nr_regions;
static atomic_long_t nr_unmapped_lost = ATOMIC_LONG_INIT(0);
static struct kmem_cache *region_cache;

atomic_t op_mapping_epoch = ATOMIC_INIT(0);
static DECLARE_BITMAP(marks[2], MARK_BITS); /* of periods with even and with odd numbers */
unsigned int op_mark_period;

/* The period that is to end: its samples' epochs, and the grace period that closes it. */
static u32 period_epoch;
static unsigned long period_rcu_state;
static bool period_rcu_started; /* else it is waited for, but nobody asked for it */
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

NOKPROBE_SYMBOL(op_unmapped_mark_sampled);

static bool was_sampled(const struct mm_struct *mm)
{
	unsigned int bit = hash_ptr(mm, MARK_BITS_ORDER);

	return test_bit(bit, marks[0]) || test_bit(bit, marks[1]); /* remember:B */
}

static struct unmapped_space *find_unmapped_space(const struct mm_struct *mm)
{
	struct unmapped_space *space;

	hash_for_each_possible(unmapped_spaces, space, node, (unsigned long)mm) {
		if (space->mm == mm)
			return space;
	}
	return NULL;
}

/*
 * In the process that unmaps, whose memory control group is charged.  Without the reserves, which
 * are not for a process to use up.
 */
#define REGION_FLAGS (GFP_NOWAIT | __GFP_ACCOUNT | __GFP_NOWARN)

static struct unmapped_region *new_region(const struct op_unmapping *unmapping)
{
	struct unmapped_region *region;
	u64 cookie;

	if (READ_ONCE(nr_regions) >= READ_ONCE(regions_max)) /* about so many: not under the lock */
		return NULL;
	cookie = unmapping->file ? op_dcookie_use(unmapping->file) :
				   op_dcookie_use_area(unmapping->mm, &unmapping->area);
	if (cookie == OPROFILE_INVALID_COOKIE)
		return NULL;
	region = kmem_cache_alloc(region_cache, REGION_FLAGS);
	if (!region) {
		op_dcookie_unuse(cookie);
		return NULL;
	}
	region->start = unmapping->start;
	region->end = unmapping->end;
	region->offset = unmapping->offset;
	region->epoch = unmapping->epoch;
	region->cookie = cookie;
	return region;
}

static void free_region(struct unmapped_region *region)
{
	op_dcookie_unuse(region->cookie);
	kmem_cache_free(region_cache, region);
}

static u64 program_of_space(const struct op_unmapping *unmapping)
{
	return unmapping->program ? op_dcookie_get(unmapping->program) :
				    op_program_cookie(unmapping->mm);
}

static struct unmapped_space *new_space(const struct op_unmapping *unmapping)
{
	struct unmapped_space *space = kzalloc(sizeof(*space), REGION_FLAGS);

	if (!space)
		return NULL;
	space->program = program_of_space(unmapping);
	if (!op_dcookie_hold(space->program))
		space->program = OPROFILE_INVALID_COOKIE;
	space->mm = unmapping->mm;
	INIT_LIST_HEAD(&space->regions);
	return space;
}

static void free_space(struct unmapped_space *space)
{
	op_dcookie_unuse(space->program);
	kfree(space);
}

static u32 region_key(const struct mm_struct *mm, const struct unmapped_region *region)
{
	const u64 words[] = { (unsigned long)mm, region->start, region->end, region->cookie };

	return jhash(words, sizeof(words), 0);
}

/* madvise(MADV_DONTNEED) "unmaps" the same region again and again. */
static bool remembered(const struct mm_struct *mm, const struct unmapped_region *wanted, u32 key)
{
	const struct unmapped_region *region;

	hash_for_each_possible(regions, region, node, key) {
		if (region->space->mm == mm && region->start == wanted->start &&
		    region->end == wanted->end && region->epoch == wanted->epoch &&
		    region->cookie == wanted->cookie && region->offset == wanted->offset)
			return true;
	}
	return false;
}

static unsigned int share(void)
{
	return max(READ_ONCE(regions_max) / SHARE, 1U);
}

/* Takes over @space if it becomes that of the region.  Returns false if there is no room. */
static bool link_region(struct mm_struct *mm, struct unmapped_region *region,
			struct unmapped_space **new)
{
	struct unmapped_space *space = find_unmapped_space(mm);

	lockdep_assert_held(&regions_lock);
	if (!space) {
		space = *new;
		if (!space)
			return false;
		*new = NULL;
		mmgrab(mm);
		hash_add(unmapped_spaces, &space->node, (unsigned long)mm);
	} else if (space->nr >= share()) {
		return false;
	}
	region->space = space;
	hash_add(regions, &region->node, region_key(mm, region));
	list_add(&region->list, &space->regions);
	space->nr++;
	WRITE_ONCE(nr_regions, nr_regions + 1); /* remember:C */
	return true;
}

enum added { ADDED, KNOWN, FULL };

static enum added add_region(struct mm_struct *mm, struct unmapped_region *region,
			     struct unmapped_space **new)
{
	enum added added = ADDED;

	spin_lock(&regions_lock);
	if (remembered(mm, region, region_key(mm, region)))
		added = KNOWN;
	else if (!link_region(mm, region, new))
		added = FULL;
	spin_unlock(&regions_lock);
	return added;
}

/* How many there are of an address space; 0: it has no struct unmapped_space. */
static unsigned int count_regions(const struct mm_struct *mm)
{
	const struct unmapped_space *space;
	unsigned int nr;

	spin_lock(&regions_lock);
	space = find_unmapped_space(mm);
	nr = space ? space->nr : 0;
	spin_unlock(&regions_lock);
	return nr;
}

static bool remember(const struct op_unmapping *unmapping)
{
	unsigned int nr = count_regions(unmapping->mm);
	struct unmapped_space *space = NULL;
	struct unmapped_region *region;
	enum added added;

	if (nr >= share())
		return false; /* before anything is made that would be thrown away again */
	region = new_region(unmapping);
	if (!region)
		return false;
	if (!nr)
		space = new_space(unmapping);
	added = add_region(unmapping->mm, region, &space);
	if (space) /* it was not needed */
		free_space(space);
	if (added != ADDED)
		free_region(region);
	return added != FULL;
}

static void remember_or_lose(const struct op_unmapping *unmapping)
{
	if (!remember(unmapping))
		atomic_long_inc(&nr_unmapped_lost);
}

/* May the hook take locks and allocate memory? */
static bool may_lock(void)
{
	return !in_nmi() && !IS_ENABLED(CONFIG_PREEMPT_RT);
}

static void remember_or_postpone(const struct op_unmapping *unmapping)
{
	if (may_lock())
		remember_or_lose(unmapping);
	else if (!op_postpone(unmapping))
		atomic_long_inc(&nr_unmapped_lost);
}

void op_unmapped_remember(struct vm_area_struct *vma, unsigned long start, unsigned long end)
{
	const struct op_unmapping unmapping = {
		.mm = vma->vm_mm,
		.file = vma->vm_file,
		.start = start,
		.end = end,
		.offset = op_vma_file_offset(vma, start),
		.epoch = op_unmapped_epoch(), /* remember:A */
	};

	if (was_sampled(unmapping.mm))
		remember_or_postpone(&unmapping);
}

static void remember_area(struct vm_area_struct *vma, u32 epoch)
{
	struct op_unmapping unmapping = {
		.mm = vma->vm_mm,
		.start = vma->vm_start,
		.end = vma->vm_end,
		.offset = vma->vm_start,
		.epoch = epoch,
	};

	op_area_of(vma, &unmapping.area);
	remember_or_postpone(&unmapping);
}

void op_unmapped_remember_area(struct vm_area_struct *vma)
{
	u32 epoch = op_unmapped_epoch(); /* remember:A */

	if (was_sampled(vma->vm_mm))
		remember_area(vma, epoch);
}

void op_unmapped_remember_areas(struct mm_struct *mm)
{
	u32 epoch = op_unmapped_epoch(); /* remember:A */
	struct vma_iterator iterator;
	struct vm_area_struct *vma;
	unsigned int left = WALK_MAX;

	if (!was_sampled(mm))
		return;
	vma_iter_init(&iterator, mm, 0);
	rcu_read_lock(); /* for the tree's own checks: nobody changes it any more */
	for_each_vma(iterator, vma) {
		if (xa_is_zero(vma)) /* a fork failed, and copied no more than what is before it */
			break;
		if (!left--) {
			atomic_long_inc(&nr_unmapped_lost);
			break;
		}
		if ((vma->vm_flags & VM_EXEC) && !vma->vm_file)
			remember_area(vma, epoch);
	}
	rcu_read_unlock();
}

/* Is @a at or before @b?  Epochs wrap. */
static bool not_later(u32 a, u32 b)
{
	return (s32)(a - b) <= 0;
}

/*
 * @gap is narrowed to where no other of those that hold begins or ends.  Outside of that, one that
 * is older than what is found here may be right: a mapping can have grown over it.
 */
static const struct unmapped_region *find_region(const struct unmapped_space *space,
						 unsigned long address, u32 epoch,
						 struct op_unmapped_image *gap)
{
	const struct unmapped_region *region, *best = NULL;

	list_for_each_entry(region, &space->regions, list) {
		if (!not_later(epoch, region->epoch))
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
	const struct unmapped_region *region = NULL;
	const struct unmapped_space *space;

	image->start = 0;
	image->end = ULONG_MAX;
	op_postponed_take();
	/*
	 * The lock of the mappings, which the caller holds, orders these: a region that is to be
	 * found was counted (remember:C) before the lock could be taken.
	 */
	if (!READ_ONCE(nr_regions)) /* find:A */
		return false;

	spin_lock(&regions_lock);
	space = find_unmapped_space(mm);
	if (space)
		region = find_region(space, address, epoch, image);
	if (region) {
		image->start = max(region->start, image->start);
		image->end = min(region->end, image->end);
		image->cookie = region->cookie;
		image->offset = region->offset + (image->start - region->start);
		image->epoch = region->epoch;
	}
	spin_unlock(&regions_lock);
	return region;
}

u64 op_unmapped_find_program(const struct mm_struct *mm)
{
	const struct unmapped_space *space;
	u64 program;

	op_postponed_take();
	spin_lock(&regions_lock);
	space = find_unmapped_space(mm);
	program = space ? space->program : OPROFILE_INVALID_COOKIE;
	spin_unlock(&regions_lock);
	return program;
}

/* Takes the region out; its space, too, if it was the last: then that goes to @gone. */
static void forget_region(struct unmapped_region *region, struct hlist_head *gone)
{
	struct unmapped_space *space = region->space;

	hash_del(&region->node);
	list_del(&region->list);
	free_region(region);
	WRITE_ONCE(nr_regions, nr_regions - 1);
	if (--space->nr)
		return;
	hash_del(&space->node);
	hlist_add_head(&space->node, gone);
}

/* Not under the lock: the last reference may be the one that is dropped. */
static void drop_spaces(struct hlist_head *gone)
{
	struct unmapped_space *space;
	struct hlist_node *next;

	hlist_for_each_entry_safe(space, next, gone, node) {
		mmdrop(space->mm);
		free_space(space);
	}
}

/* In each bucket by itself, as hooks wait for the lock. */
static void forget_before(u32 epoch)
{
	struct unmapped_region *region;
	HLIST_HEAD(gone);
	struct hlist_node *next;
	int bucket;

	for (bucket = 0; bucket < HASH_SIZE(regions); bucket++) {
		if (hlist_empty(&regions[bucket]))
			continue;
		spin_lock(&regions_lock);
		hlist_for_each_entry_safe(region, next, &regions[bucket], node) {
			if (!not_later(epoch, region->epoch))
				forget_region(region, &gone);
		}
		spin_unlock(&regions_lock);
	}
	drop_spaces(&gone);
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
	if (READ_ONCE(nr_regions))
		op_unmapped_advance_epoch();
	period_epoch = op_unmapped_epoch();
	period_rcu_state = get_state_synchronize_rcu();
	period_rcu_started = false;
}

/* On a quiet machine no grace period ends unless it is asked for, which regions are worth. */
static void want_grace_period(void)
{
	if (period_rcu_started || !READ_ONCE(nr_regions))
		return;
	period_rcu_state = start_poll_synchronize_rcu();
	period_rcu_started = true;
}

void op_unmapped_drained(u32 oldest)
{
	op_postponed_take();
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
	} else {
		want_grace_period();
	}
}

unsigned long op_unmapped_lost(void)
{
	return atomic_long_read(&nr_unmapped_lost);
}

void op_unmapped_lost_reset(void)
{
	atomic_long_set(&nr_unmapped_lost, 0);
}

int op_unmapped_set_up(void)
{
	int err;

	region_cache = KMEM_CACHE(unmapped_region, SLAB_ACCOUNT);
	if (!region_cache)
		return -ENOMEM;
	err = op_postponed_set_up(remember_or_lose);
	if (err) {
		kmem_cache_destroy(region_cache);
		return err;
	}
	bitmap_zero(marks[0], MARK_BITS);
	bitmap_zero(marks[1], MARK_BITS);
	period_closed = false;
	begin_period();
	return 0;
}

void op_unmapped_tear_down(void)
{
	struct unmapped_region *region;
	HLIST_HEAD(gone);
	struct hlist_node *next;
	int bucket;

	op_postponed_tear_down();
	hash_for_each_safe(regions, bucket, next, region, node)
		forget_region(region, &gone);
	drop_spaces(&gone);
	kmem_cache_destroy(region_cache);
}
