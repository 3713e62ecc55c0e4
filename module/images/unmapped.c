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
 *
 * Regions are found by address space, and in that by address:
 *
 *	spaces_tree	by where the mm_struct was; of those that were in one place, the earlier
 *			ones have ended, and are before the later ones
 *	space->tree	by address: an interval tree
 *	regions_by_age	all regions, in about the order of their epochs
 */
#include <linux/atomic.h>
#include <linux/bitmap.h>
#include <linux/file.h>
#include <linux/hash.h>
#include <linux/interval_tree_generic.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/preempt.h>
#include <linux/rbtree.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "images/account.h"
#include "images/address_space.h"
#include "images/area.h"
#include "images/dcookie.h"
#include "images/postponed.h"
#include "published.h"
#include "images/unmapped.h"
#include "uapi/oprofile.h"

#define MARK_BITS_ORDER 12
#define MARK_BITS BIT(MARK_BITS_ORDER)

static unsigned int regions_max = 65536; /* about 7 MB; a storm of exits between two syncs */
module_param(regions_max, uint, 0644);
MODULE_PARM_DESC(regions_max, "mappings that have gone and are remembered (default 65536)");

#define SHARE 64 /* no address space has more than this part of them */
#define FORGOTTEN_AT_ONCE 64 /* with the lock held, that hooks wait for */
#define SAME_PLACE_MOST 8 /* regions that are looked at for one that is remembered already */

/*
 * An answer is looked for within this part of an address space, so that it costs the same however
 * many regions there are elsewhere.
 */
#define WINDOW_SIZE SZ_1M
#define WINDOW_WORTH 16 /* with fewer regions than so many, all are looked at */

/*
 * An address space that is large when it ends is kept (mmgrab) until that is over, which takes so
 * long that samples would be given up meanwhile.  So many at most, of which each user has a share.
 */
#define DYING_PAGES (SZ_64M >> PAGE_SHIFT)
#define DYING_MOST 16

/**
 * struct unmapped_space - an address space that regions are remembered of
 * @node: of spaces_tree
 * @list: of ended_spaces, when it has ended
 * @mm, @exe: where its mm_struct and its exe_file were; compared, never followed
 * @dying: the same with a reference, if it is large and about to end; else NULL
 * @dying_list: of dying_spaces, as long
 * @ended: nobody has it any more
 * @epoch: of what was remembered of it last; when it has ended, no sample of it is of a later one
 * @tree: of struct unmapped_region, @nr of them
 * @newest: the one that was remembered last; NULL: it has been forgotten
 * @program: cookie of its program; the space uses it
 * @account: of its user: the space counts as one region
 *
 * Lifetime: under regions_lock, until it has no region, and no sample can ask for its program.
 */
struct unmapped_space {
	struct rb_node node;
	struct list_head list;
	const struct mm_struct *mm;
	const struct file *exe;
	struct mm_struct *dying;
	struct list_head dying_list;
	bool ended;
	u16 account;
	u32 epoch;
	unsigned int nr;
	struct rb_root_cached tree;
	struct unmapped_region *newest;
	u64 program;
};

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
 * regions_lock.
 */
struct unmapped_region {
	struct rb_node node;
	unsigned long last_below;
	struct list_head list;
	struct unmapped_space *space;
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

static struct rb_root spaces_tree = RB_ROOT;
static LIST_HEAD(ended_spaces); /* in the order of their ends */
static LIST_HEAD(regions_by_age);
static DEFINE_SPINLOCK(regions_lock);
static struct op_shares region_shares, dying_shares;
static LIST_HEAD(dying_spaces); /* few, whereas any number has ended */
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

/* Is @a at or before @b?  Epochs wrap. */
static bool not_later(u32 a, u32 b)
{
	return (s32)(a - b) <= 0;
}

/* ---- address spaces ---- */

#define space_of_node(of) rb_entry(of, struct unmapped_space, node)

/* The last one that was at @mm; NULL: there is none. */
static struct unmapped_space *newest_space(const struct mm_struct *mm)
{
	struct unmapped_space *newest = NULL;
	struct rb_node *node = spaces_tree.rb_node;

	while (node) {
		struct unmapped_space *space = space_of_node(node);

		if (space->mm == mm)
			newest = space;
		node = space->mm <= mm ? node->rb_right : node->rb_left;
	}
	return newest;
}

/* The one at @mm that a sample of @epoch is of; NULL: nothing of it is remembered. */
static struct unmapped_space *space_of_sample(const struct mm_struct *mm, u32 epoch)
{
	struct unmapped_space *found = NULL;
	struct rb_node *node = spaces_tree.rb_node;

