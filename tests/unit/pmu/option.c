// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The arguments of the guests' PMU, and its knowledge of instructions.
 */
#include "libop/base/array.h"
#include "tests/unit/test.h"

#include "tests/vm/pmu/decode.h"
#include "tests/vm/pmu/option.h"

#define ARGUMENTS 4

static int parse(const char *const *argument, struct options *options, char *error)
{
	int count = 0;

	while (count < ARGUMENTS && argument[count])
		count++;
	return options_parse(options, count, (char **)argument, error);
}

TEST(each_model_is_sound)
{
	for (unsigned int i = 0; pmu_model_at(i); i++) {
		const struct pmu_model *model = pmu_model_at(i);

		assert_null(pmu_model_flaw(model));
		assert_ptr_equal(pmu_model_find(model->name), model);
		assert_non_null(model->cpu);
	}
	assert_null(pmu_model_find("Nehalem"));
}

TEST(options_change_the_model)
{
	static const char *const argument[] = {"counters=6", "range=1000-2000", "model=nehalem",
					       "range=kernel"};
	static const char *const others[ARGUMENTS] = {"model=k8", "width=40", "lvtpc=mask"};
	struct options options;
	char error[OPTION_ERROR];

	assert_int_equal(parse(argument, &options, error), 0);
	assert_string_equal(options.model.name, "nehalem");
	assert_int_equal(options.model.general, 6);
	assert_int_equal(options.ranges, 2);
	assert_int_equal(options.range[0].start, 0x1000);
	assert_int_equal(options.range[0].end, 0x2000);
	assert_int_equal(options.range[1].start, UINT64_C(0xffffffff80000000));
	assert_null(options.histogram);

	assert_int_equal(parse(others, &options, error), 0);
	assert_int_equal(options.model.width, 40);
	assert_true(options.model.masks_lvtpc);
	assert_false(pmu_model_find("k8")->masks_lvtpc);
}

TEST(bad_options_are_named)
{
	static const struct {
		const char *argument[ARGUMENTS];
		const char *error;
	} cases[] = {
		{{NULL}, "model: this option must be given"},
		{{"counters=2"}, "model: this option must be given"},
		{{"model="}, "model=: there is no such model"},
		{{"model=pentium"}, "model=pentium: there is no such model"},
		{{"model=k8", "model=k8"}, "model=k8: a second model"},
		{{"model=k8", "speed=3"}, "speed=3: there is no such option"},
		{{"model=k8", "width"}, "width: there is no such option"},
		{{"model=k8", "averyveryverylongkey=1"},
		 "averyveryverylongkey=1: there is no such option"},
		{{"model=k8", "counters=2"}, "k8: this model has 4 counters"},
		{{"model=zen", "counters=4"}, "zen: this model has 6 counters"},
		{{"model=p6", "counters=4"}, "p6: this model has 2 counters"},
		{{"model=nehalem", "counters=9"}, "nehalem: this model can have 1 to 8 counters"},
		{{"model=nehalem", "counters=0"}, "nehalem: this model can have 1 to 8 counters"},
		{{"model=nehalem", "counters="}, "counters=: not a value of this option"},
		{{"model=nehalem", "counters=4x"}, "counters=4x: not a value of this option"},
		{{"model=nehalem", "counters=-4"}, "counters=-4: not a value of this option"},
		{{"model=nehalem", "counters= 4"}, "counters= 4: not a value of this option"},
		{{"model=nehalem", "counters=4294967300"},
		 "counters=4294967300: not a value of this option"},
		{{"model=nehalem", "fixed=5"},
		 "nehalem: this model can have 0 to 4 fixed counters"},
		{{"model=core", "fixed=1"}, "core: this model has no fixed counters"},
		{{"model=nehalem", "width=64"}, "nehalem: a counter can be 32 to 63 bits wide"},
		{{"model=nehalem", "width=31"}, "nehalem: a counter can be 32 to 63 bits wide"},
		{{"model=nehalem", "lvtpc=yes"}, "lvtpc=yes: not a value of this option"},
		{{"model=nehalem", "range=2000-1000"},
		 "range=2000-1000: not a value of this option"},
		{{"model=nehalem", "range=1000"}, "range=1000: not a value of this option"},
		{{"model=nehalem", "range=1000-"}, "range=1000-: not a value of this option"},
		{{"model=nehalem", "range=-1000"}, "range=-1000: not a value of this option"},
		{{"model=nehalem", "range=xyz-1000"}, "range=xyz-1000: not a value of this option"},
		{{"model=nehalem", "range=0-10000000000000000"},
		 "range=0-10000000000000000: not a value of this option"},
		{{"model=nehalem", "histogram=", "range=kernel"},
		 "histogram=: not a value of this option"},
		{{"model=nehalem", "histogram=f"}, "histogram: it needs a range"},
	};

	for (size_t i = 0; i < OP_ARRAY_SIZE(cases); i++) {
		struct options options;
		char error[OPTION_ERROR];

		assert_int_equal(parse(cases[i].argument, &options, error), -1);
		assert_string_equal(error, cases[i].error);
	}
}

