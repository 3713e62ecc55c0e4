/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ring in which the kernel leaves the records of a CPU.
 *
 * The kernel writes up to data_head and never past data_tail, which only we move: so bytes
 * between the two stay as they are until they are passed.  Our read of data_head pairs with
 * the kernel's write barrier before it publishes it (an acquire); our write of data_tail is a
 * release, so that the kernel overwrites nothing that we still read.
 */
#ifndef DAEMON_SOURCES_PERF_RING_H
#define DAEMON_SOURCES_PERF_RING_H

#include <stddef.h>
#include <stdint.h>

#include "queue.h"

struct perf_ring {
	struct perf_event_mmap_page *page; /* NULL: not mapped */
	size_t mapped;			   /* bytes, from @page */
	struct perf_queue *queue;	   /* behind it; NULL: none */

	/* what is read: the ring, or the queue */
	const uint8_t *data;
	size_t size;	     /* of @data, a power of two */
	uint64_t head, tail; /* what may be read is between them */
	uint64_t broken;     /* malformed records: see perf_ring_broken() */
	uint8_t *bounce;     /* for a record that goes round the end; made when needed */
};

/**
 * perf_ring_open - map the ring of an event
 * @pages: of data; a power of two
 *
 * Return: 0, or -1 and errno.
 */
int perf_ring_open(struct perf_ring *ring, int fd, size_t pages);
void perf_ring_close(struct perf_ring *ring);

/**
 * perf_ring_queue - put a queue behind a ring from which nothing was read
 * @bytes: its size, a power of two
 * @attr: as of perf_queue_new()
 *
 * From then on it is the queue that is read, which perf_queue_fill() fills, and each look.
 *
 * Return: 0, or -1 and errno.
 */
int perf_ring_queue(struct perf_ring *ring, size_t bytes, const struct perf_attr *attr);

/* Looks how far the kernel has come. */
void perf_ring_look(struct perf_ring *ring);

/**
 * perf_ring_peek - the next record
 * @size: set to its size
 *
 * Return: its bytes, good until perf_ring_pass(), or NULL if there is none.  A ring that makes
 * no sense is empty from there on to where the kernel is.
 */
const void *perf_ring_peek(struct perf_ring *ring, size_t *size);

/* Passes a record that was peeked at; perf_ring_release() gives its room to the kernel. */
static inline void perf_ring_pass(struct perf_ring *ring, size_t size)
{
	ring->tail += size;
}

void perf_ring_release(struct perf_ring *ring);

/* The number of malformed records in it, or in the ring behind its queue. */
uint64_t perf_ring_broken(const struct perf_ring *ring);

#endif
