// SPDX-License-Identifier: GPL-2.0-or-later
/* Stack files of others: damage of every byte, both byte orders, check and repair. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "libdb/stacks/stacks.h"
#include "libdb_fixture.h"
#include "libdb_stacks_fixture.h"

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

/* Whatever is in the file, it is read, refused or repaired, but never believed. */
static void try_all(const char *path)
{
	struct stacks_content content;
	struct odb_repair repair;
	struct odb_error error;
	struct stacks *stacks;
	ptrdiff_t problems;

	problems = stacks_check(path, NULL, NULL, &error);
	assert_int_equal(!problems, !stacks_read(&content, path, &error));
	if (!problems)
		stacks_content_free(&content);
	if (!stacks_open(&stacks, path, 0, &error)) {
		const struct stacks_frame frames[] = {{image(stacks, "new"), 77}, {0, 1}};

		assert_int_equal(problems, 0);
		assert_int_equal(stacks_add(stacks, frames, 2, 1, &error), STACKS_ADDED);
		stacks_close(stacks);
		assert_sound(path);
	}
	if (!stacks_repair(path, &repair, &error))
		assert_sound(path);
}

static void every_byte_may_be_damaged(void **state)
{
	const char *path = fixture_path("damaged");
	size_t length;
	uint8_t *bytes = make_sample(path, &length);

	(void)state;
	for (size_t i = 0; i < length; i++) {
		for (int bit = 0; bit < 8; bit++) {
			bytes[i] ^= (uint8_t)(1 << bit);
			fixture_write(path, bytes, length);
			try_all(path);
			bytes[i] ^= (uint8_t)(1 << bit);
		}
	}
	for (size_t cut = 0; cut < length; cut++) {
		fixture_write(path, bytes, cut);
		try_all(path);
	}
	free(bytes);
}

static void a_cut_file_keeps_what_is_there(void **state)
{
	const char *path = fixture_path("cut");
	size_t length;
	uint8_t *bytes = make_sample(path, &length);
	struct odb_repair repair;
	struct odb_error error;

	(void)state;
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

static void both_byte_orders_are_read(void **state)
{
	const char *path = fixture_path("turned");
	struct odb_error error;
	struct stacks *stacks;
	size_t length;
	uint8_t *bytes = make_sample(path, &length);
	char *text = text_of(path);

	(void)state;
	turn(bytes, length);
	fixture_write(path, bytes, length);
	assert_text(path, text);
	assert_sound(path);
	assert_int_equal(stacks_open(&stacks, path, 0, &error), -1);
	assert_int_equal(error.code, ENOTSUP);
	free(text);
	free(bytes);
}

static void what_is_no_stack_file_is_refused(void **state)
{
	const char *path = fixture_path("other");
	struct odb_error error;
	struct stacks *stacks;
	struct odb *db = fixture_create(path);

	(void)state;
	odb_close(db);
	assert_false(stacks_is_file(path));
	assert_int_equal(stacks_open(&stacks, path, 0, &error), -1);
	assert_int_equal(error.code, EINVAL);
	assert_non_null(strstr(error.text, "byte 0: not a stack file"));
	assert_int_equal(stacks_open(&stacks, fixture_path("no/such"), 0, &error), -1);
	assert_int_equal(error.code, ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_byte_may_be_damaged),
		cmocka_unit_test(a_cut_file_keeps_what_is_there),
		cmocka_unit_test(both_byte_orders_are_read),
		cmocka_unit_test(what_is_no_stack_file_is_refused),
	};

	return cmocka_run_group_tests(tests, fixture_setup, fixture_teardown);
}
