// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The format: files byte for byte, lengths, buckets, and every version, ABI and byte order.
 */
#include "libop/base/array.h"
#include "tests/unit/test.h"

#include "libdb/odb/header.h"
#include "tests/unit/odb/fixture.h"

/* Two nodes share bucket 36, so the second points to the first. */
static const struct {
	size_t offset;
	const char *bytes;
	size_t count;
} written[] = {
	{0, "\x44\x41\x45\x0a\x13\x00\x00\x00", 8},   /* magic, version */
	{8, "\x04\x00\x00\x00\x3c\x00\x00\x00", 8},   /* cpu_type, ctr_event */
	{16, "\x01\x00\x00\x00\xa0\x86\x01\x00", 8},  /* ctr_um, ctr_count */
	{24, "\x01\x00\x00\x00\x00\x00\x00\x00", 8},  /* is_kernel, padding */
	{32, "\x00\x00\x00\x00\x00\x30\xa1\x40", 8},  /* cpu_speed 2200.0 */
	{40, "\x00\x10\x5e\x5f\x00\x00\x00\x00", 8},  /* mtime */
	{48, "\x01\x00\x00\x00\x00\x00\x00\x00", 8},  /* cg_to_is_kernel, padding */
	{56, "\x00\x20\xd4\x26\xbb\x7f\x00\x00", 8},  /* anon_start */
	{64, "\x11\x00\x00\x00\x00\x00\x00\x00", 8},  /* cg_to_anon_start */
	{72, "\x80\x00\x00\x00\x04\x00\x00\x00", 8},  /* size, current_size */
	{120, "\x00\x35\x00\x00\x00\x91\x00\x00", 8}, /* node 1: 0x9100 -> 0x3500 */
	{128, "\x01\x00\x00\x00\x00\x00\x00\x00", 8}, /* value 1, next 0 */
	{136, "\x34\x12\x00\x00\x00\x00\x00\x00", 8}, /* node 2 */
	{144, "\x03\x00\x00\x00\x00\x00\x00\x00", 8}, /* value 3, next 0 */
	{152, "\x24\x00\x00\x00\x00\x00\x00\x00", 8}, /* node 3 */
	{160, "\x02\x00\x00\x00\x01\x00\x00\x00", 8}, /* value 2, next 1 */
	{2152 + 36 * 4, "\x03\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00", 12}, /* buckets */
};

TEST(files_are_written_byte_for_byte)
{
	struct odb_header header = {
		.version = 99, /* ignored */
		.cpu_type = 4,
		.ctr_event = 0x3c,
		.ctr_um = 1,
		.ctr_count = 100000,
		.is_kernel = 1,
		.cpu_speed = 2200,
		.mtime = 0x5f5e1000,
		.cg_to_is_kernel = 1,
		.anon_start = 0x7fbb26d42000,
		.cg_to_anon_start = 0x11,
	};
	const char *path = fixture_path("bytes");
	uint8_t expected[2664] = {0};
	size_t length;
	uint8_t *bytes;
	struct odb *db;

	if (!fixture_is_native(false)) {
		print_message("skipped: the table is of a little-endian machine\n");
		skip();
	}
	for (size_t i = 0; i < OP_ARRAY_SIZE(written); i++)
		memcpy(expected + written[i].offset, written[i].bytes, written[i].count);
	assert_int_equal(odb_open(&db, path, ODB_CREATE, &header, NULL), 0);
	fixture_add(db, 0x910000003500, 1);
	fixture_add(db, 0x1234, 1);
	fixture_add(db, 0x1234, 2);
	fixture_add(db, 0x24, 2);
	odb_close(db);
	bytes = fixture_read(path, &length);
	assert_int_equal(length, sizeof(expected));
	assert_memory_equal(bytes, expected, sizeof(expected));
	free(bytes);
}

TEST(buckets_are_those_of_the_format)
{
	static const struct {
		uint64_t key;
		uint32_t size, bucket;
	} cases[] = {
		{0, 128, 0},
		{1, 128, 1},
		{0x7f, 128, 0x7f},
		{0x80, 128, 0},
		{0x80, 256, 0x80},
		{0x100, 128, 1},
		{0x1234, 128, 0x26},
		{0x1234, 0x10000, 0x1226},
		{0xffffffff, 128, 0},
		{0xffffffff, 0x80000000, 0x7f000000},
		{0x910000003500, 128, 0x24},
		{0x1200000012, 128, 0},
		{0xabcdef01abcdef01, 0x80000000, 0},
		{0x100000000, 128, 1},
	};

	for (size_t i = 0; i < OP_ARRAY_SIZE(cases); i++)
		assert_int_equal(odb_bucket(cases[i].key, cases[i].size), cases[i].bucket);
}

TEST(files_double_when_they_are_full)
{
	static const struct {
		uint64_t keys;
		off_t length;
	} cases[] = {
		{0, 2664},     {127, 2664},   {128, 5224},    {255, 5224},
		{256, 10344},  {511, 10344},  {512, 20584},   {1023, 20584},
		{1024, 41064}, {2048, 82024}, {4096, 163944},
	};
	const char *path = fixture_path("growth");
	struct odb *db = fixture_create(path);
	uint64_t key = 0;

	for (size_t i = 0; i < OP_ARRAY_SIZE(cases); i++) {
		struct stat status;

		for (; key < cases[i].keys; key++)
			fixture_add(db, key * 0x9e3779b97f4a7c15u, 1);
		assert_int_equal(stat(path, &status), 0);
		assert_int_equal(status.st_size, cases[i].length);
	}
	odb_close(db);
	fixture_assert_sound(path);
	assert_int_equal(fixture_sum(path), key);
}

