/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writing perf.data, so that perf reports and scripts it: a file, or the form for pipes if the
 * output can't be rewound.
 *
 * There is a SAMPLE for each sample that was counted: in the order of time if times are known
 * (timeline.h), else in the order of contexts and stacks, with times made up.  Programs are mapped
 * when they first occur, one address space serves all processes, and a process whose program
 * changes runs exec.
 */
#ifndef PP_FORMATS_PERF_WRITE_H
#define PP_FORMATS_PERF_WRITE_H

#include "pp/formats/model/format.h"
#include "put.h"

/* As format::write. */
int perf_write(struct prof *prof, struct output *output, struct op_error *error);

/* Paths that fit into a record; Linux has none that are longer. */
#define PERF_PATH_MOST 4096

/* What all samples have. */
struct perf_layout {
	uint64_t sample_type;
	bool has_cpu, has_chain, has_cgroup;
	uint64_t first_time, last_time; /* of the samples that will be written */
};

/* Ids of events in the file: perf takes 0 for none. */
static inline uint64_t perf_written_id(size_t event)
{
	return event + 1;
}

/* perf_event_attr of an event, PERF_ATTR_SIZE_WRITE bytes. */
void perf_put_attr(struct op_buffer *buffer, const struct prof_event *event,
		   const struct perf_layout *layout);

/* Features that are written, by bit, and their bytes; nothing if the profile doesn't know it. */
extern const unsigned int perf_written_features[];
extern const size_t perf_n_written_features;
void perf_put_feature(struct op_buffer *buffer, unsigned int bit, const struct prof *prof,
		      const struct perf_layout *layout);

/* Writes all records of the data, or only counts if @file is NULL; errors stay with @file.
 * Return: bytes of the data. */
uint64_t perf_write_data(const struct prof *prof, const struct perf_layout *layout, FILE *file);

/* Samples that will be written. */
uint64_t perf_written_samples(const struct prof *prof);

#endif
