// SPDX-License-Identifier: GPL-2.0-or-later
/* A daemon is waited for while it works; the seconds that go by are the test's. */
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>

#include "tests/unit/test.h"

#include "libop/base/file.h"
#include "utils/opcontrol/patience.h"

#define IDLE_MOST 4
#define LONG	  (IDLE_MOST + 2)

static time_t seconds;

/* The C library's, but for the time that is waited. */
int clock_gettime(clockid_t clock, struct timespec *time)
{
	if (clock != CLOCK_MONOTONIC)
		return (int)syscall(SYS_clock_gettime, clock, time);
	*time = (struct timespec){.tv_sec = seconds};
	return 0;
}

/* What a process does until it is killed. */
static void compute(void)
{
	for (;;)
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

/* Of a process that works, until it has computed since it was seen last. */
static void until_it_computes(pid_t pid)
{
	static struct timespec before;
	struct timespec now = before;
	clockid_t clock;

	assert_int_equal(clock_getcpuclockid(pid, &clock), 0);
	while (now.tv_sec == before.tv_sec && now.tv_nsec == before.tv_nsec)
		assert_int_equal(clock_gettime(clock, &now) | sched_yield(), 0);
	before = now;
}

static void until_it_is_in_state(pid_t pid, char wanted)
{
	char path[32], state = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	while (state != wanted) {
		char *text = op_file_read(path, 4096, NULL, NULL);
		const char *name = text ? strrchr(text, ')') : NULL;

		assert_non_null(name);
		state = name[2];
		free(text);
		sched_yield();
	}
}

static void until_it_waits(pid_t pid)
{
	until_it_is_in_state(pid, 'S');
}

static void until_it_waits_for_disk(pid_t pid)
{
	until_it_is_in_state(pid, 'D');
}

static void without_condition(pid_t pid)
{
	(void)pid;
}

/* Asks once a second, at each of which the condition holds.  Return: how many seconds the patience
 * lasted, or @most. */
static unsigned int wait_with(struct patience *patience, void (*until)(pid_t), pid_t pid,
			      unsigned int most)
{
	for (unsigned int i = 0; i < most; i++) {
		until(pid);
		if (patience_ends(patience))
			return i;
		seconds++;
	}
	return most;
}

TEST(a_daemon_that_computes_is_waited_for)
{
	pid_t pid = start(compute);
	struct patience patience;

	patience_begin(&patience, pid, IDLE_MOST, 600);
	assert_int_equal(wait_with(&patience, until_it_computes, pid, LONG), LONG);
	end(pid);
}

TEST(a_daemon_that_waits_for_a_disk_is_waited_for)
{
	pid_t pid = start(wait_for_disk);
	struct patience patience;

	until_it_waits_for_disk(pid);
	patience_begin(&patience, pid, IDLE_MOST, 600);
	assert_int_equal(wait_with(&patience, until_it_waits_for_disk, pid, LONG), LONG);
	end(pid);
}

TEST(a_daemon_that_does_nothing_is_not)
{
	pid_t pid = start(wait_for_nothing);
	struct patience patience;

	until_it_waits(pid);
	patience_begin(&patience, pid, IDLE_MOST, 600);
	assert_true(wait_with(&patience, until_it_waits, pid, 60) < 60);
	end(pid);
}

TEST(a_daemon_that_works_without_end_is_not)
{
	pid_t pid = start(compute);
	struct patience patience;

	patience_begin(&patience, pid, 600, IDLE_MOST);
	assert_int_equal(wait_with(&patience, until_it_computes, pid, LONG), IDLE_MOST);
	assert_int_equal(patience_seconds(&patience), IDLE_MOST);
	end(pid);
}

TEST(a_daemon_that_has_ended_is_not)
{
	pid_t pid = start(wait_for_nothing);
	struct patience patience;

	until_it_waits(pid);
	patience_begin(&patience, pid, IDLE_MOST, 600);
	end(pid);
	assert_int_equal(wait_with(&patience, without_condition, pid, LONG), IDLE_MOST);
}
