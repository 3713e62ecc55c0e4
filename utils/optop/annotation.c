// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The instructions of a function: see annotation.h.
 */
#include "annotation.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/array.h"
#include "libop/base/file.h"
#include "pp/annotate/disassembly.h"
#include "pp/debug/info.h"

struct code {
	struct pp_image_content content;
	struct pp_disassembly *disassembly;
	struct pp_debug_info *debug;
	const char *file; /* of the last line */
	int line;
};

static void free_code(struct code *code)
{
	pp_debug_info_close(code->debug);
	pp_disassembly_close(code->disassembly);
	pp_image_content_free(&code->content);
}

static int open_code(struct code *code, struct symbols *symbols, const struct op_image_name *id,
		     struct op_error *error)
{
	struct pp_image_reader reader = {
		.search = &symbols->search,
		.samples_dirs = &symbols->samples_dir,
		.n_dirs = 1,
		.keeps_troubles = true,
		.want_code = true,
		.want_lines = true,
	};
	int result;

	pp_image_reader_read(&reader, id, &code->content);
	if (!code->content.path || code->content.is_saved) {
		const char *why = code->content.no_file	  ? code->content.no_file
				  : code->content.trouble ? code->content.trouble
							  : "there is no file with its code";

		result = op_error_set(error, ENOENT, "cannot show %s: %s", id->name, why);
	} else {
		result = pp_disassembly_open(&code->disassembly, code->content.path,
					     &code->content.symbols, NULL, error);
	}
	if (!result)
		code->debug = pp_debug_info_open(code->content.path, &code->content.symbols, NULL);
	pp_image_reader_free(&reader);
	return result;
}

/* "file.c:12" of an address, if another line than that of the address before; else NULL. */
static char *new_line(struct code *code, uint64_t key)
{
	const struct pp_symbols *symbols = &code->content.symbols;
	int line = 0;
	const char *base,
		*file = pp_debug_info_line(
			code->debug, pp_symbols_link(symbols, pp_symbols_vma(symbols, key)), &line);

	if (!file || (file == code->file && line == code->line))
		return NULL;
	code->file = file;
	code->line = line;
	base = strrchr(file, '/');
	return op_path("%s:%d", base ? base + 1 : file, line);
}

/* Takes the texts of @line over.  Return: 0, or -1 when out of memory. */
static int add_line(struct annotation *annotation, const struct annotation_line *line)
{
	if (op_array_extend(annotation->line, annotation->lines)) {
		free(line->text);
		free(line->where);
		return -1;
	}
	annotation->line[annotation->lines++] = *line;
	return line->text ? 0 : -1;
}

static int disassemble(struct annotation *annotation, struct code *code, uint64_t start,
		       uint64_t end, struct op_error *error)
{
	const char *text;
	size_t size;

	for (uint64_t key = start; key < end && annotation->lines < ANNOTATION_LINES_MOST;
	     key += size) {
		size = pp_disassembly_next(code->disassembly, key, end, &text);
		if (!size)
			break;
		if (add_line(annotation, &(struct annotation_line){.offset = key,
								   .size = size,
								   .text = strdup(text),
								   .where = new_line(code, key)}))
			return op_error_memory(error);
	}
	if (!annotation->lines)
		return op_error_set(error, ENOENT, "cannot show it: %s",
				    pp_disassembly_failure(code->disassembly)
					    ? pp_disassembly_failure(code->disassembly)
					    : "no code is there");
	return 0;
}

/* An address of the function whose code is known. */
static bool annotation_find(struct symbols *symbols, const struct model *model, uint32_t function,
			    const struct op_image_name **id, uint64_t *start, uint64_t *end)
{
	for (uint32_t i = 0; i < model->addresses; i++) {
		if (model->address[i].function == function &&
		    symbols_find(symbols, function, model->address[i].offset, id, start, end))
			return true;
	}
	return false;
}

int annotation_make(struct annotation *annotation, struct symbols *symbols,
		    const struct model *model, uint32_t function, uint32_t event,
		    struct op_error *error)
{
	const struct op_image_name *id;
	uint64_t start, end;
	struct code code = {0};
	int result;

	*annotation = (struct annotation){.function = function, .event = event};
	if (!annotation_find(symbols, model, function, &id, &start, &end))
		return op_error_set(error, ENOENT, "no samples in %s whose code is known",
				    model->function[function].name);
	result = open_code(&code, symbols, id, error);
	if (!result)
		result = disassemble(annotation, &code, start, end, error);
	free_code(&code);
	return result;
}

static struct annotation_line *find_line(struct annotation *annotation, uint64_t offset)
{
	size_t low = 0, high = annotation->lines;

	while (low < high) {
		size_t middle = (low + high) / 2;
		struct annotation_line *line = &annotation->line[middle];

		if (offset < line->offset)
			high = middle;
		else if (offset >= line->offset + line->size)
			low = middle + 1;
		else
			return line;
	}
	return NULL;
}

void annotation_count(struct annotation *annotation, const struct model *model,
		      enum model_period period)
{
	annotation->weight = 0;
	annotation->hottest = 0;
	for (size_t i = 0; i < annotation->lines; i++)
		annotation->line[i].weight = 0;
	for (uint32_t i = 0; i < model->addresses; i++) {
		const struct model_address *address = &model->address[i];
		struct annotation_line *line;

		if (address->function != annotation->function ||
		    address->event != annotation->event)
			continue;
		annotation->weight += address->amount[period];
		line = find_line(annotation, address->offset);
		if (line)
			line->weight += address->amount[period];
	}
	for (size_t i = 0; i < annotation->lines; i++)
		if (annotation->line[i].weight > annotation->line[annotation->hottest].weight)
			annotation->hottest = i;
}

void annotation_free(struct annotation *annotation)
{
	for (size_t i = 0; i < annotation->lines; i++) {
		free(annotation->line[i].text);
		free(annotation->line[i].where);
	}
	free(annotation->line);
	*annotation = (struct annotation){0};
}
