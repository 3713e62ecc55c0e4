/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the command line of ocount asks for.
 */
#ifndef OCOUNT_REQUEST_H
#define OCOUNT_REQUEST_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "libop/base/error.h"
#include "libop/base/strings.h"

enum format { FORMAT_TABLE, FORMAT_BRIEF, FORMAT_JSON };

struct request {
	struct op_strings events; /* names; none: what is worth knowing of any program */
	char **command;		  /* and its arguments, then NULL; NULL: none.  Points into argv */
	pid_t *processes, *threads; /* to count in, and threads that they start */
	size_t nr_processes, nr_threads;
	int *cpus; /* of the whole system; NULL: all that are online */
	size_t nr_cpus;
	bool system_wide; /* or only @cpus */
	bool by_cpu, by_thread, list;
	enum format format;
	char *output;	       /* a file; NULL: stderr */
	uint64_t milliseconds; /* between two reports; 0: only one, at the end */
	uint64_t intervals;    /* after which it ends; 0: any number */
};

/**
 * request_parse - read the command line
 * @request: filled in; request_free() frees what it holds, on error too
 *
 * Prints the help or the version, and ends the program, if that is asked for.
 *
 * Return: 0, or -1 with @error set: the command line makes no sense.
 */
int request_parse(int argc, const char **argv, struct request *request, struct op_error *error);
void request_free(struct request *request);

#endif
