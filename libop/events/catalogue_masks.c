// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The file of unit masks:
 *
 *	name:NAME type:bitmask default:0x3
 *		0x1 DESCRIPTION
 *		0x2 extra:cmask=1,inv SHORTNAME DESCRIPTION
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "catalogue_parse.h"
#include "libop/base/array.h"
#include "libop/base/number.h"

enum tag { TAG_NAME, TAG_TYPE, TAG_DEFAULT, NR_TAGS };

static const char *const tags[] = {
	[TAG_NAME] = "name",
	[TAG_TYPE] = "type",
	[TAG_DEFAULT] = "default",
};

int op_catalogue_parse_find_mask(const struct op_catalogue_parser *parser, const char *name)
{
	for (size_t i = 0; i < parser->places; i++) {
		if (!strcmp(parser->catalogue->unit_mask[i]->name, name))
			return (int)i;
	}
	return -1;
}

static int read_type(const struct op_catalogue_text *text, const char *value,
		     struct op_unit_mask *mask, struct op_error *error)
{
	for (int type = OP_UNIT_MASK_MANDATORY; type <= OP_UNIT_MASK_EXCLUSIVE; type++) {
		if (!strcmp(value, op_unit_mask_type_name(type))) {
			mask->type = type;
			return 0;
		}
	}
	return op_catalogue_text_error(text, 0, error,
				       "type:%s is not mandatory, bitmask or exclusive", value);
}

/* A default is hexadecimal or the short name of an entry that follows. */
static int read_default(const struct op_catalogue_text *text, const char *value,
			struct op_unit_mask *mask, struct op_error *error)
{
	mask->has_default = true;
	if (*value >= '0' && *value <= '9')
		return op_catalogue_text_hex(text, "default", value, &mask->default_value, error);
	mask->default_name = strdup(value);
	return mask->default_name ? 0 : op_error_memory(error);
}

static int read_header(struct op_catalogue_parser *parser, struct op_catalogue_text *text,
		       char *rest, struct op_unit_mask *mask, struct op_error *error)
{
	uint32_t seen = 0;
	char *word, *value;
	int other;

	while ((word = op_catalogue_text_word(&rest))) {
		switch (op_catalogue_text_tag(text, word, tags, NR_TAGS, &seen, &value, error)) {
		case TAG_NAME:
			mask->name = strdup(value);
			if (!mask->name)
				return op_error_memory(error);
			break;
		case TAG_TYPE:
			if (read_type(text, value, mask, error))
				return -1;
			break;
		case TAG_DEFAULT:
			if (read_default(text, value, mask, error))
				return -1;
			break;
		default:
			return -1;
		}
	}
	for (int i = 0; i < NR_TAGS; i++) {
		if (!(seen & 1u << i))
			return op_catalogue_text_error(text, 0, error, "%s: is missing", tags[i]);
	}
	if (strchr(mask->name, ','))
		return op_catalogue_text_error(
			text, 0, error, "name:%s: the name of a unit mask must not contain ','",
			mask->name);
	other = op_catalogue_parse_find_mask(parser, mask->name);
	if (other >= 0)
		return op_catalogue_text_error(
			text, 0, error, "name:%s is defined already at %s:%u", mask->name,
			parser->place[other].path, parser->place[other].line);
	return 0;
}

/* In specifications, a short name must differ from a number and from masks joined by '+'. */
static int check_short_name(const struct op_catalogue_text *text, const char *name,
			    struct op_error *error)
{
	uint64_t number;

	if (!name)
		return op_catalogue_text_error(text, 0, error, "no short name after extra:");
	if (strpbrk(name, ":+") || !op_number_parse(name, "", 0, UINT64_MAX, &number, NULL))
		return op_catalogue_text_error(
			text, 0, error, "the short name \"%s\" is a number or contains : or +",
			name);
	return 0;
}

static int read_entry(struct op_catalogue_text *text, char *rest, struct op_unit_mask *mask,
		      struct op_error *error)
{
	char *word = op_catalogue_text_word(&rest), *name = NULL;
	uint32_t value, extra = 0;
	struct op_error cause;

