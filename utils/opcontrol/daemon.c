// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * oprofiled as a process.  Nothing is polled: the daemon's first process returns when the
 * daemon is ready, and a pidfd is readable when it has ended.
 */
#include "daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "driver.h"
#include "libop/session/control_socket.h"
#include "libop/session/lock.h"
#include "libop/base/array.h"
#include "libop/base/file.h"
#include "libop/base/number.h"
#include "libop/session/paths.h"
#include "libop/session/tree.h"

/* Is there such a program to run? */
static bool is_program(const char *path)
{
	return path && !access(path, X_OK);
}

/* Where the daemon is: in a build tree in another folder than opcontrol, installed beside it. */
static char *program_beside(const char *in_build, const char *installed)
{
	char self[PATH_MAX], *path;
	ssize_t size = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (size <= 0)
		return NULL;
	self[size] = '\0';
	*strrchr(self, '/') = '\0';
	path = op_path("%s%s", self, in_build);
	if (is_program(path))
		return path;
	free(path);
	return op_path("%s%s", self, installed);
}

/* The program to start, which the caller frees, or NULL when out of memory. */
static char *daemon_program(void)
{
	const char *given = getenv(DAEMON_ENVIRONMENT);

	if (given && *given)
		return strdup(given);
	return program_beside("/../../daemon/" DAEMON_NAME, "/" DAEMON_NAME);
}

static int opcontrol_daemon_add(struct op_strings *arguments, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static int opcontrol_daemon_add(struct op_strings *arguments, const char *format, ...)
{
	va_list values;
	char *text;
	int ret;

	va_start(values, format);
	ret = vasprintf(&text, format, values);
	va_end(values);
	if (ret < 0)
		return -1;
	ret = op_strings_add(arguments, text);
	free(text);
	return ret;
}

static int add_all(struct op_strings *arguments, const struct settings *settings,
		   const char *events, const char *verbose)
{
	const struct {
		bool by;
		const char *name;
	} separated[] = {
		{settings->separate_lib, "lib"},
		{settings->separate_kernel, "kernel"},
		{settings->separate_thread, "thread"},
		{settings->separate_cpu, "cpu"},
	};
	char *program = daemon_program();
	int ret;

	ret = program ? opcontrol_daemon_add(arguments, "%s", program) : -1;
	free(program);
	ret |= opcontrol_daemon_add(arguments, "--session-dir=%s", settings->session_dir);
	if (driver_is_given())
		ret |= opcontrol_daemon_add(arguments, "--oprofilefs=%s", driver_dir());
	if (events)
		ret |= opcontrol_daemon_add(arguments, "--events=%s", events);
	if (settings->perf) {
		ret |= opcontrol_daemon_add(arguments, "--perf");
		ret |= opcontrol_daemon_add(arguments, "--stopped");
		if (settings->frequency)
			ret |= opcontrol_daemon_add(arguments, "--freq=%" PRIu64,
						    settings->frequency);
		ret |= opcontrol_daemon_add(arguments, "--callgraph=%" PRIu64, settings->callgraph);
	}
	if (settings->session_size)
		ret |= opcontrol_daemon_add(arguments, "--session-size=%" PRIu64,
					    settings->session_size);
	if (settings->session_files)
		ret |= opcontrol_daemon_add(arguments, "--session-files=%" PRIu64,
					    settings->session_files);
	if (settings->min_free != SETTING_UNSET)
		ret |= opcontrol_daemon_add(arguments, "--min-free=%" PRIu64, settings->min_free);
	if (settings->close_every) {
		ret |= opcontrol_daemon_add(arguments, "--close-every=%" PRIu64,
					    settings->close_every);
		ret |= opcontrol_daemon_add(arguments, "--saved-days=%" PRIu64,
					    settings->saved_days);
		ret |= opcontrol_daemon_add(arguments, "--saved-size=%" PRIu64,
					    settings->saved_size);
	}
	if (settings->metrics)
		ret |= opcontrol_daemon_add(arguments, "--metrics=%s", settings->metrics);
	if (settings->vmlinux && !strcmp(settings->vmlinux, "none"))
		ret |= opcontrol_daemon_add(arguments, "--no-vmlinux");
	else if (settings->vmlinux)
		ret |= opcontrol_daemon_add(arguments, "--vmlinux=%s", settings->vmlinux);
	if (settings->kernel_range[1])
		ret |= opcontrol_daemon_add(arguments, "--kernel-range=%" PRIx64 ",%" PRIx64,
					    settings->kernel_range[0], settings->kernel_range[1]);
	if (settings->image_filter)
		ret |= opcontrol_daemon_add(arguments, "--image=%s", settings->image_filter);
	for (size_t i = 0; i < OP_ARRAY_SIZE(separated); i++)
		if (separated[i].by)
			ret |= opcontrol_daemon_add(arguments, "--separate-%s=1",
						    separated[i].name);
	if (verbose)
		ret |= opcontrol_daemon_add(arguments, "--verbose=%s", verbose);
	return ret;
}

/**
 * daemon_arguments - the daemon's command line
 * @events: the argument of --events, or NULL
 * @verbose: the argument of --verbose, or NULL
 * @arguments: filled in, op_strings_free() frees it; it begins with the program
 *
 * Return: 0, or -1 with @error set.
 */
static int daemon_arguments(const struct settings *settings, const char *events,
			    const char *verbose, struct op_strings *arguments,
			    struct op_error *error)
{
	*arguments = (struct op_strings){0};
	if (!add_all(arguments, settings, events, verbose))
		return 0;
	op_strings_free(arguments);
	return op_error_memory(error);
}

static int spawn_and_wait(char **argv, struct op_error *error)
{
	int status, ret;
	pid_t pid;

	ret = posix_spawn(&pid, argv[0], NULL, NULL, argv, environ);
	if (ret)
		return op_error_code(error, ret, "cannot run the daemon %s", argv[0]);
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return op_error_errno(error, "cannot wait for the daemon");
	}
	if (WIFSIGNALED(status))
		return op_error_set(error, EIO,
				    "the daemon was ended by signal %d (%s) before it "
				    "was ready",
				    WTERMSIG(status), strsignal(WTERMSIG(status)));
	if (WEXITSTATUS(status))
		return op_error_set(
			error, EIO,
			"the daemon did not start (exit status %d): see its messages above",
			WEXITSTATUS(status));
	return 0;
}

