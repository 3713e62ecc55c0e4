// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lists of events as XML, as OProfile writes it: no declaration, two blanks before the first
 * attribute, numbers in decimal.
 */
#include <inttypes.h>
#include <string.h>

#include "list.h"

static void put_attribute(const char *name, const char *value, FILE *out)
{
	fprintf(out, " %s=\"", name);
	for (const char *c = value; *c; c++) {
		switch (*c) {
		case '&':
			fputs("&amp;", out);
			break;
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		default:
			fputc((unsigned char)*c < ' ' ? ' ' : *c, out);
		}
	}
	fputc('"', out);
}

static void put_number(const char *name, uint64_t value, FILE *out)
{
	fprintf(out, " %s=\"%" PRIu64 "\"", name, value);
}

static void put_unit_masks(const struct op_unit_mask *mask, FILE *out)
{
	fputs("<unit_masks ", out);
	if (mask->default_name)
		put_attribute("default", mask->default_name, out);
	else if (mask->has_default)
		put_number("default", mask->default_value, out);
	put_attribute("category", op_unit_mask_type_name(mask->type), out);
	fputs(">\n", out);
	for (size_t i = 0; i < mask->count; i++) {
		const struct op_unit_mask_entry *entry = &mask->entry[i];

		fputs("<unit_mask ", out);
		put_number("mask", entry->value, out);
		put_attribute("desc", entry->description, out);
		if (entry->extra & OP_EXTRA_REGISTER)
			put_number("extra", entry->extra & OP_EXTRA_REGISTER, out);
		fputs("/>\n", out);
	}
	fputs("</unit_masks>\n", out);
}

static void put_event(const struct op_catalogue *catalogue, const struct op_catalogue_event *event,
		      FILE *out)
{
	fputs("<event ", out);
	put_attribute("event_name", event->name, out);
	put_attribute("desc", event->description, out);
	put_number("counter_mask", list_counters(catalogue, event), out);
	if (event->ext)
		put_attribute("ext", event->ext, out);
	put_number("min_count", event->minimum, out);
	if (op_unit_mask_is_zero(event->unit_mask)) {
		fputs("/>\n", out);
		return;
	}
	fputs(">\n", out);
	put_unit_masks(event->unit_mask, out);
	fputs("</event>\n", out);
}

void list_xml(const struct op_catalogue *catalogue, const struct search *search, FILE *out)
{
	char title[256];

	snprintf(title, sizeof(title), "oprofile: available events for CPU type \"%s\"",
		 list_cpu_title(catalogue));
	fputs("<help_events ", out);
	put_attribute("schemaversion", "1.1", out);
	fputs(">\n<header ", out);
	put_attribute("title", title, out);
	put_attribute("doc", list_manual(catalogue), out);
	fputs("/>\n", out);
	for (size_t i = 0; i < catalogue->count; i++) {
		const struct op_catalogue_event *event = &catalogue->event[i];

		if (op_catalogue_has(catalogue, event) && search_finds(search, event))
			put_event(catalogue, event, out);
	}
	fputs("</help_events>\n", out);
}
