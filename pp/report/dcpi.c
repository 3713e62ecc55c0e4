// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reports in the layouts of DCPI's tools, for programs that read them: dcpicat,
 * the counts of each address, by image; dcpiprof, a histogram of procedures or images.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "libop/cpu/type_names.h"
#include "pp/symbols/image_name.h"
#include "pp/symbols/dcpi_image.h"
#include "pp/symbols/image_path.h"
#include "libop/base/memory.h"
#include "pp/symbols/elf_file.h"
#include "report.h"
#include "pp/select/weights.h"
#include "libop/base/number.h"
#include "libop/base/safe_text.h"

#define PAGE	      UINT64_C(4096)
#define KEYWORD_WIDTH 12
#define COUNT_WIDTH   8
/* Column width: longer names exceed it. */
#define PROCEDURE_WIDTH_MOST 48
/* What dcpicat prints for an event that was counted all of the time. */
#define ALWAYS 10000

/* A line of counts: of an address, a procedure or an image, of all applications. */
struct entry {
	const struct pp_image *image;
	const char *procedure; /* or NULL */
	uint64_t address;
	uint64_t *counts; /* by class; the entry's own */
};

struct entries {
	struct entry *items;
	size_t n, capacity;
	const struct pp_classes *classes;
};

typedef int compare_fn(const void *a, const void *b);

static void entries_add(struct entries *entries, const struct pp_image *image,
			const char *procedure, uint64_t address, const uint64_t *counts)
{
	struct entry entry = {image, procedure, address, NULL};

	entry.counts = op_alloc(entries->classes->columns, sizeof(*entry.counts));
	memcpy(entry.counts, counts, entries->classes->columns * sizeof(*entry.counts));
	entries->items = op_grow(entries->items, &entries->capacity, entries->n + 1,
				 sizeof(*entries->items));
	entries->items[entries->n++] = entry;
}

/* Sorts entries, and merges equal ones. */
static void merge(struct entries *entries, compare_fn *compare)
{
	size_t n = 0;

	if (!entries->n)
		return;
	qsort(entries->items, entries->n, sizeof(*entries->items), compare);
	for (size_t i = 1; i < entries->n; i++) {
		if (compare(&entries->items[n], &entries->items[i])) {
			entries->items[++n] = entries->items[i];
			continue;
		}
		pp_counts_add(entries->classes, entries->items[n].counts, entries->items[i].counts);
		free(entries->items[i].counts);
	}
	entries->n = n + 1;
}

static void free_entries(struct entries *entries)
{
	for (size_t i = 0; i < entries->n; i++)
		free(entries->items[i].counts);
	free(entries->items);
}

static int compare_image(const struct entry *a, const struct entry *b)
{
	return op_compare_u64(a->image->order, b->image->order);
}

/* ---- dcpicat ---- */

static int compare_address(const void *a, const void *b)
{
	const struct entry *entry = a, *other = b;
	int order = compare_image(entry, other);

	return order ? order : op_compare_u64(entry->address, other->address);
}

static void collect_addresses(struct entries *entries, const struct pp_profile *profile)
{
	for (size_t i = 0; i < profile->n_rows; i++) {
		const struct pp_row *row = profile->rows[i];

		for (size_t j = 0; j < row->n_details && !row->is_hidden; j++)
			entries_add(entries, row->image, NULL, row->details[j].place.vma,
				    row->details[j].counts);
	}
	merge(entries, compare_address);
}

/* The text of an image: that of its file, or without one the range of its samples. */
struct text {
	uint64_t start, size;
	char id[PP_DCPI_IMAGE_ID];
};

static void find_segment(struct text *text, const char *path, uint64_t low, uint64_t high)
{
	struct pp_segments segments;

	if (!pp_segments_read(&segments, path))
		return;
	for (size_t i = 0; i < segments.n; i++) {
		const struct pp_segment *segment = &segments.items[i];

		if (low < segment->address || high - segment->address >= segment->size)
			continue;
		text->start = segment->address;
		text->size = segment->size;
		break;
	}
	free(segments.items);
}

static uint64_t mtime_of(const char *path)
{
	struct stat status;

	return path && !stat(path, &status) ? (uint64_t)status.st_mtime : 0;
}

/* The first three bytes of a hexadecimal build-id. */
static size_t first_bytes(unsigned char bytes[3], const char *build_id)
{
	return build_id && op_bytes_take(build_id, bytes, 3) ? 3 : 0;
}

