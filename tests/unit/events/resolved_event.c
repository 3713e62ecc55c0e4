// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Specifications of events: what goes to oprofilefs, and on which counter.
 * tests/commands/ophelp_events.sh has those that are refused.
 *
 *	OPROFILE_EVENTS_DIR: the catalogues that are installed
 */
#include "tests/unit/test.h"

#include "libop/base/array.h"
#include "libop/events/catalogue.h"
#include "libop/events/resolved_event.h"
#include "libop/cpu/pmu.h"
#include "libop/cpu/type_names.h"
#include "memory.h"

#define SPECS_MAX 8

/* cmask=1,inv as in "extra" */
#define CMASK1	   (1u << 24)
#define CMASK1_INV (1u << 24 | 1u << 23)

static const struct {
	const char *cpu_name, *spec;
	uint32_t event, unit_mask, extra;
	uint64_t count;
	bool kernel, user;
	unsigned int counter;
} taken[] = {
	{"i386/core_2", "CPU_CLK_UNHALTED:100000", 0x3c, 0, 0, 100000, true, true, 0},
	{"i386/core_2", "CPU_CLK_UNHALTED:100000:0:1:0", 0x3c, 0, 0, 100000, true, false, 0},
	{"i386/core_2", "CPU_CLK_UNHALTED:100000:2:0:1", 0x3c, 2, 0, 100000, false, true, 0},
	{"i386/core_2", "CPU_CLK_UNHALTED:6000::0", 0x3c, 0, 0, 6000, false, true, 0},
	{"i386/core_2", "L2_LINES_IN:4294967295", 0x24, 0x70, 0, 4294967295, true, true, 0},
	/* the default, another sum of entries, a name, names */
	{"i386/core_2", "SEGMENT_REG_LOADS:500", 0x06, 0, 0, 500, true, true, 0},
	{"i386/core_2", "LOAD_BLOCK:500", 0x03, 0x3e, 0, 500, true, true, 0},
	{"i386/core_2", "LOAD_BLOCK:500:0x06", 0x03, 0x06, 0, 500, true, true, 0},
	{"i386/core_2", "LOAD_BLOCK:500:6", 0x03, 0x06, 0, 500, true, true, 0},
	{"i386/core_2", "LOAD_BLOCK:500:STA", 0x03, 0x02, 0, 500, true, true, 0},
	{"i386/core_2", "LOAD_BLOCK:500:STA+L1D", 0x03, 0x22, 0, 500, true, true, 0},
	{"i386/core_2", "LOAD_BLOCK:500:0x02+L1D+inv+cmask=2", 0x03, 0x22, 1 << 23 | 2 << 24, 500,
	 true, true, 0},
	/* modifiers alone go with the default; they may also stand in the event's code */
	{"i386/core_2", "INST_RETIRED:6000:edge+any", 0xc0, 0, 1 << 18 | 1 << 21, 6000, true, true,
	 0},
	{"i386/core_2", "INST_RETIRED:6000:cmask=255", 0xc0, 0, 0xff000000, 6000, true, true, 0},
	{"i386/core_2", "RS_UOPS_DISPATCHED_NONE:1000", 0xa0, 0, CMASK1_INV, 1000, true, true, 0},
	/* entries with modifiers of their own */
	{"i386/haswell", "uops_issued:2000003:any", 0x0e, 1, 0, 2000003, true, true, 0},
	{"i386/haswell", "uops_issued:2000003", 0x0e, 1, 0, 2000003, true, true, 0},
	{"i386/haswell", "uops_issued:2000003:stall_cycles", 0x0e, 1, CMASK1_INV, 2000003, true,
	 true, 0},
	{"i386/haswell", "uops_issued:2000003:core_stall_cycles+edge", 0x0e, 1,
	 CMASK1_INV | 1 << 18 | 1 << 21, 2000003, true, true, 0},
	{"i386/haswell", "l1d_pend_miss:2000003:pending_cycles", 0x48, 1, CMASK1, 2000003, true,
	 true, 2},
	{"i386/haswell", "uops_issued:2000003:0x10", 0x0e, 0x10, 0, 2000003, true, true, 0},
	/* AMD's codes have 12 bits */
	{"x86-64/family10", "L3_EVICTIONS:500", 0x4e3, 0x0f, 0, 500, true, true, 0},
	{"x86-64/family15h", "CYCLES_FPU_EMPTY:500", 0x001, 0, 0, 500, true, true, 3},
	{"i386/p4", "GLOBAL_POWER_EVENTS:100000:1:1:1", 0x1d, 1, 0, 100000, true, true, 0},
	{"i386/arch_perfmon", "LLC_MISSES:6000", 0x2e, 0x41, 0, 6000, true, true, 0},
};

