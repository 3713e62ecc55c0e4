// SPDX-License-Identifier: GPL-2.0-or-later
/* Inputs of all formats: the same bytes from each kind of source, packed or not; what is damage. */
#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <zlib.h>

#include "tests/unit/test.h"

#include "libop/base/array.h"
#include "model_fixture.h"
#include "pp/formats/model/format.h"
#include "pp/formats/input/input.h"

#define BIG 700000 /* more than a buffer */

static uint8_t content[BIG];

enum source {
	MEMORY,
	PLAIN_FILE,
	GZIP_FILE,
	GZIP_MEMBERS,
	BZIP2_FILE,
	XZ_FILE,
	ZSTD_FILE,
	PIPE,
	SOURCES,
};

static char path[64];

static void write_gzip(const char *mode, const uint8_t *bytes, unsigned int n)
{
	gzFile out = gzopen(path, mode);

	assert_non_null(out);
	assert_int_equal(gzwrite(out, bytes, n), n);
	assert_int_equal(gzclose(out), Z_OK);
}

/* Writes @times times the same bytes. */
static void write_packed(enum source source, const uint8_t *bytes, size_t n, size_t times)
{
	struct archive *out = archive_write_new();
	struct archive_entry *entry = archive_entry_new();

	if (source == BZIP2_FILE)
		assert_int_equal(archive_write_add_filter_bzip2(out), ARCHIVE_OK);
	else if (source == XZ_FILE)
		assert_int_equal(archive_write_add_filter_xz(out), ARCHIVE_OK);
	else
		assert_int_equal(archive_write_add_filter_zstd(out), ARCHIVE_OK);
	assert_int_equal(archive_write_set_format_raw(out), ARCHIVE_OK);
	assert_int_equal(archive_write_set_bytes_in_last_block(out, 1), ARCHIVE_OK);
	assert_int_equal(archive_write_open_filename(out, path), ARCHIVE_OK);
	archive_entry_set_filetype(entry, AE_IFREG);
	assert_int_equal(archive_write_header(out, entry), ARCHIVE_OK);
	while (times--)
		assert_int_equal(archive_write_data(out, bytes, n), n);
	archive_entry_free(entry);
	assert_int_equal(archive_write_close(out), ARCHIVE_OK);
	archive_write_free(out);
}

/* The same bytes from each kind of source. */
static struct input *open_source(enum source source)
{
	struct op_error error;
	struct input *input;
	int fd;

	if (source == MEMORY)
		return input_of_bytes("memory", content, BIG);
	if (source == PIPE) {
		int ends[2];

		assert_int_equal(pipe(ends), 0);
		if (!fork()) {
			/* what the parent does not read is left unwritten */
			for (size_t at = 0, n; at < BIG; at += n) {
				n = BIG - at < 7000 ? BIG - at : 7000;
				if (write(ends[1], content + at, n) != (ssize_t)n)
					_exit(1);
			}
			_exit(0);
		}
		close(ends[1]);
		fd = dup(STDIN_FILENO);
		assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
		close(ends[0]);
		input = input_open("-", &error);
		dup2(fd, STDIN_FILENO);
		close(fd);
	} else {
		fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
		assert_int_equal(write(fd, content, BIG), BIG);
		close(fd);
		if (source == GZIP_FILE)
			write_gzip("wb", content, BIG);
		if (source == GZIP_MEMBERS) {
			write_gzip("wb", content, 1000);
			write_gzip("ab", content + 1000, BIG - 1000);
		}
		if (source >= BZIP2_FILE && source <= ZSTD_FILE)
			write_packed(source, content, BIG, 1);
		input = input_open(path, &error);
	}
	if (!input)
		fail_msg("%s", error.text);
	return input;
}

TEST_HOOK(setup)
{
	uint64_t seed = 1;

	snprintf(path, sizeof(path), "/tmp/formats_input.%d", getpid());
	for (size_t i = 0; i < BIG; i++)
		content[i] = (uint8_t)random_number(&seed);
	memcpy(content, "no magic", 8);
	return 0;
}

TEST_HOOK(teardown)
{
	unlink(path);
	return 0;
}

TEST(every_source_gives_the_same_bytes)
{
	for (enum source source = MEMORY; source < SOURCES; source++) {
		struct input *input = open_source(source);
		struct op_error error;
		const uint8_t *bytes;
		uint64_t seed = 2, at = 0;

		while (at < BIG) {
			size_t n = random_number(&seed) % 5000;

			if (n > BIG - at)
				n = (size_t)(BIG - at);
			switch (random_number(&seed) % 3) {
			case 0:
				assert_int_equal(input_peek(input, n, &bytes, &error), n);
				assert_memory_equal(bytes, content + at, n);
				break;
			case 1:
				bytes = input_take(input, n, &error);
				assert_non_null(bytes);
				assert_memory_equal(bytes, content + at, n);
				at += n;
				break;
			default:
				assert_int_equal(input_skip(input, n, &error), 0);
				at += n;
			}
			assert_int_equal(input_offset(input), at);
		}
		assert_int_equal(input_at_end(input, &error), 1);
		assert_int_equal(input_peek(input, 5, &bytes, &error), 0);
		assert_null(input_take(input, 1, &error));
		assert_int_equal(error.code, ENODATA);
		assert_non_null(strstr(error.text, "byte 700000: "));
		assert_int_equal(input_skip(input, 1, &error), -1);
		input_close(input);
	}
}

