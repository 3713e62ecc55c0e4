// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Samples in XML.  By application:
 *
 *	binary > count, symbol..., module > count, symbol...
 *
 * or, if the columns are threads, by process and thread:
 *
 *	process > count, thread > count, module > count, symbol...
 */
#include <stdlib.h>

#include "libop/base/memory.h"
#include "libop/base/number.h"
#include "libop/base/search.h"
#include "pp/select/weights.h"
#include "xml.h"

struct samples {
	struct pp_report_xml *report;
	const struct pp_row **by_image;	 /* listed symbols, by application and image */
	const struct pp_arc **by_callee; /* listed arcs; those of the listing are by caller */
	size_t class;			 /* the current class, or PP_XML_ALL_CLASSES */
};

/* An application: its parts, and its symbols among those by image. */
struct binary {
	const struct pp_part *parts;
	size_t n_parts, first_row;
};

/* ---- order ---- */

static int xml_samples_compare_rows(const void *a, const void *b)
{
	const struct pp_row *left = *(const struct pp_row *const *)a;
	const struct pp_row *right = *(const struct pp_row *const *)b;
	int order = op_compare_u64(left->app->order, right->app->order);

	order = order ? order : op_compare_u64(left->image->order, right->image->order);
	return order ? order : op_compare_u64(left->number, right->number);
}

static int compare_callees(const void *a, const void *b)
{
	const struct pp_arc *left = *(const struct pp_arc *const *)a;
	const struct pp_arc *right = *(const struct pp_arc *const *)b;
	int order = op_compare_u64(left->callee->number, right->callee->number);

	return order ? order : op_compare_u64(left->caller->number, right->caller->number);
}

static void make_indices(struct samples *samples)
{
	const struct pp_listing *listing = &samples->report->listing;

	samples->by_image = op_alloc(listing->n, sizeof(*samples->by_image));
	samples->by_callee = op_alloc(listing->n_arcs, sizeof(*samples->by_callee));
	for (size_t i = 0; i < listing->n; i++)
		samples->by_image[i] = listing->rows[i];
	for (size_t i = 0; i < listing->n_arcs; i++)
		samples->by_callee[i] = listing->arcs[i];
	if (listing->n)
		qsort(samples->by_image, listing->n, sizeof(*samples->by_image),
		      xml_samples_compare_rows);
	if (listing->n_arcs)
		qsort(samples->by_callee, listing->n_arcs, sizeof(*samples->by_callee),
		      compare_callees);
}

/* ---- symbols ---- */

/* True if it has samples of the current classes. */
static bool has_samples(const struct samples *samples, const uint64_t *counts)
{
	return samples->class == PP_XML_ALL_CLASSES || counts[samples->class];
}

static void put_arc(struct samples *samples, const struct pp_row *row, const uint64_t *counts,
		    bool is_self)
{
	struct op_xml *xml = &samples->report->xml;

	op_xml_put(xml, "<symbol");
	op_xml_number(xml, "idref", row->number);
	if (is_self)
		op_xml_number(xml, "self", 1);
	op_xml_end(xml, ">");
	pp_report_xml_counts(samples->report, counts, samples->class);
	op_xml_end(xml, "</symbol>");
}

static int compare_to_callee(const void *row, const void *arc)
{
	return op_compare_u64(((const struct pp_row *)row)->number,
			      (*(const struct pp_arc *const *)arc)->callee->number);
}

static int compare_to_caller(const void *row, const void *arc)
{
	return op_compare_u64(((const struct pp_row *)row)->number,
			      (*(const struct pp_arc *const *)arc)->caller->number);
}

/* The first arc of which @row is an end. */
static size_t find_arc(const struct samples *samples, const struct pp_row *row, bool callers)
{
	const struct pp_listing *listing = &samples->report->listing;
	const struct pp_arc **arcs = callers ? samples->by_callee : listing->arcs;

	return op_first_match(row, arcs, listing->n_arcs, sizeof(*arcs),
			      callers ? compare_to_callee : compare_to_caller);
}

/* Whether an arc is among the callers of its callee, or what its caller calls. */
static bool is_listed(const struct pp_arc *arc, bool callers)
{
	return callers ? arc->is_of_callee : arc->is_of_caller;
}

