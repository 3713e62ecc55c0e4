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
 * a file that was renamed gets a new cookie.  Cookies are valid until the buffer is closed.
 */
#ifndef OPROFILE_DCOOKIE_H
#define OPROFILE_DCOOKIE_H

#include <linux/types.h>

struct file;
struct oprofile_image;

/**
 * op_dcookie_get - the cookie of a file
 * @file: mapped or run; the caller's reference lasts for the call
 *
 * Does not sleep.  Context: process; preemption may be off.
 * Return: a cookie, or OPROFILE_INVALID_COOKIE when out of memory.
 */
u64 op_dcookie_get(struct file *file);

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