	if (op_catalogue_text_hex(text, "unit mask", word, &value, error))
		return -1;
	if (!strncmp(rest, "extra:", 6)) {
		word = op_catalogue_text_word(&rest);
		if (op_extra_parse(word + 6, &extra, &cause))
			return op_catalogue_text_error(text, 0, error, "%s", cause.text);
		name = op_catalogue_text_word(&rest);
		if (check_short_name(text, name, error))
			return -1;
	}
	for (size_t length = strlen(rest); length && strchr(" \t\r", rest[length - 1]);)
		rest[--length] = '\0';
	if (!*rest)
		return op_catalogue_text_error(text, 0, error, "0x%x has no description", value);
	if (mask->count == OP_UNIT_MASK_ENTRIES_MAX)
		return op_catalogue_text_error(text, 0, error,
					       "the unit mask %s has more than %d entries",
					       mask->name, OP_UNIT_MASK_ENTRIES_MAX);
	if (op_unit_mask_add(mask, value, extra, name, rest))
		return op_error_memory(error);
	return 0;
}

/* Resolves the default, after all entries of the mask are read. */
static int finish(const struct op_catalogue_text *text, const struct op_catalogue_place *place,
		  struct op_unit_mask *mask, struct op_error *error)
{
	const struct op_unit_mask_entry *entry;
	struct op_error cause;
	size_t copies;

	if (mask->default_name) {
		entry = op_unit_mask_named(mask, mask->default_name, &copies);
		if (copies != 1)
			return op_catalogue_text_error(
				text, place->line, error,
				"the unit mask %s: its default %s is the short name of %zu entries",
				mask->name, mask->default_name, copies);
		mask->default_value = entry->value;
		mask->default_extra = entry->extra;
	}
	if (op_unit_mask_check(mask, &cause))
		return op_catalogue_text_error(text, place->line, error, "the unit mask %s: %s",
					       mask->name, cause.text);
	if (!mask->default_name) {
		/* several entries with this number: ambiguous */
		if (op_unit_mask_number(mask, mask->default_value, &mask->default_extra, &cause))
			return op_catalogue_text_error(text, place->line, error,
						       "the unit mask %s: its default: %s",
						       mask->name, cause.text);
	}
	return 0;
}

/* Adds an empty mask, and where it is. */
static struct op_unit_mask *add_mask(struct op_catalogue_parser *parser,
				     const struct op_catalogue_text *text, struct op_error *error)
{
	struct op_unit_mask *mask;

	if (op_array_extend(parser->place, parser->places)) {
		op_error_memory(error);
		return NULL;
	}
	mask = calloc(1, sizeof(*mask));
	if (!mask || op_catalogue_add_mask(parser->catalogue, mask)) {
		free(mask);
		op_error_memory(error);
		return NULL;
	}
	parser->place[parser->places] =
		(struct op_catalogue_place){.path = text->path, .line = text->line};
	return mask;
}

int op_catalogue_parse_masks(struct op_catalogue_parser *parser, struct op_catalogue_text *text,
			     struct op_error *error)
{
	struct op_unit_mask *mask = NULL;
	bool indented;
	char *line;

	for (;;) {
		if (op_catalogue_text_line(text, &line, &indented, error))
			return -1;
		if (mask && (!line || !indented)) {
			if (finish(text, &parser->place[parser->places - 1], mask, error))
				return -1;
			mask = NULL;
		}
		if (!line)
			return 0;
		if (indented && !mask)
			return op_catalogue_text_error(text, 0, error,
						       "an entry outside a unit mask");
		if (indented) {
			if (read_entry(text, line, mask, error))
				return -1;
		} else if (!strncmp(line, "include:", 8)) {
			char *word = op_catalogue_text_word(&line);

			if (op_catalogue_parse_include(parser, text, word + 8, line, error))
				return -1;
		} else {
			mask = add_mask(parser, text, error);
			if (!mask || read_header(parser, text, line, mask, error))
				return -1;
			parser->places++;
		}
	}
}
