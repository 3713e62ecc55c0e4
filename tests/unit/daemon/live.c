// SPDX-License-Identifier: GPL-2.0-or-later
/* A machine made of files. */
#include "live.h"

#include "fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libop/session/control_socket.h"
#include "libop/base/file.h"
#include "libop/session/paths.h"
#include "program.h"

void live_put(const char *dir, const char *name, const char *text)
{
	char *path = op_path("%s/%s", dir, name);

	assert_int_equal(op_file_replace(path, text, strlen(text), 0600, NULL), 0);
	free(path);
}

void live_open(struct live *live)
{
	char *path;

	live->dir = make_directory();
	live->oprofilefs = op_path("%s/oprofilefs", live->dir);
	live->session = op_path("%s/session", live->dir);
	live->oprofilefs_option = op_path("--oprofilefs=%s", live->oprofilefs);
	live->session_option = op_path("--session-dir=%s", live->session);
	path = op_path("%s/stats/cpu0/", live->oprofilefs);
	assert_int_equal(op_mkdir_parents(path, 0700, NULL), 0);
	free(path);
	live_put(live->oprofilefs, "buffer_size", "4096\n");
	live_put(live->oprofilefs, "pointer_size", "8\n");
	live_put(live->oprofilefs, "cpu_type", "timer");
	live_put(live->oprofilefs, "enable", "1\n");
	live_put(live->oprofilefs, "dump", "");
	live_put(live->oprofilefs, "stats/sample_lost_no_mm", "0\n");
	live_put(live->oprofilefs, "stats/cpu0/sample_received", "42\n");
	path = op_path("%s/buffer", live->oprofilefs);
	assert_return_code(mkfifo(path, 0600), errno);
	live->buffer = open(path, O_RDWR | O_CLOEXEC);
	assert_return_code(live->buffer, errno);
	free(path);
}

void live_close(struct live *live)
{
	close(live->buffer);
	remove_tree(live->dir);
	free(live->dir);
	free(live->oprofilefs);
	free(live->session);
	free(live->oprofilefs_option);
	free(live->session_option);
}

void live_write(const struct live *live, const uint64_t *words, size_t count)
{
	assert_int_equal(write(live->buffer, words, count * 8), count * 8);
}

char *live_call(const struct live *live, const char *command)
{
	struct op_error error;
	char *reply;

	if (op_control_call(live->session, command, &reply, &error))
		fail_msg("%s: %s", command, error.text);
	return reply;
}

void live_call_and_forget(const struct live *live, const char *command)
{
	free(live_call(live, command));
}

/* Starts a daemon in the background.  Return: a pidfd. */
int live_start(const struct live *live, const char *option)
{
	const char *const arguments[] = {live->oprofilefs_option, live->session_option,
					 "--no-vmlinux", option, NULL};
	struct program program;
	char *reply;
	long pid;
	int fd;

	if (program_run(&program, arguments))
		fail_msg("%s", program.text);
	assert_string_equal(program.text, "");
	reply = live_call(live, "status");
	assert_int_equal(sscanf(reply, "pid %ld", &pid), 1);
	free(reply);
	fd = pidfd_open((pid_t)pid, 0);
	assert_return_code(fd, errno);
	return fd;
}

void live_stop(int pidfd, int signal)
{
	struct pollfd poll_fd = {.fd = pidfd, .events = POLLIN};

	assert_return_code(pidfd_send_signal(pidfd, signal, NULL, 0), errno);
	assert_int_equal(poll(&poll_fd, 1, 60000), 1);
	close(pidfd);
}

char *live_file(const struct live *live, const char *name)
{
	char *path = op_path("%s/%s", live->session, name);
	char *text = op_file_read(path, 1 << 20, NULL, NULL);

	free(path);
	return text;
}

void live_expect_file(const struct live *live, const char *name, const char *want)
{
	char *text = live_file(live, name);

	if (!text)
		fail_msg("there is no %s", name);
	assert_string_equal(text, want);
	free(text);
}

void live_expect_in_file(const struct live *live, const char *name, const char *part)
{
	char *text = live_file(live, name);

	if (!text || !strstr(text, part))
		fail_msg("no \"%s\" in %s: %s", part, name, text ? text : "(missing)");
	free(text);
}

void live_expect_none(const struct live *live, const char *name)
{
	char *text = live_file(live, name);

	if (text)
		fail_msg("there is a file %s", name);
}

void live_expect_samples(const struct live *live, const char *want)
{
	char *text = session_text(live->session);

	assert_string_equal(text, want);
	free(text);
}

void live_wait_for_samples(const struct live *live, const char *want)
{
	bool there = false;

	while (!there) {
		char *text = session_text(live->session);

		there = !strcmp(text, want);
		free(text);
		sched_yield();
	}
}
