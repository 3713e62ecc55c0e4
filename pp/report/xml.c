// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reports as XML: doc/opreport.xsd.  Elements, their order and their attributes are those of
 * OProfile's schema 3.0, and no others, so that files are valid there.  What it has no place for
 * are processing instructions "opreport-...", which no schema forbids.
 */
#include "xml.h"
#include "libop/text/cells.h"

#include <stdlib.h>

#include "libop/cpu/type_names.h"
#include "libop/base/array.h"
#include "libop/base/memory.h"
#include "pp/select/multiplexing.h"
#include "pp/select/weights.h"

/* ---- header ---- */

static void put_list(struct pp_report_xml *report, const char *attribute,
		     const struct op_strings *list)
{
	struct op_line line = {0};

	if (!list || !list->count)
		return;
	for (size_t i = 0; i < list->count; i++) {
		if (i)
			op_line_puts(&line, ",");
		op_line_puts(&line, list->item[i]);
	}
	op_line_add(&line, "", 1);
	op_xml_text(&report->xml, attribute, line.text);
	op_line_free(&line);
}

/* The words of --merge. */
static void put_merge(struct pp_report_xml *report, const struct pp_merge *merge)
{
	const struct {
		bool merged;
		char *word;
	} words[] = {
		{merge->cpu, "cpu"},   {merge->tid, "tid"},
		{merge->tgid, "tgid"}, {merge->unit_mask, "unitmask"},
		{merge->lib, "lib"},
	};
	char *merged[OP_ARRAY_SIZE(words)];
	struct op_strings list = {.item = merged};

	for (size_t i = 0; i < OP_ARRAY_SIZE(words); i++)
		if (words[i].merged)
			list.item[list.count++] = words[i].word;
	put_list(report, "merge", &list);
}

static void put_options(struct pp_report_xml *report)
{
	const struct pp_report_facts *facts = report->facts;
	struct op_xml *xml = &report->xml;

	op_xml_put(xml, "<options");
	op_xml_text(xml, "session", facts->session_dir);
	op_xml_flag(xml, "debuginfo", report->style->lines);
	op_xml_flag(xml, "details", report->style->details);
	put_list(report, "imagepath", facts->image_paths);
	put_merge(report, facts->merge);
	op_xml_flag(xml, "excludedependent", facts->exclude_dependent);
	put_list(report, "excludesymbols", facts->exclude);
	put_list(report, "includesymbols", facts->include);
	op_xml_end(xml, "/>");
}

/* Event number @id was counted a part of the time only. */
static void put_partial(struct op_xml *xml, const struct pp_class *class, size_t id)
{
	op_xml_put(xml, "<?opreport-multiplexed");
	op_xml_number(xml, "id", id);
	op_xml_number(xml, "enabledns", class->enabled_ns);
	op_xml_number(xml, "runningns", class->running_ns);
	op_xml_text(xml, "scaled", class->is_scaled ? "true" : "false");
	op_xml_end(xml, "?>");
}

static void put_setup(struct pp_report_xml *report)
{
	const struct pp_classes *classes = report->profile->classes;
	struct op_xml *xml = &report->xml;

	op_xml_end(xml, "<setup>");
	for (size_t i = 0; i < classes->n; i++) {
		const struct pp_class *class = &classes->items[i];

		if (report->profile->cpu_type == OP_CPU_TIMER) {
			op_xml_put(xml, "<timersetup");
			op_xml_number(xml, "rtcinterrupts", class->count);
			op_xml_end(xml, "/>");
			break;
		}
		if (i && classes->axis != PP_AXIS_EVENT)
			break;
		op_xml_put(xml, "<eventsetup");
		op_xml_number(xml, "id", i);
		op_xml_text(xml, "eventname", class->event);
		if (!class->many_unit_masks)
			op_xml_number(xml, "unitmask", class->unit_mask);
		op_xml_number(xml, "setupcount", class->count);
		op_xml_end(xml, "/>");
		if (pp_class_is_partial(class))
			put_partial(xml, class, i);
	}
	op_xml_end(xml, "</setup>");
}

