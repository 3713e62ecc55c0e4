// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The ring of a CPU: see perf_ring.h.
 */
#include "perf_ring.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "perf_record.h"

int perf_ring_open(struct perf_ring *ring, int fd, size_t pages)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	void *base = mmap(NULL, (pages + 1) * page_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (base == MAP_FAILED)
		return -1;
	*ring = (struct perf_ring){
		.page = base,
		.data = (const uint8_t *)base + page_size,
		.size = pages * page_size,
	};
	return 0;
}

void perf_ring_close(struct perf_ring *ring)
{
	if (ring->page)
		munmap(ring->page, ring->size + (size_t)(ring->data - (const uint8_t *)ring->page));
	free(ring->bounce);
	*ring = (struct perf_ring){0};
}

void perf_ring_look(struct perf_ring *ring)
{
	ring->head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
}

void perf_ring_release(struct perf_ring *ring)
{
	__atomic_store_n(&ring->page->data_tail, ring->tail, __ATOMIC_RELEASE);
}

/* A copy in one piece of a record that goes round the end. */
static const void *join(struct perf_ring *ring, size_t at, size_t size)
{
	size_t first = ring->size - at;

	if (!ring->bounce)
		ring->bounce = malloc(PERF_RECORD_SIZE_MOST);
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
	return at + header.size <= ring->size ? ring->data + at : join(ring, at, header.size);
}
