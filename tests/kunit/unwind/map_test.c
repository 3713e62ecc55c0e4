// SPDX-License-Identifier: GPL-2.0-only
/*
 * Maps of address spaces: what is mapped there, with its tables; what is unmapped is gone at once.
 */
#include <linux/mm.h>
#include <linux/mmap_lock.h>

#include "suite.h"

#include "fake_mm.h"
#include "images/dcookie.h"
#include "scratch_file.h"
#include "unwind/table.h"

#include "unwind/map.c"

#define CODE 0x10000000UL
#define LIBRARY 0x20000000UL
#define JIT 0x30000000UL

static struct file *files[2];
static struct mm_struct *mm;

static void map_code(struct kunit *test, unsigned long start, unsigned int pages,
		     struct file *file, unsigned long pgoff)
{
	struct vm_area_struct *vma = fake_mm_map(test, mm, start, start + pages * PAGE_SIZE, file,
						 pgoff);

	*(vm_flags_t *)&vma->vm_flags = VM_EXEC;
}

static struct op_unwind_map *refresh(struct mm_struct *space)
{
	if (!mmap_read_trylock(space))
		return NULL;
	op_unwind_map_refresh(space, 42, 0);
	mmap_read_unlock(space);
	return op_unwind_map_find(space);
}

static void map_has_code_in_order(struct kunit *test)
{
	struct op_unwind_map *map;

	map_code(test, LIBRARY, 2, files[1], 3);
	map_code(test, CODE, 1, files[0], 0);
	map_code(test, JIT, 1, NULL, 0);
	fake_mm_map(test, mm, JIT + PAGE_SIZE, JIT + 2 * PAGE_SIZE, files[0], 1); /* data */
	map = refresh(mm);
	KUNIT_ASSERT_NOT_NULL(test, map);
	KUNIT_ASSERT_EQ(test, map->nr, 3);
	KUNIT_EXPECT_EQ(test, map->mappings[0].start, CODE);
	KUNIT_EXPECT_EQ(test, map->mappings[0].cookie, op_dcookie_get(files[0], 0));
	KUNIT_EXPECT_EQ(test, map->mappings[1].start, LIBRARY);
	KUNIT_EXPECT_EQ(test, map->mappings[1].end, LIBRARY + 2 * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, map->mappings[1].offset, 3 * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, map->mappings[1].cookie, op_dcookie_get(files[1], 0));
	KUNIT_EXPECT_EQ(test, map->mappings[2].cookie, OPROFILE_NO_COOKIE);
	KUNIT_EXPECT_PTR_EQ(test, refresh(mm), map); /* nothing has changed */
}

static void map_with_tables(struct kunit *test)
{
	struct op_unwind_table table = { .cookie = op_dcookie_get(files[1], 0) };
	struct op_unwind_map *map;

	map_code(test, CODE, 1, files[0], 0);
	map_code(test, LIBRARY, 1, files[1], 0);
	map = refresh(mm);
	KUNIT_ASSERT_NOT_NULL(test, map);
	mutex_lock(&op_unwind_mutex);
	set_table(&table);
	mutex_unlock(&op_unwind_mutex);
	KUNIT_EXPECT_NULL(test, rcu_access_pointer(map->mappings[0].table));
	KUNIT_EXPECT_PTR_EQ(test, rcu_access_pointer(map->mappings[1].table), &table);
	mutex_lock(&op_unwind_mutex);
	drop_gone_tables();
	KUNIT_EXPECT_PTR_EQ(test, rcu_access_pointer(map->mappings[1].table), &table);
	table.gone = true;
	drop_gone_tables();
	mutex_unlock(&op_unwind_mutex);
	KUNIT_EXPECT_NULL(test, rcu_access_pointer(map->mappings[1].table));
}

