// SPDX-License-Identifier: GPL-2.0-only
/*
 * Executable mappings that have gone, each a region of its address space (spaces.h); unmapped.h
 * explains what is found.
 *
 * Regions are in an interval tree of their space, by address, and in one list of all, in about the
 * order of their epochs.  op_spaces_lock is the lock of both.
 *
 * The kprobes come in by op_unmapped_remember*(), which write down what goes away (struct
 * op_unmapping) and make a region of it at once, or later (postponed.h); sync asks, and has old
 * ones forgotten.
 */
#include <linux/atomic.h>
#include <linux/interval_tree_generic.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/preempt.h>
#include <linux/rbtree.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "images/account.h"
#include "images/area.h"
#include "images/dcookie.h"
#include "images/marks.h"
#include "images/postponed.h"
#include "images/spaces.h"
#include "images/unmapped.h"
#include "uapi/oprofile.h"

#define SHARE 64 /* no address space has more than this part of them */
#define FORGOTTEN_AT_ONCE 64 /* with the lock held, that hooks wait for */
#define SAME_PLACE_MOST 8 /* regions that are looked at for one that is remembered already */

/*
 * An answer is looked for within this part of an address space, so that it costs the same however
 * many regions there are elsewhere.
 */
#define WINDOW_SIZE SZ_1M
#define WINDOW_WORTH 16 /* with fewer regions than so many, all are looked at */

/**
 * struct unmapped_region - what was mapped
 * @node, @last_below: of the space's tree
 * @list: of regions_by_age
 * @last: its last address
 * @offset: of @start in the file, bytes; of an area, @start itself
 * @epoch: the last epoch of samples that it is good for
 * @account: of the user whose it is
 * @cookie: of the file, which it uses (op_dcookie_use()); OPROFILE_NO_COOKIE: it is an area, which
 *	gets a cookie if a sample asks for it
 * @label: of an area, see area.h; NULL: ""
 *
 * Lifetime: from op_unmapped_remember() to op_unmapped_drained() or tear-down, under
 * op_spaces_lock.
 */
struct unmapped_region {
	struct rb_node node;
	unsigned long last_below;
	struct list_head list;
	struct op_space *space;
	unsigned long start;
	unsigned long last;
	u64 offset;
	u64 cookie;
	u32 epoch;
	u16 account;
	char *label;
};

#define FIRST_OF(region) ((region)->start)
#define LAST_OF(region) ((region)->last)
INTERVAL_TREE_DEFINE(struct unmapped_region, node, unsigned long, last_below, FIRST_OF, LAST_OF,
		     static, region_tree)

static LIST_HEAD(regions_by_age);
static atomic_long_t nr_unmapped_lost = ATOMIC_LONG_INIT(0);
static struct kmem_cache *region_cache;

/* Without its space. */
static struct unmapped_region *make_region(const struct op_unmapping *unmapping, u16 account)
{
	u64 cookie = OPROFILE_NO_COOKIE;
	struct unmapped_region *region;
	char *label = NULL;

	if (unmapping->file) {
		cookie = op_dcookie_use(unmapping->file, account);
		if (cookie == OPROFILE_INVALID_COOKIE)
			return NULL;
	}
	region = kmem_cache_alloc(region_cache, OP_REMEMBER_FLAGS);
	if (region && !unmapping->file && *unmapping->area.label)
		label = kstrdup(unmapping->area.label, OP_REMEMBER_FLAGS); /* else it has none */
	if (!region) {
		op_dcookie_unuse(cookie);
		return NULL;
	}
	region->start = unmapping->start;
	region->last = unmapping->end - 1;
	region->offset = unmapping->offset;
	region->epoch = unmapping->epoch;
	region->account = account;
	region->cookie = cookie;
	region->label = label;
	return region;
}

static void free_region(struct unmapped_region *region)
{
	if (region->cookie != OPROFILE_NO_COOKIE)
		op_dcookie_unuse(region->cookie);
	kfree(region->label);
	kmem_cache_free(region_cache, region);
}

