// SPDX-License-Identifier: GPL-2.0-or-later
/* Stack files that are cut or of the other byte order, and files that are none; see also
 * fuzz/libdb_stacks.c. */
#include "tests/unit/test.h"

#include "libdb/stacks/stacks.h"
#include "tests/unit/odb/fixture.h"
#include "fixture.h"

/* A file with two images and some nodes. */
static uint8_t *make_sample(const char *path, size_t *length)
{
	struct stacks *stacks;

	unlink(path);
	stacks = open_file(path, 0);
	for (uint64_t i = 0; i < 6; i++) {
		const struct stacks_frame frames[] = {
			{image(stacks, i < 4 ? "{root}/bin/ls" : "{kern}/ext4"), i}, {0, i / 2}};

		add(stacks, frames, 2, i + 1);
	}
	stacks_close(stacks);
	return fixture_read(path, length);
}

TEST(a_cut_file_keeps_what_is_there)
{
	const char *path = fixture_path("cut");
	size_t length;
	uint8_t *bytes = make_sample(path, &length);
	struct odb_repair repair;
	struct odb_error error;

	fixture_write(path, bytes, length - 20);
	assert_true(stacks_check(path, NULL, NULL, &error) > 0);
	assert_int_equal(stacks_repair(path, &repair, &error), 0);
	assert_true(repair.changed);
	assert_int_equal(repair.lost, 2);
	assert_int_equal(repair.sum, 1 + 2 + 3 + 4 + 5 - 5);
	assert_int_equal(sum_of(path), repair.sum);
	assert_int_equal(stacks_repair(path, &repair, &error), 0);
	assert_false(repair.changed);
	free(bytes);
}

static void swap(uint8_t *bytes, size_t width)
{
	for (size_t i = 0; i < width / 2; i++) {
		uint8_t byte = bytes[i];

		bytes[i] = bytes[width - 1 - i];
		bytes[width - 1 - i] = byte;
	}
}

/* The file as a machine of the other byte order writes it. */
static void turn(uint8_t *bytes, size_t length)
{
	for (size_t at = 8; at < 32; at += 4)
		swap(bytes + at, 4);
	swap(bytes + 32, 8);
	swap(bytes + 40, 8);
	for (size_t at = 64; at < length; at += 16) {
		bool is_image = !memcmp(bytes + at, "\xff\xff\xff\xff", 4);
		uint16_t units;

		memcpy(&units, bytes + at + 6, 2);
		swap(bytes + at, 4);
		swap(bytes + at + 4, 2);
		swap(bytes + at + 6, 2);
		swap(bytes + at + 8, 4);
		swap(bytes + at + 12, 4);
		at += is_image ? 16 * (size_t)units : 0;
	}
}

TEST(both_byte_orders_are_read)
{
	const char *path = fixture_path("turned");
	struct odb_error error;
	struct stacks *stacks;
	size_t length;
	uint8_t *bytes = make_sample(path, &length);
	char *text = text_of(path);

	turn(bytes, length);
	fixture_write(path, bytes, length);
	assert_text(path, text);
	assert_sound(path);
	assert_int_equal(stacks_open(&stacks, path, 0, &error), -1);
	assert_int_equal(error.code, ENOTSUP);
	free(text);
	free(bytes);
}

TEST(other_files_are_no_stack_files)
{
	const char *path = fixture_path("other");
	struct odb_error error;
	struct stacks *stacks;
	struct odb *db = fixture_create(path);

	odb_close(db);
	assert_false(stacks_is_file(path));
	assert_int_equal(stacks_open(&stacks, path, 0, &error), -1);
	assert_int_equal(error.code, EINVAL);
	assert_non_null(strstr(error.text, "byte 0: not a stack file"));
	assert_int_equal(stacks_open(&stacks, fixture_path("no/such"), 0, &error), -1);
	assert_int_equal(error.code, ENOENT);
}

TEST_PROGRAM(fixture_setup, fixture_teardown)
