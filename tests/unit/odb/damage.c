// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Damaged files: each kind of damage gets the right error at the right byte, crashes no program,
 * and is repaired with every count that is still there.  fuzz/libdb_open.c writes to damaged files.
 */
#include "libop/base/array.h"
#include "tests/unit/test.h"

#include "tests/unit/odb/fixture.h"

#define NODES 100
#define ALL   5050 /* sum of the counts 1 to 100 */
#define NEVER UINT64_MAX

/* Places in a file, which are not at the same byte in all forms. */
enum place { START, DESCR, NODE, BUCKET, SPEED, END, SOMEWHERE };

static size_t byte_of(const struct fixture_form *form, enum place place, size_t offset)
{
	static const size_t bytes_of_node = 16, slots = 128;
	size_t nodes = form->header + 32;

	switch (place) {
	case START:
		return offset;
	case DESCR:
		return form->header + offset;
	case NODE:
		return nodes + offset;
	case BUCKET:
		return nodes + slots * bytes_of_node + offset;
	case SPEED:
		return form->speed;
	default:
		return nodes + slots * 20 + offset;
	}
}

/* Bucket of key 5 * i + 1 of node i, as long as the key is below 128. */
#define BUCKET_OF(i) (4 * (5 * (i) + 1))

static const struct damage {
	const char *name;
	/* What is done: a word is stored, or the length is changed (width 0). */
	enum place place;
	size_t offset, width;
	uint64_t value;
	/* What comes of it. */
	bool readable;
	enum place problem_place;
	size_t problem_offset;
	uint64_t repaired; /* sum of the counts, or NEVER */
	uint64_t emptied, lost;
	bool harmless; /* a loss of power leaves it */
} damages[] = {
	/* clang-format off */
	{ "empty file", START, 0, 0, 0, false, START, 0, NEVER, 0, 0, true },
	{ "cut in the magic", START, 3, 0, 0, false, START, 3, NEVER, 0, 0, false },
	{ "cut in the version", START, 7, 0, 0, false, START, 7, NEVER, 0, 0, false },
	{ "cut in the header", START, 20, 0, 0, false, START, 20, NEVER, 0, 0, false },
	{ "cut in the descriptor", DESCR, 31, 0, 0, false, DESCR, 31, NEVER, 0, 0, false },
	{ "cut before the nodes", NODE, 0, 0, 0, false, DESCR, 0, 0, 0, 100, false },
	{ "cut at node 50", NODE, 50 * 16, 0, 0, false, DESCR, 0, 1225, 0, 51, false },
	{ "cut in node 50", NODE, 50 * 16 + 7, 0, 0, false, DESCR, 0, 1225, 0, 51, false },
	{ "cut in the buckets", BUCKET, 40, 0, 0, false, DESCR, 0, ALL, 0, 0, false },
	{ "cut by a byte", END, (size_t)-1, 0, 0, false, DESCR, 0, ALL, 0, 0, false },
	{ "a byte too long", END, 1, 0, 0, false, DESCR, 0, ALL, 0, 0, false },
	{ "a node too long", END, 20, 0, 0, false, DESCR, 0, ALL, 0, 0, false },
	{ "growth interrupted", END, 2560, 0, 0, true, DESCR, 0, ALL, 0, 0, true },
	{ "magic", START, 3, 1, 0x0d, false, START, 0, NEVER, 0, 0, false },
	{ "version 0x14", START, 4, 4, 0x14, false, START, 4, NEVER, 0, 0, false },
	{ "version 0", START, 4, 4, 0, false, START, 4, NEVER, 0, 0, false },
	{ "size 0", DESCR, 0, 4, 0, false, DESCR, 0, ALL, 0, 0, false },
	{ "size 100", DESCR, 0, 4, 100, false, DESCR, 0, ALL, 0, 0, false },
	{ "size 64", DESCR, 0, 4, 64, false, DESCR, 4, ALL, 0, 0, false },
	{ "size 256", DESCR, 0, 4, 256, true, DESCR, 0, ALL, 0, 0, true },
	{ "size 2^31", DESCR, 0, 4, 0x80000000, true, DESCR, 0, ALL, 0, 0, true },
	{ "size 2^32 - 1", DESCR, 0, 4, 0xffffffff, false, DESCR, 0, ALL, 0, 0, false },
	{ "current_size 0", DESCR, 4, 4, 0, false, DESCR, 4, ALL, 0, 0, false },
	{ "current_size 129", DESCR, 4, 4, 129, false, DESCR, 4, ALL, 0, 0, false },
	{ "current_size 2^32 - 1", DESCR, 4, 4, 0xffffffff, false, DESCR, 4, ALL, 0, 0, false },
	{ "current_size too small", DESCR, 4, 4, 50, true, SOMEWHERE, 0, ALL, 0, 0, true },
	{ "current_size too large", DESCR, 4, 4, 128, true, NODE, 101 * 16 + 8, ALL, 27, 0, true },
	{ "reserved word", DESCR, 12, 4, 1, true, DESCR, 8, ALL, 0, 0, false },
	{ "node 0", NODE, 9, 1, 1, true, NODE, 0, ALL, 0, 0, false },
	{ "count 0", NODE, 5 * 16 + 8, 4, 0, true, NODE, 5 * 16 + 8, ALL - 5, 1, 0, false },
	{ "node follows itself", NODE, 5 * 16 + 12, 4, 5, true, NODE, 5 * 16 + 12, ALL, 0, 0, false },
	{ "newer node follows", NODE, 5 * 16 + 12, 4, 77, true, NODE, 5 * 16 + 12, ALL, 0, 0, false },
	{ "no node follows", NODE, 5 * 16 + 12, 4, 0xffffffff, true, NODE, 5 * 16 + 12, ALL, 0, 0, false },
	{ "bucket beyond", BUCKET, BUCKET_OF(5), 4, 0xffffffff, true, BUCKET, BUCKET_OF(5), ALL, 0, 0, true },
	{ "bucket at end", BUCKET, BUCKET_OF(5), 4, 101, true, BUCKET, BUCKET_OF(5), ALL, 0, 0, true },
	{ "wrong bucket", BUCKET, BUCKET_OF(5), 4, 9, true, BUCKET, BUCKET_OF(5), ALL, 0, 0, true },
	{ "empty bucket", BUCKET, BUCKET_OF(5), 4, 0, true, SOMEWHERE, 0, ALL, 0, 0, true },
	{ "key of another bucket", NODE, 5 * 16, 8, 0x7f, true, SOMEWHERE, 0, ALL, 0, 0, true },
	{ "speed is no number", SPEED, 0, 8, 0x7ff8000000000000, true, SPEED, 0, ALL, 0, 0, false },
	/* clang-format on */
};

