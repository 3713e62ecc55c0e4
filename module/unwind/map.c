// SPDX-License-Identifier: GPL-2.0-only
/*
 * Maps of address spaces: see map.h.
 *
 * A map is published while the mmap lock is held for reading.  So whatever is unmapped afterwards
 * finds it: munmap() takes mappings out of the tree under the lock for writing, before it calls the
 * hook.  An address space ends without the lock:
 *
 *	op_unwind_map_refresh()			the last user, then op_unwind_map_end()
 *	refresh:A  publish the map		end:A  give up the last mm_users (a full barrier)
 *	refresh:B  read mm_users		end:B  look for the map
 */
#include <linux/hash.h>
#include <linux/jiffies.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/rculist.h>
#include <linux/slab.h>

#include "images/dcookie.h"
#include "unwind/map.h"
#include "unwind/table.h"
#include "uapi/oprofile.h"

#define MAPS_ORDER 10
#define MAPPINGS_MOST 512 /* of a map; code of others has no table */
#define SCANNED_MOST 16384 /* mappings of an address space that are looked at */
#define SCANNED_IN_A_JIFFY 512 /* on an average, of one address space */
#define MAPS_PART 8 /* of the memory for unwind tables, this part at most */
#define MAP_AGE (60 * HZ) /* after which a map that sync does not meet goes */

static struct hlist_head unwind_maps[1 << MAPS_ORDER];
static LIST_HEAD(maps_by_use);
static size_t map_bytes;
static atomic64_t last_id = ATOMIC64_INIT(0);
static struct op_unwind_mapping found_mappings[MAPPINGS_MOST]; /* under op_unwind_mutex */

static struct hlist_head *map_head(const struct mm_struct *mm)
{
	return &unwind_maps[hash_ptr(mm, MAPS_ORDER)];
}

struct op_unwind_map *op_unwind_map_find(const struct mm_struct *mm)
{
	struct op_unwind_map *map;

	hlist_for_each_entry_rcu_notrace(map, map_head(mm), node) {
		if (READ_ONCE(map->mm) == mm)
			return map;
	}
	return NULL;
}

NOKPROBE_SYMBOL(op_unwind_map_find);

static size_t map_size(unsigned int nr)
{
	return struct_size((struct op_unwind_map *)NULL, mappings, nr);
}

static void let_map_go(struct op_unwind_map *map)
{
	lockdep_assert_held(&op_unwind_mutex);
	hlist_del_rcu(&map->node);
	list_del(&map->list);
	map_bytes -= map_size(map->nr);
	kfree_rcu(map, rcu);
}

/* ---- making ---- */

static bool vma_is_vdso(const struct vm_area_struct *vma)
{
#if defined(CONFIG_X86) && defined(CONFIG_X86_64)
	return vma->vm_start == (unsigned long)vma->vm_mm->context.vdso;
#else
	return false;
#endif
}

static void describe_vma(struct vm_area_struct *vma, u16 account,
			 struct op_unwind_mapping *mapping)
{
	u64 cookie = OPROFILE_NO_COOKIE;

	if (vma->vm_file)
		cookie = op_dcookie_get(vma->vm_file, account);
	else if (vma_is_vdso(vma))
		cookie = OPROFILE_VDSO_COOKIE;
	if (cookie == OPROFILE_INVALID_COOKIE)
		cookie = OPROFILE_NO_COOKIE;
	*mapping = (struct op_unwind_mapping){
		.start = vma->vm_start,
		.end = vma->vm_end,
		.offset = vma->vm_file ? op_vma_file_offset(vma, vma->vm_start) : 0,
		.cookie = cookie,
	};
	if (cookie != OPROFILE_NO_COOKIE)
		RCU_INIT_POINTER(mapping->table, op_unwind_table_find(cookie));
}

/* Returns how many there are in @found_mappings.  @scanned: of how many. */
static unsigned int find_mappings(struct mm_struct *mm, u16 account, unsigned int *scanned)
{
	VMA_ITERATOR(iterator, mm, 0);
	struct vm_area_struct *vma;
	unsigned int nr = 0;

	for_each_vma(iterator, vma) {
		if (*scanned == SCANNED_MOST || nr == MAPPINGS_MOST)
			break;
		++*scanned;
		if (vma->vm_flags & VM_EXEC)
			describe_vma(vma, account, &found_mappings[nr++]);
	}
	return nr;
}

/* Return: false if it is too large for what is there. */
static bool make_map_room(size_t size)
{
	size_t most = op_unwind_memory() / MAPS_PART;

	while (map_bytes + size > most) {
		if (list_empty(&maps_by_use))
			return false;
		let_map_go(list_last_entry(&maps_by_use, struct op_unwind_map, list));
	}
	return true;
}

/* @old: the one that it replaces, or NULL. */
static void make_map(struct mm_struct *mm, u16 account, struct op_unwind_map *old)
{
	unsigned int scanned = 0, nr = find_mappings(mm, account, &scanned);
	struct op_unwind_map *map;

	/* The process waits for its lock meanwhile. */
	map = kzalloc(map_size(nr), GFP_NOWAIT | __GFP_NOWARN);
	if (!map)
		return;
	if (old)
		let_map_go(old);
	if (!make_map_room(map_size(nr))) {
		kfree(map);
		return;
	}
	map->mm = mm;
	map->id = atomic64_inc_return(&last_id);
	map->touched = jiffies;
	map->again = jiffies + scanned / SCANNED_IN_A_JIFFY;
	map->nr = nr;
	memcpy(map->mappings, found_mappings, nr * sizeof(*found_mappings));
	map_bytes += map_size(nr);
	list_add(&map->list, &maps_by_use);
	hlist_add_head_rcu(&map->node, map_head(mm)); /* refresh:A */
	smp_mb(); /* with the one of end:A */
	if (!atomic_read(&mm->mm_users)) /* refresh:B */
		let_map_go(map);
}

