// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tables of debug information on disk (libop/tables/table_cache.h): one block, in the byte order of
 * the machine, with these arrays one after another:
 *
 *	struct counts		how many there are of each
 *	struct range		which unit an address is in, by address
 *	struct unit		where the tables of a unit begin
 *	struct line		of all units that have a line table
 *	struct inlined		which frame an address is in
 *	struct frame		of all units; a caller precedes what is inlined into it
 *	uint32_t		where in the text the name of a function begins
 *	char			the text: names of files and functions, each NUL-terminated
 *
 * All indices are checked: one out of bounds makes the whole block invalid.
 */
#include <stdlib.h>
#include <string.h>

#include "tables.h"
#include "libop/base/memory.h"
#include "libop/tables/table_cache.h"

#define NONE UINT32_MAX

enum { RANGES, UNITS, LINES, INLINED, FRAMES, NAMES, TEXT, KINDS };

struct range {
	uint64_t start, end, unit;
};

struct unit {
	uint32_t first_line, n_lines, first_inlined, n_inlined, first_frame, n_frames;
	uint32_t has_lines, has_inlined; /* 0: not built */
};

struct line {
	uint64_t link;
	uint32_t file; /* in the text, or NONE */
	int32_t number;
};

struct inlined {
	uint64_t start, end;
	uint32_t frame; /* of those of its unit */
	uint32_t padding;
};

struct frame {
	uint32_t name;
	uint32_t caller;    /* of those of its unit, or NONE */
	uint32_t call_file; /* in the text, or NONE */
	int32_t call_line;
};

static const size_t sizes[KINDS] = {
	[RANGES] = sizeof(struct range), [UNITS] = sizeof(struct unit),
	[LINES] = sizeof(struct line),	 [INLINED] = sizeof(struct inlined),
	[FRAMES] = sizeof(struct frame), [NAMES] = sizeof(uint32_t),
	[TEXT] = sizeof(char),
};

struct counts {
	uint64_t n[KINDS];
};

struct pp_debug_cache {
	struct pp_debug_cache *next;
	unsigned char *bytes;
	struct counts counts;
	const struct range *ranges;
	const struct unit *units;
	const struct line *lines;
	const struct inlined *inlined;
	const struct frame *frames;
	const uint32_t *names;
	const char *text;
	size_t *name_index; /* index of each name in the table of this run */
};

/* ---- checking ---- */

/* Finds the arrays.  Return: false if they do not fill @size bytes. */
static bool find_arrays(struct pp_debug_cache *cache, size_t size)
{
	const unsigned char *at = cache->bytes, *array[KINDS];

	if (size < sizeof(cache->counts))
		return false;
	memcpy(&cache->counts, at, sizeof(cache->counts));
	at += sizeof(cache->counts);
	size -= sizeof(cache->counts);
	for (int kind = 0; kind < KINDS; kind++) {
		uint64_t n = cache->counts.n[kind];

		if (n > size / sizes[kind] || n > UINT32_MAX)
			return false;
		array[kind] = at;
		at += n * sizes[kind];
		size -= n * sizes[kind];
	}
	cache->ranges = (const void *)array[RANGES];
	cache->units = (const void *)array[UNITS];
	cache->lines = (const void *)array[LINES];
	cache->inlined = (const void *)array[INLINED];
	cache->frames = (const void *)array[FRAMES];
	cache->names = (const void *)array[NAMES];
	cache->text = (const void *)array[TEXT];
	return !size;
}

static bool is_inside(uint32_t first, uint32_t n, uint64_t all)
{
	return first <= all && n <= all - first;
}

static bool are_frames_good(const struct pp_debug_cache *cache, const struct unit *unit)
{
	const struct frame *frames = cache->frames + unit->first_frame;
	const struct inlined *inlined = cache->inlined + unit->first_inlined;

	for (uint32_t i = 0; i < unit->n_frames; i++)
		if (frames[i].name >= cache->counts.n[NAMES] ||
		    (frames[i].caller != NONE && frames[i].caller >= i) ||
		    (frames[i].call_file != NONE && frames[i].call_file >= cache->counts.n[TEXT]))
			return false;
	for (uint32_t i = 0; i < unit->n_inlined; i++)
		if (inlined[i].frame >= unit->n_frames)
			return false;
	return true;
}

