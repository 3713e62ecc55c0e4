// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Files of the session change or fail under the daemon: it goes on, counts what was lost by cause,
 * and a dump says so.
 */
#include "fixture.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include "libop/base/array.h"
#include "libop/base/file.h"
#include "libop/session/account.h"
#include "libop/session/paths.h"

#define START	  CPU(0), CTX(501, 500, 0x10)
#define PLACES	  3000 /* so many that a file has several pages */
#define BASH_FILE "{root}/usr/bin/bash/{dep}/{root}/usr/bin/bash/TIMER.0.0.all.all.all"

static const struct profile_config config;
static struct test_session session;

/* A case with an open session, which is opened in it: cmocka sets its own handler of SIGBUS first.
 */
#define SESSION_TEST(name)                                                                         \
	static void name##_in_session(void);                                                       \
	TEST(name)                                                                                 \
	{                                                                                          \
		session_open(&session, &config);                                                   \
		name##_in_session();                                                               \
		session_close(&session);                                                           \
	}                                                                                          \
	static void name##_in_session(void)

/* A sample at each of PLACES places of two images. */
static void feed(void)
{
	static uint64_t words[64 + 4 * PLACES];
	const uint64_t start[] = {START, USER, COOKIE(0x10)}, other[] = {COOKIE(0x11)};
	size_t n = OP_ARRAY_SIZE(start);

	memcpy(words, start, sizeof(start));
	for (uint64_t i = 0; i < PLACES; i++) {
		words[n++] = i;
		words[n++] = 0;
	}
	memcpy(words + n, other, sizeof(other));
	n += OP_ARRAY_SIZE(other);
	for (uint64_t i = 0; i < PLACES; i++) {
		words[n++] = i;
		words[n++] = 0;
	}
	session_feed(&session, words, n);
}

static const char *bash_file(void)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/" OP_SESSION_CURRENT "/" BASH_FILE, session.dir);
	return path;
}

/* The account in the session says what the daemon knows, and what is in the files. */
static void check_account(const char *samples)
{
	char *dir = op_path("%s/%s", session.dir, samples), *text;

	assert_int_equal(op_account_read(dir, &text), OP_ACCOUNT_WHOLE);
	assert_int_equal(op_account_number(text, "total_samples"),
			 session_stat(&session, STAT_RECEIVED));
	assert_int_equal(op_account_number(text, "samples_stored"),
			 session_stat(&session, STAT_STORED));
	free(text);
	free(dir);
}

static void check_stored(uint64_t stored)
{
	char *dir = op_path("%s/" OP_SESSION_CURRENT, session.dir), *text;

	assert_int_equal(op_account_read(dir, &text), OP_ACCOUNT_WHOLE);
	assert_int_equal(op_account_number(text, "samples_stored"), stored);
	free(text);
	free(dir);
}

/* Return: what a dump complains of, which the caller frees; NULL if it was well. */
static char *dump(void)
{
	struct op_error error;

	return profile_dump(&session.profile, &error) ? strdup(error.text) : NULL;
}

static void expect_loss(enum stat_id cause, uint64_t lost)
{
	char *said = dump();

	if (session_stat(&session, cause) != lost)
		fail_msg("%s: %" PRIu64 ", not %" PRIu64, op_stats[cause].key,
			 session_stat(&session, cause), lost);
	assert_non_null(said);
	session_check_sums(&session);
	check_account(OP_SESSION_CURRENT);
	free(said);
	/* it was said */
	assert_null(dump());
}

/* Cut to @length while mapped: what is behind it is lost, and nothing else. */
static void cut(off_t length)
{
	uint64_t lost;

	feed();
	assert_null(dump());
	assert_return_code(truncate(bash_file(), length), errno);
	feed(); /* touches each page */
	feed();
	lost = session_stat(&session, STAT_FILE_CUT);
	assert_true(lost > 0);
	expect_loss(STAT_FILE_CUT, lost);
	assert_true(session_stat(&session, STAT_STORED) > 3 * PLACES);
}

