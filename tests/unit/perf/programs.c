// SPDX-License-Identifier: GPL-2.0-or-later
/* BPF programs that records tell of. */
#include "tests/unit/test.h"

#include "daemon/live/programs.h"

#define KALLSYMS                                                                                   \
	"ffffffff81000000 T _stext\n"                                                              \
	"ffffffffc0001000 t bpf_prog_1_old\t[bpf]\n"                                               \
	"ffffffffc0002000 t init\t[ext4]\n"

static struct perf_programs programs;

static int set_up(TEST_UNUSED void **state)
{
	programs = (struct perf_programs){0};
	return 0;
}

static int tear_down(TEST_UNUSED void **state)
{
	perf_programs_free(&programs);
	return 0;
}

static bool apply(uint64_t start, uint32_t length, const char *name, bool unregister)
{
	const struct perf_ksymbol symbol = {.start = start,
					    .length = length,
					    .type = 1,
					    .unregister = unregister,
					    .name = name};

	return perf_programs_apply(&programs, &symbol);
}

static void assert_joined(const char *more)
{
	char *text = perf_programs_join(&programs, strdup(KALLSYMS));

	assert_memory_equal(text, KALLSYMS, strlen(KALLSYMS));
	assert_string_equal(text + strlen(KALLSYMS), more);
	free(text);
}

TEST_WITH(a_program_that_has_gone_has_its_name, set_up, tear_down)
{
	assert_joined("");
	assert_true(apply(0xffffffffc0005000, 0x100, "bpf_prog_2_x", false));
	assert_joined("ffffffffc0005000 t bpf_prog_2_x\t[bpf]\n");
	assert_false(apply(0xffffffffc0005000, 0x100, "bpf_prog_2_x", true));
	assert_joined("ffffffffc0005000 t bpf_prog_2_x\t[bpf]\n");
	/* one that the kernel lists is there once */
	assert_true(apply(0xffffffffc0001000, 0x100, "bpf_prog_1_old", false));
	assert_joined("ffffffffc0005000 t bpf_prog_2_x\t[bpf]\n");
	assert_null(perf_programs_join(&programs, NULL));
}

TEST_WITH(another_program_takes_its_place, set_up, tear_down)
{
	assert_true(apply(0xffffffffc0005000, 0x100, "a", false));
	assert_true(apply(0xffffffffc0005200, 0x100, "b", false));
	assert_true(apply(0xffffffffc0005100, 0x100, "between", false));
	assert_joined("ffffffffc0005000 t a\t[bpf]\nffffffffc0005100 t between\t[bpf]\n"
		      "ffffffffc0005200 t b\t[bpf]\n");
	assert_true(apply(0xffffffffc0005080, 0x100, "over both", false));
	assert_joined("ffffffffc0005080 t over_both\t[bpf]\nffffffffc0005200 t b\t[bpf]\n");
}

TEST_WITH(odd_records_are_no_programs, set_up, tear_down)
{
	static const struct perf_ksymbol trampoline = {.start = 0xffffffffc0005000,
						       .length = 0x100,
						       .type = 2,
						       .name = "ftrace_trampoline"};

	assert_false(perf_programs_apply(&programs, &trampoline));
	assert_false(apply(0xffffffffc0005000, 0, "empty", false));
	assert_false(apply(0xffffffffffffff00, 0x101, "around", false));
	assert_false(apply(0xffffffffc0005000, 0x100, "never there", true));
	assert_joined("");
	assert_true(apply(0xffffffffc0005000, 0x100, "", false));
	assert_true(apply(0xffffffffc0005100, 0x100, "\n1 t x\t[bpf]\xff", false));
	assert_joined("ffffffffc0005000 t bpf_prog\t[bpf]\n"
		      "ffffffffc0005100 t _1_t_x_[bpf]_\t[bpf]\n");
}

/* A machine that loads programs all day. */
TEST_WITH(those_that_have_gone_are_forgotten_when_there_are_too_many, set_up, tear_down)
{
	for (uint64_t i = 0; i < 100000; i++) {
		apply(0xffffffff80000000 + 0x100 * i, 0x100, "x", false);
		apply(0xffffffff80000000 + 0x100 * i, 0x100, "x", true);
		assert_in_range(programs.n, 1, 4096);
	}
	for (uint64_t i = 0; i < 5000; i++)
		apply(0xffffffff80000000 + 0x100 * i, 0x100, "x", false);
	assert_int_equal(programs.n, 4096);
}
