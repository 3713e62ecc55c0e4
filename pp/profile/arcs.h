/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What stack files and {cg} files say of call chains: see callgraph.h.
 */
#ifndef PP_PROFILE_ARCS_H
#define PP_PROFILE_ARCS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libdb/odb/odb.h"
#include "profile.h"
#include "pp/select/sample_list.h"

/* Places in one image. */
struct pp_frames {
	const uint64_t *keys;
	const bool *called; /* key by key: only a caller is there, at the byte before; or NULL */
	size_t n;
	bool is_kernel;
	bool is_narrow; /* keys are the lower 32 bits */
	/* Of each key; set by pp_collate_image(): */
	struct pp_row **rows;
	struct pp_row ***outer; /* more rows of the place, which NULL ends, or NULL */
	uint64_t *vmas;		/* unless it is NULL */
};

/* A node of a calling-context tree; its caller is before it. */
struct pp_tree_node {
	uint32_t caller; /* its index; 0: none */
	uint32_t place;	 /* index into the places of the tree, or PP_NO_PLACE */
	uint64_t count;	 /* of samples whose chain ends there */
};

#define PP_NO_PLACE UINT32_MAX

/* What is counted of a stack file. */
struct pp_tree {
	unsigned int class;
	struct pp_tree_node *nodes; /* node 0 is no frame */
	size_t n;
	uint32_t other; /* the place of STACKS_OTHER, whose samples have unknown leaves; or none */
	/* Places, by image: */
	uint64_t *keys, *vmas; /* vmas: NULL unless they are wanted */
	bool *called;	       /* as of struct pp_frames */
	struct pp_row **rows;
	struct pp_row ***outer; /* as of struct pp_frames */
	size_t n_places;
	struct pp_frames *frames; /* one an image */
};

enum pp_end { PP_CALLER, PP_CALLEE };

/* A {cg} file. */
struct pp_arc_file {
	unsigned int class;
	struct odb_entry *entries;
	size_t n;
	struct pp_frames ends[2]; /* by enum pp_end */
};

struct pp_arcs {
	struct pp_arc_file *files;
	size_t n_files;
	struct pp_tree *trees;
	size_t n_trees;
	/* One for each pp_frames: it names their image and application. */
	struct pp_sample_file *ends;
	size_t n_ends, ends_capacity;
};

#endif
