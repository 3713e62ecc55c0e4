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

/* What reports call the image OP_KERNEL_IMAGE, unless they show whole paths. */
#define PP_KERNEL_NAME "[kernel]"

/* The code that the kernel maps into each process, at another address each time. */
static inline bool pp_image_is_vdso(const struct op_image_name *id)
{
	return id->kind == OP_IMAGE_ANON && !strcmp(id->name, "[vdso]");
}

/* The order of names in reports; 0 for one image. */
int pp_compare_images(const struct op_image_name *a, const struct op_image_name *b);

/* The name of an image in reports; the caller frees it. */
char *pp_image_full_name(const struct op_image_name *id);

#endif
