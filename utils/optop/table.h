/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A view as lines of text, for the screen, files and pipes.  Lines hold no byte that a terminal
 * takes for a command, whatever names hold.
 */
#ifndef UTILS_OPTOP_TABLE_H
#define UTILS_OPTOP_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "libop/base/buffer.h"
#include "view.h"

/* Of a table that is not cut: pipes and files. */
#define TABLE_ANY_WIDTH 0

/**
 * table_fit - put a text that is any bytes, in at most so many columns
 * @text: of @n bytes
 * @width: the most columns; TABLE_ANY_WIDTH: all of it
 *
 * Control characters and what is not UTF-8 are escaped as by safe_text.h.  What is too long is
 * left out in the middle.  Where the locale is not UTF-8, so is what it cannot show.
 *
 * Return: the columns that were used.
 */
int table_fit(struct op_buffer *out, const char *text, size_t n, int width);

/* The heading of the columns. */
void table_put_heading(struct op_buffer *out, const struct view *view,
		       const struct view_request *request, int width);

/* A row.  Both are lines without their end, and have at most @width columns. */
void table_put_row(struct op_buffer *out, const struct model *model, const struct view *view,
		   const struct view_request *request, const struct view_row *row, int width);

/* What is shown, of which samples: "2,000 samples/s of cpu-clock; by function, recent, ...". */
void table_put_title(struct op_buffer *out, const struct model *model, const struct view *view,
		     const struct view_request *request, int width);

/* All of it.  Return: 0, or -1 when out of memory. */
int table_write(FILE *out, const struct model *model, const struct view *view,
		const struct view_request *request, size_t rows_most);

#endif
