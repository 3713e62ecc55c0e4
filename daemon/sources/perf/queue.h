/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A queue behind the ring of a CPU, for samples that take long to process, such as those whose
 * stacks are to be unwound: a thread (drain.h) moves records from the ring to the queue, so that
 * the ring has room again.  When the queue is full, they stay in the ring, and when that is full,
 * too, the kernel counts what it loses.
 *
 * Of a sample with a copy of the stack, the queue gets the part that is filled.
 *
 * The queue is a ring as the kernel's is, and larger.  What fills it holds @lock and publishes
 * @head (a release); the reader's look at it is an acquire, and so it is with @tail the other
 * way round.
 */
#ifndef DAEMON_SOURCES_PERF_QUEUE_H
#define DAEMON_SOURCES_PERF_QUEUE_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

struct perf_attr;
struct perf_event_mmap_page;

struct perf_queue {
	pthread_mutex_t lock;
	struct perf_event_mmap_page *page; /* of the ring */
	const uint8_t *from;		   /* its data */
	size_t from_size;
	uint64_t from_tail;	      /* how far records have been moved from it */
	uint64_t broken;	      /* malformed records in the ring */
	const struct perf_attr *attr; /* the layout of samples; NULL: they have no stacks */

	uint8_t *data;
	size_t size; /* a power of two */
	uint64_t head, tail;
};

/**
 * perf_queue_new - a queue for a mapped ring from which nothing was read
 * @data: of the ring
 * @size: of the queue in bytes, a power of two; memory is allocated when it is filled
 * @attr: the layout of samples that come with stacks; else NULL.  It stays the caller's
 *
 * Return: NULL when out of memory.
 */
struct perf_queue *perf_queue_new(struct perf_event_mmap_page *page, const uint8_t *data,
				  size_t data_size, size_t size, const struct perf_attr *attr);
void perf_queue_free(struct perf_queue *queue);

/* Moves whole records as long as there is room, from any thread.  Return: bytes in the queue. */
size_t perf_queue_fill(struct perf_queue *queue);

/* Gives room back up to @tail, from the thread that reads.  Return: where that goes on to read. */
uint64_t perf_queue_release(struct perf_queue *queue, uint64_t tail);

#endif
