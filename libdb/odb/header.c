// SPDX-License-Identifier: GPL-2.0-or-later
#include "header.h"

#include <byteswap.h>
#include <math.h>
#include <inttypes.h>
#include <string.h>

#include "libop/base/array.h"
#include "error.h"

/* Offsets that all headers share. */
enum {
	MAGIC = 0,
	VERSION = 4,
	CPU_TYPE = 8,
	CTR_EVENT = 12,
	CTR_UM = 16,
	CTR_COUNT = 20,
	IS_KERNEL = 24,
	EMBEDDED_OFFSET = 56, /* of 0x12 on x86-64 only */
};

/*
 * 0x11 has a time_t as mtime, 0x12 a 64-bit number.  0x13 is without two fields of the Cell
 * processor and a reserved one.  "x86-64" aligns 64-bit fields to 8 bytes, "i386" to 4.
 */
/* clang-format off */
static const struct odb_layout layouts[] = {
	/*		   length speed mtime width cg_kernel anon cg_anon */
	{ 0x13, "x86-64",  72,    32,   40,   8,    48,       56,  64 },
	{ 0x13, "i386",    64,    28,   36,   8,    44,       48,  56 },
	{ 0x12, "x86-64",  88,    32,   40,   8,    48,       64,  72 },
	{ 0x12, "i386",    80,    28,   36,   8,    44,       60,  68 },
	{ 0x11, "x86-64",  88,    32,   40,   8,    48,       64,  72 },
	{ 0x11, "i386",    76,    28,   36,   4,    40,       56,  64 },
};
/* clang-format on */

#define LAYOUTS OP_ARRAY_SIZE(layouts)

const struct odb_layout *const odb_layout_written = &layouts[0];

const struct odb_layout *odb_layout_of(uint32_t version)
{
	for (size_t i = 0; i < LAYOUTS; i++)
		if (layouts[i].version == version)
			return &layouts[i];
	return NULL;
}

uint32_t odb_get32(const uint8_t *bytes, bool swapped)
{
	uint32_t value;

	memcpy(&value, bytes, sizeof(value));
	return swapped ? bswap_32(value) : value;
}

uint64_t odb_get64(const uint8_t *bytes, bool swapped)
{
	uint64_t value;

	memcpy(&value, bytes, sizeof(value));
	return swapped ? bswap_64(value) : value;
}

void odb_put32(uint8_t *bytes, bool swapped, uint32_t value)
{
	if (swapped)
		value = bswap_32(value);
	memcpy(bytes, &value, sizeof(value));
}

void odb_put64(uint8_t *bytes, bool swapped, uint64_t value)
{
	if (swapped)
		value = bswap_64(value);
	memcpy(bytes, &value, sizeof(value));
}

bool odb_is_blank(const uint8_t head[static ODB_HEAD_MAX], uint64_t length)
{
	static const uint8_t zeros[ODB_HEAD_MAX];

	return !length || (length >= ODB_HEAD_MAX && !memcmp(head, zeros, sizeof(zeros)));
}

static bool is_version(uint32_t version)
{
	return version >= 0x11 && version <= ODB_VERSION;
}

static int probe_version(const uint8_t *head, uint64_t length, uint32_t *version, bool *swapped,
			 struct odb_problem *problem)
{
	if (length < VERSION + 4) {
		odb_problem_set(problem, length, "the file ends before its version");
		return -1;
	}
	if (memcmp(head + MAGIC, ODB_MAGIC, 4)) {
		odb_problem_set(problem, MAGIC,
				"no sample file: it does not begin with \"DAE\\n\"");
		return -1;
	}
	for (int order = 0; order < 2; order++) {
		*swapped = order;
		*version = odb_get32(head + VERSION, *swapped);
		if (is_version(*version))
			return 0;
	}
	odb_problem_set(problem, VERSION,
			"version 0x%" PRIx32 " is unknown; 0x11, 0x12 and 0x13 are known",
			odb_get32(head + VERSION, false));
	return -1;
}

/* The size of which @length is the length, or 0. */
static uint32_t size_of_length(const struct odb_layout *layout, uint64_t length)
{
	uint64_t fixed = odb_nodes_offset(layout);
	uint64_t size =
		length < fixed ? 0 : (length - fixed) / (ODB_NODE_LENGTH + ODB_BUCKET_LENGTH);

	if (size > ODB_SIZE_MAX || !odb_is_size(size) || odb_file_length(layout, size) != length)
		return 0;
	return size;
}

/* Points for each sign that a file has @layout. */
static int likelihood(const struct odb_layout *layout, const uint8_t *head, uint64_t length,
		      bool swapped)
{
	const uint8_t *descr = head + layout->length;
	uint32_t size, current_size;
	int points = 0;

	if (length < odb_nodes_offset(layout))
		return 0;
	size = odb_get32(descr, swapped);
	current_size = odb_get32(descr + 4, swapped);
	if (odb_is_size(size)) {
		if (length == odb_file_length(layout, size))
			points += 16;
		else if (size_of_length(layout, length) > size)
			points += 8;
		if (current_size && current_size <= size)
			points += 2;
	}
	if (size_of_length(layout, length))
		points += 4;
	return points;
}

const struct odb_layout *odb_guess(const uint8_t *head, uint64_t length, bool *swapped,
				   struct odb_problem *problem)
{
	const struct odb_layout *best = NULL, *usual = NULL;
	uint32_t version;
	int best_points = 0;

