// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The file of events, one a line:
 *
 *	event:0xc0 counters:0,1 um:zero minimum:6000 name:INST_RETIRED : DESCRIPTION
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "catalogue_parse.h"
#include "libop/cpu/pmu.h"
#include "libop/base/strings.h"

enum tag { TAG_EVENT, TAG_COUNTERS, TAG_EXT, TAG_UM, TAG_MINIMUM, TAG_NAME, TAG_FILTER, NR_TAGS };

static const char *const tags[] = {
	[TAG_EVENT] = "event",	 [TAG_COUNTERS] = "counters", [TAG_EXT] = "ext",
	[TAG_UM] = "um",	 [TAG_MINIMUM] = "minimum",   [TAG_NAME] = "name",
	[TAG_FILTER] = "filter",
};

#define TAGS_NEEDED (1u << TAG_EVENT | 1u << TAG_UM | 1u << TAG_MINIMUM | 1u << TAG_NAME)

static int read_counters(const struct op_catalogue_parser *parser,
			 const struct op_catalogue_text *text, const char *value,
			 struct op_catalogue_event *event, struct op_error *error)
{
	const struct op_cpu_pmu *pmu = op_cpu_pmu(parser->catalogue->cpu_name);
	unsigned int limit = pmu && !pmu->perfmon ? pmu->counters : OP_COUNTERS_LIMIT;
	struct op_strings list = {0};
	uint32_t number;
	int result = 0;

	if (!strcmp(value, "cpuid")) {
		event->all_counters = true;
		return 0;
	}
	if (op_strings_split(&list, value, ','))
		result = op_error_memory(error);
	for (size_t i = 0; !result && i < list.count; i++) {
		result = op_catalogue_text_decimal(text, "counters", list.item[i], UINT32_MAX,
						   &number, error);
		if (!result && number >= limit)
			result = op_catalogue_text_error(
				text, 0, error, "counters: no counter %u: %s has %u", number,
				parser->catalogue->cpu_name, limit);
		if (!result && event->counters & 1ull << number)
			result = op_catalogue_text_error(text, 0, error,
							 "counters: %u is given twice", number);
		if (!result)
			event->counters |= 1ull << number;
	}
	op_strings_free(&list);
	return result;
}

static int read_ext(const struct op_catalogue_text *text, const char *value,
		    struct op_catalogue_event *event, struct op_error *error)
{
	if (strcmp(value, "ibs_fetch") && strcmp(value, "ibs_op"))
		return op_catalogue_text_error(text, 0, error, "ext:%s is not ibs_fetch or ibs_op",
					       value);
	event->ext = strdup(value);
	return event->ext ? 0 : op_error_memory(error);
}

static int read_name(const struct op_catalogue_text *text, const char *value,
		     struct op_catalogue_event *event, struct op_error *error)
{
	/* names of sample files are made of it, and specifications NAME:COUNT, ... */
	for (const char *c = value; *c; c++) {
		if (strchr("./:,+", *c) || !isgraph((unsigned char)*c))
			return op_catalogue_text_error(
				text, 0, error,
				"name:%s: the name of an event must not contain . / : , +", value);
	}
	event->name = strdup(value);
	return event->name ? 0 : op_error_memory(error);
}

/* Adds the entries of @part to @whole. */
static int merge(struct op_unit_mask *whole, const struct op_unit_mask *part)
{
	for (size_t i = 0; i < part->count; i++) {
		const struct op_unit_mask_entry *entry = &part->entry[i];

		if (op_unit_mask_add(whole, entry->value, entry->extra, entry->name,
				     entry->description))
			return -1;
	}
	whole->type = part->type;
	whole->default_value |= part->default_value;
	whole->default_extra |= part->default_extra;
	whole->has_default = true;
	return 0;
}

static int merge_all(const struct op_catalogue_parser *parser, const struct op_catalogue_text *text,
		     const struct op_strings *parts, struct op_unit_mask *whole,
		     struct op_error *error)
{
	struct op_error cause;

	for (size_t i = 0; i < parts->count; i++) {
		int index = op_catalogue_parse_find_mask(parser, parts->item[i]);
		const struct op_unit_mask *part;

		if (index < 0)
			return op_catalogue_text_error(text, 0, error, "um:%s is not defined",
						       parts->item[i]);
		part = parser->catalogue->unit_mask[index];
		if (part->type == OP_UNIT_MASK_MANDATORY)
			return op_catalogue_text_error(text, 0, error,
						       "um:%s: %s is mandatory and can't be merged",
						       whole->name, part->name);
		if (i && part->type != whole->type)
			return op_catalogue_text_error(
				text, 0, error, "um:%s: %s is %s and %s is %s", whole->name,
				parts->item[0], op_unit_mask_type_name(whole->type), part->name,
				op_unit_mask_type_name(part->type));
		if (whole->count + part->count > OP_UNIT_MASK_ENTRIES_MAX)
			return op_catalogue_text_error(text, 0, error,
						       "um:%s: more than %d entries", whole->name,
						       OP_UNIT_MASK_ENTRIES_MAX);
		if (merge(whole, part))
			return op_error_memory(error);
		parser->place[index].used = true;
	}
	if (op_unit_mask_check(whole, &cause))
		return op_catalogue_text_error(text, 0, error, "um:%s: %s", whole->name,
					       cause.text);
	return 0;
}

