// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From images and offsets to functions: see symbols.h.
 */
#include "symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/file.h"
#include "libop/session/paths.h"
#include "pp/symbols/demangle.h"

#define NO_SYMBOL "(no symbols)"

int symbols_open(struct symbols *symbols, struct model *model, const char *session_dir,
		 struct op_error *error)
{
	*symbols = (struct symbols){.model = model, .epoch = model->epoch};
	symbols->samples_dir = op_path("%s/" OP_SESSION_CURRENT, session_dir);
	if (!symbols->samples_dir)
		return op_error_memory(error);
	symbols->search = (struct pp_image_search){
		.samples_dirs = &symbols->samples_dir,
		.n_dirs = 1,
	};
	symbols->reader = (struct pp_image_reader){
		.search = &symbols->search,
		.samples_dirs = &symbols->samples_dir,
		.n_dirs = 1,
		.keeps_troubles = true,
	};
	return 0;
}

static void free_contents(struct symbols *symbols)
{
	for (uint32_t i = 0; i < symbols->images; i++) {
		struct symbols_image *image = &symbols->image[i];

		if (image->content)
			pp_image_content_free(image->content);
		free(image->content);
		image->content = NULL;
	}
	symbols->contents = 0;
}

static void forget_addresses(struct symbols *symbols)
{
	op_hash_clear(&symbols->by_address);
	symbols->addresses = 0;
}

void symbols_forget(struct symbols *symbols)
{
	free_contents(symbols);
	for (uint32_t i = 0; i < symbols->images; i++)
		free(symbols->image[i].id.name);
	op_hash_clear(&symbols->by_number);
	symbols->images = 0;
	symbols->is_full = false;
	forget_addresses(symbols);
}

void symbols_close(struct symbols *symbols)
{
	symbols_forget(symbols);
	free(symbols->image);
	free(symbols->address);
	op_hash_free(&symbols->by_number);
	op_hash_free(&symbols->by_address);
	pp_image_reader_free(&symbols->reader);
	pp_image_search_free(&symbols->search);
	free(symbols->samples_dir);
	*symbols = (struct symbols){0};
}

/* Numbers of the model are new ones after it was made anew. */
static void follow_model(struct symbols *symbols)
{
	if (symbols->epoch == symbols->model->epoch)
		return;
	symbols->epoch = symbols->model->epoch;
	forget_addresses(symbols);
	for (uint32_t i = 0; i < symbols->images; i++)
		symbols->image[i].in_model = MODEL_OTHER;
}

/* ---- images ---- */

static struct symbols_image *find_image(struct symbols *symbols, uint32_t number)
{
	uint32_t i;

	op_hash_for_each_possible (&symbols->by_number, op_hash_mix(0, number), i)
		if (symbols->image[i].number == number)
			return &symbols->image[i];
	return NULL;
}

void symbols_add_image(struct symbols *symbols, uint32_t number, const struct op_image_name *id)
{
	struct symbols_image *larger, *image;

	if (find_image(symbols, number))
		return;
	if (symbols->images >= SYMBOLS_TOLD_MOST) {
		symbols->is_full = true;
		return;
	}
	if (!(symbols->images & (symbols->images - 1)) || !symbols->images) {
		size_t room = symbols->images ? (size_t)symbols->images * 2 : 1;

		larger = realloc(symbols->image, room * sizeof(*larger));
		if (!larger)
			return;
		symbols->image = larger;
	}
	image = &symbols->image[symbols->images];
	*image = (struct symbols_image){.number = number, .id = *id};
	image->id.name = strdup(id->name);
	if (!image->id.name)
		return;
	if (op_hash_add(&symbols->by_number, op_hash_mix(0, number), symbols->images))
		free(image->id.name);
	else
		symbols->images++;
}

/* What an image is called: "[vdso]", "/bin/ls", "anonymous memory of process 12". */
static void put_image_name(const struct op_image_name *id, char *text, size_t size)
{
	if (id->kind != OP_IMAGE_ANON)
		snprintf(text, size, "%s",
			 strcmp(id->name, OP_KERNEL_IMAGE) ? id->name : "[kernel]");
	else if (id->name[0] == '[')
		snprintf(text, size, "%s", id->name);
	else
		snprintf(text, size, "[memory of process %u]", id->tgid);
}

