/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the command line of operf asks for.
 */
#ifndef OPERF_REQUEST_H
#define OPERF_REQUEST_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "libop/base/error.h"
#include "libop/base/strings.h"

struct request {
	struct op_strings events; /* specifications; none: the default one */
	char *session_dir;	  /* absolute */
	char *vmlinux;		  /* absolute; NULL: kallsyms */
	pid_t *processes;	  /* to profile; NULL: the command, or the whole system */
	size_t count;
	char **command;	    /* and its arguments, then NULL; NULL: none.  Points into argv */
	uint64_t frequency; /* samples a second instead of counts; 0: counts */
	bool unwind;	    /* call chains by call frame information */
	bool system_wide, callgraph, append, separate_thread, separate_cpu;
	bool loose; /* sample files are not packed at the end */
	char *topics; /* of the log, or NULL */
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
