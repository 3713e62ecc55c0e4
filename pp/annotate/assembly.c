// SPDX-License-Identifier: GPL-2.0-or-later
/* Annotated instructions. */
#include <stdlib.h>
#include <string.h>

#include "annotate.h"
#include "pp/debug/info.h"
#include "disassembly.h"
#include "libop/base/memory.h"
#include "libop/base/number.h"
#include "pp/debug/source_file.h"
#include "pp/select/spec.h"
#include "pp/select/weights.h"

/* Maximum number of source lines shown between two instructions. */
#define LINES_BETWEEN 20

/* The image being written. */
struct listing {
	struct pp_annotation *annotation;
	struct pp_image_content content;
	struct pp_disassembly *disassembly;
	unsigned int vma_digits;
	/* With --source: */
	struct pp_debug_info *debug;
	struct pp_source source; /* the file used last */
	char *source_name;
	int last_line;
	uint64_t *sums; /* of an instruction */
};

/* A line without samples. */
static void listing_put_text(struct listing *listing, const char *text)
{
	pp_annotate_prefix(listing->annotation, NULL);
	op_line_safe_tabs(&listing->annotation->line, text);
	op_line_end(&listing->annotation->line, stdout);
}

/* ---- source lines between the instructions ---- */

static bool is_file_wanted(const struct pp_annotate_options *options, const char *file)
{
	return (!options->include_files.count || pp_globs_match(&options->include_files, file)) &&
	       !pp_globs_match(&options->exclude_files, file);
}

static void change_file(struct listing *listing, const char *file)
{
	struct pp_annotation *annotation = listing->annotation;
	const struct pp_source_search search = {
		.search_dirs = &annotation->options->search_dirs,
		.base_dirs = &annotation->options->base_dirs,
	};
	struct op_error error;

	pp_source_free(&listing->source);
	free(listing->source_name);
	listing->source_name = op_copy(file);
	listing->last_line = 0;
	if (is_file_wanted(annotation->options, file) &&
	    pp_source_read(&listing->source, &search, file, pp_debug_info_namer(listing->debug),
			   &error))
		op_warnings_add(annotation->warnings, OP_NO_SOURCE, "%s", error.text);
	pp_annotate_prefix(annotation, NULL);
	op_line_puts(&annotation->line, "/* ");
	pp_annotate_comment(annotation, file);
	op_line_puts(&annotation->line, " */");
	op_line_end(&annotation->line, stdout);
}

static void put_source(struct listing *listing, uint64_t vma)
{
	int line = 0, first;
	const char *file = pp_debug_info_line(
		listing->debug, pp_symbols_link(&listing->content.symbols, vma), &line);

	if (!file)
		return;
	if (!listing->source_name || strcmp(listing->source_name, file))
		change_file(listing, file);
	if (line == listing->last_line)
		return;
	first = listing->last_line && listing->last_line < line &&
				line - listing->last_line <= LINES_BETWEEN
			? listing->last_line + 1
			: line;
	for (int i = first; i <= line; i++) {
		const char *text = pp_source_line(&listing->source, i);

		if (text)
			listing_put_text(listing, text);
	}
	listing->last_line = line;
}

/* ---- instructions ---- */

/* Writes the instruction at @key.  Return: its length, or 0 if there is no code. */
static size_t put_instruction(struct listing *listing, uint64_t key, uint64_t end,
			      const struct pp_detail **details, const struct pp_detail *last)
{
	struct pp_annotation *annotation = listing->annotation;
	size_t n_columns = annotation->profile->classes->columns, n;
	uint64_t vma = pp_symbols_vma(&listing->content.symbols, key);
	const char *text;

	n = pp_disassembly_next(listing->disassembly, key, end, &text);
	if (!n)
		return 0;
	memset(listing->sums, 0, n_columns * sizeof(uint64_t));
	for (; *details < last && (*details)->place.vma < vma + n; ++*details)
		pp_annotate_add(annotation, listing->sums, (*details)->counts);
	put_source(listing, vma);
	pp_annotate_prefix(annotation, listing->sums);
	op_line_hex(&annotation->line, vma, listing->vma_digits);
	op_line_puts(&annotation->line, ":\t");
	op_line_safe_tabs(&annotation->line, text);
	op_line_end(&annotation->line, stdout);
	return n;
}

/* The instructions of a symbol, one after another. */
static void put_code(struct listing *listing, uint64_t key, uint64_t end,
		     const struct pp_detail **details, const struct pp_detail *last)
{
	size_t n;

	for (; key < end; key += n) {
		n = put_instruction(listing, key, end, details, last);
		if (!n)
			return;
	}
}

/* Code without a symbol may be megabytes: only the instructions that have samples. */
static void put_pieces(struct listing *listing, const struct pp_detail **details,
		       const struct pp_detail *last)
{
	struct pp_annotation *annotation = listing->annotation;
	uint64_t next = 0;

	while (*details < last) {
		uint64_t vma = (*details)->place.vma, key;
		const struct pp_detail *before = *details;
		size_t n = 0;

		if (pp_symbols_key(&listing->content.symbols, vma, &key)) {
			if (next && vma != next)
				listing_put_text(listing, "...");
			n = put_instruction(listing, key, UINT64_MAX, details, last);
		}
		next = vma + n;
		if (!n) {
			pp_annotate_add(annotation, annotation->missing, before->counts);
			*details = before + 1;
		}
	}
}

static const struct pp_symbol *find_symbol(const struct listing *listing, uint64_t vma)
{
	const struct pp_symbols *symbols = &listing->content.symbols;
	uint64_t key;
	size_t i;

	if (!pp_symbols_key(symbols, vma, &key))
		return NULL;
	i = pp_symbols_find(symbols, key);
	return i < symbols->n && symbols->items[i].vma == vma ? &symbols->items[i] : NULL;
}

