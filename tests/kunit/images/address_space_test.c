// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attribution is exact: whatever is mapped and unmapped between the samples, and however late
 * they are resolved, each gets the image that was at its address when it was taken.
 *
 * Random histories of one address space of a few pages are made, as the hooks would see them;
 * a sample knows what it must be answered.
 */
#include <linux/file.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>

#include "suite.h"

#include "images/dcookie.h"
#include "fake_mm.h"
#include "fake_task.h"
#include "scratch_file.h"
#include "images/marks.h"
#include "images/unmapped.h"

#include "images/address_space.c"

#define BASE 0x10000000UL
#define PAGES 12
#define FILES 3
#define ROUNDS 400
#define EVENTS 60
#define AT(page) (BASE + (page) * PAGE_SIZE)

static struct file *files[FILES];
static struct mm_struct *mm;
static u32 random_state = 2463534242U;

/* From 0 to below @end. */
static unsigned int pick(unsigned int end)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 17;
	random_state ^= random_state << 5;
	return (random_state >> 8) % end;
}

/* What is mapped: by page, which mapping. */
struct mapping {
	struct vm_area_struct *vma;
	unsigned int file; /* FILES: none */
	unsigned long pgoff; /* of page 0 of the address space */
};

static struct mapping mappings[PAGES];

struct sample {
	unsigned long address;
	u32 epoch;
	u64 cookie;
	u64 offset;
};

static struct sample samples[EVENTS];
static unsigned int nr_samples;

/* One mapping goes, as the kernel takes it apart: page by page is a mapping of its own here. */
static void unmap(struct kunit *test, unsigned int first, unsigned int end)
{
	unsigned int page;

	for (page = first; page < end; page++) {
		struct vm_area_struct *vma = mappings[page].vma;

		if (!vma)
			continue;
		if (vma->vm_file)
			op_unmapped_remember(vma, vma->vm_start, vma->vm_end);
		else
			op_unmapped_remember_area(vma);
		fake_mm_unmap(vma);
		kunit_kfree(test, vma);
		mappings[page].vma = NULL;
	}
}

static void map(struct kunit *test, unsigned int first, unsigned int end)
{
	unsigned int file = pick(FILES + 1), page;
	unsigned long pgoff = pick(100);

	unmap(test, first, end);
	for (page = first; page < end; page++) {
		struct mapping *mapping = &mappings[page];

		mapping->file = file;
		mapping->pgoff = pgoff + page;
		mapping->vma = fake_mm_map(test, mm, AT(page), AT(page + 1),
					   file < FILES ? files[file] : NULL, mapping->pgoff);
	}
	op_epoch_advance();
}

/* A page that is mapped, for code runs nowhere else; false: there is none. */
static bool sample(struct sample *sample)
{
	unsigned int page = pick(PAGES), i;

	for (i = 0; i < PAGES && !mappings[page].vma; i++)
		page = (page + 1) % PAGES;
	if (!mappings[page].vma)
		return false;
	sample->address = AT(page) + pick(PAGE_SIZE);
	sample->epoch = op_epoch_now();
	if (mappings[page].file < FILES) {
		sample->cookie = op_dcookie_get(files[mappings[page].file], 0);
		sample->offset = (mappings[page].pgoff << PAGE_SHIFT) +
				 (sample->address - AT(page));
	} else {
		sample->cookie = area_cookie(mappings[page].vma, 0);
		sample->offset = sample->address;
	}
	return true;
}

static bool resolved_rightly(const struct op_address_span *span, const struct sample *sample)
{
	return span && op_address_span_holds(span, sample->address, sample->epoch) &&
	       span->cookie == sample->cookie &&
	       op_address_span_offset(span, sample->address) == sample->offset;
}

static struct op_context context = { .pid = 10, .tgid = 10 };

static void address_space_exact(struct kunit *test)
{
	unsigned int round, event, i, wrong = 0, total = 0;
	static struct op_address_space space; /* large */

	for (round = 0; round < ROUNDS; round++) {
		if (round % 50 == 7)
			atomic_set(&op_mapping_epoch, -(EVENTS / 4)); /* it wraps on the way */
		op_mark_sampled(mm, op_mark_period_now());
		nr_samples = 0;
		for (event = 0; event < EVENTS; event++) {
			unsigned int first = pick(PAGES), end = first + 1 + pick(PAGES - first);

			switch (pick(4)) {
			case 0:
				map(test, first, end);
				break;
			case 1:
				unmap(test, first, end);
				break;
			default:
				nr_samples += sample(&samples[nr_samples]);
			}
		}
		for (i = 0; i < nr_samples; i++) {
			const struct op_address_span *span;

			KUNIT_ASSERT_TRUE(test, op_address_space_enter(&space, &context, 0));
			span = op_address_space_find(&space, samples[i].address, samples[i].epoch);
			wrong += !resolved_rightly(span, &samples[i]);
		}
		op_address_space_release(&space);
		total += nr_samples;
		unmap(test, 0, PAGES);
		op_unmapped_tear_down();
		KUNIT_ASSERT_EQ(test, op_unmapped_set_up(), 0);
	}
	kunit_info(test, "%u samples", total);
	KUNIT_EXPECT_EQ(test, wrong, 0);
	KUNIT_EXPECT_GT(test, total, ROUNDS * EVENTS / 4);
}

