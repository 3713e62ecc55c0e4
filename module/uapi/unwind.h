/* SPDX-License-Identifier: GPL-2.0-only OR GPL-2.0-or-later */
/*
 * Unwind tables: how to find the caller of code, by its offset in an image.  The daemon makes them,
 * the kernel module loads them, and both walk stacks by them.
 *
 * A table is one piece of memory without pointers, in the machine's byte order:
 *
 *	struct unwind_table | __u32 index[pages + 1] | struct unwind_row row[rows]
 *
 * index[p] is the first row of page p, index[pages] the number of rows.  Rows are in order of
 * their offsets, of which each has one row at most.  Eight bytes hold the rules that nearly all
 * code needs.
 */
#ifndef OPROFILE_UNWIND_H
#define OPROFILE_UNWIND_H

#include <linux/types.h>

#ifdef __KERNEL__
#include <linux/build_bug.h>
#include <linux/nospec.h>
#include <linux/stddef.h>
#else
#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#endif

/* Where the canonical frame address (CFA) is: the stack pointer before the call. */
enum unwind_cfa {
	UNWIND_NONE,  /* nothing is said of this code */
	UNWIND_STOP,  /* what is said is no simple rule */
	UNWIND_ROOT,  /* the code has no caller */
	UNWIND_SP,    /* stack pointer + @cfa */
	UNWIND_FP,    /* frame pointer + @cfa */
	UNWIND_AT_SP, /* the word at (stack pointer + @cfa), + extra */
	UNWIND_AT_FP, /* the word at (frame pointer + @cfa), + extra */
	UNWIND_PLT,   /* stack pointer + @cfa, + 8 from byte number extra of each 16 bytes on */
	UNWIND_OTHER, /* the register that DWARF gives the number extra, + @cfa */
};

/* Where the caller's frame pointer is. */
enum unwind_fp {
	UNWIND_FP_SAME,	   /* it was not changed */
	UNWIND_FP_AT_CFA,  /* CFA + @fp */
	UNWIND_FP_AT_BASE, /* @fp + the register that the CFA is found with */
	UNWIND_FP_LOST,
};

/* The size of a word.  @cfa, @fp and the extra of UNWIND_AT_SP and UNWIND_AT_FP are in words. */
#define UNWIND_WORD 8

/* Of struct unwind_row::cfa_in: enum unwind_cfa, and the extra above it. */
#define UNWIND_CFA_MASK 0x0f
#define UNWIND_EXTRA_SHIFT 4
#define UNWIND_EXTRA_MOST 15

/* Of struct unwind_row::fp_in: enum unwind_fp. */
#define UNWIND_FP_MASK 0x03
/* The return address is not the word below the CFA, but the one behind the word with the CFA. */
#define UNWIND_RETURN_BEHIND 0x40
/* A signal frame: the return address is that of the instruction that was interrupted. */
#define UNWIND_SIGNAL 0x80

/**
 * struct unwind_row - it is valid up to the next row
 * @at: the offset, from the start of a page
 * @cfa_in: enum unwind_cfa, and extra
 * @fp_in: enum unwind_fp, UNWIND_RETURN_BEHIND, UNWIND_SIGNAL
 * @cfa, @fp: offsets, in words
 */
struct unwind_row {
	__u16 at;
	__u8 cfa_in;
	__u8 fp_in;
	__s16 cfa;
	__s16 fp;
};

static_assert(sizeof(struct unwind_row) == 8, "a row has eight bytes");

static inline enum unwind_cfa unwind_row_cfa(const struct unwind_row *row)
{
	return (enum unwind_cfa)(row->cfa_in & UNWIND_CFA_MASK);
}

static inline unsigned int unwind_row_extra(const struct unwind_row *row)
{
	return row->cfa_in >> UNWIND_EXTRA_SHIFT;
}

static inline enum unwind_fp unwind_row_fp(const struct unwind_row *row)
{
	return (enum unwind_fp)(row->fp_in & UNWIND_FP_MASK);
}

