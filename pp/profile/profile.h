/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A profile: the counts of all sample files of a report, by application, image and symbol.
 * Writers of reports read it; pp_profile_make() fills it.
 */
#ifndef PP_PROFILE_PROFILE_H
#define PP_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/session/sample_name.h"
#include "libop/base/strings.h"
#include "pp/select/classes.h"
#include "pp/symbols/demangle.h"
#include "pp/symbols/image_reader.h"
#include "pp/select/sample_list.h"
#include "libop/base/warnings.h"
#include "head.h"
#include "symbol_filter.h"

/* An application or an image. */
struct pp_image {
	const struct op_image_name *id;
	char *full; /* path, "/x (deleted, ID)", "/no-vmlinux", "anon (tgid:1 range:0x1000-0x2000)"
		     */
	const char *base; /* without directories */
	size_t order;	  /* among the images by name; two with the same order are one */
	uint64_t *counts; /* by class; of an application, of all its images */
	/* Of an image, if the request keeps troubles: */
	const char *trouble;	 /* why its file was not found, or NULL */
	bool is_saved;		 /* then its symbols are those that were saved */
	enum pp_unnamed unnamed; /* why code in it has no name, where it has none */
	uint64_t old_samples;	 /* from before the file was changed */
};

/* Samples of one image in one application. */
struct pp_part {
	const struct pp_image *app, *image;
	uint64_t *counts; /* by class */
};

struct pp_place {
	uint64_t vma;
	const char *file; /* source file with its directory, or NULL */
	int line;
	uid_t namer; /* of the file: pp_debug_info_namer() */
};

/* The samples at one address. */
struct pp_detail {
	struct pp_place place;
	/* With inlined functions: those that the function of the row is inlined into, the nearest
	 * first, as they are shown; ends with NULL.  NULL if it is not inlined here. */
	const char *const *callers;
	uint64_t *counts; /* by class */
};

/* Samples of one symbol, or source line, in one application. */
struct pp_row {
	const struct pp_image *app, *image;
	const char *symbol; /* as it is shown */
	bool is_inlined;    /* one row per image; the symbol ends with " (inlined)" */
	bool is_hidden;	    /* only an end of an arc, not listed */
	bool is_unnamed;    /* no symbol covers it; the image's path is shown */
	uint64_t limits;    /* bit by bit: which pattern of the request's limits it matches */
	size_t number;	    /* for writers */
	struct pp_place place;
	struct pp_detail *details; /* by vma */
	size_t n_details;
	uint64_t *counts;    /* by class */
	uint64_t *inclusive; /* those with it in their call chain; NULL if not asked for */
	/* By class: percent of all samples that the share may be off by; NULL: not asked for. */
	const double *margins;
};

/* Calls of one symbol by another: the samples with such a call in their call chain. */
struct pp_arc {
	struct pp_row *caller, *callee;
	uint64_t from, to; /* if sites are asked for: the addresses in caller and callee */
	uint64_t *counts;  /* by class */
	/* For writers: it is listed with what calls the callee, with what the caller calls. */
	bool is_of_callee, is_of_caller;
};

/* A function in the tree of calls.  Arrays are by class, weights behind samples. */
struct pp_call_node {
	struct pp_row *row; /* NULL of node 0, which is above all others */
	uint32_t above;	    /* less than the number of the node */
	uint64_t *counts;   /* samples of the node and of all nodes below it */
	uint64_t *ends;	    /* samples of the node that are of no node below it */
};

/*
 * The whole stacks of a profile as a tree of functions, whatever addresses they were sampled at.
 *
 * From callers on, a node has the functions that it calls below it; from callees on, those that
 * call it.  A function that calls itself is below itself, once for each of its frames.
 */
struct pp_call_tree {
	struct pp_call_node *nodes; /* none if no tree was asked for */
	size_t n, capacity;
};

struct pp_profile {
	const struct pp_classes *classes;
	struct pp_image *apps, *images; /* by name */
	size_t n_apps, n_images;
	struct pp_part *parts; /* by app */
	size_t n_parts, parts_capacity;
	struct pp_row **rows;
	size_t n_rows, rows_capacity;
	struct pp_arc *arcs; /* in any order */
	size_t n_arcs;
	bool has_stacks;		/* with arcs: stack files were read */
	bool has_calls;			/* with arcs: {cg} files were */
	struct pp_call_tree *call_tree; /* NULL: not asked for */
	uint64_t *totals;		/* by class, before any symbol was left out */
	/* By pattern of the request's limits, and by class: samples in the code of symbols that
	 * match it, listed or not; with arcs, those with such a symbol in their call chain.  NULL:
	 * there are no limits, or no arcs. */
	uint64_t *limited, *limited_inclusive;
	size_t n_limits;
	int cpu_type;		/* of the first file readable files */
	double cpu_speed;	/* MHz; 0 if not known */
	size_t n_files;		/* that could be read */
	struct pp_head head;	/* of the sessions of the sample files */
	struct pp_store *store; /* memory of rows and names */
};

/* From which end of a stack a tree of functions begins. */
enum pp_call_order { PP_CALLS_NONE, PP_CALLS_FROM_CALLERS, PP_CALLS_FROM_CALLEES };

struct pp_profile_request {
	bool symbols; /* make rows */
	bool details; /* make details of rows */
	bool lines;   /* look for source lines */
	bool inlines; /* samples in inlined functions belong to these; not with arcs */
	/* A row is a line of a function, with lines, without details and inlines: that of the
	 * innermost inlined function.  Lines that call inlined functions are in the call chain. */
	bool by_line;
	bool arcs;	/* with symbols: make arcs of the list's stacks; ends are rows, too */
	bool arc_sites; /* make one for each two addresses, instead of for each two rows */
	enum pp_call_order calls; /* with arcs: make a tree of whole stacks */
	bool merge_lib;		  /* each image is its own application */
	bool one_vdso;		  /* all processes have one, without their addresses */
	bool keep_troubles;	  /* with images: for notes, instead of warnings */
	enum pp_demangle demangle;
	struct pp_symbol_filter *filter; /* of symbols; NULL: all are shown */
	struct pp_symbol_filter *limits; /* marks rows by its patterns; or NULL */
	struct pp_image_search *search;
};

/**
 * pp_profile_make - read the sample files and add them up
 * @profile: filled in; pp_profile_free() frees what it holds
 * @list: sample files; must live as long as @profile
 * @classes: likewise
 * @warnings: warns of what could not be read
 *
 * Files that can't be read are left out; images that can't be read are without symbols.
 */
void pp_profile_make(struct pp_profile *profile, struct pp_sample_list *list,
		     const struct pp_classes *classes, const struct pp_profile_request *request,
		     struct op_warnings *warnings);
void pp_profile_free(struct pp_profile *profile);

/* Forgets what only arcs are for: as of a request without them, but for the inclusive samples of
 * its limits, and @profile->has_stacks. */
void pp_profile_drop_arcs(struct pp_profile *profile);

/* An empty profile; pp_profile_free() frees it. */
void pp_profile_init(struct pp_profile *profile, const struct pp_classes *classes);

/* Memory that lives as long as the profile. */
void *pp_profile_keep(struct pp_profile *profile, size_t size); /* zeroed */
char *pp_profile_keep_text(struct pp_profile *profile, const char *text);

#endif
