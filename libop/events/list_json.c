// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lists of events as JSON: one object, an event a line.
 */
#include "list.h"
#include "libop/text/json.h"

static void put_entry(struct op_json *json, const struct op_unit_mask_entry *entry)
{
	op_json_object(json, NULL);
	op_json_number(json, "mask", entry->value);
	op_json_number(json, "extra", entry->extra & OP_EXTRA_REGISTER);
	op_json_string(json, "name", entry->name);
	op_json_string(json, "description", entry->description);
	op_json_bool(json, "can_be_counted", !(entry->extra & OP_EXTRA_MSR));
	op_json_end(json);
}

static void put_unit_mask(struct op_json *json, const struct op_unit_mask *mask)
{
	op_json_object(json, "unit_mask");
	op_json_string(json, "type", op_unit_mask_type_name(mask->type));
	if (mask->has_default)
		op_json_number(json, "default", mask->default_value);
	else
		op_json_null(json, "default");
	op_json_string(json, "default_name", mask->default_name);
	op_json_array(json, "entries");
	for (size_t i = 0; i < mask->count; i++)
		put_entry(json, &mask->entry[i]);
	op_json_end(json);
	op_json_end(json);
}

static void list_json_put_event(struct op_json *json, const struct op_catalogue *catalogue,
				const struct op_catalogue_event *event)
{
	uint64_t counters = list_counters(catalogue, event);

	op_json_newline(json);
	op_json_object(json, NULL);
	op_json_string(json, "name", event->name);
	op_json_string(json, "description", event->description);
	op_json_number(json, "code", event->code);
	op_json_number(json, "minimum", event->minimum);
	op_json_bool(json, "all_counters", event->all_counters);
	op_json_array(json, "counters");
	for (unsigned int i = 0; i < OP_COUNTERS_LIMIT; i++)
		if (counters & 1ull << i)
			op_json_number(json, NULL, i);
	op_json_end(json);
	op_json_string(json, "ext", event->ext);
	op_json_string(json, "source", event->from_pfm ? "libpfm4" : "catalogue");
	put_unit_mask(json, event->unit_mask);
	op_json_end(json);
}

void list_json(const struct op_catalogue *catalogue, const struct search *search, FILE *out)
{
	struct op_json json = {.out = out, .spaced = true};

	op_json_object(&json, NULL);
	op_json_string(&json, "cpu_type", catalogue->cpu_name);
	op_json_string(&json, "title", list_cpu_title(catalogue));
	op_json_number(&json, "general_counters", catalogue->counters.general);
	op_json_number(&json, "fixed_counters", catalogue->counters.fixed);
	op_json_string(&json, "libpfm4_pmu", catalogue->pfm_pmu);
	op_json_array(&json, "events");
	for (size_t i = 0; i < catalogue->count; i++) {
		const struct op_catalogue_event *event = &catalogue->event[i];

		if (op_catalogue_has(catalogue, event) && search_finds(search, event))
			list_json_put_event(&json, catalogue, event);
	}
	op_json_newline(&json);
	op_json_end(&json);
	op_json_end(&json);
	fputc('\n', out);
}
