// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A daemon for tests of opcontrol: it starts, answers and ends as oprofiled does, but knows
 * nothing of samples.  It writes what it is told to $FAKE_DIR/journal, and its process to
 * $FAKE_PIDS.  $FAKE_MODE:
 *
 *	refuse	prints an error and doesn't start
 *	crash	dies before it is ready
 *	deaf	starts, but never answers and doesn't end when asked to
 *	fail	answers dump with an error
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <unistd.h>

#include "libop/session/control_socket.h"
#include "libop/base/error.h"
#include "libop/base/file.h"
#include "libop/session/paths.h"

static const char *mode = "";

static void check(bool good, const char *what)
{
	if (!good)
		op_die(OP_EXIT_FAILURE, "%s: %s", what, strerror(errno));
}

static void append(const char *path, const char *line)
{
	FILE *file = fopen(path, "a");

	check(file, path);
	fprintf(file, "%s\n", line);
	check(!fclose(file), path);
}

static void note(const char *line)
{
	char *path = op_path("%s/journal", getenv("FAKE_DIR"));

	append(path, line);
	free(path);
}

/* A command, and whether profiling was on when it came. */
static void journal_command(const char *command)
{
	char *path = op_path("%s/enable", getenv("OPROFILE_FS_DIR")), line[128];
	char *enable = op_file_read(path, 64, NULL, NULL);

	check(enable, path);
	snprintf(line, sizeof(line), "%s enable=%c", command, *enable);
	note(line);
	free(enable);
	free(path);
}

/* What is in the session's samples directory when its files are to be opened anew. */
static void note_samples(const char *session_dir)
{
	char *path = op_path("%s/samples", session_dir), line[300];
	DIR *dir = opendir(path);

	for (const struct dirent *entry; dir && (entry = readdir(dir));) {
		snprintf(line, sizeof(line), "sees samples/%.8s", entry->d_name);
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			note(line);
	}
	if (dir)
		closedir(dir);
	free(path);
}

static void end(int signal)
{
	(void)signal;
	_exit(1); /* as oprofiled does */
}

static void serve(const char *session_dir, int listener)
{
	for (;;) {
		int fd = accept(listener, NULL, NULL);
		char command[64] = "";
		ssize_t size;

		check(fd >= 0, "accept");
		size = read(fd, command, sizeof(command) - 1);
		check(size > 0, "read");
		command[strcspn(command, "\n")] = '\0';
		journal_command(command);
		if (!strcmp(command, "reopen"))
			note_samples(session_dir);
		if (!strcmp(mode, "fail") && !strcmp(command, "dump"))
			dprintf(fd, "error the disk is full\n");
		else
			dprintf(fd, "ok\n");
		close(fd);
	}
}

static int listen_at(const char *session_dir)
{
	struct sockaddr_un address;
	struct op_error error;
	int dir = op_control_address(session_dir, &address, &error), fd;

	if (dir < 0)
		op_die(OP_EXIT_FAILURE, "%s", error.text);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	unlink(address.sun_path);
	check(fd >= 0 && !bind(fd, (struct sockaddr *)&address, sizeof(address)) && !listen(fd, 8),
	      "control socket");
	close(dir);
	return fd;
}

/* Held until the end. */
static void take_lock(const char *session_dir)
{
	char *path = op_path("%s/" OP_SESSION_LOCK, session_dir);
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

	check(fd >= 0 && !flock(fd, LOCK_EX | LOCK_NB) && !ftruncate(fd, 0), path);
	check(dprintf(fd, "%d", getpid()) > 0, path);
	free(path);
}

static void run(const char *session_dir, int ready)
{
	char *path = op_path("%s/buffer", getenv("OPROFILE_FS_DIR"));
	int listener, null = open("/dev/null", O_RDWR | O_CLOEXEC);
	char pid[16];

	setsid();
	snprintf(pid, sizeof(pid), "%d", getpid());
	append(getenv("FAKE_PIDS"), pid);
	/* Readers of opcontrol's output must not wait for this process. */
	for (int fd = 0; fd < 3; fd++)
		check(dup2(null, fd) == fd, "dup2");
	check(open(path, O_RDONLY | O_CLOEXEC) >= 0, path);
	free(path);
	listener = listen_at(session_dir);
	take_lock(session_dir);
	signal(SIGTERM, strcmp(mode, "deaf") ? end : SIG_IGN);
	check(write(ready, "", 1) == 1, "ready");
	close(ready);
	while (!strcmp(mode, "deaf"))
		pause();
	serve(session_dir, listener);
}

int main(int argc, char **argv)
{
	const char *session_dir = NULL;
	char byte;
	int ready[2];

	op_program_begin(argv[0]);
	if (getenv("FAKE_MODE"))
		mode = getenv("FAKE_MODE");
	for (int i = 1; i < argc; i++) {
		note(argv[i]);
		if (!strncmp(argv[i], "--session-dir=", 14))
			session_dir = argv[i] + 14;
	}
	check(session_dir, "--session-dir");
	if (!strcmp(mode, "refuse"))
		op_die(OP_EXIT_FAILURE, "there is something wrong");
	if (!strcmp(mode, "crash"))
		raise(SIGKILL);
	check(!pipe2(ready, O_CLOEXEC), "pipe");
	switch (fork()) {
	case -1:
		check(false, "fork");
	/* fallthrough */
	case 0:
		run(session_dir, ready[1]);
	}
	close(ready[1]);
	return read(ready[0], &byte, 1) != 1;
}
