// SPDX-License-Identifier: GPL-2.0-or-later
/* Reports as JSON: opreport-json(5), doc/opreport.schema.json. */
#include <stdlib.h>

#include "libop/cpu/type_names.h"
#include "pp/report/listing.h"
#include "pp/report/markup.h"
#include "pp/report/report.h"
#include "pp/select/multiplexing.h"
#include "libop/text/cells.h"

struct json {
	const struct pp_profile *profile;
	FILE *out;
	struct pp_line line;
};

static void put_key(struct json *json, const char *key)
{
	pp_line_puts(&json->line, ", \"");
	pp_line_puts(&json->line, key);
	pp_line_puts(&json->line, "\": ");
}

static void put_number(struct json *json, const char *key, uint64_t value)
{
	put_key(json, key);
	pp_line_count(&json->line, value, 0);
}

static void put_counts(struct json *json, const uint64_t *counts)
{
	pp_line_puts(&json->line, "\"counts\": [");
	for (size_t i = 0; i < json->profile->classes->n; i++) {
		if (i)
			pp_line_puts(&json->line, ", ");
		pp_line_count(&json->line, counts[i], 0);
	}
	pp_line_puts(&json->line, "]");
}

static void put_place(struct json *json, const struct pp_place *place)
{
	put_key(json, "address");
	pp_line_puts(&json->line, "\"0x");
	pp_line_hex(&json->line, place->vma, 1);
	pp_line_puts(&json->line, "\"");
	if (!place->file)
		return;
	put_key(json, "file");
	pp_markup_json(&json->line, place->file);
	put_number(json, "line", place->line > 0 ? place->line : 0);
}

/* Begins an array, or the next object of one. */
static void open_array(struct json *json, const char *key)
{
	pp_line_puts(&json->line, ",\n\"");
	pp_line_puts(&json->line, key);
	pp_line_puts(&json->line, "\": [");
}

static void open_object(struct json *json, size_t i)
{
	pp_line_puts(&json->line, i ? ",\n{" : "\n{");
}

static void put_classes(struct json *json)
{
	const struct pp_classes *classes = json->profile->classes;

	open_array(json, "classes");
	for (size_t i = 0; i < classes->n; i++) {
		const struct pp_class *class = &classes->items[i];

		open_object(json, i);
		pp_line_puts(&json->line, "\"name\": ");
		pp_markup_json(&json->line, class->column);
		put_key(json, "event");
		pp_markup_json(&json->line, class->event);
		put_number(json, "period", class->count);
		if (!class->many_unit_masks)
			put_number(json, "unit_mask", class->unit_mask);
		if (class->tgid != OP_ALL)
			put_number(json, "tgid", class->tgid);
		if (class->tid != OP_ALL)
			put_number(json, "tid", class->tid);
		if (class->cpu != OP_ALL)
			put_number(json, "cpu", class->cpu);
		if (pp_class_is_partial(class)) {
			put_number(json, "enabled_ns", class->enabled_ns);
			put_number(json, "running_ns", class->running_ns);
			put_key(json, "scaled");
			pp_line_puts(&json->line, class->is_scaled ? "true" : "false");
		}
		put_number(json, "total", json->profile->totals[i]);
		pp_line_puts(&json->line, "}");
	}
	pp_line_puts(&json->line, "]");
}

static void put_images(struct json *json)
{
	const struct pp_profile *profile = json->profile;

	open_array(json, "images");
	for (size_t i = 0; i < profile->n_parts; i++) {
		open_object(json, i);
		put_counts(json, profile->parts[i].counts);
		put_key(json, "application");
		pp_markup_json(&json->line, profile->parts[i].app->full);
		put_key(json, "image");
		pp_markup_json(&json->line, profile->parts[i].image->full);
		pp_line_puts(&json->line, "}");
		pp_line_flush(&json->line, json->out);
	}
	pp_line_puts(&json->line, "]");
}

static void put_callers(struct json *json, const char *const *callers)
{
	if (!callers)
		return;
	put_key(json, "inlined_into");
	pp_line_puts(&json->line, "[");
	for (size_t i = 0; callers[i]; i++) {
		if (i)
			pp_line_puts(&json->line, ", ");
		pp_markup_json(&json->line, callers[i]);
	}
	pp_line_puts(&json->line, "]");
}