static void load(const char *cpu_name, unsigned int general, unsigned int fixed,
		 struct op_catalogue *catalogue)
{
	const struct op_cpu_pmu *pmu = op_cpu_pmu(cpu_name);
	struct op_counters counters;
	struct op_error error;

	if (!general)
		general = pmu->counters ? pmu->counters : 2;
	counters = op_counters_plain(general, fixed);
	if (op_catalogue_load(cpu_name, &counters, false, catalogue, &error))
		fail_msg("%s", error.text);
}

TEST(specifications_become_values_for_oprofilefs)
{
	const struct op_resolve_options how = {0};

	for (size_t i = 0; i < OP_ARRAY_SIZE(taken); i++) {
		struct op_catalogue catalogue;
		char *spec = (char *)taken[i].spec;
		struct op_resolved_event resolved;
		struct op_error error;
		struct op_event event;

		load(taken[i].cpu_name, 0, 0, &catalogue);
		if (op_events_resolve(&catalogue, &spec, 1, &how, &resolved, &error))
			fail_msg("%s: %s", taken[i].cpu_name, error.text);
		if (resolved.event_code != taken[i].event ||
		    resolved.unit_mask != taken[i].unit_mask || resolved.extra != taken[i].extra ||
		    resolved.count != taken[i].count || resolved.kernel != taken[i].kernel ||
		    resolved.user != taken[i].user || resolved.counter != taken[i].counter)
			fail_msg("%s: event 0x%x unit mask 0x%x extra 0x%x count %llu kernel %d "
				 "user %d counter %u",
				 taken[i].spec, resolved.event_code, resolved.unit_mask,
				 resolved.extra, (unsigned long long)resolved.count,
				 resolved.kernel, resolved.user, resolved.counter);
		op_resolved_event_copy(&resolved, &event);
		assert_int_equal(event.count, taken[i].count);
		assert_int_equal(event.code & 0xfff, taken[i].event);
		assert_int_equal(event.counter, taken[i].counter);
		op_catalogue_free(&catalogue);
	}
}

/* Where it must, each event shares a counter that it can be on. */
TEST(more_events_than_counters_are_multiplexed)
{
	/* on core_2 ITLB_MISS_RETIRED and MEM_LOAD_RETIRED are on counter 0 only */
	static const struct {
		unsigned int fixed, virtual_counters;
		char *specs[SPECS_MAX];
		int counter[SPECS_MAX]; /* -1 in the first: they do not fit */
	} cases[] = {
		{0, 30, {"INST_RETIRED:6000", "LLC_MISSES:6000"}, {0, 1}},
		{0, 30, {"INST_RETIRED:6000", "ITLB_MISS_RETIRED:500"}, {1, 0}},
		{0, 30, {"ITLB_MISS_RETIRED:500", "MEM_LOAD_RETIRED:500"}, {0, 2}},
		{0,
		 30,
		 {"ITLB_MISS_RETIRED:500", "MEM_LOAD_RETIRED:500", "LLC_MISSES:6000"},
		 {0, 2, 1}},
		{0,
		 30,
		 {"LLC_MISSES:6000", "LLC_MISSES:6001", "ITLB_MISS_RETIRED:500",
		  "MEM_LOAD_RETIRED:500", "INST_RETIRED:6000"},
		 {0, 1, 2, 4, 3}},
		/* fixed counters are in all turns: INST_RETIRED leaves the others room */
		{3,
		 26,
		 {"INST_RETIRED:6000", "LLC_MISSES:6000", "MEM_LOAD_RETIRED:500"},
		 {2, 1, 0}},
		{3,
		 26,
		 {"ITLB_MISS_RETIRED:500", "MEM_LOAD_RETIRED:500", "MEM_LOAD_RETIRED:501"},
		 {0, 5, 7}},
		{0,
		 2,
		 {"ITLB_MISS_RETIRED:500", "MEM_LOAD_RETIRED:500", "MEM_LOAD_RETIRED:501"},
		 {-1}},
	};

	for (size_t i = 0; i < OP_ARRAY_SIZE(cases); i++) {
		const struct op_resolve_options how = {0};
		struct op_resolved_event resolved[SPECS_MAX];
		struct op_catalogue catalogue;
		struct op_error error;
		size_t n = 0;
		int result;

		while (cases[i].specs[n])
			n++;
		load("i386/core_2", 0, 0, &catalogue);
		catalogue.counters =
			op_counters_multiplexed(2, cases[i].fixed, cases[i].virtual_counters);
		result = op_events_resolve(&catalogue, (char **)cases[i].specs, n, &how, resolved,
					   &error);
		if (cases[i].counter[0] < 0) {
			assert_int_equal(result, -1);
			assert_non_null(strstr(error.text,
					       "up to 2 multiplexed events on each general one"));
		} else if (result) {
			fail_msg("%s", error.text);
		}
		for (size_t k = 0; !result && k < n; k++) {
			if ((int)resolved[k].counter != cases[i].counter[k])
				fail_msg("case %zu: %s is on %u, not on %d", i, cases[i].specs[k],
					 resolved[k].counter, cases[i].counter[k]);
		}
		op_catalogue_free(&catalogue);
	}
}