/* attribute="c3" */
static void pp_report_xml_class(struct pp_report_xml *report, const char *attribute, size_t class)
{
	char name[32];

	snprintf(name, sizeof(name), "c%zu", class);
	op_xml_text(&report->xml, attribute, name);
}

/* The process and thread, or the label, that a class is of, if it is of one. */
static void put_task(struct pp_report_xml *report, size_t i)
{
	const struct pp_class *class = &report->profile->classes->items[i];
	const char *name = pp_head_thread_name(&report->profile->head, class);
	struct op_xml *xml = &report->xml;

	if (class->tgid == OP_ALL && class->tid == OP_ALL && !class->label)
		return;
	op_xml_put(xml, "<?opreport-class");
	pp_report_xml_class(report, "name", i);
	if (class->tgid != OP_ALL)
		op_xml_number(xml, "tgid", class->tgid);
	if (class->tid != OP_ALL)
		op_xml_number(xml, "tid", class->tid);
	if (name)
		op_xml_text(xml, "thread", name);
	if (class->label)
		op_xml_text(xml, "label", class->label);
	op_xml_end(xml, "?>");
}

static void put_classes(struct pp_report_xml *report)
{
	const struct pp_classes *classes = report->profile->classes;
	struct op_xml *xml = &report->xml;

	if (classes->n < 2)
		return;
	op_xml_end(xml, "<classes>");
	for (size_t i = 0; i < classes->n; i++) {
		const struct pp_class *class = &classes->items[i];

		op_xml_put(xml, "<class");
		pp_report_xml_class(report, "name", i);
		if (class->cpu != OP_ALL)
			op_xml_number(xml, "cpu", class->cpu);
		if (classes->axis == PP_AXIS_EVENT) {
			op_xml_number(xml, "event", i);
			if (!class->many_unit_masks)
				op_xml_number(xml, "mask", class->unit_mask);
		}
		op_xml_end(xml, "/>");
		put_task(report, i);
	}
	op_xml_end(xml, "</classes>");
}

/* ---- counts ---- */

/* @class: PP_XML_ALL_CLASSES: of no class in particular. */
static void put_count(struct pp_report_xml *report, uint64_t count, uint64_t events, size_t class)
{
	const struct pp_classes *classes = report->profile->classes;

	op_xml_put(&report->xml, "<count");
	if (classes->n > 1 && class != PP_XML_ALL_CLASSES)
		pp_report_xml_class(report, "class", class);
	op_xml_put(&report->xml, ">");
	op_xml_count(&report->xml, count);
	if (classes->items[class == PP_XML_ALL_CLASSES ? 0 : class].is_weighted) {
		op_xml_put(&report->xml, "<?opreport-weight");
		op_xml_number(&report->xml, "events", events);
		op_xml_put(&report->xml, "?>");
	}
	op_xml_end(&report->xml, "</count>");
}

static bool is_counted(const struct pp_report_xml *report, const uint64_t *counts, size_t class,
		       size_t i)
{
	return (counts[i] || report->profile->classes->n == 1) &&
	       (class == PP_XML_ALL_CLASSES || class == i);
}

void pp_report_xml_counts(struct pp_report_xml *report, const uint64_t *counts, size_t class)
{
	for (size_t i = 0; i < report->profile->classes->n; i++)
		if (is_counted(report, counts, class, i))
			put_count(report, counts[i], pp_weight(report->profile->classes, counts, i),
				  i);
}

void pp_report_xml_counts_of_image(struct pp_report_xml *report, const uint64_t *counts,
				   size_t class)
{
	for (size_t i = 0; i < report->profile->classes->n; i++)
		if (is_counted(report, counts, class, i)) {
			pp_report_xml_counts(report, counts, class);
			return;
		}
	put_count(report, 0, 0, class == PP_XML_ALL_CLASSES ? 0 : class);
}

