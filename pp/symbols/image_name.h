/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of images, as reports show and sort them. */
#ifndef PP_SYMBOLS_IMAGE_NAME_H
#define PP_SYMBOLS_IMAGE_NAME_H

#include "libop/session/sample_name.h"

/* The order of names in reports; 0 for one image. */
int pp_compare_images(const struct op_image_name *a, const struct op_image_name *b);

/* The name of an image in reports; the caller frees it. */
char *pp_image_full_name(const struct op_image_name *id);

#endif
