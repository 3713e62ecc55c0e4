/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Running oprofiled itself.
 */
#ifndef TESTS_DAEMON_PROGRAM_H
#define TESTS_DAEMON_PROGRAM_H

#include <stdbool.h>
#include <sys/types.h>

/* The path of oprofiled, an argument of the test. */
extern const char *program_path;

/* struct program - a process that was started, and what it has said on stderr */
struct program {
	pid_t pid;
	int output; /* the reading end of its stdout and stderr */
	char text[8192];
	size_t length;
};

/* Starts oprofiled with arguments that end with NULL. */
void program_start(struct program *program, const char *const *arguments);

/* Reads its output until it has said @text.  Return: false if it ended without. */
bool program_wait_for(struct program *program, const char *text);

/* Reads its output to the end and waits.  Return: its exit status, or 128 + signal. */
int program_end(struct program *program);

/* Starts it and waits for its end.  Return: as program_end(). */
int program_run(struct program *program, const char *const *arguments);

#endif