static void put_row(struct listing *listing, const struct pp_row *row)
{
	struct pp_annotation *annotation = listing->annotation;
	const struct pp_detail *detail = row->details, *last = detail + row->n_details;
	bool is_named = row->symbol && strcmp(row->symbol, row->image->full) != 0;
	const struct pp_symbol *symbol = is_named ? find_symbol(listing, row->place.vma) : NULL;

	listing_put_text(listing, "");
	pp_annotate_prefix(annotation, NULL);
	if (symbol) {
		op_line_hex(&annotation->line, row->place.vma, listing->vma_digits);
		op_line_puts(&annotation->line, " ");
	}
	op_line_puts(&annotation->line, "<");
	op_line_safe(&annotation->line, row->symbol);
	op_line_puts(&annotation->line, ">: ");
	pp_annotate_total(annotation, row->symbol, row->counts);
	op_line_end(&annotation->line, stdout);
	free(listing->source_name);
	listing->source_name = NULL;
	if (symbol)
		put_code(listing, symbol->start, symbol->end, &detail, last);
	put_pieces(listing, &detail, last);
}

/* ---- images ---- */

static bool annotation_is_wanted(const struct pp_annotation *annotation, const struct pp_row *row)
{
	const struct pp_profile *profile = annotation->profile;

	return pp_weight_share(profile->classes, row->counts, profile->totals, 0) >=
	       annotation->options->threshold;
}

static int open_image(struct listing *listing, struct pp_image_reader *reader,
		      const struct pp_image *image)
{
	struct pp_annotation *annotation = listing->annotation;
	struct pp_image_content *content = &listing->content;
	const struct pp_symbols *symbols = &content->symbols;
	struct op_error error;
	int result;

	/* pp_profile_make() has warned of missing and damaged images. */
	pp_image_reader_read(reader, image->id, content);
	if (content->no_file)
		op_warnings_add(annotation->warnings, OP_NO_IMAGE, "%s: cannot show its code: %s",
				image->full, content->no_file);
	if (!content->path)
		return -1;
	result = pp_disassembly_open(&listing->disassembly, content->path, symbols,
				     annotation->options->disassembler, &error);
	if (result)
		op_warnings_add(annotation->warnings, OP_BAD_IMAGE, "%s", error.text);
	if (!result && annotation->options->source)
		listing->debug = pp_debug_info_open(content->path, &content->symbols,
						    annotation->warnings);
	listing->vma_digits =
		symbols->machine.address_bits == 64 && symbols->n_code && symbols->code[0].vma >> 32
			? 16
			: 8;
	return result;
}

static void close_image(struct listing *listing)
{
	const char *failure = pp_disassembly_failure(listing->disassembly);

	if (failure)
		op_warnings_add(listing->annotation->warnings, OP_BAD_IMAGE,
				"%s: instructions may be missing: %s", listing->content.path,
				failure);
	pp_disassembly_close(listing->disassembly);
	pp_debug_info_close(listing->debug);
	pp_image_content_free(&listing->content);
	pp_source_free(&listing->source);
	free(listing->source_name);
	free(listing->sums);
}

/* @rows are the @n of one image, by vma. */
static void annotation_put_image(struct pp_annotation *annotation, struct pp_image_reader *reader,
				 struct pp_row **rows, size_t n)
{
	size_t n_columns = annotation->profile->classes->columns;
	struct listing listing = {.annotation = annotation};
	bool readable = !open_image(&listing, reader, rows[0]->image), titled = false;

	listing.sums = op_alloc(n_columns, sizeof(uint64_t));
	for (size_t i = 0; i < n; i++) {
		if (!readable)
			pp_annotate_add(annotation, annotation->missing, rows[i]->counts);
		if (!readable || !annotation_is_wanted(annotation, rows[i]))
			continue;
		if (!titled)
			pp_annotate_title(annotation, rows[0]->image->full, rows[0]->image->counts,
					  stdout);
		titled = true;
		put_row(&listing, rows[i]);
	}
	close_image(&listing);
}

/* Images with the most samples first; in them, by address. */
static int assembly_compare_rows(const void *a, const void *b, void *classes)
{
	const struct pp_row *left = *(struct pp_row *const *)a, *right = *(struct pp_row *const *)b;

	if (left->image != right->image) {
		uint64_t l = pp_weight(classes, left->image->counts, 0);
		uint64_t r = pp_weight(classes, right->image->counts, 0);

		if (l != r)
			return l > r ? -1 : 1;
		return left->image->order < right->image->order ? -1 : 1;
	}
	return op_compare_u64(left->place.vma, right->place.vma);
}

void pp_annotate_assembly(struct pp_annotation *annotation)
{
	const struct pp_profile *profile = annotation->profile;
	struct pp_image_reader reader = {
		.search = annotation->search,
		.samples_dirs = annotation->list->samples_dirs,
		.n_dirs = annotation->list->n_dirs,
		.want_code = true,
		.want_lines = annotation->options->source,
	};

	pp_annotate_head(annotation, stdout);
	if (profile->n_rows)
		qsort_r(profile->rows, profile->n_rows, sizeof(*profile->rows),
			assembly_compare_rows, (void *)profile->classes);
	for (size_t i = 0, end; i < profile->n_rows; i = end) {
		for (end = i + 1;
		     end < profile->n_rows && profile->rows[end]->image == profile->rows[i]->image;)
			end++;
		annotation_put_image(annotation, &reader, profile->rows + i, end - i);
	}
	pp_image_reader_free(&reader);
	pp_annotate_missing(annotation, "Samples in code that could not be read", stdout);
	pp_annotate_foot(annotation, stdout);
}
