// SPDX-License-Identifier: GPL-2.0-or-later
/* How much of stacks is copied: see copies.h. */
#include "copies.h"

#include <string.h>

/*
 * Debian's perl, xz and compiler need 8 KiB for 98 in 100 samples, python3 14 KiB and openssl's RSA
 * 13.5; the kernel's limit is the size of a record.
 */
static const struct {
	uint32_t bytes;
	unsigned int samples; /* that a ring is to have room for */
} sizes[] = {{8192, 32}, {24576, 16}, {65528, 8}};

/* The size to begin with, if a ring has room for so many samples of it: of a small one, the first
 * samples would be lost before anything is known of them. */
#define START	      1
#define START_SAMPLES 64

/* So many samples of a window are lost that it is too large a size: one in so many. */
#define LOST_SHARE 50

_Static_assert(sizeof(sizes) / sizeof(*sizes) == PERF_COPIES_MOST, "a size for each event");

struct perf_copies perf_copies_fixed(uint32_t size)
{
	return (struct perf_copies){.size = {size}, .n = 1};
}

struct perf_copies perf_copies_adapting(size_t ring)
{
	struct perf_copies copies = {.needed_calm = PERF_COPIES_CALM};

	for (size_t i = 0; i < PERF_COPIES_MOST; i++) {
		size_t most = ring / sizes[i].samples & ~(size_t)7;
		uint32_t size = sizes[i].bytes < most ? sizes[i].bytes : (uint32_t)most;

		if (!copies.n || size > copies.size[copies.n - 1])
			copies.size[copies.n++] = size;
	}
	copies.chosen = copies.n > START && ring / copies.size[START] >= START_SAMPLES ? START : 0;
	return copies;
}

static void begin_window(struct perf_copies *copies)
{
	copies->seen = copies->lost = 0;
	memset(copies->over, 0, sizeof(copies->over));
}

static void choose(struct perf_copies *copies, size_t size)
{
	copies->chosen = size;
	copies->calm = 0;
	begin_window(copies);
}

/* The size that was taken as the last ones had needed no more is too small. */
static void choose_larger(struct perf_copies *copies)
{
	if (copies->needed_calm < PERF_COPIES_CALM_MOST)
		copies->needed_calm *= 2;
	choose(copies, copies->chosen + 1);
}

static void end_window(struct perf_copies *copies)
{
	if (copies->hold)
		copies->hold--;
	if (copies->chosen && copies->over[copies->chosen - 1] < PERF_COPIES_CUT)
		copies->calm++;
	else
		copies->calm = 0;
	if (copies->calm >= copies->needed_calm)
		choose(copies, copies->chosen - 1);
	else
		begin_window(copies);
}

void perf_copies_take(struct perf_copies *copies, uint64_t needed)
{
	if (copies->n < 2)
		return;
	copies->seen++;
	for (size_t i = 0; i < copies->n && needed > copies->size[i]; i++)
		copies->over[i]++;
	if (copies->over[copies->chosen] >= PERF_COPIES_CUT && copies->chosen + 1 < copies->n &&
	    !copies->hold)
		choose_larger(copies);
	else if (copies->seen >= PERF_COPIES_WINDOW)
		end_window(copies);
}

void perf_copies_lost(struct perf_copies *copies, uint64_t samples)
{
	copies->lost += samples;
	if (copies->chosen && copies->lost * LOST_SHARE > PERF_COPIES_WINDOW) {
		copies->hold = PERF_COPIES_HOLD;
		choose(copies, copies->chosen - 1);
	}
}
