/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Areas: mappings without a file that code can run in, such as that of a just-in-time compiler, or
 * the vdso.
 */
#ifndef OPROFILE_AREA_H
#define OPROFILE_AREA_H

#include <linux/mm_types.h>

#define OP_AREA_LABEL_SIZE 96 /* a program may name its memory by 79 characters */

/**
 * struct op_area - one of them
 * @start, @end: addresses
 * @label: what /proc/PID/maps calls it; "" if it has no name
 */
struct op_area {
	unsigned long start;
	unsigned long end;
	char label[OP_AREA_LABEL_SIZE];
};

/**
 * op_area_of - what is known of a mapping
 * @vma: without a file; of an address space that is locked for reading, or that has no user left
 *
 * Does not sleep.  Context: any.
 */
void op_area_of(struct vm_area_struct *vma, struct op_area *area);

#endif
