// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Encodes samples as an event buffer: see words.h.
 */
#include "words.h"

#include "module/uapi/oprofile.h"

static void perf_words_add(struct perf_words *words, uint64_t word)
{
	words->word[words->count++] = word;
}

static void add_code(struct perf_words *words, enum oprofile_code code)
{
	perf_words_add(words, OPROFILE_ESCAPE_CODE);
	perf_words_add(words, code);
}

void perf_words_begin(struct perf_words *words)
{
	words->count = 0;
	words->has_task = words->has_cookie = false;
	words->cpu = UINT32_MAX;
	words->mode = PERF_WORDS_NO_MODE;
}

void perf_words_cpu(struct perf_words *words, uint32_t cpu)
{
	if (words->cpu == cpu)
		return;
	add_code(words, OPROFILE_CPU_SWITCH);
	perf_words_add(words, cpu);
	words->cpu = cpu;
}

void perf_words_task(struct perf_words *words, uint32_t tgid, uint32_t tid, uint64_t app)
{
	if (words->has_task && words->tgid == tgid && words->tid == tid && words->app == app)
		return;
	add_code(words, OPROFILE_CTX_SWITCH);
	perf_words_add(words, tid);
	perf_words_add(words, app);
	add_code(words, OPROFILE_CTX_TGID);
	perf_words_add(words, tgid);
	words->has_task = true;
	words->tgid = tgid;
	words->tid = tid;
	words->app = app;
}

void perf_words_trace(struct perf_words *words)
{
	add_code(words, OPROFILE_TRACE_BEGIN);
}

void perf_words_kernel(struct perf_words *words, uint64_t address, uint64_t counter)
{
	if (words->mode != PERF_WORDS_KERNEL)
		add_code(words, OPROFILE_KERNEL_ENTER);
	words->mode = PERF_WORDS_KERNEL;
	perf_words_add(words, address);
	perf_words_add(words, counter);
}

void perf_words_user(struct perf_words *words, uint64_t cookie, uint64_t offset, uint64_t counter)
{
	if (words->mode != PERF_WORDS_USER)
		add_code(words, OPROFILE_USER_ENTER);
	words->mode = PERF_WORDS_USER;
	if (!words->has_cookie || words->cookie != cookie) {
		add_code(words, OPROFILE_COOKIE_SWITCH);
		perf_words_add(words, cookie);
		words->has_cookie = true;
		words->cookie = cookie;
	}
	perf_words_add(words, offset);
	perf_words_add(words, counter);
}
