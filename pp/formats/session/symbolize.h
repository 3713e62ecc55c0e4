/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of functions for writers whose formats have names and not addresses: what the recording
 * says, or what the images say on this machine.
 */
#ifndef PP_FORMATS_SESSION_SYMBOLIZE_H
#define PP_FORMATS_SESSION_SYMBOLIZE_H

#include "pp/debug/info.h"
#include "pp/symbols/demangle.h"
#include "pp/formats/model/profile.h"
#include "pp/symbols/image_reader.h"

struct prof_names;

/**
 * names_new - names for a profile that is finished
 * @reader: finds the images; must live as long
 * @demangle: how names of C++ and Rust are shown
 *
 * Each image is read when the first name in it is asked for.
 */
struct prof_names *names_new(const struct prof *prof, struct pp_image_reader *reader,
			     enum pp_demangle demangle);
void names_free(struct prof_names *names);

/* What a place is called. */
struct prof_name {
	const struct prof_line *lines; /* innermost first; the last is the symbol's */
	size_t n;		       /* 1 at least */
	bool is_known; /* false: the only function is "[image]", as no symbol is there */
};

/* The place of frame number @index of a sample: that of prof_lookup_offset(), or where a function
 * begins that was not called (pp_symbols_is_before_entry()). */
struct prof_frame names_place(struct prof_names *names, const struct prof_sample *sample,
			      size_t index);

/**
 * names_at - the functions at a place, which for a caller is that of names_place()
 *
 * Return: the name, which lives as long as @names; equal pointers for equal places, and for others
 * that are called the same.
 */
const struct prof_name *names_at(struct prof_names *names, const struct prof_frame *place);

/* The same for frame number @index of a sample. */
const struct prof_name *names_of_frame(struct prof_names *names, const struct prof_sample *sample,
				       size_t index);

/* Of writers that have addresses, too: without @names (NULL), what the profile itself says.  The
 * place of a frame, and the functions at a place as far as they are known; return: how many. */
struct prof_frame names_place_or(struct prof_names *names, const struct prof *prof,
				 const struct prof_sample *sample, size_t index);
size_t names_lines_or(struct prof_names *names, const struct prof *prof,
		      const struct prof_frame *place, const struct prof_line **lines);

/* Where a place is in its image. */
struct prof_code_place {
	const struct pp_symbols *symbols; /* of the image */
	const char *path;		  /* of its file; NULL: there is none */
	struct pp_debug_info *debug;	  /* or NULL */
	uint64_t key;			  /* of @symbols */
};

/**
 * names_code - where a place, whose name was looked up, is in its image
 * @place: filled in; lives as long as @names
 *
 * Return: whether the image was read: not if the recording says what the place is called.
 */
bool names_code(const struct prof_names *names, const struct prof_frame *frame,
		struct prof_code_place *place);

/**
 * names_bytes_of_stack - at most the bytes that texts of a stack take
 * @names: NULL: only the profile's own
 * @each: bytes more for each frame, and for each line of one
 *
 * Return: those of the paths of images, names of functions, shown or not, and files.
 */
uint64_t names_bytes_of_stack(struct prof_names *names, const struct prof *prof,
			      const struct prof_sample *sample, uint64_t each);

/* The base name of an image, for people; lives as long as the profile. */
const char *names_image(const struct prof *prof, uint32_t image);

#endif
