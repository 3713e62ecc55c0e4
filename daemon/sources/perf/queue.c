// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A queue behind the ring of a CPU: see queue.h.
 */
#include "queue.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "record.h"

struct perf_queue *perf_queue_new(struct perf_event_mmap_page *page, const uint8_t *data,
				  size_t data_size, size_t size, const struct perf_attr *attr)
{
	struct perf_queue *queue = calloc(1, sizeof(*queue));

	if (!queue)
		return NULL;
	queue->data = mmap(NULL, size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (queue->data == MAP_FAILED) {
		free(queue);
		return NULL;
	}
	pthread_mutex_init(&queue->lock, NULL);
	queue->page = page;
	queue->from = data;
	queue->from_size = data_size;
	queue->size = size;
	queue->attr = attr;
	return queue;
}

void perf_queue_free(struct perf_queue *queue)
{
	if (!queue)
		return;
	munmap(queue->data, queue->size);
	pthread_mutex_destroy(&queue->lock);
	free(queue);
}

/* The part of a record that the queue does not get: the end of its stack, which is not filled. */
struct cut {
	size_t at; /* where the stack is, from the start of the record */
	uint64_t filled, bytes;
};

/* A word of the ring: records are multiples of eight bytes, and so is the ring. */
static uint64_t word_at(const struct perf_queue *queue, uint64_t position)
{
	uint64_t word;

	memcpy(&word, queue->from + ((size_t)position & (queue->from_size - 1)), sizeof(word));
	return word;
}

/*
 * A sample has room for as much of the stack as was asked for, and says at its end how much of
 * that is filled: mostly the stack is not as deep.
 */
static struct cut find_cut(const struct perf_queue *queue, const struct perf_event_header *header)
{
	const struct perf_attr *attr = queue->attr;
	uint64_t begin = queue->from_tail, size;
	struct cut cut = {.at = PERF_HEADER_SIZE};

	if (!attr || header->type != PERF_RECORD_SAMPLE)
		return (struct cut){0};
	cut.at += perf_sample_fixed_bytes(attr->sample_type);
	if (attr->sample_type & PERF_SAMPLE_CALLCHAIN && cut.at < header->size)
		cut.at += 8 + 8 * (size_t)(word_at(queue, begin + cut.at) % PERF_RECORD_MOST);
	if (cut.at < header->size)
		cut.at += 8 + (word_at(queue, begin + cut.at)
				       ? perf_registers_bytes(attr->sample_regs_user)
				       : 0);
	if (cut.at + 16 > header->size)
		return (struct cut){0};
	size = word_at(queue, begin + cut.at);
	cut.filled = (word_at(queue, begin + header->size - 8) + 7) & ~UINT64_C(7);
	cut.at += 8;
	if (size != header->size - cut.at - 8 || cut.filled >= size)
		return (struct cut){0};
	cut.bytes = size - cut.filled;
	return cut;
}

/* Copies from the ring, piece by piece. */
static void copy(const struct perf_queue *queue, uint64_t from, uint64_t to, size_t bytes)
{
	while (bytes) {
		size_t at = (size_t)from & (queue->from_size - 1);
		size_t target = (size_t)to & (queue->size - 1), piece = bytes;

		if (piece > queue->from_size - at)
			piece = queue->from_size - at;
		if (piece > queue->size - target)
			piece = queue->size - target;
		memcpy(queue->data + target, queue->from + at, piece);
		from += piece;
		to += piece;
		bytes -= piece;
	}
}

static void put_word(const struct perf_queue *queue, uint64_t position, uint64_t word)
{
	memcpy(queue->data + ((size_t)position & (queue->size - 1)), &word, sizeof(word));
}

/* The next record, whose header is given.  Return: its size in the queue; 0: there is no room. */
static size_t move_record(const struct perf_queue *queue, struct perf_event_header header,
			  uint64_t head, uint64_t room)
{
	struct cut cut = find_cut(queue, &header);
	size_t size = header.size - cut.bytes, before = cut.bytes ? cut.at + cut.filled : size;
	uint64_t word;

	if (size > room)
		return 0;
	copy(queue, queue->from_tail, head, before);
	if (!cut.bytes)
		return size;
	copy(queue, queue->from_tail + before + cut.bytes, head + before, size - before);
	put_word(queue, head + cut.at - 8, cut.filled);
	header.size = (uint16_t)size;
	memcpy(&word, &header, sizeof(word));
	put_word(queue, head, word);
	return size;
}

/* Moves the records of the next @there bytes.  Return: how many bytes the queue has got. */
static size_t move_all(struct perf_queue *queue, uint64_t there, uint64_t room)
{
	uint64_t end = queue->from_tail + there;
	size_t moved = 0;

	while (end - queue->from_tail >= sizeof(struct perf_event_header)) {
		uint64_t word = word_at(queue, queue->from_tail);
		struct perf_event_header header;
		size_t size;

		memcpy(&header, &word, sizeof(header));
		if (header.size < sizeof(header) || header.size % sizeof(uint64_t) ||
		    header.size > end - queue->from_tail) {
			__atomic_add_fetch(&queue->broken, 1, __ATOMIC_RELAXED);
			queue->from_tail = end;
			break;
		}
		size = move_record(queue, header, queue->head + moved, room - moved);
		if (!size)
			break;
		queue->from_tail += header.size;
		moved += size;
	}
	return moved;
}

size_t perf_queue_fill(struct perf_queue *queue)
{
	uint64_t there, room;
	size_t moved, filled;

	pthread_mutex_lock(&queue->lock);
	there = __atomic_load_n(&queue->page->data_head, __ATOMIC_ACQUIRE) - queue->from_tail;
	room = queue->size - (queue->head - __atomic_load_n(&queue->tail, __ATOMIC_ACQUIRE));
	moved = move_all(queue, there, room);
	__atomic_store_n(&queue->page->data_tail, queue->from_tail, __ATOMIC_RELEASE);
	__atomic_store_n(&queue->head, queue->head + moved, __ATOMIC_RELEASE);
	filled = queue->size - room + moved;
	pthread_mutex_unlock(&queue->lock);
	return filled;
}

uint64_t perf_queue_release(struct perf_queue *queue, uint64_t tail)
{
	/* an empty queue begins anew at its start, so that it has no more memory than it needs */
	pthread_mutex_lock(&queue->lock);
	if (queue->head == tail)
		queue->head = tail = (tail + queue->size - 1) & ~(uint64_t)(queue->size - 1);
	__atomic_store_n(&queue->tail, tail, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&queue->lock);
	return tail;
}
