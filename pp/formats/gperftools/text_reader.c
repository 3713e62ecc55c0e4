// SPDX-License-Identifier: GPL-2.0-or-later
/* Stacks and names in text profiles: see text_reader.h. */
#include "text_reader.h"

#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"
#include "libop/base/number.h"

void text_reader_open(struct text_reader *reader)
{
	reader->addresses = op_alloc(PROF_DEPTH_MOST, sizeof(*reader->addresses));
	reader->frames = op_alloc(PROF_DEPTH_MOST, sizeof(*reader->frames));
}

void text_reader_close(struct text_reader *reader)
{
	text_end_names(reader);
	cpuprofile_places_free(&reader->places);
	free(reader->addresses);
	free(reader->frames);
}

/* ---- words of a line ---- */

void text_skip_blanks(const char **at)
{
	*at += strspn(*at, " \t");
}

bool text_take_mark(const char **at, char mark)
{
	text_skip_blanks(at);
	if (**at != mark)
		return false;
	++*at;
	return true;
}

bool text_take_number(const char **at, uint64_t *number)
{
	text_skip_blanks(at);
	return op_number_take(at, 10, TEXT_NUMBER_MOST, number);
}

bool text_take_pair(const char **at, uint64_t *count, uint64_t *bytes)
{
	return text_take_number(at, count) && text_take_mark(at, ':') &&
	       text_take_number(at, bytes);
}

bool text_take_address(const char **at, uint64_t *address)
{
	text_skip_blanks(at);
	if ((*at)[0] != '0' || (*at)[1] != 'x')
		return false;
	*at += 2;
	return op_number_take(at, 16, UINT64_MAX, address);
}

/* ---- stacks ---- */

void text_add_frame(struct text_reader *reader, uint64_t address, enum text_stack stack)
{
	size_t i = reader->depth;

	if (i == PROF_DEPTH_MOST) {
		reader->cut++;
		return;
	}
	reader->addresses[i] = address;
	if (!i && stack == TEXT_RETURNS && address)
		address--;
	if (i && stack == TEXT_NUMBERS && address < UINT64_MAX)
		address++;
	reader->frames[reader->depth++] = cpuprofile_frame(&reader->places, address, i);
}

bool text_take_stack(struct text_reader *reader, const char *at, enum text_stack stack)
{
	uint64_t address;

	while (text_skip_blanks(&at), *at) {
		if (!text_take_address(&at, &address))
			return false;
		text_add_frame(reader, address, stack);
	}
	return true;
}

int text_push(struct text_reader *reader, const struct prof_value *values, size_t n)
{
	const struct prof_sample sample = {
		.frames = reader->frames,
		.depth = reader->depth,
		.values = values,
		.n_values = n,
		.app = reader->places.app,
		.comm = reader->comm,
		.pid = PROF_ANY,
		.tid = reader->tid,
		.cpu = PROF_ANY,
	};

	return n ? reader->sink->sample(reader->sink, &sample, reader->error) : 0;
}

/* ---- names ---- */

void text_name_frame(struct text_reader *reader, size_t i, const struct prof_line *lines, size_t n)
{
	struct prof_frame place = reader->frames[i];

	/* a caller is looked up in the call */
	if (i && place.offset)
		place.offset--;
	reader->sink->lines(reader->sink, &place, lines, n);
}

/* The address that Go prints is the one before that of the stack, or the same. */
void text_end_names(struct text_reader *reader)
{
	struct prof_line lines[TEXT_INLINES_MOST];

	for (size_t i = 0; i < reader->n_names; i++)
		lines[i] = (struct prof_line){.function = reader->names[i].function,
					      .file = reader->names[i].file,
					      .line = reader->names[i].line};
	for (size_t i = 0; reader->n_names && i < reader->depth; i++)
		if (reader->addresses[i] == reader->named ||
		    reader->addresses[i] - 1 == reader->named)
			text_name_frame(reader, i, lines, reader->n_names);
	for (size_t i = 0; i < reader->n_names; i++) {
		free(reader->names[i].function);
		free(reader->names[i].file);
	}
	reader->n_names = 0;
}

/* "main.work+0x16" is main.work. */
static char *copy_function(const char *at, size_t n)
{
	char *function = op_format("%.*s", (int)n, at), *plus = strrchr(function, '+');

	if (plus && plus > function && !strncmp(plus, "+0x", 3))
		*plus = '\0';
	return function;
}

/* "/src/a.go:12" */
static void text_name_take_file(struct text_name *name, const char *at)
{
	const char *colon, *digits;
	uint64_t line;

	text_skip_blanks(&at);
	colon = strrchr(at, ':');
	digits = colon ? colon + 1 : at;
	if (!colon || colon == at || !op_number_take(&digits, 10, INT32_MAX, &line) || *digits)
		return;
	name->file = op_format("%.*s", (int)(colon - at), at);
	name->line = (int64_t)line;
}

void text_take_name(struct text_reader *reader, const char *line)
{
	const char *at = line + 1;
	struct text_name *name;
	uint64_t address;
	size_t n;

	if (!text_take_address(&at, &address))
		return;
	text_skip_blanks(&at);
	n = strcspn(at, "\t");
	if (!n)
		return;
	if (reader->n_names && reader->named != address)
		text_end_names(reader);
	if (reader->n_names == TEXT_INLINES_MOST)
		return;
	reader->named = address;
	name = &reader->names[reader->n_names++];
	*name = (struct text_name){.function = copy_function(at, n)};
	text_name_take_file(name, at + n);
}
