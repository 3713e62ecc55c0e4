// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any words as an event stream, with each kind of separation: whatever they are, each sample is
 * stored or lost by one cause, and a good buffer afterwards is understood.
 *
 * The first byte chooses the separation; the words follow.  See driver.h.
 */
#include "libop/base/array.h"
#include "driver.h"
#include "fixture.h"

#define WORDS_MOST    4096
#define INPUTS_OF_ONE 100 /* for one session; other pids make more and more files */
#define STEXT	      0xffffffff81000000

const unsigned int fuzz_iterations = 30000;

static const uint64_t plain[] = {0,
				 CPU(0),
				 CTX(501, 500, 0x10),
				 USER,
				 COOKIE(0x10),
				 1,
				 0,
				 KERNEL,
				 STEXT,
				 0,
				 MODULE_LOADED,
				 CPU(1),
				 CTX(502, 500, 0x12),
				 COOKIE(ANON),
				 USER,
				 0x1000004,
				 0,
				 COOKIE(0x13),
				 9,
				 0};
static const uint64_t traces[] = {3,
				  CPU(0),
				  CTX(501, 500, 0x10),
				  TRACE,
				  KERNEL,
				  STEXT,
				  0,
				  STEXT + 9,
				  0,
				  USER,
				  COOKIE(0x11),
				  5,
				  0,
				  COOKIE(ANON),
				  0x7f0000000008,
				  0,
				  COOKIE(0x999),
				  1,
				  0,
				  COOKIE(0x10),
				  7,
				  0,
				  TRACE,
				  8,
				  0,
				  9,
				  0};
static const uint64_t apart[] = {15,
				 CPU(0),
				 CTX(501, 500, 0x10),
				 USER,
				 COOKIE(0x10),
				 1,
				 0,
				 KERNEL,
				 0xffffffffc0100001,
				 0,
				 5,
				 0,
				 CTX(2, 2, ANON),
				 STEXT,
				 0};

const struct fuzz_seed fuzz_seeds[] = {
	{plain, sizeof(plain)},
	{traces, sizeof(traces)},
	{apart, sizeof(apart)},
	{NULL, 0},
};

#define KINDS 32

/* One for each kind; without a directory there is none yet. */
static struct test_session sessions[KINDS];
static unsigned int inputs[KINDS];

static void begin(unsigned int kind)
{
	const struct profile_config config = {
		.separation.lib = kind & 1,
		.separation.kernel = kind & 2,
		.separation.thread = kind & 4,
		.separation.cpu = kind & 8,
		.kernel.mode = kind & 16 ? KERNEL_NO_VMLINUX : KERNEL_KALLSYMS,
	};

	session_open(&sessions[kind], &config);
}

static void end(struct test_session *session)
{
	if (!session->dir)
		return;
	session_check_sums(session);
	session_close(session);
	session->dir = NULL;
}

static void __attribute__((destructor)) end_all(void)
{
	for (unsigned int kind = 0; kind < KINDS; kind++)
		end(&sessions[kind]);
}

static struct test_session *choose_session(unsigned int kind)
{
	if (++inputs[kind] % INPUTS_OF_ONE == 0)
		end(&sessions[kind]);
	if (!sessions[kind].dir)
		begin(kind);
	return &sessions[kind];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint64_t good[] = {
		CPU(0), CTX(501, 500, 0x10), USER, COOKIE(0x10), 1, 0, KERNEL, STEXT, 0};
	static uint64_t words[WORDS_MOST];
	struct test_session *session;
	uint64_t *value, stored, sum;
	size_t count;

	if (size < 8)
		return 0;
	count = size / 8 - 1;
	if (count > WORDS_MOST)
		count = WORDS_MOST;
	session = choose_session(data[0] % KINDS);
	value = session->profile.stats.samples.value;
	memcpy(words, data + 8, count * 8);
	session_feed(session, words, count);
	sum = value[STAT_STORED] + value[STAT_FILTERED] +
	      stats_lost(&session->profile.stats.samples);
	fuzz_must(sum == value[STAT_RECEIVED], "received = stored + lost");
	stored = value[STAT_STORED];
	session_feed(session, good, OP_ARRAY_SIZE(good));
	fuzz_must(value[STAT_STORED] == stored + 2, "a good buffer is understood");
	return 0;
}
