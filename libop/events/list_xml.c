// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lists of events as XML, as OProfile writes it: no declaration, two blanks before the first
 * attribute, numbers in decimal.
 */
#include "list.h"
#include "libop/text/xml.h"

static void put_unit_masks(const struct op_unit_mask *mask, struct op_xml *xml)
{
	op_xml_put(xml, "<unit_masks ");
	if (mask->default_name)
		op_xml_text(xml, "default", mask->default_name);
	else if (mask->has_default)
		op_xml_number(xml, "default", mask->default_value);
	op_xml_text(xml, "category", op_unit_mask_type_name(mask->type));
	op_xml_end(xml, ">");
	for (size_t i = 0; i < mask->count; i++) {
		const struct op_unit_mask_entry *entry = &mask->entry[i];

		op_xml_put(xml, "<unit_mask ");
		op_xml_number(xml, "mask", entry->value);
		op_xml_text(xml, "desc", entry->description);
		if (entry->extra & OP_EXTRA_REGISTER)
			op_xml_number(xml, "extra", entry->extra & OP_EXTRA_REGISTER);
		op_xml_end(xml, "/>");
	}
	op_xml_end(xml, "</unit_masks>");
}

static void list_xml_put_event(const struct op_catalogue *catalogue,
			       const struct op_catalogue_event *event, struct op_xml *xml)
{
	op_xml_put(xml, "<event ");
	op_xml_text(xml, "event_name", event->name);
	op_xml_text(xml, "desc", event->description);
	op_xml_number(xml, "counter_mask", list_counters(catalogue, event));
	if (event->ext)
		op_xml_text(xml, "ext", event->ext);
	op_xml_number(xml, "min_count", event->minimum);
	if (op_unit_mask_is_zero(event->unit_mask)) {
		op_xml_end(xml, "/>");
		return;
	}
	op_xml_end(xml, ">");
	put_unit_masks(event->unit_mask, xml);
	op_xml_end(xml, "</event>");
}

void list_xml(const struct op_catalogue *catalogue, const struct search *search, FILE *out)
{
	struct op_xml *xml = &(struct op_xml){.out = out};
	char title[256];

	snprintf(title, sizeof(title), "oprofile: available events for CPU type \"%s\"",
		 list_cpu_title(catalogue));
	op_xml_put(xml, "<help_events ");
	op_xml_text(xml, "schemaversion", "1.1");
	op_xml_put(xml, ">\n<header ");
	op_xml_text(xml, "title", title);
	op_xml_text(xml, "doc", list_manual(catalogue));
	op_xml_end(xml, "/>");
	for (size_t i = 0; i < catalogue->count; i++) {
		const struct op_catalogue_event *event = &catalogue->event[i];

		if (op_catalogue_has(catalogue, event) && search_finds(search, event))
			list_xml_put_event(catalogue, event, xml);
	}
	op_xml_end(xml, "</help_events>");
}
