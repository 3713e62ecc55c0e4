/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Address spaces of which unmapped regions (unmapped.h) are remembered, or that have ended.
 *
 * An address space is known by where its mm_struct was.  The memory of one that has ended can be
 * that of the next, so there can be several of the same place: at most the last of them has not
 * ended, and a sample is of the first that ended no earlier than the sample's epoch (marks.h).
 *
 * It has the program that the address space ran, and the account of its user.  One that has ended
 * stays, also without regions, until no sample can ask for its program.
 */
#ifndef OPROFILE_SPACES_H
#define OPROFILE_SPACES_H

#include <linux/list.h>
#include <linux/mm.h>
#include <linux/rbtree.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "images/account.h"
#include "images/postponed.h"

struct unmapped_region;

extern spinlock_t op_spaces_lock; /* of all spaces and their regions; hooks wait for it */

extern unsigned int op_regions_max; /* module parameter: regions, and spaces, which count as one */
/* Of those, and of address spaces that are kept as they end; under op_spaces_lock. */
extern struct op_shares op_region_shares, op_dying_shares;

/* Without the reserves, which are not for a process to use up. */
#define OP_REMEMBER_FLAGS (GFP_NOWAIT | __GFP_NOWARN)

/* An address space that has so many pages when it ends is kept until it is empty. */
#define OP_DYING_PAGES (SZ_64M >> PAGE_SHIFT)

/**
 * struct op_space - an address space that regions are remembered of
 * @node: of all spaces
 * @list: of those that have ended, if it has
 * @mm, @exe: where its mm_struct and its exe_file were; compared, never followed
 * @dying: the same with a reference, if it is large and about to end; else NULL
 * @dying_list: of those that have one
 * @ended: nobody has it any more
 * @account: of its user: the space counts as one region
 * @epoch: of what was remembered of it last; when it has ended, no sample of it is of a later one
 * @nr: number of regions
 * @tree: of its regions, by address; unmapped.c
 * @newest: the region that was remembered last; NULL: it has been forgotten
 * @program: cookie of its program; the space uses it
 *
 * Lifetime: under op_spaces_lock, until op_space_forget().
 */
struct op_space {
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

/*
 * The one at @mm that a sample of @epoch is of; NULL: nothing of it is remembered.  Under
 * op_spaces_lock.
 */
struct op_space *op_space_of_sample(const struct mm_struct *mm, u32 epoch);

/**
 * struct op_space_owner - what of an unmapping is the same for all of its address space
 * @account: of its user
 * @program: cookie of its program, in use; OPROFILE_INVALID_COOKIE: none, or there is a space
 *
 * It costs more to find out than what is known of the unmapping.
 */
struct op_space_owner {
	u16 account;
	u64 program;
};

/* Takes op_spaces_lock.  Context: as op_unmapped_remember(), where locks may be taken; process. */
struct op_space_owner op_space_find_owner(const struct op_unmapping *unmapping);

/* If no space has taken over the use of the program. */
void op_space_drop_owner(const struct op_space_owner *owner);

/*
 * The space that something which goes away belongs to, if need be a new one; NULL: there is no room
 * for it.  Under op_spaces_lock.
 */
struct op_space *op_space_for_unmapping(const struct op_unmapping *unmapping,
					struct op_space_owner *owner);

/*
 * The address space has ended; if it is large (@unmapping->dying), it stays for its samples until
 * it is empty.  Under op_spaces_lock.
 */
void op_space_end(struct op_space *space, const struct op_unmapping *unmapping);

/*
 * If no region of it is left, and it has not ended: one that has is asked for its program, and goes
 * by its own age.  Under op_spaces_lock.
 */
void op_space_forget_empty(struct op_space *space);

/* Forgets those that ended before @epoch and have no region, oldest first.  Context: process. */
void op_spaces_forget_ended(u32 epoch);

/* Lets go of address spaces that were large, and are empty by now.  Context: process; each sync. */
void op_spaces_let_die(void);

#endif
