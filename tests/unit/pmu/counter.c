// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The counters of the guests' PMU: what each counts, where it wraps, how far that is.
 */
#include "libop/base/array.h"
#include "tests/unit/test.h"

#include "tests/vm/pmu/counter.h"

#define USR    PMU_SELECT_USR
#define OS     PMU_SELECT_OS
#define INT    PMU_SELECT_INT
#define ENABLE PMU_SELECT_ENABLE
#define FIXED  PMU_GENERAL_MAX

/* What a CPU retires at a time: 70 instructions in user mode, 11 in kernel mode. */
static const struct pmu_totals stretch = {{
	[PMU_USER] = {[PMU_INSTRUCTIONS] = 70,
		      [PMU_JUMP] = 1,
		      [PMU_CONDITIONAL] = 20,
		      [PMU_CALL] = 4,
		      [PMU_RETURN] = 3,
		      [PMU_FAR] = 2},
	[PMU_KERNEL] = {[PMU_INSTRUCTIONS] = 11,
			[PMU_JUMP] = 0,
			[PMU_CONDITIONAL] = 5,
			[PMU_CALL] = 1,
			[PMU_RETURN] = 1,
			[PMU_FAR] = 1},
}};

static void reset(struct pmu *pmu, const char *model)
{
	pmu_reset(pmu, pmu_model_find(model));
}

/* One counter's event select, and what it counts in that stretch. */
static const struct {
	const char *model;
	uint64_t select;
	uint64_t counts;
} events[] = {
	{"nehalem", ENABLE | USR | OS | 0xc0, 81},
	{"nehalem", ENABLE | USR | 0xc0, 70},
	{"nehalem", ENABLE | OS | 0xc0, 11},
	{"nehalem", ENABLE | 0xc0, 0},
	{"nehalem", USR | OS | 0xc0, 0},
	{"nehalem", ENABLE | USR | 0x3c, 70},
	{"nehalem", ENABLE | USR | 0x13c, 70},
	{"nehalem", ENABLE | USR | 0x23c, 0},
	{"nehalem", ENABLE | USR | 0xc4, 30},
	{"nehalem", ENABLE | USR | 0x1c4, 20},
	{"nehalem", ENABLE | USR | 0x2c4, 4},
	{"nehalem", ENABLE | USR | 0x4c4, 30},
	{"nehalem", ENABLE | USR | 0x8c4, 3},
	{"nehalem", ENABLE | USR | 0x40c4, 2},
	{"nehalem", ENABLE | USR | 0x4bc4, 29},
	{"nehalem", ENABLE | USR | 0x10c4, 0},
	{"nehalem", ENABLE | USR | 0xc5, 0},
	{"alderlake", ENABLE | USR | 0x2c4, 4},
	{"gracemont", ENABLE | USR | 0xc0, 70},
	{"gracemont", ENABLE | USR | 0xc4, 30},
	{"gracemont", ENABLE | USR | 0x2c4, 0},
	{"gracemont", ENABLE | USR | 0xf9c4, 4},
	{"gracemont", ENABLE | USR | 0xf7c4, 3},
	{"gracemont", ENABLE | USR | 0x7ec4, 20},
	{"gracemont", ENABLE | USR | 0xbfc4, 2},
	{"zen4", ENABLE | USR | 0xc2, 30},
	{"nehalem", ENABLE | USR | 0x4f2e, 0},
	{"nehalem", ENABLE | USR | 0, 0},
	{"nehalem", ENABLE | USR | UINT64_C(0xff840000) | 0xc0, 70}, /* EDGE INV CMASK */
	{"core", ENABLE | USR | OS | 0xc0, 81},
	{"p6", ENABLE | OS | 0x79, 11},
	{"p6", ENABLE | OS | 0x3c, 0},
	{"k8", ENABLE | USR | 0x76, 70},
	{"k8", ENABLE | USR | OS | 0xc2, 38},
	{"k8", ENABLE | USR | 0x3c, 0},
	{"k8", ENABLE | USR | UINT64_C(0x1000000c0), 0}, /* event 0x1c0 */
	{"zen", ENABLE | USR | OS | 0xc0, 81},
};

TEST(events_count_what_they_name)
{
	for (size_t i = 0; i < OP_ARRAY_SIZE(events); i++) {
		struct pmu pmu;

		reset(&pmu, events[i].model);
		pmu.select[0] = events[i].select;
		pmu.counter[0] = 1000;
		pmu_advance(&pmu, &stretch);
		if (pmu.counter[0] != 1000 + events[i].counts)
			fail_msg("%s %#lx: %lu instead of %lu", events[i].model, events[i].select,
				 pmu.counter[0] - 1000, events[i].counts);
		/* time that has passed once has passed */
		pmu_advance(&pmu, &stretch);
		assert_int_equal(pmu.counter[0], 1000 + events[i].counts);
	}
}