TEST(too_many_ranges_are_refused)
{
	char *argument[10] = {"model=k8"};
	struct options options;
	char error[OPTION_ERROR];

	for (int i = 1; i < 10; i++)
		argument[i] = "range=1-2";
	assert_int_equal(options_parse(&options, 9, argument, error), 0);
	assert_int_equal(options_parse(&options, 10, argument, error), -1);
}

static const struct {
	const char *bytes;
	size_t size;
	bool is_32bit;
	enum pmu_quantity branch;
	bool repeated;
} code[] = {
#define CODE(bytes) bytes, sizeof(bytes) - 1
	{CODE("\x90"), false, PMU_INSTRUCTIONS, false},
	{CODE("\x74\x05"), false, PMU_CONDITIONAL, false},
	{CODE("\x2e\x75\x05"), false, PMU_CONDITIONAL, false},
	{CODE("\x0f\x84\1\2\3\4"), false, PMU_CONDITIONAL, false},
	{CODE("\xe2\xfe"), false, PMU_CONDITIONAL, false},
	{CODE("\xeb\xfe"), false, PMU_JUMP, false},
	{CODE("\xe9\1\2\3\4"), false, PMU_JUMP, false},
	{CODE("\xff\xe0"), false, PMU_JUMP, false},	/* jmp *%rax */
	{CODE("\x41\xff\xe3"), false, PMU_JUMP, false}, /* jmp *%r11 */
	{CODE("\x3e\xff\xe0"), false, PMU_JUMP, false},
	{CODE("\xff\x25\1\2\3\4"), false, PMU_JUMP, false},
	{CODE("\xe8\1\2\3\4"), false, PMU_CALL, false},
	{CODE("\xff\xd0"), false, PMU_CALL, false},
	{CODE("\xff\x15\1\2\3\4"), false, PMU_CALL, false},
	{CODE("\xff\xc0"), false, PMU_INSTRUCTIONS, false}, /* inc %eax */
	{CODE("\xff\x30"), false, PMU_INSTRUCTIONS, false}, /* push (%rax) */
	{CODE("\xc3"), false, PMU_RETURN, false},
	{CODE("\xf3\xc3"), false, PMU_RETURN, false},
	{CODE("\xc2\x08\0"), false, PMU_RETURN, false},
	{CODE("\x48\xcf"), false, PMU_FAR, false}, /* iretq */
	{CODE("\x0f\x05"), false, PMU_FAR, false},
	{CODE("\x48\x0f\x07"), false, PMU_FAR, false},
	{CODE("\xcd\x80"), false, PMU_FAR, false},
	{CODE("\xcc"), false, PMU_FAR, false},
	{CODE("\x48\xff\x28"), false, PMU_FAR, false}, /* ljmp *(%rax) */
	{CODE("\xea\1\2\3\4\5\6"), true, PMU_FAR, false},
	{CODE("\x40"), true, PMU_INSTRUCTIONS, false}, /* inc %eax, not a prefix */
	{CODE("\x48\xb8\x74\x05\3\4\5\6\7\x08"), false, PMU_INSTRUCTIONS, false},
	{CODE("\xc5\xf8\x77"), false, PMU_INSTRUCTIONS, false}, /* vzeroupper */
	{CODE("\xf3\xa4"), false, PMU_INSTRUCTIONS, true},	/* rep movsb */
	{CODE("\xf3\x48\xab"), false, PMU_INSTRUCTIONS, true},	/* rep stosq */
	{CODE("\xf2\xae"), false, PMU_INSTRUCTIONS, true},	/* repne scasb */
	{CODE("\xa4"), false, PMU_INSTRUCTIONS, false},
	{CODE("\xf3\x0f\x1e\xfa"), false, PMU_INSTRUCTIONS, false}, /* endbr64 */
	{CODE("\xf3\x90"), false, PMU_INSTRUCTIONS, false},	    /* pause */
	{CODE("\x66"), false, PMU_INSTRUCTIONS, false},
	{CODE("\x0f"), false, PMU_INSTRUCTIONS, false},
	{CODE(""), false, PMU_INSTRUCTIONS, false},
};

TEST(instructions_are_of_their_kind)
{
	for (size_t i = 0; i < OP_ARRAY_SIZE(code); i++) {
		struct pmu_instruction instruction =
			pmu_decode((const uint8_t *)code[i].bytes, code[i].size, !code[i].is_32bit);

		if (instruction.branch != code[i].branch ||
		    instruction.repeated != code[i].repeated)
			fail_msg("instruction %zu: %u %d", i, instruction.branch,
				 instruction.repeated);
	}
}
