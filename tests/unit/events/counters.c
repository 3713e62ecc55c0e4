// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * CPUs and counters: the type of a CPU, how many counters it has, and which events get which.
 */
#include "tests/unit/test.h"

#include "libop/events/counters.h"
#include "libop/cpu/detect.h"
#include "libop/cpu/pmu.h"
#include "libop/cpu/type_names.h"
#include "libop/base/array.h"
#include "libop/base/file.h"

#define PERFMON(version, counters) ((version) | (counters) << 8 | 48 << 16 | 7 << 24)

static const struct {
	struct op_cpu_id cpu;
	const char *name; /* NULL: none */
} types[] = {
	{{.vendor = "GenuineIntel", .family = 6, .model = 1}, "i386/ppro"},
	{{.vendor = "GenuineIntel", .family = 6, .model = 5}, "i386/pii"},
	{{.vendor = "GenuineIntel", .family = 6, .model = 8}, "i386/piii"},
	{{.vendor = "GenuineIntel", .family = 6, .model = 0xb}, "i386/piii"},
	{{.vendor = "GenuineIntel", .family = 6, .model = 0xd}, "i386/p6_mobile"},
	{{.vendor = "GenuineIntel", .family = 6, .model = 0xe}, "i386/core"},
	{{.vendor = "GenuineIntel", .family = 6, .model = 0x17}, "i386/core_2"},
	{{.vendor = "GenuineIntel", .family = 6, .model = 0x1a}, "i386/core_i7"},
	{{.vendor = "GenuineIntel", .family = 6, .model = 0x1c}, "i386/atom"},
	{{.vendor = "GenuineIntel", .family = 6, .model = 0x2c}, "i386/westmere"},
	{{.vendor = "GenuineIntel", .family = 6, .model = 0x2d}, "i386/sandybridge"},
	{{.vendor = "GenuineIntel", .family = 6, .model = 0x3e}, "i386/ivybridge"},
	{{.vendor = "GenuineIntel", .family = 6, .model = 0x3f}, "i386/haswell"},
	{{.vendor = "GenuineIntel", .family = 6, .model = 0x47}, "i386/broadwell"},
	{{.vendor = "GenuineIntel", .family = 6, .model = 0x55}, "i386/skylake"},
	{{.vendor = "GenuineIntel", .family = 6, .model = 0x4d}, "i386/silvermont"},
	{{.vendor = "GenuineIntel", .family = 6, .model = 0x5f}, "i386/goldmont"},
	{{.vendor = "GenuineIntel", .family = 6, .model = 0x7a}, "i386/goldmontplus"},
	{{.vendor = "GenuineIntel", .family = 6, .model = 0x57}, "i386/knightslanding"},
	{{.vendor = "GenuineIntel", .family = 6, .model = 0x6a}, "i386/icelake"},
	{{.vendor = "GenuineIntel", .family = 6, .model = 0x97}, "i386/alderlake"},
	{{.vendor = "GenuineIntel", .family = 6, .model = 0xbe}, "i386/gracemont"},
	{{.vendor = "GenuineIntel", .family = 6, .model = 0xb7}, "i386/raptorlake"},
	{{.vendor = "GenuineIntel", .family = 6, .model = 0x8f}, "i386/sapphirerapids"},
	{{.vendor = "GenuineIntel", .family = 6, .model = 0xcf}, "i386/emeraldrapids"},
	{{.vendor = "GenuineIntel", .family = 6, .model = 0xaa}, "i386/meteorlake"},
	{{.vendor = "GenuineIntel", .family = 6, .model = 0xad}, "i386/graniterapids"},
	{{.vendor = "GenuineIntel", .family = 6, .model = 0xf0}, NULL},
	{{.vendor = "GenuineIntel", .family = 6, .model = 0xf0, .perfmon_eax = PERFMON(5, 8)},
	 "i386/arch_perfmon"},
	{{.vendor = "GenuineIntel", .family = 0x12, .perfmon_eax = PERFMON(6, 8)},
	 "i386/arch_perfmon"},
	{{.vendor = "GenuineIntel", .family = 0xf, .model = 2, .siblings = 1}, "i386/p4"},
	{{.vendor = "GenuineIntel", .family = 0xf, .model = 4, .siblings = 2}, "i386/p4-ht"},
	{{.vendor = "GenuineIntel", .family = 0xf, .model = 5, .siblings = 1}, NULL},
	{{.vendor = "GenuineIntel", .family = 5, .model = 2}, NULL},
	{{.vendor = "CentaurHauls", .family = 6, .model = 0xf, .perfmon_eax = PERFMON(2, 3)},
	 "i386/arch_perfmon"},
	{{.vendor = "  Shanghai  ", .family = 7, .model = 0x1b}, NULL},
	{{.vendor = "AuthenticAMD", .family = 5}, NULL},
	{{.vendor = "AuthenticAMD", .family = 6, .model = 8}, "i386/athlon"},
	{{.vendor = "AuthenticAMD", .family = 0xf, .model = 0x41}, "x86-64/hammer"},
	{{.vendor = "AuthenticAMD", .family = 0x10}, "x86-64/family10"},
	{{.vendor = "AuthenticAMD", .family = 0x11}, "x86-64/family11h"},
	{{.vendor = "AuthenticAMD", .family = 0x13}, NULL},
	{{.vendor = "AuthenticAMD", .family = 0x15, .model = 2}, "x86-64/family15h"},
	{{.vendor = "AuthenticAMD", .family = 0x16, .model = 0}, "x86-64/family16h"},
	{{.vendor = "AuthenticAMD", .family = 0x17, .model = 1}, "x86-64/zen1"},
	{{.vendor = "AuthenticAMD", .family = 0x17, .model = 0x71}, "x86-64/zen2"},
	{{.vendor = "AuthenticAMD", .family = 0x19, .model = 0x21}, "x86-64/zen3"},
	{{.vendor = "AuthenticAMD", .family = 0x19, .model = 0x61}, "x86-64/zen4"},
	{{.vendor = "AuthenticAMD", .family = 0x1a, .model = 0x44}, "x86-64/zen5"},
	{{.vendor = "AuthenticAMD", .family = 0x1b, .model = 0}, "x86-64/generic"},
	{{.vendor = "HygonGenuine", .family = 0x18, .model = 0}, "x86-64/zen1"},
	{{.vendor = ""}, NULL},
};

