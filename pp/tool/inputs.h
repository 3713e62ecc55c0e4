/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Profiles of other formats as words of a command line, in the place of a session:
 *
 *	opreport perf.data tid:1200
 *
 * Their readers are above this layer (pp/formats), so a tool that takes such words names them in
 * pp_tool.inputs.  What they read becomes a session that lasts as long as the process.
 */
#ifndef PP_TOOL_INPUTS_H
#define PP_TOOL_INPUTS_H

#include <stdbool.h>

#include "libop/base/error.h"
#include "libop/base/strings.h"
#include "pp/select/label_sums.h"

/* What samples of an input are told apart by, beside program and image. */
struct pp_separation {
	bool process, thread, cpu;
	const char *label; /* a label of the profile's own; NULL: none.  Each of its values becomes
			    * a session, of those that session:PP_LABEL_SESSIONS means. */
	/* Labels that samples must have, as NAME=GLOB: one of those of each name. */
	const struct op_strings *wanted;
	bool programs_only; /* samples in a program need not be told apart by image and function */
	/* With a label: gets what sessions of its values would have, beside one session of all.
	 * NULL, or if there are several events: a session of each value is made. */
	struct pp_label_sums *sums;
};

#define PP_LABEL_SESSIONS "label.*"

struct pp_input_readers {
	/* Whether a word is the path of a profile, or "-". */
	bool (*is_input)(const char *word);

	/* What a word means with --last: another word, which the caller frees; NULL if it is not a
	 * store, or says its times itself. */
	char *(*of_last)(const char *word, uint64_t seconds);

	/* What is said of a file that is none: "unknown format: this looks like ...".  @error's
	 * code is 0 for what may be an image. */
	void (*explain)(const char *path, struct op_error *error);

	/* Whether a word is the path of a file or directory that oparchive wrote. */
	bool (*is_archive)(const char *word);

	/* Unpacks one.  Return: a directory as oparchive writes it, which lives as long as the
	 * process, or NULL with @error set. */
	const char *(*unpack_archive)(const char *path, struct op_error *error);

	/* Makes a session of all of @paths, added up; of one that is damaged, of what precedes the
	 * damage, and sets @damage.  Return: its directory, which lives as long as the process, or
	 * NULL with @error set. */
	const char *(*make_session)(const struct op_strings *paths,
				    const struct pp_separation *separation, struct op_error *damage,
				    struct op_error *error);
};

#endif