/* Its callers, or its callees, of which the last one is itself. */
static void put_arcs(struct samples *samples, const struct pp_row *row, bool callers)
{
	const struct pp_listing *listing = &samples->report->listing;
	const struct pp_arc **arcs = callers ? samples->by_callee : listing->arcs;
	struct op_xml *xml = &samples->report->xml;
	bool open = false;

	for (size_t i = find_arc(samples, row, callers); i < listing->n_arcs; i++) {
		if ((callers ? arcs[i]->callee : arcs[i]->caller) != row)
			break;
		if (!has_samples(samples, arcs[i]->counts) || !is_listed(arcs[i], callers))
			continue;
		if (!open)
			op_xml_end(xml, callers ? "<callers>" : "<callees>");
		open = true;
		put_arc(samples, callers ? arcs[i]->caller : arcs[i]->callee, arcs[i]->counts,
			false);
	}
	if (!callers && samples->report->facts->callgraph && has_samples(samples, row->counts)) {
		if (!open)
			op_xml_end(xml, "<callees>");
		open = true;
		put_arc(samples, row, row->counts, true);
	}
	if (open)
		op_xml_end(xml, callers ? "</callers>" : "</callees>");
}

static void put_symbol(struct samples *samples, const struct pp_row *row)
{
	const size_t *first_detail = samples->report->first_detail;
	struct op_xml *xml = &samples->report->xml;

	op_xml_put(xml, "<symbol");
	op_xml_number(xml, "idref", row->number);
	if (row->n_details) {
		op_xml_number(xml, "detaillo", first_detail[row->number]);
		op_xml_number(xml, "detailhi", first_detail[row->number] + row->n_details - 1);
	}
	op_xml_end(xml, ">");
	put_arcs(samples, row, true);
	put_arcs(samples, row, false);
	pp_report_xml_counts(samples->report, row->counts, samples->class);
	op_xml_end(xml, "</symbol>");
}

/* A symbol without samples in a thread is written if it has arcs. */
static bool has_arcs(const struct samples *samples, const struct pp_row *row)
{
	const struct pp_listing *listing = &samples->report->listing;

	for (int callers = 0; callers < 2; callers++) {
		const struct pp_arc **arcs = callers ? samples->by_callee : listing->arcs;

		for (size_t i = find_arc(samples, row, callers); i < listing->n_arcs; i++) {
			if ((callers ? arcs[i]->callee : arcs[i]->caller) != row)
				break;
			if (has_samples(samples, arcs[i]->counts) && is_listed(arcs[i], callers))
				return true;
		}
	}
	return false;
}

/* Symbols of @part; *@next is the first of them, and is set to the first of the next part. */
static void samples_put_symbols(struct samples *samples, const struct pp_part *part, size_t *next)
{
	for (; *next < samples->report->listing.n; (*next)++) {
		const struct pp_row *row = samples->by_image[*next];

		if (row->app->order != part->app->order || row->image->order != part->image->order)
			break;
		if (has_samples(samples, row->counts) || has_arcs(samples, row))
			put_symbol(samples, row);
	}
}

/* ---- images ---- */

static void samples_put_name(struct samples *samples, const struct pp_image *image)
{
	op_xml_text(&samples->report->xml, "name", image->full);
	op_xml_end(&samples->report->xml, ">");
}

static void put_module(struct samples *samples, const struct pp_part *part, size_t *next)
{
	struct op_xml *xml = &samples->report->xml;

	op_xml_put(xml, "<module");
	samples_put_name(samples, part->image);
	pp_report_xml_counts_of_image(samples->report, part->counts, samples->class);
	samples_put_symbols(samples, part, next);
	op_xml_end(xml, "</module>");
}

static bool is_own(const struct pp_part *part)
{
	return part->image->order == part->app->order;
}

/* The end of the symbols of @part, which begin at @next. */
static size_t pass_over(const struct samples *samples, const struct pp_part *part, size_t next)
{
	for (; next < samples->report->listing.n; next++) {
		const struct pp_row *row = samples->by_image[next];

		if (row->app->order != part->app->order || row->image->order != part->image->order)
			break;
	}
	return next;
}

/* The samples of the application's own image; modules have theirs. */
static void put_own_counts(struct samples *samples, const struct binary *binary)
{
	const size_t n = samples->report->profile->classes->columns;
	uint64_t *counts = op_alloc(n, sizeof(*counts));

	for (size_t i = 0; i < binary->n_parts; i++)
		if (is_own(&binary->parts[i]))
			pp_counts_add(samples->report->profile->classes, counts,
				      binary->parts[i].counts);
	pp_report_xml_counts_of_image(samples->report, counts, samples->class);
	free(counts);
}

