/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All of a pprof profile (profile.proto) but its samples: the tables that samples refer to.
 * They may stand anywhere in the file, so they are read first, and the samples in a second pass.
 */
#ifndef PP_FORMATS_PPROF_TABLES_H
#define PP_FORMATS_PPROF_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/base/error.h"
#include "pp/formats/input/input.h"
#include "pp/formats/input/wire.h"

/* Numbers of fields, by message. */
enum pprof_profile_field {
	PPROF_SAMPLE_TYPE = 1,
	PPROF_SAMPLE,
	PPROF_MAPPING,
	PPROF_LOCATION,
	PPROF_FUNCTION,
	PPROF_STRING_TABLE,
	PPROF_DROP_FRAMES,
	PPROF_KEEP_FRAMES,
	PPROF_TIME_NANOS,
	PPROF_DURATION_NANOS,
	PPROF_PERIOD_TYPE,
	PPROF_PERIOD,
	PPROF_COMMENT,
	PPROF_DEFAULT_SAMPLE_TYPE,
	PPROF_DOC_URL,
	PPROF_FIELDS
};

enum pprof_value_type_field { PPROF_TYPE_TYPE = 1, PPROF_TYPE_UNIT };
enum pprof_sample_field { PPROF_SAMPLE_LOCATION = 1, PPROF_SAMPLE_VALUE, PPROF_SAMPLE_LABEL };
enum pprof_label_field {
	PPROF_LABEL_KEY = 1,
	PPROF_LABEL_TEXT,
	PPROF_LABEL_NUMBER,
	PPROF_LABEL_UNIT
};

enum pprof_mapping_field {
	PPROF_MAPPING_ID = 1,
	PPROF_MAPPING_START,
	PPROF_MAPPING_LIMIT,
	PPROF_MAPPING_OFFSET,
	PPROF_MAPPING_FILE,
	PPROF_MAPPING_BUILD_ID,
	PPROF_MAPPING_HAS_FUNCTIONS,
	PPROF_MAPPING_HAS_FILES,
	PPROF_MAPPING_HAS_LINES,
	PPROF_MAPPING_HAS_INLINES,
};

enum pprof_location_field {
	PPROF_LOCATION_ID = 1,
	PPROF_LOCATION_MAPPING,
	PPROF_LOCATION_ADDRESS,
	PPROF_LOCATION_LINE,
};

enum pprof_line_field { PPROF_LINE_FUNCTION = 1, PPROF_LINE_LINE };

enum pprof_function_field {
	PPROF_FUNCTION_ID = 1,
	PPROF_FUNCTION_NAME,
	PPROF_FUNCTION_SYSTEM_NAME,
	PPROF_FUNCTION_FILE,
	PPROF_FUNCTION_START_LINE,
};

/* Texts are numbers in the string table here: see pprof_string(). */

struct pprof_type {
	uint64_t type, unit;
};

struct pprof_mapping {
	uint64_t id, start, limit, offset, file, build_id;
	uint32_t image; /* for readers: of the sink, or 0; start and offset are its own then */
};

struct pprof_location {
	uint64_t id, mapping, address;
	uint32_t first_line, n_lines; /* in the tables' lines, innermost first */
	uint64_t offset;	      /* for readers: in the image */
	uint32_t image;		      /* likewise */
	bool is_known;		      /* likewise: the sink has its image and lines */
};

struct pprof_line {
	uint64_t function, line;
};

struct pprof_function {
	uint64_t id, name, system_name, file, start_line;
};

struct pprof_tables {
	struct pprof_type *types;
	struct pprof_mapping *mappings; /* these three: by id */
	struct pprof_location *locations;
	struct pprof_function *functions;
	struct pprof_line *lines;
	size_t *strings; /* where they begin in text */
	char *text;
	uint64_t *comments;
	size_t n_types, n_mappings, n_locations, n_functions, n_lines, n_strings, text_length,
		n_comments;
	size_t types_capacity, mappings_capacity, locations_capacity, functions_capacity,
		lines_capacity, strings_capacity, text_capacity, comments_capacity;
	struct pprof_type period_type;
	uint64_t numbers[PPROF_FIELDS]; /* of the profile, by field; texts, too */
	size_t n_samples;
	uint64_t main_mapping; /* id of the one that stands first: the program's; 0: none */
};

/**
 * pprof_tables_read - read all of a profile but its samples
 * @tables: filled in; pprof_tables_free() frees what it holds, whatever is returned
 * @input: at its beginning
 *
 * What is in the tables agrees: whatever one refers to is there, ids are not 0 and stand for one
 * thing.
 *
 * Return: 0, or -1 with @error set.
 */
int pprof_tables_read(struct pprof_tables *tables, struct input *input, struct op_error *error);
void pprof_tables_free(struct pprof_tables *tables);

/**
 * pprof_field - the next field of a profile
 * @bytes_of: texts and messages of this field only are read, others passed over (bytes is NULL
 *	then); 0: of all
 * @at: set to where the field begins
 *
 * Return: 1; 0 at the end; -1 with @error set.
 */
int pprof_field(struct input *input, unsigned int bytes_of, struct wire_field *field, uint64_t *at,
		struct op_error *error);

/* A text; NULL if the number is none. */
const char *pprof_string(const struct pprof_tables *tables, uint64_t number);

/* What has the id, or NULL. */
struct pprof_mapping *pprof_mapping(const struct pprof_tables *tables, uint64_t id);
struct pprof_location *pprof_location(const struct pprof_tables *tables, uint64_t id);
struct pprof_function *pprof_function(const struct pprof_tables *tables, uint64_t id);

#endif
