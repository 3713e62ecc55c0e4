/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tree of a session's sample files, gone through by all CPUs: of a hundred thousand files
 * each has a chain of directories of its own, and opening those is most of a report's work.
 */
#ifndef PP_SAMPLE_SEARCH_H
#define PP_SAMPLE_SEARCH_H

#include <stdbool.h>

#include "pp/select/sample_list.h"

struct pp_sample_search {
	const struct pp_spec *spec;
	const char *samples_root; /* SESSION/samples */
	bool exclude_dependent;	  /* leave out images other than the application itself */
};

/* Whether a sample file is one of those that are looked for. */
bool pp_sample_is_wanted(const struct pp_sample_search *search, const struct op_sample_name *name);

/**
 * pp_sample_search - add what is below a directory to a list
 * @list: its want_... say what is done with each file
 * @directory: SESSION/samples/NAME/{root}, which is there
 * @trouble: told of what was skipped
 *
 * The files come in the order of their names, component by component, so that every run says
 * the same.
 */
void pp_sample_search(struct pp_sample_list *list, const struct pp_sample_search *search,
		      const char *directory, struct pp_warnings *trouble);

#endif
