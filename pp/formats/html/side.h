/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a page is made of. */
#ifndef PP_FORMATS_HTML_SIDE_H
#define PP_FORMATS_HTML_SIDE_H

#include <stddef.h>

#include "pp/formats/model/profile.h"
#include "pp/formats/session/symbolize.h"
#include "pp/statistics/chance.h"
#include "stack_tree.h"

/* A part of a side that shows how much it varies: some of its sessions. */
struct html_run {
	struct prof *prof; /* finished */
	struct prof_names *names;
	size_t sessions;
	double seconds; /* 0: not known */
};

/* A profile, and what reports say of it; each text is of lines, or NULL: it is not known. */
struct html_side {
	struct prof *prof; /* finished */
	struct prof_names *names;
	const char *name;      /* of its session, or what else tells it from the other */
	const char *head;      /* how it was taken: "NAME: VALUE" */
	const char *notes;     /* what makes it doubtful */
	const char *account;   /* samples received, stored and lost by cause; overhead */
	struct html_run *runs; /* of two sides: of one run, the whole side */
	size_t n_runs;
	enum pp_evidence evidence; /* what the runs are */
	uint64_t duration;	   /* nanoseconds; 0: what the profile itself says, if it does */
};

struct html_page {
	const char *title;
	struct html_side sides[2]; /* the old one first */
	size_t n_sides;
	const struct pp_image_pairs *pairs; /* of two sides */
};

#endif
