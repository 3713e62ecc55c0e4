/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command to profile: a child that waits to be let go.
 */
#ifndef LIBOP_PERF_COMMAND_H
#define LIBOP_PERF_COMMAND_H

#include <sys/types.h>

#include "libop/base/error.h"

struct command {
	pid_t pid;  /* 0: there is none */
	int go;	    /* a byte written here lets it execute; closed, it ends */
	int failed; /* the child writes the errno of execvp(3) here */
};

/**
 * command_check - whether a program can be executed, looked for as a shell does
 *
 * Return: 0, or -1 with @error set: ENOENT if there is none.
 */
int command_check(const char *name, struct op_error *error);

/* The path of the program that command_check() finds, which the caller frees; or NULL. */
char *command_path(const char *name);

/* The exit status for the error of command_check() or command_go(). */
int command_failure(const struct op_error *error);

/**
 * command_prepare - make the child, which waits
 * @argv: the program and its arguments
 *
 * Return: 0, or -1 with @error set.
 */
int command_prepare(struct command *command, char *const *argv, struct op_error *error);

/**
 * command_go - have it execute its program
 *
 * Return: 0 when it runs, or -1 with @error set: it could not be executed, and has ended.
 */
int command_go(struct command *command, const char *name, struct op_error *error);

/* Ends a child that still waits, and closes all. */
void command_abandon(struct command *command);

/**
 * command_status - the exit status that a shell would show
 * @status: as of waitpid(2)
 */
int command_status(int status);

/* Exit statuses of a command that could not be executed, as shells have them. */
#define COMMAND_NOT_EXECUTABLE 126
#define COMMAND_NOT_FOUND      127

#endif