SESSION_TEST(a_file_cut_to_nothing_costs_its_samples_only)
{
	cut(0);
}

SESSION_TEST(a_file_cut_within_its_header_costs_its_samples_only)
{
	cut(10);
}

SESSION_TEST(a_file_cut_at_a_page_costs_what_is_behind)
{
	cut(8192);
}

SESSION_TEST(a_file_cut_within_a_page_costs_what_is_behind)
{
	cut(20000);
}

/* Nothing is touched behind the end, but a dump looks. */
SESSION_TEST(a_cut_is_found_by_the_next_dump)
{
	session_feed(&session, BUFFER(START, USER, COOKIE(0x10), 1, 0, 2, 0));
	assert_return_code(truncate(bash_file(), 3), errno);
	expect_loss(STAT_FILE_CUT, 2);
}

SESSION_TEST(a_removed_file_costs_its_samples)
{
	session_feed(&session, BUFFER(START, USER, COOKIE(0x10), 1, 0, 2, 0, COOKIE(0x11), 1, 0));
	assert_return_code(unlink(bash_file()), errno);
	expect_loss(STAT_FILE_CUT, 2);
	session_feed(&session, BUFFER(START, USER, COOKIE(0x10), 1, 0));
	assert_null(dump());
	session_check_sums(&session);
}

/* What an earlier daemon stored is lost with the file, too. */
SESSION_TEST(samples_of_an_earlier_daemon_are_lost_with_the_file)
{
	char *dir, *text;

	session_feed(&session, BUFFER(START, USER, COOKIE(0x10), 1, 0, 2, 0, 3, 0));
	assert_null(dump());
	profile_close(&session.profile);
	session_start(&session);
	session_feed(&session, BUFFER(START, USER, COOKIE(0x10), 1, 0));
	assert_return_code(truncate(bash_file(), 0), errno);
	text = dump();
	assert_non_null(text);
	free(text);
	dir = op_path("%s/" OP_SESSION_CURRENT, session.dir);
	assert_int_equal(op_account_read(dir, &text), OP_ACCOUNT_WHOLE);
	assert_int_equal(op_account_number(text, "total_samples"), 4);
	assert_int_equal(op_account_number(text, "samples_stored"), 0);
	assert_int_equal(op_account_number(text, "lost_file_cut"), 4);
	free(text);
	free(dir);
}

/* @resource has the value @limit while a buffer is counted. */
static void feed_with_limit(int resource, rlim_t limit)
{
	struct rlimit before, less;

	assert_return_code(getrlimit(resource, &before), errno);
	less = before;
	less.rlim_cur = limit;
	assert_return_code(setrlimit(resource, &less), errno);
	feed();
	assert_return_code(setrlimit(resource, &before), errno);
}

SESSION_TEST(samples_beyond_the_limit_of_file_size_are_counted_as_lost)
{
	signal(SIGXFSZ, SIG_IGN);
	feed_with_limit(RLIMIT_FSIZE, 16384);
	assert_true(session_stat(&session, STAT_FILE_LIMIT) > 0);
	assert_true(session_stat(&session, STAT_STORED) > 0);
	expect_loss(STAT_FILE_LIMIT, 2 * PLACES - session_stat(&session, STAT_STORED));
}

SESSION_TEST(samples_without_a_descriptor_are_counted_as_lost)
{
	feed_with_limit(RLIMIT_NOFILE, 3);
	expect_loss(STAT_NO_DESCRIPTOR, 2 * PLACES);
}

/* The name of its sample file would be longer than any path: it is in the journal. */
TEST(samples_of_too_long_a_path_are_stored)
{
	static char name[200], path[4000] = "/";
	const struct test_image images[] = {
		{0x10, path, 0, 1000, 0, 0, 0},
		{0, NULL, 0, 0, 0, 0, 0},
	};

	memset(name, 'n', sizeof(name) - 1);
	while (strlen(path) + sizeof(name) + 2 < sizeof(path)) {
		strcat(path, name);
		strcat(path, "/");
	}
	strcat(path, "p");
	session_make(&session, &config);
	session.machine.images = images;
	session_start(&session);
	session_feed(&session, BUFFER(START, USER, COOKIE(0x10), 1, 0, 2, 0));
	assert_null(dump());
	assert_int_equal(session_stat(&session, STAT_STORED), 2);
	session_check_sums(&session);
	session_close(&session);
}