	while (node) {
		struct unmapped_space *space = space_of_node(node);
		bool earlier = space->ended && !not_later(epoch, space->epoch);

		if (space->mm == mm && !earlier)
			found = space;
		node = space->mm < mm || (space->mm == mm && earlier) ? node->rb_right :
									node->rb_left;
	}
	return found;
}

/* Behind those that were in the same place. */
static void insert_space(struct unmapped_space *added)
{
	struct rb_node **link = &spaces_tree.rb_node, *parent = NULL;

	while (*link) {
		parent = *link;
		link = space_of_node(parent)->mm <= added->mm ? &parent->rb_right :
								&parent->rb_left;
	}
	rb_link_node(&added->node, parent, link);
	rb_insert_color(&added->node, &spaces_tree);
}

/* Without the reserves, which are not for a process to use up. */
#define REGION_FLAGS (GFP_NOWAIT | __GFP_NOWARN)

/* It takes over the use of @program. */
static struct unmapped_space *make_space(const struct op_unmapping *unmapping, u16 account,
					 u64 *program)
{
	struct unmapped_space *space;

	lockdep_assert_held(&regions_lock);
	if (!op_share_fits(&region_shares, account, 1, READ_ONCE(regions_max)))
		return NULL;
	space = kzalloc(sizeof(*space), REGION_FLAGS);
	if (!space)
		return NULL;
	space->mm = unmapping->mm;
	space->exe = unmapping->exe;
	space->program = *program;
	*program = OPROFILE_INVALID_COOKIE;
	space->account = account;
	space->tree = RB_ROOT_CACHED;
	op_share_take(&region_shares, space->account, 1);
	insert_space(space);
	return space;
}

/* Returns what is to be dropped without the lock; or NULL. */
static struct mm_struct *let_die(struct unmapped_space *space)
{
	struct mm_struct *dying = space->dying;

	lockdep_assert_held(&regions_lock);
	if (!dying)
		return NULL;
	list_del(&space->dying_list);
	space->dying = NULL;
	op_share_give(&dying_shares, space->account, 1);
	return dying;
}

/* As let_die(). */
static struct mm_struct *forget_space(struct unmapped_space *space)
{
	struct mm_struct *dying = let_die(space);

	rb_erase(&space->node, &spaces_tree);
	if (space->ended)
		list_del(&space->list);
	op_share_give(&region_shares, space->account, 1);
	op_dcookie_unuse(space->program);
	kfree(space);
	return dying;
}

static void end_space(struct unmapped_space *space)
{
	space->ended = true;
	list_add_tail(&space->list, &ended_spaces);
}

/*
 * The space that something which goes away belongs to; NULL: there is none yet.
 *
 * Where the end of an address space was not written down, as there was no memory or no sample for
 * long, another program tells that the newest space is of a process before.  That one had no sample
 * behind its @epoch which is still to be resolved, or loses it.
 */
static struct unmapped_space *space_of_unmapping(const struct op_unmapping *unmapping)
{
	bool of_ending = unmapping->exiting && unmapping->end;
	struct unmapped_space *space = newest_space(unmapping->mm);

	if (!space || (space->ended && !of_ending))
		return NULL;
	if (space->exe == unmapping->exe)
		return space;
	if (!space->ended)
		end_space(space);
	return NULL;
}

/* What of @unmapping is the same for all of its address space; it costs more to find out. */
struct whose {
	u16 account;
	u64 program; /* in use; only if there is no space yet */
};

static struct whose find_whose(const struct op_unmapping *unmapping)
{
	struct whose whose = { .program = OPROFILE_INVALID_COOKIE };
	struct file *program = unmapping->program;
	const struct unmapped_space *space;

	spin_lock(&regions_lock);
	space = space_of_unmapping(unmapping);
	if (space)
		whose.account = space->account;
	spin_unlock(&regions_lock);
	if (space)
		return whose;
	if (unmapping->live) { /* in the process itself */
		whose.account = op_account_of_current();
		program = compat_mm_exe_file(unmapping->live);
	} else {
		whose.account = unmapping->account;
	}
	if (program)
		whose.program = op_dcookie_use(program, whose.account);
	if (program && unmapping->live)
		fput(program);
	return whose;
}

/* NULL: there is no room for it. */
static struct unmapped_space *space_for_unmapping(const struct op_unmapping *unmapping,
						  struct whose *whose)
{
	struct unmapped_space *space = space_of_unmapping(unmapping);

