/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Candidates: the sample files of the sessions that a specification means.
 */
#ifndef PP_SAMPLE_LIST_H
#define PP_SAMPLE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libdb/odb/odb.h"
#include "libop/base/error.h"
#include "libop/pack/pack.h"
#include "libop/session/sample_name.h"
#include "pp/select/spec.h"
#include "libop/base/warnings.h"

struct pp_sample_file {
	char *path; /* of a packed file, where it would be if it were loose */
	struct op_sample_name name;
	struct op_pack *pack; /* that it is in; NULL: it is loose */
	struct op_pack_place place;
	/* If the list wants counts, or the file is packed: */
	struct odb_header header;
	size_t n_entries;
	uint64_t sum;		   /* of all counts, as they are in the file */
	struct odb_entry *entries; /* if the list wants them; NULL: they must be read again */
	unsigned int class;	   /* set by pp_classes_make() */
	struct pp_scale *scale;	   /* set by pp_scales_find(); NULL: counts are as they are */
	unsigned int app, image;   /* set by pp_profile_make() */
	struct pp_arc_file *arcs;  /* of an end of a {cg} file: see pp/callgraph.h; else NULL */
	bool is_callee;		   /* which end */
};

struct pp_sample_list {
	char **samples_dirs; /* one a session: SESSION/samples/NAME */
	size_t n_dirs, dirs_capacity;
	struct op_pack **packs; /* those that files are in */
	size_t n_packs, packs_capacity;
	struct pp_sample_file *files;
	size_t n, capacity;
	size_t n_passed_over; /* sample files that the specification does not mean */
	size_t n_bad; /* files that can't be read or are damaged, if the list wants counts */
	/* Set by the caller: */
	bool want_arcs;	   /* look for call graph files, too */
	bool want_counts;  /* read the files; those that are bad are left out */
	bool want_entries; /* and keep what is in them, as far as memory is not needed elsewhere */
	struct pp_sample_file *arcs; /* {cg} files */
	size_t n_arcs, arcs_capacity;
	bool unscaled; /* set by the caller: don't scale what was counted a part of the time */
	struct pp_scale **scales; /* see pp/scale.h */
	size_t n_scales, scales_capacity;
};

/* In an archive: a file with the session directory in it, for when --session-dir is not that. */
#define PP_ARCHIVE_SESSION "oprofile-session-dir"

/* The session directory in @archive ("": none): @session_dir, or if there is nothing at it, the
 * one that PP_ARCHIVE_SESSION names.  The caller frees it. */
char *pp_session_dir_in(const char *archive, const char *session_dir);

/**
 * pp_sample_list_find - look through the sessions
 * @list: filled in; zeroed before, but for want_...; pp_sample_list_free() frees what it
 *	holds, also after an error
 * @session_dir: the session directory, to be looked for in an archive as pp_session_dir_in() does
 * @spec: what is wanted
 * @exclude_dependent: leave out images other than the application itself
 * @trouble: told of what was skipped
 *
 * Call graph files ({cg}) are passed over unless @list wants them.  That nothing was found is no
 *error here.
 *
 * Return: 0, or -1 with @error set: a session does not exist.
 */
int pp_sample_list_find(struct pp_sample_list *list, const char *session_dir,
			const struct pp_spec *spec, bool exclude_dependent,
			struct pp_warnings *trouble, struct op_error *error);

void pp_sample_list_free(struct pp_sample_list *list);

/* True if both names are of one image (anonymous memory: of one mapping). */
bool pp_same_image(const struct op_image_name *a, const struct op_image_name *b);

#endif