int daemon_start(const struct settings *settings, const char *events, const char *verbose,
		 struct op_error *error)
{
	struct op_strings arguments;
	char **argv;
	int ret;

	if (op_session_make(settings->session_dir, error) ||
	    daemon_arguments(settings, events, verbose, &arguments, error))
		return -1;
	argv = calloc(arguments.count + 1, sizeof(*argv));
	if (argv) {
		memcpy(argv, arguments.item, arguments.count * sizeof(*argv));
		ret = spawn_and_wait(argv, error);
	} else {
		ret = op_error_memory(error);
	}
	free(argv);
	op_strings_free(&arguments);
	return ret;
}

/*
 * A call that runs in a thread of its own, since a daemon that hangs never answers it.  Caller
 * and thread both leave it; the one that leaves last frees it.
 */
struct call {
	char *session_dir;
	struct op_error error;
	int ret;
	atomic_bool left;
};

static void leave_call(struct call *call)
{
	if (!atomic_exchange(&call->left, true))
		return;
	free(call->session_dir);
	free(call);
}

static void *dump_thread(void *context)
{
	struct call *call = context;

	call->ret = op_control_call(call->session_dir, "dump", NULL, &call->error);
	leave_call(call);
	return NULL;
}

/* Waits for a second.  Return: whether the thread has ended. */
static bool join_for_a_second(pthread_t thread)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec++;
	return !pthread_timedjoin_np(thread, NULL, &until);
}

/* The thread's result, which is there once it has been joined. */
static int join_call(pthread_t thread, struct call *call, struct patience *patience,
		     struct op_error *error)
{
	while (!join_for_a_second(thread)) {
		if (!patience_ends(patience))
			continue;
		pthread_detach(thread);
		return op_error_set(error, ETIMEDOUT, "the daemon did not answer for %u seconds",
				    patience_seconds(patience));
	}
	if (call->ret)
		op_error_set(error, call->error.code, "%s", call->error.text);
	return call->ret;
}

int daemon_dump(const char *session_dir, struct patience *patience, struct op_error *error)
{
	struct call *call;
	pthread_t thread;
	int ret;

	if (!patience)
		return op_control_call(session_dir, "dump", NULL, error);
	call = calloc(1, sizeof(*call));
	if (!call)
		return op_error_memory(error);
	call->session_dir = strdup(session_dir);
	if (!call->session_dir || pthread_create(&thread, NULL, dump_thread, call)) {
		atomic_store(&call->left, true); /* there is no thread */
		ret = op_error_memory(error);
	} else {
		ret = join_call(thread, call, patience, error);
	}
	leave_call(call);
	return ret;
}

/* 1 if the process has ended, 0 if it still runs when the patience ends, -1 with @error set. */
static int wait_end(int pidfd, struct patience *patience, struct op_error *error)
{
	struct pollfd ended = {.fd = pidfd, .events = POLLIN};
	int ret;

	do {
		ret = poll(&ended, 1, 1000);
	} while ((ret < 0 && errno == EINTR) || (!ret && !patience_ends(patience)));
	if (ret < 0)
		return op_error_errno(error, "cannot wait for the daemon");
	return ret;
}

int daemon_end(int pidfd, const struct patience *patience, struct op_error *error)
{
	/* killed, it has nothing more to do */
	const unsigned int most[] = {patience->all_most, patience->idle_most};
	static const int signals[] = {SIGTERM, SIGKILL};
	struct patience left;
	int ret;

	for (int i = 0; i < 2; i++) {
		if (pidfd_send_signal(pidfd, signals[i], NULL, 0) && errno != ESRCH)
			return op_error_errno(error, "cannot end the daemon");
		patience_begin(&left, patience->daemon, patience->idle_most, most[i]);
		ret = wait_end(pidfd, &left, error);
		if (ret)
			return ret < 0 ? -1 : i;
	}
	return op_error_set(
		error, ETIMEDOUT,
		"the daemon does not end on SIGKILL: it is blocked in the kernel (see \"dmesg\")");
}
