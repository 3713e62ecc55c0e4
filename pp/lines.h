/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source lines of addresses: the line table of an object file, read once into a flat array.
 */
#ifndef PP_LINES_H
#define PP_LINES_H

#include <stdint.h>

struct pp_lines;

/**
 * pp_lines_read - read the line table of an object file
 * @path: the image, or its separate debug file
 *
 * Return: a table for pp_lines_free(), or NULL if there are no lines in the file.
 */
struct pp_lines *pp_lines_read(const char *path);
void pp_lines_free(struct pp_lines *lines); /* may be NULL */

/**
 * pp_lines_find - the line that an address belongs to
 * @vma: as in the object file
 * @line: set to the line number
 *
 * Return: the file's name, which lives as long as @lines, or NULL: nothing is known.
 */
const char *pp_lines_find(const struct pp_lines *lines, uint64_t vma, int *line);

#endif
