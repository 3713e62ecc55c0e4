// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples that are set aside: how many, and of whom.
 */
#include <linux/hashtable.h>
#include <linux/jiffies.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>

#include <kunit/test.h>

#include "fake_mm.h"
#include "suite.h"

static bool no_memory;

/* Seams. */
static void *seam_kmalloc(size_t size, gfp_t flags)
{
	return no_memory ? NULL : kmalloc(size, flags);
}

#undef kmalloc
#define kmalloc seam_kmalloc

#include "deferred.c"

static struct mm_struct *mm[SHARE + 1];

/* A record with two callers. */
static bool add_of(u16 account, struct mm_struct *of, u32 epoch, u64 pc)
{
	const struct op_record_header header = {
		.epoch = epoch, .kind = OP_RECORD_SAMPLE, .nr_callers = 2,
	};
	const struct op_context context = {
		.pid = 1, .tgid = 2, .account = account, .mm = of, .app = 3,
	};
	u64 words[4] = { 0, pc, 11, 12 };
	struct op_cpu_reader record = { .words = words, .mask = 3, .end = 4 };
	bool added;

	memcpy(words, &header, sizeof(header));
	mutex_lock(&op_sync_mutex);
	added = op_deferred_add(5, &context, &record);
	mutex_unlock(&op_sync_mutex);
	return added;
}

static bool add(struct mm_struct *of, u32 epoch, u64 pc)
{
	return add_of(0, of, epoch, pc);
}

static void deferred_copied(struct kunit *test)
{
	struct op_deferred_sample *sample;
	struct op_deferred_space *space;

	KUNIT_EXPECT_FALSE(test, op_deferred_any());
	KUNIT_ASSERT_TRUE(test, add(mm[0], 7, 10));
	KUNIT_EXPECT_TRUE(test, op_deferred_any());
	KUNIT_EXPECT_EQ(test, atomic_read(&mm[0]->mm_count), 1);

	space = list_first_entry(&op_deferred_spaces, struct op_deferred_space, list);
	KUNIT_EXPECT_PTR_EQ(test, space->mm, mm[0]);
	sample = list_first_entry(&space->samples, struct op_deferred_sample, list);
	KUNIT_EXPECT_EQ(test, sample->cpu, 5);
	KUNIT_EXPECT_EQ(test, sample->context.app, 3);
	KUNIT_EXPECT_EQ(test, sample->nr_words, 4);
	KUNIT_EXPECT_EQ(test, sample->words[1], 10);
	KUNIT_EXPECT_EQ(test, sample->words[3], 12);

	op_deferred_remove(space, sample);
	KUNIT_EXPECT_FALSE(test, op_deferred_any());
	KUNIT_EXPECT_TRUE(test, list_empty(&op_deferred_spaces));
	KUNIT_EXPECT_EQ(test, atomic_read(&mm[0]->mm_count), 1);
}

/* One address space has its share, and one user as much as is left for others. */
static void deferred_bounded(struct kunit *test)
{
	unsigned int i, of;

	deferred_max = SHARE * 4;
	for (of = 0; of < SHARE / 2; of++) {
		for (i = 0; i < 4; i++)
			KUNIT_EXPECT_TRUE(test, add(mm[of], 1, i));
		KUNIT_EXPECT_FALSE(test, add(mm[of], 1, 4));
	}
	KUNIT_EXPECT_FALSE(test, add(mm[SHARE / 2], 1, 0));
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_TRUE(test, add_of(1, mm[SHARE / 2], 1, i));
	op_deferred_tear_down();
	KUNIT_EXPECT_TRUE(test, add(mm[SHARE], 1, 0));

	deferred_max = 0;
	KUNIT_EXPECT_FALSE(test, add(mm[0], 1, 0));
}

static void deferred_no_memory(struct kunit *test)
{
	no_memory = true;
	KUNIT_EXPECT_FALSE(test, add(mm[0], 1, 0));
	no_memory = false;
	KUNIT_EXPECT_FALSE(test, op_deferred_any());
	KUNIT_EXPECT_EQ(test, atomic_read(&mm[0]->mm_count), 1);
}

/* The oldest epoch, where the numbers wrap. */
static void deferred_oldest(struct kunit *test)
{
	u32 epoch = 3;

	op_deferred_keep(&epoch);
	KUNIT_EXPECT_EQ(test, epoch, 3);
	KUNIT_ASSERT_TRUE(test, add(mm[0], 5, 0));
	op_deferred_keep(&epoch);
	KUNIT_EXPECT_EQ(test, epoch, 3);
	KUNIT_ASSERT_TRUE(test, add(mm[1], -2U, 0));
	KUNIT_ASSERT_TRUE(test, add(mm[1], 0, 0));
	op_deferred_keep(&epoch);
	KUNIT_EXPECT_EQ(test, epoch, -2U);
}

static int deferred_init(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(mm); i++)
		mm[i] = fake_mm(test, NULL);
	return 0;
}

static void deferred_exit(struct kunit *test)
{
	unsigned int i;

	no_memory = false;
	deferred_max = 8192;
	op_deferred_tear_down();
	for (i = 0; i < ARRAY_SIZE(mm); i++)
		fake_mm_end(test, mm[i]);
}

TEST_SUITE(oprofile_deferred, deferred_init, deferred_exit,
	   KUNIT_CASE(deferred_copied),
	   KUNIT_CASE(deferred_bounded),
	   KUNIT_CASE(deferred_no_memory),
	   KUNIT_CASE(deferred_oldest));
