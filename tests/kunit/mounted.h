/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * oprofilefs, mounted where only the test sees it.
 */
#ifndef OPROFILE_KUNIT_MOUNTED_H
#define OPROFILE_KUNIT_MOUNTED_H

#include <linux/types.h>

#include <kunit/test.h>

struct file;

/* Return: 0 or what mounting says. */
int mounted_begin(void);

/* No file may be open.  Nothing happens if it is not mounted. */
void mounted_end(void);

/* Opens a file of it, by its path below the root.  Return: the file, or ERR_PTR. */
struct file *mounted_open(const char *name, int flags);

/* At once, and not when the worker that closes files for kernel threads gets to it. */
void mounted_close(struct file *file);

/* Opens, writes or reads once, and closes.  Return: as write(2) and read(2). */
ssize_t mounted_write(const char *name, const char *text);
ssize_t mounted_read(const char *name, char *text, size_t size); /* adds a NUL */

/* The number that a file has; the test fails if it has none. */
unsigned long mounted_number(struct kunit *test, const char *name);

#endif
