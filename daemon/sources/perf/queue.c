// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A queue behind the ring of a CPU: see queue.h.
 */
#include "queue.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct perf_queue *perf_queue_new(struct perf_event_mmap_page *page, const uint8_t *data,
				  size_t data_size, size_t size)
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

/* How many bytes of whole records, of @there, fit into @room.  An invalid ring has 0. */
static size_t count_whole(struct perf_queue *queue, uint64_t there, uint64_t room)
{
	struct perf_event_header header;
	size_t bytes = 0;

	while (there - bytes >= sizeof(header)) {
		/* records are multiples of eight bytes, and so is the ring: it is in one piece */
		memcpy(&header,
		       queue->from + ((size_t)(queue->from_tail + bytes) & (queue->from_size - 1)),
		       sizeof(header));
		if (header.size < sizeof(header) || header.size % sizeof(uint64_t) ||
		    header.size > there - bytes) {
			__atomic_add_fetch(&queue->broken, 1, __ATOMIC_RELAXED);
			queue->from_tail += there;
			return 0;
		}
		if (bytes + header.size > room)
			break;
		bytes += header.size;
	}
	return bytes;
}

/* Copies between two rings, piece by piece. */
static void copy(struct perf_queue *queue, uint64_t head, size_t bytes)
{
	while (bytes) {
		size_t from = (size_t)queue->from_tail & (queue->from_size - 1);
		size_t to = (size_t)head & (queue->size - 1), piece = bytes;

		if (piece > queue->from_size - from)
			piece = queue->from_size - from;
		if (piece > queue->size - to)
			piece = queue->size - to;
		memcpy(queue->data + to, queue->from + from, piece);
		queue->from_tail += piece;
		head += piece;
		bytes -= piece;
	}
}

bool perf_queue_fill(struct perf_queue *queue)
{
	uint64_t there, room;
	size_t bytes;

	pthread_mutex_lock(&queue->lock);
	there = __atomic_load_n(&queue->page->data_head, __ATOMIC_ACQUIRE) - queue->from_tail;
	room = queue->size - (queue->head - __atomic_load_n(&queue->tail, __ATOMIC_ACQUIRE));
	bytes = count_whole(queue, there, room);
	copy(queue, queue->head, bytes);
	__atomic_store_n(&queue->page->data_tail, queue->from_tail, __ATOMIC_RELEASE);
	__atomic_store_n(&queue->head, queue->head + bytes, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&queue->lock);
	return bytes;
}