	if (probe_version(head, length, &version, swapped, problem))
		return NULL;
	for (size_t i = 0; i < LAYOUTS; i++) {
		int points;

		if (layouts[i].version != version)
			continue;
		if (!usual)
			usual = &layouts[i];
		points = likelihood(&layouts[i], head, length, *swapped);
		if (points > best_points) {
			best_points = points;
			best = &layouts[i];
		}
	}
	if (best)
		return best;
	if (length < odb_nodes_offset(usual))
		odb_problem_set(problem, length, "the file ends before its nodes");
	else
		odb_problem_set(problem, usual->length,
				"size %" PRIu32 ", current_size %" PRIu32 " and the length %" PRIu64
				" contradict each other",
				odb_get32(head + usual->length, *swapped),
				odb_get32(head + usual->length + 4, *swapped), length);
	return NULL;
}

int odb_probe(const uint8_t *head, uint64_t length, struct odb_shape *shape,
	      struct odb_problem *problem)
{
	const struct odb_layout *layout;
	uint32_t size, current_size, of_length;
	uint64_t at;
	bool swapped;

	layout = odb_guess(head, length, &swapped, problem);
	if (!layout)
		return -1;
	at = layout->length;
	size = odb_get32(head + at, swapped);
	current_size = odb_get32(head + at + 4, swapped);
	if (!odb_is_size(size)) {
		odb_problem_set(problem, at, "size %" PRIu32 " is no power of two up to %" PRIu32,
				size, (uint32_t)ODB_SIZE_MAX);
		return -1;
	}
	of_length = size_of_length(layout, length);
	if (of_length < size && of_length < ODB_FIRST_SIZE) {
		odb_problem_set(problem, at,
				"size %" PRIu32 " makes %" PRIu64
				" bytes, but the file has %" PRIu64,
				size, odb_file_length(layout, size), length);
		return -1;
	}
	if (!current_size || current_size > size) {
		odb_problem_set(problem, at + 4,
				"current_size %" PRIu32
				" is not between 1 and size, which is %" PRIu32,
				current_size, size);
		return -1;
	}
	shape->layout = layout;
	shape->swapped = swapped;
	shape->length = length;
	shape->growing = of_length > size;
	shape->cut = of_length < size;
	shape->size = shape->cut ? of_length : size;
	shape->current_size = current_size < shape->size ? current_size : shape->size;
	return 0;
}

static double decode_speed(uint64_t bits, uint32_t version)
{
	double speed;

	memcpy(&speed, &bits, sizeof(speed));
	if (!isfinite(speed) || speed < 0)
		return 0;
	/* 0.9.9 took a number of kHz for one of MHz; no CPU has 100 GHz, none has 100 kHz. */
	if (version < 0x13 && speed >= 100000)
		speed /= 1000;
	return speed;
}

void odb_header_decode(const uint8_t *head, const struct odb_shape *shape,
		       struct odb_header *header)
{
	const struct odb_layout *layout = shape->layout;
	bool swapped = shape->swapped;

	*header = (struct odb_header){
		.version = layout->version,
		.cpu_type = odb_get32(head + CPU_TYPE, swapped),
		.ctr_event = odb_get32(head + CTR_EVENT, swapped),
		.ctr_um = odb_get32(head + CTR_UM, swapped),
		.ctr_count = odb_get32(head + CTR_COUNT, swapped),
		.is_kernel = odb_get32(head + IS_KERNEL, swapped),
		.cpu_speed =
			decode_speed(odb_get64(head + layout->cpu_speed, swapped), layout->version),
		.mtime = layout->mtime_width == 4 ? odb_get32(head + layout->mtime, swapped)
						  : odb_get64(head + layout->mtime, swapped),
		.cg_to_is_kernel = odb_get32(head + layout->cg_to_is_kernel, swapped),
		.anon_start = odb_get64(head + layout->anon_start, swapped),
		.cg_to_anon_start = odb_get64(head + layout->cg_to_anon_start, swapped),
	};
}

void odb_header_encode(const struct odb_layout *layout, const struct odb_header *header,
		       uint8_t head[static ODB_HEAD_MAX])
{
	uint64_t speed;

	memset(head, 0, ODB_HEAD_MAX);
	memcpy(head + MAGIC, ODB_MAGIC, 4);
	odb_put32(head + VERSION, false, layout->version);
	odb_put32(head + CPU_TYPE, false, header->cpu_type);
	odb_put32(head + CTR_EVENT, false, header->ctr_event);
	odb_put32(head + CTR_UM, false, header->ctr_um);
	odb_put32(head + CTR_COUNT, false, header->ctr_count);
	odb_put32(head + IS_KERNEL, false, header->is_kernel);
	memcpy(&speed, &header->cpu_speed, sizeof(speed));
	odb_put64(head + layout->cpu_speed, false, speed);
	odb_put64(head + layout->mtime, false, header->mtime);
	odb_put32(head + layout->cg_to_is_kernel, false, header->cg_to_is_kernel);
	odb_put64(head + layout->anon_start, false, header->anon_start);
	odb_put64(head + layout->cg_to_anon_start, false, header->cg_to_anon_start);
	if (layout->version == 0x12)
		odb_put64(head + EMBEDDED_OFFSET, false, UINT64_MAX); /* no Cell program */
	odb_put32(head + layout->length, false, ODB_FIRST_SIZE);
	odb_put32(head + layout->length + 4, false, 1);
}
