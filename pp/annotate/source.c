// SPDX-License-Identifier: GPL-2.0-or-later
/* Writes annotated source files. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/file.h"
#include "annotate.h"
#include "libop/base/memory.h"
#include "libop/foreign/door.h"
#include "libop/foreign/output.h"
#include "pp/debug/source_file.h"
#include "pp/select/spec.h"
#include "pp/select/weights.h"

/* Samples at one address, or a symbol that begins there, by the line it came from. */
struct mark {
	const char *file;
	int line;
	uid_t namer;
	const struct pp_row *symbol; /* NULL: samples */
	const uint64_t *counts;
};

/* The marks of one source file. */
struct source {
	const char *name;
	const struct mark *marks; /* by line; samples before symbols */
	size_t n;
	uid_t namer; /* the first; or ourselves, if anything of ours names it, too */
	uint64_t *counts;
};

struct marks {
	struct mark *items;
	size_t n, capacity;
};

static void add_mark(struct marks *marks, const struct pp_place *place, const struct pp_row *symbol,
		     const uint64_t *counts)
{
	marks->items = op_grow(marks->items, &marks->capacity, marks->n + 1, sizeof(struct mark));
	marks->items[marks->n++] = (struct mark){.file = place->file,
						 .line = place->line,
						 .namer = place->namer,
						 .symbol = symbol,
						 .counts = counts};
}

static void gather_marks(struct pp_annotation *annotation, struct marks *marks)
{
	const struct pp_profile *profile = annotation->profile;

	for (size_t i = 0; i < profile->n_rows; i++) {
		const struct pp_row *row = profile->rows[i];

		if (row->place.file)
			add_mark(marks, &row->place, row, row->counts);
		for (size_t k = 0; k < row->n_details; k++) {
			const struct pp_detail *detail = &row->details[k];

			if (detail->place.file)
				add_mark(marks, &detail->place, NULL, detail->counts);
			else
				pp_annotate_add(annotation, annotation->missing, detail->counts);
		}
	}
}

static int compare_marks(const void *a, const void *b)
{
	const struct mark *left = a, *right = b;
	int order = strcmp(left->file, right->file);

	if (order)
		return order;
	if (left->line != right->line)
		return left->line < right->line ? -1 : 1;
	if (!left->symbol || !right->symbol)
		return !!left->symbol - !!right->symbol;
	return strcmp(left->symbol->symbol, right->symbol->symbol);
}

static bool annotate_source_is_wanted(const struct pp_annotation *annotation,
				      const struct source *source)
{
	const struct pp_annotate_options *options = annotation->options;
	const struct pp_profile *profile = annotation->profile;

	if (pp_weight_share(profile->classes, source->counts, profile->totals, 0) <
	    options->threshold)
		return false;
	if (options->include_files.count && !pp_globs_match(&options->include_files, source->name))
		return false;
	return !pp_globs_match(&options->exclude_files, source->name);
}

/* Most samples first, then by name. */
static int compare_sources(const void *a, const void *b, void *classes)
{
	const struct source *left = a, *right = b;
	uint64_t l = pp_weight(classes, left->counts, 0), r = pp_weight(classes, right->counts, 0);

	if (l != r)
		return l > r ? -1 : 1;
	return strcmp(left->name, right->name);
}

static struct source *gather_sources(struct pp_annotation *annotation, struct marks *marks,
				     size_t *n)
{
	struct source *sources = NULL;
	size_t capacity = 0, n_columns = annotation->profile->classes->columns;

	*n = 0;
	if (marks->n)
		qsort(marks->items, marks->n, sizeof(struct mark), compare_marks);
	for (size_t i = 0, end; i < marks->n; i = end) {
		struct source source = {.name = marks->items[i].file,
					.marks = &marks->items[i],
					.namer = marks->items[i].namer};

		source.counts = op_alloc(n_columns, sizeof(uint64_t));
		for (end = i; end < marks->n && !strcmp(marks->items[end].file, source.name);
		     end++) {
			if (marks->items[end].namer == FOREIGN_OURSELVES)
				source.namer = FOREIGN_OURSELVES;
			if (!marks->items[end].symbol)
				pp_annotate_add(annotation, source.counts,
						marks->items[end].counts);
		}
		source.n = end - i;
		if (!annotate_source_is_wanted(annotation, &source)) {
			free(source.counts);
			continue;
		}
		sources = op_grow(sources, &capacity, *n + 1, sizeof(source));
		sources[(*n)++] = source;
	}
	if (*n)
		qsort_r(sources, *n, sizeof(*sources), compare_sources,
			(void *)annotation->profile->classes);
	return sources;
}

