/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random numbers that a seed reproduces: each operation of each process has a stream of its own,
 * so what it does depends on nothing that happened before, and on no other process.
 */
#ifndef TESTS_VM_FUZZ_STREAM_H
#define TESTS_VM_FUZZ_STREAM_H

#include <stdbool.h>
#include <stdint.h>

struct stream {
	uint64_t state;
};

/* Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014. */
static inline uint64_t stream_next(struct stream *stream)
{
	uint64_t z = stream->state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* From 0 to @end - 1; @end is not 0. */
static inline unsigned int stream_below(struct stream *stream, unsigned int end)
{
	return (unsigned int)((stream_next(stream) >> 32) * end >> 32);
}

static inline bool stream_chance(struct stream *stream, unsigned int percent)
{
	return stream_below(stream, 100) < percent;
}

/* The stream of one operation. */
static inline struct stream stream_of(uint64_t seed, unsigned int round, unsigned int process,
				      unsigned int operation)
{
	struct stream stream = { seed };

	stream.state = stream_next(&stream) ^ round;
	stream.state = stream_next(&stream) ^ process;
	stream.state = stream_next(&stream) ^ operation;
	return stream;
}

#endif
