// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A view as lines of text: see table.h.
 */
#include "table.h"

#include <langinfo.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "libop/base/safe_text.h"
#include "libop/base/utf8.h"

/* ---- text in columns ---- */

static bool is_utf8(void)
{
	return !strcmp(nl_langinfo(CODESET), "UTF-8");
}

/* A character, or the escape of a byte, at the start of @text. */
struct piece {
	size_t bytes; /* of @text */
	char escape[OP_SAFE_ESCAPE];
	int columns;
};

static struct piece first_piece(const char *text, size_t n, bool utf8)
{
	struct piece piece = {.bytes = 1, .columns = 1};
	uint32_t code;
	size_t length = op_utf8_character(text, n, &code);

	if (length && op_safe_length(text, length) == length && (length == 1 || utf8)) {
		piece.columns = length == 1 ? 1 : wcwidth((wchar_t)code);
		piece.bytes = length;
		if (piece.columns >= 0)
			return piece;
		piece.bytes = 1;
	}
	op_safe_escape(*text, piece.escape);
	piece.columns = (int)strlen(piece.escape);
	return piece;
}

static void put_piece(struct op_buffer *out, const char *text, const struct piece *piece)
{
	if (piece->escape[0])
		op_buffer_put(out, piece->escape, strlen(piece->escape));
	else
		op_buffer_put(out, text, piece->bytes);
}

static int columns_of(const char *text, size_t n, bool utf8)
{
	int columns = 0;

	for (size_t at = 0; at < n;) {
		struct piece piece = first_piece(text + at, n - at, utf8);

		columns += piece.columns;
		at += piece.bytes;
	}
	return columns;
}

/* Puts the pieces that begin in columns @from up to, and wholly before, @to.  Return: columns. */
static int put_columns(struct op_buffer *out, const char *text, size_t n, bool utf8, int from,
		       int to)
{
	int column = 0, used = 0;

	for (size_t at = 0; at < n;) {
		struct piece piece = first_piece(text + at, n - at, utf8);

		if (column >= from && column + piece.columns <= to) {
			put_piece(out, text + at, &piece);
			used += piece.columns;
		}
		column += piece.columns;
		at += piece.bytes;
	}
	return used;
}

int table_fit(struct op_buffer *out, const char *text, size_t n, int width)
{
	bool utf8 = is_utf8();
	const char *gap = utf8 ? "…" : "..";
	int columns = columns_of(text, n, utf8), gap_width = utf8 ? 1 : 2, used;

	if (width == TABLE_ANY_WIDTH || columns <= width)
		return put_columns(out, text, n, utf8, 0, columns);
	if (width <= gap_width)
		return put_columns(out, text, n, utf8, 0, width > 0 ? width : 0);
	used = put_columns(out, text, n, utf8, 0, (width - gap_width + 1) / 2);
	op_buffer_put(out, gap, strlen(gap));
	used += gap_width;
	return used + put_columns(out, text, n, utf8, columns - (width - used), columns);
}

static void put_spaces(struct op_buffer *out, int n)
{
	while (n-- > 0)
		op_buffer_u8(out, ' ');
}

