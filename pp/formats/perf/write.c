// SPDX-License-Identifier: GPL-2.0-or-later
/* See write.h. */
#include "pp/formats/model/labels.h"
#include "write.h"

#include <errno.h>

#include "libop/base/error.h"
#include "libop/base/memory.h"
#include "libop/perf/attr.h"
#include "libop/perf/sample.h"
#include "pp/formats/model/timeline.h"

#define HEADER_BYTES	  104
#define HEADER_BYTES_PIPE 16
#define MAGIC		  "PERFILE2"

/* A recording of which no times are known begins after a second, and has a sample each µs. */
#define TIME_UNKNOWN UINT64_C(1000000000)
#define TIME_STEP    UINT64_C(1000)

static void choose_layout(const struct prof *prof, struct perf_layout *layout)
{
	struct prof_cursor cursor = {0};
	struct prof_sample sample;

	*layout = (struct perf_layout){0};
	while (prof_next(prof, &cursor, &sample)) {
		layout->has_cpu |= sample.cpu != PROF_ANY;
		layout->has_chain |= sample.depth > 1;
		layout->has_cgroup |= prof_label_named(prof, &sample, PROF_LABEL_CGROUP) != NULL;
	}
	prof_cursor_free(&cursor);
	layout->sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			      PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD;
	if (layout->has_cpu)
		layout->sample_type |= PERF_SAMPLE_CPU;
	if (layout->has_chain)
		layout->sample_type |= PERF_SAMPLE_CALLCHAIN;
	if (layout->has_cgroup)
		layout->sample_type |= PERF_SAMPLE_CGROUP;
	layout->first_time = prof->first_time ? prof->first_time : TIME_UNKNOWN;
	layout->last_time = prof->last_time > layout->first_time
				    ? prof->last_time
				    : layout->first_time + perf_written_samples(prof) * TIME_STEP;
}

static void flush(struct op_buffer *buffer, FILE *file)
{
	op_buffer_check(buffer);
	fwrite(buffer->bytes, 1, buffer->used, file);
	buffer->used = 0;
}

/* ---- pipes ---- */

static void put_attr_record(struct op_buffer *buffer, const struct prof *prof, size_t event,
			    const struct perf_layout *layout)
{
	size_t begin = perf_begin_record(buffer, PERF_TYPE_ATTR, 0);

	perf_put_attr(buffer, &prof->events[event], layout);
	op_buffer_u64(buffer, perf_written_id(event));
	perf_end_record(buffer, begin);
}

static void put_name_record(struct op_buffer *buffer, const struct prof *prof, size_t event)
{
	enum { NAME = 2 };
	size_t begin = perf_begin_record(buffer, PERF_TYPE_EVENT_UPDATE, 0);

	op_buffer_u64(buffer, NAME);
	op_buffer_u64(buffer, perf_written_id(event));
	perf_put_text(buffer, prof->events[event].name, 8);
	perf_end_record(buffer, begin);
}

static void put_feature_record(struct op_buffer *buffer, unsigned int bit, const struct prof *prof,
			       const struct perf_layout *layout)
{
	size_t begin = perf_begin_record(buffer, PERF_TYPE_FEATURE, 0), empty;

	op_buffer_u64(buffer, bit);
	empty = buffer->used;
	perf_put_feature(buffer, bit, prof, layout);
	op_buffer_zeros(buffer, -buffer->used % 8);
	/* What is not known, and what is too long for a record, is left out. */
	if (buffer->used == empty || buffer->used - begin > PERF_RECORD_MOST)
		buffer->used = begin;
	else
		perf_end_record(buffer, begin);
}

/* Build-ids stand in the mappings; as a feature, perf does not want them in a pipe. */
static bool belongs_in_pipe(unsigned int bit)
{
	return bit != PERF_FEATURE_BUILD_ID && bit != PERF_FEATURE_SAMPLE_TIME;
}

