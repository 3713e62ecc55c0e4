// SPDX-License-Identifier: GPL-2.0-or-later
/* Metrics in the text format of Prometheus. */
#include "tests/unit/test.h"

#include "libop/base/array.h"
#include "libop/base/file.h"
#include "libop/text/metrics.h"

TEST(no_value_of_a_label_breaks_out)
{
	static const struct {
		const char *value, *line;
	} cases[] = {
		{"a", "n{l=\"a\"} 7\n"},
		{"", "n{l=\"\"} 7\n"},
		{"a\"} 1\nb{c=\"", "n{l=\"a\\\"} 1\\nb{c=\\\"\"} 7\n"},
		{"\\n\\", "n{l=\"\\\\n\\\\\"} 7\n"},
		{"\xc3\xa4\xff\xe2\x82",
		 "n{l=\"\xc3\xa4\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"} 7\n"},
		{NULL, "n 7\n"},
	};

	for (size_t i = 0; i < OP_ARRAY_SIZE(cases); i++) {
		char *text;
		size_t length;
		FILE *out = open_memstream(&text, &length);

		op_metric_put(out, "n", cases[i].value ? "l" : NULL, cases[i].value, "%d", 7);
		fclose(out);
		assert_string_equal(text, cases[i].line);
		free(text);
	}
}

static char *dir;

TEST_HOOK(enter)
{
	dir = test_enter("libop-metrics");
	return !dir;
}

TEST_HOOK(leave)
{
	return test_leave(dir);
}

static void expect_file(const char *path, const char *wanted)
{
	struct op_error error;
	char *text = op_file_read(path, 100, NULL, &error);

	assert_string_equal(text, wanted);
	free(text);
}

/* Another user may own the directory. */
TEST_WITH(a_file_that_is_there_is_not_opened, enter, leave)
{
	const char *path = "x.prom", *other = "other", *stale = "x.prom.new";
	struct op_error error;
	struct stat status;

	assert_int_equal(op_file_replace(other, "other", 5, 0600, &error), 0);
	/* a FIFO would be waited for, another name of a file cut */
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(mkfifo(stale, 0600), 0);
	assert_int_equal(op_metrics_write(path, "n 1\n", 4, &error), 0);
	expect_file(path, "n 1\n");
	assert_int_equal(unlink(path), 0);
	assert_int_equal(link(other, path), 0);
	assert_int_equal(op_metrics_write(path, "n 2\n", 4, &error), 0);
	expect_file(path, "n 2\n");
	expect_file(other, "other");
	umask(077);
	assert_int_equal(op_metrics_write(path, "n 3\n", 4, &error), 0);
	expect_file(path, "n 3\n");
	expect_file(other, "other");
	assert_int_equal(lstat(path, &status), 0);
	assert_int_equal(status.st_mode, S_IFREG | 0644);
}

TEST_WITH(what_cannot_be_written_is_an_error_and_leaves_nothing, enter, leave)
{
	const char *path = "none/x.prom", *folder = "d";
	struct op_error error;

	assert_int_equal(op_metrics_write(path, "n 1\n", 4, &error), -1);
	assert_int_equal(error.code, ENOENT);
	assert_non_null(strstr(error.text, path));
	assert_int_equal(mkdir(folder, 0700), 0);
	assert_int_equal(op_metrics_write(folder, "n 1\n", 4, &error), -1);
	assert_int_equal(error.code, EISDIR);
	assert_int_equal(rmdir(folder), 0);
	assert_int_equal(rmdir(dir), 0); /* nothing is in it */
	assert_int_equal(mkdir(dir, 0700), 0);
}