static void put_details(struct json *json, const struct pp_row *row)
{
	if (!row->n_details)
		return;
	put_key(json, "details");
	pp_line_puts(&json->line, "[");
	for (size_t i = 0; i < row->n_details; i++) {
		open_object(json, i);
		put_counts(json, row->details[i].counts);
		put_place(json, &row->details[i].place);
		put_callers(json, row->details[i].callers);
		pp_line_puts(&json->line, "}");
		pp_line_flush(&json->line, json->out);
	}
	pp_line_puts(&json->line, "]");
}

static void put_symbols(struct json *json, const struct pp_listing *listing)
{
	open_array(json, "symbols");
	for (size_t i = 0; i < listing->n_all; i++) {
		const struct pp_row *row = listing->rows[i];

		open_object(json, i);
		put_counts(json, row->counts);
		put_place(json, &row->place);
		put_key(json, "symbol");
		pp_markup_json(&json->line, row->symbol);
		put_key(json, "image");
		pp_markup_json(&json->line, row->image->full);
		put_key(json, "application");
		pp_markup_json(&json->line, row->app->full);
		if (row->is_inlined) {
			put_key(json, "inlined");
			pp_line_puts(&json->line, "true");
		}
		if (i >= listing->n) {
			put_key(json, "only_in_arcs");
			pp_line_puts(&json->line, "true");
		}
		put_details(json, row);
		pp_line_puts(&json->line, "}");
		pp_line_flush(&json->line, json->out);
	}
	pp_line_puts(&json->line, "]");
}

static void put_arcs(struct json *json, const struct pp_listing *listing)
{
	open_array(json, "arcs");
	for (size_t i = 0; i < listing->n_arcs; i++) {
		const struct pp_arc *arc = listing->arcs[i];

		open_object(json, i);
		put_counts(json, arc->counts);
		put_number(json, "caller", arc->caller->number);
		put_number(json, "callee", arc->callee->number);
		pp_line_puts(&json->line, "}");
		pp_line_flush(&json->line, json->out);
	}
	pp_line_puts(&json->line, "]");
}

static void put_loss(struct json *json, const struct pp_loss *loss)
{
	if (!loss->known)
		return;
	pp_line_puts(&json->line, ",\n\"statistics\": {\"received\": ");
	pp_line_count(&json->line, loss->received, 0);
	put_number(json, "stored", loss->stored);
	put_number(json, "filtered", loss->filtered);
	put_number(json, "lost", loss->lost);
	put_number(json, "kernel_received", loss->kernel_received);
	put_number(json, "kernel_lost", loss->kernel_lost);
	if (loss->throttled)
		put_number(json, "throttled", loss->throttled);
	if (loss->profiling_ms) {
		put_number(json, "daemon_cpu_ms", loss->daemon_cpu_ms);
		put_number(json, "profiling_ms", loss->profiling_ms);
	}
	put_key(json, "causes");
	pp_line_puts(&json->line, "[");
	for (size_t i = 0; i < loss->n_causes; i++) {
		open_object(json, i);
		pp_line_puts(&json->line, "\"cause\": ");
		pp_markup_json(&json->line, loss->causes[i].words);
		put_number(json, "count", loss->causes[i].n);
		pp_line_puts(&json->line, "}");
	}
	pp_line_puts(&json->line, "]}");
}

void pp_report_json(struct pp_profile *profile, const struct pp_report_style *style,
		    const struct pp_report_facts *facts, FILE *out)
{
	struct json json = {.profile = profile, .out = out};
	const char *cpu = op_cpu_type_name(profile->cpu_type);
	char speed[32];

	pp_line_puts(&json.line, "{\"format\": \"opreport\", \"version\": 1");
	put_key(&json, "cpu_type");
	pp_markup_json(&json.line, cpu ? cpu : "unknown");
	snprintf(speed, sizeof(speed), "%.6g", profile->cpu_speed > 0 ? profile->cpu_speed : 0);
	put_key(&json, "cpu_mhz");
	pp_line_puts(&json.line, speed);
	put_classes(&json);
	put_images(&json);
	if (facts->symbols) {
		struct pp_listing listing;

		pp_listing_make(&listing, profile, style);
		put_symbols(&json, &listing);
		if (facts->callgraph)
			put_arcs(&json, &listing);
		pp_listing_free(&listing);
	}
	put_loss(&json, facts->loss);
	pp_line_puts(&json.line, "}");
	pp_line_end(&json.line, out);
	pp_line_free(&json.line);
}
