/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Cookies: numbers that stand for files in the event buffer.
 *
 * A cookie is given out in atomic context, at the first sight of a file.  What it stands for
 * (path, build-id) is found out right afterwards by a worker, as that may sleep, and as a
 * path must be told from the initial root directory and not from that of the profiled task.
 * Until then the cookie holds a reference to the file; afterwards it holds none, so that
 * profiling keeps no file system busy.
 *
 * A file is known by device, inode number and generation, and by its name in its directory:
 * a file that was renamed gets a new cookie.  Executable memory without a file (area.h) is known by
 * its addresses and its label, in whatever process.
 *
 * Cookies are bounded by images_kb_max, a module parameter, of which each user has a share
 * (account.h). One that never got into the event stream goes with its last user.  Others go when
 * nothing has asked for their file for image_age seconds (a module parameter), or as soon as most
 * of the user's share is used, but not before the reader has had time to ask what it has read; the
 * file then gets another cookie, as no number is used twice.  Areas, of which a process can make
 * any number, have a quarter of images_kb_max, with shares of it, and go as soon as the reader has
 * had its time.
 */
#ifndef OPROFILE_DCOOKIE_H
#define OPROFILE_DCOOKIE_H

#include <linux/mm_types.h>
#include <linux/types.h>

struct file;
struct op_area;
struct oprofile_image;

/* The offset in the mapped file of an address in a mapping, bytes. */
static inline u64 op_vma_file_offset(const struct vm_area_struct *vma, unsigned long address)
{
	return ((u64)vma->vm_pgoff << PAGE_SHIFT) + (address - vma->vm_start);
}

/**
 * op_dcookie_get - the cookie of a file
 * @file: mapped or run; the caller's reference lasts for the call
 * @account: of whose process it is: a new cookie counts as that user's
 *
 * Does not sleep.  Context: process; preemption may be off.
 * Return: a cookie, or OPROFILE_INVALID_COOKIE when there is no room for one, which is counted.
 */
u64 op_dcookie_get(struct file *file, u16 account);

/* The same, and it stays until op_dcookie_unuse(). */
u64 op_dcookie_use(struct file *file, u16 account);

/**
 * op_dcookie_get_area - the cookie of memory without a file
 *
 * Context: as op_dcookie_get().  Return: a cookie, or OPROFILE_INVALID_COOKIE without room for it.
 */
u64 op_dcookie_get_area(const struct op_area *area, u16 account);

void op_dcookie_unuse(u64 value); /* Does not sleep.  Context: process; preemption may be off. */

/* A cookie that one has stays until op_dcookie_unuse().  Return: false if it is gone already. */
bool op_dcookie_hold(u64 value);

/* A cookie is going to stand in the event stream.  Return: false if it is gone already. */
bool op_dcookie_say(u64 value);

/**
 * op_dcookies_age - forget files that nothing has asked for in a long time
 * @read: jiffies; the reader has read what was said before, and had time to ask for it
 *
 * Looks at a part of the cookies, unless memory is short.  Context: process.
 */
void op_dcookies_age(unsigned long read);

/* How often there was no room for a cookie, since the last reset. */
unsigned long op_dcookies_lost(void);
void op_dcookies_lost_reset(void);

/**
 * op_dcookie_image - what @image->cookie stands for
 * @image: filled in
 *
 * Waits until the worker has found out.  Context: process, may sleep.
 * Return: 0; -EINVAL if there is no such cookie; -EINTR.
 */
int op_dcookie_image(struct oprofile_image *image);

int op_dcookies_set_up(void);	   /* Context: process, may sleep.  Return: 0 or -ENOMEM. */
void op_dcookies_tear_down(void); /* forgets all cookies; no other call may be under way */

#endif