/* A small disk, with nothing on it; skips the test without one. */
static char *enter_small_disk(void)
{
	char *dir = strdup("/tmp/oprofile-small-XXXXXX");

	if (!mkdtemp(dir) || unshare(CLONE_NEWNS) ||
	    mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) ||
	    mount("tmpfs", dir, "tmpfs", 0, "size=1m")) {
		print_message("skipped: mounting a small tmpfs takes root\n");
		rmdir(dir);
		free(dir);
		skip();
		return NULL; /* it does not come here */
	}
	setenv("TMPDIR", dir, 1);
	return dir;
}

static void leave_small_disk(char *dir)
{
	unsetenv("TMPDIR");
	assert_return_code(umount2(dir, MNT_DETACH), errno);
	assert_return_code(rmdir(dir), errno);
	free(dir);
}

/* Takes all room of the disk.  Return: the path, to be freed. */
static char *fill_disk(const char *dir)
{
	static const char page[4096];
	char *path = op_path("%s/filler", dir);
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	while (write(fd, page, sizeof(page)) == sizeof(page))
		;
	assert_int_equal(errno, ENOSPC);
	close(fd);
	return path;
}

/* Of names of 200 characters. */
static void make_long_path(char *path, size_t size)
{
	for (size_t i = 0; i + 202 < size; i += 201) {
		path[i] = '/';
		memset(path + i + 1, 'n', 200);
	}
}

/* What has no room is counted as {other}, where the journal has; then files are made again. */
TEST(samples_on_a_full_disk_are_counted_by_program)
{
	static char path[1400];
	const struct test_image images[] = {
		{0x10, "/usr/bin/bash", 0, 1000, 0, 0, 0}, {0x11, "/usr/bin/cat", 0, 1000, 0, 0, 0},
		{0x12, path, 0, 1000, 0, 0, 0}, {0, NULL, 0, 0, 0, 0, 0}};
	char *disk = enter_small_disk(), *filler;

	make_long_path(path, sizeof(path));
	session_make(&session, &config);
	session.machine.images = images;
	session_start(&session);
	/* its name is in the journal */
	session_feed(&session, BUFFER(START, USER, COOKIE(0x12), 1, 0));
	filler = fill_disk(disk);
	feed();
	assert_null(dump());
	assert_int_equal(session_stat(&session, STAT_STORED), 2 * PLACES + 1);
	assert_int_equal(session_stat(&session, STAT_OTHER), 2 * PLACES);
	assert_return_code(access(bash_file(), F_OK) ? 0 : -1, errno);
	assert_return_code(unlink(filler), errno);
	sample_files_rest(&session.profile.files);
	feed();
	assert_null(dump());
	assert_int_equal(session_stat(&session, STAT_STORED), 4 * PLACES + 1);
	assert_int_equal(session_stat(&session, STAT_OTHER), 2 * PLACES);
	assert_return_code(access(bash_file(), F_OK), errno);
	session_close(&session);
	leave_small_disk(disk);
	free(filler);
}

/* Of an image that only the journal has room for: each try to begin one costs a file. */
TEST(a_full_disk_is_not_tried_again_for_each_sample)
{
	static char path[1400];
	const struct test_image images[] = {{0x12, path, 0, 1000, 0, 0, 0},
					    {0, NULL, 0, 0, 0, 0, 0}};
	char *disk = enter_small_disk(), *filler;

	make_long_path(path, sizeof(path));
	session_make(&session, &config);
	session.machine.images = images;
	session_start(&session);
	filler = fill_disk(disk);
	session_feed(&session, BUFFER(START, USER, COOKIE(0x12), 1, 0, 2, 0));
	assert_int_equal(session_stat(&session, STAT_NO_SPACE), 2);
	assert_return_code(unlink(filler), errno);
	session_feed(&session, BUFFER(START, USER, COOKIE(0x12), 1, 0, 2, 0));
	assert_int_equal(session_stat(&session, STAT_NO_SPACE), 4);
	sample_files_rest(&session.profile.files);
	session_feed(&session, BUFFER(START, USER, COOKIE(0x12), 1, 0, 2, 0));
	assert_int_equal(session_stat(&session, STAT_STORED), 2);
	session_check_sums(&session);
	session_close(&session);
	leave_small_disk(disk);
	free(filler);
}

