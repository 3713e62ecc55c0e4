// SPDX-License-Identifier: GPL-2.0-or-later
/* The log: how much of it there is at most, and that it is put aside as a whole. */
#include "tests/unit/test.h"

#include "libop/base/file.h"
#include "libop/session/log.h"

#define LINES	     40000
#define LINE	     "line %06d: what the daemon has to say, of sixty-four bytes"
#define LINE_LENGTH  100
#define LOG	     "dir/daemon.log"
#define LARGEST	     (LOG_MOST + LINE_LENGTH)
#define FIRST_NUMBER (strlen("2000-01-01 00:00:00 line "))

static char *dir;

TEST_HOOK(enter)
{
	dir = test_enter("log");
	return dir ? 0 : -1;
}

TEST_HOOK(leave)
{
	return test_leave(dir);
}

TEST_PROGRAM(enter, leave)

/* Opens the log in a process of its own, which it takes stderr from, and writes lines. */
static void write_log(int lines)
{
	struct op_error error;
	pid_t pid = fork();
	int status;

	if (!pid) {
		if (log_open(LOG, &error))
			_exit(1);
		for (int i = 0; i < lines; i++)
			log_line(LINE, i);
		_exit(0);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void begin(void)
{
	assert_true(access("dir", F_OK) || !test_remove("dir"));
	assert_int_equal(mkdir("dir", 0700), 0);
}

static off_t size_of(const char *path)
{
	struct stat status;

	assert_int_equal(lstat(path, &status), 0);
	assert_true(S_ISREG(status.st_mode));
	return status.st_size;
}

/* Checks that lines have numbers that follow each other.  Return: that behind the last one. */
static int check_lines(const char *path, int first)
{
	char *text = op_file_read(path, 2 * LOG_MOST, NULL, NULL), *rest = text, *line;

	assert_non_null(text);
	while ((line = strsep(&rest, "\n")) && *line) {
		int number = atoi(line + FIRST_NUMBER);

		if (first >= 0)
			assert_int_equal(number, first);
		first = number + 1;
	}
	free(text);
	return first;
}

TEST(log_is_bounded_and_the_last_lines_are_there)
{
	begin();
	write_log(LINES);
	assert_true(size_of(LOG) <= LARGEST);
	assert_true(size_of(LOG LOG_OLDER) <= LARGEST);
	assert_true(size_of(LOG LOG_OLDER) >= LOG_MOST);
	assert_int_equal(check_lines(LOG, check_lines(LOG LOG_OLDER, -1)), LINES);
}

TEST(log_that_is_full_is_put_aside_when_it_is_opened)
{
	int fd;

	begin();
	fd = open(LOG, O_CREAT | O_WRONLY, 0600);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 100 * LOG_MOST), 0);
	assert_int_equal(close(fd), 0);
	write_log(1);
	assert_true(size_of(LOG) < LINE_LENGTH);
	assert_int_equal(size_of(LOG LOG_OLDER), 100 * LOG_MOST);
}

TEST(link_in_the_place_of_the_older_log_is_replaced)
{
	begin();
	assert_int_equal(symlink("../aim", LOG LOG_OLDER), 0);
	write_log(LINES);
	assert_true(size_of(LOG LOG_OLDER) >= LOG_MOST);
	assert_int_equal(access("aim", F_OK), -1);
}

/* As by opcontrol, or another program that rotates logs. */
TEST(file_that_has_taken_the_place_of_the_log_stays)
{
	struct op_error error;
	pid_t pid;
	int status;

	begin();
	pid = fork();
	if (!pid) {
		if (log_open(LOG, &error) || rename(LOG, "dir/taken") ||
		    op_file_replace(LOG, "another\n", 8, 0600, &error))
			_exit(1);
		for (int i = 0; i < LINES / 2; i++)
			log_line(LINE, i);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_true(size_of("dir/taken") <= LARGEST);
	assert_int_equal(access(LOG LOG_OLDER, F_OK), -1);
	assert_true(size_of(LOG) > LINE_LENGTH);
}

TEST(log_that_cannot_be_put_aside_is_emptied)
{
	begin();
	assert_int_equal(mkdir(LOG LOG_OLDER, 0700), 0);
	write_log(LINES);
	assert_true(size_of(LOG) <= LARGEST);
	assert_int_equal(check_lines(LOG, -1), LINES);
}
