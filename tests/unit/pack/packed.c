// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Packed text files come out as they went in, or not at all; so do files that are not packed.
 */
#include <sys/resource.h>

#include "tests/unit/test.h"

#include "libop/base/array.h"
#include "libop/base/file.h"
#include "libop/pack/text.h"

#define MOST ((size_t)64 << 20)

static char *dir;

TEST_HOOK(enter)
{
	dir = test_enter("libop-packed");
	return !dir;
}

TEST_HOOK(leave)
{
	return test_leave(dir);
}

static void replace(const void *bytes, size_t n)
{
	struct op_error error;

	if (op_packed_replace("a", bytes, n, 0640, &error))
		fail_msg("%s", error.text);
}

static void put(const void *bytes, size_t n)
{
	assert_int_equal(op_file_replace("a", bytes, n, 0640, NULL), 0);
}

static void expect(const char *bytes, size_t n)
{
	struct op_error error;
	size_t length = 12345;
	char *text = op_packed_read("a", MOST, &length, &error);

	if (!text)
		fail_msg("%s", error.text);
	assert_int_equal(length, n);
	assert_memory_equal(text, bytes, n);
	assert_int_equal(text[n], '\0');
	free(text);
}

static void expect_error(size_t limit, int code, const char *message)
{
	struct op_error error;

	assert_null(op_packed_read("a", limit, NULL, &error));
	assert_int_equal(error.code, code);
	if (message)
		assert_string_equal(error.text, message);
}

/* Lines like those of kallsyms; the caller frees them. */
static char *make_lines(size_t n, size_t *length)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, length);

	assert_non_null(out);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%016zx t symbol_%zx\n", i * 0x40, i * 2654435761u % 65521);
	assert_int_equal(fclose(out), 0);
	return text;
}

/* Around the sizes by which memory grows, and more than a frame looks back. */
TEST(text_is_unpacked_as_it_was_packed)
{
	static const size_t lengths[] = {0,	1,     3,      4,      100,    65534,  65535,
					 65536, 65537, 131071, 131072, 131073, 9999999};
	size_t most;
	char *text = make_lines(400000, &most);

	for (size_t i = 0; i < OP_ARRAY_SIZE(lengths); i++) {
		assert_uint_in_range(lengths[i], 0, most);
		replace(text, lengths[i]);
		expect(text, lengths[i]);
		/* as it is, too */
		put(text, lengths[i]);
		expect(text, lengths[i]);
	}
	free(text);
}

TEST(files_are_smaller_and_have_the_mode)
{
	struct stat status;
	size_t n;
	char *text = make_lines(10000, &n);

	replace(text, n);
	assert_return_code(stat("a", &status), errno);
	assert_uint_in_range(status.st_size, 1, n / 2);
	assert_int_equal(status.st_mode & 0777, 0640);
	free(text);
}

/* Two frames are one text, as zstd has it. */
TEST(frames_follow_each_other)
{
	char *frame, *two;
	size_t n;

	replace("one line\n", 9);
	frame = op_file_read("a", MOST, &n, NULL);
	assert_non_null(frame);
	two = malloc(2 * n);
	memcpy(two, frame, n);
	memcpy(two + n, frame, n);
	put(two, 2 * n);
	expect("one line\none line\n", 18);
	free(two);
	free(frame);
}

TEST(any_damage_is_found)
{
	size_t length, n;
	char *text = make_lines(60, &length), *frame;

	replace(text, length);
	frame = op_file_read("a", MOST, &n, NULL);
	assert_non_null(frame);
	for (size_t cut = 4; cut < n; cut++) {
		put(frame, cut);
		expect_error(MOST, EBADMSG, "cannot unpack a: it is truncated");
	}
	/* from the magic on; without it, this is a text */
	for (size_t i = 4; i < n; i++) {
		for (int bit = 0; bit < 8; bit++) {
			char *now;

			frame[i] ^= (char)(1 << bit);
			put(frame, n);
			/* some bits are not read; nothing else may come out */
			now = op_packed_read("a", MOST, NULL, NULL);
			if (now)
				assert_string_equal(now, text);
			free(now);
			frame[i] ^= (char)(1 << bit);
		}
	}
	put(frame, n);
	expect(text, length);
	free(frame);
	free(text);
}

/* What comes out counts; a frame of some kilobytes can hold a gigabyte. */
TEST(the_limit_is_that_of_the_text)
{
	size_t n = 3 << 20;
	char *text = calloc(1, n);
	struct rusage before, after;

	replace(text, n);
	expect_error(n - 1, EFBIG, "cannot unpack a: File too large");
	getrusage(RUSAGE_SELF, &before);
	expect_error(1000, EFBIG, "cannot unpack a: File too large");
	getrusage(RUSAGE_SELF, &after);
	assert_uint_in_range(after.ru_maxrss, 0, before.ru_maxrss + 2048);
	expect(text, n);
	put(text, n);
	expect_error(n - 1, EFBIG, "cannot read a: File too large");
	free(text);
}

/* A header that asks for as much memory as there is gets none of it. */
TEST(a_header_is_not_believed)
{
	/* a content of 2^40 bytes in one segment; a window of 2^41 bytes */
	static const uint8_t segment[] = {0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0, 0, 0,
					  0,	0,    1,    0,	  0,	1, 0};
	static const uint8_t window[] = {0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xf8, 1, 0, 0};

	put(segment, sizeof(segment));
	expect_error(MOST, EBADMSG, "cannot unpack a: Frame requires too much memory for decoding");
	put(window, sizeof(window));
	expect_error(MOST, EBADMSG, "cannot unpack a: Frame requires too much memory for decoding");
}

TEST(errors_leave_what_is_there)
{
	struct op_error error;

	assert_null(op_packed_read("missing", MOST, NULL, &error));
	assert_int_equal(error.code, ENOENT);
	assert_int_equal(op_packed_replace("no/a", "x", 1, 0640, &error), -1);
	assert_int_equal(error.code, ENOENT);
}

TEST_PROGRAM(enter, leave)
