// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lines of /proc/PID/maps: see proc_maps.h.
 */
#include "proc_maps.h"

#include <string.h>

#include "field.h"

/* Return: what follows, or NULL. */
static const char *read_range(const char *at, struct op_maps_line *mapping)
{
	at = op_field_hex(at, &mapping->start);
	if (!at || *at != '-')
		return NULL;
	at = op_field_hex(at + 1, &mapping->end);
	return at && *at == ' ' && mapping->start < mapping->end ? at : NULL;
}

/* "r-xp" */
static const char *read_permissions(const char *at, struct op_maps_line *mapping)
{
	const char *word = op_field_skip_blanks(at), *end = op_field_skip_word(word);

	if (end - word != 4)
		return NULL;
	mapping->executable = word[2] == 'x';
	return end;
}

/* "MAJOR:MINOR" */
static const char *read_device(const char *at, struct op_maps_line *mapping)
{
	uint64_t major, minor;

	at = op_field_hex(op_field_skip_blanks(at), &major);
	at = at && *at == ':' ? op_field_hex(at + 1, &minor) : NULL;
	if (!at || major > UINT32_MAX || minor > UINT32_MAX)
		return NULL;
	mapping->major = (uint32_t)major;
	mapping->minor = (uint32_t)minor;
	return at;
}

bool op_maps_line_read(const char *line, struct op_maps_line *mapping)
{
	const char *at = read_range(line, mapping);

	mapping->line = line;
	at = at ? read_permissions(at, mapping) : NULL;
	at = at ? op_field_hex(op_field_skip_blanks(at), &mapping->offset) : NULL;
	at = at && *at == ' ' ? read_device(at, mapping) : NULL;
	at = at && *at == ' ' ? op_field_decimal(op_field_skip_blanks(at), &mapping->inode) : NULL;
	if (!at || (*at != ' ' && !op_field_is_end(*at)))
		return false;
	while (*at == ' ')
		at++;
	mapping->name = at;
	mapping->name_length = strcspn(at, "\n");
	return true;
}

bool op_maps_next(const char **text, struct op_maps_line *mapping)
{
	bool good = false;

	while (!good && **text) {
		good = op_maps_line_read(*text, mapping);
		*text += strcspn(*text, "\n");
		if (**text)
			(*text)++;
	}
	return good;
}
