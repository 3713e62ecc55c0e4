/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command line of oprofiled.
 */
#ifndef DAEMON_SERVER_OPTIONS_H
#define DAEMON_SERVER_OPTIONS_H

#include <stdbool.h>

#include "libop/base/error.h"
#include "closer.h"
#include "daemon/count/profile.h"

struct options {
	struct profile_config config; /* its strings are those below */
	char *session_dir, *oprofilefs, *events, *vmlinux, *record, *replay, *metrics;
	char *command_line; /* all of it */
	bool foreground;
	bool stopped;	    /* perf events wait for the command "start" */
	bool loose;	    /* a session of perf events is not packed at the end */
	bool perf;	    /* the source is the kernel's perf events */
	uint64_t frequency; /* of perf events; 0: their counts */
	uint64_t callgraph; /* most callers of a perf sample; 0: none */
	struct closer_config closing;
	uint64_t session_mib;  /* of config.budget; 0: the default */
	uint64_t min_free_mib; /* the same; UINT64_MAX: the default */
	bool has_callgraph;
	uint32_t unwind; /* as of struct source_perf_config */
	bool no_vmlinux;
};

/**
 * options_parse - read the command line
 * @options: filled in, also on error; options_free() frees what it holds
 *
 * --help and --version print and end the program.
 *
 * Return: 0, or -1 with @error set: the command line is wrong.
 */
int options_parse(int argc, const char **argv, struct options *options, struct op_error *error);
void options_free(struct options *options);

#endif
