// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Packing and unpacking a session keeps every count, whatever is packed already, whenever it is
 * killed or the disk is full; files that cannot be packed stay as they are.
 */
#include <signal.h>
#include <sys/resource.h>

#include "tests/unit/test.h"

#include "libop/base/file.h"
#include "libop/pack/pack.h"
#include "libop/pack/session.h"
#include "fixture.h"

TEST_WITH(a_session_is_packed_and_unpacked, empty, NULL)
{
	char *before;

	fill();
	before = describe();
	assert_int_equal(pack().done, FILES);
	assert_int_equal(loose_files(), 1); /* the code of a JIT compiler */
	expect_same(before);
	assert_int_equal(pack().done, FILES); /* with nothing loose: nothing happens */
	assert_int_equal(unpack().done, FILES);
	assert_int_equal(loose_files(), FILES + 1);
	expect_same(before);
	free(before);
}

TEST_WITH(a_session_without_files_is_not_packed, empty, NULL)
{
	struct op_pack_result result;
	struct op_error error;

	assert_int_equal(pack().done, 0);
	assert_int_not_equal(op_session_unpack(current, &result, &error), 0);
	assert_int_equal(error.code, ENOENT);
	assert_int_not_equal(op_session_pack("nowhere", NULL, NULL, &result, &error), 0);
	assert_non_null(strstr(error.text, "nowhere"));
}

/* What comes beside a pack becomes part of the next one. */
TEST_WITH(files_beside_a_pack_are_added_to_it, empty, NULL)
{
	static const uint64_t offsets[] = {0x11, 0x20, 0x30};
	char *before;

	fill();
	add("{root}/bin/a/{dep}/{root}/bin/a/" EVENT, 0x11, 4);
	add("{root}/bin/a/{dep}/{root}/bin/a/" EVENT, 0x10, 2);
	add("{root}/bin/new/{dep}/{root}/bin/new/" EVENT, 1, 1);
	add_stack("stacks/{root}/bin/a/" EVENT, kernel_and_program, offsets, 3, 10);
	before = describe();
	empty(NULL);
	for (int order = 0; order < 2; order++) {
		fill();
		pack();
		add("{root}/bin/a/{dep}/{root}/bin/a/" EVENT, 0x11, 4);
		add("{root}/bin/a/{dep}/{root}/bin/a/" EVENT, 0x10, 2);
		add("{root}/bin/new/{dep}/{root}/bin/new/" EVENT, 1, 1);
		add_stack("stacks/{root}/bin/a/" EVENT, kernel_and_program, offsets, 3, 10);
		if (order)
			assert_int_equal(unpack().done, FILES);
		else
			assert_int_equal(pack().done, FILES + 1);
		expect_same(before);
		empty(NULL);
	}
	free(before);
}

/* Damaged files, and files of other machines, stay as they are. */
TEST_WITH(damaged_files_are_left_alone, empty, NULL)
{
	static const char damaged[] = "{root}/bin/ab/{dep}/{root}/bin/ab/" EVENT;
	struct op_pack_result result;
	struct op_error error;
	char *path = path_of(damaged), *before, *text;

	fill();
	assert_int_equal(op_file_replace(path, "rubbish", 7, 0640, NULL), 0);
	before = describe();
	assert_int_equal(op_session_pack(current, NULL, NULL, &result, &error), 0);
	assert_int_equal(result.left, 1);
	assert_int_equal(result.done, FILES - 1);
	text = op_file_read(path, 100, NULL, NULL);
	assert_string_equal(text, "rubbish");
	expect_same(before);
	free(text);
	free(before);
	free(path);
}

/* The same path, another file: its samples are not added to those of before. */
TEST_WITH(samples_of_another_image_are_not_added, empty, NULL)
{
	static const char name[] = "{root}/bin/a/{dep}/{root}/bin/a/" EVENT;
	struct odb_header newer = sample_header;
	struct op_pack_result result;
	char *path = path_of(name), *before;
	struct op_error error;
	struct odb_error cause;
	struct odb *db;

	fill();
	pack();
	newer.mtime++;
	make_dirs(path);
	assert_int_equal(odb_open(&db, path, ODB_CREATE, &newer, &cause), 0);
	assert_int_equal(odb_add(db, 0x10, 2, &cause), 0);
	odb_close(db);
	before = describe();
	assert_int_equal(op_session_pack(current, NULL, NULL, &result, &error), 0);
	assert_int_equal(result.left, 1);
	expect_same(before);
	assert_int_not_equal(op_session_unpack(current, &result, &error), 0);
	assert_int_equal(error.code, EEXIST);
	assert_non_null(strstr(error.text, name));
	expect_same(before);
	free(before);
	free(path);
}

/* 20 directories of 200 characters: a path that no file can have. */
static char *long_name(void)
{
	char *name = strdup("{root}"), *longer;

	for (int i = 0; i < 20; i++) {
		longer = op_path("%s/%0200d", name, i);
		free(name);
		name = longer;
	}
	longer = op_path("%s/prog/{dep}/{root}/bin/a/" EVENT, name);
	free(name);
	assert_non_null(longer);
	return longer;
}

