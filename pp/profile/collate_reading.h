/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The image that is being read, for collate.c and collate_details.c only. */
#ifndef PP_PROFILE_COLLATE_READING_H
#define PP_PROFILE_COLLATE_READING_H

#include "collation.h"
#include "libop/tables/name_index.h"
#include "libop/tables/pair_table.h"
#include "pp/debug/info.h"

/* A count of one sample file, kept until all files of the application are read. */
struct hit {
	struct pp_row *row;
	uint64_t vma, count;
	unsigned int class;
};

/* Rows of source lines. */
struct pp_line_rows {
	struct op_names files;	   /* those of debug information */
	const char **kept;	   /* by number of the file: its name in the profile */
	size_t n_kept, capacity;   /* of kept */
	struct op_pair_table rows; /* by file and line, and function: the row */
	/* By inlined call and symbol: the rows of pp_collate_outer_rows(). */
	struct op_pair_table outer;
};

/* The image that is being read. */
struct reading {
	struct pp_collation *collation;
	struct pp_image *image;
	struct pp_image_content content;
	struct pp_debug_info *debug;
	uint64_t mtime;			   /* of the file, if that identifies it; else 0 */
	uint64_t old_samples;		   /* of a file with another modification time */
	const char *last_file, *kept_file; /* the file name of the last line */
	/* Of the application that is being read: */
	const struct pp_image *app;
	size_t *first_of; /* by index of the symbol: the first one of the same name; or NULL */
	struct pp_row **row_of;		/* by index of the symbol; the last one is for no symbol */
	struct pp_row **inlined_row_of; /* by name_index */
	size_t n_inlined_rows, inlined_rows_capacity;
	struct pp_line_rows line_rows;
	size_t first_row;
	struct hit *hits;
	size_t n_hits, hits_capacity;
};

void pp_collate_finish_details(struct reading *reading);
void pp_collate_find_all_callers(struct reading *reading);
void pp_collate_find_lines(struct reading *reading);
const char *pp_collate_keep_name(struct reading *reading, const char *shown, bool is_inlined);
const struct pp_inlined *pp_collate_inlined_at(struct reading *reading, uint64_t vma);
struct pp_row *pp_collate_add_symbol_row(struct reading *reading, size_t symbol);
struct pp_row *pp_collate_add_inlined_row(struct reading *reading, const char *name);

/* The row of the line at an address in @symbol, or of the symbol if no line is known. */
struct pp_row *pp_collate_line_row(struct reading *reading, uint64_t vma, size_t symbol);

/* The rows of the lines that call the inlined functions at @vma, each once; NULL ends them.  The
 * row of the line at @vma may be one of them.  NULL: there are none. */
struct pp_row **pp_collate_outer_rows(struct reading *reading, uint64_t vma, size_t symbol);
void pp_collate_line_rows_clear(struct pp_line_rows *lines); /* of the application */
void pp_collate_line_rows_free(struct pp_line_rows *lines);

#endif
