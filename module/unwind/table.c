// SPDX-License-Identifier: GPL-2.0-only
/*
 * Unwind tables: see table.h.
 *
 * A table is copied and looked at before anybody can find it, and its room is reserved before it
 * is copied, so that what is there, together with what is being loaded, is within the budget.
 */
#include <linux/atomic.h>
#include <linux/hashtable.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "unwind/table.h"
#include "uapi/oprofile.h"

static unsigned int unwind_kb_max = 131072;
module_param(unwind_kb_max, uint, 0644);
MODULE_PARM_DESC(unwind_kb_max, "memory for unwind tables, KiB (default 131072)");

#define OWNER_PART 4 /* of the memory, tables of one user's files have this part at most */
#define WANTED_MOST 64 /* that the daemon has not asked for yet; others are wanted again */

DEFINE_MUTEX(op_unwind_mutex); /* see table.h */

static const struct op_unwind_table_users *table_users;
static DEFINE_HASHTABLE(unwind_tables, 10);
static LIST_HEAD(tables_by_use);
static unsigned long bytes_reserved; /* of tables, and of what is being loaded */
static unsigned long nr_tables;
static struct oprofile_unwind_wanted wanted_tables[WANTED_MOST];
static unsigned int nr_wanted;
static atomic_long_t nr_dropped = ATOMIC_LONG_INIT(0);
static atomic_long_t nr_refused = ATOMIC_LONG_INIT(0);

unsigned long op_unwind_memory(void)
{
	return (unsigned long)READ_ONCE(unwind_kb_max) * 1024;
}

NOKPROBE_SYMBOL(op_unwind_memory);

void op_unwind_tables_set_users(const struct op_unwind_table_users *users)
{
	table_users = users;
}

static struct op_unwind_table *look_for_table(u64 cookie)
{
	struct op_unwind_table *table;

	lockdep_assert_held(&op_unwind_mutex);
	hash_for_each_possible(unwind_tables, table, node, cookie) {
		if (table->cookie == cookie)
			return table;
	}
	return NULL;
}

void op_unwind_table_touch(struct op_unwind_table *table)
{
	lockdep_assert_held(&op_unwind_mutex);
	list_move(&table->list, &tables_by_use);
}

struct op_unwind_table *op_unwind_table_find(u64 cookie)
{
	struct op_unwind_table *table = look_for_table(cookie);

	if (table)
		op_unwind_table_touch(table);
	return table;
}

/* ---- letting go ---- */

/* Takes it from those that can be found, and puts it to those that are gone. */
static void take_out(struct op_unwind_table *table, struct list_head *gone)
{
	lockdep_assert_held(&op_unwind_mutex);
	hash_del(&table->node);
	WRITE_ONCE(nr_tables, nr_tables - 1);
	table->gone = true;
	list_move(&table->list, gone);
}

/* No map has them any more.  Returns how much room that makes. */
static unsigned long free_tables(struct list_head *gone)
{
	struct op_unwind_table *table, *next;
	unsigned long bytes = 0;

	if (!list_empty(gone))
		synchronize_rcu(); /* NMIs that have found them in a map are over */
	list_for_each_entry_safe(table, next, gone, list) {
		bytes += table->size;
		kvfree(table);
		cond_resched();
	}
	return bytes;
}

static void give_room_back(size_t size)
{
	mutex_lock(&op_unwind_mutex);
	WRITE_ONCE(bytes_reserved, bytes_reserved - size);
	mutex_unlock(&op_unwind_mutex);
}

/* ---- room ---- */

/* Bytes that memory of this size takes, at most: kvmalloc() rounds up. */
static size_t room_of(size_t size)
{
	return size <= PAGE_SIZE ? PAGE_SIZE : PAGE_ALIGN(kmalloc_size_roundup(size));
}

static unsigned long bytes_of_owner(u32 owner)
{
	struct op_unwind_table *table;
	unsigned long bytes = 0;

	list_for_each_entry(table, &tables_by_use, list) {
		if (table->owner == owner)
			bytes += table->size;
	}
	return bytes;
}

/*
 * Takes out tables of an owner, of all if that is root, until those that there are have @most bytes
 * instead of @bytes.  Returns how many they have.
 */
static unsigned long drop_tables(u32 owner, unsigned long bytes, unsigned long most,
				 struct list_head *gone)
{
	struct op_unwind_table *table, *next;

	list_for_each_entry_safe_reverse(table, next, &tables_by_use, list) {
		if (bytes <= most)
			break;
		if (owner && table->owner != owner)
			continue;
		bytes -= table->size;
		take_out(table, gone);
		atomic_long_inc(&nr_dropped);
	}
	return bytes;
}

/* Takes out what is to go so that there will be room.  Return: false if there can be none. */
static bool make_room(size_t size, u32 owner, struct list_head *gone)
{
	unsigned long most = op_unwind_memory(), part = most / OWNER_PART;
	unsigned long left = bytes_reserved;
	bool fits = size <= (owner ? part : most);

	lockdep_assert_held(&op_unwind_mutex);
	if (!fits) /* nothing goes for it, only what is too much without it */
		size = 0;
	if (owner && size) {
		unsigned long has = bytes_of_owner(owner);

		left -= has - drop_tables(owner, has, part - size, gone);
	}
	left = drop_tables(0, left, most - size, gone);
	if (!list_empty(gone))
		table_users->drop_gone();
	return fits && left <= most - size;
}

