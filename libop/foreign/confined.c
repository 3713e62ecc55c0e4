// SPDX-License-Identifier: GPL-2.0-or-later
/* Work in a confined child: see confined.h. */
#include "confined.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "libop/base/buffer.h"
#include "syscalls.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITISED 1 /* sanitisers reserve terabytes, and have system calls of their own */
#else
#define IS_SANITISED 0
#endif

/* A group that owns nothing. */
#define NO_GROUP 65534

/* Descriptors of the child at most: files that libraries open, and in memory. */
#define FILES_MOST 64

/* Files in memory: symbols that were unpacked. */
#define FILE_SIZE_MOST (64 << 20)

/* ---- in the child ---- */

/* Bytes of address space that the parent had. */
static uint64_t present_memory(void)
{
	unsigned long pages = 0;
	FILE *file = fopen("/proc/self/statm", "re");

	if (file) {
		if (fscanf(file, "%lu", &pages) != 1)
			pages = 0;
		fclose(file);
	}
	return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* What is limited already stays so: raising it takes a privilege. */
static bool limit(__rlimit_resource_t what, uint64_t soft, uint64_t hard)
{
	struct rlimit limits;

	if (getrlimit(what, &limits))
		return false;
	if (limits.rlim_max > hard)
		limits.rlim_max = hard;
	limits.rlim_cur = soft < limits.rlim_max ? soft : limits.rlim_max;
	return !setrlimit(what, &limits);
}

/* Those of the parent would run in a process that has nothing that they need. */
static void reset_signals(void)
{
	for (int i = 1; i < NSIG; i++)
		signal(i, SIG_DFL);
}

static bool set_limits(const struct confined *confined)
{
	uint64_t memory = present_memory() + confined->memory;

	/* of time, SIGXCPU comes first, which says what it is for; a second later SIGKILL */
	return (IS_SANITISED || limit(RLIMIT_AS, memory, memory)) &&
	       limit(RLIMIT_CPU, confined->time, confined->time + 1) &&
	       limit(RLIMIT_FSIZE, FILE_SIZE_MOST, FILE_SIZE_MOST) &&
	       limit(RLIMIT_NOFILE, FILES_MOST, FILES_MOST) && limit(RLIMIT_CORE, 0, 0);
}

/* Leaves the null device as standard streams, @fd, and @out; both keep their numbers. */
static bool close_others(int fd, int out)
{
	int first = fd < out ? fd : out, last = fd < out ? out : fd;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0)
		return false;
	for (int i = 0; i <= STDERR_FILENO; i++)
		if (dup2(null, i) < 0)
			return false;
	if (first <= STDERR_FILENO)
		first = last;
	if (first > STDERR_FILENO + 1 &&
	    close_range(STDERR_FILENO + 1, (unsigned int)first - 1, 0))
		return false;
	if (first + 1 < last && close_range((unsigned int)first + 1, (unsigned int)last - 1, 0))
		return false;
	return !close_range((unsigned int)last + 1, ~0U, 0);
}

static bool drop_rights(uid_t user)
{
	return !setgroups(0, NULL) && !setresgid(NO_GROUP, NO_GROUP, NO_GROUP) &&
	       !setresuid(user, user, user) && !prctl(PR_SET_DUMPABLE, 0) &&
	       !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

static _Noreturn void run_child(const struct confined *confined, int out)
{
	bool good;

	reset_signals();
	/* the parent may end at any time: nothing else would end this process then */
	good = !unsetenv("DEBUGINFOD_URLS") && close_others(confined->fd, out) &&
	       set_limits(confined) && drop_rights(confined->user) &&
	       !prctl(PR_SET_PDEATHSIG, SIGKILL) &&
	       (IS_SANITISED || !foreign_filter_syscalls());
	if (!good)
		_exit(2);
	confined->work(confined->context, out);
	_exit(0);
}

/* ---- in the parent ---- */

static int milliseconds_until(const struct timespec *end)
{
	struct timespec now;
	long long left;

	clock_gettime(CLOCK_MONOTONIC, &now);
	left = (end->tv_sec - now.tv_sec) * 1000LL + (end->tv_nsec - now.tv_nsec) / 1000000;
	return left < 0 ? 0 : (int)left;
}

/* Reads what the child writes.  Return: NULL, or why it must end. */
static const char *receive(const struct confined *confined, int in, struct op_buffer *answer)
{
	struct pollfd poller = {.fd = in, .events = POLLIN};
	struct timespec end;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += 10 * (time_t)confined->time;
	for (;;) {
		char bytes[65536];
		ssize_t n;

		if (poll(&poller, 1, milliseconds_until(&end)) < 0 && errno != EINTR)
			return strerror(errno);
		if (!milliseconds_until(&end))
			return "it took too long";
		n = poller.revents ? read(in, bytes, sizeof(bytes)) : -1;
		if (!n)
			return NULL;
		if (n > 0 && answer->used + (size_t)n > confined->answer_most)
			return "there is too much in it";
		if (n > 0)
			op_buffer_put(answer, bytes, (size_t)n);
		if (answer->failed)
			return "out of memory";
	}
}

static int fail(struct op_error *error, const char *reason, int status)
{
	if (reason)
		return op_error_set(error, EBADMSG, "reading it was given up: %s", reason);
	if (WIFSIGNALED(status))
		return op_error_set(error, EBADMSG, "reading it failed: %s",
				    WTERMSIG(status) == SIGXCPU ? "it took too long"
								: strsignal(WTERMSIG(status)));
	return op_error_set(error, EBADMSG, "reading it failed");
}

static void *take_answer(const struct confined *confined, pid_t child, int in, size_t *length,
			 struct op_error *error)
{
	struct op_buffer answer = {0};
	const char *reason = receive(confined, in, &answer);
	int status = 0;

	if (reason)
		kill(child, SIGKILL);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (reason || status) {
		fail(error, reason, status);
		op_buffer_free(&answer);
		return NULL;
	}
	*length = answer.used;
	return answer.bytes ? answer.bytes : calloc(1, 1);
}

void *confined_run(const struct confined *confined, size_t *length, struct op_error *error)
{
	void *answer = NULL;
	int ends[2];
	pid_t child;

	if (pipe2(ends, O_CLOEXEC)) {
		op_error_errno(error, "cannot make a pipe");
		return NULL;
	}
	child = fork();
	if (!child)
		run_child(confined, ends[1]);
	close(ends[1]);
	if (child < 0)
		op_error_errno(error, "cannot start a process");
	else
		answer = take_answer(confined, child, ends[0], length, error);
	close(ends[0]);
	return answer;
}
