// SPDX-License-Identifier: GPL-2.0-or-later
/* Reports as JSON: opreport-json(5), doc/opreport.schema.json. */
#include "libop/cpu/type_names.h"
#include "listing.h"
#include "libop/session/temporary.h"
#include "libop/text/json.h"
#include "report.h"
#include "pp/select/weights.h"
#include "pp/select/multiplexing.h"

struct json {
	struct op_json writer;
	const struct pp_profile *profile;
};

static bool is_any_weighted(const struct pp_classes *classes)
{
	for (size_t i = 0; i < classes->n; i++)
		if (classes->items[i].is_weighted)
			return true;
	return false;
}

static void put_counts(struct json *json, const uint64_t *counts)
{
	const struct pp_classes *classes = json->profile->classes;

	op_json_array(&json->writer, "counts");
	for (size_t i = 0; i < classes->n; i++)
		op_json_number(&json->writer, NULL, counts[i]);
	op_json_end(&json->writer);
	if (!is_any_weighted(classes))
		return;
	op_json_array(&json->writer, "weights");
	for (size_t i = 0; i < classes->n; i++)
		op_json_number(&json->writer, NULL, pp_weight(classes, counts, i));
	op_json_end(&json->writer);
}

/* How many samples have the symbol in their call chain. */
static void put_inclusive(struct json *json, const uint64_t *inclusive)
{
	op_json_array(&json->writer, "inclusive");
	for (size_t i = 0; i < json->profile->classes->n; i++)
		op_json_number(&json->writer, NULL, inclusive[i]);
	op_json_end(&json->writer);
	if (!is_any_weighted(json->profile->classes))
		return;
	op_json_array(&json->writer, "inclusive_weights");
	for (size_t i = 0; i < json->profile->classes->n; i++)
		op_json_number(&json->writer, NULL,
			       pp_weight(json->profile->classes, inclusive, i));
	op_json_end(&json->writer);
}

static void put_place(struct json *json, const struct pp_place *place)
{
	op_json_hex(&json->writer, "address", place->vma);
	if (!place->file)
		return;
	op_json_string(&json->writer, "file", place->file);
	op_json_number(&json->writer, "line", place->line > 0 ? place->line : 0);
}

/* An array of the outermost object begins a line, and so do the objects of an array. */
static void open_array(struct json *json, const char *key)
{
	op_json_newline(&json->writer);
	op_json_array(&json->writer, key);
}

static void open_object(struct json *json)
{
	op_json_newline(&json->writer);
	op_json_object(&json->writer, NULL);
}

static void put_class(struct op_json *writer, const struct pp_class *class,
		      const struct pp_head *head, uint64_t total)
{
	const char *thread = pp_head_thread_name(head, class);
	uint64_t rate = pp_head_rate(head, class);

	op_json_string(writer, "name", class->column);
	op_json_string(writer, "event", class->event);
	op_json_number(writer, "period", class->count);
	if (rate)
		op_json_number(writer, "frequency", rate);
	if (!class->many_unit_masks)
		op_json_number(writer, "unit_mask", class->unit_mask);
	if (class->tgid != OP_ALL)
		op_json_number(writer, "tgid", class->tgid);
	if (class->tid != OP_ALL)
		op_json_number(writer, "tid", class->tid);
	if (thread)
		op_json_string(writer, "thread", thread);
	if (class->cpu != OP_ALL)
		op_json_number(writer, "cpu", class->cpu);
	if (class->label)
		op_json_string(writer, "label", class->label);
	if (pp_class_is_partial(class)) {
		op_json_number(writer, "enabled_ns", class->enabled_ns);
		op_json_number(writer, "running_ns", class->running_ns);
		op_json_bool(writer, "scaled", class->is_scaled);
	}
	op_json_number(writer, "total", total);
}

static void put_notes(struct json *json, const struct op_strings *notes)
{
	op_json_newline(&json->writer);
	op_json_array(&json->writer, "notes");
	for (size_t i = 0; i < notes->count; i++)
		op_json_string(&json->writer, NULL, notes->item[i]);
	op_json_end(&json->writer);
}

static void put_fact(struct op_json *writer, const char *key, const struct pp_fact *fact)
{
	if (fact->text && !fact->varies)
		op_json_string(writer, key, fact->text);
}

static void report_json_put_head(struct json *json)
{
	const struct pp_head *head = &json->profile->head;
	struct op_json *writer = &json->writer;

	op_json_newline(writer);
	op_json_object(writer, "session");
	op_json_array(writer, "directories");
	for (size_t i = 0; i < pp_head_sessions(head); i++)
		op_json_string(writer, NULL, op_session_shown(head->dirs[i]));
	op_json_end(writer);
	put_fact(writer, "host", &head->hostname);
	put_fact(writer, "kernel", &head->os_release);
	put_fact(writer, "architecture", &head->arch);
	put_fact(writer, "cpu", &head->cpu);
	put_fact(writer, "backend", &head->backend);
	put_fact(writer, "command", &head->command);
	if (head->start_ns)
		op_json_number(writer, "start_ns", head->start_ns);
	if (head->duration_ns)
		op_json_number(writer, "duration_ns", head->duration_ns);
	op_json_end(writer);
}

static void put_classes(struct json *json)
{
	const struct pp_classes *classes = json->profile->classes;

	open_array(json, "classes");
	for (size_t i = 0; i < classes->n; i++) {
		open_object(json);
		put_class(&json->writer, &classes->items[i], &json->profile->head,
			  json->profile->totals[i]);
		if (classes->items[i].is_weighted)
			op_json_number(&json->writer, "weight",
				       pp_weight(classes, json->profile->totals, i));
		op_json_end(&json->writer);
	}
	op_json_end(&json->writer);
}