TEST(a_cpu_has_its_type)
{
	for (size_t i = 0; i < OP_ARRAY_SIZE(types); i++) {
		const char *name = op_cpu_type_name(op_cpu_id_type(&types[i].cpu));

		if (!types[i].name != !name || (name && strcmp(name, types[i].name)))
			fail_msg("%s family 0x%x model 0x%x: %s, not %s", types[i].cpu.vendor,
				 types[i].cpu.family, types[i].cpu.model, name ? name : "none",
				 types[i].name ? types[i].name : "none");
	}
}

TEST(new_types_follow_the_last_of_oprofile)
{
	assert_string_equal(op_cpu_type_name(87), "arm/armv8-thunderx2");
	assert_string_equal(op_cpu_type_name(88), "i386/tremont");
	assert_string_equal(op_cpu_type_name(107), "x86-64/zen5");
	assert_string_equal(op_cpu_type_name(108), "perf");
	assert_null(op_cpu_type_name(109));
}

/* What the driver says goes first, unless it only says the general name. */
static const struct {
	const char *driver; /* NULL: no driver */
	struct op_cpu_id cpu;
	const char *name;
} detected[] = {
	{"timer", {.vendor = "GenuineIntel", .family = 6, .model = 0x3c}, "timer"},
	{"nmi_timer\n", {.vendor = "GenuineIntel", .family = 6, .model = 0x3c}, "timer"},
	{"i386/core_2", {.vendor = "AuthenticAMD", .family = 0x17}, "i386/core_2"},
	{"i386/arch_perfmon",
	 {.vendor = "GenuineIntel", .family = 6, .model = 0x8f},
	 "i386/sapphirerapids"},
	{"i386/arch_perfmon", {.vendor = ""}, "i386/arch_perfmon"},
	{"i386/arch_perfmon",
	 {.vendor = "GenuineIntel", .family = 6, .model = 0x97, .hybrid = true},
	 "i386/arch_perfmon"},
	{NULL,
	 {.vendor = "GenuineIntel", .family = 6, .model = 0x97, .hybrid = true},
	 "i386/alderlake"},
	{"x86-64/generic", {.vendor = "AuthenticAMD", .family = 0x1a}, "x86-64/zen5"},
	{NULL, {.vendor = "AuthenticAMD", .family = 0x19}, "x86-64/zen3"},
	{NULL, {.vendor = ""}, NULL},
	{"nonsense", {.vendor = "AuthenticAMD", .family = 0x19}, NULL},
};

TEST(the_driver_says_the_type)
{
	char dir[] = "/tmp/op-detect-XXXXXX";
	struct op_error error;
	char *path;

	assert_non_null(mkdtemp(dir));
	path = op_path("%s/cpu_type", dir);
	for (size_t i = 0; i < OP_ARRAY_SIZE(detected); i++) {
		const char *name;

		unlink(path);
		if (detected[i].driver)
			assert_int_equal(op_file_replace(path, detected[i].driver,
							 strlen(detected[i].driver), 0600, &error),
					 0);
		name = op_cpu_type_name(op_cpu_type_detect(dir, &detected[i].cpu, &error));
		if (detected[i].name)
			assert_string_equal(name, detected[i].name);
		else
			assert_null(name);
	}
	unlink(path);
	rmdir(dir);
	free(path);
}

