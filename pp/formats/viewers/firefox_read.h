/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading profiles of the Firefox Profiler, for firefox.c, firefox_read.c and firefox_thread.c. */
#ifndef PP_FORMATS_VIEWERS_FIREFOX_READ_H
#define PP_FORMATS_VIEWERS_FIREFOX_READ_H

#include "pp/formats/model/format.h"
#include "pp/formats/model/named_places.h"

#define FIREFOX_NONE UINT32_MAX /* null */

/* Columns of tables, which refer to each other by index. */
enum firefox_column {
	FUNCTION_NAME,
	FUNCTION_FILE,
	FUNCTION_LINE,
	FUNCTION_RESOURCE,
	RESOURCE_LIB,
	RESOURCE_NAME,
	FRAME_FUNCTION,
	FRAME_LINE,
	STACK_PREFIX,
	STACK_FRAME,
	SAMPLE_STACK,
	FIREFOX_COLUMNS
};

struct firefox_numbers {
	uint32_t *items;
	size_t n, capacity;
};

/* The tables of a thread, or those that all threads share. */
struct firefox_tables {
	struct firefox_numbers columns[FIREFOX_COLUMNS];
	char **strings;
	size_t n_strings, strings_capacity;
	double *weights, *times; /* of samples; ms */
	size_t n_weights, weights_capacity, n_times, times_capacity;
	bool are_deltas; /* the times */
	char *weight_type;
};

struct firefox_thread {
	struct firefox_tables tables;
	char *name, *process;
	int64_t pid, tid;
};

struct firefox_reading {
	struct prof_sink *sink;
	struct named_places *places;
	uint32_t image; /* of what is in none */
	bool is_ours;
	uint64_t own_events; /* of ours: how many; 0: not known */
	double start; /* ms since 1970 */
	char **libs; /* paths */
	size_t n_libs, libs_capacity;
	struct firefox_tables shared;
	struct firefox_thread thread;
	struct prof_frame *frames;
	uint64_t negative, broken, cut; /* samples, samples, stacks */
};

/* Pushes the samples of the thread.  Return: 0, or -1 with @error set: the sink's. */
int firefox_push_thread(struct firefox_reading *reading, struct op_error *error);

void firefox_tables_clear(struct firefox_tables *tables);

int firefox_probe(const uint8_t *bytes, size_t n);
int firefox_read(struct input *input, struct prof_sink *sink, struct op_error *error);

#endif
