// SPDX-License-Identifier: GPL-2.0-or-later
/* Whole calls of opcontrol. */
#include "opcontrol_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "libop/base/file.h"
#include "opcontrol_catalogue.h"
#include "utils/opcontrol/daemon.h"
#include "libop/base/remove_tree.h"

const char *opcontrol, *fake_daemon;
static char top[] = "/tmp/opcontrol-XXXXXX";

char output[OUTPUT_SIZE];

int run(const char *line)
{
	char *words = strdup(line), *argv[16] = {(char *)opcontrol};
	size_t size = 0;
	int status, fds[2], argc = 1;
	ssize_t got;
	pid_t pid;

	for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		dup2(fds[1], 1);
		dup2(fds[1], 2);
		close(fds[0]);
		close(fds[1]);
		execv(opcontrol, argv);
		_exit(127);
	}
	close(fds[1]);
	while ((got = read(fds[0], output + size, sizeof(output) - 1 - size)) > 0)
		size += got;
	output[size] = '\0';
	close(fds[0]);
	free(words);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void check_run(int line_number, const char *line, int status, const char *text)
{
	int got = run(line);

	if (got != status || (text && !strstr(output, text)))
		fail_msg("line %d: opcontrol %s: exit status %d, not %d, or \"%s\" is missing:\n%s",
			 line_number, line, got, status, text ? text : "", output);
}

void put(const char *path, const char *text)
{
	struct op_error error;
	FILE *file;

	assert_int_equal(op_mkdir_parents(path, 0755, &error), 0);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

/* The first line of a file. */
const char *get(const char *path)
{
	static char text[256];
	FILE *file = fopen(path, "r");

	text[0] = '\0';
	if (file) {
		if (fgets(text, sizeof(text), file))
			text[strcspn(text, "\n")] = '\0';
		fclose(file);
	}
	return text;
}

bool journal_has(const char *line)
{
	char *text = op_file_read("journal", 1 << 16, NULL, NULL), *at;
	size_t length = strlen(line);
	bool found = false;

	for (at = text; at && !found; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL)
		found = !strncmp(at, line, length) && at[length] == '\n';
	free(text);
	return found;
}

char *text_of(const char *format)
{
	return op_path(format, top);
}

int enter(void **state)
{
	char *path;

	(void)state;
	strcpy(top + strlen(top) - 6, "XXXXXX");
	if (!mkdtemp(top) || chdir(top))
		return -1;
	setenv("HOME", top, 1);
	path = text_of("%s/fs");
	setenv("OPROFILE_FS_DIR", path, 1);
	free(path);
	path = text_of("%s/journal");
	setenv("FAKE_JOURNAL", path, 1);
	free(path);
	path = text_of("%s/events");
	setenv("OPROFILE_EVENTS_DIR", path, 1);
	free(path);
	put("events/" CATALOGUE_EVENTS_FILE, CATALOGUE_EVENTS);
	put("events/" CATALOGUE_MASKS_FILE, CATALOGUE_MASKS);
	setenv("OPROFILE_DAEMON", fake_daemon, 1);
	unsetenv("FAKE_MODE");

	put("fs/cpu_type", "timer");
	put("fs/enable", "0\n");
	put("fs/buffer", "");
	put("fs/buffer_size", "0\n");
	put("fs/buffer_watershed", "0\n");
	put("fs/cpu_buffer_size", "0\n");
	put("fs/backtrace_depth", "0\n");
	put("fs/frequency", "1000\n");
	put("fs/stats/sample_lost_no_mm", "7\n");
	put("fs/stats/bt_lost_no_mapping", "0\n");
	put("fs/stats/cpu0/sample_received", "100\n");
	put("fs/stats/cpu1/sample_received", "23\n");
	put("fs/stats/cpu0/sample_lost_overflow", "5\n");
	put("fs/stats/cpu1/sample_lost_overflow", "6\n");
	path = text_of("--session-dir=%s/s --setup");
	if (run(path))
		return -1;
	free(path);
	return 0;
}

int leave(void **state)
{
	static const char *const sessions[] = {"s", "t"};
	struct op_error error;
	pid_t pid;

	(void)state;
	for (int i = 0; i < 2; i++) {
		int pidfd;

		if (!daemon_find(sessions[i], &pid, &pidfd, &error) && pid) {
			kill(pid, SIGKILL);
			daemon_end(pidfd, 10, &error);
			close(pidfd);
		}
	}
	return chdir("/") || op_tree_remove(AT_FDCWD, top, &error);
}