/* The lock is kept until another address space is entered; where it is not free, none is. */
static void address_space_locks(struct kunit *test)
{
	struct mm_struct *other = fake_mm(test, NULL);
	struct op_context other_context = { .pid = 20, .tgid = 20, .mm = other };
	static struct op_address_space space; /* large */

	fake_task_found(test, 20, 20, other);
	map(test, 0, 2);
	KUNIT_EXPECT_TRUE(test, op_address_space_enter(&space, &context, 0));
	KUNIT_EXPECT_NOT_NULL(test, op_address_space_find(&space, AT(0), 0));
	KUNIT_EXPECT_TRUE(test, rwsem_is_locked(&mm->mmap_lock));
	KUNIT_EXPECT_TRUE(test, op_address_space_enter(&space, &other_context, 0));
	KUNIT_EXPECT_NULL(test, op_address_space_find(&space, AT(0), 0));
	KUNIT_EXPECT_FALSE(test, rwsem_is_locked(&mm->mmap_lock));
	KUNIT_EXPECT_EQ(test, atomic_read(&mm->mm_count), 1);
	op_address_space_release(&space);
	KUNIT_EXPECT_FALSE(test, rwsem_is_locked(&other->mmap_lock));

	mmap_write_lock(other);
	KUNIT_EXPECT_TRUE(test, op_address_space_enter(&space, &context, 0));
	KUNIT_EXPECT_FALSE(test, op_address_space_enter(&space, &other_context, 0));
	KUNIT_EXPECT_NULL(test, space.mm);
	KUNIT_EXPECT_NULL(test, space.id);
	KUNIT_EXPECT_EQ(test, atomic_read(&other->mm_count), 1);
	KUNIT_EXPECT_FALSE(test, rwsem_is_locked(&mm->mmap_lock));
	mmap_write_unlock(other);
	op_address_space_release(&space);
	unmap(test, 0, PAGES);
	fake_mm_end(test, other);
}

/* Nobody has it any more: what is remembered is found, whatever is in its memory now. */
static void address_space_gone(struct kunit *test)
{
	struct op_context before = { .pid = 9, .tgid = 9, .mm = mm };
	static struct op_address_space space; /* large */
	const struct op_address_span *span;
	u32 epoch = op_epoch_now();

	map(test, 0, 4);
	op_mark_sampled(mm, op_mark_period_now());
	atomic_set(&mm->mm_users, 0);
	op_unmapped_remember_end(mm);
	unmap(test, 0, 2);
	fake_tasks[0]->mm = NULL;
	KUNIT_ASSERT_TRUE(test, op_address_space_enter(&space, &context, epoch));
	KUNIT_EXPECT_NULL(test, space.mm);
	span = op_address_space_find(&space, AT(1), epoch);
	KUNIT_EXPECT_NOT_NULL(test, span);
	KUNIT_EXPECT_NULL(test, op_address_space_find(&space, AT(3), epoch));
	op_address_space_release(&space);

	/* Another process, or the same one after two exec, has got the same memory for it. */
	fake_tasks[0]->mm = mm;
	atomic_set(&mm->mm_users, 1);
	KUNIT_ASSERT_TRUE(test, op_address_space_enter(&space, &context, epoch));
	KUNIT_EXPECT_PTR_EQ(test, space.mm, mm);
	KUNIT_EXPECT_NULL(test, op_address_space_find(&space, AT(3), epoch));
	epoch = op_epoch_now();
	KUNIT_EXPECT_NOT_NULL(test, op_address_space_find(&space, AT(3), epoch));

	/* While that is held, it is not taken for the one that was there before. */
	KUNIT_ASSERT_TRUE(test, op_address_space_enter(&space, &before, epoch));
	KUNIT_EXPECT_NULL(test, space.mm);
	KUNIT_EXPECT_NULL(test, op_address_space_find(&space, AT(3), epoch));
	KUNIT_ASSERT_TRUE(test, op_address_space_enter(&space, &context, epoch));
	KUNIT_EXPECT_PTR_EQ(test, space.mm, mm);
	op_address_space_release(&space);
	unmap(test, 0, PAGES);
}

