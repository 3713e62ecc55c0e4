// SPDX-License-Identifier: GPL-2.0-only
/*
 * Address spaces are looked into by mm_struct, not by task, and perhaps after their last
 * user has gone: an mm_struct that is held by mmgrab() keeps its lock and its (by then
 * empty) tree of mappings.  exit_mmap() takes mappings out of the tree under the lock for
 * writing, and after the unmap hook has remembered them, so under the lock for reading a
 * mapping is found either in the tree or among the remembered ones.
 *
 * What the tree has at an address while the lock is held for reading, and where no remembered
 * region holds for the first sample to be resolved, is right for all later ones, too: mappings
 * are replaced, and what was there before is remembered, under the lock for writing.
 *
 * munmap() differs: it takes mappings out of the tree first, and unmaps (and so remembers)
 * them with the lock held for reading only.  A look-up that finds nothing is therefore made
 * again with the lock held for writing, which waits for such a munmap() to be over.
 */
#include <linux/file.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>

#include "address_space.h"
#include "dcookie.h"
#include "unmapped.h"
#include "uapi/oprofile.h"

u64 op_program_cookie(struct mm_struct *mm)
{
	struct file *file = compat_mm_exe_file(mm);
	u64 cookie;

	if (!file)
		return OPROFILE_INVALID_COOKIE;
	cookie = op_dcookie_get(file);
	fput(file);
	return cookie;
}

void op_address_space_release(struct op_address_space *space)
{
	if (space->locked)
		mmap_read_unlock(space->mm);
	space->locked = false;
	space->mm = NULL;
	space->size = 0;
}

static void enter(struct op_address_space *space, struct mm_struct *mm)
{
	if (space->mm == mm)
		return;
	op_address_space_release(space);
	mmap_read_lock(mm);
	space->mm = mm;
	space->locked = true;
}

static bool look_up(struct op_address_space *space, unsigned long address, u32 epoch)
{
	struct op_unmapped_image unmapped;
	struct vm_area_struct *vma;

	space->size = 0;
	if (op_unmapped_find(space->mm, address, epoch, &unmapped)) {
		space->start = unmapped.start;
		space->size = unmapped.end - unmapped.start;
		space->cookie = unmapped.cookie;
		space->offset = unmapped.offset;
		space->until = unmapped.epoch;
		return true;
	}

	vma = find_vma(space->mm, address);
	if (!vma || address < vma->vm_start)
		return false;
	space->start = max(vma->vm_start, unmapped.start);
	space->size = min(vma->vm_end, unmapped.end) - space->start;
	space->cookie = OPROFILE_NO_COOKIE;
	space->offset = space->start;
	space->until = epoch + S32_MAX;
	if (vma->vm_file) {
		space->cookie = op_dcookie_get(vma->vm_file);
		space->offset = op_vma_file_offset(vma, space->start);
	}
	return true;
}

/* @space is left closed: the lock for writing is not kept. */
static bool look_up_behind_munmap(struct op_address_space *space, unsigned long address, u32 epoch)
{
	struct mm_struct *mm = space->mm;
	bool found;

	op_address_space_release(space);
	mmap_write_lock(mm);
	space->mm = mm;
	found = look_up(space, address, epoch);
	mmap_write_unlock(mm);
	op_address_space_release(space);
	return found;
}

bool op_address_space_find(struct op_address_space *space, struct mm_struct *mm,
			   unsigned long address, u32 epoch, struct op_mapped_image *image)
{
	enter(space, mm);
	if (!op_address_space_holds(space, address, epoch) && !look_up(space, address, epoch) &&
	    !look_up_behind_munmap(space, address, epoch))
		return false;
	image->cookie = space->cookie;
	image->offset = space->offset + (address - space->start);
	return space->cookie != OPROFILE_INVALID_COOKIE;
}