/* ---- using ---- */

/*
 * All that it lacks, not only what was missed: a walk that gets further would miss the next.
 */
static void want_tables(struct op_unwind_map *map, u32 tgid)
{
	unsigned int i;

	WRITE_ONCE(map->missed, false);
	for (i = 0; i < map->nr; i++) {
		const struct op_unwind_mapping *mapping = &map->mappings[i];

		if (mapping->cookie != OPROFILE_NO_COOKIE && !rcu_access_pointer(mapping->table))
			op_unwind_table_want(mapping->cookie, tgid);
	}
}

static void touch_map(struct op_unwind_map *map)
{
	unsigned int i;

	map->touched = jiffies;
	list_move(&map->list, &maps_by_use);
	for (i = 0; i < map->nr; i++) {
		struct op_unwind_table *table =
			rcu_dereference_protected(map->mappings[i].table,
						  lockdep_is_held(&op_unwind_mutex));

		if (table)
			op_unwind_table_touch(table);
	}
}

void op_unwind_map_refresh(struct mm_struct *mm, u32 tgid, u16 account)
{
	struct op_unwind_map *map;

	mmap_assert_locked(mm);
	if (!atomic_read(&mm->mm_users)) /* no code of it will run */
		return;
	mutex_lock(&op_unwind_mutex);
	map = op_unwind_map_find(mm);
	if (map && READ_ONCE(map->missed))
		want_tables(map, tgid);
	if (!map || (READ_ONCE(map->stale) && time_after_eq(jiffies, map->again)))
		make_map(mm, account, map);
	else if (time_after(jiffies, map->touched + HZ))
		touch_map(map);
	mutex_unlock(&op_unwind_mutex);
}

static void set_table(struct op_unwind_table *table)
{
	struct op_unwind_map *map;
	unsigned int i;

	lockdep_assert_held(&op_unwind_mutex);
	list_for_each_entry(map, &maps_by_use, list) {
		for (i = 0; i < map->nr; i++) {
			if (map->mappings[i].cookie == table->cookie)
				rcu_assign_pointer(map->mappings[i].table, table);
		}
	}
}

static void drop_gone_tables(void)
{
	struct op_unwind_map *map;
	unsigned int i;

	list_for_each_entry(map, &maps_by_use, list) {
		for (i = 0; i < map->nr; i++) {
			struct op_unwind_table *table =
				rcu_dereference_protected(map->mappings[i].table,
							  lockdep_is_held(&op_unwind_mutex));

			if (table && table->gone)
				RCU_INIT_POINTER(map->mappings[i].table, NULL);
		}
	}
}

static const struct op_unwind_table_users maps_as_users = {
	.set_table = set_table,
	.drop_gone = drop_gone_tables,
};

void op_unwind_maps_set_up(void)
{
	op_unwind_tables_set_users(&maps_as_users);
}

void op_unwind_maps_age(void)
{
	struct op_unwind_map *map, *next;

	mutex_lock(&op_unwind_mutex);
	list_for_each_entry_safe(map, next, &maps_by_use, list) {
		if (!READ_ONCE(map->mm) || time_after(jiffies, map->touched + MAP_AGE))
			let_map_go(map);
	}
	mutex_unlock(&op_unwind_mutex);
}

void op_unwind_maps_forget(void)
{
	struct op_unwind_map *map, *next;

	mutex_lock(&op_unwind_mutex);
	list_for_each_entry_safe(map, next, &maps_by_use, list)
		let_map_go(map);
	mutex_unlock(&op_unwind_mutex);
}

/* ---- hooks ---- */

void op_unwind_map_add(const struct mm_struct *mm)
{
	struct op_unwind_map *map;

	rcu_read_lock();
	map = op_unwind_map_find(mm);
	if (map)
		WRITE_ONCE(map->stale, true);
	rcu_read_unlock();
}

void op_unwind_map_end(const struct mm_struct *mm)
{
	struct op_unwind_map *map;

	rcu_read_lock();
	map = op_unwind_map_find(mm); /* end:B */
	if (map)
		WRITE_ONCE(map->mm, NULL);
	rcu_read_unlock();
}

void op_unwind_map_remove(const struct mm_struct *mm, unsigned long start, unsigned long end)
{
	struct op_unwind_map *map;
	unsigned int i;

	rcu_read_lock();
	map = op_unwind_map_find(mm);
	for (i = 0; map && i < map->nr && map->mappings[i].start < end; i++) {
		struct op_unwind_mapping *mapping = &map->mappings[i];

		/* What is left of it will be in the next map. */
		if (READ_ONCE(mapping->end) > start) {
			WRITE_ONCE(mapping->end, mapping->start);
			WRITE_ONCE(map->stale, true);
			/* NMIs may remember rows by it. */
			WRITE_ONCE(map->id, atomic64_inc_return(&last_id));
		}
	}
	rcu_read_unlock();
}