static bool is_good(const struct pp_debug_cache *cache)
{
	const uint64_t *n = cache->counts.n;

	if (n[TEXT] && cache->text[n[TEXT] - 1])
		return false;
	for (uint64_t i = 0; i < n[RANGES]; i++)
		if (cache->ranges[i].unit >= n[UNITS])
			return false;
	for (uint64_t i = 0; i < n[UNITS]; i++) {
		const struct unit *unit = &cache->units[i];

		if (!is_inside(unit->first_line, unit->n_lines, n[LINES]) ||
		    !is_inside(unit->first_inlined, unit->n_inlined, n[INLINED]) ||
		    !is_inside(unit->first_frame, unit->n_frames, n[FRAMES]) ||
		    !are_frames_good(cache, unit))
			return false;
	}
	for (uint64_t i = 0; i < n[LINES]; i++)
		if (cache->lines[i].file != NONE && cache->lines[i].file >= n[TEXT])
			return false;
	for (uint64_t i = 0; i < n[NAMES]; i++)
		if (cache->names[i] >= n[TEXT])
			return false;
	return true;
}

/* ---- reading ---- */

static void take_lines(struct pp_debug_unit *unit, struct pp_debug_cache *cache, uint64_t index)
{
	const struct unit *from = &cache->units[index];

	unit->in_lines = cache;
	unit->lines_cached = from->has_lines;
	unit->cached_lines = (struct pp_cached_table){from->first_line, from->n_lines};
}

static void take_inlines(struct pp_debug_unit *unit, struct pp_debug_cache *cache, uint64_t index)
{
	const struct unit *from = &cache->units[index];

	unit->in_inlines = cache;
	unit->inlines_cached = from->has_inlined;
	unit->cached_inlines = (struct pp_cached_table){from->first_inlined, from->n_inlined};
	unit->cached_frames = (struct pp_cached_table){from->first_frame, from->n_frames};
}

static void take_units(struct pp_debug_info *info, struct pp_debug_cache *cache)
{
	info->n_units = cache->counts.n[UNITS];
	info->units = op_alloc(info->n_units, sizeof(*info->units));
	for (size_t i = 0; i < info->n_units; i++) {
		take_lines(&info->units[i], cache, i);
		take_inlines(&info->units[i], cache, i);
	}
	info->n_flat = cache->counts.n[RANGES];
	info->flat = op_alloc(info->n_flat, sizeof(*info->flat));
	for (size_t i = 0; i < info->n_flat; i++)
		info->flat[i] = (struct op_interval){.start = cache->ranges[i].start,
						     .end = cache->ranges[i].end,
						     .value = cache->ranges[i].unit};
}

static void free_cache(struct pp_debug_cache *cache)
{
	free(cache->bytes);
	free(cache->name_index);
	free(cache);
}

/* Return: NULL if the bytes are no tables: then they are freed. */
static struct pp_debug_cache *debug_info_check(struct pp_debug_info *info, void *bytes, size_t size)
{
	struct pp_debug_cache *cache = op_alloc(1, sizeof(*cache));

	cache->bytes = bytes;
	if (!bytes || !find_arrays(cache, size) || !is_good(cache)) {
		free_cache(cache);
		return NULL;
	}
	cache->next = info->caches;
	info->caches = cache;
	return cache;
}

bool pp_debug_cache_unpack(struct pp_debug_info *info, void *bytes, size_t size)
{
	struct pp_debug_cache *cache = debug_info_check(info, bytes, size);

	if (cache)
		take_units(info, cache);
	return cache;
}

bool pp_debug_cache_unpack_unit(struct pp_debug_info *info, struct pp_debug_unit *unit,
				bool is_lines, void *bytes, size_t size)
{
	struct pp_debug_cache *cache = debug_info_check(info, bytes, size);

	if (!cache || cache->counts.n[UNITS] != 1)
		return false;
	if (is_lines)
		take_lines(unit, cache, 0);
	else
		take_inlines(unit, cache, 0);
	return true;
}

bool pp_debug_cache_load(struct pp_debug_info *info)
{
	size_t size = 0;
	void *bytes = op_table_cache_load(info->cache_name, &size);

	return pp_debug_cache_unpack(info, bytes, size);
}