/* What is mapped holds no further than to where something else was, for a sample of that time. */
static void address_space_narrowed(struct kunit *test)
{
	struct vm_area_struct old = {
		.vm_mm = mm, .vm_start = AT(1), .vm_end = AT(2), .vm_file = files[1],
	};
	static struct op_address_space space; /* large */
	const struct op_address_span *span;
	struct vm_area_struct *vma;
	u32 epoch = op_epoch_now();

	op_mark_sampled(mm, op_mark_period_now());
	op_unmapped_remember(&old, AT(1), AT(2));
	vma = fake_mm_map(test, mm, AT(0), AT(4), files[0], 0);
	op_epoch_advance();

	KUNIT_ASSERT_TRUE(test, op_address_space_enter(&space, &context, epoch));
	span = op_address_space_find(&space, AT(0), epoch);
	KUNIT_ASSERT_NOT_NULL(test, span);
	KUNIT_EXPECT_EQ(test, span->start, AT(0));
	KUNIT_EXPECT_EQ(test, span->size, PAGE_SIZE);
	span = op_address_space_find(&space, AT(1), epoch);
	KUNIT_ASSERT_NOT_NULL(test, span);
	KUNIT_EXPECT_EQ(test, span->cookie, op_dcookie_get(files[1], 0));
	span = op_address_space_find(&space, AT(3), epoch);
	KUNIT_ASSERT_NOT_NULL(test, span);
	KUNIT_EXPECT_EQ(test, span->start, AT(2));
	KUNIT_EXPECT_EQ(test, span->offset, 2 * PAGE_SIZE);
	span = op_address_space_find(&space, AT(1), epoch + 1);
	KUNIT_ASSERT_NOT_NULL(test, span);
	KUNIT_EXPECT_EQ(test, span->cookie, op_dcookie_get(files[0], 0));
	/* An earlier one may follow, of another CPU. */
	span = op_address_space_find(&space, AT(1), epoch);
	KUNIT_ASSERT_NOT_NULL(test, span);
	KUNIT_EXPECT_EQ(test, span->cookie, op_dcookie_get(files[1], 0));
	op_address_space_release(&space);
	fake_mm_unmap(vma);
}

/* Memory without a file: its offsets are addresses. */
static void address_space_area(struct kunit *test)
{
	static struct op_address_space space; /* large */
	const struct op_address_span *span;
	struct vm_area_struct *vma;

	op_dcookies_tear_down();
	KUNIT_ASSERT_EQ(test, op_dcookies_set_up(), 0);
	vma = fake_mm_map(test, mm, AT(0), AT(4), NULL, 0);
	KUNIT_ASSERT_TRUE(test, op_address_space_enter(&space, &context, 0));
	span = op_address_space_find(&space, AT(1), 0);
	KUNIT_ASSERT_NOT_NULL(test, span);
	KUNIT_EXPECT_EQ(test, span->cookie, 1);
	KUNIT_EXPECT_EQ(test, op_address_span_offset(span, AT(1) + 3), AT(1) + 3);
	op_address_space_release(&space);
	fake_mm_unmap(vma);
}

static void address_space_program(struct kunit *test)
{
	struct mm_struct *with_exe = fake_mm(test, files[1]);

	KUNIT_EXPECT_EQ(test, op_program_cookie(mm, 0), OPROFILE_INVALID_COOKIE);
	KUNIT_EXPECT_EQ(test, op_program_cookie(with_exe, 0), op_dcookie_get(files[1], 0));
	fake_mm_end(test, with_exe);
}

static int address_space_init(struct kunit *test)
{
	static const char *const names[FILES] = { "oprofile_a", "oprofile_b", "oprofile_c" };
	unsigned int i;

	KUNIT_ASSERT_EQ(test, op_dcookies_set_up(), 0);
	KUNIT_ASSERT_EQ(test, op_unmapped_set_up(), 0);
	for (i = 0; i < FILES; i++)
		files[i] = scratch_file(test, names[i], "", 0);
	mm = fake_mm(test, NULL);
	context.mm = mm;
	fake_task_found(test, 10, 10, mm);
	memset(mappings, 0, sizeof(mappings));
	return 0;
}

static void address_space_exit(struct kunit *test)
{
	unsigned int i;

	nr_fake_tasks = 0;
	op_unmapped_tear_down();
	op_dcookies_tear_down();
	fake_mm_end(test, mm);
	for (i = 0; i < FILES; i++)
		scratch_file_end(test, files[i]);
}

TEST_SUITE(oprofile_address_space, address_space_init, address_space_exit,
	   KUNIT_CASE(address_space_exact),
	   KUNIT_CASE(address_space_locks),
	   KUNIT_CASE(address_space_gone),
	   KUNIT_CASE(address_space_narrowed),
	   KUNIT_CASE(address_space_area),
	   KUNIT_CASE(address_space_program));