static void write_pipe(const struct prof *prof, const struct perf_layout *layout, FILE *file)
{
	struct op_buffer buffer = {0};

	op_buffer_put(&buffer, MAGIC, 8);
	op_buffer_u64(&buffer, HEADER_BYTES_PIPE);
	for (size_t i = 0; i < prof->n_events; i++)
		put_attr_record(&buffer, prof, i, layout);
	for (size_t i = 0; i < perf_n_written_features; i++)
		if (belongs_in_pipe(perf_written_features[i]))
			put_feature_record(&buffer, perf_written_features[i], prof, layout);
	for (size_t i = 0; i < prof->n_events; i++)
		put_name_record(&buffer, prof, i);
	flush(&buffer, file);
	perf_write_data(prof, layout, file);
	op_buffer_free(&buffer);
}

/* ---- files ---- */

static void put_section(struct op_buffer *buffer, uint64_t offset, uint64_t size)
{
	op_buffer_u64(buffer, offset);
	op_buffer_u64(buffer, size);
}

/* Attrs, each with the place of its id, and the ids behind them. */
static void put_attrs(struct op_buffer *buffer, const struct prof *prof,
		      const struct perf_layout *layout)
{
	uint64_t ids = HEADER_BYTES + prof->n_events * (PERF_ATTR_SIZE_WRITE + 16);

	for (size_t i = 0; i < prof->n_events; i++) {
		perf_put_attr(buffer, &prof->events[i], layout);
		put_section(buffer, ids + 8 * i, 8);
	}
	for (size_t i = 0; i < prof->n_events; i++)
		op_buffer_u64(buffer, perf_written_id(i));
}

/* The table of features and, from offset @table + its size on, the features. */
static void put_features(struct op_buffer *buffer, uint64_t table, const struct prof *prof,
			 const struct perf_layout *layout, uint64_t bits[4])
{
	struct op_buffer features = {0};
	size_t n = 0, ends[PERF_FEATURES];

	for (size_t i = 0; i < perf_n_written_features; i++) {
		unsigned int bit = perf_written_features[i];
		size_t begin = features.used;

		perf_put_feature(&features, bit, prof, layout);
		if (features.used == begin)
			continue;
		ends[n++] = features.used;
		bits[bit / 64] |= UINT64_C(1) << bit % 64;
	}
	for (size_t i = 0; i < n; i++) {
		size_t begin = i ? ends[i - 1] : 0;

		put_section(buffer, table + 16 * n + begin, ends[i] - begin);
	}
	op_buffer_check(&features);
	op_buffer_put(buffer, features.bytes, features.used);
	op_buffer_free(&features);
}

static void put_header(struct op_buffer *buffer, const struct prof *prof, uint64_t data,
		       uint64_t data_end, const uint64_t bits[4])
{
	uint64_t entry = PERF_ATTR_SIZE_WRITE + 16;

	op_buffer_put(buffer, MAGIC, 8);
	op_buffer_u64(buffer, HEADER_BYTES);
	op_buffer_u64(buffer, entry);
	put_section(buffer, HEADER_BYTES, entry * prof->n_events);
	put_section(buffer, data, data_end - data);
	put_section(buffer, 0, 0);
	for (size_t i = 0; i < 4; i++)
		op_buffer_u64(buffer, bits[i]);
}

/* How long the data are is found by making them twice: not every output can be rewound. */
static void write_file(const struct prof *prof, const struct perf_layout *layout, FILE *file)
{
	struct op_buffer attrs = {0}, features = {0}, header = {0};
	uint64_t bits[4] = {0}, data, end;

	put_attrs(&attrs, prof, layout);
	data = HEADER_BYTES + attrs.used;
	end = data + perf_write_data(prof, layout, NULL);
	put_features(&features, end, prof, layout, bits);
	put_header(&header, prof, data, end, bits);
	flush(&header, file);
	flush(&attrs, file);
	perf_write_data(prof, layout, file);
	flush(&features, file);
	op_buffer_free(&attrs);
	op_buffer_free(&features);
	op_buffer_free(&header);
}

int perf_write(struct prof *prof, struct output *output, struct op_error *error)
{
	bool is_pipe = ftello(output->file) < 0;
	struct perf_layout layout;

	if (!prof->n_events)
		return op_error_set(error, EINVAL, "%s: there is no event to write", output->path);
	prof_layout(prof);
	prof_sort_moments(prof, PROF_IN_TIME);
	choose_layout(prof, &layout);
	if (is_pipe)
		write_pipe(prof, &layout, output->file);
	else
		write_file(prof, &layout, output->file);
	return 0;
}