static void put_file(struct op_pack_writer *writer, const char *name, uint64_t count)
{
	const struct op_pack_file file = {
		.name = name, .kind = OP_PACK_SAMPLES, .header = sample_header};
	struct odb_entry entry = {.key = 0x10, .count = count};

	assert_int_equal(op_pack_add_samples(writer, &file, &entry, 1, NULL), 0);
}

/* The daemon has names in its journal that no file can have. */
TEST_WITH(files_with_too_long_names_stay_packed, empty, NULL)
{
	char *path = path_of(OP_PACK_NAME), *name = long_name(), *before;
	struct op_pack_writer *writer;
	struct op_pack_result result;

	make_dirs(path);
	assert_int_equal(op_pack_create(&writer, path, NULL), 0);
	put_file(writer, name, 7);
	put_file(writer, "{root}/bin/a/{dep}/{root}/bin/a/" EVENT, 5);
	assert_int_equal(op_pack_finish(writer, NULL), 0);
	op_pack_writer_free(writer);
	before = describe();
	for (int i = 0; i < 2; i++) {
		result = unpack();
		assert_int_equal(result.done, !i);
		assert_int_equal(result.left, 1);
		assert_int_equal(loose_files(), 1);
		expect_same(before);
	}
	assert_int_equal(pack().done, 2);
	expect_same(before);
	free(before);
	free(name);
	free(path);
}

TEST_WITH(files_in_use_are_not_packed, empty, NULL)
{
	char *path = path_of("{root}/bin/a/{dep}/{root}/bin/a/" EVENT), *before;
	struct op_pack_result result;
	struct odb_error cause;
	struct op_error error;
	struct odb *db;
	int status;
	pid_t child;

	fill();
	before = describe();
	assert_int_equal(odb_open(&db, path, ODB_WRITE, NULL, &cause), 0);
	child = fork();
	if (!child) {
		bool right = op_session_pack(current, NULL, NULL, &result, &error) &&
			     error.code == EBUSY && strstr(error.text, path);

		_exit(right ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	odb_close(db);
	expect_same(before);
	free(before);
	free(path);
}

TEST_WITH(a_full_disk_keeps_the_session, empty, NULL)
{
	char *before;

	fill();
	before = describe();
	/* from nothing at all to nearly enough */
	for (rlim_t most = 0; most < 400; most += 16) {
		int status;
		pid_t child = fork();

		if (!child) {
			const struct rlimit limit = {most, most};
			struct op_pack_result result;
			struct op_error error;

			signal(SIGXFSZ, SIG_IGN);
			setrlimit(RLIMIT_FSIZE, &limit);
			_exit(op_session_pack(current, NULL, NULL, &result, &error) &&
					      error.code == EFBIG && strstr(error.text, "pack")
				      ? 0
				      : 1);
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_int_equal(status, 0);
		expect_same(before);
	}
	assert_int_equal(loose_files(), FILES + 1);
	free(before);
}

static int pack_or_unpack(void)
{
	struct op_pack_result result;
	struct op_error error;

	return loose_files() > 1 ? op_session_pack(current, NULL, NULL, &result, &error)
				 : op_session_unpack(current, &result, &error);
}

/* A kill at a system call would leave exactly the files that are there then. */
TEST_WITH(a_kill_at_any_system_call_loses_nothing, empty, NULL)
{
	char *before;

	fill();
	before = describe();
	for (int packed = 0; packed < 2; packed++) {
		pid_t child = start_traced(pack_or_unpack);
		unsigned int stops = 0, changed = 0;

		for (; next_call(child); stops++) {
			expect_same(before);
			changed += packed != (loose_files() <= 1);
		}
		expect_same(before);
		print_message("%u stops; %s after %u\n", stops, packed ? "unpacked" : "packed",
			      stops - changed);
		/* one call decides, and what follows it is seen as well */
		assert_true(changed > 0 && changed < stops);
	}
	free(before);
}

/* What a kill left goes with the next pack or unpack. */
TEST_WITH(the_next_run_removes_what_a_kill_left, empty, NULL)
{
	unsigned int left = 0;
	bool is_killed = true;
	char *before;

	fill();
	before = describe();
	for (unsigned int stops = 0; is_killed; stops += 25) {
		unsigned int at = 0;
		pid_t child = start_traced(pack_or_unpack);

		while (is_killed && at++ < stops)
			is_killed = next_call(child);
		if (is_killed) {
			assert_int_equal(kill(child, SIGKILL), 0);
			assert_int_equal(waitpid(child, NULL, 0), child);
		}
		left += system("test \"$(ls -A samples)\" = current") != 0;
		assert_int_equal(pack_or_unpack(), 0);
		expect_same(before);
		assert_int_equal(system("test \"$(ls -A samples)\" = current"), 0);
		if (loose_files() <= 1)
			unpack();
	}
	assert_true(left > 0);
	free(before);
}

TEST_PROGRAM(enter, leave)