TEST(every_source_can_be_made_seekable)
{
	for (enum source source = MEMORY; source < SOURCES; source++) {
		struct input *input = open_source(source);
		struct op_error error;
		const uint8_t *bytes;
		uint64_t seed = 3;

		assert_int_equal(input_peek(input, 100, &bytes, &error), 100);
		assert_int_equal(input_seekable(input, &error), 0);
		assert_int_equal(input_size(input), BIG);
		for (int i = 0; i < 200; i++) {
			uint64_t at = random_number(&seed) % BIG;
			size_t n = random_number(&seed) % 300;

			assert_int_equal(input_seek(input, at, &error), 0);
			if (n > BIG - at)
				n = (size_t)(BIG - at);
			bytes = input_take(input, n, &error);
			assert_non_null(bytes);
			assert_memory_equal(bytes, content + at, n);
		}
		assert_int_equal(input_seek(input, BIG + 1, &error), -1);
		assert_int_equal(error.code, ENODATA);
		input_close(input);
	}
}

TEST(lines_end_somehow)
{
	static const char text[] = "one\n\nthree\0x\nlast";
	struct input *input = input_of_bytes("text", text, sizeof(text) - 1);
	struct op_error error;
	size_t n;
	char *line;

	assert_int_equal(input_line(input, 10, &line, &n, &error), 1);
	assert_string_equal(line, "one");
	assert_int_equal(input_line(input, 10, &line, &n, &error), 1);
	assert_int_equal(n, 0);
	assert_int_equal(input_line(input, 10, &line, &n, &error), 1);
	assert_int_equal(n, 7);
	assert_int_equal(input_offset(input), 13);
	assert_int_equal(input_line(input, 10, &line, &n, &error), 1);
	assert_string_equal(line, "last");
	assert_int_equal(input_line(input, 10, &line, &n, &error), 0);
	input_close(input);
	input = input_of_bytes("text", text, sizeof(text) - 1);
	assert_int_equal(input_line(input, 2, &line, &n, &error), -1);
	assert_string_equal(error.text, "text: byte 0: a line is longer than 2 bytes");
	input_close(input);
}

TEST(damaged_gzip_is_an_error)
{
	struct op_error error;
	struct input *input;
	int fd;

	write_gzip("wb", content, BIG);
	assert_int_equal(truncate(path, 5000), 0);
	input = input_open(path, &error);
	assert_non_null(input);
	assert_null(input_rest(input, 2 * BIG, &(size_t){0}, &error));
	assert_non_null(strstr(error.text, "gzip data are damaged (they end early)"));
	input_close(input);
	write_gzip("wb", content, BIG);
	fd = open(path, O_WRONLY);
	assert_int_equal(pwrite(fd, "\xff\xff\xff\xff\xff\xff\xff\xff", 8, 3000), 8);
	close(fd);
	input = input_open(path, &error);
	assert_null(input_rest(input, 2 * BIG, &(size_t){0}, &error));
	input_close(input);
}

TEST(damage_in_what_is_packed_is_an_error)
{
	static const char *const names[] = {"bzip2", "xz", "zstd"};

	for (enum source source = BZIP2_FILE; source <= ZSTD_FILE; source++) {
		struct op_error error;
		struct input *input;
		char *wanted;

		write_packed(source, content, BIG, 1);
		assert_int_equal(truncate(path, BIG / 2), 0);
		/* one that has no whole block is refused when it is opened */
		input = input_open(path, &error);
		assert_null(input ? input_rest(input, 2 * BIG, &(size_t){0}, &error) : NULL);
		assert_int_equal(asprintf(&wanted, "the %s data are damaged (",
					  names[source - BZIP2_FILE]) < 0,
				 0);
		assert_non_null(strstr(error.text, wanted));
		free(wanted);
		input_close(input);
	}
}

static void refuse(const struct op_error *error, const char *text)
{
	assert_int_equal(error->code, EFBIG);
	assert_non_null(strstr(error->text, text));
	assert_non_null(strstr(error->text, "unpack them first"));
}

TEST(what_unpacks_to_a_thousandfold_is_refused)
{
	static const uint8_t nothing[1 << 20];
	enum { MIB = 70 };
	struct op_error error;
	struct input *input;

	write_packed(ZSTD_FILE, nothing, sizeof(nothing), MIB);
	input = input_open(path, &error);
	assert_non_null(input);
	assert_int_equal(input_skip(input, (uint64_t)MIB << 20, &error), -1);
	refuse(&error, "unpack to more than 1000 times their size");
	input_close(input);
}