/* Numbers that several entries share are refused where it matters which is meant. */
TEST(ambiguous_numbers_need_a_name)
{
	static struct memory_file files[] = {
		{"i386/core_2",
		 "event:0x1 counters:0 um:same minimum:1 name:SAME : a\n"
		 "event:0x2 counters:0 um:other minimum:1 name:OTHER : a\n"
		 "event:0x3 counters:0 um:joined minimum:1 name:JOINED : a\n"
		 "event:0x4 counters:0 um:twins minimum:1 name:TWINS : a\n",
		 "name:same type:exclusive default:0x1\n\t0x1 extra: a A\n\t0x1 extra:pebs b B\n"
		 "name:other type:exclusive default:0x2\n\t0x1 extra: a A\n\t0x1 extra:inv b B\n"
		 "\t0x2 extra: c C\n"
		 "name:twins type:exclusive default:0x1\n\t0x1 extra: a A\n\t0x2 extra: a B\n"
		 "name:joined type:bitmask default:0x2\n\t0x1 extra: a A\n\t0x1 extra:inv b B\n"
		 "\t0x2 extra: c C\n\t0x4 extra:edge d D\n\t0x8 eight\n"},
		{NULL, NULL, NULL},
	};
	static const struct {
		const char *spec, *error; /* NULL: taken */
		uint32_t unit_mask, extra;
	} cases[] = {
		{"SAME:1:1", NULL, 1, 0},
		{"OTHER:1:a", NULL, 1, 0},
		{"OTHER:1:b", NULL, 1, 1 << 23},
		{"OTHER:1:2", NULL, 2, 0},
		{"OTHER:1:1",
		 "event \"OTHER:1:1\": 2 unit masks of the event have the number 0x1: use a name",
		 0, 0},
		{"JOINED:1:0xa", NULL, 10, 0},
		{"JOINED:1:c+0x8", NULL, 10, 0},
		{"JOINED:1:d", NULL, 4, 1 << 18},
		{"JOINED:1:0x4", NULL, 4, 1 << 18},
		{"JOINED:1:3",
		 "event \"JOINED:1:3\": 0x3 contains 0x1, which 2 unit masks of the event share: "
		 "use a name",
		 0, 0},
		{"JOINED:1:c+d",
		 "event \"JOINED:1:c+d\": 0x6 contains 0x4, which counts in another way (D): it "
		 "cannot be combined",
		 0, 0},
		{"TWINS:1:a",
		 "event \"TWINS:1:a\": 2 unit masks of the event are named a: use a number", 0, 0},
		{"JOINED:1:0", "event \"JOINED:1:0\": 0x0 is not a unit mask of the event", 0, 0},
	};
	struct op_counters counters = op_counters_plain(2, 0);
	const struct op_resolve_options how = {0};
	struct op_catalogue catalogue;
	struct op_error error;

	if (op_catalogue_parse("i386/core_2", &counters, memory_read, files, &catalogue, &error))
		fail_msg("%s", error.text);
	/* else libpfm4 would be asked for what is wrong here */
	catalogue.pfm_pmu = "none";
	for (size_t i = 0; i < OP_ARRAY_SIZE(cases); i++) {
		char *spec = (char *)cases[i].spec;
		struct op_resolved_event resolved;

		if (op_events_resolve(&catalogue, &spec, 1, &how, &resolved, &error)) {
			assert_string_equal(error.text, cases[i].error ? cases[i].error : "");
			continue;
		}
		assert_null(cases[i].error);
		assert_int_equal(resolved.unit_mask, cases[i].unit_mask);
		assert_int_equal(resolved.extra, cases[i].extra);
	}
	op_catalogue_free(&catalogue);
}

