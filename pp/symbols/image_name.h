/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of images, as reports show and sort them. */
#ifndef PP_SYMBOLS_IMAGE_NAME_H
#define PP_SYMBOLS_IMAGE_NAME_H

#include <stdbool.h>
#include <string.h>

#include "libop/session/sample_name.h"

/* Before the path of an image that is no file: an imported profile named it, and its functions. */
#define PP_NAMED_IMAGE "/[named]"

static inline bool pp_image_is_named(const char *name)
{
	return !strncmp(name, PP_NAMED_IMAGE "/", sizeof(PP_NAMED_IMAGE));
}

/* What recordings call the kernel. */
#define PP_RECORDED_KERNEL "[kernel.kallsyms]"

/* What the profile called it: a path, or a text that begins with "[". */
static inline const char *pp_image_without_named(const char *name)
{
	if (!pp_image_is_named(name))
		return name;
	name += sizeof(PP_NAMED_IMAGE) - 1;
	return name + (name[1] == '[');
}

/* The code that the kernel maps into each process, at another address each time. */
static inline bool pp_image_is_vdso(const struct op_image_name *id)
{
	return id->kind == OP_IMAGE_ANON && !strcmp(id->name, "[vdso]");
}

/*
 * What reports call code of the kernel, unless they show whole paths: "[kernel]", whoever recorded
 * it, and "[ftrace]" for code that the kernel has made, which it calls __builtin__ftrace.  The
 * caller frees it; NULL: it has no other name than in sample files.
 */
char *pp_image_kernel_name(const struct op_image_name *id);

/* The same, or the full name without directories; the caller frees it. */
char *pp_image_base_name(const struct op_image_name *id);

/* The order of names in reports; 0 for one image. */
int pp_compare_images(const struct op_image_name *a, const struct op_image_name *b);

/* The name of an image in reports, which need not be a path; the caller frees it. */
char *pp_image_full_name(const struct op_image_name *id);

#endif
