// SPDX-License-Identifier: GPL-2.0-or-later
#include "block.h"

#include <pthread.h>
#include <string.h>

#include "fail.h"
#include "histogram.h"

#define BUCKETS (1U << 17)
#define PAGE	4096 /* bytes; a block is shorter than that, but for its last instruction */

static struct block *table[BUCKETS];
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;

static bool same(const struct block *block, uint64_t start, const struct pmu_run *run,
		 bool repeated, const uint16_t *offset)
{
	return block->start == start && block->run.instructions == run->instructions &&
	       block->run.ring == run->ring && block->run.branch == run->branch &&
	       block->repeated == repeated &&
	       !memcmp(block->offset, offset, (run->instructions + 1) * sizeof(*offset));
}

static struct block *block_new(uint64_t start, const struct pmu_run *run, bool repeated,
			       const uint16_t *offset)
{
	size_t size = (run->instructions + 1) * sizeof(*offset);
	struct block *block = pmu_allocate(1, sizeof(*block) + size);

	block->start = start;
	block->run = *run;
	block->repeated = repeated;
	memcpy(block->offset, offset, size);
	block->cell = histogram_cell_new(start, run->instructions);
	return block;
}

struct block *block_intern(uint64_t start, const struct pmu_run *run, bool repeated,
			   const uint16_t *offset)
{
	struct block **bucket = &table[(start * UINT64_C(0x9e3779b97f4a7c15)) >> 47];
	struct block *block;

	pthread_mutex_lock(&table_lock);
	for (block = *bucket; block; block = block->next)
		if (same(block, start, run, repeated, offset))
			break;
	if (!block) {
		block = block_new(start, run, repeated, offset);
		block->next = *bucket;
		*bucket = block;
	}
	pthread_mutex_unlock(&table_lock);
	return block;
}

void block_for_each(void (*visit)(const struct block *block, void *data), void *data)
{
	pthread_mutex_lock(&table_lock);
	for (unsigned int i = 0; i < BUCKETS; i++)
		for (struct block *block = table[i]; block; block = block->next)
			visit(block, data);
	pthread_mutex_unlock(&table_lock);
}

int block_find(const struct block *block, uint64_t pc)
{
	for (unsigned int i = 0; i < block->run.instructions; i++)
		if (((block->start + block->offset[i]) ^ pc) % PAGE == 0)
			return i;
	return -1;
}
