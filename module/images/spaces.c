// SPDX-License-Identifier: GPL-2.0-only
/*
 * Address spaces of which something is remembered; see spaces.h.
 *
 * All are in one tree by where the mm_struct was; of those that were in one place, the earlier ones
 * have ended, and are before the later ones.
 */
#include <linux/file.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/rbtree.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "images/account.h"
#include "images/dcookie.h"
#include "images/marks.h"
#include "images/postponed.h"
#include "images/spaces.h"
#include "uapi/oprofile.h"

unsigned int op_regions_max = 65536; /* about 7 MB; a storm of exits between two syncs */
module_param_named(regions_max, op_regions_max, uint, 0644);
MODULE_PARM_DESC(regions_max, "mappings that have gone and are remembered (default 65536)");

#define DYING_MOST 16 /* address spaces that are kept; of them each user has a share */

static struct rb_root spaces_tree = RB_ROOT;
static LIST_HEAD(ended_spaces); /* in the order of their ends */
DEFINE_SPINLOCK(op_spaces_lock);
struct op_shares op_region_shares, op_dying_shares;
static LIST_HEAD(dying_spaces); /* few, whereas any number has ended */

#define space_of_node(of) rb_entry(of, struct op_space, node)

/* The last one that was at @mm; NULL: there is none. */
static struct op_space *newest_space(const struct mm_struct *mm)
{
	struct op_space *newest = NULL;
	struct rb_node *node = spaces_tree.rb_node;

	while (node) {
		struct op_space *space = space_of_node(node);

		if (space->mm == mm)
			newest = space;
		node = space->mm <= mm ? node->rb_right : node->rb_left;
	}
	return newest;
}

struct op_space *op_space_of_sample(const struct mm_struct *mm, u32 epoch)
{
	struct op_space *found = NULL;
	struct rb_node *node = spaces_tree.rb_node;

	while (node) {
		struct op_space *space = space_of_node(node);
		bool earlier = space->ended && !op_epoch_not_later(epoch, space->epoch);

		if (space->mm == mm && !earlier)
			found = space;
		node = space->mm < mm || (space->mm == mm && earlier) ? node->rb_right :
									node->rb_left;
	}
	return found;
}

/* Behind those that were in the same place. */
static void insert_space(struct op_space *added)
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

/* It takes over the use of @program. */
static struct op_space *make_space(const struct op_unmapping *unmapping, u16 account, u64 *program)
{
	struct op_space *space;

	lockdep_assert_held(&op_spaces_lock);
	if (!op_share_fits(&op_region_shares, account, 1, READ_ONCE(op_regions_max)))
		return NULL;
	space = kzalloc(sizeof(*space), OP_REMEMBER_FLAGS);
	if (!space)
		return NULL;
	space->mm = unmapping->mm;
	space->exe = unmapping->exe;
	space->program = *program;
	*program = OPROFILE_INVALID_COOKIE;
	space->account = account;
	space->tree = RB_ROOT_CACHED;
	op_share_take(&op_region_shares, space->account, 1);
	insert_space(space);
	return space;
}

/* Returns what is to be dropped without the lock; or NULL. */
static struct mm_struct *let_die(struct op_space *space)
{
	struct mm_struct *dying = space->dying;

	lockdep_assert_held(&op_spaces_lock);
	if (!dying)
		return NULL;
	list_del(&space->dying_list);
	space->dying = NULL;
	op_share_give(&op_dying_shares, space->account, 1);
	return dying;
}

/* As let_die(). */
static struct mm_struct *forget_space(struct op_space *space)
{
	struct mm_struct *dying = let_die(space);

	rb_erase(&space->node, &spaces_tree);
	if (space->ended)
		list_del(&space->list);
	op_share_give(&op_region_shares, space->account, 1);
	op_dcookie_unuse(space->program);
	kfree(space);
	return dying;
}

