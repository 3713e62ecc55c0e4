// SPDX-License-Identifier: GPL-2.0-or-later
/* Attributes samples to symbols. */

#include "collate.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "libop/cpu/type_names.h"
#include "libop/base/progress.h"
#include "arcs.h"
#include "libop/base/memory.h"
#include "libop/tables/name_index.h"
#include "pp/select/multiplexing.h"
#include "pp/select/weights.h"
#include "collate_reading.h"

/* ---- the image ---- */

/* A JIT compiler may move a function; all its addresses are one row. */
static void join_names(struct reading *reading)
{
	const struct pp_symbols *symbols = &reading->content.symbols;
	size_t *first = op_alloc(symbols->n, sizeof(*first));
	struct op_names names = {0};

	reading->first_of = op_alloc(symbols->n + 1, sizeof(*reading->first_of));
	for (size_t i = 0; i < symbols->n; i++) {
		size_t n = names.n, name = op_names_index(&names, symbols->items[i].name);

		if (name == n)
			first[name] = i;
		reading->first_of[i] = first[name];
	}
	reading->first_of[symbols->n] = symbols->n;
	op_names_free(&names);
	free(first);
}

/* A function that goes on behind one that is nested in it is one row. */
static void join_pieces(struct reading *reading)
{
	const struct pp_symbols *symbols = &reading->content.symbols;

	for (size_t i = 0; i < symbols->n; i++) {
		const struct pp_symbol *symbol = &symbols->items[i];
		size_t first = symbol->skipped
				       ? pp_symbols_find(symbols, symbol->start - symbol->skipped)
				       : i;

		if (first == i || first == symbols->n)
			continue;
		if (!reading->first_of) {
			reading->first_of = op_alloc(symbols->n + 1, sizeof(*reading->first_of));
			for (size_t j = 0; j <= symbols->n; j++)
				reading->first_of[j] = j;
		}
		reading->first_of[i] = first;
	}
}

static void read_image(struct reading *reading)
{
	struct pp_collation *collation = reading->collation;
	const struct pp_profile_request *request = collation->request;
	struct stat status;

	pp_image_reader_read(&collation->reader, reading->image->id, &reading->content);
	if (reading->content.trouble)
		reading->image->trouble =
			pp_profile_keep_text(collation->profile, reading->content.trouble);
	reading->image->is_saved = reading->content.is_saved;
	reading->image->unnamed = reading->content.unnamed;
	if (reading->content.path && reading->content.may_have_changed &&
	    !stat(reading->content.path, &status))
		reading->mtime = (uint64_t)status.st_mtime;
	if (request->lines || request->inlines)
		reading->debug = pp_debug_info_open(reading->content.path,
						    &reading->content.symbols, collation->warnings);
	if (reading->image->id->kind == OP_IMAGE_ANON && reading->content.symbols.n)
		join_names(reading);
	else
		join_pieces(reading);
	reading->row_of = op_alloc(reading->content.symbols.n + 1, sizeof(*reading->row_of));
}

static void check_mtime(struct reading *reading, uint64_t mtime, uint64_t samples)
{
	if (mtime && reading->mtime && reading->mtime != mtime)
		reading->old_samples += samples;
}

static void tell_of_change(const struct reading *reading)
{
	if (reading->collation->request->keep_troubles)
		reading->image->old_samples = reading->old_samples;
	else if (reading->old_samples)
		op_warnings_add(reading->collation->warnings, OP_OLD_IMAGE,
				"%s was changed after it was profiled; the symbols of %" PRIu64
				" samples may be wrong",
				reading->content.path, reading->old_samples);
}

/* ---- rows ---- */

const char *pp_collate_keep_name(struct reading *reading, const char *shown, bool is_inlined)
{
	char *marked = is_inlined ? op_format("%s (inlined)", shown) : NULL;
	const char *kept =
		pp_profile_keep_text(reading->collation->profile, marked ? marked : shown);

	free(marked);
	return kept;
}

#define NAMES_MAX 32 /* of a symbol that a pattern may match */

/* Compares the names of a row with the patterns of the request; @start is the key of its symbol,
 * which may have aliases. */
