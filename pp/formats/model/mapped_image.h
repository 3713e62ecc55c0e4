/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the name of a mapping says about the image, for formats that know no more than that.
 */
#ifndef PP_FORMATS_MODEL_MAPPED_IMAGE_H
#define PP_FORMATS_MODEL_MAPPED_IMAGE_H

#include "profile.h"

/**
 * mapped_image - the image of a mapping
 * @name: a path, "[kernel.kallsyms]", "[ext4]", "[vdso]", "[heap]", "//anon", ""...; must live as
 *	long as what is returned
 * @start, @end: addresses
 * @offset: of @start in the file
 */
struct prof_image mapped_image(const char *name, uint64_t start, uint64_t end, uint64_t offset);

/* Gives it a build-id in hexadecimal; NULL, or what is none or too long, leaves it unknown. */
void mapped_image_build_id(struct prof_image *image, const char *text);

struct mapping {
	char *name; /* which the caller frees */
	uint64_t start, end, offset;
};

/* The reverse of mapped_image(), for an image that prof_layout() has given its place.  What is no
 * file begins at its offset 0. */
struct mapping mapping_of(const struct prof_image *image);

/* True if the name is that of a shared library: "libc.so", "libc.so.6", "libc-2.31.so". */
bool mapped_image_is_library(const char *name);

/* Whether a mapped file may be a program: it is no library, loader, device, memory that has a name,
 * nor compiled byte code. */
bool mapped_image_may_be_program(const char *path);

#endif