static struct text find_text(const struct pp_report_facts *facts, const struct pp_image *image,
			     uint64_t low, uint64_t high)
{
	struct text text = {.start = low & ~(PAGE - 1)};
	const char *reason;
	char *path = NULL, *build_id = NULL;
	unsigned char bytes[3];

	text.size = (high | (PAGE - 1)) - text.start + 1;
	/* what only a profile names is no file of this machine, whatever its path */
	if (!pp_image_is_named(image->id->name))
		path = pp_image_find(facts->search, image->full, &reason);
	if (path) {
		find_segment(&text, path, low, high);
		build_id = pp_elf_build_id_at(path);
	}
	pp_dcpi_image_id(text.id, mtime_of(path), bytes, first_bytes(bytes, build_id), image->full);
	free(build_id);
	free(path);
	return text;
}

static void put_keyword(FILE *out, const char *keyword, const char *value)
{
	op_safe_line(out, "%-*s%s", KEYWORD_WIDTH, keyword, value);
}

static void dcpi_put_event(FILE *out, const struct pp_class *class, bool by_event, uint64_t total)
{
	uint64_t share = ALWAYS;

	if (class->enabled_ns)
		share = (uint64_t)((double)class->running_ns / (double)class->enabled_ns * ALWAYS +
				   0.5);
	op_safe_line(out, "%-*s%" PRIu64 " %s:%" PRIu64 ":%" PRIu64, KEYWORD_WIDTH, "event", total,
		     by_event ? class->event : class->column, class->count, share);
}

static void dcpi_put_head(const struct pp_profile *profile, const struct pp_report_facts *facts,
			  const struct entry *entries, size_t n, FILE *out)
{
	const struct pp_image *image = entries->image;
	struct text text = find_text(facts, image, entries[0].address, entries[n - 1].address);
	char epoch[16];

	pp_dcpi_time(epoch, sizeof(epoch), "%y%m%d%H%M",
		     facts->list->n_dirs ? mtime_of(facts->list->samples_dirs[0]) : 0);
	put_keyword(out, "name", image->base);
	put_keyword(out, "image", text.id);
	put_keyword(out, "path", image->full);
	put_keyword(out, "epoch", epoch);
	put_keyword(out, "platform", op_cpu_type_title(profile->cpu_type));
	fprintf(out, "%-*s0x%012" PRIx64 "\n", KEYWORD_WIDTH, "text_start", text.start);
	fprintf(out, "%-*s0x%012" PRIx64 "\n", KEYWORD_WIDTH, "text_size", text.size);
	for (size_t i = 0; i < profile->classes->n; i++) {
		uint64_t total = 0;

		for (size_t j = 0; j < n; j++)
			total += entries[j].counts[i];
		dcpi_put_event(out, &profile->classes->items[i],
			       profile->classes->axis == PP_AXIS_EVENT, total);
	}
}

static void put_addresses(const struct pp_profile *profile, const struct entry *entries, size_t n,
			  FILE *out)
{
	for (size_t i = 0; i < n; i++) {
		fprintf(out, "0x%012" PRIx64, entries[i].address);
		for (size_t j = 0; j < profile->classes->n; j++)
			fprintf(out, " %*" PRIu64, COUNT_WIDTH, entries[i].counts[j]);
		fputc('\n', out);
	}
}

void pp_report_dcpicat(const struct pp_profile *profile, const struct pp_report_style *style,
		       const struct pp_report_facts *facts, FILE *out)
{
	struct entries entries = {.classes = profile->classes};

	collect_addresses(&entries, profile);
	for (size_t i = 0, end; i < entries.n; i = end) {
		for (end = i + 1; end < entries.n; end++)
			if (compare_image(&entries.items[i], &entries.items[end]))
				break;
		if (!style->no_header) {
			if (i)
				fputc('\n', out);
			dcpi_put_head(profile, facts, &entries.items[i], end - i, out);
		}
		put_addresses(profile, &entries.items[i], end - i, out);
	}
	free_entries(&entries);
}

/* ---- dcpiprof ---- */

static int compare_procedure(const void *a, const void *b)
{
	const struct entry *entry = a, *other = b;
	int order = compare_image(entry, other);

	return order || !entry->procedure ? order : strcmp(entry->procedure, other->procedure);
}

