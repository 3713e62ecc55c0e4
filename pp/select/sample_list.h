/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lists of the sample files that a specification selects.
 */
#ifndef PP_SELECT_SAMPLE_LIST_H
#define PP_SELECT_SAMPLE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "libdb/odb/odb.h"
#include "libop/base/error.h"
#include "libop/events/spec.h"
#include "libop/pack/pack.h"
#include "libop/session/sample_name.h"
#include "spec.h"
#include "libop/base/warnings.h"

struct pp_sample_file {
	char *path; /* of a packed file: its path if it were loose */
	struct op_sample_name name;
	struct op_pack *pack; /* the pack it is in; NULL: it is loose */
	struct op_pack_place place;
	/* If the list wants counts, or the file is packed: */
	struct odb_header header;
	size_t n_entries;
	uint64_t sum;		   /* of all counts, not scaled */
	struct odb_entry *entries; /* cached if list->want_entries; NULL: they must be read again */
	unsigned int class;	   /* set by pp_classes_make() */
	const char *label;	   /* likewise: as of the class */
	struct pp_scale *scale;	   /* set by pp_scales_find(); NULL: counts are not scaled */
	unsigned int app, image;   /* set by pp_profile_make() */
	struct pp_frames *frames;  /* of code that only arcs lead to: see pp/profile/callgraph.h */
	bool is_stacks;		   /* a stack file; its name has no image */
	bool is_weight;		   /* a file of weights; its class is behind those of samples */
};

struct pp_sample_list {
	char **samples_dirs; /* one a session: SESSION/samples/NAME */
	size_t n_dirs, dirs_capacity;
	int *holds; /* of them, so that nothing is moved from files to packs: libop/pack/hold.h */
	size_t n_holds, holds_capacity;
	bool is_supplied;	/* what they name was another user's choice: this one's */
	uid_t supplier;		/* FOREIGN_NOBODY: several users' */
	bool is_empty;		/* the sessions were read, and have no sample files */
	struct op_pack **packs; /* the packs of the files */
	size_t n_packs, packs_capacity;
	struct pp_sample_file *files;
	size_t n, capacity;
	size_t n_passed_over; /* sample files that the specification does not select */
	size_t n_bad; /* files that can't be read or are damaged, if the list wants counts */
	/* Set by the caller: */
	bool want_arcs;		     /* find call graph files, too */
	bool want_counts;	     /* read the files and leave damaged ones out */
	bool want_entries;	     /* and cache their entries, up to a limit */
	struct pp_sample_file *arcs; /* {cg} files */
	size_t n_arcs, arcs_capacity;
	/* Files of weights, and those of arcs, if the caller sets want_weights: see weights.h. */
	bool want_weights;
	struct pp_sample_file *weights, *weight_arcs;
	size_t n_weights, n_weight_arcs;
	/*
	 * Stack files, and those of weights, if the caller sets want_stacks; then the {cg} files of
	 * a session that has any are left out, unless the caller sets keep_arcs.
	 */
	bool want_stacks, keep_arcs;
	struct pp_sample_file *stacks;
	size_t n_stacks, stacks_capacity;
	bool own_only;		  /* images other than the application itself are left out */
	bool by_image;		  /* some images are not selected */
	bool unscaled;		  /* set by the caller: do not scale multiplexed events */
	bool want_empty;	  /* likewise: events without samples are classes, too */
	struct op_events counted; /* set by pp_classes_make(), if so: of all sessions */
	struct pp_scale **scales; /* see pp/select/multiplexing.h */
	size_t n_scales, scales_capacity;
};

/* In an archive: a file with the session directory in it, used if --session-dir differs. */
#define PP_ARCHIVE_SESSION "oprofile-session-dir"

/* The session directory in @archive ("": none): @session_dir, or if there is nothing at it, the
 * one that PP_ARCHIVE_SESSION names.  The caller frees it. */
char *pp_session_dir_in(const char *archive, const char *session_dir);

/**
 * pp_sample_list_find - find the sample files of the sessions
 * @list: filled in; zeroed before, but for want_...; pp_sample_list_free() frees what it
 *	holds, also after an error
 * @session_dir: the session directory; in an archive, see pp_session_dir_in()
 * @spec: selects sessions and sample files
 * @exclude_dependent: leave out images other than the application itself
 * @warnings: warns of what was skipped
 *
 * Call graph files ({cg}) are skipped unless list->want_arcs.  An empty list is not an error here.
 *
 * Return: 0, or -1 with @error set: a session does not exist.
 */
int pp_sample_list_find(struct pp_sample_list *list, const char *session_dir,
			const struct pp_spec *spec, bool exclude_dependent,
			struct op_warnings *warnings, struct op_error *error);

/* The index in samples_dirs of the session that the file at @path belongs to. */
size_t pp_sample_session(const struct pp_sample_list *list, const char *path);

/* Whether a session of the list could be held; else its loose files are in a pack in memory. */
bool pp_sample_session_is_held(const struct pp_sample_list *list, size_t session);

/* Frees what a file of a list holds. */
void pp_sample_file_free(struct pp_sample_file *file);
void pp_sample_list_free(struct pp_sample_list *list);

/* True if both names are of one image (anonymous memory: of one mapping). */
bool pp_same_image(const struct op_image_name *a, const struct op_image_name *b);

#endif
