// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading names of CPU profiles. */
#include "names.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"
#include "libop/base/number.h"

#define INLINES_MOST 64

/* Splits what is called "NAME (FILE:LINE)". */
static void name_java(struct prof_line *line, char *name)
{
	char *open = strrchr(name, '('), *close = name + strlen(name) - 1, *colon, *slash;
	const char *digits;
	uint64_t number;

	line->function = name;
	if (!open || open == name || open[-1] != ' ' || *close != ')')
		return;
	open[-1] = *close = '\0';
	line->file = open + 1;
	colon = strrchr(open, ':');
	if (colon && (isdigit((unsigned char)colon[1]) || colon[1] == '-')) {
		*colon = '\0';
		digits = colon + 1;
		if (op_number_take(&digits, 10, INT64_MAX, &number))
			line->line = (int64_t)number;
		return;
	}
	slash = strrchr(open + 1, '/');
	if (slash)
		line->file = slash + 1;
}

/* google-pprof marks names that several functions have: "NAME<0000000000001149>". */
static void cut_mark(char *name)
{
	size_t length = strlen(name);
	char *mark = strrchr(name, '<');

	if (mark && mark > name && name[length - 1] == '>' &&
	    strspn(mark + 1, "0123456789abcdef") + 2 == strlen(mark) && strlen(mark) >= 10)
		*mark = '\0';
}

static size_t split_inlines(struct prof_line lines[INLINES_MOST], char *names)
{
	size_t n = 0;

	while (n < INLINES_MOST) {
		char *end = strstr(names, "--");

		if (end)
			*end = '\0';
		cut_mark(names);
		if (*names)
			lines[n++].function = names;
		if (!end)
			break;
		names = end + 2;
	}
	return n;
}

static void gperftools_names_take_line(char *line, bool java, cpuprofile_name_fn *take,
				       void *context)
{
	struct prof_line lines[INLINES_MOST] = {0};
	const char *digits;
	uint64_t address;
	size_t n = 1;
	char *end;

	while (isspace((unsigned char)*line))
		line++;
	if (line[0] != '0' || line[1] != 'x')
		return;
	digits = line + 2;
	if (!op_number_take(&digits, 16, UINT64_MAX, &address))
		return;
	end = line + (digits - line);
	while (isspace((unsigned char)*end))
		end++;
	if (!*end)
		return;
	if (java)
		name_java(&lines[0], end);
	else
		n = split_inlines(lines, end);
	if (n)
		take(context, address, lines, n);
}

static void take_lines(struct cpuprofile_text text, bool java, cpuprofile_name_fn *take,
		       void *context)
{
	const char *at = text.bytes, *end;
	char *line = NULL;
	size_t capacity = 0;

	if (!text.length)
		return;
	end = at + text.length;
	while (at < end) {
		const char *line_end = memchr(at, '\n', (size_t)(end - at));
		size_t length = (size_t)((line_end ? line_end : end) - at);

		line = op_grow(line, &capacity, length + 1, 1);
		memcpy(line, at, length);
		while (length && isspace((unsigned char)line[length - 1]))
			length--;
		line[length] = '\0';
		gperftools_names_take_line(line, java, take, context);
		at = line_end ? line_end + 1 : end;
	}
	free(line);
}

void cpuprofile_symbols(struct cpuprofile_text text, cpuprofile_name_fn *take, void *context)
{
	take_lines(text, false, take, context);
}

void cpuprofile_java_names(struct cpuprofile_text text, cpuprofile_name_fn *take, void *context)
{
	take_lines(text, true, take, context);
}
