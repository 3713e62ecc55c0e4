// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The size of copies of stacks follows what samples need, up at once and down with patience; and
 * chains by unwinding and by frame pointers are joined only where they agree.
 */
#include <linux/perf_event.h>

#include "tests/unit/test.h"

#include "libop/perf/chain.h"
#include "libop/perf/copies.h"
#include "libop/base/array.h"

#define LARGE_RING (8 << 20)
#define SMALL_RING (256 << 10)

static uint32_t size_of(const struct perf_copies *copies)
{
	return copies->size[copies->chosen];
}

static void take(struct perf_copies *copies, uint64_t needed, unsigned int samples)
{
	while (samples--)
		perf_copies_take(copies, needed);
}

/* Windows of samples, as many as are asked for before a smaller size is taken. */
static void rest(struct perf_copies *copies, uint64_t needed)
{
	take(copies, needed, copies->needed_calm * PERF_COPIES_WINDOW);
}

TEST(a_fixed_size_stays)
{
	struct perf_copies copies = perf_copies_fixed(16384);

	take(&copies, 16385, 10 * PERF_COPIES_WINDOW);
	perf_copies_lost(&copies, 1000);
	take(&copies, 0, 10 * PERF_COPIES_WINDOW);
	assert_int_equal(size_of(&copies), 16384);
}

TEST(a_small_ring_has_smaller_copies)
{
	struct perf_copies copies = perf_copies_adapting(SMALL_RING);

	/* it has room for few of those that larger rings begin with */
	assert_int_equal(size_of(&copies), 8192);
	take(&copies, UINT64_MAX, 10 * PERF_COPIES_WINDOW);
	assert_int_equal(size_of(&copies), SMALL_RING / 8);
	copies = perf_copies_adapting(4096);
	assert_true(copies.size[copies.n - 1] <= 4096 / 8);
	for (size_t i = 0; i < copies.n; i++)
		assert_int_equal(copies.size[i] % 8, 0);
}

TEST(deeper_stacks_get_larger_copies_at_once)
{
	struct perf_copies copies = perf_copies_adapting(LARGE_RING);
	uint32_t first = size_of(&copies), next;

	/* fewer than 2 in 100 ask for nothing, for ever */
	for (int i = 0; i < 100; i++) {
		take(&copies, first, PERF_COPIES_WINDOW - PERF_COPIES_CUT + 1);
		take(&copies, first + 1, PERF_COPIES_CUT - 1);
	}
	assert_int_equal(size_of(&copies), first);
	take(&copies, first + 1, PERF_COPIES_CUT);
	next = size_of(&copies);
	assert_true(next > first);
	/* those that were taken with the smaller copy come after that, and do not count */
	take(&copies, first + 1, PERF_COPIES_WINDOW);
	assert_int_equal(size_of(&copies), next);
	take(&copies, next + 1, PERF_COPIES_WINDOW);
	assert_int_equal(copies.chosen, copies.n - 1);
}

TEST(shallow_stacks_get_smaller_copies_with_patience)
{
	struct perf_copies copies = perf_copies_adapting(LARGE_RING);
	uint32_t first = size_of(&copies), small = copies.size[0];
	unsigned int patience = copies.needed_calm;

	assert_true(small < first);
	take(&copies, small, patience * PERF_COPIES_WINDOW - 1);
	assert_int_equal(size_of(&copies), first);
	take(&copies, small, 1);
	assert_int_equal(size_of(&copies), small);
	/* each time that it was too small after all, it takes twice as long; there is an end to it
	 */
	for (int i = 0; i < 20; i++) {
		take(&copies, small + 1, PERF_COPIES_CUT);
		assert_int_equal(size_of(&copies), first);
		assert_true(copies.needed_calm == 2 * patience ||
			    copies.needed_calm == PERF_COPIES_CALM_MOST);
		patience = copies.needed_calm;
		rest(&copies, small);
		assert_int_equal(size_of(&copies), small);
	}
}