	if (!space)
		space = make_space(unmapping, whose->account, &whose->program);
	if (space)
		space->epoch = unmapping->epoch;
	return space;
}

/* ---- remembering ---- */

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
	region = kmem_cache_alloc(region_cache, REGION_FLAGS);
	if (region && !unmapping->file && *unmapping->area.label)
		label = kstrdup(unmapping->area.label, REGION_FLAGS); /* else it has none */
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
static bool is_remembered(struct unmapped_space *space, const struct unmapped_region *again)
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
static bool grow_newest(struct unmapped_space *space, const struct unmapped_region *again)
{
	struct unmapped_region *newest = space->newest;

	if (!newest || !same_mapping(newest, again))
		return false;
	newest->epoch = again->epoch;
	list_move_tail(&newest->list, &regions_by_age);
	return true;
}

/* Returns false if the space, or its user, has no room for it. */
static bool insert_region(struct unmapped_space *space, struct unmapped_region *region)
{
	unsigned int most = READ_ONCE(regions_max);

	lockdep_assert_held(&regions_lock);
	if (space->nr >= max(most / SHARE, 1U) ||
	    !op_share_fits(&region_shares, region->account, 1, most))
		return false;
	op_share_take(&region_shares, region->account, 1); /* remember:C */
	region->space = space;
	region_tree_insert(region, &space->tree);
	list_add_tail(&region->list, &regions_by_age);
	space->newest = region;
	space->nr++;
	return true;
}

/* An address space that is large stays, for its samples, until it is empty. */
static void keep_dying(struct unmapped_space *space, const struct op_unmapping *unmapping)
{
	if (!unmapping->dying || !op_share_fits(&dying_shares, space->account, 1, DYING_MOST))
		return;
	mmgrab(unmapping->dying);
	space->dying = unmapping->dying;
	list_add(&space->dying_list, &dying_spaces);
	op_share_take(&dying_shares, space->account, 1);
}

static bool remember_end(const struct op_unmapping *unmapping, struct whose *whose)
{
	struct unmapped_space *space = space_for_unmapping(unmapping, whose);

	if (!space)
		return false;
	keep_dying(space, unmapping);
	end_space(space);
	return true;
}

/* Takes over @region if it is kept.  Returns false if it is lost. */
static bool remember_region(const struct op_unmapping *unmapping, struct whose *whose,
			    struct unmapped_region **region)
{
	struct unmapped_space *space = space_for_unmapping(unmapping, whose);

	if (!space)
		return false;
	/* As an address space ends, each mapping comes once. */
	if (!unmapping->exiting && (grow_newest(space, *region) || is_remembered(space, *region)))
		return true;
	if (!insert_region(space, *region)) {
		if (!space->nr && !space->ended)
			forget_space(space); /* it was made for this */
		return false;
	}
	*region = NULL;
	return true;
}

static void remember_unmapping(const struct op_unmapping *unmapping)
{
	struct whose whose = find_whose(unmapping);
	struct unmapped_region *region = NULL;
	bool remembered = false;

	if (unmapping->end)
		region = make_region(unmapping, whose.account);
	spin_lock(&regions_lock);
	if (!unmapping->end)
		remembered = remember_end(unmapping, &whose);
	else if (region)
		remembered = remember_region(unmapping, &whose, &region);
	spin_unlock(&regions_lock);
	if (whose.program != OPROFILE_INVALID_COOKIE)
		op_dcookie_unuse(whose.program);
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
		unmapping->epoch = atomic_fetch_inc(&op_mapping_epoch);
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
		.epoch = op_unmapped_epoch(), /* remember:A */
	};

	if (was_sampled(vma->vm_mm))
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
		.epoch = op_unmapped_epoch(), /* remember:A */
	};

	if (!was_sampled(vma->vm_mm))
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
		.epoch = atomic_fetch_inc(&op_mapping_epoch), /* remember:A */
	};

	if (!was_sampled(mm))
		return;
	if (get_mm_rss(mm) >= DYING_PAGES)
		unmapping.dying = mm;
	remember_or_postpone(&unmapping);
}

/* ---- finding ---- */