/* The most samples of the first event first. */
static int compare_samples(const void *a, const void *b, void *classes)
{
	const struct entry *entry = a, *other = b;
	uint64_t left = pp_weight(classes, entry->counts, 0);
	uint64_t right = pp_weight(classes, other->counts, 0);

	if (left != right)
		return left < right ? 1 : -1;
	return compare_procedure(a, b);
}

static void collect_procedures(struct entries *entries, const struct pp_profile *profile,
			       bool symbols)
{
	if (symbols)
		for (size_t i = 0; i < profile->n_rows; i++) {
			const struct pp_row *row = profile->rows[i];

			if (!row->is_hidden)
				entries_add(entries, row->image, row->symbol, 0, row->counts);
		}
	else
		for (size_t i = 0; i < profile->n_parts; i++)
			entries_add(entries, profile->parts[i].image, NULL, 0,
				    profile->parts[i].counts);
	merge(entries, compare_procedure);
	if (entries->n)
		qsort_r(entries->items, entries->n, sizeof(*entries->items), compare_samples,
			(void *)profile->classes);
}

/* The column of an event is as wide as its name or its total. */
static int width_of(const struct pp_profile *profile, size_t class)
{
	const char *name = profile->classes->items[class].column;
	char total[24];
	int width = snprintf(total, sizeof(total), "%" PRIu64, profile->totals[class]);
	int own = (int)op_safe_width(name);

	return own > width ? own : width;
}

static void put_totals(const struct pp_profile *profile, FILE *out)
{
	fputs("Total samples for event type", out);
	for (size_t i = 0; i < profile->classes->n; i++)
		op_safe_printf(out, "%s %s = %" PRIu64, i ? "," : "",
			       profile->classes->items[i].column, profile->totals[i]);
	fputs("\n\n", out);
}

static void put_columns(const struct pp_profile *profile, int procedures, FILE *out)
{
	for (size_t i = 0; i < profile->classes->n; i++) {
		const char *column = profile->classes->items[i].column;

		op_safe_printf(out, "%*s%s %7s", width_of(profile, i) - (int)op_safe_width(column),
			       "", column, "%");
		fprintf(out, i ? "  " : " %7s  ", "cum%");
	}
	if (procedures)
		fprintf(out, "%-*s  ", procedures, "procedure");
	fputs("image\n", out);
}

static double share(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* @sum: the weight in the first class of this entry and those before it. */
static void put_entry(const struct pp_profile *profile, const struct entry *entry, uint64_t sum,
		      int procedures, FILE *out)
{
	const struct pp_classes *classes = profile->classes;

	for (size_t i = 0; i < profile->classes->n; i++) {
		fprintf(out, "%*" PRIu64 " %6.2f%%", width_of(profile, i), entry->counts[i],
			share(pp_weight(classes, entry->counts, i),
			      pp_weight(classes, profile->totals, i)));
		if (!i)
			fprintf(out, " %6.2f%%",
				share(sum, pp_weight(classes, profile->totals, 0)));
		fputs("  ", out);
	}
	if (procedures)
		op_safe_printf(out, "%s%*s  ", entry->procedure,
			       procedures - (int)op_safe_width(entry->procedure), "");
	op_safe_line(out, "%s", entry->image->full);
}

void pp_report_dcpiprof(const struct pp_profile *profile, const struct pp_report_style *style,
			const struct pp_report_facts *facts, FILE *out)
{
	struct entries entries = {.classes = profile->classes};
	int procedures = facts->symbols ? (int)strlen("procedure") : 0;
	uint64_t sum = 0;

	collect_procedures(&entries, profile, facts->symbols);
	for (size_t i = 0; i < entries.n && facts->symbols; i++) {
		size_t length = op_safe_width(entries.items[i].procedure);

		if (length > (size_t)procedures && length <= PROCEDURE_WIDTH_MOST)
			procedures = (int)length;
	}
	if (!style->no_header) {
		put_totals(profile, out);
		put_columns(profile, procedures, out);
	}
	for (size_t i = 0; i < entries.n; i++) {
		const struct entry *entry = &entries.items[i];
		uint64_t weight = pp_weight(profile->classes, entry->counts, 0);

		sum += weight;
		if (share(weight, pp_weight(profile->classes, profile->totals, 0)) >=
		    style->threshold)
			put_entry(profile, entry, sum, procedures, out);
	}
	free_entries(&entries);
}