static bool same_mapping(const struct unmapped_region *a, const struct unmapped_region *b)
{
	return a->start == b->start && a->last == b->last && a->offset == b->offset &&
	       a->cookie == b->cookie && !strcmp(a->label ?: "", b->label ?: "");
}

/* madvise(MADV_DONTNEED) "unmaps" the same again and again. */
static bool is_remembered(struct op_space *space, const struct unmapped_region *again)
{
	struct unmapped_region *region =
		region_tree_iter_first(&space->tree, again->start, again->start);
	unsigned int left = SAME_PLACE_MOST;

	for (; region && left; left--) {
		if (region->epoch == again->epoch && same_mapping(region, again))
			return true;
		region = region_tree_iter_next(region, again->start, again->start);
	}
	return false;
}

/*
 * A mapping that comes and goes, with no other one of its address space in between, is one region:
 * nothing else was there between the two.
 */
static bool grow_newest(struct op_space *space, const struct unmapped_region *again)
{
	struct unmapped_region *newest = space->newest;

	if (!newest || !same_mapping(newest, again))
		return false;
	newest->epoch = again->epoch;
	list_move_tail(&newest->list, &regions_by_age);
	return true;
}

/* Returns false if the space, or its user, has no room for it. */
static bool insert_region(struct op_space *space, struct unmapped_region *region)
{
	unsigned int most = READ_ONCE(op_regions_max);

	lockdep_assert_held(&op_spaces_lock);
	if (space->nr >= max(most / SHARE, 1U) ||
	    !op_share_fits(&op_region_shares, region->account, 1, most))
		return false;
	op_share_take(&op_region_shares, region->account, 1); /* remember:C */
	region->space = space;
	region_tree_insert(region, &space->tree);
	list_add_tail(&region->list, &regions_by_age);
	space->newest = region;
	space->nr++;
	return true;
}

static bool remember_end(const struct op_unmapping *unmapping, struct op_space_owner *owner)
{
	struct op_space *space = op_space_for_unmapping(unmapping, owner);

	if (!space)
		return false;
	op_space_end(space, unmapping);
	return true;
}

/* Takes over @region if it is kept.  Returns false if it is lost. */
static bool remember_region(const struct op_unmapping *unmapping, struct op_space_owner *owner,
			    struct unmapped_region **region)
{
	struct op_space *space = op_space_for_unmapping(unmapping, owner);

	if (!space)
		return false;
	/* As an address space ends, each mapping comes once. */
	if (!unmapping->exiting && (grow_newest(space, *region) || is_remembered(space, *region)))
		return true;
	if (!insert_region(space, *region)) {
		op_space_forget_empty(space); /* it was made for this */
		return false;
	}
	*region = NULL;
	return true;
}

static void remember_unmapping(const struct op_unmapping *unmapping)
{
	struct op_space_owner owner = op_space_find_owner(unmapping);
	struct unmapped_region *region = NULL;
	bool remembered = false;

	if (unmapping->end)
		region = make_region(unmapping, owner.account);
	spin_lock(&op_spaces_lock);
	if (!unmapping->end)
		remembered = remember_end(unmapping, &owner);
	else if (region)
		remembered = remember_region(unmapping, &owner, &region);
	spin_unlock(&op_spaces_lock);
	op_space_drop_owner(&owner);
	if (region)
		free_region(region);
	if (!remembered)
		atomic_long_inc(&nr_unmapped_lost);
}

/* May the hook take locks and allocate memory? */
static bool may_lock(void)
{
	return !in_nmi() && !IS_ENABLED(CONFIG_PREEMPT_RT);
}

static void remember_or_postpone(struct op_unmapping *unmapping)
{
	unmapping->exe = rcu_access_pointer(unmapping->live->exe_file);
	if (may_lock())
		remember_unmapping(unmapping);
	else if (!op_postpone(unmapping))
		atomic_long_inc(&nr_unmapped_lost);
}

