/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inner parts of reading a text catalogue: catalogue_parse.c reads files, catalogue_masks.c
 * those of unit masks and catalogue_events.c those of events.
 */
#ifndef LIBOP_EVENTS_CATALOGUE_PARSE_H
#define LIBOP_EVENTS_CATALOGUE_PARSE_H

#include "catalogue.h"
#include "catalogue_text.h"

#define OP_CATALOGUE_EVENTS	"events"
#define OP_CATALOGUE_UNIT_MASKS "unit_masks"

/* How deep files may include files; also the most files that one catalogue has. */
#define OP_CATALOGUE_FILES_MAX 16

/* Where a unit mask was defined. */
struct op_catalogue_place {
	const char *path; /* of @paths below */
	unsigned int line;
	bool used;
};

struct op_catalogue_parser {
	struct op_catalogue *catalogue;
	op_catalogue_read read;
	void *context;
	struct op_catalogue_place *place; /* of each unit mask that is defined in a file */
	size_t places;
	/* the files of one kind read so far, with those that are including */
	const char *file;
	char *cpu_name[OP_CATALOGUE_FILES_MAX];
	size_t files;
	char *path[2 * OP_CATALOGUE_FILES_MAX]; /* of all files: places point here */
	size_t paths;
};

/* Reads the rest of a line that begins with "include:" and the file it names. */
int op_catalogue_parse_include(struct op_catalogue_parser *parser, struct op_catalogue_text *text,
			       const char *cpu_name, const char *rest, struct op_error *error);

/* Read the lines of a file. */
int op_catalogue_parse_masks(struct op_catalogue_parser *parser, struct op_catalogue_text *text,
			     struct op_error *error);
int op_catalogue_parse_events(struct op_catalogue_parser *parser, struct op_catalogue_text *text,
			      struct op_error *error);

/* The index of the mask defined in a file, or -1. */
int op_catalogue_parse_find_mask(const struct op_catalogue_parser *parser, const char *name);

#endif