/* After a line: the symbols that start there; equal names of several applications or images are
 * shown once. */
static void annotation_put_symbols(struct pp_annotation *annotation, const struct mark *marks,
				   size_t n)
{
	size_t n_columns = annotation->profile->classes->columns;
	uint64_t *sums = op_alloc(n_columns, sizeof(*sums));

	for (size_t i = 0; i < n; i++) {
		pp_annotate_add(annotation, sums, marks[i].counts);
		if (i + 1 < n && !strcmp(marks[i].symbol->symbol, marks[i + 1].symbol->symbol))
			continue;
		op_line_puts(&annotation->line, " ");
		pp_annotate_total(annotation, marks[i].symbol->symbol, sums);
		memset(sums, 0, n_columns * sizeof(*sums));
	}
	free(sums);
}

/* @text is NULL if the file, or the line in it, does not exist. */
static void annotation_put_line(struct pp_annotation *annotation, const char *text, int line,
				const struct mark *marks, size_t n, FILE *out)
{
	size_t n_columns = annotation->profile->classes->columns, n_samples = 0;
	uint64_t *sums = op_alloc(n_columns, sizeof(*sums));

	for (; n_samples < n && !marks[n_samples].symbol; n_samples++)
		pp_annotate_add(annotation, sums, marks[n_samples].counts);
	pp_annotate_prefix(annotation, sums);
	free(sums);
	if (text) {
		op_line_safe_tabs(&annotation->line, text);
	} else {
		char place[64];

		snprintf(place, sizeof(place), "/* line %d is not there */", line);
		op_line_puts(&annotation->line, place);
	}
	annotation_put_symbols(annotation, marks + n_samples, n - n_samples);
	op_line_end(&annotation->line, out);
}

static size_t count_line(const struct mark *marks, size_t n)
{
	size_t same = 0;

	while (same < n && marks[same].line == marks[0].line)
		same++;
	return same;
}

/* Lines that are shown before and behind one with samples. */
#define CONTEXT_LINES 5
/* Lines of a file that is shown whole. */
#define SMALL_FILE 24

/* Lines from @first to before @end are not shown. */
static void put_gap(struct pp_annotation *annotation, size_t first, size_t end, FILE *out)
{
	char text[80];

	if (first == end)
		return;
	pp_annotate_prefix(annotation, NULL);
	snprintf(text, sizeof(text), "/* %zu line%s: %zu to %zu */", end - first,
		 end - first == 1 ? "" : "s", first, end - 1);
	op_line_puts(&annotation->line, text);
	op_line_end(&annotation->line, out);
}

/* The lines of the file, all or those near samples, and lines with samples that it does not have:
 * 0, or beyond its end. */
static void annotation_put_lines(struct pp_annotation *annotation, const struct source *source,
				 const struct pp_source *text, bool is_full, FILE *out)
{
	const struct mark *marks = source->marks;
	size_t n = source->n, same, next = 1, last = 0;

	is_full |= text->n <= SMALL_FILE;

	for (; n && marks->line <= 0; marks += same, n -= same) {
		same = count_line(marks, n);
		annotation_put_line(annotation, NULL, marks->line, marks, same, out);
	}
	for (size_t line = 1; line <= text->n; line++) {
		bool is_near = (last && line - last <= CONTEXT_LINES) ||
			       (n && (size_t)marks->line - line <= CONTEXT_LINES);

		if (!is_full && !is_near)
			continue;
		put_gap(annotation, next, line, out);
		same = n && (size_t)marks->line == line ? count_line(marks, n) : 0;
		annotation_put_line(annotation, text->lines[line - 1], line, marks, same, out);
		marks += same;
		n -= same;
		next = line + 1;
		last = same ? line : last;
	}
	put_gap(annotation, next, text->n + 1, out);
	for (; n; marks += same, n -= same) {
		same = count_line(marks, n);
		annotation_put_line(annotation, NULL, marks->line, marks, same, out);
	}
}

