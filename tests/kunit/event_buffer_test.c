// SPDX-License-Identifier: GPL-2.0-only
/*
 * The event buffer: when it is ready, and how it is read.
 */
#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "suite.h"

#include "fake_user.h"

static bool no_memory;
static unsigned long now; /* what the buffer takes for the time */

static void *seam_vmalloc(unsigned long size, gfp_t flags)
{
	return no_memory ? NULL : __vmalloc(size, flags);
}

static unsigned long seam_jiffies(void)
{
	return now ?: jiffies;
}

/* Seams. */
#undef __vmalloc
#define __vmalloc seam_vmalloc
#define jiffies seam_jiffies()

#include "event_buffer.c"

#undef jiffies

#define SIZE 64UL
#define WATERSHED 16UL

static void put(unsigned int nr)
{
	u64 *to = op_event_buffer_begin();

	while (nr--)
		*to++ = op_event_buffer_free() + nr;
	op_event_buffer_end(to);
	op_event_buffer_check_ready();
}

static void event_buffer_sizes(struct kunit *test)
{
	op_event_buffer_tear_down();
	KUNIT_EXPECT_EQ(test, op_event_buffer_set_up(10, 10), -EINVAL);
	KUNIT_EXPECT_EQ(test, op_event_buffer_set_up(10, 11), -EINVAL);
	KUNIT_EXPECT_EQ(test, op_event_buffer_set_up(0, 0), -EINVAL);
	no_memory = true;
	KUNIT_EXPECT_EQ(test, op_event_buffer_set_up(10, 9), -ENOMEM);
	no_memory = false;
	KUNIT_EXPECT_EQ(test, op_event_buffer_set_up(10, 9), 0);
	KUNIT_EXPECT_EQ(test, op_event_buffer_size(), 10);
	KUNIT_EXPECT_EQ(test, op_event_buffer_free(), 10);
}

static void event_buffer_watershed(struct kunit *test)
{
	op_event_buffer_check_ready();
	KUNIT_EXPECT_FALSE(test, op_event_buffer_ready()); /* it is empty */
	put(SIZE - WATERSHED - 1);
	KUNIT_EXPECT_FALSE(test, op_event_buffer_ready());
	put(1);
	KUNIT_EXPECT_TRUE(test, op_event_buffer_ready());
	KUNIT_EXPECT_EQ(test, op_event_buffer_free(), WATERSHED);
}

static void event_buffer_age(struct kunit *test)
{
	now = -1UL; /* so that it wraps */
	put(1);
	now += HZ - 1;
	op_event_buffer_check_ready();
	KUNIT_EXPECT_FALSE(test, op_event_buffer_ready());
	now += 1;
	op_event_buffer_check_ready();
	KUNIT_EXPECT_TRUE(test, op_event_buffer_ready());
}

/* The age begins anew with the first word after a read. */
static void event_buffer_younger(struct kunit *test)
{
	u64 words[SIZE];

	now = 1000;
	put(1);
	op_event_buffer_make_ready();
	KUNIT_EXPECT_EQ(test, op_event_buffer_read(fake_user(words)), 8);
	now += HZ - 1;
	put(1);
	now += 2;
	op_event_buffer_check_ready();
	KUNIT_EXPECT_FALSE(test, op_event_buffer_ready());
}

static void event_buffer_read(struct kunit *test)
{
	u64 words[SIZE + 1];
	unsigned int i;

	memset(words, 0x77, sizeof(words));
	put(SIZE);
	KUNIT_EXPECT_EQ(test, op_event_buffer_free(), 0);
	KUNIT_EXPECT_EQ(test, op_event_buffer_read(fake_user(words)), SIZE * 8);
	for (i = 0; i < SIZE; i++)
		KUNIT_EXPECT_EQ(test, words[i], SIZE + SIZE - 1 - i);
	KUNIT_EXPECT_EQ(test, words[SIZE], 0x7777777777777777ULL);
	KUNIT_EXPECT_EQ(test, op_event_buffer_free(), SIZE);
	KUNIT_EXPECT_FALSE(test, op_event_buffer_ready());
	KUNIT_EXPECT_EQ(test, op_event_buffer_read(fake_user(words)), 0);
}

static void event_buffer_fault(struct kunit *test)
{
	u64 words[SIZE];

	put(3);
	op_event_buffer_make_ready();
	KUNIT_EXPECT_EQ(test, op_event_buffer_read(FAKE_USER_FAULT), -EFAULT);
	KUNIT_EXPECT_TRUE(test, op_event_buffer_ready());
	KUNIT_EXPECT_EQ(test, op_event_buffer_read(fake_user(words)), 3 * 8);
}

/* A buffer that was left ready is not so when it is set up again. */
static void event_buffer_again(struct kunit *test)
{
	put(3);
	op_event_buffer_make_ready();
	op_event_buffer_tear_down();
	KUNIT_ASSERT_EQ(test, op_event_buffer_set_up(SIZE, WATERSHED), 0);
	KUNIT_EXPECT_FALSE(test, op_event_buffer_ready());
	KUNIT_EXPECT_EQ(test, op_event_buffer_free(), SIZE);
	KUNIT_EXPECT_FALSE(test, waiting);
}

static int event_buffer_init(struct kunit *test)
{
	return op_event_buffer_set_up(SIZE, WATERSHED);
}

static void event_buffer_exit(struct kunit *test)
{
	now = 0;
	no_memory = false;
	op_event_buffer_tear_down();
}

TEST_SUITE(oprofile_event_buffer, event_buffer_init, event_buffer_exit,
	   KUNIT_CASE(event_buffer_sizes),
	   KUNIT_CASE(event_buffer_watershed),
	   KUNIT_CASE(event_buffer_age),
	   KUNIT_CASE(event_buffer_younger),
	   KUNIT_CASE(event_buffer_read),
	   KUNIT_CASE(event_buffer_fault),
	   KUNIT_CASE(event_buffer_again));