uint32_t symbols_image(struct symbols *symbols, uint32_t number)
{
	struct symbols_image *image = number ? find_image(symbols, number) : NULL;
	char text[MODEL_NAME_MOST + 1];

	follow_model(symbols);
	if (!image)
		return model_image(symbols->model, "(unknown)");
	if (image->in_model == MODEL_OTHER) {
		put_image_name(&image->id, text, sizeof(text));
		image->in_model = model_image(symbols->model, text);
	}
	return image->in_model;
}

/* Reads the symbols of an image, unless they are there. */
static const struct pp_symbols *read_symbols(struct symbols *symbols, struct symbols_image *image)
{
	if (image->content)
		return &image->content->symbols;
	if (symbols->contents >= SYMBOLS_IMAGES_MOST)
		free_contents(symbols);
	image->content = calloc(1, sizeof(*image->content));
	if (!image->content)
		return NULL;
	pp_image_reader_read(&symbols->reader, &image->id, image->content);
	symbols->contents++;
	return &image->content->symbols;
}

/* ---- addresses ---- */

static uint32_t name_function(struct symbols *symbols, uint32_t image, const char *name)
{
	char *readable = pp_demangle(name, PP_DEMANGLE_SMART);
	uint32_t function = model_function(symbols->model, image, readable ? readable : name);

	free(readable);
	return function;
}

static uint32_t symbols_look_up(struct symbols *symbols, const struct op_feed_frame *frame)
{
	struct symbols_image *image = frame->image ? find_image(symbols, frame->image) : NULL;
	uint32_t in_model = symbols_image(symbols, frame->image);
	const struct pp_symbols *table = image ? read_symbols(symbols, image) : NULL;
	size_t place = table ? pp_symbols_find(table, frame->offset) : 0;

	if (!table || place >= table->n)
		return model_function(symbols->model, in_model, NO_SYMBOL);
	return name_function(symbols, in_model, table->items[place].name);
}

static void keep_address(struct symbols *symbols, uint64_t key,
			 const struct symbols_address *address)
{
	uint32_t n = symbols->addresses;

	if (n >= SYMBOLS_ADDRESSES_MOST) {
		forget_addresses(symbols);
		n = 0;
	}
	if (!symbols->address) {
		symbols->address = malloc(SYMBOLS_ADDRESSES_MOST * sizeof(*symbols->address));
		if (!symbols->address)
			return;
	}
	if (op_hash_add(&symbols->by_address, key, n))
		return;
	symbols->address[n] = *address;
	symbols->addresses = n + 1;
}

uint32_t symbols_function(struct symbols *symbols, const struct op_feed_frame *frame)
{
	uint64_t key = op_hash_mix(op_hash_mix(0, frame->image), frame->offset);
	struct symbols_address address = {.image = frame->image, .offset = frame->offset};
	uint32_t i;

	follow_model(symbols);
	/* addresses in no image are any number of them, and all of one name */
	if (!frame->image)
		return symbols_look_up(symbols, frame);
	op_hash_for_each_possible (&symbols->by_address, key, i)
		if (symbols->address[i].image == frame->image &&
		    symbols->address[i].offset == frame->offset)
			return symbols->address[i].function;
	address.function = symbols_look_up(symbols, frame);
	keep_address(symbols, key, &address);
	return address.function;
}

bool symbols_find(struct symbols *symbols, uint32_t function, uint64_t offset,
		  const struct op_image_name **id, uint64_t *start, uint64_t *end)
{
	follow_model(symbols);
	for (uint32_t i = 0; i < symbols->addresses; i++) {
		const struct symbols_address *address = &symbols->address[i];
		struct symbols_image *image;
		const struct pp_symbols *table;
		size_t place;

		if (address->function != function || address->offset != offset)
			continue;
		image = find_image(symbols, address->image);
		table = image ? read_symbols(symbols, image) : NULL;
		place = table ? pp_symbols_find(table, offset) : 0;
		if (!table || place >= table->n)
			return false;
		*id = &image->id;
		*start = table->items[place].start;
		*end = table->items[place].end;
		return true;
	}
	return false;
}
