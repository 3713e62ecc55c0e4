/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From addresses of a process to images and offsets, while its mappings exist.
 */
#ifndef OPROFILE_ADDRESS_SPACE_H
#define OPROFILE_ADDRESS_SPACE_H

#include <linux/types.h>

#include "context.h"

struct mm_struct;

/**
 * op_program_cookie - the cookie of the program that an address space runs
 * @mm: with a reference, or current's own
 * @account: of its user
 *
 * Does not sleep.  Context: process; preemption may be off.  Return: a cookie;
 * OPROFILE_INVALID_COOKIE when the program is gone already.
 */
u64 op_program_cookie(struct mm_struct *mm, u16 account);

/**
 * struct op_address_span - addresses that have the same answer
 * @start, @size: @size is 0 if there are none
 * @until: the last epoch for whose samples the answer holds
 * @cookie: of the image; OPROFILE_NO_COOKIE: memory without a file, of which no cookie could be
 *	made; OPROFILE_INVALID_COOKIE: none that could be named
 * @offset: of @start in the image's file, bytes; the address itself without a file
 */
struct op_address_span {
	unsigned long start;
	unsigned long size;
	u32 until;
	u64 cookie;
	u64 offset;
};

/* Is this address in the span, for a sample of this epoch?  Those before it may not be. */
static inline bool op_address_span_holds(const struct op_address_span *span,
					 unsigned long address, u32 epoch)
{
	return address - span->start < span->size && (s32)(epoch - span->until) <= 0;
}

/* The offset in the image of an address in the span. */
static inline u64 op_address_span_offset(const struct op_address_span *span,
					 unsigned long address)
{
	return span->offset + (address - span->start);
}

#define OP_ADDRESS_SPANS 4 /* a call chain goes to and fro between a few images */
#define OP_ADDRESS_PAGES_ORDER 10 /* of one that goes through many, each page is looked up once */

/**
 * struct op_address_page - an answer, found by the page that it was asked for
 * @generation: that of the address space, or it is of one before
 */
struct op_address_page {
	u32 generation;
	struct op_address_span span;
};

/**
 * struct op_address_space - the one whose addresses are being looked up
 * @pid, @tgid, @exec_id, @id: of which context; @id is its mm, NULL if it is none's
 * @account: of its user
 * @mm: locked for reading, with a reference; NULL: it has gone, but for what is remembered of it
 * @epoch: of the last look-up
 * @generation: of @pages
 * @next: which of @spans is replaced next
 * @spans: the last answers
 * @pages: more of them
 *
 * The mmap lock is kept for the run of samples that share the address space.
 */
struct op_address_space {
	u32 pid;
	u32 tgid;
	u32 exec_id;
	u16 account;
	const struct mm_struct *id;
	struct mm_struct *mm;
	u32 epoch;
	u32 generation;
	unsigned int next;
	struct op_address_span spans[OP_ADDRESS_SPANS];
	struct op_address_page pages[1 << OP_ADDRESS_PAGES_ORDER];
};

/**
 * op_address_space_enter - lock an address space for look-ups
 * @space: zeroed, or used before with any context
 * @context: with an mm, which may be gone
 * @epoch: of a sample
 *
 * Never waits: a process can hold its lock for as long as it likes.  Context: process.
 * Return: false if it is locked for writing, or about to be.
 */
bool op_address_space_enter(struct op_address_space *space, struct op_context *context, u32 epoch);

/**
 * op_address_space_find - the image at an address
 * @space: entered
 * @epoch: of the sample that asks, see unmapped.h
 *
 * Context: process.  Return: a span that holds, good until the next call, whose cookie may stand in
 * the event stream; NULL if nothing is or was mapped there, or if that is just being unmapped:
 * later the answer may be another.
 */
const struct op_address_span *op_address_space_find(struct op_address_space *space,
						    unsigned long address, u32 epoch);

/* Lets go of the address space, if there is one. */
void op_address_space_release(struct op_address_space *space);

#endif
