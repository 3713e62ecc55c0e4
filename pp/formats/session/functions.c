// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of functions that only a profile has, as the file "functions" of a session. */
#include "functions.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/file.h"
#include "libop/base/memory.h"
#include "libop/base/text_stream.h"
#include "libop/session/paths.h"
#include "libop/tables/name_index.h"
#include "image.h"
#include "pp/formats/model/tables.h"
#include "pp/symbols/image_name.h"
#include "libop/session/functions.h"

/* A place by the key that it has in the session. */
struct known {
	size_t image; /* number of its name: images of one name are one there */
	uint64_t key;
	const struct place_lines *lines;
};

struct writing {
	const struct prof_tables *tables;
	const struct session_names *names;
	struct op_names functions; /* lines "NAME \t FILE", which are owned */
	struct known *known;
	struct op_names images; /* their names, which are not owned */
	FILE *out;
};

static int compare_known(const void *a, const void *b)
{
	const struct known *x = a, *y = b;

	if (x->image != y->image)
		return x->image < y->image ? -1 : 1;
	return (x->key > y->key) - (x->key < y->key);
}

static char *line_of(const struct prof_line *line)
{
	char *function = op_functions_escape(line->function);
	char *file = op_functions_escape(line->file ? line->file : "");
	char *text = op_format("%s\t%s", function, file);

	free(function);
	free(file);
	return text;
}

/* The number of a function, which is written if it is new. */
static size_t number_of(struct writing *writing, const struct prof_line *line)
{
	char *text = line_of(line);
	size_t n = writing->functions.n, number = op_names_index(&writing->functions, text);

	if (number == n)
		fprintf(writing->out, "f %s\n", text);
	else
		free(text);
	return number;
}

/* The line of code that a profile names; where only the first one of its function is known, and no
 * file can have the line, that one. */
static uint64_t line_number(const struct prof_image *image, const struct prof_line *line)
{
	bool is_no_file = image->kind == PROF_UNKNOWN || pp_image_is_named(image->path);

	if (line->line > 0)
		return (uint64_t)line->line;
	return is_no_file && line->start_line > 0 ? (uint64_t)line->start_line : 0;
}

static void put_place(struct writing *writing, const struct known *known)
{
	const struct place_lines *lines = known->lines;
	const struct prof_image *image = &writing->tables->prof.images[lines->place.image];
	size_t *numbers = op_alloc(lines->n, sizeof(*numbers));

	for (size_t i = 0; i < lines->n; i++)
		numbers[i] = number_of(writing, &lines->lines[i]);
	for (size_t i = 0; i < lines->n; i++)
		fprintf(writing->out, "k %" PRIx64 " %zu %" PRIu64 "\n", known->key, numbers[i],
			line_number(image, &lines->lines[i]));
	free(numbers);
}

static void functions_put_image(struct writing *writing, const char *name)
{
	char *text = op_functions_escape(name);

	fprintf(writing->out, "i %s\n", text);
	free(text);
}

static void functions_put_all(struct writing *writing)
{
	const struct prof_tables *tables = writing->tables;

	for (size_t i = 0; i < tables->prof.n_images; i++)
		op_names_index(&writing->images, writing->names->texts[i]);
	for (size_t i = 0; i < tables->n_places; i++) {
		const struct prof_frame *place = &tables->places[i].place;

		writing->known[i] = (struct known){
			op_names_index(&writing->images, writing->names->texts[place->image]),
			session_key(&tables->prof.images[place->image], place->offset),
			&tables->places[i]};
	}
	qsort(writing->known, tables->n_places, sizeof(*writing->known), compare_known);
	for (size_t i = 0; i < tables->n_places; i++) {
		const struct known *known = &writing->known[i];

		if (!i || known[-1].image != known->image)
			functions_put_image(writing, writing->images.names[known->image]);
		put_place(writing, known);
	}
}

int session_functions_write(const struct prof *prof, const struct session_names *names,
			    const char *dir, struct op_error *error)
{
	struct writing writing = {.tables = (const struct prof_tables *)prof, .names = names};
	struct op_text_stream stream;
	char *path;
	int result;

	if (!writing.tables->n_places)
		return 0;
	writing.known = op_alloc(writing.tables->n_places, sizeof(*writing.known));
	op_text_stream_open(&stream);
	writing.out = stream.out;
	functions_put_all(&writing);
	op_text_stream_close(&stream);
	path = op_format("%s/" OP_FUNCTIONS, dir);
	result = op_file_replace(path, stream.text, stream.length, OP_SESSION_FILE_MODE, error);
	free(path);
	free(stream.text);
	free(writing.known);
	for (size_t i = 0; i < writing.functions.n; i++)
		free((char *)writing.functions.names[i]);
	op_names_free(&writing.functions);
	op_names_free(&writing.images);
	return result;
}

/* ---- and back ---- */

static void functions_tell(const struct op_functions *functions, size_t first, size_t end,
			   uint32_t image, struct prof_sink *sink)
{
	const struct prof_frame place = {image, functions->keys[first].key};
	struct prof_line *lines = op_alloc(end - first, sizeof(*lines));

	for (size_t i = first; i < end; i++) {
		const struct op_function_key *key = &functions->keys[i];
		const struct op_function *function = &functions->items[key->function];

		lines[i - first] = (struct prof_line){
			.function = function->name,
			.file = function->file,
			.line = key->line <= INT64_MAX ? (int64_t)key->line : 0,
		};
	}
	sink->lines(sink, &place, lines, end - first);
	free(lines);
}

void session_functions_read(struct session_images *images, const char *dir)
{
	struct op_functions functions;
	struct op_image_name name;
	uint32_t image = PROF_NO_IMAGE;

	op_functions_read(&functions, dir);
	for (size_t i = 0, end; i < functions.n_keys; i = end) {
		const struct op_function_key *keys = &functions.keys[i];

		for (end = i + 1; end < functions.n_keys && functions.keys[end].key == keys->key &&
				  functions.keys[end].image == keys->image;)
			end++;
		if ((!i || keys[-1].image != keys->image) &&
		    !op_image_name_parse(functions.images.names[keys->image], &name, NULL)) {
			image = session_images_number(images, &name, false, 0);
			free(name.name);
		}
		functions_tell(&functions, i, end, image, images->sink);
	}
	op_functions_free(&functions);
}
