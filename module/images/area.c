// SPDX-License-Identifier: GPL-2.0-only
/*
 * Areas: see area.h.
 */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/string.h>

#include "images/area.h"

/* The name that the program has given its memory; NULL: none. */
static const char *name_by_program(const struct vm_area_struct *vma)
{
#ifdef CONFIG_ANON_VMA_NAME
	return vma->anon_name ? vma->anon_name->name : NULL;
#else
	return NULL;
#endif
}

/* In the order of /proc/PID/maps.  NULL: none. */
static const char *name_by_kernel(struct vm_area_struct *vma)
{
	const struct mm_struct *mm = vma->vm_mm;
	const char *name = NULL;

	if (vma->vm_ops && vma->vm_ops->name)
		name = vma->vm_ops->name(vma);
	if (name)
		return name;
	if (vma->vm_start <= mm->brk && vma->vm_end >= mm->start_brk)
		return "[heap]";
	if (vma->vm_start <= mm->start_stack && vma->vm_end >= mm->start_stack)
		return "[stack]";
	return NULL;
}

void op_area_of(struct vm_area_struct *vma, struct op_area *area)
{
	const char *name = name_by_kernel(vma);
	const char *given = name ? NULL : name_by_program(vma);

	area->start = vma->vm_start;
	area->end = vma->vm_end;
	if (given)
		snprintf(area->label, sizeof(area->label), "[anon:%s]", given);
	else
		strscpy(area->label, name ?: "", sizeof(area->label));
}