/* Some of the bytes are random, so that the ratio is between both limits. */
TEST(what_is_read_as_a_whole_unpacks_to_a_hundredfold_at_most)
{
	enum { SIZE = 70 << 20, STEP = 400 };
	uint8_t *bytes = calloc(1, SIZE);
	struct op_error error;
	uint64_t seed = 1;
	struct input *input;
	size_t n;

	assert_non_null(bytes);
	for (size_t i = 0; i < SIZE; i += STEP)
		bytes[i] = (uint8_t)random_number(&seed);
	write_packed(ZSTD_FILE, bytes, SIZE, 1);
	free(bytes);
	for (int way = 0; way < 4; way++) {
		input = input_open(path, &error);
		assert_non_null(input);
		if (way == 1)
			input_gather(input);
		if (way < 2)
			assert_int_equal(input_skip(input, SIZE, &error), way ? -1 : 0);
		else if (way == 2)
			assert_int_equal(input_seekable(input, &error), -1);
		else
			assert_null(input_rest(input, SIZE, &n, &error));
		if (way)
			refuse(&error, "unpack to more than 100 times their size");
		input_close(input);
	}
}

TEST(an_unknown_file_is_told_what_it_looks_like)
{
	static const struct {
		const char *bytes, *text;
		size_t n;
	} files[] = {
		{"\177ELF\2\1\1", "looks like an ELF file", 7},
		{"PK\3\4", "looks like a ZIP archive: unpack it first", 4},
		{" {\"a\": 1}", "looks like JSON, of no profiler that is known", 9},
		{"hello\n", "looks like text; what can be read: ", 6},
		{"\0\1\2\3", "looks like binary data", 4},
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct input *input = input_of_bytes("it", files[i].bytes, files[i].n);
		struct op_error error;

		assert_null(format_of(input, &error));
		assert_non_null(strstr(error.text, files[i].text));
		assert_non_null(strstr(error.text, ", perf, "));
		input_close(input);
	}
}

TEST(more_than_wanted_is_an_error)
{
	struct input *input = input_of_bytes("memory", content, BIG);
	struct op_error error;
	uint8_t *bytes;
	size_t n;

	assert_null(input_rest(input, BIG - 1, &n, &error));
	assert_int_equal(error.code, EFBIG);
	bytes = input_rest(input, BIG, &n, &error);
	assert_non_null(bytes);
	assert_int_equal(n, BIG);
	assert_int_equal(bytes[n], 0);
	free(bytes);
	input_close(input);
}

TEST(rest_is_what_was_not_taken)
{
	static const char text[] = "\xef\xbb\xbfone\ntwo\n";
	struct input *input = input_of_bytes("text", text, sizeof(text) - 1);
	struct op_error error;
	char *line, *rest;
	size_t n;

	assert_int_equal(input_line(input, 10, &line, &n, &error), 1);
	assert_string_equal(line, "one");
	rest = (char *)input_rest(input, 10, &n, &error);
	assert_string_equal(rest, "two\n");
	assert_int_equal(n, 4);
	assert_int_equal(input_offset(input), sizeof(text) - 1);
	assert_int_equal(input_at_end(input, &error), 1);
	free(rest);
	rest = (char *)input_rest(input, 10, &n, &error);
	assert_string_equal(rest, "");
	assert_int_equal(n, 0);
	free(rest);
	input_close(input);
}

/* A file in memory with @content; @seals: of fcntl(2). */
static int memory_file(int seals)
{
	int fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, content, BIG), BIG);
	assert_false(fcntl(fd, F_ADD_SEALS, seals));
	return fd;
}

static bool is_mapped(const char *name)
{
	char line[512];
	FILE *maps = fopen("/proc/self/maps", "re");
	bool found = false;

	while (fgets(line, sizeof(line), maps))
		found |= strstr(line, name) != NULL;
	fclose(maps);
	return found;
}

TEST(only_files_that_nobody_can_change_are_mapped)
{
	static const int seals[] = {0, F_SEAL_WRITE, F_SEAL_SHRINK, F_SEAL_WRITE | F_SEAL_SHRINK};

	for (size_t i = 0; i < OP_ARRAY_SIZE(seals); i++) {
		int fd = memory_file(seals[i]);
		struct op_error error;
		struct input *input = input_of_open("memory", fd, &error);
		const uint8_t *bytes, *first;
		size_t n;

		assert_non_null(input);
		assert_int_equal(input_peek(input, 4, &first, &error), 4);
		bytes = input_whole(input, BIG, &n, &error);
		assert_int_equal(n, BIG);
		assert_memory_equal(bytes, content, BIG);
		assert_int_equal(is_mapped("memfd:test"), i == 3);
		input_close(input);
		assert_false(is_mapped("memfd:test"));
		close(fd);
	}
}

TEST(a_sealed_file_of_more_than_is_wanted_is_an_error)
{
	int fd = memory_file(F_SEAL_WRITE | F_SEAL_SHRINK);
	struct op_error error;
	struct input *input = input_of_open("memory", fd, &error);
	size_t n;

	assert_null(input_whole(input, BIG - 1, &n, &error));
	assert_int_equal(error.code, EFBIG);
	input_close(input);
	close(fd);
}

TEST_PROGRAM(setup, teardown)