void pp_debug_cache_free(struct pp_debug_cache *cache)
{
	while (cache) {
		struct pp_debug_cache *next = cache->next;

		free_cache(cache);
		cache = next;
	}
}

void pp_debug_cache_lines(struct pp_debug_unit *unit)
{
	const struct pp_debug_cache *cache = unit->in_lines;
	const struct line *lines = cache->lines + unit->cached_lines.first;
	struct pp_line_table *table = &unit->lines;

	table->n = unit->cached_lines.n;
	table->entries = op_alloc(table->n, sizeof(*table->entries));
	for (size_t i = 0; i < table->n; i++)
		table->entries[i] = (struct pp_line_entry){
			.link = lines[i].link,
			.file = lines[i].file == NONE ? NULL : cache->text + lines[i].file,
			.line = lines[i].number,
		};
}

/* Maps a name of the cache to its index in the names of this run. */
static size_t index_name(struct pp_debug_info *info, struct pp_debug_cache *cache, uint32_t name)
{
	if (!cache->name_index)
		cache->name_index = op_alloc(cache->counts.n[NAMES], sizeof(size_t));
	if (!cache->name_index[name])
		cache->name_index[name] =
			op_names_index(&info->names, cache->text + cache->names[name]) + 1;
	return cache->name_index[name] - 1;
}

void pp_debug_cache_inlines(struct pp_debug_info *info, struct pp_debug_unit *unit)
{
	struct pp_debug_cache *cache = unit->in_inlines;
	const struct inlined *inlined = cache->inlined + unit->cached_inlines.first;
	const struct frame *frames = cache->frames + unit->cached_frames.first;
	struct pp_inline_table *table = &unit->inlines;

	table->n = unit->cached_inlines.n;
	table->flat = op_alloc(table->n, sizeof(*table->flat));
	for (size_t i = 0; i < table->n; i++)
		table->flat[i] = (struct op_interval){.start = inlined[i].start,
						      .end = inlined[i].end,
						      .value = inlined[i].frame};
	table->n_frames = unit->cached_frames.n;
	table->frames = op_alloc(table->n_frames, sizeof(*table->frames));
	for (size_t i = 0; i < table->n_frames; i++) {
		size_t index = index_name(info, cache, frames[i].name);

		table->frames[i] = (struct pp_inlined){
			.name = info->names.names[index],
			.name_index = index,
			.caller =
				frames[i].caller == NONE ? NULL : &table->frames[frames[i].caller],
			.call_file = frames[i].call_file == NONE
					     ? NULL
					     : cache->text + frames[i].call_file,
			.call_line = frames[i].call_line,
		};
	}
}

/* ---- writing ---- */

struct array {
	unsigned char *bytes;
	size_t n, capacity; /* of bytes */
};

struct writing {
	struct pp_debug_info *info;
	struct array arrays[KINDS];
	struct op_names files; /* names of source files, each once */
	uint32_t *file_at;     /* where in the text they begin */
	size_t n_file_at, file_at_capacity;
};

static void debug_cache_put(struct writing *writing, int kind, const void *item, size_t size)
{
	struct array *array = &writing->arrays[kind];

	array->bytes = op_grow(array->bytes, &array->capacity, array->n + size, 1);
	memcpy(array->bytes + array->n, item, size);
	array->n += size;
}

static uint32_t count(const struct writing *writing, int kind)
{
	return (uint32_t)(writing->arrays[kind].n / sizes[kind]);
}

static uint32_t debug_cache_put_text(struct writing *writing, const char *text)
{
	uint32_t at = count(writing, TEXT);

	debug_cache_put(writing, TEXT, text, strlen(text) + 1);
	return at;
}

static uint32_t put_file(struct writing *writing, const char *file)
{
	size_t index = op_names_index(&writing->files, file);

	if (index == writing->n_file_at) {
		writing->file_at = op_grow(writing->file_at, &writing->file_at_capacity,
					   writing->n_file_at + 1, sizeof(uint32_t));
		writing->file_at[writing->n_file_at++] = debug_cache_put_text(writing, file);
	}
	return writing->file_at[index];
}

static void debug_cache_put_lines(struct writing *writing, const struct pp_line_table *table)
{
	for (size_t i = 0; i < table->n; i++) {
		const struct pp_line_entry *entry = &table->entries[i];
		struct line line = {
			.link = entry->link,
			.file = entry->file ? put_file(writing, entry->file) : NONE,
			.number = entry->line,
		};

		debug_cache_put(writing, LINES, &line, sizeof(line));
	}
}

