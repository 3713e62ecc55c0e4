/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that gprof reads: gmon.out, version 1.
 *
 *	"gmon" | version (4) | zeros (12), then records, each after a byte for its kind:
 *	0, a histogram: low and high address, number of bins (4), rate (4), unit (15) and its
 *	   abbreviation (1), bins (2 each)
 *	1, an arc: address in the caller, address in the callee, count (4)
 *
 * Addresses and byte order are those of the image.
 */
#ifndef PP_REPORT_GMON_H
#define PP_REPORT_GMON_H

#include <stdint.h>
#include <stdio.h>

#include "pp/symbols/symbols.h"

struct pp_gmon_count {
	uint64_t vma, count;
};

struct pp_gmon_arc {
	uint64_t from, to; /* addresses in the caller and in the callee */
	uint64_t count;
};

/**
 * pp_gmon_write - write a gmon.out file
 * @machine: of the image
 * @counts: by vma
 * @arcs: in any order
 *
 * A bin holds at most 65535.  gprof adds up records of one range, so that larger counts are written
 * as several; but it does so in an int.
 *
 * Return: samples and calls that were left out because they are too many for gprof.
 */
uint64_t pp_gmon_write(FILE *out, const struct pp_machine *machine,
		       const struct pp_gmon_count *counts, size_t n, const struct pp_gmon_arc *arcs,
		       size_t n_arcs);

#endif
