// SPDX-License-Identifier: GPL-2.0-only
/*
 * From settings to the values of registers, on each kind of machine.
 */
#include <linux/errno.h>
#include <linux/string.h>

#include "suite.h"
#include "x86/machines.h"
#include "x86/settings.h"

#include "x86/counter.c"

void settings_clear(void)
{
	memset(settings, 0, sizeof(settings));
}

void settings_put(unsigned int number, const struct op_x86_setting *setting)
{
	settings[number] = *setting;
}

#define SETTING(event_, unit_mask_, count_, kernel_, user_)				\
	{ .enabled = 1, .event = (event_), .unit_mask = (unit_mask_), .count = (count_), \
	  .kernel = (kernel_), .user = (user_) }

static const struct compiled {
	const char *what;
	const struct machine *machine;
	unsigned int number;
	struct op_x86_setting setting;
	struct op_x86_program program; /* its number is @number */
} compileds[] = {
	{ "P6, counter 1", &machine_pentium3, 1, SETTING(0xc0, 0, 6000, 1, 1),
	  { .hardware = 1, .control = 0x5300c0, .control_msr = 0x187, .counter_msr = 0xc2,
	    .write_msr = 0xc2, .global_bit = 0x2, .count = 6000 } },
	{ "user only", &machine_core2, 0, SETTING(0x2e, 0x41, 500, 0, 1),
	  { .hardware = 0, .control = 0x51412e, .control_msr = 0x186, .counter_msr = 0xc1,
	    .write_msr = 0xc1, .global_bit = 0x1, .count = 500 } },
	{ "kernel only", &machine_core2, 1, SETTING(0x2e, 0x4f, 500, 1, 0),
	  { .hardware = 1, .control = 0x524f2e, .control_msr = 0x187, .counter_msr = 0xc2,
	    .write_msr = 0xc2, .global_bit = 0x2, .count = 500 } },
	{ "first fixed counter", &machine_core2, 2, SETTING(0xc0, 0, 700, 1, 1),
	  { .hardware = 2, .fixed = true, .control = 0x00b, .control_msr = 0x38d,
	    .counter_msr = 0x309, .write_msr = 0x309, .global_bit = 1ULL << 32, .count = 700 } },
	{ "second, user only", &machine_core2, 3, SETTING(0x3c, 0, 700, 0, 1),
	  { .hardware = 3, .fixed = true, .control = 0x0a0, .control_msr = 0x38d,
	    .counter_msr = 0x30a, .write_msr = 0x30a, .global_bit = 1ULL << 33, .count = 700 } },
	{ "third, kernel only", &machine_skylake, 10, SETTING(0x3c, 1, 700, 1, 0),
	  { .hardware = 10, .fixed = true, .control = 0x900, .control_msr = 0x38d,
	    .counter_msr = 0x30b, .write_msr = 0x30b, .global_bit = 1ULL << 34, .count = 700 } },
	{ "first virtual one", &machine_core2, 5, SETTING(0x3c, 0, 700, 1, 1),
	  { .hardware = 0, .control = 0x53003c, .control_msr = 0x186, .counter_msr = 0xc1,
	    .write_msr = 0xc1, .global_bit = 0x1, .count = 700 } },
	{ "second turn's second", &machine_core2, 8, SETTING(0x3c, 0, 700, 1, 1),
	  { .hardware = 1, .control = 0x53003c, .control_msr = 0x187, .counter_msr = 0xc2,
	    .write_msr = 0xc2, .global_bit = 0x2, .count = 700 } },
	{ "full width", &machine_skylake, 7, SETTING(0x3c, 0, 0x7fffffffffff, 1, 1),
	  { .hardware = 7, .control = 0x53003c, .control_msr = 0x18d, .counter_msr = 0xc8,
	    .write_msr = 0x4c8, .global_bit = 0x80, .count = 0x7fffffffffff } },
	{ "AMD's events have twelve bits", &machine_family10, 3, SETTING(0xf2e, 0x12, 900, 1, 1),
	  { .hardware = 3, .control = 0xf0053122eULL, .control_msr = 0xc0010003,
	    .counter_msr = 0xc0010007, .write_msr = 0xc0010007, .global_bit = 0x8,
	    .count = 900 } },
	{ "control and counter take turns", &machine_family15, 5, SETTING(0x76, 0, 900, 1, 0),
	  { .hardware = 5, .control = 0x520076, .control_msr = 0xc001020a,
	    .counter_msr = 0xc001020b, .write_msr = 0xc001020b, .global_bit = 0x20,
	    .count = 900 } },
	{ "PerfMonV2", &machine_zen4, 2, SETTING(0x1c0, 0, 900, 0, 1),
	  { .hardware = 2, .control = 0x1005100c0ULL, .control_msr = 0xc0010204,
	    .counter_msr = 0xc0010205, .write_msr = 0xc0010205, .global_bit = 0x4,
	    .count = 900 } },
	{ "extra bits", &machine_nehalem, 0,
	  { .enabled = 1, .event = 0xc0, .count = 900, .kernel = 1, .user = 1,
	    .extra = 0x02a40000 },
	  { .hardware = 0, .control = 0x02f700c0, .control_msr = 0x186, .counter_msr = 0xc1,
	    .write_msr = 0xc1, .global_bit = 0x1, .count = 900 } },
};

