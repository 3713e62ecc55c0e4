// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Several runs of a command: see runs.h.
 */
#include "runs.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collect.h"
#include "libop/base/safe_text.h"
#include "libop/perf/command.h"
#include "libop/session/paths.h"

/*
 * Waits for the process of a run.  A signal of the terminal has reached it as well.
 *
 * Return: its exit status; *@signal: the last signal that came meanwhile, or 0.
 */
static int wait_for_run(pid_t pid, const sigset_t *signals, int *signal)
{
	siginfo_t info;
	int status, number;

	while (waitpid(pid, &status, WNOHANG) != pid) {
		number = sigwaitinfo(signals, &info);
		if (number < 0 || number == SIGCHLD)
			continue;
		*signal = number;
		if (info.si_code != SI_KERNEL)
			kill(pid, number);
	}
	return command_status(status);
}

/* Return: the exit status of the run, or that of a failure to start it. */
static int do_one(const struct request *request, unsigned int number,
		  int (*profile)(const struct request *request), int *signal)
{
	struct request one = *request;
	sigset_t signals, before;
	pid_t pid;
	int status;

	one.run = number;
	collect_signals(&signals);
	sigaddset(&signals, SIGCHLD);
	sigprocmask(SIG_BLOCK, &signals, &before);
	pid = fork();
	if (!pid) {
		sigprocmask(SIG_SETMASK, &before, NULL);
		exit(profile(&one));
	}
	if (pid < 0) {
		op_complain("cannot start run %u: %s", number, strerror(errno));
		status = OP_EXIT_FAILURE;
	} else {
		status = wait_for_run(pid, &signals, signal);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	return status;
}

static void print_end(const struct request *request, unsigned int done)
{
	char *here = op_session_dir(NULL);

	if (done < request->runs)
		fprintf(stderr, "operf: %u of %u runs are done", done, (unsigned int)request->runs);
	else
		fprintf(stderr, "operf: %u runs", done);
	if (done && here && !strcmp(here, request->session_dir))
		fputs("; look with \"opreport -l --intervals 'session:run-*'\"\n", stderr);
	else if (done)
		op_safe_line(stderr,
			     "; look with \"opreport --session-dir=%s -l --intervals "
			     "'session:run-*'\"",
			     request->session_dir);
	else
		fputc('\n', stderr);
	free(here);
}

int runs_do(const struct request *request, int (*profile)(const struct request *request))
{
	unsigned int done = 0;
	int status = OP_EXIT_OK, number = 0;

	signal(SIGCHLD, SIG_DFL); /* ignored, it would take the exit statuses along */
	while (done < request->runs && status == OP_EXIT_OK && !number) {
		status = do_one(request, done + 1, profile, &number);
		done += status == OP_EXIT_OK;
	}
	print_end(request, done);
	return status == OP_EXIT_OK && done < request->runs ? 128 + number : status;
}