static void put_images(struct json *json)
{
	const struct pp_profile *profile = json->profile;

	open_array(json, "images");
	for (size_t i = 0; i < profile->n_parts; i++) {
		open_object(json);
		put_counts(json, profile->parts[i].counts);
		op_json_string(&json->writer, "application", profile->parts[i].app->full);
		op_json_string(&json->writer, "image", profile->parts[i].image->full);
		op_json_end(&json->writer);
	}
	op_json_end(&json->writer);
}

static void put_callers(struct json *json, const char *const *callers)
{
	if (!callers)
		return;
	op_json_array(&json->writer, "inlined_into");
	for (size_t i = 0; callers[i]; i++)
		op_json_string(&json->writer, NULL, callers[i]);
	op_json_end(&json->writer);
}

static void put_details(struct json *json, const struct pp_row *row)
{
	if (!row->n_details)
		return;
	op_json_array(&json->writer, "details");
	for (size_t i = 0; i < row->n_details; i++) {
		open_object(json);
		put_counts(json, row->details[i].counts);
		put_place(json, &row->details[i].place);
		put_callers(json, row->details[i].callers);
		op_json_end(&json->writer);
	}
	op_json_end(&json->writer);
}

static void report_json_put_symbols(struct json *json, const struct pp_listing *listing)
{
	struct op_json *writer = &json->writer;

	open_array(json, "symbols");
	for (size_t i = 0; i < listing->n_all; i++) {
		const struct pp_row *row = listing->rows[i];

		open_object(json);
		put_counts(json, row->counts);
		if (row->inclusive)
			put_inclusive(json, row->inclusive);
		put_place(json, &row->place);
		op_json_string(writer, "symbol", row->symbol);
		op_json_string(writer, "image", row->image->full);
		op_json_string(writer, "application", row->app->full);
		if (row->is_inlined)
			op_json_bool(writer, "inlined", true);
		if (i >= listing->n)
			op_json_bool(writer, "only_in_arcs", true);
		put_details(json, row);
		op_json_end(writer);
	}
	op_json_end(writer);
}

static void put_arcs(struct json *json, const struct pp_listing *listing)
{
	open_array(json, "arcs");
	for (size_t i = 0; i < listing->n_arcs; i++) {
		const struct pp_arc *arc = listing->arcs[i];

		open_object(json);
		put_counts(json, arc->counts);
		op_json_number(&json->writer, "caller", arc->caller->number);
		op_json_number(&json->writer, "callee", arc->callee->number);
		op_json_end(&json->writer);
	}
	op_json_end(&json->writer);
}

static void put_loss(struct json *json, const struct pp_loss *loss)
{
	struct op_json *writer = &json->writer;

	if (!loss->known && !loss->damaged)
		return;
	op_json_newline(writer);
	op_json_object(writer, "statistics");
	op_json_number(writer, "received", loss->received);
	op_json_number(writer, "stored", loss->stored);
	op_json_number(writer, "filtered", loss->filtered);
	op_json_number(writer, "lost", loss->lost);
	op_json_string(writer, "account", pp_loss_account(loss));
	if (loss->compared)
		op_json_number(writer, "in_files", loss->in_files);
	op_json_number(writer, "kernel_received", loss->value[STAT_KERNEL_RECEIVED]);
	op_json_number(writer, "kernel_lost", loss->kernel_lost);
	if (loss->value[STAT_THROTTLED])
		op_json_number(writer, "throttled", loss->value[STAT_THROTTLED]);
	if (loss->value[STAT_PROFILING_MS]) {
		op_json_number(writer, "daemon_cpu_ms", loss->value[STAT_DAEMON_CPU_MS]);
		op_json_number(writer, "profiling_ms", loss->value[STAT_PROFILING_MS]);
	}
	op_json_array(writer, "causes");
	for (size_t i = 0; i < loss->n_causes; i++) {
		open_object(json);
		op_json_string(writer, "cause", loss->causes[i].text);
		op_json_number(writer, "count", loss->causes[i].n);
		op_json_end(writer);
	}
	op_json_end(writer);
	op_json_end(writer);
}

void pp_report_json(struct pp_profile *profile, const struct pp_report_style *style,
		    const struct pp_report_facts *facts, FILE *out)
{
	struct json json = {.writer = {.out = out, .spaced = true}, .profile = profile};
	const char *cpu = op_cpu_type_name(profile->cpu_type);

	op_json_object(&json.writer, NULL);
	op_json_string(&json.writer, "format", "opreport");
	op_json_number(&json.writer, "version", 1);
	op_json_string(&json.writer, "cpu_type", cpu ? cpu : "unknown");
	op_json_raw(&json.writer, "cpu_mhz", "%.6g",
		    profile->cpu_speed > 0 ? profile->cpu_speed : 0);
	report_json_put_head(&json);
	put_notes(&json, facts->notes);
	put_classes(&json);
	put_images(&json);
	if (facts->symbols) {
		struct pp_listing listing;

		pp_listing_make(&listing, profile, style);
		report_json_put_symbols(&json, &listing);
		if (facts->callgraph)
			put_arcs(&json, &listing);
		pp_listing_free(&listing);
	}
	put_loss(&json, facts->loss);
	op_json_end(&json.writer);
	fputc('\n', out);
}
