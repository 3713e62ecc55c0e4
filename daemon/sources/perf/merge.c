// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The records of all CPUs in the order of their time: see merge.h.
 */
#include "merge.h"

#include <stdbool.h>
#include <stdlib.h>

int perf_merge_reserve(struct perf_merge *merge, size_t cpus)
{
	struct perf_merge_entry *larger =
		reallocarray(merge->entry, cpus + 1, sizeof(*merge->entry));

	if (!larger)
		return -1;
	merge->entry = larger;
	merge->count = 0;
	return 0;
}

void perf_merge_free(struct perf_merge *merge)
{
	free(merge->entry);
	*merge = (struct perf_merge){0};
}

/* Looks at the next record of a ring; false if there is none. */
static bool peek(struct perf_merge_entry *entry)
{
	entry->bytes = perf_ring_peek(&entry->cpu->ring, &entry->size);
	if (!entry->bytes)
		return false;
	entry->time = perf_live_time(entry->bytes, entry->size);
	return true;
}

/* Moves the entry at @at down until none below it is older. */
static void sift(struct perf_merge *merge, size_t at)
{
	struct perf_merge_entry moved = merge->entry[at];

	for (;;) {
		size_t child = 2 * at + 1;

		if (child + 1 < merge->count &&
		    merge->entry[child + 1].time < merge->entry[child].time)
			child++;
		if (child >= merge->count || merge->entry[child].time >= moved.time)
			break;
		merge->entry[at] = merge->entry[child];
		at = child;
	}
	merge->entry[at] = moved;
}

void perf_merge_begin(struct perf_merge *merge, struct perf_counters *counters)
{
	merge->count = 0;
	for (size_t i = 0; i < counters->cpus; i++) {
		struct perf_merge_entry *entry = &merge->entry[merge->count];

		entry->cpu = &counters->cpu[i];
		if (!entry->cpu->ring.page)
			continue;
		perf_ring_look(&entry->cpu->ring);
		if (peek(entry))
			merge->count++;
	}
	for (size_t i = merge->count / 2; i-- > 0;)
		sift(merge, i);
}

struct perf_cpu *perf_merge_next(const struct perf_merge *merge, uint64_t until, const void **bytes,
				 size_t *size)
{
	const struct perf_merge_entry *first = merge->entry;

	if (!merge->count || first->time > until)
		return NULL;
	*bytes = first->bytes;
	*size = first->size;
	return first->cpu;
}

void perf_merge_pass(struct perf_merge *merge, size_t size)
{
	struct perf_merge_entry *first = merge->entry;

	perf_ring_pass(&first->cpu->ring, size);
	if (!peek(first))
		*first = merge->entry[--merge->count];
	if (merge->count)
		sift(merge, 0);
}
