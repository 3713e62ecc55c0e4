// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading the mappings of CPU profiles. */
#include "maps.h"

#include <ctype.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libop/elf/field.h"
#include "libop/base/memory.h"

/* More would not come from anyone but to waste time. */
#define VARIABLES_MAX 64
#define BUILD_ID_MIN  8 /* digits of a word that is taken for one */

struct variable {
	char *name, *value;
};

struct reader {
	struct cpuprofile_maps *maps;
	struct variable variables[VARIABLES_MAX];
	size_t n_variables;
	char line[PATH_MAX + 256]; /* longer ones are none */
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static const char *end_of_word(const char *text)
{
	return text + strcspn(text, " \t");
}

/* "START-END", and a colon after it if there is one. */
static const char *read_range(const char *text, struct cpuprofile_map *map)
{
	text = op_field_hex(op_field_skip_blanks(text), &map->start);
	if (!text || (*text != '-' && *text != ' ' && *text != '\t'))
		return NULL;
	text = op_field_hex(op_field_skip_blanks(*text == '-' ? text + 1 : text), &map->end);
	if (!text || map->end <= map->start)
		return NULL;
	return *text == ':' ? text + 1 : text;
}

static const char *read_permissions(const char *text, bool *executable)
{
	const char *word = op_field_skip_blanks(text), *end = end_of_word(word);
	size_t length = (size_t)(end - word);

	*executable = true;
	if (length < 3 || length > 5 || strspn(word, "-rwxps") != length)
		return text;
	*executable = memchr(word, 'x', length) != NULL;
	return end;
}

/* "OFFSET DEVICE INODE"; NULL if that is not what stands there. */
static const char *read_place(const char *text, uint64_t *offset)
{
	const char *end;
	uint64_t number;

	text = op_field_hex(op_field_skip_blanks(text), offset);
	if (!text || *text != ' ')
		return NULL;
	text = op_field_hex(op_field_skip_blanks(text), &number);
	text = text && *text == ':' ? op_field_hex(text + 1, &number) : NULL;
	if (!text)
		return NULL;
	text = op_field_skip_blanks(text);
	end = text + strspn(text, "0123456789");
	return end > text && (!*end || *end == ' ') ? end : NULL;
}

static void cut_end(char *text, const char *suffix)
{
	size_t length = strlen(text), cut = strlen(suffix);

	if (length > cut && !strcmp(text + length - cut, suffix))
		text[length - cut] = '\0';
}

/* Takes a build-id off the end of @path: a word of digits that stands alone. */
static char *cut_build_id(char *path)
{
	char *word = strrchr(path, ' ');
	size_t digits;

	if (!word)
		return NULL;
	digits = strspn(word + 1, "0123456789abcdefABCDEF");
	if (digits < BUILD_ID_MIN || digits % 2 || word[1 + digits])
		return NULL;
	*word++ = '\0';
	return op_copy(word);
}

/* "PATH (@OFFSET) BUILDID"; the last two may be missing. */
static void read_brief(struct cpuprofile_map *map, char *path)
{
	char *at;
	uint64_t offset;

	map->build_id = cut_build_id(path);
	at = strstr(path, "(@");
	if (at && op_field_hex(at + 2, &offset)) {
		map->offset = offset;
		*at = '\0';
	}
}

static bool adjoins(const struct cpuprofile_map *before, const struct cpuprofile_map *map)
{
	return before->end == map->start &&
	       before->offset + (before->end - before->start) == map->offset &&
	       !strcmp(before->path, map->path);
}

static void maps_add(struct reader *reader, struct cpuprofile_map map, char *path)
{
	struct cpuprofile_maps *maps = reader->maps;

	for (size_t i = strlen(path); i && isspace((unsigned char)path[i - 1]); i--)
		path[i - 1] = '\0';
	cut_end(path, " (deleted)");
	map.path = path;
	if (maps->n && adjoins(&maps->items[maps->n - 1], &map)) {
		maps->items[maps->n - 1].end = map.end;
		free(map.build_id);
		return;
	}
	maps->items = op_grow(maps->items, &maps->capacity, maps->n + 1, sizeof(*maps->items));
	map.path = op_copy(path);
	maps->items[maps->n++] = map;
}

static const char *value_of(const struct reader *reader, const char *name, size_t length)
{
	for (size_t i = reader->n_variables; i; i--) {
		const struct variable *variable = &reader->variables[i - 1];

		if (strlen(variable->name) == length && !memcmp(variable->name, name, length))
			return variable->value;
	}
	return NULL;
}

/* Copies @text with the values of $NAME; false if that is longer than any path. */
static bool expand(const struct reader *reader, const char *text, char out[PATH_MAX])
{
	size_t n = 0;

	while (*text) {
		const char *value = NULL;
		size_t length = 1;

		if (*text == '$') {
			while (is_word(text[length]))
				length++;
			value = value_of(reader, text + 1, length - 1);
		}
		if (value) {
			text += length;
			length = strlen(value);
		}
		if (n + length >= PATH_MAX)
			return false;
		memcpy(out + n, value ? value : text, length);
		n += length;
		text += value ? 0 : length;
	}
	out[n] = '\0';
	return true;
}

static bool read_map(struct reader *reader)
{
	struct cpuprofile_map map = {0};
	const char *text = read_range(reader->line, &map), *place;
	char path[PATH_MAX];
	bool executable;

	if (!text)
		return false;
	text = read_permissions(text, &executable);
	place = read_place(text, &map.offset);
	if (!place)
		map.offset = 0;
	if (!executable || !expand(reader, op_field_skip_blanks(place ? place : text), path))
		return true;
	if (!place)
		read_brief(&map, path);
	maps_add(reader, map, path);
	return true;
}

static void read_variable(struct reader *reader)
{
	char *name = (char *)op_field_skip_blanks(reader->line), *value = strchr(name, '=');
	char expanded[PATH_MAX];
	size_t length = value ? (size_t)(value - name) : 0;

	if (!length || reader->n_variables == VARIABLES_MAX)
		return;
	for (size_t i = 0; i < length; i++)
		if (!is_word(name[i]))
			return;
	*value++ = '\0';
	if (!expand(reader, op_field_skip_blanks(value), expanded))
		return;
	reader->variables[reader->n_variables].name = op_copy(name);
	reader->variables[reader->n_variables++].value = op_copy(expanded);
}

static void read_line(struct reader *reader, const char *text, size_t length)
{
	while (length && isspace((unsigned char)text[length - 1]))
		length--;
	if (length >= sizeof(reader->line) || memchr(text, '\0', length))
		return;
	memcpy(reader->line, text, length);
	reader->line[length] = '\0';
	if (!read_map(reader))
		read_variable(reader);
}

void cpuprofile_maps_read(struct cpuprofile_maps *maps, const char *text, size_t length)
{
	struct reader *reader;
	const char *end;

	*maps = (struct cpuprofile_maps){0};
	if (!length)
		return;
	reader = op_alloc(1, sizeof(*reader));
	end = text + length;
	reader->maps = maps;
	while (text < end) {
		const char *line_end = memchr(text, '\n', (size_t)(end - text));

		if (!line_end)
			line_end = end;
		read_line(reader, text, (size_t)(line_end - text));
		text = line_end + (line_end < end);
	}
	for (size_t i = 0; i < reader->n_variables; i++) {
		free(reader->variables[i].name);
		free(reader->variables[i].value);
	}
	free(reader);
}

void cpuprofile_maps_free(struct cpuprofile_maps *maps)
{
	for (size_t i = 0; i < maps->n; i++) {
		free(maps->items[i].path);
		free(maps->items[i].build_id);
	}
	free(maps->items);
	*maps = (struct cpuprofile_maps){0};
}
