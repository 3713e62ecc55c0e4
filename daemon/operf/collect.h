/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collecting: samples become counts until what is profiled ends, or a signal says so.
 */
#ifndef OPERF_COLLECT_H
#define OPERF_COLLECT_H

#include <signal.h>
#include <stddef.h>
#include <sys/types.h>

#include "daemon/count/profile.h"
#include "libop/base/error.h"

struct collect {
	struct profile *profile;
	pid_t command;		/* 0: none.  Its end is the end */
	const pid_t *processes; /* the end of all of them is the end */
	size_t count;

	int status; /* exit status of the command, once it has ended */
	int signal; /* that ended the collecting; 0: none */
};

/* The signals that collect_run() takes, and to block them. */
void collect_signals(sigset_t *set);
void collect_block_signals(void);

/* Takes one of them that has come while they were blocked.  Return: its number, or 0. */
int collect_pending_signal(void);

/**
 * collect_run - collect to the end
 *
 * Signals that end programs are handed on to the command, which may do something before it
 * ends; a second one ends the collecting.
 *
 * Return: 0, or -1 with @error set; @profile has what was collected before.
 */
int collect_run(struct collect *collect, struct op_error *error);

#endif
