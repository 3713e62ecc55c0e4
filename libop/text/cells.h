/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers and cells of reports.  A report has a hundred thousand lines, so these do without
 * printf().
 */
#ifndef LIBOP_TEXT_CELLS_H
#define LIBOP_TEXT_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Of text on a terminal. */
enum op_tone {
	OP_TONE_PLAIN,
	OP_TONE_HEAD,  /* heads of columns, and what a block is about */
	OP_TONE_WARM,  /* 1 percent and more */
	OP_TONE_HOT,   /* 10 percent and more */
	OP_TONE_ALARM, /* what should not be */
};

/* A line that is put together. */
struct op_line {
	char *text;
	size_t n, capacity;
	size_t cell; /* where the next cell begins, at least */
	size_t lead; /* bytes of tones in front of all text */
	bool color;  /* tones are written */
	bool brief;  /* shares have two decimals, in 6 columns: "100.00", " <0.01" */
	enum op_tone row;
};

/* Adds @n bytes, or a string. */
void op_line_add(struct op_line *line, const char *text, size_t n);
void op_line_puts(struct op_line *line, const char *text);
/* Adds a name, with control characters and what is not UTF-8 escaped (safe_text.h). */
void op_line_safe(struct op_line *line, const char *name);
void op_line_safe_add(struct op_line *line, const char *name, size_t n);
/* The same, shortened to @columns (shorten.h); later cells stay in their columns. */
void op_line_short(struct op_line *line, const char *name, size_t columns);
/* The same for a line of source code, which keeps its tabs. */
void op_line_safe_tabs(struct op_line *line, const char *text);
/*
 * Adds a field of CSV, escaped as a name, and quoted if it needs to be.  A spreadsheet runs text
 * that begins with = + - or @ as a formula, and names are what other users choose: an apostrophe
 * makes it text.  A comma or semicolon in the field may be a border of cells for a spreadsheet, so
 * the same goes for what follows it.
 */
void op_line_csv(struct op_line *line, const char *text);
/* The same without quotes, for lines that are no fields, such as comments. */
void op_line_csv_comment(struct op_line *line, const char *text);
/* Adds a number, with blanks before it up to @width. */
void op_line_count(struct op_line *line, uint64_t count, unsigned int width);
/* Adds an address of @digits hexadecimal digits at least. */
void op_line_hex(struct op_line *line, uint64_t value, unsigned int digits);
/* Adds @percent in 7 columns: " 0.5178", "75.6634", "100.000", "1.0e-04", "      0". */
void op_line_percent(struct op_line *line, double percent);
/* The same in the tone that it deserves, in as many columns as the line says. */
void op_line_share(struct op_line *line, double percent);

/* Begins a cell: blanks up to where the last one ends, one at least. */
void op_line_cell(struct op_line *line);
/* Sets the width of the cell that was just begun. */
void op_line_width(struct op_line *line, size_t width);

/* Sets the tone of the following text, until the next one; it has no width. */
void op_line_tone(struct op_line *line, enum op_tone tone);

/* Columns that the line has so far. */
size_t op_line_columns(const struct op_line *line);

/* Begins a line in the tone that @percent deserves. */
void op_line_row(struct op_line *line, double percent);

/* Writes the line so far and continues it; for lines without cells. */
void op_line_flush(struct op_line *line, FILE *out);

/* Writes the line and begins a new one. */
void op_line_end(struct op_line *line, FILE *out);
void op_line_free(struct op_line *line);

/* @n bytes in hexadecimal; the caller frees it. */
char *op_hex(const unsigned char *bytes, size_t n);

/* @part of @whole in percent; 0 if @whole is 0. */
double op_percent(uint64_t part, uint64_t whole);

#endif
