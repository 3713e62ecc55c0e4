// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * odb_load() and odb_open() read the same: of all forms, whole, cut at every length and with
 * every byte changed, files have the same header, the same entries or the same error.
 */
#include <fcntl.h>
#include <unistd.h>

#include "libop/base/array.h"
#include "tests/unit/test.h"

#include "libdb/odb/odb.h"
#include "tests/unit/odb/fixture.h"

static struct odb_load load;

/* Return: entries, or -1 and @error; @header is set if the file could be opened. */
static ptrdiff_t open_file(const char *path, struct odb_header *header, struct odb_entry **entries,
			   struct odb_error *error)
{
	struct odb *db;
	ptrdiff_t n;

	*entries = NULL;
	if (odb_open(&db, path, ODB_READ, NULL, error))
		return -1;
	*header = *odb_header(db);
	n = odb_entries(db, entries, error);
	odb_close(db);
	return n;
}

/* Return: could it be read? */
static bool compare(const char *path)
{
	struct odb_error wanted_error = {0}, error = {0};
	struct odb_entry *wanted, *entries;
	struct odb_header header = {0};
	ptrdiff_t n = open_file(path, &header, &wanted, &wanted_error);
	int result = odb_load(&load, AT_FDCWD, path, path, &error);
	uint64_t sum = 0;

	if (n < 0) {
		assert_int_equal(result, -1);
		assert_string_equal(error.text, wanted_error.text);
		assert_int_equal(error.code, wanted_error.code);
		return false;
	}
	assert_int_equal(result, 0);
	assert_int_equal(load.n, n);
	assert_memory_equal(&load.header, &header, sizeof(header));
	entries = calloc(load.n + 1, sizeof(*entries));
	odb_load_entries(&load, entries);
	for (ptrdiff_t i = 0; i < n; i++) {
		assert_int_equal(entries[i].key, wanted[i].key);
		assert_int_equal(entries[i].count, wanted[i].count);
		sum += wanted[i].count;
	}
	assert_int_equal(odb_load_sum(&load), sum);
	free(entries);
	free(wanted);
	return true;
}

static uint8_t *small_image(const struct fixture_form *form, size_t *length)
{
	static const struct fixture_node nodes[] = {
		{0x1000, 5}, {0x910000003500, 0xffffffff}, {0x910000003500, 2}, {7, 1}};

	return fixture_image(form, nodes, 4, length);
}

TEST(all_forms)
{
	const char *path = fixture_path("form");

	for (size_t i = 0; i < fixture_form_count; i++) {
		size_t length;
		uint8_t *image = small_image(&fixture_forms[i], &length);

		fixture_write(path, image, length);
		assert_true(compare(path));
		assert_int_equal(load.n, 4);
		free(image);
	}
}

/* In memory: 64 thousand files would wear out the disk. */
static void put(int fd, const uint8_t *bytes, size_t length)
{
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(pwrite(fd, bytes, length, 0), length);
}

TEST(all_lengths_and_bytes)
{
	size_t read = 0, refused = 0;
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/dev/shm/odb_load.%d", getpid());
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	for (size_t i = 0; i < fixture_form_count; i++) {
		size_t length;
		uint8_t *image = small_image(&fixture_forms[i], &length);

		for (size_t cut = 0; cut < length; cut++) {
			put(fd, image, cut);
			*(compare(path) ? &read : &refused) += 1;
		}
		for (size_t at = 0; at < length; at++) {
			image[at] = (uint8_t)~image[at];
			put(fd, image, length);
			*(compare(path) ? &read : &refused) += 1;
			image[at] = (uint8_t)~image[at];
		}
		free(image);
	}
	close(fd);
	unlink(path);
	print_message("%zu could be read, %zu were refused\n", read, refused);
	assert_true(read && refused);
}

/* Up to what is read at once, one more, and many times that; each after a larger one, too. */
TEST(large_and_small_files_in_turn)
{
	static const uint32_t sizes[] = {4090, 4091, 4092, 70000, 3, 20000, 0, 4096};

	for (size_t i = 0; i < OP_ARRAY_SIZE(sizes); i++) {
		const char *path = fixture_path("large");
		struct odb *db;

		unlink(path);
		db = fixture_create(path);
		for (uint32_t k = 0; k < sizes[i]; k++)
			fixture_add(db, (uint64_t)k * 16, k % 1000 + 1);
		/* While the writer has it open, and afterwards. */
		assert_true(compare(path));
		odb_close(db);
		assert_true(compare(path));
		assert_int_equal(load.n, sizes[i]);
	}
}

TEST(what_is_no_file)
{
	struct odb_error error;
	int directory = open(fixture_dir(), O_RDONLY | O_DIRECTORY);

	compare(fixture_dir());
	compare("/nonexistent");
	assert_int_equal(mkfifo(fixture_path("fifo"), 0600), 0);
	compare(fixture_path("fifo"));
	odb_close(fixture_create(fixture_path("here")));
	assert_int_equal(odb_load(&load, directory, "here", "shown", &error), 0);
	assert_int_equal(odb_load(&load, directory, "there", "shown", &error), -1);
	assert_string_equal(error.text, "shown: cannot open: No such file or directory");
	close(directory);
}

TEST_HOOK(tear_down)
{
	odb_load_free(&load);
	return fixture_teardown(state);
}

TEST_PROGRAM(fixture_setup, tear_down)
