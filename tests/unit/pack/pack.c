// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Packs give back what was put in, however much, or an error that names them: after each change of
 * a byte and each cut.
 */
#include "tests/unit/test.h"

#include "libop/base/array.h"
#include "libop/base/file.h"
#include "libop/base/number.h"
#include "libop/pack/pack.h"
#include "fixture.h"

TEST(names_are_ordered_by_component)
{
	static const char *const names[] = {
		"{kern}/a/x",  "{root}/a/b/c", "{root}/a/bc", "{root}/a b/c",
		"{root}/a!/c", "{root}/ab/c",  "{root}/b",
	};

	for (size_t i = 0; i < OP_ARRAY_SIZE(names); i++) {
		for (size_t k = 0; k < OP_ARRAY_SIZE(names); k++) {
			int order = op_pack_compare_names(names[i], names[k]);

			assert_int_equal((order > 0) - (order < 0), op_compare_u64(i, k));
		}
	}
}

/* Many files of many keys: several blocks. */
TEST_WITH(packs_of_many_blocks_keep_all_counts, empty, NULL)
{
	struct odb_error error;
	char *before;

	for (int file = 0; file < 40; file++) {
		char *name = op_path("{root}/bin/p%d/{dep}/{root}/bin/p%d/" EVENT, file, file);
		char *path = path_of(name);
		struct odb *db;

		make_dirs(path);
		assert_int_equal(odb_open(&db, path, ODB_CREATE, &sample_header, &error), 0);
		for (int i = 0; i < 20000; i++)
			assert_int_equal(odb_add(db, random_below(UINT64_C(1) << 34),
						 1 + random_below(1 << (file % 20)), &error),
					 0);
		odb_close(db);
		free(path);
		free(name);
	}
	before = describe();
	assert_int_equal(pack().done, 40);
	expect_same(before);
	assert_int_equal(unpack().done, 40);
	expect_same(before);
	free(before);
}

/* Trees of random stacks. */
TEST_WITH(random_stacks_are_packed_and_unpacked, empty, NULL)
{
	char *before;

	for (int i = 0; i < 300; i++) {
		const char *images[8];
		uint64_t offsets[8];
		size_t depth = random_below(9);

		for (size_t level = 0; level < depth; level++) {
			images[level] = random_below(3) ? "{root}/bin/a" : "{kern}/kallsyms";
			offsets[level] = random_below(level < 2 ? 1000 : 3);
		}
		add_stack("stacks/{root}/bin/a/" EVENT, images, offsets, depth,
			  1 + random_below(UINT64_C(1) << 33));
	}
	before = describe();
	pack();
	expect_same(before);
	unpack();
	expect_same(before);
	free(before);
}

static void put(const char *path, const void *bytes, size_t n)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, n), n);
	close(fd);
}

TEST_WITH(each_damaged_byte_is_noticed, empty, NULL)
{
	char *path = path_of(OP_PACK_NAME), *bytes, *whole;
	size_t n, unnoticed = 0;

	fill();
	pack();
	bytes = op_file_read(path, 1 << 20, &n, NULL);
	whole = read_pack(path);
	assert_non_null(whole);
	for (size_t at = 0; at < n; at++) {
		static const uint8_t changes[] = {0xff, 0x01, 0x80, 0x55};

		for (size_t i = 0; i < sizeof(changes); i++) {
			char *text;

			bytes[at] ^= (char)changes[i];
			put(path, bytes, n);
			bytes[at] ^= (char)changes[i];
			text = read_pack(path);
			/* a bit that means nothing to zstd */
			if (text)
				assert_string_equal(text, whole);
			unnoticed += text != NULL;
			free(text);
		}
	}
	for (size_t length = 0; length < n; length++) {
		put(path, bytes, length);
		assert_null(read_pack(path));
	}
	print_message("%zu bytes; %zu changes of %zu made no difference\n", n, unnoticed, 4 * n);
	assert_true(unnoticed <= 16);
	free(whole);
	free(bytes);
	free(path);
}

TEST_PROGRAM(enter, leave)
