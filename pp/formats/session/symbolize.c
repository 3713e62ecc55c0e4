// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of functions: see names.h. */
#include "symbolize.h"

#include <stdlib.h>
#include <string.h>

#include "libop/base/hash.h"
#include "image.h"
#include "names.h"
#include "libop/base/memory.h"
#include "pp/formats/model/bounded.h"
#include "libop/session/paths.h"
#include "pp/symbols/image_name.h"
#include "pp/symbols/symbols.h"

struct image_names {
	bool is_read;
	struct pp_image_content content;
	struct pp_debug_info *debug;
	uint64_t bias;	     /* from offsets of the model to keys of the symbols */
	const char *unknown; /* what a place without a symbol is called */
	struct symbol_name {
		const char *given, *shown;
	} * symbols; /* by number of the symbol; NULL: not asked for yet */
};

/* What places are called; many are called the same. */
struct known_name {
	struct prof_name name;
	bool is_before_entry; /* pp_symbols_is_before_entry() */
	struct prof_line lines[];
};

struct place {
	uint64_t offset;
	uint32_t image;
	uint32_t name; /* number of its struct known_name */
};

struct text {
	char *given, *shown;
};

struct prof_names {
	const struct prof *prof;
	struct pp_image_reader *reader;
	enum pp_demangle demangle;
	struct image_names *images;
	struct op_image_name *ids; /* of the images, as sessions have them */
	struct place *places;
	size_t n_places, places_capacity;
	struct op_hash by_place;
	struct known_name **known; /* they do not move: names_at() returns what is in them */
	size_t n_known, known_capacity;
	struct op_hash by_lines;
	struct prof_line *lines; /* of the place that is looked up */
	size_t n_lines, lines_capacity;
	struct text *texts; /* names that were demangled, and others kept */
	size_t n_texts, texts_capacity;
	struct op_hash by_text;
};

struct prof_names *names_new(const struct prof *prof, struct pp_image_reader *reader,
			     enum pp_demangle demangle)
{
	struct prof_names *names = op_alloc(1, sizeof(*names));

	names->prof = prof;
	names->reader = reader;
	names->demangle = demangle;
	names->images = op_alloc(prof->n_images, sizeof(*names->images));
	names->ids = session_names_of_images(prof);
	reader->want_code = true;
	reader->want_lines = true;
	return names;
}

void names_free(struct prof_names *names)
{
	if (!names)
		return;
	for (size_t i = 0; i < names->prof->n_images; i++) {
		pp_debug_info_close(names->images[i].debug);
		pp_image_content_free(&names->images[i].content);
		free(names->images[i].symbols);
		free(names->ids[i].name);
	}
	for (size_t i = 0; i < names->n_known; i++)
		free(names->known[i]);
	for (size_t i = 0; i < names->n_texts; i++) {
		free(names->texts[i].given);
		free(names->texts[i].shown);
	}
	free(names->images);
	free(names->ids);
	free(names->places);
	free(names->known);
	free(names->lines);
	free(names->texts);
	op_hash_free(&names->by_place);
	op_hash_free(&names->by_lines);
	op_hash_free(&names->by_text);
	free(names);
}

/* ---- texts ---- */

/* As @demangle says; lives as long as @names. */
static const char *show(struct prof_names *names, const char *given, bool is_function)
{
	uint64_t hash = op_hash_text(0, given);
	struct text *text;
	uint32_t id;

	op_hash_for_each_possible (&names->by_text, hash, id) {
		text = &names->texts[id];
		if (!strcmp(text->given, given))
			return is_function && text->shown ? text->shown : text->given;
	}
	id = (uint32_t)names->n_texts++;
	names->texts = op_grow(names->texts, &names->texts_capacity, names->n_texts,
			       sizeof(*names->texts));
	text = &names->texts[id];
	text->given = op_copy(given);
	text->shown =
		names->demangle == PP_DEMANGLE_NONE ? NULL : pp_demangle(given, names->demangle);
	op_hash_add_or_exit(&names->by_text, hash, id);
	return is_function && text->shown ? text->shown : text->given;
}