static void compiled_describe(const struct compiled *compiled, char *text)
{
	snprintf(text, KUNIT_PARAM_DESC_SIZE, "%s: %s", compiled->machine->name, compiled->what);
}

KUNIT_ARRAY_PARAM(compiled, compileds, compiled_describe);

static void counter_compiled(struct kunit *test)
{
	const struct compiled *c = test->param_value;
	struct op_x86_program program;
	struct op_x86_model model;

	KUNIT_ASSERT_TRUE(test, op_x86_model_find(&c->machine->identity, &model));
	memset(&program, 0xff, sizeof(program));
	KUNIT_ASSERT_EQ(test, op_x86_counter_compile(&model, c->number, &c->setting, &program), 0);
	KUNIT_EXPECT_EQ(test, program.number, c->number);
	KUNIT_EXPECT_EQ(test, program.hardware, c->program.hardware);
	KUNIT_EXPECT_EQ(test, program.fixed, c->program.fixed);
	KUNIT_EXPECT_EQ(test, program.control, c->program.control);
	KUNIT_EXPECT_EQ(test, program.control_msr, c->program.control_msr);
	KUNIT_EXPECT_EQ(test, program.counter_msr, c->program.counter_msr);
	KUNIT_EXPECT_EQ(test, program.write_msr, c->program.write_msr);
	KUNIT_EXPECT_EQ(test, program.global_bit, c->program.global_bit);
	KUNIT_EXPECT_EQ(test, program.count, c->program.count);
}

static const struct refused {
	const char *what;
	const struct machine *machine;
	unsigned int number;
	struct op_x86_setting setting;
} refuseds[] = {
	{ "no count", &machine_core2, 0, SETTING(0xc0, 0, 0, 1, 1) },
	{ "neither kernel nor user", &machine_core2, 0, SETTING(0xc0, 0, 900, 0, 0) },
	{ "a fixed counter's other event", &machine_core2, 2, SETTING(0x3c, 0, 900, 1, 1) },
	{ "a fixed counter's other mask", &machine_core2, 3, SETTING(0x3c, 1, 900, 1, 1) },
	{ "a fixed counter with extra bits", &machine_core2, 2,
	  { .enabled = 1, .event = 0xc0, .count = 900, .user = 1, .extra = 0x40000 } },
};

