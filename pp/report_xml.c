// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reports as XML: doc/opreport.xsd.  The names and the order of elements are those of OProfile's
 * schema 3.0; "statistics" at the end is new.
 */
#include <stdlib.h>

#include "libop/cpu_type.h"
#include "pp/listing.h"
#include "pp/markup.h"
#include "pp/memory.h"
#include "pp/report.h"
#include "pp/text.h"

struct xml {
	const struct pp_profile *profile;
	const struct pp_report_style *style;
	const struct pp_report_facts *facts;
	struct pp_listing listing;
	const struct pp_row **by_image;	 /* listed symbols, by application and image */
	const struct pp_arc **by_callee; /* listed arcs; those of the listing are by caller */
	size_t *first_detail;		 /* by number of the symbol: number of its first address */
	FILE *out;
	struct pp_line line;
};

/* ---- tags ---- */

static void put(struct xml *xml, const char *text)
{
	pp_line_puts(&xml->line, text);
}

static void put_attribute(struct xml *xml, const char *name, const char *text)
{
	put(xml, " ");
	put(xml, name);
	put(xml, "=\"");
	pp_markup_xml(&xml->line, text);
	put(xml, "\"");
}

static void put_number(struct xml *xml, const char *name, uint64_t value)
{
	put(xml, " ");
	put(xml, name);
	put(xml, "=\"");
	pp_line_count(&xml->line, value, 0);
	put(xml, "\"");
}

static void put_hex(struct xml *xml, const char *name, uint64_t value)
{
	put(xml, " ");
	put(xml, name);
	put(xml, "=\"0x");
	pp_line_hex(&xml->line, value, 1);
	put(xml, "\"");
}

static void put_flag(struct xml *xml, const char *name, bool value)
{
	if (value)
		put_attribute(xml, name, "true");
}

static void put_end(struct xml *xml, const char *text)
{
	put(xml, text);
	pp_line_end(&xml->line, xml->out);
}

/* ---- head ---- */

static void put_options(struct xml *xml)
{
	put(xml, "<options");
	put_attribute(xml, "session", xml->facts->session_dir);
	put_flag(xml, "debuginfo", xml->style->lines);
	put_flag(xml, "details", xml->style->details);
	put_end(xml, "/>");
}

static void put_setup(struct xml *xml)
{
	const struct pp_classes *classes = xml->profile->classes;

	put_end(xml, "<setup>");
	for (size_t i = 0; i < classes->n; i++) {
		const struct pp_class *class = &classes->items[i];

		if (xml->profile->cpu_type == OP_CPU_TIMER) {
			put(xml, "<timersetup");
			put_number(xml, "rtcinterrupts", class->count);
			put_end(xml, "/>");
			break;
		}
		if (i && classes->axis != PP_AXIS_EVENT)
			break;
		put(xml, "<eventsetup");
		put_number(xml, "id", i);
		put_attribute(xml, "eventname", class->event);
		if (!class->many_unit_masks)
			put_number(xml, "unitmask", class->unit_mask);
		put_number(xml, "setupcount", class->count);
		put_end(xml, "/>");
	}
	put_end(xml, "</setup>");
}

static void put_class_name(struct xml *xml, const char *attribute, size_t i)
{
	char name[32];

	snprintf(name, sizeof(name), "c%zu", i);
	put_attribute(xml, attribute, name);
}

static void put_classes(struct xml *xml)
{
	const struct pp_classes *classes = xml->profile->classes;

	if (classes->n < 2)
		return;
	put_end(xml, "<classes>");
	for (size_t i = 0; i < classes->n; i++) {
		const struct pp_class *class = &classes->items[i];

		put(xml, "<class");
		put_class_name(xml, "name", i);
		if (class->cpu != OP_ALL)
			put_number(xml, "cpu", class->cpu);
		if (classes->axis == PP_AXIS_EVENT) {
			put_number(xml, "event", i);
			if (!class->many_unit_masks)
				put_number(xml, "mask", class->unit_mask);
		}
		if (class->tgid != OP_ALL)
			put_number(xml, "tgid", class->tgid);
		if (class->tid != OP_ALL)
			put_number(xml, "tid", class->tid);
		put_end(xml, "/>");
	}
	put_end(xml, "</classes>");
}

/* ---- counts ---- */

static void put_counts(struct xml *xml, const uint64_t *counts)
{
	size_t n = xml->profile->classes->n;

	for (size_t i = 0; i < n; i++) {
		if (!counts[i] && n > 1)
			continue;
		put(xml, "<count");
		if (n > 1)
			put_class_name(xml, "class", i);
		put(xml, ">");
		pp_line_count(&xml->line, counts[i], 0);
		put_end(xml, "</count>");
	}
}