static void map_wants_tables_when_missed(struct kunit *test)
{
	struct oprofile_unwind_wanted wanted;
	struct op_unwind_map *map;

	map_code(test, CODE, 1, files[0], 0);
	map_code(test, JIT, 1, NULL, 0);
	map = refresh(mm);
	KUNIT_ASSERT_NOT_NULL(test, map);
	refresh(mm);
	op_unwind_table_wanted(&wanted);
	KUNIT_EXPECT_EQ(test, wanted.cookie, OPROFILE_NO_COOKIE);
	map->missed = true;
	refresh(mm);
	KUNIT_EXPECT_FALSE(test, map->missed);
	op_unwind_table_wanted(&wanted);
	KUNIT_EXPECT_EQ(test, wanted.cookie, op_dcookie_get(files[0], 0));
	KUNIT_EXPECT_EQ(test, wanted.tgid, 42);
	op_unwind_table_wanted(&wanted);
	KUNIT_EXPECT_EQ(test, wanted.cookie, OPROFILE_NO_COOKIE);
}

static void map_loses_what_is_unmapped(struct kunit *test)
{
	struct op_unwind_map *map;
	u64 id;

	map_code(test, CODE, 1, files[0], 0);
	map_code(test, LIBRARY, 4, files[1], 0);
	map = refresh(mm);
	KUNIT_ASSERT_NOT_NULL(test, map);
	id = map->id;
	op_unwind_map_remove(mm, JIT, JIT + PAGE_SIZE); /* not one of it */
	op_unwind_map_remove(mm, CODE + PAGE_SIZE, LIBRARY);
	KUNIT_EXPECT_FALSE(test, map->stale);
	KUNIT_EXPECT_EQ(test, map->id, id);
	op_unwind_map_remove(mm, LIBRARY + PAGE_SIZE, LIBRARY + 2 * PAGE_SIZE); /* a part */
	KUNIT_EXPECT_TRUE(test, map->stale);
	KUNIT_EXPECT_NE(test, map->id, id);
	KUNIT_EXPECT_EQ(test, map->mappings[0].end, CODE + PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, map->mappings[1].end, LIBRARY);
	id = map->id;
	map = refresh(mm);
	KUNIT_ASSERT_NOT_NULL(test, map);
	KUNIT_EXPECT_FALSE(test, map->stale);
	KUNIT_EXPECT_NE(test, map->id, id);
	KUNIT_EXPECT_EQ(test, map->mappings[1].end, LIBRARY + 4 * PAGE_SIZE);
}

static void map_is_made_anew_after_mapping(struct kunit *test)
{
	struct op_unwind_map *map;

	KUNIT_ASSERT_NOT_NULL(test, refresh(mm));
	map_code(test, CODE, 1, files[0], 0);
	op_unwind_map_add(mm);
	KUNIT_EXPECT_TRUE(test, op_unwind_map_find(mm)->stale);
	map = refresh(mm);
	KUNIT_ASSERT_NOT_NULL(test, map);
	KUNIT_EXPECT_EQ(test, map->nr, 1);
}

/* What has to look at many mappings is not done at each sync. */
static void map_of_many_mappings_is_made_anew_later(struct kunit *test)
{
	struct op_unwind_map *map;
	unsigned int i;

	for (i = 0; i < 4 * SCANNED_IN_A_JIFFY; i++) /* data */
		fake_mm_map(test, mm, CODE + i * PAGE_SIZE, CODE + (i + 1) * PAGE_SIZE, files[0],
			    i);
	map = refresh(mm);
	KUNIT_ASSERT_NOT_NULL(test, map);
	op_unwind_map_add(mm);
	map->again = jiffies + HZ;
	KUNIT_EXPECT_PTR_EQ(test, refresh(mm), map);
	KUNIT_EXPECT_TRUE(test, map->stale);
	map->again = jiffies;
	map = refresh(mm);
	KUNIT_ASSERT_NOT_NULL(test, map);
	KUNIT_EXPECT_FALSE(test, map->stale);
	KUNIT_EXPECT_EQ(test, map->again - map->touched, 4);
}

