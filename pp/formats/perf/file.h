/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The container of a recording: the header of perf.data, the attrs it points to and the features
 * behind the data.  A pipe has a short header only, and all else in records.
 */
#ifndef PP_FORMATS_PERF_FILE_H
#define PP_FORMATS_PERF_FILE_H

#include "pp/formats/input/input.h"
#include "events.h"
#include "feature.h"

struct perf_section {
	uint64_t offset, size;
};

struct perf_file {
	bool swap;
	bool is_pipe;
	bool is_first_version; /* "PERFFILE", before Linux 3.0 */
	bool was_killed;       /* the recorder did not finish: where the data end is not known */
	uint64_t entry_size;   /* of one entry of attrs */
	struct perf_section attrs, data;
	uint64_t features[PERF_FEATURES / 64];
};

#define PERF_MAGIC_SIZE 8

/* Whether bytes are the start of a recording. */
bool perf_file_probe(const uint8_t *bytes, size_t n);

/**
 * perf_file_read - read the header
 *
 * Afterwards the input stands at the first record if it is a pipe's, else anywhere, and it is
 * input_seekable().
 *
 * Return: 0, or -1 with @error set.
 */
int perf_file_read(struct perf_file *file, struct input *input, struct op_error *error);

/* Reads the attrs and the ids.  Return: 0, or -1 with @error set. */
int perf_file_attrs(const struct perf_file *file, struct input *input, struct perf_events *events,
		    struct op_error *error);

/**
 * perf_file_features - read the features
 *
 * One that is damaged is noted and passed over: nothing depends on it.
 *
 * Return: 0, or -1 with @error set: the input can't be read.
 */
int perf_file_features(const struct perf_file *file, struct input *input,
		       struct perf_features *features, struct op_error *error);

#endif