static inline bool unwind_row_is_signal(const struct unwind_row *row)
{
	return row->fp_in & UNWIND_SIGNAL;
}

/* Does it say something that there is? */
static inline bool unwind_row_is_valid(const struct unwind_row *row)
{
	return unwind_row_cfa(row) <= UNWIND_OTHER &&
	       !(row->fp_in & ~(UNWIND_FP_MASK | UNWIND_RETURN_BEHIND | UNWIND_SIGNAL));
}

/* Offsets of one page of the index, in bits. */
#define UNWIND_PAGE_BITS 16

/* Pages of an image at most: its code is in the first 4 GiB. */
#define UNWIND_PAGES_MOST 65536u

/* Bytes of a table at most: eight million rows.  Those of browsers have three million. */
#define UNWIND_TABLE_MOST (64u << 20)

#define UNWIND_MAGIC 0x7477706f /* "opwt" */
#define UNWIND_VERSION 1

/**
 * struct unwind_table - the head of a table
 * @magic: UNWIND_MAGIC
 * @version: UNWIND_VERSION
 * @pages: of @index
 * @rows: that follow it
 * @ranges: of code that the image describes
 * @refused: ranges that are not in the table: what describes them is invalid
 * @stops: rows of UNWIND_STOP
 * @unused: 0
 * @index: the first row of each page
 */
struct unwind_table {
	__u32 magic;
	__u32 version;
	__u32 pages;
	__u32 rows;
	__u32 ranges;
	__u32 refused;
	__u32 stops;
	__u32 unused;
	__u32 index[];
};

static inline const struct unwind_row *unwind_table_rows(const struct unwind_table *table)
{
	return (const struct unwind_row *)(table->index + table->pages + 1);
}

/* Bytes of the table. */
static inline __u64 unwind_table_size(const struct unwind_table *table)
{
	return sizeof(*table) + ((__u64)table->pages + 1) * sizeof(*table->index) +
	       (__u64)table->rows * sizeof(struct unwind_row);
}

/* Whether a table that came from elsewhere, of so many bytes, has a valid head. */
static inline bool unwind_table_has_head(const struct unwind_table *table, __u64 bytes)
{
	return bytes >= sizeof(*table) && table->magic == UNWIND_MAGIC &&
	       table->version == UNWIND_VERSION && table->pages <= UNWIND_PAGES_MOST &&
	       unwind_table_size(table) == bytes && !table->index[0] &&
	       table->index[table->pages] == table->rows;
}

/* Whether the rows of a page, in a table with a valid head, are those of its index, and valid. */
static inline bool unwind_table_has_page(const struct unwind_table *table, __u32 page)
{
	const struct unwind_row *rows = unwind_table_rows(table);
	__u32 first = table->index[page], behind = table->index[page + 1];
	__u32 i;

	if (first > behind || behind > table->rows)
		return false;
	for (i = first; i < behind; i++) {
		if (!unwind_row_is_valid(&rows[i]) ||
		    (i + 1 < behind && rows[i].at >= rows[i + 1].at))
			return false;
	}
	return true;
}

/**
 * unwind_table_find - the row of code
 * @table: each of its pages is valid
 * @offset: of the code, in the file
 *
 * Return: NULL if nothing is said of the code; the row may be of UNWIND_NONE, too.
 */
static inline const struct unwind_row *unwind_table_find(const struct unwind_table *table,
							 __u64 offset)
{
	const struct unwind_row *rows = unwind_table_rows(table);
	__u64 page = offset >> UNWIND_PAGE_BITS;
	__u16 at = (__u16)offset;
	__u32 low, high;

	if (page >= table->pages)
		return NULL;
#ifdef __KERNEL__
	page = array_index_nospec(page, table->pages); /* programs choose their offsets */
#endif
	low = table->index[page];
	high = table->index[page + 1];
	while (low < high) {
		__u32 middle = low + (high - low) / 2;

		if (rows[middle].at > at)
			high = middle;
		else
			low = middle + 1;
	}
	/* the last row of an earlier page, if there is none in this one up to here */
	return low ? &rows[low - 1] : NULL;
}

#endif
