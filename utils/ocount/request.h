/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command line of ocount.
 */
#ifndef UTILS_OCOUNT_REQUEST_H
#define UTILS_OCOUNT_REQUEST_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "libop/base/error.h"
#include "libop/base/option.h"
#include "libop/base/strings.h"

enum format { FORMAT_TABLE, FORMAT_BRIEF, FORMAT_JSON };

struct request {
	struct op_strings events; /* names; none: the default ones */
	char **command;		  /* and its arguments, then NULL; NULL: none.  Points into argv.
				   * With other targets, it is not counted: counting ends with it */
	struct op_pids processes, threads; /* to count in, and threads that they start */
	int *cpus;			   /* of the whole system; NULL: all that are online */
	size_t nr_cpus;
	bool system_wide; /* or only @cpus */
	bool by_cpu, by_thread, list;
	bool brief, json; /* make @format */
	enum format format;
	char *output;	       /* a file; NULL: stderr */
	uint64_t milliseconds; /* between two reports; 0: only one, at the end */
	uint64_t intervals;    /* after which it ends; 0: any number */
};

/**
 * request_parse - read the command line
 * @request: filled in; request_free() frees what it holds, on error too
 *
 * --help and --version print and end the program.
 *
 * Return: 0, or -1 with @error set: the command line is wrong.
 */
int request_parse(int argc, const char **argv, struct request *request, struct op_error *error);
void request_free(struct request *request);

/* Whether the command is what is counted. */
static inline bool request_counts_command(const struct request *request)
{
	return request->command && !request->processes.count && !request->threads.count &&
	       !request->system_wide && !request->cpus;
}

#endif
