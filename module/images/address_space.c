// SPDX-License-Identifier: GPL-2.0-only
/*
 * Address spaces are looked into by a reference to the mm_struct (mmgrab), which keeps its lock and
 * its tree of mappings, but not what is mapped: the last user may go meanwhile.  exit_mmap() takes
 * mappings out of the tree under the lock for writing, and after the unmap hook has remembered
 * them, so under the lock for reading a mapping is found either in the tree or among the remembered
 * ones. When nobody has the address space any more (context.h), there are only those; of one that
 * is about to end some may be missing yet, as between the two steps of munmap(), see below.
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
#include <linux/hash.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/sched/mm.h>

#include "images/address_space.h"
#include "images/area.h"
#include "images/dcookie.h"
#include "images/unmapped.h"
#include "uapi/oprofile.h"

u64 op_program_cookie(struct mm_struct *mm, u16 account)
{
	struct file *file = compat_mm_exe_file(mm);
	u64 cookie;

	if (!file)
		return OPROFILE_INVALID_COOKIE;
	cookie = op_dcookie_get(file, account);
	fput(file);
	return cookie;
}

static void forget_spans(struct op_address_space *space)
{
	int i;

	for (i = 0; i < OP_ADDRESS_SPANS; i++)
		space->spans[i].size = 0;
	if (!++space->generation) { /* it wraps, and 0 is that of pages without an answer */
		memset(space->pages, 0, sizeof(space->pages));
		space->generation = 1;
	}
}

void op_address_space_release(struct op_address_space *space)
{
	if (space->mm) {
		mmap_read_unlock(space->mm);
		mmdrop(space->mm);
	}
	space->mm = NULL;
	space->id = NULL;
	forget_spans(space);
}

/* All threads of a process have the same one; when one of them finds it gone, another may not. */
static bool is_entered(const struct op_address_space *space, const struct op_context *context)
{
	return space->id == context->mm && space->tgid == context->tgid &&
	       space->exec_id == context->exec_id && (space->mm || space->pid == context->pid);
}

bool op_address_space_enter(struct op_address_space *space, struct op_context *context, u32 epoch)
{
	struct mm_struct *mm;

	if (is_entered(space, context))
		return true;
	op_address_space_release(space);
	mm = op_context_grab(context) ?: op_unmapped_grab_dying(context->mm, epoch);
	if (mm && !mmap_read_trylock(mm)) {
		mmdrop(mm);
		return false;
	}
	space->mm = mm;
	space->id = context->mm;
	space->pid = context->pid;
	space->tgid = context->tgid;
	space->exec_id = context->exec_id;
	space->account = context->account;
	return true;
}

/* Without room for a cookie, the daemon can look into /proc, as long as the process lives. */
static u64 area_cookie(struct vm_area_struct *vma, u16 account)
{
	struct op_area area;
	u64 cookie;

	op_area_of(vma, &area);
	cookie = op_dcookie_get_area(&area, account);
	return cookie == OPROFILE_INVALID_COOKIE ? OPROFILE_NO_COOKIE : cookie;
}

static bool look_up(const struct op_address_space *space, unsigned long address, u32 epoch,
		    struct op_address_span *span)
{
	struct op_unmapped_image unmapped;
	struct vm_area_struct *vma;

	if (op_unmapped_find(space->id, address, epoch, &unmapped)) {
		span->start = unmapped.start;
		span->size = unmapped.end - unmapped.start;
		span->until = unmapped.epoch;
		span->cookie = op_dcookie_say(unmapped.cookie) ? unmapped.cookie :
								 OPROFILE_INVALID_COOKIE;
		span->offset = unmapped.offset;
		return true;
	}

	/*
	 * What has ended and is not dying is not the one that is held, but was in the same memory.
	 */
	if (!space->mm || (unmapped.gone && atomic_read(&space->mm->mm_users)))
		return false;
	vma = find_vma(space->mm, address);
	if (!vma || address < vma->vm_start)
		return false;
	span->start = max(vma->vm_start, unmapped.start);
	span->size = min(vma->vm_end, unmapped.end) - span->start;
	span->until = epoch + S32_MAX;
	if (vma->vm_file) {
		span->cookie = op_dcookie_get(vma->vm_file, space->account);
		span->offset = op_vma_file_offset(vma, span->start);
	} else {
		span->cookie = area_cookie(vma, space->account);
		span->offset = span->start;
	}
	return true;
}

/* The answer for @address; or where one is to go, with a span that does not hold. */
static struct op_address_page *find_page(struct op_address_space *space, unsigned long address,
					 u32 epoch)
{
	unsigned int at = hash_long(address >> PAGE_SHIFT, OP_ADDRESS_PAGES_ORDER), way;
	struct op_address_page *page, *free = &space->pages[at ^ (space->next & 1)];

	for (way = 0; way < 2; way++) {
		page = &space->pages[at ^ way];
		if (page->generation != space->generation)
			free = page;
		else if (op_address_span_holds(&page->span, address, epoch))
			return page;
	}
	free->generation = space->generation;
	free->span.size = 0;
	return free;
}

const struct op_address_span *op_address_space_find(struct op_address_space *space,
						    unsigned long address, u32 epoch)
{
	struct op_address_page *page;
	struct op_address_span *span;

	if ((s32)(epoch - space->epoch) < 0)
		forget_spans(space); /* they hold for later samples only */
	space->epoch = epoch;
	for (span = space->spans; span < space->spans + OP_ADDRESS_SPANS; span++) {
		if (op_address_span_holds(span, address, epoch))
			return span;
	}

	page = find_page(space, address, epoch);
	if (page->span.size)
		return &page->span;
	if (!look_up(space, address, epoch, &page->span)) {
		page->span.size = 0;
		return NULL;
	}
	space->spans[space->next] = page->span;
	space->next = (space->next + 1) % OP_ADDRESS_SPANS;
	return &page->span;
}
