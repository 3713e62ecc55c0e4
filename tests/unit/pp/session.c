// SPDX-License-Identifier: GPL-2.0-or-later
/* Sessions for tests. */
#include "session.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libop/base/file.h"

void test_need(int good, const char *format, ...)
{
	va_list args;

	if (good)
		return;
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(99);
}

void test_session_make(struct test_session *session)
{
	const char *parent = getenv("TMPDIR");
	char *path;

	memset(session, 0, sizeof(*session));
	snprintf(session->dir, sizeof(session->dir), "%s/op-session-XXXXXX",
		 parent && strlen(parent) < 32 ? parent : "/tmp");
	test_need(mkdtemp(session->dir) != NULL, "cannot make %s", session->dir);
	path = test_session_path(session, "events");
	setenv("OPROFILE_EVENTS_DIR", path, 1);
	free(path);
	path = test_session_path(session, "cache");
	setenv("XDG_CACHE_HOME", path, 1);
	free(path);
}

void test_session_remove(struct test_session *session)
{
	test_shell("rm -rf '%s'", session->dir);
}

static char *format_text(const char *format, va_list args)
{
	char *text;

	test_need(vasprintf(&text, format, args) >= 0, "out of memory");
	return text;
}

char *test_session_path(const struct test_session *session, const char *format, ...)
{
	char *name, *path;
	va_list args;

	va_start(args, format);
	name = format_text(format, args);
	va_end(args);
	test_need(asprintf(&path, "%s/%s", session->dir, name) >= 0, "out of memory");
	free(name);
	return path;
}

void test_session_write(const struct test_session *session, const char *name, const char *text)
{
	char *path = test_session_path(session, "%s", name);
	FILE *file;

	test_need(!op_mkdir_parents(path, 0755, NULL), "cannot make the directory of %s", path);
	file = fopen(path, "w");
	test_need(file && fputs(text, file) >= 0 && !fclose(file), "cannot write %s", path);
	free(path);
}

static char *read_all(int fd)
{
	off_t n = lseek(fd, 0, SEEK_END);
	char *text = n >= 0 ? malloc((size_t)n + 1) : NULL;

	test_need(text && pread(fd, text, (size_t)n, 0) == n, "cannot read what a program wrote");
	text[n] = '\0';
	close(fd);
	return text;
}

static void start(const char *const *argv, int out, int err)
{
	int in = open("/dev/null", O_RDONLY);

	dup2(in, 0);
	dup2(out, 1);
	dup2(err, 2);
	setenv("LC_ALL", "C", 1);
	execv(argv[0], (char *const *)argv);
	_exit(127);
}

void test_run(struct test_run *run, const char *const *argv)
{
	int out = memfd_create("out", 0), err = memfd_create("err", 0), status;
	pid_t pid = fork();

	test_need(out >= 0 && err >= 0 && pid >= 0, "cannot start %s", argv[0]);
	if (!pid)
		start(argv, out, err);
	test_need(waitpid(pid, &status, 0) == pid, "lost %s", argv[0]);
	run->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	run->out = read_all(out);
	run->err = read_all(err);
	test_need(run->status != 127, "cannot run %s", argv[0]);
}

void test_run_free(struct test_run *run)
{
	free(run->out);
	free(run->err);
}

void test_shell(const char *format, ...)
{
	va_list args;
	char *command;

	va_start(args, format);
	command = format_text(format, args);
	va_end(args);
	test_need(!system(command), "failed: %s", command);
	free(command);
}