/* An address space that is large stays, for its samples, until it is empty. */
static void keep_dying(struct op_space *space, const struct op_unmapping *unmapping)
{
	if (!unmapping->dying || !op_share_fits(&op_dying_shares, space->account, 1, DYING_MOST))
		return;
	mmgrab(unmapping->dying);
	space->dying = unmapping->dying;
	list_add(&space->dying_list, &dying_spaces);
	op_share_take(&op_dying_shares, space->account, 1);
}

static void end_space(struct op_space *space)
{
	space->ended = true;
	list_add_tail(&space->list, &ended_spaces);
}

void op_space_end(struct op_space *space, const struct op_unmapping *unmapping)
{
	keep_dying(space, unmapping);
	end_space(space);
}

/*
 * The space that something which goes away belongs to; NULL: there is none yet.
 *
 * Where the end of an address space was not written down, as there was no memory or no sample for
 * long, another program tells that the newest space is of a process before.  That one had no sample
 * behind its @epoch which is still to be resolved, or loses it.
 */
static struct op_space *space_of_unmapping(const struct op_unmapping *unmapping)
{
	bool of_ending = unmapping->exiting && unmapping->end;
	struct op_space *space = newest_space(unmapping->mm);

	if (!space || (space->ended && !of_ending))
		return NULL;
	if (space->exe == unmapping->exe)
		return space;
	if (!space->ended)
		end_space(space);
	return NULL;
}

struct op_space_owner op_space_find_owner(const struct op_unmapping *unmapping)
{
	struct op_space_owner owner = { .program = OPROFILE_INVALID_COOKIE };
	struct file *program = unmapping->program;
	const struct op_space *space;

	spin_lock(&op_spaces_lock);
	space = space_of_unmapping(unmapping);
	if (space)
		owner.account = space->account;
	spin_unlock(&op_spaces_lock);
	if (space)
		return owner;
	if (unmapping->live) { /* in the process itself */
		owner.account = op_account_of_current();
		program = compat_mm_exe_file(unmapping->live);
	} else {
		owner.account = unmapping->account;
	}
	if (program)
		owner.program = op_dcookie_use(program, owner.account);
	if (program && unmapping->live)
		fput(program);
	return owner;
}

void op_space_drop_owner(const struct op_space_owner *owner)
{
	if (owner->program != OPROFILE_INVALID_COOKIE)
		op_dcookie_unuse(owner->program);
}

struct op_space *op_space_for_unmapping(const struct op_unmapping *unmapping,
					struct op_space_owner *owner)
{
	struct op_space *space = space_of_unmapping(unmapping);

	if (!space)
		space = make_space(unmapping, owner->account, &owner->program);
	if (space)
		space->epoch = unmapping->epoch;
	return space;
}

void op_space_forget_empty(struct op_space *space)
{
	if (!space->nr && !space->ended)
		forget_space(space); /* nothing is dying that has not ended */
}

/* Of those that ended before @epoch, and have no region; returns false when there is none. */
static bool forget_ended_space(u32 epoch)
{
	struct op_space *space;
	struct mm_struct *dying = NULL;
	bool old;

	spin_lock(&op_spaces_lock);
	space = list_first_entry_or_null(&ended_spaces, struct op_space, list);
	old = space && !space->nr && !op_epoch_not_later(epoch, space->epoch);
	if (old)
		dying = forget_space(space);
	spin_unlock(&op_spaces_lock);
	if (dying)
		mmdrop(dying); /* the last reference, perhaps: not under the lock */
	return old;
}

void op_spaces_forget_ended(u32 epoch)
{
	while (forget_ended_space(epoch))
		;
}

/* Lets go of one address space that is empty by now; returns false if there is none. */
static bool let_one_die(void)
{
	struct op_space *space;
	struct mm_struct *dead = NULL;

	spin_lock(&op_spaces_lock);
	list_for_each_entry(space, &dying_spaces, dying_list) {
		if (mtree_empty(&space->dying->mm_mt)) {
			dead = let_die(space);
			break;
		}
	}
	spin_unlock(&op_spaces_lock);
	if (dead)
		mmdrop(dead);
	return dead;
}

void op_spaces_let_die(void)
{
	if (!READ_ONCE(op_dying_shares.total))
		return;
	while (let_one_die())
		;
}

