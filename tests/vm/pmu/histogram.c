// SPDX-License-Identifier: GPL-2.0-or-later
#include "histogram.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "block.h"
#include "fail.h"
#include "vcpu.h"

#define CHUNK 4096 /* counters in one scoreboard */

struct histogram_cell {
	qemu_plugin_u64 counter;
	/* executions of the block that ended before each of its instructions */
	atomic_uint_fast64_t ended_before[];
};

struct entry {
	uint64_t address;
	uint64_t count;	 /* of this address */
	uint64_t before; /* sum of all lower addresses */
};

struct snapshot {
	bool taken;
	struct pmu_totals totals[VCPU_MAX];
	struct entry *entry;	  /* by address; the last one is beyond all */
	size_t entries;
	size_t room;
};

static struct {
	uint64_t start, end;
} ranges[HISTOGRAM_RANGES];
static unsigned int ranges_count;
static const char *file;
static struct snapshot snapshots[HISTOGRAM_SNAPSHOTS];

bool histogram_range(uint64_t start, uint64_t end)
{
	if (ranges_count == HISTOGRAM_RANGES)
		return false;
	ranges[ranges_count].start = start;
	ranges[ranges_count].end = end;
	ranges_count++;
	return true;
}

void histogram_file(const char *path)
{
	file = path;
}

static bool wanted(uint64_t address)
{
	for (unsigned int i = 0; i < ranges_count; i++)
		if (address >= ranges[i].start && address < ranges[i].end)
			return true;
	return false;
}

/* Under the lock of the table of blocks. */
struct histogram_cell *histogram_cell_new(uint64_t start, unsigned int instructions)
{
	static struct qemu_plugin_scoreboard *chunk;
	static unsigned int used = CHUNK;
	struct histogram_cell *cell;

	if (!wanted(start))
		return NULL;
	if (used == CHUNK) {
		chunk = qemu_plugin_scoreboard_new(CHUNK * sizeof(uint64_t));
		used = 0;
	}
	cell = pmu_allocate(1, sizeof(*cell) + instructions * sizeof(cell->ended_before[0]));
	cell->counter = (qemu_plugin_u64){ chunk, used++ * sizeof(uint64_t) };
	return cell;
}

qemu_plugin_u64 histogram_cell_counter(const struct histogram_cell *cell)
{
	return cell->counter;
}

void histogram_cell_change(struct histogram_cell *cell, unsigned int from, int by)
{
	atomic_fetch_sub(&cell->ended_before[from], by);
}

static void add_entries(const struct block *block, void *data)
{
	struct snapshot *snapshot = data;
	unsigned int n = block->run.instructions;
	uint64_t count;

	if (!block->cell)
		return;
	if (snapshot->room < snapshot->entries + n) {
		snapshot->room = 2 * (snapshot->entries + n);
		snapshot->entry = realloc(snapshot->entry, snapshot->room * sizeof(struct entry));
		if (!snapshot->entry)
			pmu_fail("out of memory");
	}
	count = qemu_plugin_u64_sum(block->cell->counter);
	for (unsigned int i = 0; i < n; i++) {
		count -= atomic_load(&block->cell->ended_before[i]);
		snapshot->entry[snapshot->entries++] =
			(struct entry){ block->start + block->offset[i], count, 0 };
	}
}

static int by_address(const void *a, const void *b)
{
	const struct entry *one = a, *other = b;

	return (one->address > other->address) - (one->address < other->address);
}

/* Sorts, joins what is of one address, sums up, and appends the end. */
static void finish(struct snapshot *snapshot)
{
	struct entry *entry = snapshot->entry;
	uint64_t sum = 0;
	size_t out = 0;

	qsort(entry, snapshot->entries, sizeof(*entry), by_address);
	for (size_t i = 0; i < snapshot->entries; i++) {
		if (out && entry[out - 1].address == entry[i].address)
			entry[out - 1].count += entry[i].count;
		else
			entry[out++] = entry[i];
	}
	for (size_t i = 0; i < out; i++) {
		entry[i].before = sum;
		sum += entry[i].count;
	}
	snapshot->entry = realloc(entry, (out + 1) * sizeof(*entry));
	if (!snapshot->entry)
		pmu_fail("out of memory");
	snapshot->entry[out] = (struct entry){ UINT64_MAX, 0, sum };
	snapshot->entries = out;
}

static void write_file(const struct snapshot *snapshot, unsigned int number)
{
	char path[4096];
	FILE *out;

	if (snprintf(path, sizeof(path), "%s.%u", file, number) >= (int)sizeof(path))
		pmu_fail("the name of the histogram is too long: %s", file);
	out = fopen(path, "w");
	if (!out)
		pmu_fail("%s: %m", path);
	for (unsigned int i = 0; i < vcpu_count(); i++)
		fprintf(out, "cpu %u user %" PRIu64 " kernel %" PRIu64 "\n", i,
			vcpu_retired(vcpu_at(i), PMU_USER), vcpu_retired(vcpu_at(i), PMU_KERNEL));
	for (size_t i = 0; i < snapshot->entries; i++)
		if (snapshot->entry[i].count)
			fprintf(out, "%#" PRIx64 " %" PRIu64 "\n", snapshot->entry[i].address,
				snapshot->entry[i].count);
	if (ferror(out) | fclose(out))
		pmu_fail("%s: %m", path);
}

int64_t histogram_snapshot(unsigned int number)
{
	struct snapshot *snapshot;

	if (number >= HISTOGRAM_SNAPSHOTS)
		return -1;
	snapshot = &snapshots[number];
	free(snapshot->entry);
	*snapshot = (struct snapshot){ .taken = true };
	for (unsigned int i = 0; i < vcpu_count(); i++)
		vcpu_totals(vcpu_at(i), &snapshot->totals[i]);
	block_for_each(add_entries, snapshot);
	finish(snapshot);
	if (file)
		write_file(snapshot, number);
	return snapshot->entries;
}

/* Executions of all addresses below @address. */
static uint64_t below(const struct snapshot *snapshot, uint64_t address)
{
	size_t low = 0, high = snapshot->entries;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (snapshot->entry[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return snapshot->entry[low].before;
}

static const struct snapshot *find(unsigned int number)
{
	if (number >= HISTOGRAM_SNAPSHOTS || !snapshots[number].taken)
		return NULL;
	return &snapshots[number];
}

bool histogram_count(unsigned int number, uint64_t start, uint64_t end, uint64_t *count)
{
	const struct snapshot *snapshot = find(number);

	if (!snapshot)
		return false;
	*count = start < end ? below(snapshot, end) - below(snapshot, start) : 0;
	return true;
}

bool histogram_total(unsigned int number, unsigned int cpu, enum pmu_ring ring,
		     enum pmu_quantity quantity, uint64_t *count)
{
	const struct snapshot *snapshot = find(number);

	if (!snapshot || cpu >= vcpu_count() || ring >= PMU_RINGS || quantity >= PMU_QUANTITIES)
		return false;
	*count = snapshot->totals[cpu].count[ring][quantity];
	return true;
}