static uint8_t *sound_image(const struct fixture_form *form, size_t *length)
{
	struct fixture_node nodes[NODES];

	for (uint32_t i = 0; i < NODES; i++)
		nodes[i] = (struct fixture_node){(i + 1) * 5 + 1, i + 1};
	return fixture_image(form, nodes, NODES, length);
}

static uint8_t *damaged_image(const struct fixture_form *form, const struct damage *damage,
			      size_t *length)
{
	size_t at = byte_of(form, damage->place, damage->offset);
	uint8_t *image = sound_image(form, length);

	if (damage->width) {
		fixture_put(image + at, form->big_endian, damage->width, damage->value);
		return image;
	}
	image = realloc(image, at + 1);
	assert_non_null(image);
	if (at > *length)
		memset(image + *length, 0, at - *length);
	*length = at;
	return image;
}

static void assert_bytes(const char *path, const uint8_t *bytes, size_t length)
{
	size_t now_length;
	uint8_t *now = fixture_read(path, &now_length);

	assert_int_equal(now_length, length);
	assert_memory_equal(now, bytes, length);
	free(now);
}

static void read_damaged(const char *path, const struct damage *damage)
{
	struct odb_entry *entries;
	struct odb_error error;
	struct odb *db;
	int code = odb_open(&db, path, ODB_READ, NULL, &error);

	assert_int_equal(!code, damage->readable);
	if (code) {
		assert_int_equal(error.code, EINVAL);
		assert_non_null(strstr(error.text, path));
		assert_non_null(strstr(error.text, ": byte "));
		return;
	}
	assert_true(odb_entries_by_key(db, &entries, &error) >= 0);
	free(entries);
	odb_close(db);
}

struct first_problem {
	uint64_t offset;
	bool any;
};

static void note(void *context, const struct odb_problem *problem)
{
	struct first_problem *first = context;

	assert_true(strlen(problem->text) > 10);
	if (!first->any)
		first->offset = problem->offset;
	first->any = true;
}

/* A sound file is not written. */
static void assert_left_alone(const char *path)
{
	struct odb_repair repair;
	struct odb_error error;
	struct stat before, after;
	size_t length;
	uint8_t *bytes = fixture_read(path, &length);

	assert_int_equal(stat(path, &before), 0);
	assert_int_equal(odb_repair(path, &repair, &error), 0);
	assert_false(repair.changed);
	assert_int_equal(repair.sum, fixture_sum(path));
	assert_int_equal(stat(path, &after), 0);
	assert_int_equal(before.st_ino, after.st_ino);
	assert_bytes(path, bytes, length);
	free(bytes);
}