/* The unit mask "a,b,c" of several: made when it is first used. */
static int read_merged(struct op_catalogue_parser *parser, const struct op_catalogue_text *text,
		       const char *value, struct op_catalogue_event *event, struct op_error *error)
{
	struct op_catalogue *catalogue = parser->catalogue;
	struct op_strings parts = {0};
	struct op_unit_mask *whole;
	int result;

	for (size_t i = parser->places; i < catalogue->unit_mask_count; i++) {
		if (!strcmp(catalogue->unit_mask[i]->name, value)) {
			event->unit_mask = catalogue->unit_mask[i];
			return 0;
		}
	}
	whole = calloc(1, sizeof(*whole));
	if (!whole || op_catalogue_add_mask(catalogue, whole)) {
		free(whole);
		return op_error_memory(error);
	}
	whole->name = strdup(value);
	if (!whole->name || op_strings_split(&parts, value, ','))
		result = op_error_memory(error);
	else
		result = merge_all(parser, text, &parts, whole, error);
	op_strings_free(&parts);
	event->unit_mask = whole;
	return result;
}

static int read_um(struct op_catalogue_parser *parser, const struct op_catalogue_text *text,
		   const char *value, struct op_catalogue_event *event, struct op_error *error)
{
	int index;

	if (strchr(value, ','))
		return read_merged(parser, text, value, event, error);
	index = op_catalogue_parse_find_mask(parser, value);
	if (index < 0)
		return op_catalogue_text_error(text, 0, error, "um:%s is not defined", value);
	parser->place[index].used = true;
	event->unit_mask = parser->catalogue->unit_mask[index];
	return 0;
}

static int read_tag(struct op_catalogue_parser *parser, const struct op_catalogue_text *text,
		    int tag, const char *value, struct op_catalogue_event *event,
		    struct op_error *error)
{
	uint32_t number;

	switch (tag) {
	case TAG_EVENT:
		return op_catalogue_text_hex(text, "event", value, &event->code, error);
	case TAG_COUNTERS:
		return read_counters(parser, text, value, event, error);
	case TAG_EXT:
		return read_ext(text, value, event, error);
	case TAG_UM:
		return read_um(parser, text, value, event, error);
	case TAG_MINIMUM:
		return op_catalogue_text_decimal(text, "minimum", value, UINT32_MAX,
						 &event->minimum, error);
	case TAG_NAME:
		return read_name(text, value, event, error);
	case TAG_FILTER:
		if (op_catalogue_text_decimal(text, "filter", value, 31, &number, error))
			return -1;
		event->filter = (int)number;
		return 0;
	default:
		return -1;
	}
}

/* Events may share a name if their unit masks differ. */
static int check_unique(const struct op_catalogue_parser *parser,
			const struct op_catalogue_text *text,
			const struct op_catalogue_event *event, struct op_error *error)
{
	const struct op_catalogue *catalogue = parser->catalogue;

	for (size_t i = 0; i < catalogue->count; i++) {
		const struct op_catalogue_event *other = &catalogue->event[i];

		if (!strcmp(other->name, event->name) && other->unit_mask == event->unit_mask)
			return op_catalogue_text_error(
				text, 0, error,
				"the event %s with the unit mask %s is defined already",
				event->name, event->unit_mask->name);
	}
	return 0;
}

static int read_event(struct op_catalogue_parser *parser, struct op_catalogue_text *text,
		      char *rest, struct op_catalogue_event *event, struct op_error *error)
{
	char *description, *word, *value;
	uint32_t seen = 0, missing;
	int tag;

	while (!(description = op_catalogue_text_description(&rest)) &&
	       (word = op_catalogue_text_word(&rest))) {
		tag = op_catalogue_text_tag(text, word, tags, NR_TAGS, &seen, &value, error);
		if (tag < 0 || read_tag(parser, text, tag, value, event, error))
			return -1;
	}
	missing = TAGS_NEEDED & ~seen;
	if (missing)
		return op_catalogue_text_error(text, 0, error, "%s: is missing",
					       tags[__builtin_ctz(missing)]);
	if (!(seen & (1u << TAG_COUNTERS | 1u << TAG_EXT)))
		return op_catalogue_text_error(text, 0, error, "counters: or ext: is missing");
	if (seen & 1u << TAG_COUNTERS && seen & 1u << TAG_EXT)
		return op_catalogue_text_error(text, 0, error,
					       "an event has counters: or ext:, not both");
	if (!description || !*description)
		return op_catalogue_text_error(text, 0, error, "the event %s has no description",
					       event->name);
	event->description = strdup(description);
	if (!event->description)
		return op_error_memory(error);
	return check_unique(parser, text, event, error);
}

static void drop_event(struct op_catalogue_event *event)
{
	free(event->name);
	free(event->description);
	free(event->ext);
}

int op_catalogue_parse_events(struct op_catalogue_parser *parser, struct op_catalogue_text *text,
			      struct op_error *error)
{
	bool indented;
	char *line;

	for (;;) {
		struct op_catalogue_event event = {.filter = -1};

		if (op_catalogue_text_line(text, &line, &indented, error))
			return -1;
		if (!line)
			return 0;
		if (!strncmp(line, "include:", 8)) {
			char *word = op_catalogue_text_word(&line);

			if (op_catalogue_parse_include(parser, text, word + 8, line, error))
				return -1;
			continue;
		}
		if (read_event(parser, text, line, &event, error)) {
			drop_event(&event);
			return -1;
		}
		if (op_catalogue_add_event(parser->catalogue, &event)) {
			drop_event(&event);
			return op_error_memory(error);
		}
	}
}
