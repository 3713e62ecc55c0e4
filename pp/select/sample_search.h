/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The search of a session's tree of sample files, on all CPUs: each of perhaps a hundred thousand
 * files has its own chain of directories, and opening those is most of a report's work.
 */
#ifndef PP_SELECT_SAMPLE_SEARCH_H
#define PP_SELECT_SAMPLE_SEARCH_H

#include <stdbool.h>

#include "sample_list.h"

struct pp_sample_search {
	const struct pp_spec *spec;
	const char *samples_root; /* SESSION/samples */
	bool exclude_dependent;	  /* leave out images other than the application itself */
	bool is_whole;		  /* the pack has all files (libop/pack/whole.h), the loose, too */
};

/* True if the search selects a sample file of this name. */
bool pp_sample_is_wanted(const struct pp_sample_search *search, const struct op_sample_name *name);

/**
 * pp_sample_search - add the sample files below a directory to a list
 * @list: its want_... say what is read of each file
 * @directory: SESSION/samples/NAME/{root}, which exists
 * @warnings: warns of what was skipped
 *
 * The files are sorted by name, component by component, so that every run gives the same result.
 */
void pp_sample_search(struct pp_sample_list *list, const struct pp_sample_search *search,
		      const char *directory, struct op_warnings *warnings);

#endif