const char *names_image(const struct prof *prof, uint32_t image)
{
	const char *path = prof->images[image].path, *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* ---- images ---- */

/* What a place without a symbol is called after, whether it was in a session or not. */
static const char *base_of(const struct prof_names *names, uint32_t number)
{
	const struct prof_image *image = &names->prof->images[number];
	const char *base = names_image(names->prof, number);

	if (image->kind == PROF_KERNEL && !strcmp(base, OP_KERNEL_IMAGE))
		return PP_RECORDED_KERNEL;
	if (image->kind == PROF_MODULE || (image->kind == PROF_UNKNOWN && image->is_kernel))
		return names->ids[number].name;
	return base;
}

static void read_image(struct prof_names *names, uint32_t number)
{
	const struct prof_image *image = &names->prof->images[number];
	struct image_names *known = &names->images[number];
	const struct op_image_name *id = &names->ids[number];
	bool is_kernel = image->kind == PROF_UNKNOWN && image->is_kernel;
	const char *base = base_of(names, number);
	char *unknown = op_format(*base == '[' ? "%s" : "[%s]", base);
	known->is_read = true;
	known->unknown = show(names, unknown, false);
	free(unknown);
	if (image->kind != PROF_UNKNOWN || is_kernel) {
		pp_image_reader_read(names->reader, id, &known->content);
		known->debug = pp_debug_info_open(known->content.path, &known->content.symbols,
						  names->reader->warnings);
		if (image->kind == PROF_KERNEL && id->kind == OP_IMAGE_FILE)
			known->bias = known->content.symbols.text;
	}
}

/* ---- names ---- */

/* Texts are kept once, so equal ones are at one address. */
static uint64_t hash_lines(const struct prof_line *lines, size_t n, bool is_before_entry)
{
	uint64_t hash = op_hash_mix(n, is_before_entry);

	for (size_t i = 0; i < n; i++) {
		hash = op_hash_mix(hash, (uintptr_t)lines[i].function);
		hash = op_hash_mix(hash, (uintptr_t)lines[i].file);
		hash = op_hash_mix(hash, (uint64_t)lines[i].line);
	}
	return hash;
}

static bool has_lines(const struct known_name *known, const struct prof_line *lines, size_t n)
{
	const struct prof_line *own = known->name.lines;

	if (known->name.n != n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (own[i].function != lines[i].function ||
		    own[i].system_name != lines[i].system_name || own[i].file != lines[i].file ||
		    own[i].line != lines[i].line || own[i].start_line != lines[i].start_line)
			return false;
	return true;
}

static uint32_t known_name(struct prof_names *names, const struct prof_line *lines, size_t n,
			   bool is_known, bool is_before_entry)
{
	uint64_t hash = hash_lines(lines, n, is_before_entry);
	struct known_name *known;
	uint32_t id;

	op_hash_for_each_possible (&names->by_lines, hash, id) {
		known = names->known[id];
		if (known->is_before_entry == is_before_entry && known->name.is_known == is_known &&
		    has_lines(known, lines, n))
			return id;
	}
	known = op_chunk(sizeof(*known) + n * sizeof(*lines));
	memcpy(known->lines, lines, n * sizeof(*lines));
	known->name = (struct prof_name){.lines = known->lines, .n = n, .is_known = is_known};
	known->is_before_entry = is_before_entry;
	id = (uint32_t)names->n_known++;
	names->known = op_grow(names->known, &names->known_capacity, names->n_known,
			       sizeof(*names->known));
	names->known[id] = known;
	op_hash_add_or_exit(&names->by_lines, hash, id);
	return id;
}

/* ---- places ---- */

static void add_line(struct prof_names *names, const struct prof_line *line)
{
	names->lines = op_grow(names->lines, &names->lines_capacity, names->n_lines + 1,
			       sizeof(*names->lines));
	names->lines[names->n_lines++] = *line;
}

static uint64_t names_key_of(const struct prof_names *names, const struct prof_frame *frame)
{
	return session_key(&names->prof->images[frame->image], frame->offset) +
	       names->images[frame->image].bias;
}

static const struct symbol_name *symbol_name(struct prof_names *names, struct image_names *image,
					     size_t symbol)
{
	const struct pp_symbols *symbols = &image->content.symbols;
	struct symbol_name *name;

	if (!image->symbols)
		image->symbols = op_alloc(symbols->n, sizeof(*image->symbols));
	name = &image->symbols[symbol];
	if (!name->given) {
		name->given = show(names, symbols->items[symbol].name, false);
		name->shown = show(names, symbols->items[symbol].name, true);
	}
	return name;
}

/* The lines of a place in a symbol, innermost first. */
static void add_lines(struct prof_names *names, struct image_names *image, uint64_t key,
		      size_t symbol)
{
	const struct pp_symbols *symbols = &image->content.symbols;
	const struct symbol_name *name = symbol_name(names, image, symbol);
	struct prof_line line = {0};
	uint64_t link;
	int number = 0;

	if (image->debug) {
		link = pp_symbols_link(symbols, pp_symbols_vma(symbols, key));
		line.file = pp_debug_info_line(image->debug, link, &number);
		if (line.file)
			line.file = show(names, line.file, false);
		line.line = number;
		for (const struct pp_inlined *inlined = pp_debug_info_inlined(image->debug, link);
		     inlined; inlined = inlined->caller) {
			line.system_name = show(names, inlined->name, false);
			line.function = show(names, inlined->name, true);
			add_line(names, &line);
			line = (struct prof_line){
				.file = inlined->call_file ? show(names, inlined->call_file, false)
							   : NULL,
				.line = inlined->call_line};
		}
	}
	line.system_name = name->given;
	line.function = name->shown;
	add_line(names, &line);
}

/* The lines that the profile has.  Names stay as they are, but for those that are the linker's. */
static void add_given_lines(struct prof_names *names, const struct prof_line *lines, size_t n)
{
	names->n_lines = 0;
	for (size_t i = 0; i < n; i++) {
		const char *given = lines[i].function, *shown;
		struct prof_line line = lines[i];

		if (line.system_name && !strcmp(line.system_name, given)) {
			shown = show(names, given, true);
			if (strcmp(shown, given) != 0) {
				line.system_name = given;
				line.function = shown;
			}
		}
		add_line(names, &line);
	}
}

static uint32_t names_look_up(struct prof_names *names, const struct prof_frame *frame)
{
	struct image_names *image = &names->images[frame->image];
	const struct pp_symbols *symbols;
	struct prof_line unknown = {0};
	const struct prof_line *lines;
	size_t n = prof_lines(names->prof, frame, &lines), symbol;
	uint64_t key;

	if (n) {
		add_given_lines(names, lines, n);
		return known_name(names, names->lines, n, true, false);
	}
	if (!image->is_read)
		read_image(names, frame->image);
	symbols = &image->content.symbols;
	key = names_key_of(names, frame);
	symbol = pp_symbols_find(symbols, key);
	if (symbol < symbols->n) {
		names->n_lines = 0;
		add_lines(names, image, key, symbol);
		return known_name(names, names->lines, names->n_lines, true, false);
	}
	unknown.function = image->unknown;
	return known_name(names, &unknown, 1, false, pp_symbols_is_before_entry(symbols, key));
}

static const struct known_name *name_at(struct prof_names *names, const struct prof_frame *frame)
{
	uint64_t hash = op_hash_mix(frame->image, frame->offset);
	struct place *place;
	uint32_t id;

	op_hash_for_each_possible (&names->by_place, hash, id) {
		place = &names->places[id];
		if (place->image == frame->image && place->offset == frame->offset)
			return names->known[place->name];
	}
	id = (uint32_t)names->n_places++;
	names->places = op_grow(names->places, &names->places_capacity, names->n_places,
				sizeof(*names->places));
	names->places[id] = (struct place){.offset = frame->offset,
					   .image = frame->image,
					   .name = names_look_up(names, frame)};
	op_hash_add_or_exit(&names->by_place, hash, id);
	return names->known[names->places[id].name];
}

const struct prof_name *names_at(struct prof_names *names, const struct prof_frame *frame)
{
	return &name_at(names, frame)->name;
}

struct prof_frame names_place(struct prof_names *names, const struct prof_sample *sample,
			      size_t index)
{
	const struct prof_frame *frame = &sample->frames[index];
	struct prof_frame place = {frame->image, prof_lookup_offset(names->prof, sample, index)};

	/* else its function was called */
	if (place.offset != frame->offset && name_at(names, &place)->is_before_entry)
		place.offset = frame->offset;
	return place;
}

const struct prof_name *names_of_frame(struct prof_names *names, const struct prof_sample *sample,
				       size_t index)
{
	const struct prof_frame place = names_place(names, sample, index);

	return names_at(names, &place);
}

struct prof_frame names_place_or(struct prof_names *names, const struct prof *prof,
				 const struct prof_sample *sample, size_t index)
{
	if (names)
		return names_place(names, sample, index);
	return (struct prof_frame){sample->frames[index].image,
				   prof_lookup_offset(prof, sample, index)};
}

size_t names_lines_or(struct prof_names *names, const struct prof *prof,
		      const struct prof_frame *place, const struct prof_line **lines)
{
	const struct prof_name *name;

	if (!names)
		return prof_lines(prof, place, lines);
	name = names_at(names, place);
	*lines = name->lines;
	return name->is_known ? name->n : 0;
}

uint64_t names_bytes_of_stack(struct prof_names *names, const struct prof *prof,
			      const struct prof_sample *sample, uint64_t each)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < sample->depth; i++) {
		const struct prof_frame place = names_place_or(names, prof, sample, i);
		const struct prof_line *lines;
		size_t n = names_lines_or(names, prof, &place, &lines);

		bytes += each + bounded_text_bytes(prof->images[place.image].path);
		for (size_t k = 0; k < n; k++)
			bytes += each + bounded_text_bytes(lines[k].function) +
				 bounded_text_bytes(lines[k].system_name) +
				 bounded_text_bytes(lines[k].file);
	}
	return bytes;
}

bool names_code(const struct prof_names *names, const struct prof_frame *frame,
		struct prof_code_place *place)
{
	const struct image_names *image = &names->images[frame->image];

	*place = (struct prof_code_place){.symbols = &image->content.symbols,
					  .path = image->content.path,
					  .debug = image->debug,
					  .key = names_key_of(names, frame)};
	return image->is_read;
}