TEST(each_damage_is_found_and_repaired)
{
	const char *path = fixture_path("damaged");

	for (size_t f = 0; f < fixture_form_count; f++) {
		const struct fixture_form *form = &fixture_forms[f];

		for (size_t d = 0; d < OP_ARRAY_SIZE(damages); d++) {
			const struct damage *damage = &damages[d];
			struct first_problem first = {.any = false};
			struct odb_repair repair;
			struct odb_error error;
			size_t length;
			uint8_t *image = damaged_image(form, damage, &length);
			ptrdiff_t problems;
			struct odb *db;

			fixture_write(path, image, length);
			read_damaged(path, damage);
			problems = odb_check(path, note, &first, NULL, &error);
			if (!problems != damage->harmless)
				fail_msg("%s (0x%x %s): %td problems", damage->name, form->version,
					 form->abi, problems);
			assert_true(first.any);
			if (damage->problem_place != SOMEWHERE &&
			    first.offset !=
				    byte_of(form, damage->problem_place, damage->problem_offset))
				fail_msg("%s (0x%x %s): found at byte %" PRIu64, damage->name,
					 form->version, form->abi, first.offset);
			assert_bytes(path, image, length);

			if (odb_repair(path, &repair, &error)) {
				if (damage->repaired != NEVER)
					fail_msg("%s: %s", damage->name, error.text);
				assert_non_null(strstr(error.text, "beyond repair"));
				assert_bytes(path, image, length);
				free(image);
				continue;
			}
			assert_true(repair.changed);
			if (repair.sum != damage->repaired || repair.lost != damage->lost ||
			    repair.emptied != damage->emptied)
				fail_msg("%s (0x%x %s): kept %" PRIu64 ", %" PRIu64
					 " empty, %" PRIu64 " lost",
					 damage->name, form->version, form->abi, repair.sum,
					 repair.emptied, repair.lost);
			assert_int_equal(fixture_sum(path), damage->repaired);
			fixture_assert_sound(path);
			assert_int_equal(odb_open(&db, path, ODB_READ, NULL, NULL), 0);
			assert_int_equal(odb_header(db)->version, form->version);
			assert_int_equal(odb_header(db)->mtime, 1600000000);
			assert_int_equal(odb_format(db).header_length, form->header);
			odb_close(db);
			assert_left_alone(path);
			free(image);
		}
	}
}

TEST(a_repaired_file_keeps_mode_and_link)
{
	const char *path = fixture_path("original"), *name = fixture_path("link");
	struct odb_repair repair;
	struct odb_error error;
	struct stat status;
	size_t length;
	uint8_t *image = sound_image(fixture_forms, &length);

	fixture_write(path, image, length - 4);
	free(image);
	assert_int_equal(chmod(path, 0640), 0);
	assert_int_equal(symlink("original", name), 0);
	assert_int_equal(odb_repair(name, &repair, &error), 0);
	assert_true(repair.changed);
	assert_int_equal(lstat(name, &status), 0);
	assert_true(S_ISLNK(status.st_mode));
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0640);
	fixture_assert_sound(path);
}

TEST(a_file_that_is_cut_while_it_is_open_is_an_error)
{
	const char *path = fixture_path("cut");
	struct odb_entry *entries;
	struct odb_error error;
	size_t length;
	uint8_t *image = sound_image(fixture_forms, &length);
	struct odb *db;

	fixture_write(path, image, length);
	assert_int_equal(odb_open(&db, path, ODB_READ, NULL, &error), 0);
	assert_int_equal(truncate(path, 500), 0);
	assert_int_equal(odb_entries(db, &entries, &error), -1);
	assert_int_equal(error.code, EINVAL);
	assert_non_null(strstr(error.text, path));
	assert_int_equal(truncate(path, 0), 0);
	assert_int_equal(odb_entries(db, &entries, &error), -1);
	odb_close(db);
	free(image);
}

TEST(unfinished_files_are_told_from_those_at_work)
{
	const char *path = fixture_path(".odb-0123456789abcdef");
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	int fd;

	assert_int_equal(odb_leftover(path, false), 0);
	fixture_write(path, "DAE", 3);
	fd = open(path, O_RDWR);
	assert_int_equal(fcntl(fd, F_OFD_SETLK, &lock), 0);
	assert_int_equal(odb_leftover(path, true), 0);
	assert_int_equal(access(path, F_OK), 0);
	close(fd);
	assert_int_equal(odb_leftover(path, false), 1);
	assert_int_equal(odb_leftover(path, true), 1);
	assert_int_not_equal(access(path, F_OK), 0);
}

TEST_PROGRAM(fixture_setup, fixture_teardown)
