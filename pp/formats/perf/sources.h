/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files that a recording consists of: one, or "data" and "data.0", "data.1" ... in a
 * directory, each the records of some CPUs.
 */
#ifndef PP_FORMATS_PERF_SOURCES_H
#define PP_FORMATS_PERF_SOURCES_H

#include "profile.h"
#include "stream.h"

/* More files than this are refused: each may need a megabyte. */
#define PERF_SOURCES_MOST 384

struct perf_source {
	struct perf_stream stream;
	bool is_owned; /* the input is closed with it */
	bool has_next;
	struct perf_raw next; /* the record whose turn it is, if has_next */
	uint64_t time;	      /* of it */
};

struct perf_sources {
	struct perf_source *list;
	size_t n, capacity;
};

/* Adds a file, whose input stands at the first record. */
void perf_sources_add(struct perf_sources *sources, struct input *input, bool is_owned, bool swap,
		      uint64_t end, bool was_killed);

/* Adds all files of a directory but "data".  Return: 0, or -1 with @error set. */
int perf_sources_add_directory(struct perf_sources *sources, const char *path, bool swap,
			       struct op_error *error);
void perf_sources_free(struct perf_sources *sources);

/**
 * perf_sources_read - read all records into a profile
 *
 * A file that is damaged is left where it is; the others are read to their ends.
 *
 * Return: 0, or -1 with @error set.
 */
int perf_sources_read(struct perf_sources *sources, struct perf_profile *profile,
		      struct op_error *error);

#endif