static const struct {
	const char *type;
	bool has_cpu;
	struct op_cpu_id cpu;
	unsigned int general, fixed;
	uint32_t absent;
} numbers[] = {
	{"i386/ppro", false, {.family = 0}, 2, 0, 0},
	{"i386/p4", false, {.family = 0}, 8, 0, 0},
	{"i386/haswell", false, {.family = 0}, 4, 0, 0},
	{"i386/arch_perfmon", false, {.family = 0}, 0, 0, 0},
	{"i386/haswell", true, {.perfmon_eax = PERFMON(3, 8), .perfmon_edx = 0x603}, 8, 3, 0},
	{"i386/arch_perfmon", true, {.perfmon_eax = PERFMON(1, 2), .perfmon_edx = 3}, 2, 0, 0},
	/* a virtual machine without PMU */
	{"i386/haswell", true, {.perfmon_eax = 0}, 0, 0, 0},
	/* bits of EBX above the length that EAX gives mean nothing */
	{"i386/core_2", true, {.perfmon_eax = PERFMON(2, 2), .perfmon_ebx = 0xff84}, 2, 0, 4},
	{"x86-64/family15h", false, {.family = 0}, 6, 0, 0},
	{"x86-64/zen3", true, {.amd_core_counters = true}, 6, 0, 0},
	{"x86-64/zen3", true, {.amd_core_counters = false}, 4, 0, 0},
	{"x86-64/zen5", true, {.amd_core_counters = true, .amd_counters = 6}, 6, 0, 0},
	{"x86-64/hammer", true, {.amd_core_counters = false}, 4, 0, 0},
	{"timer", false, {.family = 0}, 0, 0, 0},
	{"ppc64/power9", false, {.family = 0}, 0, 0, 0},
};

TEST(a_cpu_has_its_counters)
{
	for (size_t i = 0; i < OP_ARRAY_SIZE(numbers); i++) {
		struct op_counters counters =
			op_counters_of(op_cpu_type_number(numbers[i].type),
				       numbers[i].has_cpu ? &numbers[i].cpu : NULL);

		assert_int_equal(counters.general, numbers[i].general);
		assert_int_equal(counters.fixed, numbers[i].fixed);
		assert_int_equal(counters.absent_events, numbers[i].absent);
		assert_int_equal(counters.usable,
				 (1ull << (numbers[i].general + numbers[i].fixed)) - 1);
	}
}

/* Tries every way, the lowest counters first: what op_counters_allocate() must agree with. */
static bool try_all(const uint64_t *allowed, size_t n, size_t at, uint64_t taken,
		    unsigned int *counter)
{
	if (at == n)
		return true;
	if (!allowed[at])
		return try_all(allowed, n, at + 1, taken, counter);
	for (unsigned int c = 0; c < 8; c++) {
		if (!(allowed[at] & ~taken & 1ull << c))
			continue;
		counter[at] = c;
		if (try_all(allowed, n, at + 1, taken | 1ull << c, counter))
			return true;
	}
	return false;
}

