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
 * them with the lock held for reading only.  Between the two nothing is found, so samples for
 * which nothing is found are tried again later (deferred.h).
 */
#include <linux/file.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>

#include "images/address_space.h"
#include "images/area.h"
#include "images/dcookie.h"
#include "images/unmapped.h"
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

static void forget_spans(struct op_address_space *space)
{
	int i;

	for (i = 0; i < OP_ADDRESS_SPANS; i++)
		space->spans[i].size = 0;
}

void op_address_space_release(struct op_address_space *space)
{
	if (space->mm)
		mmap_read_unlock(space->mm);
	space->mm = NULL;
	forget_spans(space);
}

bool op_address_space_enter(struct op_address_space *space, struct mm_struct *mm)
{
	if (space->mm == mm)
		return true;
	op_address_space_release(space);
	if (!mmap_read_trylock(mm))
		return false;
	space->mm = mm;
	return true;
}

/* Without room for a cookie, the daemon can look into /proc, as long as the process lives. */
static u64 area_cookie(struct vm_area_struct *vma)
{
	struct op_area area;
	u64 cookie;

	op_area_of(vma, &area);
	cookie = op_dcookie_get_area(vma->vm_mm, &area);
	return cookie == OPROFILE_INVALID_COOKIE ? OPROFILE_NO_COOKIE : cookie;
}

static bool look_up(struct mm_struct *mm, unsigned long address, u32 epoch,
		    struct op_address_span *span)
{
	struct op_unmapped_image unmapped;
	struct vm_area_struct *vma;

	if (op_unmapped_find(mm, address, epoch, &unmapped)) {
		span->start = unmapped.start;
		span->size = unmapped.end - unmapped.start;
		span->until = unmapped.epoch;
		span->cookie = unmapped.cookie;
		span->offset = unmapped.offset;
		return true;
	}

	vma = find_vma(mm, address);
	if (!vma || address < vma->vm_start)
		return false;
	span->start = max(vma->vm_start, unmapped.start);
	span->size = min(vma->vm_end, unmapped.end) - span->start;
	span->until = epoch + S32_MAX;
	if (vma->vm_file) {
		span->cookie = op_dcookie_get(vma->vm_file);
		span->offset = op_vma_file_offset(vma, span->start);
	} else {
		span->cookie = area_cookie(vma);
		span->offset = span->start;
	}
	return true;
}

const struct op_address_span *op_address_space_find(struct op_address_space *space,
						    unsigned long address, u32 epoch)
{
	struct op_address_span *span;

	if ((s32)(epoch - space->epoch) < 0)
		forget_spans(space); /* they hold for later samples only */
	space->epoch = epoch;
	for (span = space->spans; span < space->spans + OP_ADDRESS_SPANS; span++) {
		if (op_address_span_holds(span, address, epoch))
			return span;
	}

	span = &space->spans[space->next];
	space->next = (space->next + 1) % OP_ADDRESS_SPANS;
	span->size = 0;
	return look_up(space->mm, address, epoch, span) ? span : NULL;
}
