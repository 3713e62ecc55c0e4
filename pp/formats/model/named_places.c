// SPDX-License-Identifier: GPL-2.0-or-later
/* Functions without addresses: see named_places.h. */
#include "named_places.h"

#include <stdlib.h>
#include <string.h>

#include "libop/base/hash.h"
#include "libop/base/memory.h"
#include "pp/symbols/image_name.h"

/* A function, or a line of one. */
struct function {
	uint32_t image;
	char *name, *file; /* file: NULL if it is not known */
	int64_t line, start_line;
};

struct image {
	char *name;
	bool is_kernel;
	uint32_t number; /* in the sink */
};

struct named_places {
	struct prof_sink *sink;
	uint64_t first; /* offset */
	struct image *images;
	size_t n_images, images_capacity;
	struct op_hash by_image;
	struct function *functions;
	size_t n, capacity;
	struct op_hash by_name;
};

struct named_places *named_places_new(struct prof_sink *sink)
{
	struct named_places *places = op_alloc(1, sizeof(*places));

	places->sink = sink;
	places->first = sink->free_place(sink);
	return places;
}

void named_places_free(struct named_places *places)
{
	if (!places)
		return;
	for (size_t i = 0; i < places->n_images; i++)
		free(places->images[i].name);
	free(places->images);
	op_hash_free(&places->by_image);
	for (size_t i = 0; i < places->n; i++) {
		free(places->functions[i].name);
		free(places->functions[i].file);
	}
	free(places->functions);
	op_hash_free(&places->by_name);
	free(places);
}

/* ---- images ---- */

static uint32_t make_image(struct named_places *places, const char *name, bool is_kernel)
{
	bool is_named = pp_image_is_named(name);
	char *path = is_named ? op_copy(name)
			      : op_format(PP_NAMED_IMAGE "%s%s", *name == '/' ? "" : "/",
					  *name ? name : "[no image]");
	const struct prof_image image = {
		.kind = PROF_FILE, .is_kernel = is_kernel, .path = path, .pid = PROF_ANY};
	uint32_t number = places->sink->image(places->sink, &image);

	free(path);
	return number;
}

uint32_t named_places_image(struct named_places *places, const char *name, bool is_kernel)
{
	uint64_t hash = op_hash_text(is_kernel, name);
	uint32_t id;

	op_hash_for_each_possible (&places->by_image, hash, id)
		if (places->images[id].is_kernel == is_kernel &&
		    !strcmp(places->images[id].name, name))
			return places->images[id].number;
	id = (uint32_t)places->n_images++;
	places->images = op_grow(places->images, &places->images_capacity, places->n_images,
				 sizeof(*places->images));
	places->images[id] = (struct image){.name = op_copy(name),
					    .is_kernel = is_kernel,
					    .number = make_image(places, name, is_kernel)};
	op_hash_add_or_exit(&places->by_image, hash, id);
	return places->images[id].number;
}

/* ---- functions ---- */

/* A line without a file says nothing, and one that is not known is of the function's first file. */
static bool is_function(const struct function *function, uint32_t image,
			const struct prof_line *line)
{
	if (function->image != image || function->line != line->line ||
	    strcmp(function->name, line->function) != 0)
		return false;
	return !line->line || !strcmp(function->file, line->file);
}

/* The number of a function, which no other has in any image: images of one path, such as the
 * kernel's and the program's "[unknown]", are one in a session. */
static uint32_t find_function(struct named_places *places, uint32_t image,
			      const struct prof_line *line)
{
	uint64_t hash = op_hash_mix(op_hash_text(image, line->function), (uint64_t)line->line);
	struct prof_frame place = {.image = image};
	uint32_t id;

	op_hash_for_each_possible (&places->by_name, hash, id)
		if (is_function(&places->functions[id], image, line))
			return id;
	id = (uint32_t)places->n++;
	places->functions = op_grow(places->functions, &places->capacity, places->n,
				    sizeof(*places->functions));
	places->functions[id] = (struct function){image, op_copy(line->function),
						  line->file ? op_copy(line->file) : NULL,
						  line->line, line->start_line};
	op_hash_add_or_exit(&places->by_name, hash, id);
	place.offset = places->first + 2 * (uint64_t)id;
	places->sink->lines(places->sink, &place, line, 1);
	return id;
}

struct prof_frame named_places_frame(struct named_places *places, uint32_t image,
				     const struct prof_line *line, bool is_caller)
{
	struct prof_line named = *line;

	if (!*named.function)
		named.function = "[unknown]";
	if (!named.file || named.line < 0)
		named.line = 0;
	return (struct prof_frame){
		image,
		places->first + 2 * (uint64_t)find_function(places, image, &named) + is_caller};
}

struct prof_frame named_places_at_line(struct named_places *places, const struct prof_frame *frame,
				       int64_t line)
{
	const struct function *function;
	struct prof_line named = {.line = line};
	uint64_t number = (frame->offset - places->first) / 2;

	/* what was never named, as in a file that ends too early, has no lines */
	if (!line || frame->offset < places->first || number >= places->n)
		return *frame;
	function = &places->functions[number];
	named.function = function->name;
	named.file = function->file;
	named.start_line = function->start_line;
	return named_places_frame(places, frame->image, &named, false);
}

char *named_places_unnamed(const char *image)
{
	const char *slash = strrchr(image, '/'), *base = slash && slash[1] ? slash + 1 : image;

	if (!*image)
		return op_copy("[unknown]");
	return op_format(*base == '[' ? "%s" : "[%s]", base);
}
