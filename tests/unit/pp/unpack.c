// SPDX-License-Identifier: GPL-2.0-or-later
/* Packed files come out as they went in, or not at all. */
#include "libop/base/array.h"
#include "tests/unit/test.h"

#include "pp/symbols/decompress.h"
#include "session.h"

static struct test_session session;

static const struct {
	const char *end, *command;
} formats[] = {
	{"xz", "xz -c"},
	{"zst", "zstd -qc"},
	{"zst", "zstd -qc --ultra -22 --long=27"},
	{"gz", "gzip -c"},
};

/* What comes out of a packed file, or NULL. */
static char *unpack(const char *path, size_t *n)
{
	const char *reason = NULL;
	int fd = pp_decompress(path, &reason);
	struct stat status;
	char *bytes;

	if (fd < 0) {
		assert_string_equal(reason, "cannot be unpacked");
		return NULL;
	}
	assert_int_equal(fstat(fd, &status), 0);
	*n = (size_t)status.st_size;
	bytes = malloc(*n + 1);
	assert_int_equal(pread(fd, bytes, *n, 0), (ssize_t)*n);
	close(fd);
	return bytes;
}

static char *read_plain(const char *path, size_t *n)
{
	FILE *file = fopen(path, "r");
	struct stat status;
	char *bytes;

	assert_non_null(file);
	assert_int_equal(fstat(fileno(file), &status), 0);
	*n = (size_t)status.st_size;
	bytes = malloc(*n + 1);
	assert_int_equal(fread(bytes, 1, *n, file), *n);
	fclose(file);
	return bytes;
}

/* One byte, less and more than what is read at once, well and badly packable. */
TEST(what_was_packed_comes_out_again)
{
	static const char *const contents[] = {
		"printf x",
		"seq 10000",
		"head -c 3000000 /dev/zero",
		"head -c 65536 /dev/urandom",
		"head -c 1000003 /dev/urandom",
	};
	char *plain = test_session_path(&session, "plain");

	for (size_t i = 0; i < OP_ARRAY_SIZE(contents); i++) {
		size_t n_wanted, n;
		char *wanted;

		test_shell("%s > %s", contents[i], plain);
		wanted = read_plain(plain, &n_wanted);
		for (size_t k = 0; k < OP_ARRAY_SIZE(formats); k++) {
			char *packed = test_session_path(&session, "packed.%s", formats[k].end);
			char *got;

			assert_true(pp_is_compressed(packed));
			test_shell("%s %s > %s", formats[k].command, plain, packed);
			got = unpack(packed, &n);
			assert_non_null(got);
			assert_int_equal(n, n_wanted);
			assert_memory_equal(got, wanted, n);
			free(got);
			/* Two of them in one file are one after another, as the tools have it. */
			test_shell("cat %s %s > %s.2 && mv %s.2 %s", packed, packed, packed, packed,
				   packed);
			got = unpack(packed, &n);
			assert_non_null(got);
			assert_int_equal(n, 2 * n_wanted);
			assert_memory_equal(got + n_wanted, wanted, n_wanted);
			free(got);
			free(packed);
		}
		free(wanted);
	}
	free(plain);
}

TEST(cut_or_changed_files_are_refused_without_crash)
{
	char *plain = test_session_path(&session, "plain");
	size_t n, n_packed;

	test_shell("seq 300 > %s", plain);
	for (size_t k = 0; k < OP_ARRAY_SIZE(formats); k++) {
		char *packed = test_session_path(&session, "packed.%s", formats[k].end);
		char *bytes;

		test_shell("%s %s > %s", formats[k].command, plain, packed);
		bytes = read_plain(packed, &n_packed);
		/* Cut anywhere. */
		for (size_t i = 0; i < n_packed; i++) {
			FILE *file = fopen(packed, "w");

			fwrite(bytes, 1, i, file);
			fclose(file);
			assert_null(unpack(packed, &n));
		}
		/* Any byte changed: no crash, whatever comes out. */
		for (size_t i = 0; i < n_packed; i++) {
			FILE *file = fopen(packed, "w");

			bytes[i] = (char)~bytes[i];
			fwrite(bytes, 1, n_packed, file);
			fclose(file);
			free(unpack(packed, &n));
			bytes[i] = (char)~bytes[i];
		}
		free(bytes);
		free(packed);
	}
	free(plain);
}

TEST(files_that_are_not_packed_are_refused)
{
	static const char *const names[] = {"a", "xz", ".xz", "a.xz.txt", "a.ko", "zst"};
	char *path = test_session_path(&session, "plain.gz");
	size_t n;

	for (size_t i = 0; i < OP_ARRAY_SIZE(names); i++)
		assert_false(pp_is_compressed(names[i]));
	assert_true(pp_is_compressed("a.xz"));
	assert_null(unpack("/nonexistent.xz", &n));
	assert_null(unpack("/", &n));
	test_shell(": > %s", path);
	assert_null(unpack(path, &n));
	free(path);
}

TEST_HOOK(set_up)
{
	test_session_make(&session);
	return 0;
}

TEST_HOOK(tear_down)
{
	test_session_remove(&session);
	return 0;
}

TEST_PROGRAM(set_up, tear_down)