/* Rebuilt chains have the newest node at the head, as if all had just been added. */
TEST(growth_links_the_newest_first)
{
	const char *path = fixture_path("chains");
	struct odb *db = fixture_create(path);
	size_t length;
	uint8_t *bytes;
	uint32_t head, next;

	for (uint32_t i = 1; i <= 128; i++)
		fixture_add(db, (uint64_t)i << 32 | i, i);
	odb_close(db);
	bytes = fixture_read(path, &length);
	assert_int_equal(length, 5224);
	memcpy(&head, bytes + 104 + 256 * 16, 4);
	assert_int_equal(head, 128);
	for (uint32_t node = 128; node; node--) {
		memcpy(&next, bytes + 104 + node * 16 + 12, 4);
		assert_int_equal(next, node - 1);
	}
	free(bytes);
}

static const struct fixture_node some_nodes[] = {
	{0x1234, 7},	   {0x910000003500, 0xffffffff}, {0x24, 1},
	{0x1200000012, 2}, {0x910000003500, 5},
};

static void check_header(const struct odb_header *header, const struct fixture_form *form)
{
	assert_int_equal(header->version, form->version);
	assert_int_equal(header->cpu_type, 4);
	assert_int_equal(header->ctr_event, 0x3c);
	assert_int_equal(header->ctr_um, 1);
	assert_int_equal(header->ctr_count, 100000);
	assert_int_equal(header->is_kernel, 1);
	assert_true(header->cpu_speed == 2200);
	assert_int_equal(header->mtime, 1600000000);
	assert_int_equal(header->cg_to_is_kernel, 1);
	assert_int_equal(header->anon_start, 0x7fbb26d42000);
	assert_int_equal(header->cg_to_anon_start, 0x1000);
}

TEST(all_forms_are_read)
{
	const char *path = fixture_path("form");

	for (size_t i = 0; i < fixture_form_count; i++) {
		const struct fixture_form *form = &fixture_forms[i];
		struct odb_entry *entries;
		struct odb_format format;
		struct odb_error error;
		size_t length;
		uint8_t *image = fixture_image(form, some_nodes, 5, &length);
		struct odb *db;

		fixture_write(path, image, length);
		if (odb_open(&db, path, ODB_READ, NULL, &error))
			fail_msg("%s", error.text);
		check_header(odb_header(db), form);
		format = odb_format(db);
		assert_string_equal(format.abi, form->abi);
		assert_int_equal(format.big_endian, form->big_endian);
		assert_int_equal(format.header_length, form->header);
		assert_int_equal(format.size, 128);
		assert_int_equal(format.current_size, 6);
		assert_int_equal(format.length, length);
		assert_int_equal(odb_entries(db, &entries, &error), 5);
		for (size_t node = 0; node < 5; node++) {
			assert_int_equal(entries[node].key, some_nodes[node].key);
			assert_int_equal(entries[node].count, some_nodes[node].value);
		}
		free(entries);
		assert_int_equal(odb_entries_by_key(db, &entries, &error), 4);
		assert_int_equal(entries[0].key, 0x24);
		assert_int_equal(entries[3].key, 0x910000003500);
		assert_int_equal(entries[3].count, 0x100000004);
		free(entries);
		assert_int_equal(odb_add(db, 1, 1, &error), -1);
		assert_int_equal(error.code, EBADF);
		odb_close(db);
		fixture_assert_sound(path);
		free(image);
	}
}

TEST(only_our_form_is_written)
{
	const char *path = fixture_path("old");

	for (size_t i = 0; i < fixture_form_count; i++) {
		const struct fixture_form *form = &fixture_forms[i];
		bool ours = form->version == 0x13 && form->header == 72 &&
			    fixture_is_native(form->big_endian);
		struct odb_error error;
		size_t length, after;
		uint8_t *image = fixture_image(form, some_nodes, 5, &length), *bytes;
		struct odb *db;

		fixture_write(path, image, length);
		if (ours) {
			assert_int_equal(odb_open(&db, path, ODB_WRITE, NULL, &error), 0);
			odb_close(db);
		} else {
			assert_int_equal(odb_open(&db, path, ODB_WRITE, NULL, &error), -1);
			assert_int_equal(error.code, ENOTSUP);
		}
		bytes = fixture_read(path, &after);
		assert_int_equal(after, length);
		assert_memory_equal(bytes, image, length);
		free(bytes);
		free(image);
	}
}

TEST(speed_in_khz_is_scaled)
{
	static const struct {
		uint32_t version;
		double written, read;
	} cases[] = {
		{0x12, 2200000, 2200},
		{0x11, 2200000, 2200},
		{0x12, 2200, 2200},
		{0x12, 99999, 99999},
		{0x12, 100000, 100},
		{0x13, 2200000, 2200000},
		{0x12, 0, 0},
		{0x13, -1, 0},
		{0x13, (double)__builtin_nanf(""), 0},
		{0x13, (double)__builtin_inff(), 0},
	};
	const char *path = fixture_path("speed");

	for (size_t i = 0; i < OP_ARRAY_SIZE(cases); i++) {
		const struct fixture_form *form = fixture_forms;
		size_t length;
		uint64_t bits;
		uint8_t *image;
		struct odb *db;

		while (form->version != cases[i].version)
			form++;
		image = fixture_image(form, some_nodes, 5, &length);
		memcpy(&bits, &cases[i].written, 8);
		fixture_put(image + form->speed, form->big_endian, 8, bits);
		fixture_write(path, image, length);
		assert_int_equal(odb_open(&db, path, ODB_READ, NULL, NULL), 0);
		assert_true(odb_header(db)->cpu_speed == cases[i].read);
		odb_close(db);
		free(image);
	}
}

TEST_PROGRAM(fixture_setup, fixture_teardown)
