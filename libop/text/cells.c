// SPDX-License-Identifier: GPL-2.0-or-later
/* Lines of reports. */
#include "cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"
#include "libop/base/safe_text.h"
#include "shorten.h"

/* Ensures space for @n more bytes. */
static char *room(struct op_line *line, size_t n)
{
	line->text = op_grow(line->text, &line->capacity, line->n + n, 1);
	return line->text + line->n;
}

void op_line_add(struct op_line *line, const char *text, size_t n)
{
	if (!n) /* nothing may be nowhere */
		return;
	memcpy(room(line, n), text, n);
	line->n += n;
}

void op_line_puts(struct op_line *line, const char *text)
{
	op_line_add(line, text, strlen(text));
}

void op_line_safe_add(struct op_line *line, const char *name, size_t n)
{
	char escape[OP_SAFE_ESCAPE];

	for (;;) {
		size_t length = op_safe_length(name, n);

		op_line_add(line, name, length);
		if (length == n)
			return;
		op_safe_escape(name[length], escape);
		op_line_puts(line, escape);
		name += length + 1;
		n -= length + 1;
	}
}

void op_line_safe(struct op_line *line, const char *name)
{
	op_line_safe_add(line, name, strlen(name));
}

/* @quoted: the text is within quotes, so those in it are doubled. */
static void add_csv(struct op_line *line, const char *text, bool quoted)
{
	for (size_t n; *text; text += n) {
		if (strchr("=+-@", *text))
			op_line_add(line, "'", 1);
		n = strcspn(text, ",;\"");
		n += text[n] != '\0';
		op_line_safe_add(line, text, n);
		if (quoted && text[n - 1] == '"')
			op_line_add(line, "\"", 1);
	}
}

void op_line_csv(struct op_line *line, const char *text)
{
	bool quoted = text[strcspn(text, ",;\"\r\n")];

	if (quoted)
		op_line_add(line, "\"", 1);
	add_csv(line, text, quoted);
	if (quoted)
		op_line_add(line, "\"", 1);
}

void op_line_csv_comment(struct op_line *line, const char *text)
{
	add_csv(line, text, false);
}

size_t op_line_columns(const struct op_line *line)
{
	return op_text_columns(line->text, line->n);
}

void op_line_short(struct op_line *line, const char *name, size_t columns)
{
	size_t start = line->n, width;
	char *shorter;

	op_line_safe(line, name);
	width = op_text_columns(line->text + start, line->n - start);
	if (width > columns) {
		op_line_add(line, "", 1);
		shorter = op_text_shorten(line->text + start, columns);
		line->n = start;
		op_line_puts(line, shorter);
		width = op_text_columns(shorter, strlen(shorter));
		free(shorter);
	}
	line->cell += line->n - start - width;
}

void op_line_safe_tabs(struct op_line *line, const char *text)
{
	for (size_t n; n = strcspn(text, "\t"), text[n]; text += n + 1) {
		op_line_safe_add(line, text, n);
		op_line_add(line, "\t", 1);
	}
	op_line_safe(line, text);
}

static void add_blanks(struct op_line *line, size_t n)
{
	memset(room(line, n), ' ', n);
	line->n += n;
}

/* Digits of @value at the end of @end[-20]; the number of them. */
static unsigned int put_digits(char *end, uint64_t value)
{
	unsigned int n = 0;

	do {
		*--end = '0' + value % 10;
		value /= 10;
		n++;
	} while (value);
	return n;
}

void op_line_count(struct op_line *line, uint64_t count, unsigned int width)
{
	char digits[20];
	unsigned int n = put_digits(digits + sizeof(digits), count);

	if (n < width)
		add_blanks(line, width - n);
	op_line_add(line, digits + sizeof(digits) - n, n);
}

void op_line_hex(struct op_line *line, uint64_t value, unsigned int digits)
{
	char text[16];
	unsigned int n = 0;

	while (n < 16 && (value || n < digits)) {
		text[15 - n++] = "0123456789abcdef"[value & 15];
		value >>= 4;
	}
	op_line_add(line, text + 16 - n, n);
}

