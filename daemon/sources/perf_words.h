/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The event stream (module/uapi/oprofile.h) in the making: samples in, words out.
 */
#ifndef DAEMON_PERF_WORDS_H
#define DAEMON_PERF_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PERF_WORDS_MOST (1 << 16)
/* What a sample takes at most without its callers, and a caller. */
#define PERF_WORDS_SAMPLE 32
#define PERF_WORDS_FRAME  8

/* struct perf_words - a buffer, and what the records in it have said last */
struct perf_words {
	uint64_t word[PERF_WORDS_MOST];
	size_t count;

	bool has_task, has_cookie;
	uint32_t cpu, tgid, tid;
	uint64_t app, cookie;
	enum { PERF_WORDS_NO_MODE, PERF_WORDS_KERNEL, PERF_WORDS_USER } mode;
};

/* Begins an empty buffer, which is decoded without what was in the one before. */
void perf_words_begin(struct perf_words *words);

/* Whether there is room for a sample with so many callers. */
static inline bool perf_words_have_room(const struct perf_words *words, size_t frames)
{
	return words->count + PERF_WORDS_SAMPLE + frames * PERF_WORDS_FRAME <= PERF_WORDS_MOST;
}

/* Who was sampled. */
void perf_words_cpu(struct perf_words *words, uint32_t cpu);
void perf_words_task(struct perf_words *words, uint32_t tgid, uint32_t tid, uint64_t app);

/* The next address is the sampled one, and those that follow are its callers. */
void perf_words_trace(struct perf_words *words);

/* An address of the kernel. */
void perf_words_kernel(struct perf_words *words, uint64_t address, uint32_t counter);
/* An offset in the file of @cookie; of anonymous memory, an address. */
void perf_words_user(struct perf_words *words, uint64_t cookie, uint64_t offset, uint32_t counter);

#endif
