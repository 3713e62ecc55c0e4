/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Encodes samples as an event buffer (module/uapi/oprofile.h).
 */
#ifndef DAEMON_SOURCES_PERF_WORDS_H
#define DAEMON_SOURCES_PERF_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "module/uapi/oprofile.h"

#define PERF_WORDS_MOST (1 << 16)
/* The most words of a sample without its callers, and of a caller. */
#define PERF_WORDS_SAMPLE 32
#define PERF_WORDS_FRAME  8

/* struct perf_words - a buffer, and the context that its records have set */
struct perf_words {
	uint64_t word[PERF_WORDS_MOST];
	size_t count;

	bool has_task, has_cookie;
	uint32_t cpu, tgid, tid;
	uint64_t app, cookie;
	enum { PERF_WORDS_NO_MODE, PERF_WORDS_KERNEL, PERF_WORDS_USER } mode;
};

/* Begins an empty buffer, without context. */
void perf_words_begin(struct perf_words *words);

/* Whether a sample with so many callers fits. */
static inline bool perf_words_have_room(const struct perf_words *words, size_t frames)
{
	return words->count + PERF_WORDS_SAMPLE + frames * PERF_WORDS_FRAME <= PERF_WORDS_MOST;
}

/* Sets CPU, thread and process of the next sample. */
void perf_words_cpu(struct perf_words *words, uint32_t cpu);
void perf_words_task(struct perf_words *words, uint32_t tgid, uint32_t tid, uint64_t app);

/* The next address is a sample, and the following ones are its callers. */
void perf_words_trace(struct perf_words *words);

/* The second word of a sample; a @weight of 0 is the period of the event. */
static inline uint64_t perf_words_sample(uint32_t counter, uint64_t weight)
{
	return counter | (weight < OPROFILE_WEIGHT_MAX ? weight : OPROFILE_WEIGHT_MAX)
				 << OPROFILE_COUNTER_BITS;
}

/* An address of the kernel; @counter: of a sample, as perf_words_sample() makes it. */
void perf_words_kernel(struct perf_words *words, uint64_t address, uint64_t counter);
/* An offset in the file of @cookie; of anonymous memory, an address. */
void perf_words_user(struct perf_words *words, uint64_t cookie, uint64_t offset, uint64_t counter);

#endif
