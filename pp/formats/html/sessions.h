/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page of a session, or of two that are compared, with what reports say of them. */
#ifndef PP_FORMATS_HTML_SESSIONS_H
#define PP_FORMATS_HTML_SESSIONS_H

#include <stdbool.h>
#include <stdio.h>

#include "libop/base/strings.h"
#include "libop/base/warnings.h"
#include "pp/formats/model/profile.h"
#include "pp/profile/loss.h"
#include "pp/profile/profile.h"
#include "pp/report/image_pairs.h"
#include "pp/select/spec.h"
#include "pp/symbols/demangle.h"

/* What is in a page: samples that a specification selects. */
struct html_session {
	const char *dir; /* the session directory */
	const struct pp_spec *spec;
	/* Of a temporary session (libop/session/temporary.h): reads the profiles that it was made
	 * of, all of them and as @by says, which have times and labels that the session has no
	 * place for.  NULL: the session is read.  Return: 0, or -1 with @error set. */
	int (*read_inputs)(const struct op_strings *paths, unsigned int by, struct prof *prof,
			   struct op_error *error);
	struct pp_image_search *search;
	const struct pp_profile *profile; /* of the same samples, by event */
	const struct pp_loss *loss;
	const struct op_strings *notes;
};

struct html_request {
	const struct pp_merge *merge; /* what is not told apart */
	bool exclude_dependent;
	enum pp_demangle demangle;
	struct op_warnings *warnings;
	const struct pp_image_pairs *pairs; /* of two sessions */
};

/**
 * html_sessions_write - write the page of @n sessions, 1 or 2 (the old one first)
 *
 * Errors of @out are left to the caller.  Return: 0, or -1 with @error set.
 */
int html_sessions_write(const struct html_session *sessions, size_t n,
			const struct html_request *request, FILE *out, struct op_error *error);

#endif