static void put_arc(struct xml *xml, const struct pp_row *row, const uint64_t *counts)
{
	put(xml, "<symbol");
	put_number(xml, "idref", row->number);
	put_end(xml, ">");
	put_counts(xml, counts);
	put_end(xml, "</symbol>");
}

/* The arcs of @row, which is one of their ends. */
static void put_arcs(struct xml *xml, const struct pp_row *row, bool callers)
{
	const struct pp_arc **arcs = callers ? xml->by_callee : xml->listing.arcs;
	size_t low = 0, high = xml->listing.n_arcs, i;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct pp_row *end = callers ? arcs[middle]->callee : arcs[middle]->caller;

		if (end->number < row->number)
			low = middle + 1;
		else
			high = middle;
	}
	for (i = low; i < xml->listing.n_arcs; i++) {
		if ((callers ? arcs[i]->callee : arcs[i]->caller) != row)
			break;
		if (i == low)
			put_end(xml, callers ? "<callers>" : "<callees>");
		put_arc(xml, callers ? arcs[i]->caller : arcs[i]->callee, arcs[i]->counts);
	}
	if (i > low)
		put_end(xml, callers ? "</callers>" : "</callees>");
}

static void put_symbol(struct xml *xml, const struct pp_row *row)
{
	put(xml, "<symbol");
	put_number(xml, "idref", row->number);
	if (row->n_details) {
		put_number(xml, "detaillo", xml->first_detail[row->number]);
		put_number(xml, "detailhi", xml->first_detail[row->number] + row->n_details - 1);
	}
	put_end(xml, ">");
	put_arcs(xml, row, true);
	put_arcs(xml, row, false);
	put_counts(xml, row->counts);
	put_end(xml, "</symbol>");
}

/* ---- applications ---- */

/* Symbols of a part; they begin at @next, and so do those of the next part after that. */
static void put_symbols(struct xml *xml, const struct pp_part *part, size_t *next)
{
	for (; *next < xml->listing.n; (*next)++) {
		const struct pp_row *row = xml->by_image[*next];

		if (row->app->order != part->app->order || row->image->order != part->image->order)
			break;
		put_symbol(xml, row);
	}
}

static int compare_rows(const void *a, const void *b)
{
	const struct pp_row *left = *(const struct pp_row *const *)a;
	const struct pp_row *right = *(const struct pp_row *const *)b;
	bool left_other = left->image->order != left->app->order;
	bool right_other = right->image->order != right->app->order;

	if (left->app->order != right->app->order)
		return left->app->order < right->app->order ? -1 : 1;
	/* The application's own come first. */
	if (left_other != right_other)
		return left_other ? 1 : -1;
	if (left->image->order != right->image->order)
		return left->image->order < right->image->order ? -1 : 1;
	return (left->number > right->number) - (left->number < right->number);
}

/* @parts are those of one application. */
static void put_binary(struct xml *xml, const struct pp_part *parts, size_t n, size_t *next)
{
	const struct pp_image *app = parts->app;

	put(xml, "<binary");
	put_attribute(xml, "name", xml->style->long_names ? app->full : app->base);
	put_end(xml, ">");
	put_counts(xml, app->counts);
	for (size_t i = 0; i < n; i++)
		if (parts[i].image->order == app->order)
			put_symbols(xml, &parts[i], next);
	for (size_t i = 0; i < n; i++) {
		const struct pp_image *image = parts[i].image;

		if (image->order == app->order)
			continue;
		put(xml, "<module");
		put_attribute(xml, "name", xml->style->long_names ? image->full : image->base);
		put_end(xml, ">");
		put_counts(xml, parts[i].counts);
		put_symbols(xml, &parts[i], next);
		put_end(xml, "</module>");
	}
	put_end(xml, "</binary>");
}

static void put_binaries(struct xml *xml)
{
	const struct pp_profile *profile = xml->profile;
	size_t next = 0;

	for (size_t i = 0, end; i < profile->n_parts; i = end) {
		for (end = i + 1;
		     end < profile->n_parts && profile->parts[end].app == profile->parts[i].app;)
			end++;
		put_binary(xml, profile->parts + i, end - i, &next);
	}
}

/* ---- tables ---- */

static void put_place(struct xml *xml, const struct pp_place *place)
{
	if (!place->file)
		return;
	put_attribute(xml, "file", place->file);
	put_number(xml, "line", place->line > 0 ? place->line : 0);
}

static void put_symbol_table(struct xml *xml)
{
	put_end(xml, "<symboltable>");
	for (size_t i = 0; i < xml->listing.n_all; i++) {
		const struct pp_row *row = xml->listing.rows[i];

		put(xml, "<symboldata");
		put_number(xml, "id", row->number);
		put_attribute(xml, "name", row->symbol);
		put_place(xml, &row->place);
		put_hex(xml, "startingaddr", row->place.vma);
		put_end(xml, "/>");
	}
	put_end(xml, "</symboltable>");
}