void pp_report_xml_sum(struct pp_report_xml *report, const uint64_t *counts, size_t first,
		       size_t end)
{
	uint64_t samples = 0, events = 0;

	for (size_t i = first; i < end; i++) {
		samples += counts[i];
		events += pp_weight(report->profile->classes, counts, i);
	}
	put_count(report, samples, events, end - first == 1 ? first : PP_XML_ALL_CLASSES);
}

/* ---- tables ---- */

static void put_place(struct pp_report_xml *report, const struct pp_place *place)
{
	struct op_xml *xml = &report->xml;

	if (!place->file)
		return;
	op_xml_text(xml, "file", place->file);
	op_xml_number(xml, "line", place->line > 0 ? place->line : 0);
}

static void put_symbol_table(struct pp_report_xml *report)
{
	struct op_xml *xml = &report->xml;

	op_xml_end(xml, "<symboltable>");
	for (size_t i = 0; i < report->listing.n_all; i++) {
		const struct pp_row *row = report->listing.rows[i];

		op_xml_put(xml, "<symboldata");
		op_xml_number(xml, "id", row->number);
		op_xml_text(xml, "name", row->symbol);
		put_place(report, &row->place);
		op_xml_hex(xml, "startingaddr", row->place.vma);
		op_xml_end(xml, "/>");
	}
	op_xml_end(xml, "</symboltable>");
}

static void put_detail_table(struct pp_report_xml *report)
{
	struct op_xml *xml = &report->xml;

	if (!report->style->details)
		return;
	op_xml_end(xml, "<detailtable>");
	for (size_t i = 0; i < report->listing.n; i++) {
		const struct pp_row *row = report->listing.rows[i];

		op_xml_put(xml, "<symboldetails");
		op_xml_number(xml, "id", row->number);
		op_xml_end(xml, ">");
		for (size_t k = 0; k < row->n_details; k++) {
			op_xml_put(xml, "<detaildata");
			op_xml_number(xml, "id", report->first_detail[i] + k);
			op_xml_hex(xml, "vmaoffset", row->details[k].place.vma);
			put_place(report, &row->details[k].place);
			op_xml_end(xml, ">");
			pp_report_xml_counts(report, row->details[k].counts, PP_XML_ALL_CLASSES);
			op_xml_end(xml, "</detaildata>");
		}
		op_xml_end(xml, "</symboldetails>");
	}
	op_xml_end(xml, "</detailtable>");
}

static void put_fact(struct op_xml *xml, const char *attribute, const struct pp_fact *fact)
{
	if (fact->text && !fact->varies)
		op_xml_text(xml, attribute, fact->text);
}

/* A part of the instruction "opreport-statistics". */
static void report_xml_put_head(struct pp_report_xml *report)
{
	const struct pp_head *head = &report->profile->head;
	struct op_xml *xml = &report->xml;

	put_fact(xml, "host", &head->hostname);
	put_fact(xml, "kernel", &head->os_release);
	put_fact(xml, "architecture", &head->arch);
	put_fact(xml, "cpu", &head->cpu);
	put_fact(xml, "backend", &head->backend);
	put_fact(xml, "command", &head->command);
	if (head->start_ns)
		op_xml_number(xml, "startns", head->start_ns);
	if (head->duration_ns)
		op_xml_number(xml, "durationns", head->duration_ns);
}

static void put_notes(struct pp_report_xml *report)
{
	const struct op_strings *notes = report->facts->notes;
	struct op_xml *xml = &report->xml;

	for (size_t i = 0; i < notes->count; i++) {
		op_xml_put(xml, "<?opreport-note");
		op_xml_text(xml, "text", notes->item[i]);
		op_xml_end(xml, "?>");
	}
}