static uint32_t next_random(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

TEST(events_get_the_counters_of_trying_all)
{
	uint32_t random = 20051;
	unsigned int found = 0, none = 0;

	for (int round = 0; round < 200000; round++) {
		unsigned int have[8] = {0}, want[8] = {0};
		uint64_t allowed[8];
		size_t n = 1 + next_random(&random) % 7;
		unsigned int width = 1 + next_random(&random) % 8;
		bool possible;

		for (size_t i = 0; i < n; i++) {
			allowed[i] = next_random(&random) & ((1u << width) - 1);
			if (next_random(&random) % 3 == 0)
				allowed[i] &= next_random(&random);
		}
		possible = try_all(allowed, n, 0, 0, want);
		assert_int_equal(op_counters_allocate(allowed, n, have), possible ? 0 : -1);
		if (possible) {
			for (size_t i = 0; i < n; i++) {
				if (allowed[i])
					assert_int_equal(have[i], want[i]);
			}
			found++;
		} else {
			none++;
		}
	}
	/* both kinds were there in numbers */
	assert_true(found > 10000 && none > 10000);
}

/* 64 events for 63 counters: trying all would take longer than there is time. */
TEST(the_impossible_is_found_out_at_once)
{
	uint64_t allowed[64];
	unsigned int counter[64] = {0};

	for (int i = 0; i < 64; i++)
		allowed[i] = UINT64_MAX >> 1;
	assert_int_equal(op_counters_allocate(allowed, 64, counter), -1);
	assert_int_equal(counter[0], 0);
	allowed[63] = UINT64_MAX;
	assert_int_equal(op_counters_allocate(allowed, 64, counter), 0);
	for (unsigned int i = 0; i < 64; i++)
		assert_int_equal(counter[i], i);
}

/* Virtual counters are numbered behind the hardware's, in whole groups. */
TEST(virtual_counters_form_groups_on_the_general_ones)
{
	static const struct {
		unsigned int general, fixed, virtual_counters, groups;
		uint64_t usable;
		struct {
			unsigned int number, hardware, group;
		} of[4];
	} cases[] = {
		{2, 3, 4, 2, 0x1ff, {{1, 1, 0}, {4, 4, 0}, {5, 0, 1}, {8, 1, 2}}},
		{2, 3, 5, 2, 0x1ff, {{0, 0, 0}, {2, 2, 0}, {6, 1, 1}, {7, 0, 2}}},
		{4, 0, 28, 7, 0xffffffff, {{3, 3, 0}, {4, 0, 1}, {11, 3, 2}, {31, 3, 7}}},
		{6, 0, 24, 4, 0x3fffffff, {{5, 5, 0}, {6, 0, 1}, {12, 0, 2}, {29, 5, 4}}},
		{1, 0, 63, 63, UINT64_MAX, {{0, 0, 0}, {1, 0, 1}, {63, 0, 63}, {2, 0, 2}}},
		{8, 3, 100, 6, (1ull << 59) - 1, {{10, 10, 0}, {11, 0, 1}, {58, 7, 6}, {0}}},
		{2, 0, 0, 0, 3, {{0, 0, 0}, {1, 1, 0}, {0}, {0}}},
		/* there is nothing for them to be on */
		{0, 3, 8, 0, 7, {{0, 0, 0}, {2, 2, 0}, {0}, {9, 9, 0}}},
	};

	for (size_t i = 0; i < OP_ARRAY_SIZE(cases); i++) {
		struct op_counters counters = op_counters_multiplexed(
			cases[i].general, cases[i].fixed, cases[i].virtual_counters);

		assert_int_equal(counters.virtual_groups, cases[i].groups);
		assert_true(counters.usable == cases[i].usable);
		for (size_t k = 0; k < 4; k++) {
			unsigned int number = cases[i].of[k].number;

			assert_int_equal(op_counters_hardware(&counters, number),
					 cases[i].of[k].hardware);
			assert_int_equal(op_counters_group(&counters, number),
					 cases[i].of[k].group);
		}
		assert_true(op_counters_on(&counters, 0) == 0);
		/* all numbers are on some counter of the hardware */
		assert_true(op_counters_on(
				    &counters,
				    op_counters_plain(counters.general, counters.fixed).usable) ==
			    cases[i].usable);
	}
}

/* The number of groups is the minimum, and no two events of a group are on one counter. */
TEST(turns_are_as_few_as_possible)
{
	uint32_t random = 61203;
	unsigned int by_groups[4] = {0}, none = 0;

	for (int round = 0; round < 50000; round++) {
		unsigned int general = 1 + next_random(&random) % 3;
		struct op_counters counters =
			op_counters_multiplexed(general, next_random(&random) % 2, 2 * general);
		unsigned int hardware = counters.general + counters.fixed;
		unsigned int have[8], want[8], groups = 0, need = 4;
		size_t n = 1 + next_random(&random) % 7;
		uint64_t allowed[8], now[8];

		if (hardware + 2 * general > 8) /* try_all() knows 8 counters */
			continue;
		for (size_t i = 0; i < n; i++) {
			uint64_t on = 0;

			while (!on)
				on = next_random(&random) & ((1u << hardware) - 1);
			allowed[i] = op_counters_on(&counters, on);
		}
		for (unsigned int group = 0; group <= 2 && need == 4; group++) {
			bool all = true;

			for (size_t i = 0; i < n; i++) {
				now[i] = allowed[i] & ((1u << (hardware + group * general)) - 1);
				all = all && now[i];
			}
			if (all && try_all(now, n, 0, 0, want))
				need = group;
		}
		if (need == 4) {
			assert_int_equal(op_counters_allocate_groups(&counters, allowed, n, have),
					 -1);
			none++;
			continue;
		}
		assert_int_equal(op_counters_allocate_groups(&counters, allowed, n, have), 0);
		for (size_t i = 0; i < n; i++) {
			assert_true(allowed[i] & 1ull << have[i]);
			if (op_counters_group(&counters, have[i]) > groups)
				groups = op_counters_group(&counters, have[i]);
			for (size_t k = 0; k < i; k++)
				assert_int_not_equal(have[i], have[k]);
		}
		assert_int_equal(groups, need);
		by_groups[groups]++;
	}
	/* all kinds were there in numbers */
	assert_true(by_groups[0] > 500 && by_groups[1] > 500 && by_groups[2] > 500 && none > 500);
}