static void put_detail_table(struct xml *xml)
{
	if (!xml->style->details)
		return;
	put_end(xml, "<detailtable>");
	for (size_t i = 0; i < xml->listing.n; i++) {
		const struct pp_row *row = xml->listing.rows[i];

		put(xml, "<symboldetails");
		put_number(xml, "id", row->number);
		put_end(xml, ">");
		for (size_t k = 0; k < row->n_details; k++) {
			put(xml, "<detaildata");
			put_number(xml, "id", xml->first_detail[i] + k);
			put_hex(xml, "vmaoffset", row->details[k].place.vma);
			put_place(xml, &row->details[k].place);
			put_end(xml, ">");
			put_counts(xml, row->details[k].counts);
			put_end(xml, "</detaildata>");
		}
		put_end(xml, "</symboldetails>");
	}
	put_end(xml, "</detailtable>");
}

static void put_loss(struct xml *xml)
{
	const struct pp_loss *loss = xml->facts->loss;

	if (!loss->known)
		return;
	put(xml, "<statistics");
	put_number(xml, "received", loss->received);
	put_number(xml, "stored", loss->stored);
	put_number(xml, "filtered", loss->filtered);
	put_number(xml, "lost", loss->lost);
	put_number(xml, "kernelreceived", loss->kernel_received);
	put_number(xml, "kernellost", loss->kernel_lost);
	put_end(xml, ">");
	for (size_t i = 0; i < loss->n_causes; i++) {
		put(xml, "<loss");
		put_attribute(xml, "cause", loss->causes[i].words);
		put_number(xml, "count", loss->causes[i].n);
		put_end(xml, "/>");
	}
	put_end(xml, "</statistics>");
}

/* ---- all of it ---- */

static int compare_callees(const void *a, const void *b)
{
	const struct pp_arc *left = *(const struct pp_arc *const *)a;
	const struct pp_arc *right = *(const struct pp_arc *const *)b;

	if (left->callee != right->callee)
		return left->callee->number < right->callee->number ? -1 : 1;
	return (left->caller->number > right->caller->number) -
	       (left->caller->number < right->caller->number);
}

static void make_indices(struct xml *xml)
{
	const struct pp_listing *listing = &xml->listing;
	size_t details = 0;

	xml->by_image = pp_alloc(listing->n, sizeof(*xml->by_image));
	xml->first_detail = pp_alloc(listing->n, sizeof(*xml->first_detail));
	xml->by_callee = pp_alloc(listing->n_arcs, sizeof(*xml->by_callee));
	for (size_t i = 0; i < listing->n; i++) {
		xml->by_image[i] = listing->rows[i];
		xml->first_detail[i] = details;
		details += listing->rows[i]->n_details;
	}
	for (size_t i = 0; i < listing->n_arcs; i++)
		xml->by_callee[i] = listing->arcs[i];
	if (listing->n)
		qsort(xml->by_image, listing->n, sizeof(*xml->by_image), compare_rows);
	if (listing->n_arcs)
		qsort(xml->by_callee, listing->n_arcs, sizeof(*xml->by_callee), compare_callees);
}

void pp_report_xml(struct pp_profile *profile, const struct pp_report_style *style,
		   const struct pp_report_facts *facts, FILE *out)
{
	struct xml xml = {.profile = profile, .style = style, .facts = facts, .out = out};
	const char *cpu = op_cpu_type_name(profile->cpu_type);
	char speed[32];

	pp_listing_make(&xml.listing, profile, style);
	make_indices(&xml);
	put_end(&xml, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
	put(&xml, "<profile");
	put_attribute(&xml, "schemaversion", "3.0");
	put_attribute(&xml, "cputype", cpu ? cpu : "unknown");
	put_flag(&xml, "separatedcpus", profile->classes->axis == PP_AXIS_CPU);
	snprintf(speed, sizeof(speed), "%.6g", profile->cpu_speed > 0 ? profile->cpu_speed : 0);
	put_attribute(&xml, "mhz", speed);
	put_attribute(&xml, "title", facts->command_line);
	put_end(&xml, ">");
	put_options(&xml);
	put_setup(&xml);
	put_classes(&xml);
	put_binaries(&xml);
	put_symbol_table(&xml);
	put_detail_table(&xml);
	put_loss(&xml);
	put_end(&xml, "</profile>");
	pp_listing_free(&xml.listing);
	free(xml.by_image);
	free(xml.by_callee);
	free(xml.first_detail);
	pp_line_free(&xml.line);
}