static void refused_describe(const struct refused *refused, char *text)
{
	strscpy(text, refused->what, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(refused, refuseds, refused_describe);

static void counter_refused(struct kunit *test)
{
	const struct refused *r = test->param_value;
	struct op_x86_program program;
	struct op_x86_model model;

	KUNIT_ASSERT_TRUE(test, op_x86_model_find(&r->machine->identity, &model));
	KUNIT_EXPECT_EQ(test, op_x86_counter_compile(&model, r->number, &r->setting, &program),
			-EINVAL);
}

/* One that makes no sense spoils all; none at all is no profile. */
static void counters_together(struct kunit *test)
{
	static const struct op_x86_setting good = SETTING(0xc0, 0, 900, 1, 1);
	static const struct op_x86_setting bad = SETTING(0xc0, 0, 0, 1, 1);
	static struct op_x86_program programs[OP_X86_NUMBERS_MAX];
	struct op_x86_model model;

	KUNIT_ASSERT_TRUE(test, op_x86_model_find(&machine_nehalem.identity, &model));
	KUNIT_EXPECT_EQ(test, op_x86_counters_compile(&model, programs), -EINVAL);

	settings_put(30, &good);
	settings_put(1, &good);
	settings_put(4, &good);
	KUNIT_ASSERT_EQ(test, op_x86_counters_compile(&model, programs), 3);
	KUNIT_EXPECT_EQ(test, programs[0].number, 1);
	KUNIT_EXPECT_EQ(test, programs[1].number, 4);
	KUNIT_EXPECT_EQ(test, programs[2].number, 30);

	settings_put(20, &bad);
	KUNIT_EXPECT_EQ(test, op_x86_counters_compile(&model, programs), -EINVAL);
}

/* The limits of what may be written to a counter's entries: one below, at, and one above. */
static const struct limit {
	const char *entry;
	const struct machine *machine;
	unsigned long good[3];
	unsigned long bad[3]; /* the good ones and these: 0 ends the list */
} limits[] = {
	{ "enabled", &machine_core2, { 0, 1 }, { 2 } },
	{ "event", &machine_core2, { 0, 0xff }, { 0x100 } },
	{ "event", &machine_zen4, { 0, 0xfff }, { 0x1000 } },
	{ "count", &machine_core2, { 0, 500, 0x7fffffff }, { 1, 499, 0x80000000 } },
	{ "count", &machine_skylake, { 0, 500, 0x7fffffffffff }, { 1, 499, 0x800000000000 } },
	{ "count", &machine_family10, { 0, 500, 0x7fffffffffff }, { 1, 499, 0x800000000000 } },
	{ "unit_mask", &machine_core2, { 0, 0xff }, { 0x100 } },
	{ "kernel", &machine_core2, { 0, 1 }, { 2 } },
	{ "user", &machine_core2, { 0, 1 }, { 2 } },
	{ "extra", &machine_core2, { 0, 0xff840000 }, { 0x100000, 0x200000, 0x100000000 } },
	{ "extra", &machine_nehalem, { 0, 0x200000, 0xffa40000 }, { 0x100000, 0x400000, 0x1 } },
};

static void limit_describe(const struct limit *limit, char *text)
{
	snprintf(text, KUNIT_PARAM_DESC_SIZE, "%s: %s", limit->machine->name, limit->entry);
}

KUNIT_ARRAY_PARAM(limit, limits, limit_describe);

static bool takes(const struct oprofilefs_number *number, unsigned long value)
{
	return value >= number->min && value <= number->max &&
	       (!number->check || !number->check(value));
}

static void counter_limited(struct kunit *test)
{
	const struct limit *limit = test->param_value;
	const struct oprofilefs_number *number = NULL;
	struct op_x86_model model;
	int i;

	KUNIT_ASSERT_TRUE(test, op_x86_model_find(&limit->machine->identity, &model));
	extra_allowed = model.extra;
	limit_numbers(1, &model);
	for (i = 0; i < ARRAY_SIZE(entries); i++) {
		if (!strcmp(entries[i].name, limit->entry))
			number = &files_of[1][i];
	}
	KUNIT_ASSERT_NOT_NULL(test, number);
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_TRUE_MSG(test, takes(number, limit->good[i]), "%#lx",
				      limit->good[i]);
		if (limit->bad[i])
			KUNIT_EXPECT_FALSE_MSG(test, takes(number, limit->bad[i]), "%#lx",
					       limit->bad[i]);
	}
	/* Each entry is a field of its own of this counter. */
	*number->value = 0x77;
	for (i = 0; i < ARRAY_SIZE(entries); i++) {
		const struct oprofilefs_number *file = &files_of[1][i];

		KUNIT_EXPECT_EQ(test, *file->value == 0x77, file == number);
	}
}

static int counter_init(struct kunit *test)
{
	settings_clear();
	return 0;
}

static void counter_exit(struct kunit *test)
{
	settings_clear();
}

TEST_SUITE(oprofile_x86_counter, counter_init, counter_exit,
	   KUNIT_CASE_PARAM(counter_compiled, compiled_gen_params),
	   KUNIT_CASE_PARAM(counter_refused, refused_gen_params),
	   KUNIT_CASE(counters_together),
	   KUNIT_CASE_PARAM(counter_limited, limit_gen_params));