void op_line_percent(struct op_line *line, double percent)
{
	uint64_t fixed; /* in units of 1/10000, or of 1/1000 from 100 on */
	int decimals = percent < 99.99995 ? 4 : 3;
	unsigned int n;
	char text[32];

	if (percent == 0) {
		op_line_puts(line, "      0");
		return;
	}
	if (percent <= 0.001 || percent >= 999) {
		snprintf(text, sizeof(text), "%7.1e", percent);
		op_line_puts(line, text);
		return;
	}
	fixed = llrint(percent * (decimals == 4 ? 10000 : 1000));
	/* At least one digit precedes the point: "00518" for 0.0518. */
	n = put_digits(text + 20, fixed);
	while (n <= (unsigned int)decimals)
		text[20 - ++n] = '0';
	if (n + 1 < 7)
		add_blanks(line, 7 - 1 - n);
	op_line_add(line, text + 20 - n, n - decimals);
	op_line_add(line, ".", 1);
	op_line_add(line, text + 20 - decimals, decimals);
}

static void put_brief_percent(struct op_line *line, double percent)
{
	char text[32];

	if (percent == 0)
		op_line_puts(line, "     0");
	else if (percent < 0.005)
		op_line_puts(line, " <0.01");
	else if (percent >= 999.995)
		op_line_puts(line, "  >999");
	else
		op_line_add(line, text, (size_t)snprintf(text, sizeof(text), "%6.2f", percent));
}

void op_line_tone(struct op_line *line, enum op_tone tone)
{
	/* SGR of ECMA-48: all off, bold, yellow, bold red, red. */
	static const char *const codes[] = {
		[OP_TONE_PLAIN] = "\033[m",   [OP_TONE_HEAD] = "\033[1m",
		[OP_TONE_WARM] = "\033[33m",  [OP_TONE_HOT] = "\033[1;31m",
		[OP_TONE_ALARM] = "\033[31m",
	};

	if (!line->color)
		return;
	if (line->n == line->lead)
		line->lead += strlen(codes[tone]);
	op_line_puts(line, codes[tone]);
	line->cell += strlen(codes[tone]);
}

static enum op_tone tone_of(double percent)
{
	return percent >= 10 ? OP_TONE_HOT : percent >= 1 ? OP_TONE_WARM : OP_TONE_PLAIN;
}

/* From one tone to another, which does not add to it. */
static void change_tone(struct op_line *line, enum op_tone from, enum op_tone to)
{
	if (from != to && from != OP_TONE_PLAIN)
		op_line_tone(line, OP_TONE_PLAIN);
	if (from != to && to != OP_TONE_PLAIN)
		op_line_tone(line, to);
}

void op_line_share(struct op_line *line, double percent)
{
	enum op_tone tone = tone_of(percent);

	change_tone(line, line->row, tone);
	if (line->brief)
		put_brief_percent(line, percent);
	else
		op_line_percent(line, percent);
	change_tone(line, tone, line->row);
}

void op_line_row(struct op_line *line, double percent)
{
	change_tone(line, line->row, tone_of(percent));
	line->row = tone_of(percent);
}

void op_line_cell(struct op_line *line)
{
	if (line->n < line->cell)
		add_blanks(line, line->cell - line->n);
	else if (line->n > line->lead && line->text[line->n - 1] != ' ')
		add_blanks(line, 1);
}

void op_line_width(struct op_line *line, size_t width)
{
	line->cell = line->n + width;
}

void op_line_flush(struct op_line *line, FILE *out)
{
	fwrite_unlocked(line->text, 1, line->n, out);
	line->n = line->cell = line->lead = 0;
}

void op_line_end(struct op_line *line, FILE *out)
{
	change_tone(line, line->row, OP_TONE_PLAIN);
	line->row = OP_TONE_PLAIN;
	op_line_add(line, "\n", 1);
	op_line_flush(line, out);
}

void op_line_free(struct op_line *line)
{
	free(line->text);
}

double op_percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * part / whole : 0;
}

char *op_hex(const unsigned char *bytes, size_t n)
{
	static const char digits[] = "0123456789abcdef";
	char *text = op_alloc(2 * n + 1, 1);

	for (size_t i = 0; i < n; i++) {
		text[2 * i] = digits[bytes[i] >> 4];
		text[2 * i + 1] = digits[bytes[i] & 15];
	}
	return text;
}
