/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files in the root file system, which is in memory wherever the suites run.
 */
#ifndef OPROFILE_KUNIT_SCRATCH_FILE_H
#define OPROFILE_KUNIT_SCRATCH_FILE_H

#include <linux/types.h>

#include <kunit/test.h>

struct file;

/* A new file /@name, open for reading and writing, with these bytes. */
struct file *scratch_file(struct kunit *test, const char *name, const void *bytes, size_t size);

/* Removes its name; it stays open. */
void scratch_file_unlink(struct kunit *test, struct file *file);

/* Closes it, and removes its name if it still has it. */
void scratch_file_end(struct kunit *test, struct file *file);

/* fput(), at once: for kernel threads it is put off, and the mount may be about to go. */
void scratch_file_close(struct file *file);

#endif
