/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Command lines: what the report tools have in common, so that an option means the same in
 * all of them.
 */
#ifndef PP_ARGUMENTS_H
#define PP_ARGUMENTS_H

#include <popt.h>
#include <stdbool.h>

#include "libop/error.h"
#include "libop/string_list.h"
#include "pp/demangle.h"

/* Arguments of options.  Return: 0, or -1 with @error set. */

/* A percentage from 0 to 100. */
int pp_argument_threshold(double *out, const char *text, struct op_error *error);
/* none, normal or smart */
int pp_argument_demangle(enum pp_demangle *out, const char *text, struct op_error *error);
/* Topics of --verbose with commas; sets what they mean and leaves the other as it is. */
int pp_argument_verbose(bool *verbose, bool *stats, const char *list, struct op_error *error);
/* Adds items that have commas between them; @what is the option's name. */
int pp_argument_list(struct op_strings *list, const char *text, const char *what,
		     struct op_error *error);
/* A text that is not empty; takes the place of *@out, which is freed. */
int pp_argument_text(char **out, const char *text, const char *what, struct op_error *error);

/* What main() does next. */
enum pp_options_result {
	PP_OPTIONS_RUN,
	PP_OPTIONS_DONE,  /* help or version was printed: exit with OP_EXIT_OK */
	PP_OPTIONS_WRONG, /* the error says why: exit with OP_EXIT_USAGE */
};

/* Options that all tools have but opreport, which has them in a table of its own. */
struct pp_common {
	char *session_dir; /* absolute; --session-dir or what there is */
	char *root;	   /* --root, or NULL */
	struct op_strings image_paths;
	struct op_strings words; /* what is no option */
	bool session_given;	 /* there was --session-dir */
	bool verbose;
};

/* The command line of a tool. */
struct pp_command {
	const char *name;
	const char *usage;		/* "[OPTION...] [TAG:LIST|IMAGE]..." */
	const struct poptOption *table; /* the tool's own options */
	/* Called for those that have a value (which is above 0 and below 1000) with their
	 * argument, or NULL; returns 0, or -1 with @error set. */
	int (*take)(void *context, int option, const char *text, struct op_error *error);
	void *context;	 /* of take */
	bool no_session; /* it has no options that say where sessions and images are */
};

/**
 * pp_arguments_parse - read a command line
 * @common: filled in; pp_common_free() frees what it holds, whatever is returned
 */
enum pp_options_result pp_arguments_parse(struct pp_common *common,
					  const struct pp_command *command, int argc,
					  const char **argv, struct op_error *error);
void pp_common_free(struct pp_common *common);

#endif