static void remember_mapping(struct op_unmapping *unmapping)
{
	/* What ends has an epoch before those of whoever gets the memory of the mm_struct next. */
	unmapping->exiting = !atomic_read(&unmapping->live->mm_users);
	if (unmapping->exiting)
		unmapping->epoch = op_epoch_advance();
	remember_or_postpone(unmapping);
}

void op_unmapped_remember(struct vm_area_struct *vma, unsigned long start, unsigned long end)
{
	struct op_unmapping unmapping = {
		.mm = vma->vm_mm,
		.live = vma->vm_mm,
		.file = vma->vm_file,
		.start = start,
		.end = end,
		.offset = op_vma_file_offset(vma, start),
		.epoch = op_epoch_now(), /* remember:A */
	};

	if (op_was_sampled(vma->vm_mm))
		remember_mapping(&unmapping);
}

void op_unmapped_remember_area(struct vm_area_struct *vma)
{
	struct op_unmapping unmapping = {
		.mm = vma->vm_mm,
		.live = vma->vm_mm,
		.start = vma->vm_start,
		.end = vma->vm_end,
		.offset = vma->vm_start,
		.epoch = op_epoch_now(), /* remember:A */
	};

	if (!op_was_sampled(vma->vm_mm))
		return;
	op_area_of(vma, &unmapping.area);
	remember_mapping(&unmapping);
}

void op_unmapped_remember_end(struct mm_struct *mm)
{
	struct op_unmapping unmapping = {
		.mm = mm,
		.live = mm,
		.exiting = true,
		.epoch = op_epoch_advance(), /* remember:A */
	};

	if (!op_was_sampled(mm))
		return;
	if (get_mm_rss(mm) >= OP_DYING_PAGES)
		unmapping.dying = mm;
	remember_or_postpone(&unmapping);
}

/* ---- finding ---- */

/* Where regions are looked for that bear upon @address: from gap->start to before gap->end. */
static void open_window(const struct op_space *space, unsigned long address,
			struct op_unmapped_image *gap)
{
	if (space->nr < WINDOW_WORTH)
		return;
	gap->start = address & ~(unsigned long)(WINDOW_SIZE - 1);
	gap->end = max(gap->start + WINDOW_SIZE, gap->start); /* unsigned: not behind the last */
	if (gap->end == gap->start)
		gap->end = ULONG_MAX;
}

/*
 * @gap is narrowed to where no other of those that hold begins or ends.  Outside of that, one that
 * is older than what is found here may be right: a mapping can have grown over it.
 */
static struct unmapped_region *find_region(struct op_space *space, unsigned long address,
					   u32 epoch, struct op_unmapped_image *gap)
{
	struct unmapped_region *region, *best = NULL;
	unsigned long first, last;

	open_window(space, address, gap);
	first = gap->start;
	last = gap->end - 1;
	for (region = region_tree_iter_first(&space->tree, first, last); region;
	     region = region_tree_iter_next(region, first, last)) {
		if (!op_epoch_not_later(epoch, region->epoch))
			continue;
		if (region->last < address)
			gap->start = max(gap->start, region->last + 1);
		else if (region->start > address)
			gap->end = min(gap->end, region->start);
		else if (!best || !op_epoch_not_later(best->epoch, region->epoch))
			best = region;
	}
	return best;
}

/* An area is given a cookie only now. */
static u64 region_cookie(const struct unmapped_region *region)
{
	struct op_area area = { .start = region->start, .end = region->last + 1 };

	if (region->cookie != OPROFILE_NO_COOKIE)
		return region->cookie;
	strscpy(area.label, region->label ?: "", sizeof(area.label));
	return op_dcookie_get_area(&area, region->account);
}

bool op_unmapped_find(const struct mm_struct *mm, unsigned long address, u32 epoch,
		      struct op_unmapped_image *image)
{
	struct unmapped_region *region = NULL;
	struct op_space *space;

