// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Text catalogues: files, and how they include each other.
 */
#include "catalogue_parse.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Notes that the file of @cpu_name is read; its path lives as long as the parser. */
static int catalogue_parser_enter(struct op_catalogue_parser *parser, const char *cpu_name,
				  struct op_error *error)
{
	parser->cpu_name[parser->files] = strdup(cpu_name);
	if (!parser->cpu_name[parser->files])
		return op_error_memory(error);
	parser->files++;
	return 0;
}

/* Reads a file, and the files it includes: 0, or -1 with @error set. */
static int op_catalogue_parse_file(struct op_catalogue_parser *parser, const char *cpu_name,
				   const char *file, struct op_error *error)
{
	struct op_catalogue_text text = {0};
	int result;

	if (catalogue_parser_enter(parser, cpu_name, error))
		return -1;
	text.text = parser->read(parser->context, cpu_name, file, &text.path, &text.length, error);
	if (!text.text) {
		free(text.path);
		return -1;
	}
	parser->path[parser->paths++] = text.path;
	if (!strcmp(file, OP_CATALOGUE_EVENTS))
		result = op_catalogue_parse_events(parser, &text, error);
	else
		result = op_catalogue_parse_masks(parser, &text, error);
	free(text.text);
	return result;
}

int op_catalogue_parse_include(struct op_catalogue_parser *parser, struct op_catalogue_text *text,
			       const char *cpu_name, const char *rest, struct op_error *error)
{
	struct op_error cause = {0};

	if (*rest)
		return op_catalogue_text_error(text, 0, error,
					       "include: must be alone on its line");
	for (size_t i = 0; i < parser->files; i++) {
		if (!strcmp(parser->cpu_name[i], cpu_name))
			return op_catalogue_text_error(text, 0, error,
						       "include:%s: the file was included before",
						       cpu_name);
	}
	if (parser->files == OP_CATALOGUE_FILES_MAX)
		return op_catalogue_text_error(text, 0, error, "include:%s: more than %d files",
					       cpu_name, OP_CATALOGUE_FILES_MAX);
	if (!op_catalogue_parse_file(parser, cpu_name, parser->file, &cause))
		return 0;
	/* a file that is not there is an error of this line, others are of that file */
	if (cause.code == ENOENT)
		return op_catalogue_text_error(text, 0, error, "include:%s: %s", cpu_name,
					       cause.text);
	if (error)
		*error = cause;
	return -1;
}

static void forget_files(struct op_catalogue_parser *parser)
{
	for (size_t i = 0; i < parser->files; i++)
		free(parser->cpu_name[i]);
	parser->files = 0;
}

static int parse_kind(struct op_catalogue_parser *parser, const char *cpu_name, const char *file,
		      struct op_error *error)
{
	int result;

	parser->file = file;
	result = op_catalogue_parse_file(parser, cpu_name, file, error);
	forget_files(parser);
	return result;
}

static int check_used(const struct op_catalogue_parser *parser, struct op_error *error)
{
	for (size_t i = 0; i < parser->places; i++) {
		const struct op_catalogue_place *place = &parser->place[i];

		if (!place->used)
			return op_error_set(
				error, EINVAL, "%s:%u: the unit mask %s is used by no event",
				place->path, place->line, parser->catalogue->unit_mask[i]->name);
	}
	return 0;
}

int op_catalogue_parse(const char *cpu_name, const struct op_counters *counters,
		       op_catalogue_read read, void *context, struct op_catalogue *catalogue,
		       struct op_error *error)
{
	struct op_catalogue_parser parser = {
		.catalogue = catalogue,
		.read = read,
		.context = context,
	};
	int result;

	*catalogue = (struct op_catalogue){.counters = *counters};
	catalogue->cpu_name = strdup(cpu_name);
	result = catalogue->cpu_name ? 0 : op_error_memory(error);
	if (!result)
		result = parse_kind(&parser, cpu_name, OP_CATALOGUE_UNIT_MASKS, error);
	if (!result)
		result = parse_kind(&parser, cpu_name, OP_CATALOGUE_EVENTS, error);
	if (!result)
		result = check_used(&parser, error);
	for (size_t i = 0; i < parser.paths; i++)
		free(parser.path[i]);
	free(parser.place);
	if (result)
		op_catalogue_free(catalogue);
	return result;
}
