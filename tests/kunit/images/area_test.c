// SPDX-License-Identifier: GPL-2.0-only
/*
 * What memory without a file is called.
 */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/string.h>

#include "suite.h"

#include "images/area.c"

static struct mm_struct *mm; /* heap and stack are on pages 10 and 20 */

#define PAGE(n) ((n) * PAGE_SIZE)

static const char *vdso_name(struct vm_area_struct *vma)
{
	return "[vdso]";
}

static const char *no_name(struct vm_area_struct *vma)
{
	return NULL;
}

static const struct vm_operations_struct vdso_ops = { .name = vdso_name };
static const struct vm_operations_struct nameless_ops = { .name = no_name };
static const struct vm_operations_struct other_ops = {};

static void area_label(struct kunit *test)
{
	static const struct {
		unsigned long first, end;
		const struct vm_operations_struct *ops;
		const char *label;
	} areas[] = {
		{ 1, 2, NULL, "" },
		{ 1, 2, &other_ops, "" },
		{ 1, 2, &nameless_ops, "" },
		{ 1, 2, &vdso_ops, "[vdso]" },
		{ 9, 12, NULL, "[heap]" },
		{ 10, 11, &vdso_ops, "[vdso]" },
		{ 11, 12, NULL, "" },
		{ 19, 21, NULL, "[stack]" },
		{ 20, 22, &nameless_ops, "[stack]" },
		{ 21, 22, NULL, "" },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(areas); i++) {
		struct vm_area_struct vma = {
			.vm_mm = mm,
			.vm_start = PAGE(areas[i].first),
			.vm_end = PAGE(areas[i].end),
			.vm_ops = areas[i].ops,
		};
		struct op_area area;

		op_area_of(&vma, &area);
		KUNIT_EXPECT_EQ(test, area.start, PAGE(areas[i].first));
		KUNIT_EXPECT_EQ(test, area.end, PAGE(areas[i].end));
		KUNIT_EXPECT_STREQ_MSG(test, area.label, areas[i].label, "area %u", i);
	}
}

/* By the program, where the kernel has names for its memory; the longest one fits. */
static void area_named(struct kunit *test)
{
#ifdef CONFIG_ANON_VMA_NAME
	struct anon_vma_name *name = kunit_kzalloc(test, sizeof(*name) + 80, GFP_KERNEL);
	struct vm_area_struct vma = { .vm_mm = mm, .vm_start = PAGE(1), .vm_end = PAGE(2) };
	struct op_area area;

	KUNIT_ASSERT_NOT_NULL(test, name);
	memset(name->name, 'x', 79);
	vma.anon_name = name;
	op_area_of(&vma, &area);
	KUNIT_EXPECT_EQ(test, strlen(area.label), strlen("[anon:]") + 79);
	KUNIT_EXPECT_STREQ(test, area.label + strlen("[anon:") + 78, "x]");
	vma.vm_ops = &vdso_ops;
	op_area_of(&vma, &area);
	KUNIT_EXPECT_STREQ(test, area.label, "[vdso]");
#else
	kunit_info(test, "this kernel has no such names");
#endif
}

static int area_init(struct kunit *test)
{
	mm = kunit_kzalloc(test, sizeof(*mm), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, mm);
	mm->start_brk = PAGE(10);
	mm->brk = PAGE(11) - 1;
	mm->start_stack = PAGE(20) + 8;
	return 0;
}

TEST_SUITE(oprofile_area, area_init, NULL,
	   KUNIT_CASE(area_label),
	   KUNIT_CASE(area_named));
