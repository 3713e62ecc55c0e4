// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs of the programs that are tested: see run.h. */
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libop/base/file.h"
#include "libop/base/remove_tree.h"
#include "libop/foreign/output.h"
#include "libop/perf/command.h"
#include "workloads.h"

#define ARGUMENTS_MOST 16
#define OUTPUT_MOST    ((size_t)64 << 20)

static void interrupt(int number)
{
	(void)number;
}

/* Signals that end programs end the one that runs, so that the directory is removed at the end. */
static void handle_signals(void)
{
	const struct sigaction action = {.sa_handler = interrupt};

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
}

int run_open(struct run *run, struct op_error *error)
{
	char *symbols;

	handle_signals();
	run->self = realpath("/proc/self/exe", NULL);
	run->dir = op_path("%s/oprofile-selftest-XXXXXX", foreign_temporary_top());
	if (!run->self || !run->dir)
		return op_error_errno(error, "cannot find the path of this program");
	if (!mkdtemp(run->dir)) {
		op_error_errno(error, "cannot make %s", run->dir);
		free(run->dir);
		run->dir = NULL;
		return -1;
	}
	symbols = op_path("%s/symbols", run->dir);
	if (!symbols || setenv("OPROFILE_SYMBOLS", symbols, 1)) {
		free(symbols);
		return op_error_memory(error);
	}
	free(symbols);
	return 0;
}

void run_close(struct run *run, bool keep)
{
	struct op_error error;

	if (run->dir && !keep && op_tree_remove(AT_FDCWD, run->dir, &error))
		op_warn("%s", error.text);
	free(run->dir);
	free(run->self);
	run->dir = run->self = NULL;
}

/* ---- one program ---- */

/* Files in memory, which a program fills without anyone who reads meanwhile. */
struct output {
	int out, err;
};

static int start_program(char *const *argv, const struct output *output, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	int code;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, output->out, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, output->err, STDERR_FILENO);
	code = posix_spawnp(pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return code;
}

static char *read_output(int fd)
{
	size_t length;

	return lseek(fd, 0, SEEK_SET) ? NULL : op_file_read_open(fd, OUTPUT_MOST, &length);
}

/* With what a program says of its failure. */
static int explain(const char *program, int status, const char *said, struct op_error *error)
{
	const char *why = strstr(said, "error: ");

	return op_error_set(error, EIO, "%s ended with status %d%s%.*s", program,
			    command_status(status), why ? ": " : "",
			    why ? (int)strcspn(why + 7, "\n") : 0, why ? why + 7 : "");
}

static int wait_for_program(const char *program, pid_t pid, const struct output *output, char **out,
			    char **err, struct op_error *error)
{
	int status, result = 0;

	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return op_error_errno(error, "cannot wait for %s", program);
		kill(pid, SIGTERM); /* its failure ends the checks */
	}
	*out = read_output(output->out);
	*err = read_output(output->err);
	if (!*out || !*err)
		result = op_error_errno(error, "cannot read the output of %s", program);
	else if (status)
		result = explain(program, status, *err, error);
	if (result) {
		free(*out);
		free(*err);
		*out = *err = NULL;
	}
	return result;
}

/*
 * Runs a program to its end.
 *
 * Return: 0, and what it has written in *@out and *@err, which the caller frees; or -1 with @error
 * set, and both NULL: it has failed.
 */
static int run_program(char *const *argv, char **out, char **err, struct op_error *error)
{
	struct output output = {memfd_create("stdout", MFD_CLOEXEC),
				memfd_create("stderr", MFD_CLOEXEC)};
	int code, result;
	pid_t pid;

	*out = *err = NULL;
	if (output.out < 0 || output.err < 0)
		result = op_error_errno(error, "cannot keep the output of %s", argv[0]);
	else if ((code = start_program(argv, &output, &pid)))
		result = op_error_code(error, code, "cannot run %s", argv[0]);
	else
		result = wait_for_program(argv[0], pid, &output, out, err, error);
	if (output.out >= 0)
		close(output.out);
	if (output.err >= 0)
		close(output.err);
	return result;
}

/* ---- command lines ---- */

/* Words that are freed with it; a word for which there was no memory makes it incomplete. */
struct words {
	char *item[ARGUMENTS_MOST + 1];
	size_t count;
	bool failed;
};

static void add_word(struct words *words, char *word)
{
	words->failed |= !word || words->count == ARGUMENTS_MOST;
	if (words->failed)
		free(word);
	else
		words->item[words->count++] = word;
}

static int run_words(struct words *words, char **out, char **err, struct op_error *error)
{
	int result =
		words->failed ? op_error_memory(error) : run_program(words->item, out, err, error);

	for (size_t i = 0; i < words->count; i++)
		free(words->item[i]);
	return result;
}

static void add_operf(struct words *words, const struct run *run, const char *session,
		      bool callgraph)
{
	add_word(words, op_program_beside("operf"));
	add_word(words, op_path("--session-dir=%s/%s", run->dir, session));
	if (run->event)
		add_word(words, op_path("--events=%s", run->event));
	if (run->frequency)
		add_word(words, op_path("--freq=%llu", (unsigned long long)run->frequency));
	if (callgraph)
		add_word(words, op_path("--call-graph=%s", run->callgraph ? run->callgraph : "fp"));
}

int run_workload(struct run *run, const char *workload, double amount, const char *session,
		 bool callgraph, char **truth, struct op_error *error)
{
	struct words words = {0};
	char *said = NULL;

	if (session)
		add_operf(&words, run, session, callgraph);
	add_word(&words, strdup(run->self));
	add_word(&words, strdup(WORKLOAD_OPTION));
	add_word(&words, strdup(workload));
	add_word(&words, op_path("%.3f", amount));
	*truth = NULL;
	if (run_words(&words, truth, &said, error))
		return -1;
	run->user_only |= strstr(said, "(user code only)") != NULL;
	free(said);
	return 0;
}

static void add_reader(struct words *words, const struct run *run, const char *program,
		       const char *session)
{
	add_word(words, op_program_beside(program));
	add_word(words, op_path("--session-dir=%s/%s", run->dir, session));
}

int run_report(struct run *run, const char *session, const char *option, struct results *results,
	       char **text, struct op_error *error)
{
	struct words words = {0};
	char *said = NULL;

	add_reader(&words, run, "opreport", session);
	add_word(&words, strdup("--csv"));
	add_word(&words, strdup("--stats"));
	add_word(&words, strdup(option));
	*results = (struct results){0};
	*text = NULL;
	if (run_words(&words, text, &said, error))
		return -1;
	free(said);
	if (results_parse(*text, results, error))
		return -1;
	run->received += (double)results->received;
	run->stored += (double)results->stored;
	run->lost += (double)results->lost;
	return 0;
}

int run_export(struct run *run, const char *session, char **folded, struct op_error *error)
{
	struct words words = {0};
	char *said = NULL;

	add_reader(&words, run, "opexport", session);
	add_word(&words, strdup("--to=folded"));
	*folded = NULL;
	if (run_words(&words, folded, &said, error))
		return -1;
	free(said);
	return 0;
}
