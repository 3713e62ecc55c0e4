// SPDX-License-Identifier: GPL-2.0-only
/*
 * Unwind tables: what is no valid table is refused, whatever it is; what is loaded is found, and is
 * within the budget.
 */
#include <linux/slab.h>

#include "suite.h"

#include "fake_user.h"
#include "unwind/map.h"
#include "unwind/small_table.h"

#include "unwind/table.c"

#define MUTATIONS 20000
#define COOKIE 7

static struct small_table small;
static u32 random_state = 2463534242U;

static u32 pick(u32 end)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 17;
	random_state ^= random_state << 5;
	return (random_state >> 8) % end;
}

static int load(u64 cookie, const void __user *from, u64 size)
{
	const struct oprofile_unwind unwind = { cookie, (unsigned long)from, size };

	return op_unwind_table_load(&unwind);
}

static int load_small(u64 cookie)
{
	return load(cookie, fake_user(&small), sizeof(small));
}

static int load_small_of(u32 owner, u64 cookie)
{
	const struct oprofile_unwind unwind = {
		cookie, (unsigned long)fake_user(&small), sizeof(small), owner,
	};

	return op_unwind_table_load(&unwind);
}

static struct op_unwind_table *find_locked(u64 cookie)
{
	struct op_unwind_table *table;

	mutex_lock(&op_unwind_mutex);
	table = op_unwind_table_find(cookie);
	mutex_unlock(&op_unwind_mutex);
	return table;
}

static void table_is_found_by_cookie(struct kunit *test)
{
	struct op_unwind_table *table;

	KUNIT_EXPECT_NULL(test, find_locked(COOKIE));
	KUNIT_ASSERT_EQ(test, load_small(COOKIE), 0);
	table = find_locked(COOKIE);
	KUNIT_ASSERT_NOT_NULL(test, table);
	KUNIT_EXPECT_NULL(test, find_locked(COOKIE + 1));
	KUNIT_EXPECT_EQ(test, unwind_table_find(&table->table, 0x1ff)->cfa, 2);
	KUNIT_EXPECT_EQ(test, unwind_table_find(&table->table, 0x1ffff)->cfa_in, UNWIND_ROOT);
	KUNIT_EXPECT_NULL(test, unwind_table_find(&table->table, 0xff));
	KUNIT_EXPECT_NULL(test, unwind_table_find(&table->table, 0x30000));
	KUNIT_EXPECT_EQ(test, op_unwind_tables_count(), 1);
	KUNIT_EXPECT_GE(test, op_unwind_tables_bytes(), sizeof(small));

	/* another one of the same image takes its place */
	small.rows[0].cfa = 5;
	KUNIT_ASSERT_EQ(test, load_small(COOKIE), 0);
	table = find_locked(COOKIE);
	KUNIT_EXPECT_EQ(test, unwind_table_find(&table->table, 0x1ff)->cfa, 5);
	KUNIT_EXPECT_EQ(test, op_unwind_tables_count(), 1);
}

static void table_without_rows(struct kunit *test)
{
	static const u32 empty[9] = { UNWIND_MAGIC, UNWIND_VERSION };

	KUNIT_EXPECT_EQ(test, load(COOKIE, fake_user(empty), sizeof(empty)), 0);
	KUNIT_EXPECT_NULL(test, unwind_table_find(&find_locked(COOKIE)->table, 0));
}

static void expect_refused(struct kunit *test, int err)
{
	unsigned long before = op_unwind_tables_refused();

	KUNIT_EXPECT_EQ(test, load_small(COOKIE), err);
	KUNIT_EXPECT_EQ(test, op_unwind_tables_refused(), before + 1);
	KUNIT_EXPECT_EQ(test, op_unwind_tables_bytes(), 0);
	KUNIT_EXPECT_NULL(test, find_locked(COOKIE));
	small_table_make(&small);
}

