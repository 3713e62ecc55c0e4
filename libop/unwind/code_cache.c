// SPDX-License-Identifier: GPL-2.0-or-later
/* Bytes of code: see code_cache.h. */
#include "code_cache.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libop/base/hash.h"
#include "libop/foreign/apart.h"

/* Seconds that reading a block may take: three times as many where it waits. */
#define SECONDS_MOST 1

/* struct block_range - what is read at once */
struct block_range {
	uint64_t start, size;
};

static struct block_range range_at(const struct code_source *source, uint64_t address)
{
	struct block_range range = {source->start, source->end - source->start};

	if (range.size <= CODE_BLOCK_MOST)
		return range;
	range.start = address - address % CODE_BLOCK_SMALL;
	if (range.start < source->start)
		range.start = source->start;
	range.size = CODE_BLOCK_SMALL - range.start % CODE_BLOCK_SMALL;
	if (range.size > source->end - range.start)
		range.size = source->end - range.start;
	return range;
}

/* ---- in the process apart, or here ---- */

static void code_block_work(int fd, struct op_reader *question, struct op_buffer *answer)
{
	uint8_t bytes[CODE_BLOCK_SMALL];
	struct block_range range = {0};

	op_reader_copy(question, &range, sizeof(range));
	while (range.size) {
		size_t part = range.size < sizeof(bytes) ? range.size : sizeof(bytes);
		ssize_t n = pread(fd, bytes, part, (off_t)range.start);

		if (n <= 0)
			return;
		op_buffer_put(answer, bytes, (size_t)n);
		range.start += (size_t)n;
		range.size -= (size_t)n;
	}
}

/* Return: as of apart_ask(). */
static uint8_t *read_block(const struct code_source *source, const struct block_range *range,
			   size_t *n, struct op_error *error)
{
	const struct apart_question question = {.work = code_block_work,
						.fd = source->fd,
						.bytes = range,
						.length = sizeof(*range),
						.seconds = SECONDS_MOST,
						.answer_most = CODE_BLOCK_MOST};
	struct op_reader reader = op_reader_of(range, sizeof(*range), false);
	struct op_buffer answer = {0};

	if (source->is_apart)
		return apart_ask(&question, n, error);
	code_block_work(source->fd, &reader, &answer);
	*n = answer.used;
	return answer.bytes ? answer.bytes : calloc(1, 1);
}

/* Reads a block.  Return: false: it may be read later, or there is no memory. */
static bool code_block_fill(struct code_block *block, const struct code_source *source,
			    const struct block_range *range)
{
	struct op_error error = {0};
	size_t n = 0;
	uint8_t *bytes = read_block(source, range, &n, &error);

	if (!bytes && (error.code == EAGAIN || !(bytes = calloc(1, 1))))
		return false;
	if (error.code)
		apart_warn("code", error.text);
	if (!n && block->n) { /* its process has ended: what it had is still true of its samples */
		free(bytes);
	} else {
		free(block->bytes);
		block->bytes = bytes;
		block->n = n;
	}
	block->read = source->now;
	return true;
}

/* ---- the cache ---- */

/* Return: NULL if it is not known. */
static const struct code_block *code_block_at(struct code_cache *cache,
					      const struct code_source *source,
					      const struct block_range *range)
{
	uint64_t mixed = op_hash_mix(source->number, range->start);
	struct code_block *block = &cache->blocks[mixed % CODE_BLOCKS];
	bool is_known =
		block->bytes && block->number == source->number && block->start == range->start;

	if (is_known && block->read >= source->until)
		return block;
	if (source->fd < 0)
		return NULL;
	if (!is_known) {
		free(block->bytes);
		*block = (struct code_block){.number = source->number, .start = range->start};
	}
	return code_block_fill(block, source, range) ? block : NULL;
}

size_t code_cache_read(struct code_cache *cache, const struct code_source *source, uint64_t address,
		       uint8_t *bytes, size_t most)
{
	size_t done = 0;

	while (done < most && address >= source->start && address < source->end) {
		const struct block_range range = range_at(source, address);
		const struct code_block *block = code_block_at(cache, source, &range);
		size_t skipped = address - range.start, n;

		if (!block || block->n <= skipped)
			break;
		n = block->n - skipped < most - done ? block->n - skipped : most - done;
		memcpy(bytes + done, block->bytes + skipped, n);
		done += n;
		address += n;
	}
	return done;
}

void code_cache_free(struct code_cache *cache)
{
	for (size_t i = 0; i < CODE_BLOCKS; i++)
		free(cache->blocks[i].bytes);
	*cache = (struct code_cache){0};
}
