// SPDX-License-Identifier: GPL-2.0-only
/*
 * Address spaces are looked into by mm_struct, not by task, and perhaps after their last
 * user has gone: an mm_struct that is held by mmgrab() keeps its lock and its (by then
 * empty) tree of mappings.  exit_mmap() takes mappings out of the tree under the lock for
 * writing, and after the unmap hook has remembered them, so under the lock for reading a
 * mapping is found either in the tree or among the remembered ones.
 *
 * munmap() differs: it takes mappings out of the tree first, and unmaps (and so remembers)
 * them with the lock held for reading only.  A look-up that finds nothing is therefore made
 * again with the lock held for writing, which waits for such a munmap() to be over.
 */
#include <linux/file.h>
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
	space->start = 0;
	space->end = 0;
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

static bool find_unmapped(struct mm_struct *mm, unsigned long address, u32 epoch,
			  struct op_mapped_image *image)
{
	struct op_unmapped_image unmapped;

	if (!op_unmapped_find(mm, address, epoch, &unmapped))
		return false;
	image->cookie = unmapped.cookie;
	image->offset = unmapped.offset;
	return true;
}

static bool find_mapped(struct op_address_space *space, unsigned long address,
			struct op_mapped_image *image)
{
	struct vm_area_struct *vma;

	if (address < space->start || address >= space->end) {
		vma = find_vma(space->mm, address);
		if (!vma || address < vma->vm_start)
			return false;
		space->start = vma->vm_start;
		space->end = vma->vm_end;
		space->cookie = OPROFILE_NO_COOKIE;
		space->offset = vma->vm_start;
		if (vma->vm_file) {
			space->cookie = op_dcookie_get(vma->vm_file);
			space->offset = op_vma_file_offset(vma, vma->vm_start);
		}
	}
	image->cookie = space->cookie;
	image->offset = space->offset + (address - space->start);
	return space->cookie != OPROFILE_INVALID_COOKIE;
}

/* @space is left closed: the lock for writing is not kept. */
static bool find_behind_munmap(struct op_address_space *space, struct mm_struct *mm,
			       unsigned long address, u32 epoch, struct op_mapped_image *image)
{
	bool found;

	op_address_space_release(space);
	mmap_write_lock(mm);
	space->mm = mm;
	found = find_unmapped(mm, address, epoch, image) || find_mapped(space, address, image);
	mmap_write_unlock(mm);
	op_address_space_release(space);
	return found;
}

bool op_address_space_find(struct op_address_space *space, struct mm_struct *mm,
			   unsigned long address, u32 epoch, struct op_mapped_image *image)
{
	enter(space, mm);
	if (find_unmapped(mm, address, epoch, image) || find_mapped(space, address, image))
		return true;
	return find_behind_munmap(space, mm, address, epoch, image);
}
