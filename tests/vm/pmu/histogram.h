/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The truth that profiles are judged by: how often each instruction in chosen ranges of
 * addresses was retired, by all CPUs, and what it was at given moments.
 */
#ifndef PMU_HISTOGRAM_H
#define PMU_HISTOGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "event.h"
#include "qemu.h"

#define HISTOGRAM_RANGES    8
#define HISTOGRAM_SNAPSHOTS 64

/* Where the executions of one block are counted. */
struct histogram_cell;

/* Adds the range [@start, @end). Returns false if there are too many. */
bool histogram_range(uint64_t start, uint64_t end);

/* Snapshots are also written to files: @path, a dot and their number. */
void histogram_file(const char *path);

/*
 * Returns a cell for a new block of @instructions at @start, or NULL if it is in no range. A
 * block that begins in a range is counted as a whole.
 */
struct histogram_cell *histogram_cell_new(uint64_t start, unsigned int instructions);

/* The counter that each execution of the block must add 1 to. */
qemu_plugin_u64 histogram_cell_counter(const struct histogram_cell *cell);

/* Counts the instructions of a block from @from on @by times more. */
void histogram_cell_change(struct histogram_cell *cell, unsigned int from, int by);

/*
 * Takes snapshot @number (below HISTOGRAM_SNAPSHOTS), in place of an earlier one of that number,
 * of all that was retired and of the histogram; all CPUs must stand still. Returns the number of
 * addresses in it, or -1 if there is no such number.
 */
int64_t histogram_snapshot(unsigned int number);

/*
 * Asks snapshot @number for the executions of instructions that begin in [@start, @end).
 * Returns false if it was never taken.
 */
bool histogram_count(unsigned int number, uint64_t start, uint64_t end, uint64_t *count);

/* Likewise for what CPU @cpu had retired of @quantity in @ring. */
bool histogram_total(unsigned int number, unsigned int cpu, enum pmu_ring ring,
		     enum pmu_quantity quantity, uint64_t *count);

#endif
