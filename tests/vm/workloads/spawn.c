// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Many short lives, one after the other, each of a file of its own:
 *
 *	spawn [-d] COUNT MILLISECONDS FOLDER PROGRAM...
 *
 * copies the programs in turn to FOLDER/NAME.N, runs each copy for that much CPU time and,
 * with -d, deletes it the moment it has ended.  Prints "seconds S": the CPU time, user and
 * system, of all of them, as the kernel has it.
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void die(const char *what)
{
	fprintf(stderr, "spawn: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void copy(const char *from, const char *to)
{
	int in = open(from, O_RDONLY | O_CLOEXEC);
	int out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
	struct stat st;
	ssize_t n;

	if (in < 0 || fstat(in, &st) < 0)
		die(from);
	if (out < 0)
		die(to);
	for (off_t left = st.st_size; left > 0; left -= n) {
		n = sendfile(out, in, NULL, (size_t)left);
		if (n <= 0)
			die(to);
	}
	close(in);
	if (close(out) < 0)
		die(to);
}

int main(int argc, char **argv)
{
	bool delete = argc > 1 && !strcmp(argv[1], "-d");
	char **arg = argv + 1 + delete;
	int programs = argc - 4 - delete;
	struct rusage usage;
	int count;

	if (programs < 1 || (count = atoi(arg[0])) < 1) {
		fputs("usage: spawn [-d] COUNT MILLISECONDS FOLDER PROGRAM...\n", stderr);
		return 2;
	}
	for (int i = 0; i < count; i++) {
		char *program = arg[3 + i % programs];
		char path[4096];
		int status;
		pid_t pid;

		snprintf(path, sizeof(path), "%s/%s.%d", arg[2], basename(program), i);
		copy(program, path);
		pid = fork();
		if (pid < 0)
			die("fork");
		if (pid == 0) {
			execl(path, path, arg[1], NULL);
			_exit(127);
		}
		if (waitpid(pid, &status, 0) < 0)
			die("waitpid");
		if (!WIFEXITED(status) || WEXITSTATUS(status)) {
			fprintf(stderr, "spawn: %s ended with status %#x\n", path, (unsigned)status);
			return 1;
		}
		if (delete && unlink(path) < 0)
			die(path);
	}
	getrusage(RUSAGE_CHILDREN, &usage);
	printf("seconds %.3f\n",
	       (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
		       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6);
	return 0;
}
