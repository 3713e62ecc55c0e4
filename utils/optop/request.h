/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command line of optop.
 */
#ifndef UTILS_OPTOP_REQUEST_H
#define UTILS_OPTOP_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "libop/base/error.h"
#include "libop/base/option.h"
#include "libop/base/strings.h"
#include "view.h"

/* How the source is chosen. */
enum request_source { SOURCE_ANY, SOURCE_DAEMON, SOURCE_PERF };

struct request {
	enum request_source source;
	char *session_dir;	  /* of the daemon, absolute */
	char *keep;		  /* a directory for the session; NULL: it is removed */
	char *events, *callgraph; /* for operf */
	struct op_pids processes;
	uint64_t frequency, delay, iterations, lines;
	bool frame_pointers, no_callgraph, batch, no_color;
	enum dimension by;
	enum view_sort sort;
	enum model_period period;
	char *filter;
	struct op_strings operf; /* all options for operf */
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

#endif
