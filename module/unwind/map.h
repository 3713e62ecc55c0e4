/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The executable mappings of address spaces, with their unwind tables: what an NMI needs to know to
 * walk a stack.
 *
 * Sync makes the map of an address space when it meets a sample with callers there (the mmap lock
 * is only tried), and again when something was mapped since: at once, or, where many mappings must
 * be looked at for it, after a time that makes this cost little.  What is unmapped is taken out at
 * once, by the mapping hooks, as other code may be there next; what is mapped is missing until
 * then.  Maps go when nobody uses their address space any more, which a mapping hook tells, when
 * sync has not met it for a minute, when sampling stops, or, least recently used first, for the
 * sake of others: maps have an eighth of unwind_kb_max.
 *
 * NMIs are RCU readers; they read without a lock, and write op_unwind_map::missed only.
 */
#ifndef OPROFILE_UNWIND_MAP_H
#define OPROFILE_UNWIND_MAP_H

#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/types.h>

struct mm_struct;
struct op_unwind_table;

/**
 * struct op_unwind_mapping - executable memory
 * @start, @end: addresses; @end is written as @start when it is unmapped
 * @offset: of @start in the image
 * @cookie: of the image; OPROFILE_NO_COOKIE: it has none
 * @table: NULL: there is none (yet)
 */
struct op_unwind_mapping {
	unsigned long start;
	unsigned long end;
	u64 offset;
	u64 cookie;
	struct op_unwind_table __rcu *table;
};

/**
 * struct op_unwind_map - of an address space
 * @node: of the maps by address space
 * @list: of the maps, the one used least recently last
 * @mm: where its mm_struct is; compared, never followed.  NULL: it has ended
 * @id: no two maps have the same one, nor one map before and after something was unmapped
 * @stale: something was mapped or unmapped since it was made
 * @missed: a chain has ended for the lack of a table
 * @touched: jiffies when sync last met it
 * @again: jiffies from when on it may be made anew
 * @nr: of @mappings, in order
 *
 * Lifetime: made by op_unwind_map_refresh(); freed by kfree_rcu() when another one replaces it, by
 * op_unwind_maps_age(), or by op_unwind_maps_forget().
 */
struct op_unwind_map {
	struct hlist_node node;
	struct list_head list;
	struct rcu_head rcu;
	const struct mm_struct *mm;
	u64 id;
	bool stale;
	bool missed;
	unsigned long touched;
	unsigned long again;
	unsigned int nr;
	struct op_unwind_mapping mappings[];
};

/**
 * op_unwind_map_find - the map of an address space
 *
 * Context: an RCU reader, NMI too; what it returns is there as long.  Return: NULL: none.
 */
struct op_unwind_map *op_unwind_map_find(const struct mm_struct *mm);

/**
 * op_unwind_map_refresh - make the map of an address space, or make it anew, if needed
 * @mm: locked for reading; the caller has a reference
 * @tgid: of a process that has it
 * @account: of its user
 *
 * Context: process.  Without memory there is no map, or the one there was.
 */
void op_unwind_map_refresh(struct mm_struct *mm, u32 tgid, u16 account);

/* Lets go of maps that are not in use.  Context: process. */
void op_unwind_maps_age(void);

/*
 * Memory is mapped in an address space, or unmapped.  Lock-free and bounded.  Context: as of
 * op_unmapped_remember(): process, atomic, or NMI.
 */
void op_unwind_map_add(const struct mm_struct *mm);
void op_unwind_map_remove(const struct mm_struct *mm, unsigned long start, unsigned long end);

/* An address space without users ends.  Lock-free.  Context: as of op_unwind_map_add(). */
void op_unwind_map_end(const struct mm_struct *mm);

/* Maps follow the tables that are loaded and dropped.  Context: process; before both. */
void op_unwind_maps_set_up(void);

/* Lets go of all maps.  Context: process. */
void op_unwind_maps_forget(void);

#endif
