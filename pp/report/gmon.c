// SPDX-License-Identifier: GPL-2.0-or-later
/* Writes gmon.out. */
#include "gmon.h"

#include <limits.h>
#include <string.h>

/* Bytes of code of one histogram; each bin is two bytes. */
#define RANGE	  1024
#define BIN	  2
#define BINS	  (RANGE / BIN)
#define BIN_MAX	  UINT16_MAX
#define GPROF_MAX INT_MAX

enum { RECORD_HISTOGRAM, RECORD_ARC };

struct writer {
	FILE *out;
	const struct pp_machine *machine;
	uint64_t left_out;
};

static void gmon_put_number(struct writer *writer, uint64_t value, unsigned int bytes)
{
	unsigned char text[8];

	for (unsigned int i = 0; i < bytes; i++)
		text[writer->machine->big_endian ? bytes - 1 - i : i] =
			(unsigned char)(value >> (8 * i));
	fwrite(text, 1, bytes, writer->out);
}

static void put_address(struct writer *writer, uint64_t address)
{
	gmon_put_number(writer, address, writer->machine->address_bits / 8);
}

/* Writes one record of the range that begins at @low, and subtracts its counts from @bins. */
static void put_histogram(struct writer *writer, uint64_t low, uint64_t bins[BINS])
{
	static const char unit[15] = "samples";

	putc(RECORD_HISTOGRAM, writer->out);
	put_address(writer, low);
	put_address(writer, low + RANGE);
	gmon_put_number(writer, BINS, 4);
	gmon_put_number(writer, 1, 4);
	fwrite(unit, 1, sizeof(unit), writer->out);
	putc('s', writer->out);
	for (size_t i = 0; i < BINS; i++) {
		uint64_t part = bins[i] < BIN_MAX ? bins[i] : BIN_MAX;

		gmon_put_number(writer, part, BIN);
		bins[i] -= part;
	}
}

static void put_range(struct writer *writer, uint64_t low, uint64_t bins[BINS])
{
	uint64_t most = 0;

	for (size_t i = 0; i < BINS; i++) {
		if (bins[i] > GPROF_MAX) {
			writer->left_out += bins[i] - GPROF_MAX;
			bins[i] = GPROF_MAX;
		}
		most = bins[i] > most ? bins[i] : most;
	}
	for (; most; most -= most < BIN_MAX ? most : BIN_MAX)
		put_histogram(writer, low, bins);
}

static void put_arc(struct writer *writer, const struct pp_gmon_arc *arc)
{
	uint64_t count = arc->count;

	if (count > GPROF_MAX) {
		writer->left_out += count - GPROF_MAX;
		count = GPROF_MAX;
	}
	putc(RECORD_ARC, writer->out);
	put_address(writer, arc->from);
	put_address(writer, arc->to);
	gmon_put_number(writer, count, 4);
}

uint64_t pp_gmon_write(FILE *out, const struct pp_machine *machine,
		       const struct pp_gmon_count *counts, size_t n, const struct pp_gmon_arc *arcs,
		       size_t n_arcs)
{
	struct writer writer = {.out = out, .machine = machine};

	fputs("gmon", out);
	gmon_put_number(&writer, 1, 4);
	for (int i = 0; i < 3; i++)
		gmon_put_number(&writer, 0, 4);
	for (size_t i = 0; i < n;) {
		uint64_t low = counts[i].vma - counts[i].vma % RANGE, bins[BINS] = {0};

		for (; i < n && counts[i].vma - low < RANGE; i++)
			bins[(counts[i].vma - low) / BIN] += counts[i].count;
		put_range(&writer, low, bins);
	}
	for (size_t i = 0; i < n_arcs; i++)
		put_arc(&writer, &arcs[i]);
	return writer.left_out;
}