static void table_refused(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < 4; i++) {
		small.head[i]++;
		expect_refused(test, -EINVAL);
	}
	for (i = 0; i <= SMALL_PAGES; i++) {
		small.index[i] = SMALL_ROWS + 1;
		expect_refused(test, -EINVAL);
	}
	small.index[1] = 4; /* more than the next page's */
	expect_refused(test, -EINVAL);
	for (i = 0; i < SMALL_ROWS; i++) {
		small.rows[i].cfa_in = UNWIND_OTHER + 1;
		expect_refused(test, -EINVAL);
		small.rows[i].fp_in |= 0x20;
		expect_refused(test, -EINVAL);
	}
	small.rows[1].at = 0x100;
	expect_refused(test, -EINVAL);
}

static void table_refused_by_argument(struct kunit *test)
{
	char __user *user = fake_user(&small);

	KUNIT_EXPECT_EQ(test, load(0, user, sizeof(small)), -EINVAL);
	KUNIT_EXPECT_EQ(test, load(~0ULL, user, sizeof(small)), -EINVAL);
	KUNIT_EXPECT_EQ(test, load(COOKIE, user, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, load(COOKIE, user, 35), -EINVAL);
	KUNIT_EXPECT_EQ(test, load(COOKIE, user, sizeof(small) - 8), -EINVAL);
	KUNIT_EXPECT_EQ(test, load(COOKIE, user, UNWIND_TABLE_MOST + 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, load(COOKIE, user, ~0ULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, load(COOKIE, FAKE_USER_FAULT, 4096), -EFAULT);
	KUNIT_EXPECT_EQ(test, op_unwind_tables_refused(), 8);
	KUNIT_EXPECT_EQ(test, op_unwind_tables_bytes(), 0);
}

/* Any bytes: refused, or harmless.  Sanitisers see what is read behind a table. */
static void table_hostile(struct kunit *test)
{
	unsigned int taken = 0, i, n;

	for (i = 0; i < MUTATIONS; i++) {
		struct op_unwind_table *table;

		small_table_make(&small);
		for (n = 1 + pick(4); n; n--)
			((u8 *)&small)[pick(sizeof(small))] = pick(2) ? pick(256) : pick(5);
		if (load_small(COOKIE))
			continue;
		taken++;
		table = find_locked(COOKIE);
		for (n = 0; n < 16; n++) {
			const struct unwind_row *row =
				unwind_table_find(&table->table, pick(0x40000));

			if (row && !unwind_row_is_valid(row))
				KUNIT_FAIL(test, "a row that is not valid was taken");
		}
		/* what would be waited for costs more than the rest */
		if (taken == 100)
			break;
	}
	KUNIT_EXPECT_EQ(test, taken, 100);
	KUNIT_EXPECT_GT(test, op_unwind_tables_refused(), 100);
}

/* Tables of a few bytes count as a page: there cannot be more than can be looked through. */
static void tables_within_budget(struct kunit *test)
{
	const unsigned int most = 16;
	unsigned int i;

	unwind_kb_max = most * PAGE_SIZE / 1024;
	for (i = 1; i <= most; i++)
		KUNIT_ASSERT_EQ(test, load_small(i), 0);
	KUNIT_EXPECT_EQ(test, op_unwind_tables_dropped(), 0);
	/* the one that was used longest ago goes */
	KUNIT_ASSERT_NOT_NULL(test, find_locked(1));
	KUNIT_ASSERT_EQ(test, load_small(100), 0);
	KUNIT_EXPECT_EQ(test, op_unwind_tables_dropped(), 1);
	KUNIT_EXPECT_NULL(test, find_locked(2));
	KUNIT_EXPECT_NOT_NULL(test, find_locked(1));
	KUNIT_EXPECT_EQ(test, op_unwind_tables_count(), most);
	KUNIT_EXPECT_LE(test, op_unwind_tables_bytes(), most * PAGE_SIZE);

	unwind_kb_max = 0;
	KUNIT_EXPECT_EQ(test, load_small(101), -ENOSPC);
	KUNIT_EXPECT_EQ(test, op_unwind_tables_bytes(), 0);
}

static void nothing_goes_for_what_never_fits(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, load_small(1), 0);
	unwind_kb_max = PAGE_SIZE / 1024;
	KUNIT_EXPECT_EQ(test, load(2, fake_user(&small), PAGE_SIZE), -ENOSPC);
	KUNIT_EXPECT_NOT_NULL(test, find_locked(1));
	KUNIT_EXPECT_EQ(test, op_unwind_tables_dropped(), 0);
}

/* One user's files, however many, leave those of others alone. */
static void tables_of_a_user_within_a_part(struct kunit *test)
{
	const unsigned int most = 16, part = most / OWNER_PART;
	unsigned int i;

	unwind_kb_max = most * PAGE_SIZE / 1024;
	KUNIT_ASSERT_EQ(test, load_small_of(0, 1), 0);
	KUNIT_ASSERT_EQ(test, load_small_of(1000, 2), 0);
	for (i = 0; i < 2 * most; i++)
		KUNIT_ASSERT_EQ(test, load_small_of(1001, 100 + i), 0);
	KUNIT_EXPECT_EQ(test, op_unwind_tables_dropped(), 2 * most - part);
	KUNIT_EXPECT_NULL(test, find_locked(100));
	KUNIT_EXPECT_NOT_NULL(test, find_locked(100 + 2 * most - part));
	KUNIT_EXPECT_NOT_NULL(test, find_locked(1));
	KUNIT_EXPECT_NOT_NULL(test, find_locked(2));

	unwind_kb_max = (OWNER_PART - 1) * PAGE_SIZE / 1024;
	KUNIT_EXPECT_EQ(test, load_small_of(1000, 3), -ENOSPC);
	KUNIT_EXPECT_EQ(test, load_small_of(0, 3), 0);
}

static void tables_wanted_once(struct kunit *test)
{
	struct oprofile_unwind_wanted wanted;
	unsigned int i;

	op_unwind_table_wanted(&wanted);
	KUNIT_EXPECT_EQ(test, wanted.cookie, OPROFILE_NO_COOKIE);
	mutex_lock(&op_unwind_mutex);
	for (i = 0; i < 2 * WANTED_MOST; i++)
		op_unwind_table_want(1 + i / 2, 1000 + i);
	op_unwind_table_want(5000, 1); /* no room */
	mutex_unlock(&op_unwind_mutex);
	for (i = WANTED_MOST; i; i--) {
		op_unwind_table_wanted(&wanted);
		KUNIT_EXPECT_EQ(test, wanted.cookie, i);
		KUNIT_EXPECT_EQ(test, wanted.tgid, 1000 + 2 * (i - 1));
	}
	op_unwind_table_wanted(&wanted);
	KUNIT_EXPECT_EQ(test, wanted.cookie, OPROFILE_NO_COOKIE);
}

static int table_test_init(struct kunit *test)
{
	small_table_make(&small);
	op_unwind_maps_set_up();
	op_unwind_tables_reset();
	unwind_kb_max = 131072;
	return 0;
}

static void table_test_exit(struct kunit *test)
{
	op_unwind_tables_tear_down();
	unwind_kb_max = 131072;
	KUNIT_EXPECT_EQ(test, op_unwind_tables_bytes(), 0);
	KUNIT_EXPECT_EQ(test, op_unwind_tables_count(), 0);
}

TEST_SUITE(oprofile_unwind_table, table_test_init, table_test_exit,
	   KUNIT_CASE(table_is_found_by_cookie),
	   KUNIT_CASE(table_without_rows),
	   KUNIT_CASE(table_refused),
	   KUNIT_CASE(table_refused_by_argument),
	   KUNIT_CASE(table_hostile),
	   KUNIT_CASE(tables_within_budget),
	   KUNIT_CASE(nothing_goes_for_what_never_fits),
	   KUNIT_CASE(tables_of_a_user_within_a_part),
	   KUNIT_CASE(tables_wanted_once));
