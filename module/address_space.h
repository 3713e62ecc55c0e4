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
 * struct op_address_space - the one whose addresses are being looked up
 * @mm: locked for reading; NULL if none is open
 * @start, @size: where the last look-up has the same answer; @size is 0 if there is none
 * @until: the last epoch for whose samples it has
 * @cookie, @offset: of @start
 *
 * The mmap lock is taken at the first look-up and kept for the run of samples that share the
 * address space, whose epochs must not go back.
 */
struct op_address_space {
	struct mm_struct *mm;
	bool locked;
	u32 until;
	unsigned long start;
	unsigned long size;
	u64 cookie;
	u64 offset;
};

/* What is mapped at an address. */
struct op_mapped_image {
	u64 cookie; /* OPROFILE_NO_COOKIE: memory without a file */
	u64 offset; /* bytes in the file; the address itself without a file */
};

/**
 * op_address_space_find - the image at an address
 * @space: zeroed, or used before with any mm
 * @mm: the caller has a reference (mmgrab); its last user may be gone
 * @epoch: of the sample that asks, see unmapped.h
 *
 * Context: process, may sleep.  Return: false if nothing is or was mapped there.
 */
bool op_address_space_find(struct op_address_space *space, struct mm_struct *mm,
			   unsigned long address, u32 epoch, struct op_mapped_image *image);

/* Has this address the same answer as the last look-up that found something? */
static inline bool op_address_space_holds(const struct op_address_space *space,
					  unsigned long address, u32 epoch)
{
	return address - space->start < space->size && (s32)(epoch - space->until) <= 0;
}

/* Lets go of the lock, if held.  The reference to the mm stays the caller's. */
void op_address_space_release(struct op_address_space *space);

#endif