/* The application's own symbols first, then its other images. */
static void put_binary(struct samples *samples, const struct binary *binary)
{
	struct op_xml *xml = &samples->report->xml;
	const struct pp_image *app = binary->parts->app;

	op_xml_put(xml, "<binary");
	samples_put_name(samples, app);
	put_own_counts(samples, binary);
	for (int others = 0; others < 2; others++) {
		size_t next = binary->first_row;

		for (size_t i = 0; i < binary->n_parts; i++) {
			const struct pp_part *part = &binary->parts[i];

			if (is_own(part) == (bool)others)
				next = pass_over(samples, part, next);
			else if (others)
				put_module(samples, part, &next);
			else
				samples_put_symbols(samples, part, &next);
		}
	}
	op_xml_end(xml, "</binary>");
}

/* ---- processes ---- */

/* True if the current thread has samples or arcs in the part whose symbols begin at @next. */
static bool belongs(const struct samples *samples, const struct pp_part *part, size_t next)
{
	size_t end = pass_over(samples, part, next);

	if (has_samples(samples, part->counts))
		return true;
	for (; samples->report->listing.n_arcs && next < end; next++)
		if (has_arcs(samples, samples->by_image[next]))
			return true;
	return false;
}

static void put_thread(struct samples *samples, const struct binary *binary)
{
	const struct pp_class *class = &samples->report->profile->classes->items[samples->class];
	struct op_xml *xml = &samples->report->xml;
	size_t next = binary->first_row;

	op_xml_put(xml, "<thread");
	op_xml_number(xml, "tid", class->tid);
	op_xml_end(xml, ">");
	pp_report_xml_counts(samples->report, binary->parts->app->counts, samples->class);
	for (size_t i = 0; i < binary->n_parts; i++) {
		if (belongs(samples, &binary->parts[i], next))
			put_module(samples, &binary->parts[i], &next);
		else
			next = pass_over(samples, &binary->parts[i], next);
	}
	op_xml_end(xml, "</thread>");
}

/* One application in one process: the classes from @first on, up to but not including @end. */
static void put_process(struct samples *samples, const struct binary *binary, size_t first,
			size_t end)
{
	const struct pp_class *classes = samples->report->profile->classes->items;
	const struct pp_image *app = binary->parts->app;
	struct op_xml *xml = &samples->report->xml;
	bool open = false;

	for (samples->class = first; samples->class < end; samples->class ++) {
		if (!app->counts[samples->class])
			continue;
		if (!open) {
			op_xml_put(xml, "<process");
			op_xml_number(xml, "pid", classes[first].tgid);
			samples_put_name(samples, app);
			pp_report_xml_sum(samples->report, app->counts, first, end);
		}
		open = true;
		put_thread(samples, binary);
	}
	if (open)
		op_xml_end(xml, "</process>");
}

static struct binary *gather_binaries(const struct samples *samples, size_t *n)
{
	const struct pp_profile *profile = samples->report->profile;
	struct binary *binaries = op_alloc(profile->n_apps, sizeof(*binaries));
	size_t next = 0;

	*n = 0;
	for (size_t i = 0, end; i < profile->n_parts; i = end) {
		struct binary *binary = &binaries[(*n)++];

		binary->parts = &profile->parts[i];
		binary->first_row = next;
		for (end = i;
		     end < profile->n_parts && profile->parts[end].app == profile->parts[i].app;
		     end++)
			next = pass_over(samples, &profile->parts[end], next);
		binary->n_parts = end - i;
	}
	return binaries;
}

void pp_report_xml_samples(struct pp_report_xml *report)
{
	const struct pp_classes *classes = report->profile->classes;
	struct samples samples = {.report = report, .class = PP_XML_ALL_CLASSES};
	struct binary *binaries;
	size_t n;

	make_indices(&samples);
	binaries = gather_binaries(&samples, &n);
	if (!pp_report_xml_has_threads(report)) {
		for (size_t i = 0; i < n; i++)
			put_binary(&samples, &binaries[i]);
	} else {
		for (size_t first = 0, end; first < classes->n; first = end) {
			for (end = first; end < classes->n &&
					  classes->items[end].tgid == classes->items[first].tgid;)
				end++;
			for (size_t i = 0; i < n; i++)
				put_process(&samples, &binaries[i], first, end);
		}
	}
	free(binaries);
	free(samples.by_image);
	free(samples.by_callee);
}
