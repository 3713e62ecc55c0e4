/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a profile has but does not show: the indices over its tables.  Used by profile.c and by
 * tables.c, which has the tables of what has a name: texts, events, images, places.
 */
#ifndef PP_FORMATS_MODEL_TABLES_H
#define PP_FORMATS_MODEL_TABLES_H

#include "libop/base/hash.h"
#include "libop/tables/pair_table.h"
#include "profile.h"

/* Functions that are known to be at a place. */
struct place_lines {
	struct prof_frame place;
	struct prof_line *lines;
	size_t n;
};

/* struct prof with what readers of it need not see. */
struct prof_tables {
	struct prof prof;
	unsigned int by;
	size_t events_capacity, images_capacity, strings_capacity, contexts_capacity;
	size_t branches_capacity, calls_capacity, losses_capacity, facts_capacity, notes_capacity;
	size_t totals_capacity, moments_capacity;
	bool has_no_moments;  /* they were dropped */
	bool has_many_labels; /* a sample had more than are kept, which is told */
	struct op_hash by_string, by_event, by_image, by_context, by_branch, by_call, by_place;
	uint32_t recent_context;	   /* of the sample before */
	struct op_pair_table thread_names; /* numbers of strings by process and thread */

	struct place_lines *places;
	size_t n_places, places_capacity;
	uint64_t free_place; /* prof_sink::free_place() */
};

static inline struct prof_tables *tables_of(struct prof_sink *sink)
{
	return (struct prof_tables *)sink;
}

/* A copy of a text that lives as long as the profile; NULL of NULL. */
const char *tables_keep(struct prof_sink *sink, const char *text);

/* For struct prof_sink. */
uint32_t tables_string(struct prof_sink *sink, const char *text);
uint32_t tables_event(struct prof_sink *sink, const struct prof_event *event);
uint32_t tables_image(struct prof_sink *sink, const struct prof_image *image);
void tables_build_id(struct prof_sink *sink, const struct prof_image *image);
void tables_lines(struct prof_sink *sink, const struct prof_frame *place,
		  const struct prof_line *lines, size_t n);
uint64_t tables_free_place(struct prof_sink *sink);
int tables_call(struct prof_sink *sink, const struct prof_call *call, struct op_error *error);

/* Gives the images of calls the numbers they have now, and puts calls in order. */
void tables_order_calls(struct prof_tables *tables, const uint32_t *image_rank);

/* 0 if both have the same, or none. */
int tables_compare_build_ids(const struct prof_image *a, const struct prof_image *b);

/* Gives the images the numbers they have now, and places those in @image_rank, by the old ones. */
void tables_renumber(struct prof_tables *tables, const uint32_t *image_rank);

static inline uint64_t tables_hash_frame(const struct prof_frame *frame)
{
	return op_hash_mix(frame->image, frame->offset);
}

#endif
