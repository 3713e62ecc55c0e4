/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From addresses of a process to images and offsets, while its mappings exist.
 */
#ifndef OPROFILE_ADDRESS_SPACE_H
#define OPROFILE_ADDRESS_SPACE_H

#include <linux/mm_types.h>
#include <linux/types.h>

/* The offset in the mapped file of an address in a mapping, bytes. */
static inline u64 op_vma_file_offset(const struct vm_area_struct *vma, unsigned long address)
{
	return ((u64)vma->vm_pgoff << PAGE_SHIFT) + (address - vma->vm_start);
}

/**
 * op_program_cookie - the cookie of the program that an address space runs
 * @mm: with a reference, or current's own
 *
 * Does not sleep.  Context: process; preemption may be off.  Return: a cookie;
 * OPROFILE_INVALID_COOKIE when the program is gone already.
 */
u64 op_program_cookie(struct mm_struct *mm);

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

/**
 * struct op_address_space - the one whose addresses are being looked up
 * @mm: locked for reading; NULL if none is
 * @epoch: of the last look-up
 * @spans: the last answers
 * @next: which of them is replaced next
 *
 * The mmap lock is kept for the run of samples that share the address space.
 */
struct op_address_space {
	struct mm_struct *mm;
	u32 epoch;
	unsigned int next;
	struct op_address_span spans[OP_ADDRESS_SPANS];
};

/**
 * op_address_space_enter - lock an address space for look-ups
 * @space: zeroed, or used before with any mm
 * @mm: the caller has a reference (mmgrab); its last user may be gone
 *
 * Never waits: a process can hold its lock for as long as it likes.  Context: process.
 * Return: false if it is locked for writing, or about to be.
 */
bool op_address_space_enter(struct op_address_space *space, struct mm_struct *mm);

/**
 * op_address_space_find - the image at an address
 * @space: entered
 * @epoch: of the sample that asks, see unmapped.h
 *
 * Context: process.  Return: a span that holds, good until the next call; NULL if nothing is or
 * was mapped there, or if that is just being unmapped: later the answer may be another.
 */
const struct op_address_span *op_address_space_find(struct op_address_space *space,
						    unsigned long address, u32 epoch);

/* Lets go of the lock, if held.  The reference to the mm stays the caller's. */
void op_address_space_release(struct op_address_space *space);

#endif