static void match_row(const struct reading *reading, struct pp_row *row, const char *name,
		      const char *shown, const uint64_t *start)
{
	struct pp_symbol_filter *filter = reading->collation->request->filter;
	struct pp_symbol_filter *limits = reading->collation->request->limits;
	const char *names[NAMES_MAX];
	const struct pp_alias *aliases = NULL;
	size_t n = 0, n_aliases = 0;
	char *bare, *full;

	if ((!filter || !filter->n) && (!limits || !limits->n))
		return;
	if (start)
		aliases = pp_symbols_aliases(&reading->content.symbols, *start, &n_aliases);
	for (size_t i = 0; i < n_aliases && n < NAMES_MAX - 5; i++)
		names[n++] = aliases[i].name;
	bare = pp_demangle_bare(name);
	full = pp_demangle(name, PP_DEMANGLE_NORMAL);
	names[n++] = name;
	if (bare)
		names[n++] = bare;
	if (full)
		names[n++] = full;
	names[n++] = row->symbol;
	names[n++] = shown;
	row->is_hidden = filter && filter->n && pp_symbol_filter_hides(filter, names, n);
	row->limits = limits ? pp_symbol_filter_limits(limits, names, n) : 0;
	free(bare);
	free(full);
}

static void name_row(struct reading *reading, struct pp_row *row, const char *name,
		     const uint64_t *start)
{
	char *demangled = pp_demangle(name, reading->collation->request->demangle);
	const char *shown = demangled ? demangled : name;

	row->symbol = pp_collate_keep_name(reading, shown, row->is_inlined);
	match_row(reading, row, name, shown, start);
	free(demangled);
}

static struct pp_row *pp_collate_add_row(struct reading *reading)
{
	struct pp_profile *profile = reading->collation->profile;
	size_t columns = profile->classes->columns;
	bool inclusive = reading->collation->request->arcs;
	struct pp_row *row = pp_profile_keep(profile, sizeof(*row) + (1 + inclusive) * columns *
									     sizeof(uint64_t));

	row->counts = (uint64_t *)(row + 1);
	row->inclusive = inclusive ? row->counts + columns : NULL;
	row->app = reading->app;
	row->image = reading->image;
	profile->rows = op_grow(profile->rows, &profile->rows_capacity, profile->n_rows + 1,
				sizeof(*profile->rows));
	return profile->rows[profile->n_rows++] = row;
}

struct pp_row *pp_collate_add_symbol_row(struct reading *reading, size_t symbol)
{
	const struct pp_symbols *symbols = &reading->content.symbols;
	struct pp_row *row = pp_collate_add_row(reading);

	if (symbol < symbols->n) {
		row->place.vma = symbols->items[symbol].vma;
		row->is_unnamed = !pp_symbol_is_of_file(&symbols->items[symbol]);
		name_row(reading, row, symbols->items[symbol].name, &symbols->items[symbol].start);
	} else {
		row->place.vma = symbols->n_code ? symbols->code[0].vma : 0;
		row->is_unnamed = true;
		name_row(reading, row, reading->image->full, NULL);
	}
	return row;
}

static void add_hit(struct reading *reading, struct pp_row *row, uint64_t key, uint64_t count,
		    unsigned int class)
{
	reading->hits = op_grow(reading->hits, &reading->hits_capacity, reading->n_hits + 1,
				sizeof(*reading->hits));
	reading->hits[reading->n_hits++] = (struct hit){
		.row = row,
		.vma = pp_symbols_vma(&reading->content.symbols, key),
		.count = count,
		.class = class,
	};
}

static struct pp_row *row_at(struct reading *reading, size_t symbol)
{
	struct pp_row **row =
		&reading->row_of[reading->first_of ? reading->first_of[symbol] : symbol];

	if (!*row)
		*row = pp_collate_add_symbol_row(reading, row - reading->row_of);
	return *row;
}

struct pp_row *pp_collate_add_inlined_row(struct reading *reading, const char *name)
{
	struct pp_row *row = pp_collate_add_row(reading);

	row->is_inlined = true;
	name_row(reading, row, name, NULL);
	return row;
}

/* The row of an inlined function: one for all its call sites in the image.  Its
 * address is the lowest one that has samples. */
