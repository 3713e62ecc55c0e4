/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs of the programs that are tested: operf on a workload of this program, into a session of a
 * temporary directory, and opreport and opexport on that session.
 */
#ifndef UTILS_SELFTEST_RUN_H
#define UTILS_SELFTEST_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "results.h"

struct run {
	/* what the command line says */
	char *event; /* as operf takes it; NULL: its default */
	uint64_t frequency;
	char *callgraph; /* the method; NULL: frame pointers */

	char *dir;  /* of all sessions */
	char *self; /* the path of this program */
	bool user_only;
	double received, stored, lost; /* samples of all sessions that were reported */
};

/**
 * run_open - make the directory of the sessions
 * @run: with the command line's members set
 *
 * Return: 0, or -1 with @error set; run_close() in any case.
 */
int run_open(struct run *run, struct op_error *error);

/* Removes the directory, unless it is to be kept, and frees all but the members of the command
 * line. */
void run_close(struct run *run, bool keep);

/**
 * run_workload - run a workload, with operf or without
 * @session: the name of the session that operf makes, which has none yet; NULL: without operf
 * @callgraph: operf takes call chains, too
 * @truth: set to what the workload has written, which the caller frees
 *
 * Return: 0, or -1 with @error set.
 */
int run_workload(struct run *run, const char *workload, double amount, const char *session,
		 bool callgraph, char **truth, struct op_error *error);

/**
 * run_report - have opreport list a session
 * @option: what it lists: "--symbols", "--details" or "--lines"
 * @text: set to what the @results point into; the caller frees it after results_free()
 *
 * Return: as run_workload().
 */
int run_report(struct run *run, const char *session, const char *option, struct results *results,
	       char **text, struct op_error *error);

/* Sets @folded to the stacks of a session, of opexport.  Otherwise as run_report(). */
int run_export(struct run *run, const char *session, char **folded, struct op_error *error);

#endif
