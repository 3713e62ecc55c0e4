// SPDX-License-Identifier: GPL-2.0-or-later
/* The header of what is written: attrs and features.  See write.h. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "pp/formats/model/mapped_image.h"
#include "libop/perf/attr.h"
#include "image.h"
#include "write.h"
#include "libop/base/array.h"
#include "libop/base/memory.h"

/* Bit-fields of perf_event_attr, beyond those that a reader looks at. */
enum {
	FLAG_INHERIT = 1,
	FLAG_MMAP = 8,
	FLAG_COMM = 9,
	FLAG_TASK = 13,
	FLAG_MMAP2 = 23,
	FLAG_COMM_EXEC = 24,
	FLAG_KSYMBOL = 29,
};

#define BIT(n) (UINT64_C(1) << (n))

static const uint64_t common_flags = BIT(FLAG_INHERIT) | BIT(FLAG_MMAP) | BIT(FLAG_COMM) |
				     BIT(FLAG_TASK) | BIT(FLAG_MMAP2) | BIT(FLAG_COMM_EXEC) |
				     BIT(FLAG_KSYMBOL) | BIT(PERF_FLAG_BUILD_ID) |
				     BIT(PERF_FLAG_SAMPLE_ID_ALL);

/* The type and the code of an event for perf: those of OProfile are what it calls raw, and it
 * wants to know the format of tracepoints. */
static uint32_t type_of(const struct prof_event *event, uint64_t *config)
{
	*config = event->code;
	if (event->type != PROF_NO_TYPE && event->type != PERF_TYPE_TRACEPOINT)
		return event->type;
	if (event->unit && !strcmp(event->unit, "nanoseconds")) {
		*config = PERF_COUNT_SW_CPU_CLOCK;
		return PERF_TYPE_SOFTWARE;
	}
	if (event->type == PROF_NO_TYPE)
		*config |= event->unit_mask << 8;
	return PERF_TYPE_RAW;
}

void perf_put_attr(struct op_buffer *buffer, const struct prof_event *event,
		   const struct perf_layout *layout)
{
	uint64_t config;
	uint32_t type = type_of(event, &config);

	op_buffer_u32(buffer, type);
	op_buffer_u32(buffer, PERF_ATTR_SIZE_WRITE);
	op_buffer_u64(buffer, config);
	op_buffer_u64(buffer, event->frequency ? event->frequency : event->period);
	op_buffer_u64(buffer, layout->sample_type);
	op_buffer_u64(buffer, PERF_FORMAT_ID);
	op_buffer_u64(buffer, common_flags | (event->frequency ? BIT(PERF_FLAG_FREQ) : 0));
	op_buffer_zeros(buffer, PERF_ATTR_SIZE_WRITE - 48);
}

/* ---- features ---- */

static void write_head_put_text(struct op_buffer *buffer, const char *text)
{
	if (text)
		perf_put_string(buffer, text);
}

/* What recorded it, if that was perf: its version only. */
static void put_version(struct op_buffer *buffer, const char *tool)
{
	perf_put_string(buffer, !tool ? OP_VERSION : !strncmp(tool, "perf ", 5) ? tool + 5 : tool);
}

static void put_command_line(struct op_buffer *buffer, const char *line)
{
	char *words, *word, *rest;
	size_t at = buffer->used;
	uint32_t n = 0;

	if (!line)
		return;
	words = op_copy(line);
	op_buffer_u32(buffer, 0);
	for (word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		perf_put_string(buffer, word);
		n++;
	}
	free(words);
	op_buffer_set(buffer, at, n, 4);
}

static void put_events(struct op_buffer *buffer, const struct prof *prof,
		       const struct perf_layout *layout)
{
	op_buffer_u32(buffer, (uint32_t)prof->n_events);
	op_buffer_u32(buffer, PERF_ATTR_SIZE_WRITE);
	for (size_t i = 0; i < prof->n_events; i++) {
		perf_put_attr(buffer, &prof->events[i], layout);
		op_buffer_u32(buffer, 1);
		perf_put_string(buffer, prof->events[i].name);
		op_buffer_u64(buffer, perf_written_id(i));
	}
}

