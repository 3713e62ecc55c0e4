// SPDX-License-Identifier: GPL-2.0-or-later
/* Strings, functions, mappings and locations of a pprof profile: see write.c. */
#include "write.h"

#include <stdlib.h>

#include "pp/formats/model/bounded.h"
#include "pp/formats/model/mapped_image.h"
#include "pp/formats/session/symbolize.h"
#include "libop/base/memory.h"
#include "libop/text/cells.h"

/* ---- bytes ---- */

void pprof_write_pack(struct writer *writer, int flush)
{
	z_stream *z = &writer->stream;

	op_buffer_check(&writer->out);
	z->next_in = writer->out.bytes;
	z->avail_in = (uInt)writer->out.used;
	do {
		z->next_out = writer->packed;
		z->avail_out = FLUSH_BYTES;
		deflate(z, flush);
		fwrite(writer->packed, 1, FLUSH_BYTES - z->avail_out, writer->output->file);
	} while (!z->avail_out);
	writer->out.used = 0;
}

void pprof_write_put_message(struct writer *writer, enum pprof_profile_field field)
{
	writer->bytes += HEAD_BYTES + writer->message.used;
	wire_put_message(&writer->out, field, &writer->message);
	if (writer->out.used >= FLUSH_BYTES)
		pprof_write_pack(writer, Z_NO_FLUSH);
}

/* ---- tables ---- */

uint64_t pprof_write_string(struct writer *writer, const char *text)
{
	uint64_t hash = op_hash_text(0, text);
	uint32_t id;

	op_hash_for_each_possible (&writer->by_string, hash, id)
		if (!strcmp(writer->strings[id], text))
			return id;
	writer->strings = op_grow(writer->strings, &writer->strings_capacity, writer->n_strings + 1,
				  sizeof(*writer->strings));
	writer->strings[writer->n_strings] = op_copy(text);
	writer->bytes += HEAD_BYTES + strlen(text);
	op_hash_add_or_exit(&writer->by_string, hash, (uint32_t)writer->n_strings);
	return writer->n_strings++;
}

static uint64_t hash_of_function(const struct function *function)
{
	uint64_t hash = op_hash_mix(0, function->name);

	hash = op_hash_mix(hash, function->system_name);
	hash = op_hash_mix(hash, function->file);
	return op_hash_mix(hash, (uint64_t)function->start_line);
}

static bool same_function(const struct function *a, const struct function *b)
{
	return a->name == b->name && a->system_name == b->system_name && a->file == b->file &&
	       a->start_line == b->start_line;
}

/* The id of the function of a line. */
static uint64_t function(struct writer *writer, const struct prof_line *line)
{
	const char *system_name = line->system_name ? line->system_name : line->function;
	const struct function wanted = {
		.name = pprof_write_string(writer, line->function),
		.system_name = pprof_write_string(writer, system_name),
		.file = pprof_write_string(writer, line->file ? line->file : ""),
		.start_line = line->start_line,
	};
	uint64_t hash = hash_of_function(&wanted);
	uint32_t id;

	op_hash_for_each_possible (&writer->by_function, hash, id)
		if (same_function(&writer->functions[id], &wanted))
			return id + 1;
	writer->functions = op_grow(writer->functions, &writer->functions_capacity,
				    writer->n_functions + 1, sizeof(*writer->functions));
	writer->functions[writer->n_functions] = wanted;
	writer->bytes += ITEM_BYTES;
	op_hash_add_or_exit(&writer->by_function, hash, (uint32_t)writer->n_functions);
	return ++writer->n_functions;
}

static uint64_t hash_of_place(const struct prof_frame *place)
{
	return op_hash_mix(op_hash_mix(0, place->image), place->offset);
}

uint64_t pprof_write_mapping(struct writer *writer, uint32_t image)
{
	if (image <= PROF_NO_KERNEL_IMAGE)
		return 0;
	if (!writer->mappings[image]) {
		writer->mappings[image] = ++writer->n_mappings;
		writer->bytes +=
			2 * ITEM_BYTES + bounded_text_bytes(writer->prof->images[image].path);
	}
	return writer->mappings[image];
}

/* Return: its id. */
static uint64_t new_location(struct writer *writer, const struct prof_frame *place)
{
	writer->locations = op_grow(writer->locations, &writer->locations_capacity,
				    writer->n_locations + 1, sizeof(*writer->locations));
	writer->locations[writer->n_locations] = *place;
	return ++writer->n_locations;
}