/* Where regions are looked for that bear upon @address: from gap->start to before gap->end. */
static void open_window(const struct unmapped_space *space, unsigned long address,
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
static struct unmapped_region *find_region(struct unmapped_space *space, unsigned long address,
					   u32 epoch, struct op_unmapped_image *gap)
{
	struct unmapped_region *region, *best = NULL;
	unsigned long first, last;

	open_window(space, address, gap);
	first = gap->start;
	last = gap->end - 1;
	for (region = region_tree_iter_first(&space->tree, first, last); region;
	     region = region_tree_iter_next(region, first, last)) {
		if (!not_later(epoch, region->epoch))
			continue;
		if (region->last < address)
			gap->start = max(gap->start, region->last + 1);
		else if (region->start > address)
			gap->end = min(gap->end, region->start);
		else if (!best || !not_later(best->epoch, region->epoch))
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
	struct unmapped_space *space;

	image->start = 0;
	image->end = ULONG_MAX;
	image->gone = false;
	op_postponed_take();
	/*
	 * The lock of the mappings, if the caller holds it, orders these: what is to be found was
	 * counted before the lock could be taken.  Without an address space to lock, the caller
	 * tries again later.
	 */
	if (!READ_ONCE(region_shares.total)) /* find:A */
		return false;

	spin_lock(&regions_lock);
	space = space_of_sample(mm, epoch);
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
	spin_unlock(&regions_lock);
	return region;
}

u64 op_unmapped_find_program(const struct mm_struct *mm, u32 epoch)
{
	const struct unmapped_space *space;
	u64 program;

	op_postponed_take();
	spin_lock(&regions_lock);
	space = space_of_sample(mm, epoch);
	program = space ? space->program : OPROFILE_INVALID_COOKIE;
	spin_unlock(&regions_lock);
	return program;
}

struct mm_struct *op_unmapped_grab_dying(const struct mm_struct *mm, u32 epoch)
{
	const struct unmapped_space *space;
	struct mm_struct *dying;

	op_postponed_take();
	spin_lock(&regions_lock);
	space = space_of_sample(mm, epoch);
	dying = space ? space->dying : NULL;
	if (dying)
		mmgrab(dying);
	spin_unlock(&regions_lock);
	return dying;
}

/* ---- forgetting ---- */

static void forget_region(struct unmapped_region *region)
{
	struct unmapped_space *space = region->space;

	lockdep_assert_held(&regions_lock);
	region_tree_remove(region, &space->tree);
	list_del(&region->list);
	op_share_give(&region_shares, region->account, 1);
	if (space->newest == region)
		space->newest = NULL;
	space->nr--;
	free_region(region);
	/* One that has ended is asked for its program, and goes by its own age. */
	if (!space->nr && !space->ended)
		forget_space(space);
}

/* The oldest ones; returns false when the oldest that is left is to stay. */
static bool forget_some_regions(u32 epoch)
{
	unsigned int left = FORGOTTEN_AT_ONCE;
	struct unmapped_region *region;

	spin_lock(&regions_lock);
	for (; left; left--) {
		region = list_first_entry_or_null(&regions_by_age, struct unmapped_region, list);
		if (!region || not_later(epoch, region->epoch))
			break;
		forget_region(region);
	}
	spin_unlock(&regions_lock);
	return !left;
}

/* Of those that ended before @epoch, and have no region; returns false when there is none. */
static bool forget_ended_space(u32 epoch)
{
	struct unmapped_space *space;
	struct mm_struct *dying = NULL;
	bool old;

	spin_lock(&regions_lock);
	space = list_first_entry_or_null(&ended_spaces, struct unmapped_space, list);
	old = space && !space->nr && !not_later(epoch, space->epoch);
	if (old)
		dying = forget_space(space);
	spin_unlock(&regions_lock);
	if (dying)
		mmdrop(dying); /* the last reference, perhaps: not under the lock */
	return old;
}

static void forget_before(u32 epoch)
{
	while (forget_some_regions(epoch))
		;
	while (forget_ended_space(epoch))
		;
}

/* Lets go of one address space that is empty by now; returns false if there is none. */
static bool let_one_die(void)
{
	struct unmapped_space *space;
	struct mm_struct *dead = NULL;

	spin_lock(&regions_lock);
	list_for_each_entry(space, &dying_spaces, dying_list) {
		if (mtree_empty(&space->dying->mm_mt)) {
			dead = let_die(space);
			break;
		}
	}
	spin_unlock(&regions_lock);
	if (dead)
		mmdrop(dead);
	return dead;
}

void op_unmapped_let_die(void)
{
	if (!READ_ONCE(dying_shares.total))
		return;
	while (let_one_die())
		;
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
	if (READ_ONCE(region_shares.total))
		op_unmapped_advance_epoch();
	period_epoch = op_unmapped_epoch();
	period_rcu_state = get_state_synchronize_rcu();
	period_rcu_started = false;
}

/* On a quiet machine no grace period ends unless it is asked for, which regions are worth. */
static void want_grace_period(void)
{
	if (period_rcu_started || !READ_ONCE(region_shares.total))
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

	region_cache = KMEM_CACHE(unmapped_region, 0);
	if (!region_cache)
		return -ENOMEM;
	err = op_postponed_set_up(remember_unmapping);
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
	struct unmapped_region *region, *next;

	op_postponed_tear_down();
	spin_lock(&regions_lock);
	list_for_each_entry_safe(region, next, &regions_by_age, list)
		forget_region(region); /* and spaces that have not ended */
	spin_unlock(&regions_lock);
	while (forget_ended_space(op_unmapped_epoch() + S32_MAX / 2)) /* later than all */
		;
	kmem_cache_destroy(region_cache);
}