	image->start = 0;
	image->end = ULONG_MAX;
	image->gone = false;
	op_postponed_take();
	/*
	 * The lock of the mappings, if the caller holds it, orders these: what is to be found was
	 * counted before the lock could be taken.  Without an address space to lock, the caller
	 * tries again later.
	 */
	if (!READ_ONCE(op_region_shares.total)) /* find:A */
		return false;

	spin_lock(&op_spaces_lock);
	space = op_space_of_sample(mm, epoch);
	if (space) {
		image->gone = space->ended;
		region = find_region(space, address, epoch, image);
	}
	if (region) {
		image->start = max(region->start, image->start);
		image->end = min(region->last + 1, image->end);
		image->cookie = region_cookie(region);
		image->offset = region->offset + (image->start - region->start);
		image->epoch = region->epoch;
	}
	spin_unlock(&op_spaces_lock);
	return region;
}

u64 op_unmapped_find_program(const struct mm_struct *mm, u32 epoch)
{
	const struct op_space *space;
	u64 program;

	op_postponed_take();
	spin_lock(&op_spaces_lock);
	space = op_space_of_sample(mm, epoch);
	program = space ? space->program : OPROFILE_INVALID_COOKIE;
	spin_unlock(&op_spaces_lock);
	return program;
}

struct mm_struct *op_unmapped_grab_dying(const struct mm_struct *mm, u32 epoch)
{
	const struct op_space *space;
	struct mm_struct *dying;

	op_postponed_take();
	spin_lock(&op_spaces_lock);
	space = op_space_of_sample(mm, epoch);
	dying = space ? space->dying : NULL;
	if (dying)
		mmgrab(dying);
	spin_unlock(&op_spaces_lock);
	return dying;
}

/* ---- forgetting ---- */

static void forget_region(struct unmapped_region *region)
{
	struct op_space *space = region->space;

	lockdep_assert_held(&op_spaces_lock);
	region_tree_remove(region, &space->tree);
	list_del(&region->list);
	op_share_give(&op_region_shares, region->account, 1);
	if (space->newest == region)
		space->newest = NULL;
	space->nr--;
	free_region(region);
	op_space_forget_empty(space);
}

/* The oldest ones; returns false when the oldest that is left is to stay. */
static bool forget_some_regions(u32 epoch)
{
	unsigned int left = FORGOTTEN_AT_ONCE;
	struct unmapped_region *region;

	spin_lock(&op_spaces_lock);
	for (; left; left--) {
		region = list_first_entry_or_null(&regions_by_age, struct unmapped_region, list);
		if (!region || op_epoch_not_later(epoch, region->epoch))
			break;
		forget_region(region);
	}
	spin_unlock(&op_spaces_lock);
	return !left;
}

static void forget_before(u32 epoch)
{
	while (forget_some_regions(epoch))
		;
	op_spaces_forget_ended(epoch);
}

void op_unmapped_drained(u32 oldest)
{
	u32 epoch;

	op_postponed_take();
	if (!op_mark_period_over(READ_ONCE(op_region_shares.total), &epoch))
		return;
	forget_before(op_epoch_not_later(oldest, epoch) ? oldest : epoch);
	op_mark_period_begin(READ_ONCE(op_region_shares.total));
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

	region_cache = KMEM_CACHE(unmapped_region, 0);
	if (!region_cache)
		return -ENOMEM;
	err = op_postponed_set_up(remember_unmapping);
	if (err) {
		kmem_cache_destroy(region_cache);
		return err;
	}
	op_marks_set_up();
	return 0;
}

void op_unmapped_tear_down(void)
{
	struct unmapped_region *region, *next;

	op_postponed_tear_down();
	spin_lock(&op_spaces_lock);
	list_for_each_entry_safe(region, next, &regions_by_age, list)
		forget_region(region); /* and spaces that have not ended */
	spin_unlock(&op_spaces_lock);
	op_spaces_forget_ended(op_epoch_now() + S32_MAX / 2); /* later than all */
	kmem_cache_destroy(region_cache);
}