static struct pp_row *inlined_row_at(struct reading *reading, const struct pp_inlined *inlined,
				     uint64_t vma)
{
	size_t n = inlined->name_index + 1;
	struct pp_row **row;

	if (n > reading->n_inlined_rows) {
		reading->inlined_row_of =
			op_grow(reading->inlined_row_of, &reading->inlined_rows_capacity, n,
				sizeof(*reading->inlined_row_of));
		memset(reading->inlined_row_of + reading->n_inlined_rows, 0,
		       (n - reading->n_inlined_rows) * sizeof(*reading->inlined_row_of));
		reading->n_inlined_rows = n;
	}
	row = &reading->inlined_row_of[inlined->name_index];
	if (!*row) {
		*row = pp_collate_add_inlined_row(reading, inlined->name);
		(*row)->place.vma = vma;
	}
	if (vma < (*row)->place.vma)
		(*row)->place.vma = vma;
	return *row;
}

const struct pp_inlined *pp_collate_inlined_at(struct reading *reading, uint64_t vma)
{
	return pp_debug_info_inlined(reading->debug,
				     pp_symbols_link(&reading->content.symbols, vma));
}

/* The row of a sample: that of the function inlined there, or of the symbol. */
static struct pp_row *row_of_sample(struct reading *reading, uint64_t key, size_t symbol)
{
	const struct pp_inlined *inlined = NULL;
	uint64_t vma = 0;

	if (reading->collation->request->inlines && reading->debug) {
		vma = pp_symbols_vma(&reading->content.symbols, key);
		inlined = pp_collate_inlined_at(reading, vma);
	}
	return inlined ? inlined_row_at(reading, inlined, vma) : row_at(reading, symbol);
}

/* The rows of lines that samples stand in, too. */
static void add_to_outer(struct reading *reading, uint64_t vma, size_t symbol,
			 const struct pp_row *row, unsigned int class, uint64_t count)
{
	struct pp_row **outer = pp_collate_outer_rows(reading, vma, symbol);
	struct pp_profile *profile = reading->collation->profile;
	uint64_t limits = 0;

	for (; outer && *outer; outer++) {
		if (*outer != row)
			(*outer)->inclusive[class] += count;
		limits |= (*outer)->limits;
	}
	for (limits &= ~row->limits; limits; limits &= limits - 1)
		profile->limited_inclusive[(size_t)__builtin_ctzll(limits) *
						   profile->classes->columns +
					   class] += count;
}

/* The symbol at @key, which is often @last, the one before: samples of one function are together.
 */
static size_t find_symbol(const struct pp_symbols *symbols, uint64_t key, size_t last)
{
	if (last < symbols->n && key >= symbols->items[last].start &&
	    key < symbols->items[last].end)
		return last;
	return pp_symbols_find(symbols, key);
}

static void attribute(struct reading *reading, const struct odb_entry *entries, size_t n,
		      uint64_t bias, unsigned int class)
{
	const struct pp_profile_request *request = reading->collation->request;
	bool details = request->details, by_line = request->by_line;
	const struct pp_symbols *symbols = &reading->content.symbols;
	size_t symbol = symbols->n;

	for (size_t i = 0; i < n; i++) {
		uint64_t key = entries[i].key + bias, vma = 0;
		struct pp_row *row;

		symbol = find_symbol(symbols, key, symbol);
		if (by_line)
			vma = pp_symbols_vma(symbols, key);
		row = by_line ? pp_collate_line_row(reading, vma, symbol)
			      : row_of_sample(reading, key, symbol);
		if (by_line && row->inclusive)
			add_to_outer(reading, vma, symbol, row, class, entries[i].count);
		row->counts[class] += entries[i].count;
		if (details)
			add_hit(reading, row, key, entries[i].count, class);
	}
}

/* A {cg} file has the lower 32 bits of a key; images with addresses as keys need the upper ones. */
static uint64_t widen(const struct pp_symbols *symbols, uint64_t key)
{
	return symbols->n_code ? key | (symbols->code[0].start & ~(uint64_t)UINT32_MAX) : key;
}