static void put_format(struct op_buffer *out, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Numbers and words of our own. */
static void put_format(struct op_buffer *out, const char *format, ...)
{
	char text[128];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (n > 0)
		op_buffer_put(out, text, strlen(text));
}

/* ---- rows ---- */

#define PLACE_WIDTH 24
#define PLACE_LEAST 70 /* columns of a screen that has room for places */
#define NAME_LEAST  8

static bool has_place(const struct view_request *request, int width)
{
	return (request->by == BY_FUNCTION || request->by == BY_THREAD) &&
	       (width == TABLE_ANY_WIDTH || width >= PLACE_LEAST);
}

static int numbers_width(const struct view *view)
{
	return view->has_total ? 28 : 19;
}

/* Puts the name and place of a row, or of the heading, in what the numbers have left. */
static void put_names(struct op_buffer *out, const struct view *view,
		      const struct view_request *request, const struct op_buffer *name,
		      const struct op_buffer *place, int width)
{
	int left = width - numbers_width(view), used;

	if (!has_place(request, width)) {
		if (width == TABLE_ANY_WIDTH || left > 0)
			table_fit(out, (const char *)name->bytes, name->used,
				  width == TABLE_ANY_WIDTH ? width : left);
		return;
	}
	if (width == TABLE_ANY_WIDTH) {
		used = table_fit(out, (const char *)place->bytes, place->used, width);
		put_spaces(out, PLACE_WIDTH - used);
		op_buffer_u8(out, ' ');
		table_fit(out, (const char *)name->bytes, name->used, width);
		return;
	}
	used = table_fit(out, (const char *)place->bytes, place->used, PLACE_WIDTH);
	put_spaces(out, PLACE_WIDTH + 1 - used);
	table_fit(out, (const char *)name->bytes, name->used, left - PLACE_WIDTH - 1);
}

/* A terminal that is narrower than the numbers shows their beginning. */
static void cut(struct op_buffer *out, size_t begin, int width)
{
	struct op_buffer line = {0};

	if (width == TABLE_ANY_WIDTH || width >= 28 + NAME_LEAST || out->failed)
		return;
	op_buffer_put(&line, out->bytes + begin, out->used - begin);
	out->used = begin;
	put_columns(out, (const char *)line.bytes, line.used, is_utf8(), 0, width);
	out->failed |= line.failed;
	op_buffer_free(&line);
}

void table_put_heading(struct op_buffer *out, const struct view *view,
		       const struct view_request *request, int width)
{
	struct op_buffer name = {0}, place = {0};
	size_t begin = out->used;

	put_format(out, view->has_total ? "%8s %8s %9s " : "%8s %9s ", "SELF",
		   view->has_total ? "TOTAL" : "SAMPLES/S", "SAMPLES/S");
	put_format(&name, "%s", dimension_names[request->by]);
	put_format(&place, "%s", request->by == BY_FUNCTION ? "image" : "application");
	for (size_t i = 0; i < name.used; i++)
		name.bytes[i] -= name.bytes[i] >= 'a' ? 32 : 0;
	for (size_t i = 0; i < place.used; i++)
		place.bytes[i] -= place.bytes[i] >= 'a' ? 32 : 0;
	put_names(out, view, request, &name, &place, width);
	op_buffer_free(&name);
	op_buffer_free(&place);
	cut(out, begin, width);
}

static double percent(double part, double all)
{
	return all > 0 ? 100 * part / all : 0;
}

void table_put_row(struct op_buffer *out, const struct model *model, const struct view *view,
		   const struct view_request *request, const struct view_row *row, int width)
{
	struct op_buffer name = {0}, place = {0};
	size_t begin = out->used;

	put_format(out, "%7.2f%% ", percent(row->self, view->weight));
	if (view->has_total)
		put_format(out, "%7.2f%% ", percent(row->total, view->weight));
	put_format(out, "%9.1f ", row->rate);
	view_put_name(&name, model, request->by, row->key);
	view_put_place(&place, model, request->by, row->key);
	put_names(out, view, request, &name, &place, width);
	out->failed |= name.failed || place.failed;
	op_buffer_free(&name);
	op_buffer_free(&place);
	cut(out, begin, width);
}

/* Of a path, its last component. */
static void put_short_name(struct op_buffer *out, const struct model *model, enum dimension by,
			   uint32_t key)
{
	struct op_buffer name = {0};
	const uint8_t *slash;

	view_put_name(&name, model, by, key);
	slash = name.used ? memrchr(name.bytes, '/', name.used) : NULL;
	if (slash && slash + 1 < name.bytes + name.used)
		op_buffer_put(out, slash + 1, (size_t)(name.bytes + name.used - slash - 1));
	else
		op_buffer_put(out, name.bytes, name.used);
	out->failed |= name.failed;
	op_buffer_free(&name);
}

static const char *const period_words[] = {"of the last interval", "recent", "since the start"};

void table_put_title(struct op_buffer *out, const struct model *model, const struct view *view,
		     const struct view_request *request, int width)
{
	struct op_buffer text = {0};

	put_format(&text, "%.0f samples/s", view->rate);
	if (request->by != BY_EVENT) {
		op_buffer_put(&text, " of ", 4);
		view_put_name(&text, model, BY_EVENT, request->event);
	}
	put_format(&text, ", by %s, %s", dimension_names[request->by],
		   period_words[request->period]);
	if (request->sort != SORT_SELF || request->reversed)
		put_format(&text, ", sorted by %s%s", view_sort_names[request->sort],
			   request->reversed ? " upwards" : "");
	for (int i = 0; i < DIMENSIONS; i++) {
		if (request->only[i] == VIEW_NO_KEY)
			continue;
		op_buffer_put(&text, "; only ", 7);
		put_short_name(&text, model, (enum dimension)i, request->only[i]);
	}
	if (request->filter && *request->filter) {
		op_buffer_put(&text, "; with \"", 8);
		op_buffer_put(&text, request->filter, strlen(request->filter));
		op_buffer_u8(&text, '"');
	}
	table_fit(out, (const char *)text.bytes, text.used, width);
	out->failed |= text.failed;
	op_buffer_free(&text);
}

int table_write(FILE *out, const struct model *model, const struct view *view,
		const struct view_request *request, size_t rows_most)
{
	struct op_buffer text = {0};

	table_put_title(&text, model, view, request, TABLE_ANY_WIDTH);
	op_buffer_u8(&text, '\n');
	table_put_heading(&text, view, request, TABLE_ANY_WIDTH);
	op_buffer_u8(&text, '\n');
	for (size_t i = 0; i < view->rows && i < rows_most; i++) {
		table_put_row(&text, model, view, request, &view->row[i], TABLE_ANY_WIDTH);
		op_buffer_u8(&text, '\n');
	}
	if (view->rows > rows_most)
		put_format(&text, "(%zu more)\n", view->rows - rows_most);
	if (!text.failed)
		fwrite(text.bytes, 1, text.used, out);
	op_buffer_free(&text);
	return text.failed ? -1 : 0;
}