TEST(fixed_counters_have_a_ring_each)
{
	static const struct {
		uint64_t control;
		uint64_t counts[3];
	} cases[] = {
		{0x000, {0, 0, 0}},  {0x001, {11, 0, 0}},   {0x020, {0, 70, 0}},
		{0x300, {0, 0, 81}}, {0x213, {81, 11, 70}}, {0x888, {0, 0, 0}},
	};
	struct pmu pmu;

	for (size_t i = 0; i < OP_ARRAY_SIZE(cases); i++) {
		reset(&pmu, "icelake");
		pmu.fixed_control = cases[i].control | 0xf000; /* the fourth counts slots: never */
		pmu.global_control = pmu_global_mask(pmu.model);
		pmu_advance(&pmu, &stretch);
		for (unsigned int c = 0; c < 3; c++)
			assert_int_equal(pmu.counter[FIXED + c], cases[i].counts[c]);
		assert_int_equal(pmu.counter[FIXED + 3], 0);
	}
}

TEST(global_control_stops_counters)
{
	struct pmu pmu;

	reset(&pmu, "nehalem");
	assert_int_equal(pmu_global_mask(pmu.model), UINT64_C(0x70000000f));
	assert_int_equal(pmu.global_control, 0xf);
	for (unsigned int i = 0; i < 4; i++)
		pmu.select[i] = ENABLE | USR | 0xc0;
	pmu.fixed_control = 0x222;
	pmu.global_control = UINT64_C(0x200000005);
	pmu_advance(&pmu, &stretch);
	assert_int_equal(pmu.counter[0], 70);
	assert_int_equal(pmu.counter[1], 0);
	assert_int_equal(pmu.counter[2], 70);
	assert_int_equal(pmu.counter[3], 0);
	assert_int_equal(pmu.counter[FIXED], 0);
	assert_int_equal(pmu.counter[FIXED + 1], 70);
	assert_int_equal(pmu.counter[FIXED + 2], 0);
}

TEST(p6_has_one_enable_bit)
{
	struct pmu pmu;

	reset(&pmu, "p6");
	pmu.select[0] = 0;
	pmu.select[1] = ENABLE | USR | 0xc0;
	pmu_advance(&pmu, &stretch);
	assert_int_equal(pmu.counter[1], 0);
	reset(&pmu, "p6");
	pmu.select[0] = ENABLE;
	pmu.select[1] = USR | 0xc0;
	pmu_advance(&pmu, &stretch);
	assert_int_equal(pmu.counter[1], 70);
}

/* A counter of WIDTH bits, BEFORE events from its wrap, counts 70. */
TEST(counters_wrap_at_their_width)
{
	static const struct {
		const char *model;
		uint64_t max;
		uint64_t before;
		bool wraps;
	} cases[] = {
		{"core", UINT64_C(0xffffffffff), 71, false},
		{"core", UINT64_C(0xffffffffff), 70, true},
		{"core", UINT64_C(0xffffffffff), 1, true},
		{"nehalem", UINT64_C(0xffffffffffff), 71, false},
		{"nehalem", UINT64_C(0xffffffffffff), 70, true},
		{"k8", UINT64_C(0xffffffffffff), 69, true},
		{"zen", UINT64_C(0xffffffffffff), 71, false},
	};

	for (size_t i = 0; i < OP_ARRAY_SIZE(cases); i++) {
		struct pmu pmu;
		bool global;

		reset(&pmu, cases[i].model);
		global = pmu_has_global(pmu.model);
		assert_int_equal(pmu_counter_max(pmu.model, 0), cases[i].max);
		pmu.select[0] = ENABLE | INT | USR | 0xc0;
		pmu.select[1] = ENABLE | USR | 0xc0; /* does not ask for an interrupt */
		pmu.counter[0] = pmu.counter[1] = cases[i].max + 1 - cases[i].before;
		assert_int_equal(pmu_advance(&pmu, &stretch), cases[i].wraps);
		assert_int_equal(pmu.counter[0],
				 cases[i].wraps ? 70 - cases[i].before : cases[i].max);
		assert_int_equal(pmu.counter[1], pmu.counter[0]);
		assert_int_equal(pmu.global_status, global && cases[i].wraps ? 3 : 0);
	}
}

TEST(fixed_counters_wrap_and_ask)
{
	struct pmu pmu;

	for (unsigned int asks = 0; asks < 2; asks++) {
		reset(&pmu, "nehalem");
		pmu.global_control = pmu_global_mask(pmu.model);
		pmu.fixed_control = asks ? 0xa0 : 0x20;
		pmu.counter[FIXED + 1] = pmu_counter_max(pmu.model, FIXED + 1);
		assert_int_equal(pmu_advance(&pmu, &stretch), asks);
		assert_int_equal(pmu.counter[FIXED + 1], 69);
		assert_int_equal(pmu.global_status, UINT64_C(0x200000000));
	}
}