/* Frames of arcs, in the image being read. */
static void attribute_frames(struct reading *reading, const struct pp_frames *frames)
{
	const struct pp_symbols *symbols = &reading->content.symbols;
	bool by_line = reading->collation->request->by_line;
	uint64_t bias = 0, vma;
	size_t symbol = symbols->n;

	if (frames->is_kernel && reading->image->id->kind == OP_IMAGE_FILE)
		bias = symbols->text;
	for (size_t i = 0; i < frames->n; i++) {
		uint64_t key = frames->keys[i];

		key = (frames->is_narrow ? widen(symbols, key) : key) + bias;
		symbol = find_symbol(symbols, key, symbol);
		if (symbol == symbols->n && frames->called && frames->called[i] &&
		    pp_symbols_is_before_entry(symbols, key))
			symbol = pp_symbols_find(symbols, ++key);
		vma = by_line || frames->vmas ? pp_symbols_vma(symbols, key) : 0;
		frames->rows[i] = by_line ? pp_collate_line_row(reading, vma, symbol)
					  : row_at(reading, symbol);
		if (by_line && frames->outer)
			frames->outer[i] = pp_collate_outer_rows(reading, vma, symbol);
		if (frames->vmas)
			frames->vmas[i] = vma;
	}
}

/* ---- sample files ---- */

/*
 * The entries of a file, cached or read again; the caller frees them.  Return: NULL if it cannot be
 * read any more.
 */
static struct odb_entry *get_entries(struct pp_collation *collation, struct pp_sample_file *file)
{
	struct odb_load *load = &collation->load;
	struct odb_entry *entries = file->entries;
	struct op_error cause;
	struct odb_error error;

	file->entries = NULL;
	if (entries)
		return entries;
	if (file->pack) {
		if (op_pack_samples(file->pack, &file->place, file->path, &entries, &cause))
			op_warnings_add(collation->warnings, OP_BAD_FILE, "skipped: %s",
					cause.text);
		else if (!entries)
			entries = op_chunk(1);
		return entries;
	}
	if (odb_load(load, AT_FDCWD, file->path, file->path, &error)) {
		op_warnings_add(collation->warnings, OP_BAD_FILE, "skipped: %s", error.text);
		return NULL;
	}
	/* A daemon may have added entries since. */
	file->n_entries = load->n;
	entries = op_chunk(load->n * sizeof(*entries));
	odb_load_entries(load, entries);
	return entries;
}

static uint64_t add_up(const struct odb_entry *entries, size_t n)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += entries[i].count;
	return sum;
}

static void add_sum(struct reading *reading, struct pp_part *part,
		    const struct pp_sample_file *file, uint64_t sum)
{
	struct pp_profile *profile = reading->collation->profile;
	const struct odb_header *header = &file->header;

	if (!file->is_weight && !profile->n_files++) {
		profile->cpu_type = op_cpu_type_of_file(header->version, header->cpu_type);
		profile->cpu_speed = header->cpu_speed;
	}
	part->counts[file->class] += sum;
	profile->totals[file->class] += sum;
	reading->image->counts[file->class] += sum;
	profile->apps[file->app].counts[file->class] += sum;
}

static void read_samples(struct reading *reading, struct pp_part *part, struct pp_sample_file *file)
{
	struct pp_collation *collation = reading->collation;
	struct odb_entry *entries;
	bool is_vmlinux;
	uint64_t sum;

	if (!collation->request->symbols && !pp_is_scaled(file)) {
		add_sum(reading, part, file, file->sum);
		return;
	}
	entries = get_entries(collation, file);
	if (!entries)
		return;
	pp_scale_entries(file, entries, file->n_entries);
	sum = add_up(entries, file->n_entries);
	add_sum(reading, part, file, sum);
	if (collation->request->symbols) {
		is_vmlinux = file->header.is_kernel && reading->image->id->kind == OP_IMAGE_FILE;
		if (!file->is_weight)
			check_mtime(reading, file->header.mtime, sum);
		attribute(reading, entries, file->n_entries,
			  is_vmlinux ? reading->content.symbols.text : 0, file->class);
	}
	free(entries);
}

/* ---- images ---- */

