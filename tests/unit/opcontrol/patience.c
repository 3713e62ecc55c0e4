// SPDX-License-Identifier: GPL-2.0-or-later
/* A daemon is waited for while it works. */
#include <signal.h>

#include "tests/unit/test.h"

#include "utils/opcontrol/patience.h"

#define IDLE_MOST 4
#define LONG	  (IDLE_MOST + 2)

/* What a process does until it is killed. */
static void compute(void)
{
	for (volatile uint64_t i = 0;; i++)
		;
}

static void wait_for_nothing(void)
{
	for (;;)
		pause();
}

/* The parent of vfork() sleeps as one that waits for a disk: nothing interrupts it. */
static void wait_for_disk(void)
{
	if (!vfork())
		for (;;)
			pause();
}

static pid_t start(void (*work)(void))
{
	pid_t pid = fork();

	assert_return_code(pid, errno);
	if (!pid) {
		setpgid(0, 0);
		work();
		_exit(0);
	}
	setpgid(pid, pid);
	return pid;
}

static void end(pid_t pid)
{
	assert_return_code(kill(-pid, SIGKILL), errno);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* Asks once a second.  Return: how many seconds the patience lasted, or @most. */
static unsigned int wait_with(struct patience *patience, unsigned int most)
{
	for (unsigned int i = 0; i < most; i++) {
		if (patience_ends(patience))
			return i;
		sleep(1);
	}
	return most;
}

TEST(a_daemon_that_computes_is_waited_for)
{
	pid_t pid = start(compute);
	struct patience patience;

	patience_begin(&patience, pid, IDLE_MOST, 600);
	assert_int_equal(wait_with(&patience, LONG), LONG);
	end(pid);
}

TEST(a_daemon_that_waits_for_a_disk_is_waited_for)
{
	pid_t pid = start(wait_for_disk);
	struct patience patience;

	patience_begin(&patience, pid, IDLE_MOST, 600);
	assert_int_equal(wait_with(&patience, LONG), LONG);
	end(pid);
}

TEST(a_daemon_that_does_nothing_is_not)
{
	pid_t pid = start(wait_for_nothing);
	struct patience patience;

	patience_begin(&patience, pid, IDLE_MOST, 600);
	assert_true(wait_with(&patience, 60) < 60);
	end(pid);
}

TEST(a_daemon_that_works_without_end_is_not)
{
	pid_t pid = start(compute);
	struct patience patience;

	patience_begin(&patience, pid, 600, IDLE_MOST);
	assert_true(wait_with(&patience, 60) < 60);
	assert_true(patience_seconds(&patience) >= IDLE_MOST);
	end(pid);
}

TEST(a_daemon_that_has_ended_is_not)
{
	pid_t pid = start(wait_for_nothing);
	struct patience patience;

	patience_begin(&patience, pid, IDLE_MOST, 600);
	end(pid);
	assert_true(wait_with(&patience, 60) < 60);
}
