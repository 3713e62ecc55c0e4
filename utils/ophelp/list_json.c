// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lists of events as JSON: one object, an event a line.
 */
#include <inttypes.h>

#include "list.h"

static void put_string(const char *text, FILE *out)
{
	fputc('"', out);
	for (const char *c = text; *c; c++) {
		if (*c == '"' || *c == '\\')
			fprintf(out, "\\%c", *c);
		else if ((unsigned char)*c < ' ')
			fprintf(out, "\\u%04x", (unsigned char)*c);
		else
			fputc(*c, out);
	}
	fputc('"', out);
}

static void put_key(const char *separator, const char *key, const char *value, FILE *out)
{
	fputs(separator, out);
	put_string(key, out);
	fputs(": ", out);
	if (value)
		put_string(value, out);
	else
		fputs("null", out);
}

static void put_entry(const struct op_unit_mask_entry *entry, FILE *out)
{
	fprintf(out, "{\"mask\": %" PRIu32 ", \"extra\": %" PRIu32, entry->value,
		entry->extra & OP_EXTRA_REGISTER);
	put_key(", ", "name", entry->name, out);
	put_key(", ", "description", entry->description, out);
	fprintf(out, ", \"can_be_counted\": %s}", entry->extra & OP_EXTRA_MSR ? "false" : "true");
}

static void put_unit_mask(const struct op_unit_mask *mask, FILE *out)
{
	put_key("{", "type", op_unit_mask_type_name(mask->type), out);
	if (mask->has_default)
		fprintf(out, ", \"default\": %" PRIu32, mask->default_value);
	else
		fputs(", \"default\": null", out);
	put_key(", ", "default_name", mask->default_name, out);
	fputs(", \"entries\": [", out);
	for (size_t i = 0; i < mask->count; i++) {
		if (i)
			fputs(", ", out);
		put_entry(&mask->entry[i], out);
	}
	fputs("]}", out);
}

static void put_event(const struct op_catalogue *catalogue, const struct op_catalogue_event *event,
		      FILE *out)
{
	uint64_t counters = list_counters(catalogue, event);
	const char *separator = "";

	put_key("{", "name", event->name, out);
	put_key(", ", "description", event->description, out);
	fprintf(out, ", \"code\": %" PRIu32 ", \"minimum\": %" PRIu32, event->code, event->minimum);
	fprintf(out, ", \"all_counters\": %s, \"counters\": [",
		event->all_counters ? "true" : "false");
	for (unsigned int i = 0; i < OP_COUNTERS_LIMIT; i++) {
		if (counters & 1ull << i) {
			fprintf(out, "%s%u", separator, i);
			separator = ", ";
		}
	}
	put_key("], ", "ext", event->ext, out);
	put_key(", ", "source", event->from_pfm ? "libpfm4" : "catalogue", out);
	fputs(", \"unit_mask\": ", out);
	put_unit_mask(event->unit_mask, out);
	fputc('}', out);
}

void list_json(const struct op_catalogue *catalogue, const struct search *search, FILE *out)
{
	const char *separator = "\n";

	put_key("{", "cpu_type", catalogue->cpu_name, out);
	put_key(", ", "title", list_cpu_title(catalogue), out);
	fprintf(out, ", \"general_counters\": %u, \"fixed_counters\": %u",
		catalogue->counters.general, catalogue->counters.fixed);
	put_key(", ", "libpfm4_pmu", catalogue->pfm_pmu, out);
	fputs(", \"events\": [", out);
	for (size_t i = 0; i < catalogue->count; i++) {
		const struct op_catalogue_event *event = &catalogue->event[i];

		if (!op_catalogue_has(catalogue, event) || !search_finds(search, event))
			continue;
		fputs(separator, out);
		put_event(catalogue, event, out);
		separator = ",\n";
	}
	fputs("\n]}\n", out);
}
