/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Profile specification: which samples a report is about, as given on the command line of every
 * report command.
 *
 *	opreport last:1h event:cpu-clock
 *	opreport session:night image:/usr/bin/git event:CPU_CLK_UNHALTED cpu:0-3
 *
 * A word is TAG:LIST (tags below), the name of an image, or a session directory, which has
 * samples/ in it.  A list has commas between its items.  It selects a sample that matches one item
 * of every tag given.
 */
#ifndef PP_SELECT_SPEC_H
#define PP_SELECT_SPEC_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/base/error.h"
#include "libop/session/sample_name.h"
#include "libop/base/strings.h"

struct pp_range {
	uint64_t low, high; /* both included */
};

struct pp_ranges {
	struct pp_range *items; /* empty: anything matches */
	size_t n, capacity;
};

/* Codes of errors: there is no session, or one without samples; nothing in it matches, and the
 * error begins with the word that is to blame, if it is one alone. */
#define PP_NO_SESSION ENODATA
#define PP_NO_MATCH   ESRCH

#define PP_LAST_MOST (UINT64_C(100) * 366 * 86400) /* a century */

struct pp_spec {
	char *archive;		    /* archive: a directory that oparchive filled, or NULL */
	char *session_dir;	    /* session-dir: or a plain word; absolute; or NULL */
	struct op_strings inputs;   /* plain words: profiles of other formats; set by the caller */
	struct op_strings sessions; /* session: names or globs; a path begins with . or / */
	struct op_strings session_excludes; /* session-exclude: */
	uint64_t last; /* last: seconds before now that sessions must have samples of; 0: any */
	struct op_strings names;	  /* plain words: globs for the application or the image */
	struct op_strings images;	  /* image: globs for the application */
	struct op_strings image_excludes; /* image-exclude: globs for either */
	struct op_strings lib_images;	  /* lib-image: globs for the image */
	struct op_strings events;	  /* event: */
	struct op_strings labels;	  /* label: NAME=GLOB, of profiles of other formats */
	struct pp_ranges counts, unit_masks; /* count: unit-mask: */
	bool is_alone; /* not one of two: a word that nothing matches is warned of */
	bool trust; /* sessions of other users, too; not a word, but the option --trust-session */
	struct pp_ranges cpus, tgids, tids; /* cpu: tgid: tid: also as ranges, A-B */
};

/**
 * pp_spec_parse - parse a specification
 * @spec: filled in; pp_spec_free() frees what it holds, also after an error
 * @words: the @n words
 *
 * A plain word that names an existing file stands for the real path of that file.
 *
 * Return: 0, or -1 with @error set (EINVAL; ENOTSUP for "{ } { }").
 */
int pp_spec_parse(struct pp_spec *spec, const char *const *words, size_t n, struct op_error *error);
void pp_spec_free(struct pp_spec *spec);

/* Whether a word without a tag names the session directory. */
bool pp_spec_is_session_dir(const char *word);

/* Whether a word has a tag: "a:b" has, "/x/a:b" and "a" have not. */
bool pp_spec_has_tag(const char *word);

/* Whether it selects some of the samples only, whatever they are read from. */
bool pp_spec_is_selective(const struct pp_spec *spec);

/* Adds the word TAG:LIST.  Return: 0, or -1 with @error set. */
int pp_spec_add(struct pp_spec *spec, const char *tag, const char *list, struct op_error *error);

/* True if the specification selects files of this name.  Ignores sessions and archive. */
bool pp_spec_matches(const struct pp_spec *spec, const struct op_sample_name *name);

/* True if it selects the event, process, thread and CPU of @name, whatever the image. */
bool pp_spec_matches_context(const struct pp_spec *spec, const struct op_sample_name *name);

/* True if it selects some images only. */
bool pp_spec_is_by_image(const struct pp_spec *spec);

/* True if a glob of @globs, which may lack a directory, matches @text. */
bool pp_globs_match(const struct op_strings *globs, const char *text);

#endif
