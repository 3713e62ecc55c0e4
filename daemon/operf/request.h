/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command line of operf.
 */
#ifndef DAEMON_OPERF_REQUEST_H
#define DAEMON_OPERF_REQUEST_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "libop/base/error.h"
#include "libop/base/option.h"
#include "libop/base/strings.h"

struct request {
	struct op_strings events; /* specifications; none: the default one */
	char *session_dir;	  /* absolute */
	char *vmlinux;		  /* absolute; NULL: kallsyms */
	struct op_pids processes; /* to profile; none: the whole system, or the command */
	char **command;		  /* and its arguments, then NULL; NULL: none.  Points into argv.
				   * With other targets, it is not profiled: its end is theirs */
	uint64_t frequency;	  /* samples a second instead of counts; 0: counts */
	uint64_t feed;		  /* a socket for each sample as it is counted, below; 0: none */
	uint64_t duration;	  /* seconds; 0: until what is profiled ends */
	uint32_t unwind;	  /* as of struct source_perf_config; unless told, _AUTO */
	bool system_wide, callgraph, append, separate_thread, separate_cpu;
	bool no_callgraph;  /* was asked for */
	bool has_method;    /* of finding callers */
	bool quiet;	    /* on a terminal, too */
	bool feed_only;	    /* samples are sent, and not stored */
	uint64_t runs;	    /* how often the command is run; 0: once, into the live session */
	unsigned int run;   /* which of them this is, from 1 */
	bool loose;	    /* sample files are not packed at the end */
	char *html;	    /* a page for browsers that is written at the end; NULL: none */
	bool open;	    /* show it */
	bool translate;	    /* --translate, which is for a line of perf only */
	char *topics;	    /* of the log, or NULL */
	char *command_line; /* all of it */
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

/* Whether the command is what is profiled. */
static inline bool request_profiles_command(const struct request *request)
{
	return request->command && !request->system_wide && !request->processes.count;
}

#endif