/* Where in a run of ten instructions the first of the counters overflows. */
TEST(overflow_is_found_in_a_run)
{
	static const struct {
		uint64_t select;
		uint64_t before;
		enum pmu_ring ring;
		enum pmu_quantity branch;
		unsigned int at;
	} cases[] = {
		{USR | 0xc0, 1, PMU_USER, PMU_INSTRUCTIONS, 1},
		{USR | 0xc0, 9, PMU_USER, PMU_CALL, 9},
		{USR | 0xc0, 10, PMU_USER, PMU_CALL, 10},
		{USR | 0xc0, 11, PMU_USER, PMU_CALL, 0},
		{USR | 0xc0, 1, PMU_KERNEL, PMU_CALL, 0},
		{USR | OS | 0xc0, 5, PMU_KERNEL, PMU_CALL, 5},
		{OS | 0xc0, 5, PMU_USER, PMU_CALL, 0},
		{USR | 0xc4, 1, PMU_USER, PMU_CALL, 10},
		{USR | 0xc4, 2, PMU_USER, PMU_CALL, 0},
		{USR | 0xc4, 1, PMU_USER, PMU_INSTRUCTIONS, 0},
		{USR | 0x1c4, 1, PMU_USER, PMU_CALL, 0},
		{USR | 0x1c4, 1, PMU_USER, PMU_CONDITIONAL, 10},
		{USR | 0xff, 1, PMU_USER, PMU_CALL, 0},
	};

	for (size_t i = 0; i < OP_ARRAY_SIZE(cases); i++) {
		struct pmu_run run = {10, cases[i].ring, cases[i].branch};
		struct pmu pmu;

		reset(&pmu, "nehalem");
		pmu.select[2] = ENABLE | cases[i].select;
		pmu.counter[2] = pmu_counter_max(pmu.model, 2) + 1 - cases[i].before;
		if (pmu_overflow_in(&pmu, &run) != cases[i].at)
			fail_msg("case %zu: %u", i, pmu_overflow_in(&pmu, &run));
		/* the nearer of two wins */
		if (cases[i].at > 3) {
			pmu.select[0] = ENABLE | USR | OS | 0xc0;
			pmu.counter[0] = pmu_counter_max(pmu.model, 0) - 2;
			assert_int_equal(pmu_overflow_in(&pmu, &run), 3);
		}
	}
}

/*
 * Whatever a CPU does with its budgets, it does not miss an overflow: it looks when one of them
 * is used up, and the counters have wrapped at most by the instructions of that very look.
 */
TEST(budgets_never_pass_an_overflow)
{
	static const uint64_t selects[] = {
		USR | 0xc0,  OS | 0xc0,	      USR | OS | 0xc0,
		USR | 0x1c4, USR | OS | 0xc4, USR | OS | 0xff,
	};

	srand(1);
	for (unsigned int turn = 0; turn < 2000; turn++) {
		struct pmu_totals now = {0};
		unsigned int looks = 0;
		struct pmu pmu;

		reset(&pmu, "nehalem");
		for (unsigned int i = 0; i < 4; i++) {
			pmu.select[i] = ENABLE | INT | selects[rand() % 6];
			pmu.counter[i] = pmu_counter_max(pmu.model, i) - rand() % 20000;
		}
		while (looks < 200) {
			enum pmu_ring ring = rand() & 1;
			uint64_t other = pmu_budget(&pmu, !ring), mine = pmu_budget(&pmu, ring);

			assert_uint_in_range(mine, 1, PMU_FAR_AWAY);
			/* just before either is used up nothing has wrapped */
			mine = mine > 100000 ? 100000 : mine;
			other = other > 100000 ? 100000 : other;
			now.count[ring][PMU_INSTRUCTIONS] += mine - 1;
			now.count[ring][PMU_CONDITIONAL] += mine - 1;
			now.count[!ring][PMU_INSTRUCTIONS] += other - 1;
			now.count[!ring][PMU_CONDITIONAL] += other - 1;
			assert_false(pmu_advance(&pmu, &now));
			/* and the overflow itself is seen by whoever looks at the next one */
			now.count[ring][PMU_INSTRUCTIONS]++;
			looks++;
			if (pmu_advance(&pmu, &now))
				break;
		}
	}
}

/* Looking when a budget is used up comes to an overflow in few steps. */
TEST(budgets_come_to_the_overflow)
{
	struct pmu_totals now = {0};
	unsigned int looks = 0;
	struct pmu pmu;

	reset(&pmu, "nehalem");
	pmu.select[0] = ENABLE | INT | USR | OS | 0xc0;
	pmu.counter[0] = pmu_counter_max(pmu.model, 0) + 1 - 1000000;
	do {
		now.count[PMU_USER][PMU_INSTRUCTIONS] += pmu_budget(&pmu, PMU_USER);
		looks++;
	} while (!pmu_advance(&pmu, &now));
	assert_int_equal(now.count[PMU_USER][PMU_INSTRUCTIONS], 1000000);
	assert_uint_in_range(looks, 1, 21);
	/* and with nothing to count there is no look at all */
	reset(&pmu, "nehalem");
	assert_int_equal(pmu_budget(&pmu, PMU_USER), PMU_FAR_AWAY);
}
