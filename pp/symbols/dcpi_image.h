/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * DCPI's name of an image: 14 digits of its modification time, and 6 of its build-id or path.
 */
#ifndef PP_SYMBOLS_DCPI_IMAGE_H
#define PP_SYMBOLS_DCPI_IMAGE_H

#include <stddef.h>
#include <stdint.h>

/* Size of the name in bytes, with the NUL. */
#define PP_DCPI_IMAGE_ID 21

/**
 * pp_dcpi_image_id - the name of an image
 * @mtime: of the file, seconds since 1970; 0 if not known
 * @build_id: of @n bytes; without any, @path takes its place
 */
void pp_dcpi_image_id(char id[PP_DCPI_IMAGE_ID], uint64_t mtime, const unsigned char *build_id,
		      size_t n, const char *path);

/* Writes a time (UTC) as by strftime(), or nothing if it is out of range. */
void pp_dcpi_time(char *text, size_t size, const char *format, uint64_t seconds);

#endif