static int reserve_room(size_t size, u32 owner)
{
	unsigned long freed;
	LIST_HEAD(gone);
	bool room;

	if (mutex_lock_killable(&op_unwind_mutex))
		return -EINTR;
	room = make_room(size, owner, &gone);
	if (room)
		WRITE_ONCE(bytes_reserved, bytes_reserved + size);
	mutex_unlock(&op_unwind_mutex);
	freed = free_tables(&gone);
	if (freed)
		give_room_back(freed);
	return room ? 0 : -ENOSPC;
}

/* ---- loading ---- */

static bool table_is_valid(const struct unwind_table *table, size_t size)
{
	u32 page;

	if (!unwind_table_has_head(table, size))
		return false;
	for (page = 0; page < table->pages; page++) {
		if (!unwind_table_has_page(table, page))
			return false;
		cond_resched();
	}
	return true;
}

/* Return: a table that nobody knows yet, or an error. */
static struct op_unwind_table *copy_table(const struct oprofile_unwind *unwind, size_t all)
{
	struct op_unwind_table *table;
	size_t size = unwind->size;

	table = kvmalloc(all, GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN);
	if (!table)
		return ERR_PTR(-ENOMEM);
	/* not by the name of the head, which is shorter */
	if (copy_from_user((void *)table + all - size, u64_to_user_ptr(unwind->table), size)) {
		kvfree(table);
		return ERR_PTR(-EFAULT);
	}
	if (!table_is_valid(&table->table, size)) {
		kvfree(table);
		return ERR_PTR(-EINVAL);
	}
	table->cookie = unwind->cookie;
	table->owner = unwind->owner;
	table->size = room_of(all);
	table->gone = false;
	return table;
}

static void publish_table(struct op_unwind_table *table)
{
	struct op_unwind_table *old;
	unsigned long freed;
	LIST_HEAD(gone);

	mutex_lock(&op_unwind_mutex);
	old = look_for_table(table->cookie);
	if (old)
		take_out(old, &gone);
	hash_add(unwind_tables, &table->node, table->cookie);
	list_add(&table->list, &tables_by_use);
	WRITE_ONCE(nr_tables, nr_tables + 1);
	table_users->set_table(table);
	mutex_unlock(&op_unwind_mutex);
	freed = free_tables(&gone);
	if (freed)
		give_room_back(freed);
}

static int load_table(const struct oprofile_unwind *unwind)
{
	size_t all = offsetof(struct op_unwind_table, table) + unwind->size;
	struct op_unwind_table *table;
	int err;

	err = reserve_room(room_of(all), unwind->owner);
	if (err)
		return err;
	table = copy_table(unwind, all);
	if (IS_ERR(table)) {
		give_room_back(room_of(all));
		return PTR_ERR(table);
	}
	publish_table(table);
	return 0;
}

int op_unwind_table_load(const struct oprofile_unwind *unwind)
{
	int err = -EINVAL;

	if (unwind->cookie != OPROFILE_NO_COOKIE && unwind->cookie <= OPROFILE_VDSO_COOKIE &&
	    unwind->size >= sizeof(struct unwind_table) + sizeof(u32) &&
	    unwind->size <= UNWIND_TABLE_MOST && !unwind->unused)
		err = load_table(unwind);
	if (err)
		atomic_long_inc(&nr_refused);
	return err;
}

/* ---- wanting ---- */

void op_unwind_table_want(u64 cookie, u32 tgid)
{
	unsigned int i;

	lockdep_assert_held(&op_unwind_mutex);
	for (i = 0; i < nr_wanted; i++) {
		if (wanted_tables[i].cookie == cookie)
			return;
	}
	if (nr_wanted < WANTED_MOST)
		wanted_tables[nr_wanted++] = (struct oprofile_unwind_wanted){ cookie, tgid, 0 };
}

void op_unwind_table_wanted(struct oprofile_unwind_wanted *tell)
{
	*tell = (struct oprofile_unwind_wanted){ .cookie = OPROFILE_NO_COOKIE };
	mutex_lock(&op_unwind_mutex);
	if (nr_wanted)
		*tell = wanted_tables[--nr_wanted];
	mutex_unlock(&op_unwind_mutex);
}

unsigned long op_unwind_tables_bytes(void)
{
	return READ_ONCE(bytes_reserved);
}

unsigned long op_unwind_tables_count(void)
{
	return READ_ONCE(nr_tables);
}

unsigned long op_unwind_tables_dropped(void)
{
	return atomic_long_read(&nr_dropped);
}

unsigned long op_unwind_tables_refused(void)
{
	return atomic_long_read(&nr_refused);
}

void op_unwind_tables_reset(void)
{
	atomic_long_set(&nr_dropped, 0);
	atomic_long_set(&nr_refused, 0);
}

void op_unwind_tables_tear_down(void)
{
	struct op_unwind_table *table, *next;
	LIST_HEAD(gone);

	mutex_lock(&op_unwind_mutex);
	list_for_each_entry_safe(table, next, &tables_by_use, list)
		take_out(table, &gone);
	nr_wanted = 0;
	mutex_unlock(&op_unwind_mutex);
	give_room_back(free_tables(&gone));
}
