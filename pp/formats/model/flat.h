/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples without callers, as columns: 16 bytes for each place, where a stack of the tree takes a
 * hundred.  A sample file is such a column.
 */
#ifndef PP_FORMATS_MODEL_FLAT_H
#define PP_FORMATS_MODEL_FLAT_H

#include "profile.h"

/* The places of a context, an image and an event. */
struct prof_flat {
	uint32_t context, image, event;
	bool is_weight; /* counts are of events, whose samples another column has */
	uint64_t unit;	/* events that a count stands for */
	struct prof_place_count *places; /* by offset, each once; owned */
	size_t n;
};

/* All zero: none. */
struct prof_flats {
	struct prof_flat *columns; /* of a finished profile: by context, image and event */
	size_t n, capacity;
	size_t n_places; /* of all columns */
};

/* Adds a column, and copies @places, which are in the order of offsets, each once. */
void flats_add(struct prof_flats *flats, const struct prof_flat *column,
	       const struct prof_place_count *places, size_t n);
void flats_free(struct prof_flats *flats);

/**
 * flats_sort - number columns by what they are, and join those that are of the same
 * @image_rank, @context_rank: the new numbers, by the old ones
 */
void flats_sort(struct prof_flats *flats, const uint32_t *image_rank, const uint32_t *context_rank);

/* A walk through the places of finished columns, each of a context and an image once; all zero is
 * its beginning. */
struct prof_flat_walk {
	size_t first, end; /* the columns of the context and the image */
	size_t *at;	   /* the next place of each of these */
	size_t at_capacity;
	/* Of the next place, set by flats_peek(): */
	uint32_t context, image;
	uint64_t offset;
};

/* Finds the next place of a context that is wanted (as of struct prof_cursor).  Return: false at
 * the end. */
bool flats_peek(const struct prof_flats *flats, const bool *contexts, struct prof_flat_walk *walk);

/* Goes on behind the place that flats_peek() found, after calling @add with each of its values, in
 * the order of events. */
void flats_take(const struct prof_flats *flats, struct prof_flat_walk *walk,
		void (*add)(void *context, const struct prof_value *value), void *context);
void flats_walk_free(struct prof_flat_walk *walk);

#endif
