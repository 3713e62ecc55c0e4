/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A session as a profile format: sample files, {cg} files and stack files, and what they do not
 * hold (facts of the recording machine, build-ids, where images were mapped) in the file "origin"
 * (oprofile-session(5)).
 */
#ifndef PP_FORMATS_SESSION_SESSION_H
#define PP_FORMATS_SESSION_SESSION_H

#include <sys/types.h>

#include "libop/base/error.h"
#include "libop/base/strings.h"
#include "libop/session/paths.h"
#include "pp/formats/model/profile.h"
#include "pp/symbols/image_path.h"
#include "pp/select/sample_list.h"
#include "libop/base/warnings.h"

struct session_names;

#define SESSION_ORIGIN	 OP_SAMPLES_ORIGIN
#define SESSION_BRANCHES "branches"

/**
 * session_read - read sample files of sessions
 * @list: those that are wanted; stacks are taken if their leaf is in one of them
 * @search: where images are: for their build-ids; may be NULL
 * @warnings: warns of what can't be read, which is left out
 *
 * Samples that are in a stack file come with their stack, all others alone.
 *
 * Return: 0, or -1 with @error set: the sink is full.
 */
int session_read(const struct pp_sample_list *list, struct pp_image_search *search,
		 struct prof_sink *sink, struct op_warnings *warnings, struct op_error *error);

/* Some of the samples of a profile; all zero: all of them. */
struct session_selection {
	const char *label; /* those of this label... */
	const char *value; /* ...and this value; NULL: those without it */
	/* Labels as NAME=GLOB, one of those of each name; NULL: any */
	const struct op_strings *wanted;
	bool no_losses; /* which are told once, if a profile becomes several sessions */
};

/* Of the contexts of a finished profile, as of struct prof_cursor, those that are selected; the
 * caller frees them. */
bool *session_selected_contexts(const struct prof *prof, const struct session_selection *selection);

struct session_options {
	bool merge_libs;    /* each image is its own application */
	bool no_callgraph;  /* no {cg} files and no stack files */
	char *const *words; /* of the command that makes it */
	struct session_selection selection;
	bool is_supplied; /* by another user, @supplier, who named the files in it */
	uid_t supplier;
	uint64_t input; /* bytes that it is made of, which bound it (room.h); 0: no bound */
};

/**
 * session_write - write a profile as a session
 * @dir: the session directory; SESSION/samples/current in it must not exist, or be empty
 *
 * Samples are separated by what the profile's contexts tell apart, and by application.
 *
 * Return: 0, or -1 with @error set; what was written so far stays.
 */
int session_write(const struct prof *prof, const char *dir, const struct session_options *options,
		  struct op_error *error);

/* ---- the file "origin" ---- */

/**
 * session_origin_write - write it
 * @names: of images and events
 * @dir: SESSION/samples/NAME
 *
 * Return: 0, or -1 with @error set.
 */
int session_origin_write(const struct prof *prof, const struct session_names *names,
			 const char *dir, struct op_error *error);

/* What it says of events and images. */
struct session_origin {
	struct session_origin_event *events;
	size_t n_events, events_capacity;
	struct session_origin_image *images; /* by name */
	size_t n_images, images_capacity;
	char *text; /* what the others point into */
};

struct session_origin_event {
	const char *name; /* in sample files */
	uint64_t count, unit_mask;
	struct prof_event event; /* as it was */
};

struct session_origin_image {
	const char *name; /* as op_image_name_make() makes it */
	struct prof_image image;
};

/**
 * session_origin_read - read it
 * @origin: filled in; session_origin_free() frees what it holds
 * @sink: told of host facts, losses and other facts
 *
 * A missing file is an empty one; malformed lines are skipped.
 */
void session_origin_read(struct session_origin *origin, const char *dir, struct prof_sink *sink);
void session_origin_free(struct session_origin *origin);
const struct session_origin_event *session_origin_event(const struct session_origin *origin,
							const char *name, uint64_t count,
							uint64_t unit_mask);
const struct session_origin_image *session_origin_image(const struct session_origin *origin,
							const char *name);

/* What this machine knows of the kernel that was profiled. */
struct session_kernel {
	/* Of the running kernel, if that was profiled; and of BPF programs that the recording
	 * names.  NULL: neither. */
	char *kallsyms;
	char *modules; /* as OP_SAMPLES_MODULES has them */
};

/**
 * session_kernel_find - find the kernel of a profile
 * @found: filled in; session_kernel_free() frees what it holds
 *
 * The running kernel was profiled if it has the same build-id or, if that is not known, the same
 * release and address.  The list of modules is made of the profile otherwise.
 *
 * Return: false if the profile has none.
 */
bool session_kernel_find(const struct prof *prof, struct session_kernel *found);
void session_kernel_free(struct session_kernel *kernel);

/**
 * session_kernel_write - save the symbols of the kernel that was profiled
 * @dir: SESSION/samples/NAME
 *
 * They are those that session_kernel_find() finds.
 *
 * Return: 0, or -1 with @error set.
 */
int session_kernel_write(const struct prof *prof, const char *dir, struct op_error *error);

#endif
