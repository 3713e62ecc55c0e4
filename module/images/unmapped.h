/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Executable mappings that have gone, remembered until no sample can ask for them: those of files,
 * and others (area.h).
 *
 * A sample is resolved a quarter of a second after it was taken, or later.  By then its process
 * may have exited or called exec, or the library may be unmapped, even with another one in
 * its place.  Nothing is pinned for that: when executable memory is unmapped, what it
 * was is written down here, with an epoch that says which samples it is good for.
 *
 * The epoch (marks.h) is a number that grows when executable memory has been mapped, anywhere:
 *
 *	epoch       5      5        5          6        6
 *	address A   [--- libold ---]           [--- libnew ---
 *	                    |sample   |unmap   |mmap     |sample
 *
 * A sample carries the epoch it was taken in.  An unmapped region carries the epoch in which
 * it was unmapped, and holds for every sample of that address space and address whose epoch
 * is not later.  If several hold, the one unmapped in the earliest epoch is right: later ones
 * were mapped later.  If none holds, what is mapped now was mapped then.
 *
 * That is exact.  Code still runs out of a mapping while it is being unmapped (until the TLBs
 * are flushed), in the epoch of its region.  New code cannot run before mmap() is over, when
 * the epoch has grown.
 *
 * An address space is known by where its mm_struct was.  The epoch grows when one ends, too, so
 * that samples of the next one in the same memory, such as that of a child that mmap()s nothing,
 * are later than all that is remembered of it.
 *
 * Regions are worth a record only of address spaces that have had samples: marks.h.  There are
 * regions_max of them at most, a module parameter, of which each user has a share (account.h), and
 * one address space (spaces.h) a 64th.  Where locks may not be taken, postponed.h has places
 * for what goes away.
 */
#ifndef OPROFILE_UNMAPPED_H
#define OPROFILE_UNMAPPED_H

#include <linux/types.h>

struct mm_struct;
struct vm_area_struct;

/**
 * op_unmapped_remember - part of a file mapping goes away
 * @vma: the mapping, still complete
 * @start, @end: the part, page-aligned addresses
 *
 * Context: process, atomic: called with preemption off and locks of the mm held, or NMI; does not
 * sleep.  Any failure to remember is counted in unmapped_lost.
 */
void op_unmapped_remember(struct vm_area_struct *vma, unsigned long start, unsigned long end);

/**
 * op_unmapped_remember_area - a mapping without a file goes away
 * @vma: the mapping
 *
 * Context: as op_unmapped_remember().
 */
void op_unmapped_remember_area(struct vm_area_struct *vma);

/**
 * op_unmapped_remember_end - an address space ends: all its mappings are about to go away
 * @mm: without users
 *
 * Context: as op_unmapped_remember().
 */
void op_unmapped_remember_end(struct mm_struct *mm);

/**
 * struct op_unmapped_image - what an address of a sample is answered with
 * @start, @end: where the answer is the same
 * @cookie, @offset: the image, and the offset of @start in it, bytes; if there is one
 * @epoch: the answer is the same up to this epoch
 * @gone: the address space has ended
 */
struct op_unmapped_image {
	unsigned long start;
	unsigned long end;
	u64 cookie;
	u64 offset;
	u32 epoch;
	bool gone;
};

/**
 * op_unmapped_find - the image that was at an address
 * @mm: where the mm_struct was; compared, not followed
 * @epoch: of the sample
 *
 * Context: process.  Return: false if no remembered region holds, for any address from start
 * to end and any later epoch.  Regions that are remembered later may.
 */
bool op_unmapped_find(const struct mm_struct *mm, unsigned long address, u32 epoch,
		      struct op_unmapped_image *image);

/*
 * The cookie of the program that an address space ran at the time of a sample, if anything of it is
 * remembered; OPROFILE_INVALID_COOKIE if nothing is.  Context: process.
 */
u64 op_unmapped_find_program(const struct mm_struct *mm, u32 epoch);

/**
 * op_unmapped_grab_dying - an address space that takes long to end
 * @mm, @epoch: as for op_unmapped_find()
 *
 * Context: process.  Return: it, with a reference, while some of its mappings are still to be
 * unmapped; NULL: there is no such one.
 */
struct mm_struct *op_unmapped_grab_dying(const struct mm_struct *mm, u32 epoch);

/**
 * op_unmapped_drained - samples published before this call began have been resolved
 * @oldest: the earliest epoch of those that have not; the present one if there are none
 *
 * Forgets regions that no sample can ask for any more.  Context: process, may sleep.
 */
void op_unmapped_drained(u32 oldest);

/* Regions that could not be remembered since the last reset. */
unsigned long op_unmapped_lost(void);
void op_unmapped_lost_reset(void);

int op_unmapped_set_up(void);	   /* Context: process.  Return: 0 or -ENOMEM. */
void op_unmapped_tear_down(void); /* forgets everything; no hook may be active */

#endif