TEST(lost_samples_make_copies_smaller)
{
	struct perf_copies copies = perf_copies_adapting(LARGE_RING);
	uint32_t first = size_of(&copies);

	/* one in a hundred is no reason */
	perf_copies_lost(&copies, PERF_COPIES_WINDOW / 100);
	take(&copies, first, PERF_COPIES_WINDOW);
	assert_int_equal(size_of(&copies), first);
	/* one in ten is one at once */
	perf_copies_lost(&copies, PERF_COPIES_WINDOW / 10);
	assert_int_equal(copies.chosen, 0);
	take(&copies, first, PERF_COPIES_WINDOW);
	assert_int_equal(copies.chosen, 0);
	/* and for a while no need for more is heard */
	take(&copies, first, (PERF_COPIES_HOLD - 1) * PERF_COPIES_WINDOW);
	assert_int_equal(copies.chosen, 0);
	take(&copies, first, 2 * PERF_COPIES_WINDOW);
	assert_int_equal(size_of(&copies), first);
}

/* ---- chains ---- */

TEST(chains_join_where_two_callers_agree)
{
	static const struct {
		uint64_t unwound[8], by_fp[8], joined[8];
	} cases[] = {
		/* the caller of a leaf is missing, and the rest goes on */
		{{1, 2, 3, 4}, {1, 3, 4, 5, 6}, {1, 2, 3, 4, 5, 6}},
		{{1, 2, 3}, {1, 2, 3, 4}, {1, 2, 3, 4}},
		{{1, 2}, {1, 2, 3}, {1, 2, 3}},
		/* recursion: as deep as it was unwound */
		{{1, 2, 2, 2}, {1, 2, 2, 2, 2, 3}, {1, 2, 2, 2, 2, 3}},
		/* nothing was unwound */
		{{1}, {1, 2, 3}, {1, 2, 3}},
		{{0}, {1, 2, 3}, {1, 2, 3}},
		/* they do not agree */
		{{1, 2, 3}, {1, 9, 3, 4}, {1, 2, 3}},
		{{1, 2, 3}, {1, 7, 8}, {1, 2, 3}},
		{{1, 2, 3}, {1}, {1, 2, 3}},
		{{1, 2, 3}, {0}, {1, 2, 3}},
	};

	for (size_t i = 0; i < OP_ARRAY_SIZE(cases); i++) {
		uint64_t frame[PERF_UNWIND_FRAMES_MOST] = {0};
		size_t count = 0, n = 0, joined = 0;

		for (; cases[i].unwound[count]; count++)
			frame[count] = cases[i].unwound[count];
		while (cases[i].by_fp[n])
			n++;
		while (cases[i].joined[joined])
			joined++;
		assert_int_equal(perf_chain_join(frame, count, cases[i].by_fp, n), joined);
		assert_memory_equal(frame, cases[i].joined, joined * sizeof(*frame));
	}
}

TEST(joined_chains_are_bounded)
{
	uint64_t frame[PERF_UNWIND_FRAMES_MOST], by_fp[PERF_UNWIND_FRAMES_MOST];

	for (size_t i = 0; i < PERF_UNWIND_FRAMES_MOST; i++) {
		frame[i] = i < 3 ? 1 : i;
		by_fp[i] = i + 1;
	}
	by_fp[0] = 1;
	by_fp[1] = 1;
	by_fp[2] = 1;
	assert_int_equal(
		perf_chain_join(frame, PERF_UNWIND_FRAMES_MOST, by_fp, PERF_UNWIND_FRAMES_MOST),
		PERF_UNWIND_FRAMES_MOST);
	assert_int_equal(perf_chain_join(frame, 3, by_fp, PERF_UNWIND_FRAMES_MOST),
			 PERF_UNWIND_FRAMES_MOST);
}

TEST(user_code_of_a_chain_is_found_behind_its_marker)
{
	const uint64_t chain[] = {PERF_CONTEXT_KERNEL, 11, 12, PERF_CONTEXT_USER, 1, 2, 3};
	const struct perf_sample sample = {.chain = (const uint8_t *)chain,
					   .chain_size = OP_ARRAY_SIZE(chain)};
	const struct perf_sample kernel = {.chain = (const uint8_t *)chain, .chain_size = 3};
	uint64_t found[PERF_UNWIND_FRAMES_MOST];

	assert_int_equal(perf_chain_by_fp(&sample, found), 3);
	assert_memory_equal(found, &chain[4], 3 * sizeof(*found));
	assert_int_equal(perf_chain_by_fp(&kernel, found), 0);
}
