/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a report goes: to a file, to standard output, or on a terminal through a pager.
 *
 * The pager is $PAGER, else less, if there is one; "cat" and "" are none.  less gets
 * LESS=FRX (keep colours, stay out of the way of what fits on the screen) unless LESS is set.
 * Colours are for terminals, unless --color says otherwise; NO_COLOR and TERM=dumb turn
 * them off.
 */
#ifndef PP_TOOL_OUTPUT_H
#define PP_TOOL_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "libop/base/error.h"

enum pp_color { PP_COLOR_AUTO, PP_COLOR_ALWAYS, PP_COLOR_NEVER };

/* What the command line says of it; part of struct pp_common. */
struct pp_output_options {
	enum pp_color color;
	bool no_pager;
};

/* The names of the enumeration, in its order, then NULL. */
extern const char *const pp_color_words[];

struct pp_output {
	FILE *file; /* to write to; with a pager it is stdout, which leads there */
	bool color;
	bool is_terminal; /* it is read on one, perhaps through the pager */
	size_t columns;	  /* of the terminal; 0: it is read elsewhere */
	const char *path; /* of the file, or NULL */
	pid_t pager;	  /* 0: there is none */
	int terminal;	  /* with a pager: what stdout was */
};

/* Whether a report is read on a terminal; @path as in pp_output_open(). */
bool pp_output_is_for_terminal(const char *path);

/**
 * pp_output_open - before the first byte of a report
 * @path: the file, which is made or emptied; NULL: standard output
 *
 * With a pager SIGPIPE is ignored from now on: the user may quit it early.
 *
 * Return: 0, or -1 with @error set; if 0, pp_output_close() ends it.
 */
int pp_output_open(struct pp_output *output, const struct pp_output_options *options,
		   const char *path, struct op_error *error);

/**
 * pp_output_close - after the last byte of a report; waits for the pager
 *
 * Return: 0, or -1 with @error set: not all could be written, or there was no such pager.
 */
int pp_output_close(struct pp_output *output, struct op_error *error);

#endif
