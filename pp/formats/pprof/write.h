/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pprof profile that is being written, for write.c and write_tables.c only. */
#ifndef PP_FORMATS_PPROF_WRITE_H
#define PP_FORMATS_PPROF_WRITE_H

#include <zlib.h>
#include "libop/base/buffer.h"
#include "libop/base/hash.h"
#include "pprof.h"
#include "tables.h"

#define FLUSH_BYTES (64u << 10)
#define ITEM_BYTES  64	      /* numbers of a message, its length, and that of a text, are less */
#define HEAD_BYTES  6  /* of a message or a text in another message, at most */
#define GZIP	    (15 + 16) /* zlib: the largest window, and gzip's header and end */

struct function {
	uint64_t name, system_name, file; /* numbers of strings */
	int64_t start_line;
};

struct writer {
	struct prof *prof;
	struct output *output;
	z_stream stream;
	unsigned char *packed;
	struct op_buffer out, message, part; /* part: of the message */
	uint64_t bytes; /* of what is written and of what it refers to, at most, not packed */
	char **strings;
	size_t n_strings, strings_capacity;
	struct op_hash by_string;
	struct function *functions; /* id - 1 */
	size_t n_functions, functions_capacity;
	struct op_hash by_function;
	struct prof_frame *locations; /* id - 1; places to look up */
	size_t n_locations, locations_capacity;
	struct op_hash by_location;
	uint32_t app;	    /* the file of the program with the most samples; 0: there is none */
	bool has_files;	    /* among the images */
	uint64_t *mappings; /* ids by image; 0: it has none */
	bool *has_functions, *has_lines; /* by image */
	uint64_t n_mappings;
	/* By event: the names of its columns; samples is NULL if it has none. */
	struct {
		char *samples, *events;
	} * columns;
	uint32_t *opposites; /* of prof_opposites() */
	size_t n_columns;    /* events that have some */
};

void pprof_write_pack(struct writer *writer, int flush);

/* Ends a message of the profile. */
void pprof_write_put_message(struct writer *writer, enum pprof_profile_field field);
uint64_t pprof_write_string(struct writer *writer, const char *text);

/* The id of the mapping of an image; 0: it has none. */
uint64_t pprof_write_mapping(struct writer *writer, uint32_t image);

/* The id of a place. */
uint64_t pprof_write_location(struct writer *writer, const struct prof_frame *place);

/* The id of a new place: BOUNDED_LEFT_OUT of an image. */
uint64_t pprof_write_left_out(struct writer *writer, uint32_t image);
void pprof_write_put_functions(struct writer *writer);
void pprof_write_put_mappings(struct writer *writer);

#endif
