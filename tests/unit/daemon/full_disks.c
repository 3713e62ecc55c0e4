// SPDX-License-Identifier: GPL-2.0-or-later
/* Disks that are full, and files that may not grow: what is lost is counted, and no more is. */
#include "fixture.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libop/base/file.h"
#include "libop/session/paths.h"

#define START CPU(0), CTX(501, 500, 0x10)

#define MANY_PLACES 20000

/* Feeds kernel samples of so many places that files must grow.  Return: whether sums are right. */
static bool fill(struct test_session *session)
{
	static uint64_t words[12 + 2 * MANY_PLACES];
	const uint64_t start[] = {START, KERNEL};
	const uint64_t *value = session->profile.stats.value;
	size_t count = sizeof(start) / sizeof(*start);

	memcpy(words, start, sizeof(start));
	for (uint64_t i = 0; i < MANY_PLACES; i++) {
		words[count++] = 0xffffffff81000000 + 8 * i;
		words[count++] = 0;
	}
	for (int round = 0; round < 2; round++)
		session_feed(session, words, count);
	return value[STAT_RECEIVED] == 2 * MANY_PLACES &&
	       value[STAT_RECEIVED] == value[STAT_STORED] + value[STAT_NO_SAMPLE_FILE] &&
	       value[STAT_NO_SAMPLE_FILE] > 0 && value[STAT_STORED] > 0 &&
	       session_sum(session->dir, false) == value[STAT_STORED];
}

/* A file that may not grow any more: what does not fit is lost, and the daemon goes on. */
static void files_may_not_grow(void **state)
{
	const struct profile_config config = {0};
	struct test_session session;
	struct rlimit before, small;
	bool right;

	(void)state;
	session_open(&session, &config);
	assert_return_code(getrlimit(RLIMIT_FSIZE, &before), errno);
	small = before;
	small.rlim_cur = 64 << 10;
	assert_return_code(setrlimit(RLIMIT_FSIZE, &small), errno);
	right = fill(&session);
	assert_return_code(setrlimit(RLIMIT_FSIZE, &before), errno);
	assert_true(right);
	session_close(&session);
}

/* In a process of its own, with a mount namespace of its own.  Does not return. */
static void run_on_a_small_disk(void)
{
	const struct profile_config config = {0};
	struct test_session session;
	char *current;

	session_make(&session, &config);
	current = op_path("%s/" OP_SESSION_CURRENT, session.dir);
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", current, "tmpfs", 0, "size=160k")) {
		remove_tree(session.dir);
		_exit(77);
	}
	session_start(&session);
	if (!fill(&session))
		_exit(1);
	/* room again: what is lost is a matter of now */
	umount2(current, MNT_DETACH);
	remove_tree(session.dir);
	_exit(0);
}

static void the_disk_is_full(void **state)
{
	int status;
	pid_t child;

	(void)state;
	child = fork();
	assert_return_code(child, errno);
	if (!child)
		run_on_a_small_disk();
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77) {
		print_message("           skipped: only root may mount a small disk\n");
		skip();
	}
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_may_not_grow),
		cmocka_unit_test(the_disk_is_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
