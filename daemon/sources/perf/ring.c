// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The ring of a CPU: see ring.h.
 */
#include "ring.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "record.h"

int perf_ring_open(struct perf_ring *ring, int fd, size_t pages)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	void *base = mmap(NULL, (pages + 1) * page_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (base == MAP_FAILED)
		return -1;
	*ring = (struct perf_ring){
		.page = base,
		.mapped = (pages + 1) * page_size,
		.data = (const uint8_t *)base + page_size,
		.size = pages * page_size,
	};
	return 0;
}

void perf_ring_close(struct perf_ring *ring)
{
	perf_queue_free(ring->queue);
	if (ring->page)
		munmap(ring->page, ring->mapped);
	free(ring->bounce);
	*ring = (struct perf_ring){0};
}

int perf_ring_queue(struct perf_ring *ring, size_t bytes, const struct perf_attr *attr)
{
	ring->queue = perf_queue_new(ring->page, ring->data, ring->size, bytes, attr);
	if (!ring->queue) {
		errno = ENOMEM;
		return -1;
	}
	ring->data = ring->queue->data;
	ring->size = bytes;
	return 0;
}

void perf_ring_look(struct perf_ring *ring)
{
	if (ring->queue) {
		perf_queue_fill(ring->queue);
		ring->head = __atomic_load_n(&ring->queue->head, __ATOMIC_ACQUIRE);
		return;
	}
	ring->head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
}

void perf_ring_release(struct perf_ring *ring)
{
	if (ring->queue) {
		bool is_empty = ring->tail == ring->head;

		ring->tail = perf_queue_release(ring->queue, ring->tail);
		if (is_empty)
			ring->head = ring->tail;
	} else {
		__atomic_store_n(&ring->page->data_tail, ring->tail, __ATOMIC_RELEASE);
	}
}

uint64_t perf_ring_broken(const struct perf_ring *ring)
{
	uint64_t broken = ring->broken;

	if (ring->queue)
		broken += __atomic_load_n(&ring->queue->broken, __ATOMIC_RELAXED);
	return broken;
}

/* A copy in one piece of a record that goes round the end. */
static const void *perf_ring_join(struct perf_ring *ring, size_t at, size_t size)
{
	size_t first = ring->size - at;

	if (!ring->bounce)
		ring->bounce = malloc(PERF_RECORD_MOST);
	if (!ring->bounce)
		return NULL;
	memcpy(ring->bounce, ring->data + at, first);
	memcpy(ring->bounce + first, ring->data, size - first);
	return ring->bounce;
}

const void *perf_ring_peek(struct perf_ring *ring, size_t *size)
{
	size_t at = (size_t)ring->tail & (ring->size - 1);
	struct perf_event_header header;

	if (ring->head - ring->tail < sizeof(header))
		return NULL;
	/* records are multiples of eight bytes, and so is the ring: the header is in one piece */
	memcpy(&header, ring->data + at, sizeof(header));
	if (header.size < sizeof(header) || header.size % sizeof(uint64_t) ||
	    header.size > ring->head - ring->tail) {
		ring->tail = ring->head;
		ring->broken++;
		return NULL;
	}
	*size = header.size;
	return at + header.size <= ring->size ? ring->data + at
					      : perf_ring_join(ring, at, header.size);
}