static void check_counters(struct op_catalogue *catalogue, const char *const *specs,
			   const char *want)
{
	struct op_resolve_options how = {0};
	struct op_resolved_event resolved[SPECS_MAX];
	char have[64] = "";
	struct op_error error;
	size_t n = 0;

	while (specs[n])
		n++;
	if (op_events_resolve(catalogue, (char **)specs, n, &how, resolved, &error)) {
		assert_null(want);
		assert_int_equal(error.code, EBUSY);
		return;
	}
	for (size_t i = 0; i < n; i++)
		sprintf(have + strlen(have), "%u ", resolved[i].counter);
	assert_string_equal(have, want ? want : "refused");
}

#define CHECK_COUNTERS(catalogue, want, ...)                                                       \
	check_counters(catalogue, (const char *const[]){__VA_ARGS__, NULL}, want)

TEST(events_move_to_other_counters_for_each_other)
{
	struct op_catalogue catalogue;

	/* MEM_LOAD_RETIRED is on counter 0 only */
	load("i386/core_2", 2, 0, &catalogue);
	CHECK_COUNTERS(&catalogue, "0 1 ", "INST_RETIRED:6000", "CPU_CLK_UNHALTED:6000");
	CHECK_COUNTERS(&catalogue, "1 0 ", "INST_RETIRED:6000", "MEM_LOAD_RETIRED:500");
	CHECK_COUNTERS(&catalogue, "0 1 ", "MEM_LOAD_RETIRED:500", "INST_RETIRED:6000");
	/* one is held by somebody else */
	catalogue.counters.usable = 2;
	CHECK_COUNTERS(&catalogue, "1 ", "INST_RETIRED:6000");
	CHECK_COUNTERS(&catalogue, NULL, "MEM_LOAD_RETIRED:500");
	op_catalogue_free(&catalogue);

	/* fixed counters stand behind the general ones and take what they count */
	load("i386/haswell", 2, 3, &catalogue);
	CHECK_COUNTERS(&catalogue, "0 1 2 ", "LLC_MISSES:6000", "LLC_REFS:6000",
		       "INST_RETIRED:6000");
	CHECK_COUNTERS(&catalogue, "2 3 0 1 ", "INST_RETIRED:6000", "CPU_CLK_UNHALTED:6000",
		       "LLC_MISSES:6000", "LLC_REFS:6000");
	/* but not with modifiers */
	CHECK_COUNTERS(&catalogue, NULL, "INST_RETIRED:6000:inv", "CPU_CLK_UNHALTED:6000:edge",
		       "LLC_MISSES:6000");
	catalogue.counters.usable &= ~(1ull << 2);
	CHECK_COUNTERS(&catalogue, NULL, "INST_RETIRED:6000", "LLC_MISSES:6000", "LLC_REFS:6000");
	op_catalogue_free(&catalogue);
}

TEST(events_that_cpuid_reports_missing_are_refused)
{
	const struct op_resolve_options how = {0};
	char *spec = (char *)"LLC_REFS:6000";
	struct op_catalogue catalogue;
	struct op_resolved_event resolved;
	struct op_error error;

	load("i386/arch_perfmon", 2, 0, &catalogue);
	catalogue.counters.absent_events = 1 << 3;
	assert_int_equal(op_events_resolve(&catalogue, &spec, 1, &how, &resolved, &error), -1);
	assert_string_equal(
		error.text,
		"event \"LLC_REFS:6000\": this CPU does not have the event, according to CPUID");
	op_catalogue_free(&catalogue);
}
