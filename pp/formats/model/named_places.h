/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Places for functions that only a profile names, of formats without addresses.
 *
 * An image "/[named]/PATH" holds them, which is no file, so that nobody looks for symbols in it.
 * Functions of all images, and each line of theirs that is known, are two offsets apart, in the
 * order they are met: the leaf is at the first one, a caller returns to the second, and both are
 * called what the profile says (prof_sink::lines).
 */
#ifndef PP_FORMATS_MODEL_NAMED_PLACES_H
#define PP_FORMATS_MODEL_NAMED_PLACES_H

#include <stdbool.h>
#include <stdint.h>

#include "profile.h"

struct named_places;

struct named_places *named_places_new(struct prof_sink *sink);
void named_places_free(struct named_places *places); /* NULL is fine */

/**
 * named_places_image - the image of functions
 * @name: a path or any text; "" is "[no image]"
 *
 * Return: its number in the sink.
 */
uint32_t named_places_image(struct named_places *places, const char *name, bool is_kernel);

/**
 * named_places_frame - the place of a function
 * @image: as named_places_image() returned it
 * @line: its name, file and line; "" is "[unknown]"
 * @is_caller: it called the frame before it
 *
 * A function is known by its name, in each image.  Where its line is not known, the file that it is
 * met with first counts.
 */
struct prof_frame named_places_frame(struct named_places *places, uint32_t image,
				     const struct prof_line *line, bool is_caller);

/* The leaf at a line of the function at @frame, which is a leaf that named_places_frame() returned;
 * @frame itself if its file or the line (0) is not known. */
struct prof_frame named_places_at_line(struct named_places *places, const struct prof_frame *frame,
				       int64_t line);

/**
 * named_places_unnamed - what code is called for which there is no symbol
 * @image: the path or the name of its image; "" if it is not known
 *
 * Return: "[BASE]", as opexport calls it, or "[unknown]"; the caller frees it.
 */
char *named_places_unnamed(const char *image);

#endif