static void put_source(struct pp_annotation *annotation, const struct source *source, bool is_full,
		       FILE *out)
{
	const struct pp_source_search search = {
		.search_dirs = &annotation->options->search_dirs,
		.base_dirs = &annotation->options->base_dirs,
	};
	struct pp_source text;
	struct op_error error;

	if (pp_source_read(&text, &search, source->name, source->namer, &error))
		op_warnings_add(annotation->warnings, OP_NO_SOURCE, "%s", error.text);
	pp_annotate_title(annotation, source->name, source->counts, out);
	annotation_put_lines(annotation, source, &text, is_full, out);
	pp_source_free(&text);
}

static int write_source(struct pp_annotation *annotation, const struct source *source,
			struct op_error *error)
{
	char *path = pp_source_output(annotation->options->output_dir, source->name);
	FILE *out = foreign_create_stream(path, FOREIGN_PARENTS_MAKE, FOREIGN_REPLACE, error);
	int result = out ? 0 : -1;

	if (out) {
		bool failed;

		pp_annotate_head(annotation, out);
		put_source(annotation, source, true, out);
		failed = fflush(out) || ferror(out);
		if (fclose(out) || failed)
			result = op_error_set(error, EIO, "cannot write all of %s", path);
	}
	free(path);
	return result;
}

/* ---- the hottest lines ---- */

#define HOTTEST_LINES 10

struct hot_line {
	const struct source *source;
	int line;
	uint64_t *counts;
};

/* Most samples first; equal ones stay in the order of files and lines. */
static int compare_hot(const void *a, const void *b, void *classes)
{
	const struct hot_line *left = a, *right = b;
	uint64_t l = pp_weight(classes, left->counts, 0), r = pp_weight(classes, right->counts, 0);

	if (l != r)
		return l > r ? -1 : 1;
	if (left->source != right->source)
		return left->source < right->source ? -1 : 1;
	return left->line - right->line;
}

static struct hot_line *gather_hot(const struct pp_annotation *annotation,
				   const struct source *sources, size_t n, size_t *n_hot)
{
	size_t columns = annotation->profile->classes->columns, capacity = 0;
	struct hot_line *hot = NULL;

	*n_hot = 0;
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < sources[i].n; k++) {
			const struct mark *mark = &sources[i].marks[k];
			bool is_next = *n_hot && hot[*n_hot - 1].source == &sources[i] &&
				       hot[*n_hot - 1].line == mark->line;

			if (mark->symbol)
				continue;
			if (!is_next) {
				hot = op_grow(hot, &capacity, *n_hot + 1, sizeof(*hot));
				hot[(*n_hot)++] =
					(struct hot_line){&sources[i], mark->line,
							  op_alloc(columns, sizeof(uint64_t))};
			}
			pp_annotate_add(annotation, hot[*n_hot - 1].counts, mark->counts);
		}
	}
	return hot;
}

static void put_hottest(struct pp_annotation *annotation, const struct source *sources, size_t n)
{
	size_t n_hot;
	struct hot_line *hot = gather_hot(annotation, sources, n, &n_hot);

	if (n_hot)
		qsort_r(hot, n_hot, sizeof(*hot), compare_hot,
			(void *)annotation->profile->classes);
	if (n_hot > 1)
		pp_annotate_begin_list(annotation, "Lines with most samples:", stdout);
	for (size_t i = 0; n_hot > 1 && i < n_hot && i < HOTTEST_LINES; i++)
		pp_annotate_item(annotation, hot[i].counts, hot[i].source->name, hot[i].line,
				 stdout);
	if (n_hot > 1)
		pp_annotate_end_list(annotation, stdout);
	for (size_t i = 0; i < n_hot; i++)
		free(hot[i].counts);
	free(hot);
}

int pp_annotate_source(struct pp_annotation *annotation, struct op_error *error)
{
	bool to_files = annotation->options->output_dir;
	struct marks marks = {0};
	struct source *sources;
	size_t n;
	int result = 0;

	gather_marks(annotation, &marks);
	sources = gather_sources(annotation, &marks, &n);
	if (!to_files) {
		pp_annotate_head(annotation, stdout);
		put_hottest(annotation, sources, n);
	}
	for (size_t i = 0; i < n; i++) {
		if (to_files)
			result = result ? result : write_source(annotation, &sources[i], error);
		else
			put_source(annotation, &sources[i], annotation->options->full, stdout);
		free(sources[i].counts);
	}
	pp_annotate_missing(annotation, "Samples without a source line", stdout);
	pp_annotate_foot(annotation, stdout);
	free(sources);
	free(marks.items);
	return result;
}
