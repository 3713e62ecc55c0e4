/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The unwind tables of images (uapi/unwind.h), by cookie: the daemon loads them, maps.h gives them
 * to address spaces, walk.h walks stacks by them in NMI.
 *
 * They are bounded by unwind_kb_max, a module parameter: the least recently used ones go.  Those of
 * the files of one user have a quarter of it, so that nobody's programs take all.  What chains have
 * ended for the lack of is wanted, until the daemon has asked for its cookie.
 */
#ifndef OPROFILE_UNWIND_TABLE_H
#define OPROFILE_UNWIND_TABLE_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>

#include "uapi/unwind.h"

struct oprofile_unwind;
struct oprofile_unwind_wanted;

/* Owns tables and maps; inside of mmap_lock, outside of cookies_lock. */
extern struct mutex op_unwind_mutex;

/**
 * struct op_unwind_table - the table of an image
 * @node: of the tables by cookie
 * @list: of the tables, the one used least recently last; or of those that are being freed
 * @cookie: of the image
 * @owner: user of the image's file
 * @size: bytes that it counts in the budget
 * @gone: it is being freed, and no map may have it
 * @table: all its rows are valid
 *
 * Lifetime: made by op_unwind_table_load(); freed by it, or by op_unwind_tables_tear_down(), when
 * no map has it any more and an RCU grace period has passed: NMIs are readers.
 */
struct op_unwind_table {
	struct hlist_node node;
	struct list_head list;
	u64 cookie;
	u32 owner;
	size_t size;
	bool gone;
	struct unwind_table table;
};

/**
 * op_unwind_table_load - take over the table of an image
 * @unwind: what is loaded; a table that the image has is replaced
 *
 * Context: process, may sleep.  Return: 0; -EINVAL: no valid table, or no such cookie; -ENOSPC: it
 * is larger than the budget; -ENOMEM; -EFAULT; -EINTR.
 */
int op_unwind_table_load(const struct oprofile_unwind *unwind);

/* The table of an image, or NULL; it is used now.  Under op_unwind_mutex. */
struct op_unwind_table *op_unwind_table_find(u64 cookie);

/**
 * struct op_unwind_table_users - who has pointers to tables: maps (map.h)
 * @set_table: the image of a table has it from now on
 * @drop_gone: tables that are op_unwind_table::gone may not be found any more
 *
 * Both under op_unwind_mutex.
 */
struct op_unwind_table_users {
	void (*set_table)(struct op_unwind_table *table);
	void (*drop_gone)(void);
};

/* Context: process, before the first table is loaded.  @users: static. */
void op_unwind_tables_set_users(const struct op_unwind_table_users *users);

/* A table is used now.  Under op_unwind_mutex. */
void op_unwind_table_touch(struct op_unwind_table *table);

/* A chain of a process has ended for the lack of a table.  Under op_unwind_mutex. */
void op_unwind_table_want(u64 cookie, u32 tgid);

/* A table that is wanted, once; without a cookie if none is.  Context: process. */
void op_unwind_table_wanted(struct oprofile_unwind_wanted *tell);

/* Bytes that all tables may take.  Any context. */
unsigned long op_unwind_memory(void);

/* Of the statistics: what there is, and happened since the last reset.  Any context but NMI. */
unsigned long op_unwind_tables_bytes(void);
unsigned long op_unwind_tables_count(void);
unsigned long op_unwind_tables_dropped(void);
unsigned long op_unwind_tables_refused(void);
void op_unwind_tables_reset(void);

/* Forgets all tables; no map and no producer may be left.  Context: process, may sleep. */
void op_unwind_tables_tear_down(void);

#endif
