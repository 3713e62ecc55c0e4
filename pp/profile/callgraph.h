/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The call graph: arcs of {cg} sample files, from an address in a caller to an address in a callee,
 * become arcs between symbols.
 *
 * Both ends of an arc may be in different images, and each image is read once.  So each {cg} file
 * is processed twice, for its end in the caller's image and for its end in the callee's;
 * pp_arcs_finish() joins the ends.
 */
#ifndef PP_PROFILE_CALLGRAPH_H
#define PP_PROFILE_CALLGRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libdb/odb/odb.h"
#include "profile.h"
#include "pp/select/sample_list.h"
#include "libop/base/warnings.h"

enum pp_end { PP_CALLER, PP_CALLEE };

/* A {cg} file. */
struct pp_arc_file {
	struct odb_entry *entries;
	size_t n;
	bool is_kernel[2];	/* by end */
	struct pp_row **row[2]; /* by end: the symbol of each entry; set by pp_collate_image() */
};

struct pp_arcs {
	struct pp_arc_file *files;
	struct pp_sample_file *ends; /* two a file, the caller's first; names are the list's */
	size_t n;		     /* files */
};

/**
 * pp_arcs_read - read the {cg} files of a list
 * @arcs: filled in; pp_arcs_free() frees what it holds
 * @list: must live as long as @arcs
 * @warnings: warns of files that can't be read, which are left out
 */
void pp_arcs_read(struct pp_arcs *arcs, const struct pp_sample_list *list,
		  struct pp_warnings *warnings);

/* Adds up the arcs between each two rows, in profile->arcs. */
void pp_arcs_finish(const struct pp_arcs *arcs, struct pp_profile *profile);
void pp_arcs_free(struct pp_arcs *arcs);

#endif
