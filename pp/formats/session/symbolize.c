// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of functions: see names.h. */
#include "symbolize.h"

#include <stdlib.h>
#include <string.h>

#include "libop/base/hash.h"
#include "image.h"
#include "pp/formats/model/mapped_image.h"
#include "names.h"
#include "libop/base/memory.h"
#include "libop/session/paths.h"
#include "pp/symbols/symbols.h"

struct image_names {
	bool is_read;
	struct pp_image_content content;
	struct pp_debug_info *debug;
	uint64_t bias;	     /* from offsets of the model to keys of the symbols */
	const char *unknown; /* what a place without a symbol is called */
};

/* What a place is called, and which it is. */
struct place {
	struct prof_frame frame;
	struct prof_name name;
	struct prof_line *lines; /* NULL: they are the profile's */
	bool is_before_entry;	 /* pp_symbols_is_before_entry() */
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
	struct place **places; /* they do not move: names_at() returns what is in them */
	size_t n_places, places_capacity;
	struct op_hash by_place;
	struct text *texts; /* names that were demangled, and others kept */
	size_t n_texts, texts_capacity;
	struct op_hash by_text;
};

struct prof_names *names_new(const struct prof *prof, struct pp_image_reader *reader,
			     enum pp_demangle demangle)
{
	struct prof_names *names = pp_alloc(1, sizeof(*names));

	names->prof = prof;
	names->reader = reader;
	names->demangle = demangle;
	names->images = pp_alloc(prof->n_images, sizeof(*names->images));
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
		free(names->ids[i].name);
	}
	for (size_t i = 0; i < names->n_places; i++) {
		free(names->places[i]->lines);
		free(names->places[i]);
	}
	for (size_t i = 0; i < names->n_texts; i++) {
		free(names->texts[i].given);
		free(names->texts[i].shown);
	}
	free(names->images);
	free(names->ids);
	free(names->places);
	free(names->texts);
	op_hash_free(&names->by_place);
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
	names->texts = pp_grow(names->texts, &names->texts_capacity, names->n_texts,
			       sizeof(*names->texts));
	text = &names->texts[id];
	text->given = pp_copy(given);
	text->shown =
		names->demangle == PP_DEMANGLE_NONE ? NULL : pp_demangle(given, names->demangle);
	pp_hash_add(&names->by_text, hash, id);
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
		return MAPPED_KERNEL;
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
	char *unknown = pp_format(*base == '[' ? "%s" : "[%s]", base);
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

/* ---- places ---- */

static void add_line(struct place *place, size_t *capacity, const struct prof_line *line)
{
	place->lines = pp_grow(place->lines, capacity, place->name.n + 1, sizeof(*place->lines));
	place->lines[place->name.n++] = *line;
}

static uint64_t key_of(const struct prof_names *names, const struct prof_frame *frame)
{
	return session_key(&names->prof->images[frame->image], frame->offset) +
	       names->images[frame->image].bias;
}

static void look_up(struct prof_names *names, struct place *place)
{
	struct image_names *image = &names->images[place->frame.image];
	const struct pp_symbols *symbols = &image->content.symbols;
	uint64_t key = key_of(names, &place->frame), link;
	size_t symbol = pp_symbols_find(symbols, key), capacity = 0;
	struct prof_line line = {0};
	int number = 0;

	link = pp_symbols_link(symbols, pp_symbols_vma(symbols, key));
	if (symbol < symbols->n) {
		line.file = pp_debug_info_line(image->debug, link, &number);
		if (line.file)
			line.file = show(names, line.file, false);
		line.line = number;
		for (const struct pp_inlined *inlined = pp_debug_info_inlined(image->debug, link);
		     inlined; inlined = inlined->caller) {
			line.system_name = show(names, inlined->name, false);
			line.function = show(names, inlined->name, true);
			add_line(place, &capacity, &line);
			line = (struct prof_line){
				.file = inlined->call_file ? show(names, inlined->call_file, false)
							   : NULL,
				.line = inlined->call_line};
		}
		line.system_name = show(names, symbols->items[symbol].name, false);
		line.function = show(names, symbols->items[symbol].name, true);
		place->name.is_known = true;
	} else {
		line.function = image->unknown;
		place->is_before_entry = pp_symbols_is_before_entry(symbols, key);
	}
	add_line(place, &capacity, &line);
	place->name.lines = place->lines;
}

static struct place *make_place(struct prof_names *names, const struct prof_frame *frame)
{
	struct place *place = pp_alloc(1, sizeof(*place));
	const struct prof_line *lines;

	place->frame = *frame;
	place->name.n = prof_lines(names->prof, frame, &lines);
	if (place->name.n) {
		place->name.lines = lines;
		place->name.is_known = true;
		return place;
	}
	if (!names->images[frame->image].is_read)
		read_image(names, frame->image);
	look_up(names, place);
	return place;
}

static const struct place *place_at(struct prof_names *names, const struct prof_frame *frame)
{
	uint64_t hash = op_hash_mix(frame->image, frame->offset);
	struct place *place;
	uint32_t id;

	op_hash_for_each_possible (&names->by_place, hash, id) {
		place = names->places[id];
		if (place->frame.image == frame->image && place->frame.offset == frame->offset)
			return place;
	}
	place = make_place(names, frame);
	id = (uint32_t)names->n_places++;
	names->places = pp_grow(names->places, &names->places_capacity, names->n_places,
				sizeof(*names->places));
	names->places[id] = place;
	pp_hash_add(&names->by_place, hash, id);
	return place;
}

const struct prof_name *names_at(struct prof_names *names, const struct prof_frame *frame)
{
	return &place_at(names, frame)->name;
}

struct prof_frame names_place(struct prof_names *names, const struct prof_sample *sample,
			      size_t index)
{
	const struct prof_frame *frame = &sample->frames[index];
	struct prof_frame place = {frame->image, prof_lookup_offset(names->prof, sample, index)};

	/* else its function was called */
	if (place.offset != frame->offset && place_at(names, &place)->is_before_entry)
		place.offset = frame->offset;
	return place;
}

const struct prof_name *names_of_frame(struct prof_names *names, const struct prof_sample *sample,
				       size_t index)
{
	const struct prof_frame place = names_place(names, sample, index);

	return names_at(names, &place);
}

bool names_code(const struct prof_names *names, const struct prof_frame *frame,
		struct prof_code_place *place)
{
	const struct image_names *image = &names->images[frame->image];

	*place = (struct prof_code_place){.symbols = &image->content.symbols,
					  .path = image->content.path,
					  .debug = image->debug,
					  .key = key_of(names, frame)};
	return image->is_read;
}