/* All that is counted until the daemon is told of it belongs to the session that was moved. */
SESSION_TEST(a_session_that_is_moved_keeps_its_account)
{
	struct op_error error;
	char *current, *moved;

	session_feed(&session, BUFFER(START, USER, COOKIE(0x10), 1, 0, 2, 0));
	current = op_path("%s/" OP_SESSION_CURRENT, session.dir);
	moved = op_path("%s/samples/moved", session.dir);
	assert_return_code(rename(current, moved), errno);
	session_feed(&session, BUFFER(START, USER, COOKIE(0x11), 1, 0));
	assert_null(dump());
	check_account("samples/moved");
	assert_int_equal(session_stat(&session, STAT_STORED), 3);
	assert_int_equal(profile_reopen(&session.profile, &error), 0);
	session_feed(&session, BUFFER(START, USER, COOKIE(0x11), 1, 0));
	assert_null(dump());
	check_account(OP_SESSION_CURRENT);
	assert_int_equal(session_stat(&session, STAT_STORED), 1);
	session_check_sums(&session);
	free(moved);
	free(current);
}

/* The next rest is due at once. */
static int rest(void)
{
	session.profile.rested = 0;
	return profile_rest(&session.profile, -1);
}

/* A report finds account and files of one moment, without a dump. */
SESSION_TEST(the_account_follows_the_files_while_samples_come)
{
	session_feed_only(&session, BUFFER(START, USER, COOKIE(0x10), 1, 0, 2, 0));
	session.profile.rested = 0;
	session_feed_only(&session, BUFFER(START, USER, COOKIE(0x10), 1, 0));
	check_stored(2); /* all before this buffer */
	assert_int_equal(rest(), -1);
	check_stored(3);
	check_account(OP_SESSION_CURRENT);
	session_check_sums(&session);
}

/* The daemon wakes up for an account that is behind, and for no other. */
SESSION_TEST(the_daemon_waits_no_longer_than_the_account_may_be_behind)
{
	assert_int_equal(profile_rest(&session.profile, -1), -1);
	assert_int_equal(profile_rest(&session.profile, 250), 250);
	session_feed_only(&session, BUFFER(START, USER, COOKIE(0x10), 1, 0));
	assert_uint_in_range(profile_rest(&session.profile, -1), 1, 10000);
	assert_uint_in_range(profile_rest(&session.profile, 999), 1, 999);
	assert_null(dump());
	assert_int_equal(profile_rest(&session.profile, -1), -1);
	session_feed_only(&session, BUFFER(START, USER, COOKIE(0x10), 1, 0));
	assert_int_equal(rest(), -1);
	assert_int_equal(profile_rest(&session.profile, -1), -1);
	check_stored(2);
}

/* Samples are lost until it is noticed, and counted in no session that there is. */
SESSION_TEST(a_session_that_is_removed_begins_anew)
{
	char *current;

	session_feed(&session, BUFFER(START, USER, COOKIE(0x10), 1, 0));
	current = op_path("%s/" OP_SESSION_CURRENT, session.dir);
	remove_tree(current);
	assert_null(dump());
	session_feed(&session, BUFFER(START, USER, COOKIE(0x10), 1, 0, 2, 0));
	assert_null(dump());
	check_account(OP_SESSION_CURRENT);
	assert_int_equal(session_stat(&session, STAT_STORED), 2);
	session_check_sums(&session);
	free(current);
}