static void put_inlines(struct writing *writing, const struct pp_inline_table *table)
{
	for (size_t i = 0; i < table->n; i++) {
		struct inlined inlined = {.start = table->flat[i].start,
					  .end = table->flat[i].end,
					  .frame = (uint32_t)table->flat[i].value};

		debug_cache_put(writing, INLINED, &inlined, sizeof(inlined));
	}
	for (size_t i = 0; i < table->n_frames; i++) {
		const struct pp_inlined *caller = table->frames[i].caller;
		const char *call_file = table->frames[i].call_file;
		struct frame frame = {
			.name = (uint32_t)table->frames[i].name_index,
			.caller = caller ? (uint32_t)(caller - table->frames) : NONE,
			.call_file = call_file ? put_file(writing, call_file) : NONE,
			.call_line = table->frames[i].call_line,
		};

		debug_cache_put(writing, FRAMES, &frame, sizeof(frame));
	}
}

static void put_unit(struct writing *writing, struct pp_debug_unit *unit)
{
	struct unit out = {
		.first_line = count(writing, LINES),
		.first_inlined = count(writing, INLINED),
		.first_frame = count(writing, FRAMES),
	};

	/* Tables that were cached but not used in this run stay. */
	if (!unit->lines_read && unit->lines_cached) {
		pp_debug_cache_lines(unit);
		unit->lines_read = true;
	}
	if (!unit->inlines_read && unit->inlines_cached) {
		pp_debug_cache_inlines(writing->info, unit);
		unit->inlines_read = true;
	}
	debug_cache_put_lines(writing, &unit->lines);
	put_inlines(writing, &unit->inlines);
	out.has_lines = unit->lines_read;
	out.has_inlined = unit->inlines_read;
	out.n_lines = count(writing, LINES) - out.first_line;
	out.n_inlined = count(writing, INLINED) - out.first_inlined;
	out.n_frames = count(writing, FRAMES) - out.first_frame;
	debug_cache_put(writing, UNITS, &out, sizeof(out));
}

void *pp_debug_cache_pack(struct pp_debug_info *info, size_t *length)
{
	struct writing writing = {.info = info};
	struct counts counts;
	struct array whole = {0};
	bool fits = true;

	for (size_t i = 0; i < info->n_flat; i++) {
		struct range range = {.start = info->flat[i].start,
				      .end = info->flat[i].end,
				      .unit = info->flat[i].value};

		debug_cache_put(&writing, RANGES, &range, sizeof(range));
	}
	for (size_t i = 0; i < info->n_units; i++)
		put_unit(&writing, &info->units[i]);
	for (size_t i = 0; i < info->names.n; i++) {
		uint32_t at = debug_cache_put_text(&writing, info->names.names[i]);

		debug_cache_put(&writing, NAMES, &at, sizeof(at));
	}
	for (int kind = 0; kind < KINDS; kind++) {
		counts.n[kind] = writing.arrays[kind].n / sizes[kind];
		fits &= counts.n[kind] < UINT32_MAX;
		whole.capacity += writing.arrays[kind].n;
	}
	whole.bytes = op_chunk(sizeof(counts) + whole.capacity);
	memcpy(whole.bytes, &counts, sizeof(counts));
	whole.n = sizeof(counts);
	for (int kind = 0; kind < KINDS; kind++) {
		if (writing.arrays[kind].n)
			memcpy(whole.bytes + whole.n, writing.arrays[kind].bytes,
			       writing.arrays[kind].n);
		whole.n += writing.arrays[kind].n;
		free(writing.arrays[kind].bytes);
	}
	op_names_free(&writing.files);
	free(writing.file_at);
	*length = whole.n;
	if (fits)
		return whole.bytes;
	free(whole.bytes);
	return NULL;
}

void pp_debug_cache_store(struct pp_debug_info *info)
{
	size_t length;
	/* a file that has changed while it was read has no tables */
	void *bytes = info->is_gone ? NULL : pp_debug_cache_pack(info, &length);

	if (bytes)
		op_table_cache_store(info->cache_name, bytes, length);
	free(bytes);
}
