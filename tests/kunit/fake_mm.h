/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Address spaces that no task runs in: a struct mm_struct with a tree of mappings, and no more.
 */
#ifndef OPROFILE_KUNIT_FAKE_MM_H
#define OPROFILE_KUNIT_FAKE_MM_H

#include <linux/mm_types.h>

#include <kunit/test.h>

struct file;

/**
 * fake_mm - an empty address space
 * @exe: the program; a reference is taken.  NULL: it is gone
 *
 * One user, one reference.  Freed with the test, after fake_mm_end().
 */
struct mm_struct *fake_mm(struct kunit *test, struct file *exe);

/* Unmaps everything and lets go of the program; fails the test if a reference is left. */
void fake_mm_end(struct kunit *test, struct mm_struct *mm);

/* Maps @file, from page @pgoff of it; NULL: anonymous memory.  The file must stay open. */
struct vm_area_struct *fake_mm_map(struct kunit *test, struct mm_struct *mm, unsigned long start,
				   unsigned long end, struct file *file, unsigned long pgoff);

/* Puts what need not be a mapping into the tree, at the addresses from @start to before @end. */
int fake_mm_store(struct mm_struct *mm, unsigned long start, unsigned long end, void *entry);

/* Takes a mapping out of the tree, without the hook that remembers it. */
void fake_mm_unmap(struct vm_area_struct *vma);

#endif