/* More than any CPU number of a sample: hotspot has an array of so many. */
static uint64_t cpus_of_samples(const struct prof *prof)
{
	struct prof_cursor cursor = {0};
	struct prof_sample sample;
	uint64_t n = 1;

	while (prof_next_values(prof, &cursor, &sample))
		if (sample.cpu != PROF_ANY && (uint64_t)sample.cpu >= n)
			n = (uint64_t)sample.cpu + 1;
	prof_cursor_free(&cursor);
	return n;
}

/* Readers rely on it, known or not. */
static void put_cpus(struct op_buffer *buffer, const struct prof *prof)
{
	const struct prof_host *host = &prof->host;
	uint64_t available = cpus_of_samples(prof), online = host->cpus_online;

	if (host->cpus_available > available)
		available = host->cpus_available;
	if (online > available)
		available = online;
	op_buffer_u32(buffer, (uint32_t)available);
	op_buffer_u32(buffer, (uint32_t)(online ? online : available));
}

static void put_build_ids(struct op_buffer *buffer, const struct prof *prof)
{
	enum { SIZE_IS_VALID = 1 << 15 };

	for (size_t i = PROF_NO_KERNEL_IMAGE + 1; i < prof->n_images; i++) {
		const struct prof_image *image = &prof->images[i];
		size_t begin;
		struct mapping mapping;

		if (!image->build_id_length)
			continue;
		begin = perf_begin_record(
			buffer, 0,
			SIZE_IS_VALID | (image->is_kernel ? PERF_MODE_KERNEL : PERF_MODE_USER));
		op_buffer_u32(buffer, UINT32_MAX); /* of all processes */
		op_buffer_put(buffer, image->build_id, PROF_BUILD_ID_MOST);
		op_buffer_u32(buffer, image->build_id_length);
		mapping = mapping_of(image);
		mapping.name[strnlen(mapping.name, PERF_PATH_MOST)] = 0;
		perf_put_text(buffer, image->kind == PROF_KERNEL ? PERF_KERNEL_NAME : mapping.name,
			      8);
		free(mapping.name);
		perf_end_record(buffer, begin);
	}
}

const unsigned int perf_written_features[] = {
	PERF_FEATURE_BUILD_ID, PERF_FEATURE_HOSTNAME,	PERF_FEATURE_OSRELEASE,
	PERF_FEATURE_VERSION,  PERF_FEATURE_ARCH,	PERF_FEATURE_NRCPUS,
	PERF_FEATURE_CPUDESC,  PERF_FEATURE_CPUID,	PERF_FEATURE_TOTAL_MEM,
	PERF_FEATURE_CMDLINE,  PERF_FEATURE_EVENT_DESC, PERF_FEATURE_SAMPLE_TIME,
};
const size_t perf_n_written_features = OP_ARRAY_SIZE(perf_written_features);

void perf_put_feature(struct op_buffer *buffer, unsigned int bit, const struct prof *prof,
		      const struct perf_layout *layout)
{
	const struct prof_host *host = &prof->host;

	switch (bit) {
	case PERF_FEATURE_BUILD_ID:
		put_build_ids(buffer, prof);
		break;
	case PERF_FEATURE_HOSTNAME:
		write_head_put_text(buffer, host->hostname);
		break;
	case PERF_FEATURE_OSRELEASE:
		write_head_put_text(buffer, host->os_release);
		break;
	case PERF_FEATURE_VERSION:
		put_version(buffer, host->tool);
		break;
	case PERF_FEATURE_ARCH:
		write_head_put_text(buffer, host->arch);
		break;
	case PERF_FEATURE_NRCPUS:
		put_cpus(buffer, prof);
		break;
	case PERF_FEATURE_CPUDESC:
		write_head_put_text(buffer, host->cpu_description);
		break;
	case PERF_FEATURE_CPUID:
		write_head_put_text(buffer, host->cpu_id);
		break;
	case PERF_FEATURE_TOTAL_MEM:
		if (host->memory)
			op_buffer_u64(buffer, host->memory / 1024);
		break;
	case PERF_FEATURE_CMDLINE:
		put_command_line(buffer, host->command_line);
		break;
	case PERF_FEATURE_EVENT_DESC:
		put_events(buffer, prof, layout);
		break;
	case PERF_FEATURE_SAMPLE_TIME:
		op_buffer_u64(buffer, layout->first_time);
		op_buffer_u64(buffer, layout->last_time);
		break;
	}
}