/* @address: 0: it is not known */
static void put_location(struct writer *writer, uint64_t id, uint32_t image, uint64_t address,
			 const struct prof_line *lines, size_t n)
{
	wire_put_number(&writer->message, PPROF_LOCATION_ID, id);
	wire_put_number(&writer->message, PPROF_LOCATION_MAPPING,
			pprof_write_mapping(writer, image));
	wire_put_number(&writer->message, PPROF_LOCATION_ADDRESS, address);
	for (size_t i = 0; i < n; i++) {
		wire_put_number(&writer->part, PPROF_LINE_FUNCTION, function(writer, &lines[i]));
		wire_put_number(&writer->part, PPROF_LINE_LINE, (uint64_t)lines[i].line);
		wire_put_message(&writer->message, PPROF_LOCATION_LINE, &writer->part);
		writer->has_lines[image] |= lines[i].line > 0;
	}
	writer->has_functions[image] |= n > 0;
	pprof_write_put_message(writer, PPROF_LOCATION);
}

uint64_t pprof_write_location(struct writer *writer, const struct prof_frame *place)
{
	uint64_t hash = hash_of_place(place);
	const struct prof_line *lines;
	uint32_t id;
	size_t n;

	op_hash_for_each_possible (&writer->by_location, hash, id)
		if (writer->locations[id].image == place->image &&
		    writer->locations[id].offset == place->offset)
			return id + 1;
	id = (uint32_t)new_location(writer, place);
	op_hash_add_or_exit(&writer->by_location, hash, id - 1);
	n = names_lines_or(writer->output->names, writer->prof, place, &lines);
	put_location(writer, id, place->image, prof_mapped_address(writer->prof, place, n > 0),
		     lines, n);
	return id;
}

uint64_t pprof_write_left_out(struct writer *writer, uint32_t image)
{
	static const struct prof_line line = {.function = BOUNDED_LEFT_OUT};
	uint64_t id = new_location(writer, &(struct prof_frame){.image = image});

	put_location(writer, id, image, 0, &line, 1);
	return id;
}

/* ---- what samples refer to ---- */

void pprof_write_put_functions(struct writer *writer)
{
	for (size_t i = 0; i < writer->n_functions; i++) {
		const struct function *f = &writer->functions[i];

		wire_put_number(&writer->message, PPROF_FUNCTION_ID, i + 1);
		wire_put_number(&writer->message, PPROF_FUNCTION_NAME, f->name);
		wire_put_number(&writer->message, PPROF_FUNCTION_SYSTEM_NAME, f->system_name);
		wire_put_number(&writer->message, PPROF_FUNCTION_FILE, f->file);
		wire_put_number(&writer->message, PPROF_FUNCTION_START_LINE,
				(uint64_t)f->start_line);
		pprof_write_put_message(writer, PPROF_FUNCTION);
	}
}

static void put_mapping(struct writer *writer, uint32_t image)
{
	const struct prof_image *of = &writer->prof->images[image];
	struct mapping mapping = mapping_of(of);
	char *build_id = of->build_id_length ? op_hex(of->build_id, of->build_id_length) : NULL;

	wire_put_number(&writer->message, PPROF_MAPPING_ID, writer->mappings[image]);
	wire_put_number(&writer->message, PPROF_MAPPING_START, mapping.start);
	wire_put_number(&writer->message, PPROF_MAPPING_LIMIT, mapping.end);
	wire_put_number(&writer->message, PPROF_MAPPING_OFFSET, mapping.offset);
	wire_put_number(&writer->message, PPROF_MAPPING_FILE,
			pprof_write_string(writer, mapping.name));
	wire_put_number(&writer->message, PPROF_MAPPING_BUILD_ID,
			pprof_write_string(writer, build_id ? build_id : ""));
	wire_put_number(&writer->message, PPROF_MAPPING_HAS_FUNCTIONS,
			writer->has_functions[image]);
	wire_put_number(&writer->message, PPROF_MAPPING_HAS_FILES, writer->has_lines[image]);
	wire_put_number(&writer->message, PPROF_MAPPING_HAS_LINES, writer->has_lines[image]);
	wire_put_number(&writer->message, PPROF_MAPPING_HAS_INLINES, writer->has_lines[image]);
	pprof_write_put_message(writer, PPROF_MAPPING);
	free(mapping.name);
	free(build_id);
}

void pprof_write_put_mappings(struct writer *writer)
{
	uint32_t *images = op_alloc(writer->n_mappings, sizeof(*images)); /* by id - 1 */

	for (uint32_t i = 0; i < writer->prof->n_images; i++)
		if (writer->mappings[i])
			images[writer->mappings[i] - 1] = i;
	for (size_t i = 0; i < writer->n_mappings; i++)
		put_mapping(writer, images[i]);
	free(images);
}