static void map_goes_with_last_user(struct kunit *test)
{
	KUNIT_ASSERT_NOT_NULL(test, refresh(mm));
	KUNIT_EXPECT_EQ(test, atomic_read(&mm->mm_count), 1);
	op_unwind_maps_age();
	KUNIT_EXPECT_NOT_NULL(test, op_unwind_map_find(mm));
	atomic_set(&mm->mm_users, 0);
	op_unwind_map_end(mm);
	KUNIT_EXPECT_NULL(test, op_unwind_map_find(mm));
	KUNIT_EXPECT_NE(test, map_bytes, 0);
	op_unwind_maps_age();
	KUNIT_EXPECT_EQ(test, map_bytes, 0);
	KUNIT_EXPECT_NULL(test, refresh(mm)); /* nor is one made again */
}

/* Where the hook that tells of the end was not called. */
static void map_goes_when_not_met(struct kunit *test)
{
	struct op_unwind_map *map = refresh(mm);

	KUNIT_ASSERT_NOT_NULL(test, map);
	map->touched = jiffies - MAP_AGE;
	op_unwind_maps_age();
	KUNIT_EXPECT_PTR_EQ(test, op_unwind_map_find(mm), map);
	map->touched = jiffies - MAP_AGE - 2;
	op_unwind_maps_age();
	KUNIT_EXPECT_NULL(test, op_unwind_map_find(mm));
}

/* The last user goes while the map is made. */
static void map_not_made_of_what_ends(struct kunit *test)
{
	atomic_set(&mm->mm_users, 0);
	mmap_read_lock(mm);
	mutex_lock(&op_unwind_mutex);
	make_map(mm, 0, NULL);
	mutex_unlock(&op_unwind_mutex);
	mmap_read_unlock(mm);
	KUNIT_EXPECT_NULL(test, op_unwind_map_find(mm));
	KUNIT_EXPECT_EQ(test, map_bytes, 0);
}

static void maps_within_bounds(struct kunit *test)
{
	struct op_unwind_map *map;
	unsigned int i;

	for (i = 0; i < MAPPINGS_MOST + 10; i++)
		map_code(test, CODE + i * 2 * PAGE_SIZE, 1, files[0], i);
	map = refresh(mm);
	KUNIT_ASSERT_NOT_NULL(test, map);
	KUNIT_EXPECT_EQ(test, map->nr, MAPPINGS_MOST);
	KUNIT_EXPECT_EQ(test, map_bytes, map_size(map->nr));

	mutex_lock(&op_unwind_mutex);
	KUNIT_EXPECT_FALSE(test, make_map_room(op_unwind_memory()));
	mutex_unlock(&op_unwind_mutex);
	KUNIT_EXPECT_NULL(test, op_unwind_map_find(mm));
	KUNIT_EXPECT_EQ(test, map_bytes, 0);
}

static int map_test_init(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, op_dcookies_set_up(), 0);
	op_unwind_maps_set_up();
	files[0] = scratch_file(test, "unwind0", "0", 1);
	files[1] = scratch_file(test, "unwind1", "1", 1);
	mm = fake_mm(test, NULL);
	return 0;
}

static void map_test_exit(struct kunit *test)
{
	op_unwind_maps_forget();
	op_unwind_tables_tear_down();
	KUNIT_EXPECT_EQ(test, map_bytes, 0);
	op_dcookies_tear_down();
	scratch_file_end(test, files[0]);
	scratch_file_end(test, files[1]);
	fake_mm_end(test, mm);
}

TEST_SUITE(oprofile_unwind_map, map_test_init, map_test_exit,
	   KUNIT_CASE(map_has_code_in_order),
	   KUNIT_CASE(map_with_tables),
	   KUNIT_CASE(map_wants_tables_when_missed),
	   KUNIT_CASE(map_loses_what_is_unmapped),
	   KUNIT_CASE(map_is_made_anew_after_mapping),
	   KUNIT_CASE(map_of_many_mappings_is_made_anew_later),
	   KUNIT_CASE(map_goes_with_last_user),
	   KUNIT_CASE(map_goes_when_not_met),
	   KUNIT_CASE(map_not_made_of_what_ends),
	   KUNIT_CASE(maps_within_bounds));