static struct pp_part *add_part(struct reading *reading)
{
	struct pp_profile *profile = reading->collation->profile;
	struct pp_part *part;

	profile->parts = op_grow(profile->parts, &profile->parts_capacity, profile->n_parts + 1,
				 sizeof(*part));
	part = &profile->parts[profile->n_parts++];
	part->app = reading->app;
	part->image = reading->image;
	part->counts = pp_profile_keep(profile, profile->classes->columns * sizeof(uint64_t));
	return part;
}

static void read_app(struct reading *reading, struct pp_sample_file **files, size_t n)
{
	struct pp_profile *profile = reading->collation->profile;
	struct pp_part *part;

	reading->app = &profile->apps[files[0]->app];
	part = add_part(reading);
	if (reading->row_of)
		memset(reading->row_of, 0,
		       (reading->content.symbols.n + 1) * sizeof(*reading->row_of));
	reading->n_inlined_rows = 0;
	pp_collate_line_rows_clear(&reading->line_rows);
	for (size_t i = 0; i < n; i++) {
		if (files[i]->frames)
			attribute_frames(reading, files[i]->frames);
		else
			read_samples(reading, part, files[i]);
		op_progress("sample files read", ++reading->collation->n_read,
			    reading->collation->n_files);
	}
	pp_collate_finish_details(reading);
}

static void count_limited(struct pp_profile *profile, const struct pp_row *row)
{
	for (uint64_t left = row->limits; left; left &= left - 1)
		pp_counts_add(profile->classes,
			      profile->limited +
				      (size_t)__builtin_ctzll(left) * profile->classes->columns,
			      row->counts);
}

static void drop_hidden_rows(struct pp_profile *profile, size_t first)
{
	size_t kept = first;

	for (size_t i = first; i < profile->n_rows; i++) {
		struct pp_row *row = profile->rows[i];

		count_limited(profile, row);
		if (!row->is_hidden)
			profile->rows[kept++] = row;
	}
	profile->n_rows = kept;
}

void pp_collate_image(struct pp_collation *collation, struct pp_image *image,
		      struct pp_sample_file **files, size_t n)
{
	struct reading reading = {
		.collation = collation, .image = image, .first_row = collation->profile->n_rows};

	if (collation->request->symbols)
		read_image(&reading);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && files[end]->app == files[i]->app;)
			end++;
		read_app(&reading, files + i, end - i);
	}
	if (collation->request->lines && !collation->request->by_line)
		pp_collate_find_lines(&reading);
	if (collation->request->inlines && reading.debug)
		pp_collate_find_all_callers(&reading);
	tell_of_change(&reading);
	drop_hidden_rows(collation->profile, reading.first_row);
	pp_debug_info_close(reading.debug);
	pp_image_content_free(&reading.content);
	free(reading.first_of);
	free(reading.row_of);
	free(reading.inlined_row_of);
	pp_collate_line_rows_free(&reading.line_rows);
	free(reading.hits);
}

static void make_limited(struct pp_profile *profile, const struct pp_profile_request *request)
{
	size_t size = request->limits->n * profile->classes->columns * sizeof(*profile->limited);

	profile->n_limits = request->limits->n;
	profile->limited = pp_profile_keep(profile, size);
	if (request->arcs)
		profile->limited_inclusive = pp_profile_keep(profile, size);
}

void pp_collation_begin(struct pp_collation *collation, struct pp_profile *profile,
			const struct pp_sample_list *list, const struct pp_profile_request *request,
			struct op_warnings *warnings)
{
	if (request->limits && request->limits->n)
		make_limited(profile, request);
	*collation = (struct pp_collation){
		.profile = profile,
		.list = list,
		.request = request,
		.warnings = warnings,
		.reader = {.search = request->search,
			   .samples_dirs = list->samples_dirs,
			   .n_dirs = list->n_dirs,
			   .warnings = warnings,
			   .keeps_troubles = request->keep_troubles,
			   .want_code = request->lines || request->inlines,
			   .want_lines = request->lines || request->inlines},
	};
}

void pp_collation_free(struct pp_collation *collation)
{
	pp_image_reader_free(&collation->reader);
	odb_load_free(&collation->load);
}
