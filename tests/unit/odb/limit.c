// SPDX-License-Identifier: GPL-2.0-or-later
/* The largest file, on a libdb that was built with ODB_SIZE_MAX 256 instead of 2^31. */
#include "tests/unit/test.h"

#include "tests/unit/odb/fixture.h"

TEST(a_file_with_all_its_nodes_takes_known_keys_only)
{
	const char *path = fixture_path("largest");
	struct odb *db = fixture_create(path);
	struct odb_error error;

	for (uint64_t key = 1; key < 256; key++)
		fixture_add(db, key, 1);
	assert_int_equal(odb_add(db, 256, 1, &error), -1);
	assert_int_equal(error.code, EFBIG);
	fixture_add(db, 255, 1);
	odb_close(db);
	db = fixture_create(path);
	assert_int_equal(odb_add(db, 256, 1, &error), -1);
	assert_int_equal(odb_add(db, 255, 0xffffffff, &error), -1);
	fixture_add(db, 255, 1);
	odb_close(db);
	assert_int_equal(fixture_sum(path), 257);
	assert_int_equal(fixture_count(path, 255), 3);
	fixture_assert_sound(path);
}

TEST_PROGRAM(fixture_setup, fixture_teardown)
