/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the command lines of operf and ocount have in common.
 */
#ifndef OPERF_ARGUMENTS_H
#define OPERF_ARGUMENTS_H

#include <popt.h>
#include <stddef.h>
#include <sys/types.h>

#include "libop/base/error.h"
#include "libop/base/strings.h"

/* Takes an option that has a number in popt's table; @value, NULL if it has none, may be changed.
 */
typedef int arguments_take(void *request, int option, char *value, struct op_error *error);

/**
 * arguments_read - read all options
 * @take: called for each one in turn with @request; it returns 0, or -1 with @error set
 *
 * Return: 0, or -1 with @error set: an option is not known, lacks its value, or was not taken.
 */
int arguments_read(poptContext context, arguments_take *take, void *request,
		   struct op_error *error);

/* The command behind the options, which is the end of @argv; NULL if there is none. */
char **arguments_command(poptContext context, int argc, const char **argv);

/* Adds the events of a list, "NAME,...".  Return: 0, or -1 with @error set. */
int arguments_events(const char *text, struct op_strings *events, struct op_error *error);

/**
 * arguments_pids - add the pids of a list, "PID,..."
 * @option: whose value it is, for the error
 * @pids: grown by realloc(3); the caller frees it
 *
 * Return: 0, or -1 with @error set.
 */
int arguments_pids(const char *text, const char *option, pid_t **pids, size_t *count,
		   struct op_error *error);

#endif