static void put_loss(struct pp_report_xml *report)
{
	const struct pp_loss *loss = report->facts->loss;
	struct op_xml *xml = &report->xml;

	if (!loss->known && !loss->damaged)
		return;
	op_xml_put(xml, "<?opreport-statistics");
	report_xml_put_head(report);
	op_xml_number(xml, "received", loss->received);
	op_xml_number(xml, "stored", loss->stored);
	op_xml_number(xml, "filtered", loss->filtered);
	op_xml_number(xml, "lost", loss->lost);
	op_xml_text(xml, "account", pp_loss_account(loss));
	if (loss->compared)
		op_xml_number(xml, "infiles", loss->in_files);
	op_xml_number(xml, "kernelreceived", loss->value[STAT_KERNEL_RECEIVED]);
	op_xml_number(xml, "kernellost", loss->kernel_lost);
	if (loss->value[STAT_THROTTLED])
		op_xml_number(xml, "throttled", loss->value[STAT_THROTTLED]);
	if (loss->value[STAT_PROFILING_MS]) {
		op_xml_number(xml, "daemoncpums", loss->value[STAT_DAEMON_CPU_MS]);
		op_xml_number(xml, "profilingms", loss->value[STAT_PROFILING_MS]);
	}
	op_xml_end(xml, "?>");
	for (size_t i = 0; i < loss->n_causes; i++) {
		op_xml_put(xml, "<?opreport-loss");
		op_xml_text(xml, "cause", loss->causes[i].text);
		op_xml_number(xml, "count", loss->causes[i].n);
		op_xml_end(xml, "?>");
	}
}

/* ---- document ---- */

static void number_details(struct pp_report_xml *report)
{
	const struct pp_listing *listing = &report->listing;
	size_t details = 0;

	report->first_detail = op_alloc(listing->n, sizeof(*report->first_detail));
	for (size_t i = 0; i < listing->n; i++) {
		report->first_detail[i] = details;
		details += listing->rows[i]->n_details;
	}
}

bool pp_report_xml_has_threads(const struct pp_report_xml *report)
{
	const struct pp_classes *classes = report->profile->classes;

	if (classes->n > 1 && classes->axis != PP_AXIS_TGID && classes->axis != PP_AXIS_TID)
		return false;
	for (size_t i = 0; i < classes->n; i++)
		if (classes->items[i].tgid == OP_ALL || classes->items[i].tid == OP_ALL)
			return false;
	return true;
}

static void put_profile(struct pp_report_xml *report)
{
	const struct pp_profile *profile = report->profile;
	const char *cpu = op_cpu_type_name(profile->cpu_type);
	struct op_xml *xml = &report->xml;
	char speed[32];

	op_xml_end(xml, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
	op_xml_put(xml, "<profile");
	op_xml_text(xml, "schemaversion", "3.0");
	op_xml_text(xml, "cputype", cpu ? cpu : "unknown");
	op_xml_text(xml, "processor", op_cpu_type_title(profile->cpu_type));
	op_xml_flag(xml, "separatedcpus", profile->classes->axis == PP_AXIS_CPU);
	snprintf(speed, sizeof(speed), "%.6g", profile->cpu_speed > 0 ? profile->cpu_speed : 0);
	op_xml_text(xml, "mhz", speed);
	op_xml_text(xml, "title", report->facts->command_line);
	op_xml_end(xml, ">");
	put_options(report);
	put_setup(report);
	put_classes(report);
	pp_report_xml_samples(report);
	put_symbol_table(report);
	put_detail_table(report);
	if (report->style->details)
		pp_report_xml_bytes(report);
	put_notes(report);
	put_loss(report);
	op_xml_end(xml, "</profile>");
}

void pp_report_xml(struct pp_profile *profile, const struct pp_report_style *style,
		   const struct pp_report_facts *facts, FILE *out)
{
	struct pp_report_xml report = {
		.xml.out = out, .profile = profile, .style = style, .facts = facts};

	pp_listing_make(&report.listing, profile, style);
	number_details(&report);
	put_profile(&report);
	pp_listing_free(&report.listing);
	free(report.first_detail);
}
