// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Event specifications, the daemon's list of events, numbers, and CPU types.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "libop/cpu/type_names.h"
#include "libop/events/spec.h"
#include "libop/base/number.h"

#define COUNT(n)	     .count = (n), .has_count = true
#define UNIT_MASK(n)	     .unit_mask = (n), .has_unit_mask = true
#define UNIT_MASK_NAME(text) .unit_mask_name = (char *)(text), .has_unit_mask = true
#define BOTH		     .kernel = true, .user = true

static void specifications(void **state)
{
	static const struct {
		const char *text;
		struct op_event_spec spec; /* without the name, which is "A" */
	} good[] = {
		{"A", {BOTH}},
		{"A:5", {COUNT(5), BOTH}},
		{"A::3", {UNIT_MASK(3), BOTH}},
		{"A:0x10:0x41:0:1", {COUNT(16), UNIT_MASK(0x41), .user = true}},
		{"A:5::1:0", {COUNT(5), .kernel = true}},
		{"A:5:self:1:1", {COUNT(5), UNIT_MASK_NAME("self"), BOTH}},
		{"A:5:128BIT", {COUNT(5), UNIT_MASK_NAME("128BIT"), BOTH}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		const struct op_event_spec *want = &good[i].spec;
		struct op_event_spec spec;
		struct op_error error;

		if (op_event_spec_parse(good[i].text, &spec, &error))
			fail_msg("%s", error.text);
		assert_string_equal(spec.name, "A");
		assert_int_equal(spec.count, want->count);
		assert_int_equal(spec.has_count, want->has_count);
		assert_int_equal(spec.has_unit_mask, want->has_unit_mask);
		assert_int_equal(spec.unit_mask, want->unit_mask);
		assert_string_equal(spec.unit_mask_name ? spec.unit_mask_name : "",
				    want->unit_mask_name ? want->unit_mask_name : "");
		assert_int_equal(spec.kernel, want->kernel);
		assert_int_equal(spec.user, want->user);
		op_event_spec_free(&spec);
	}
}

static void specifications_that_make_no_sense(void **state)
{
	static const struct {
		const char *text, *cause;
	} bad[] = {
		{"", "without a name"},
		{":5", "without a name"},
		{"A.B:5", "no '.'"},
		{"A/B", "no '.'"},
		{"A B", "blank"},
		{"A:many", "count: \"many\" is no number"},
		{"A:-1", "is no number"},
		{"A:4294967296", "out of range"},
		{"A:1:4294967296", "out of range"},
		{"A:1:0:2:1", "kernel: 2 is out of range"},
		{"A:1:0:1:", "user: \"\" is no number"},
		{"A:1:0:0:0", "neither kernel nor user"},
		{"A:1:0:1:1:1", "more than"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct op_event_spec spec;
		struct op_error error;

		assert_int_equal(op_event_spec_parse(bad[i].text, &spec, &error), -1);
		if (!strstr(error.text, bad[i].cause) || !strstr(error.text, bad[i].text))
			fail_msg("%s: unclear: %s", bad[i].text, error.text);
	}
}

static void lists_of_events(void **state)
{
	static const char text[] = "A:60:0:100000:0:1:1,B:46:3:6000:65:0:1,";
	struct op_events events;
	struct op_error error;
	char *again;

	(void)state;
	if (op_events_parse(text, &events, &error))
		fail_msg("%s", error.text);
	assert_int_equal(events.count, 2);
	assert_string_equal(events.event[1].name, "B");
	assert_int_equal(events.event[1].code, 46);
	assert_int_equal(events.event[1].counter, 3);
	assert_int_equal(events.event[1].count, 6000);
	assert_int_equal(events.event[1].unit_mask, 65);
	assert_false(events.event[1].kernel);
	assert_true(events.event[1].user);
	again = op_events_format(&events);
	assert_string_equal(again, text);
	free(again);
	op_events_free(&events);

	if (op_events_parse("A:0x3c:0:100000:0x41:1:1", &events, &error))
		fail_msg("%s", error.text);
	assert_int_equal(events.event[0].code, 0x3c);
	assert_int_equal(events.event[0].unit_mask, 0x41);
	op_events_free(&events);
}

static void lists_that_make_no_sense(void **state)
{
	static const struct {
		const char *text, *cause;
	} bad[] = {
		{"", "no events given"},
		{",A:1:1:1:1:1:1", "not NAME:code"},
		{"A", "not NAME:code"},
		{"A:1:1:1:1:1:1:1", "not NAME:code"},
		{"A:1:1:1:1:1:2", "user: 2 is out of range"},
		{"A:1:256:1:1:1:1", "counter: 256 is out of range"},
		{"A:x:1:1:1:1:1", "event code: \"x\" is no number"},
		{"A:1:4:1:1:1:1,B:1:4:1:1:1:1", "counter 4 has the event A already"},
		{"A.B:1:1:1:1:1:1", "no '.'"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct op_events events;
		struct op_error error;

		assert_int_equal(op_events_parse(bad[i].text, &events, &error), -1);
		if (!strstr(error.text, bad[i].cause))
			fail_msg("%s: unclear: %s", bad[i].text, error.text);
	}
}

static void numbers(void **state)
{
	static const struct {
		const char *text;
		uint64_t min, max, value;
		int code; /* 0: it is good */
	} table[] = {
		{"0", 0, 0, 0, 0},
		{"18446744073709551615", 0, UINT64_MAX, UINT64_MAX, 0},
		{"0xffffffffffffffff", 0, UINT64_MAX, UINT64_MAX, 0},
		{"010", 0, 100, 10, 0},
		{"0X1f", 0, 100, 31, 0},
		{"18446744073709551616", 0, UINT64_MAX, 0, ERANGE},
		{"5", 6, 10, 0, ERANGE},
		{"11", 6, 10, 0, ERANGE},
		{"", 0, 10, 0, EINVAL},
		{" 1", 0, 10, 0, EINVAL},
		{"1 ", 0, 10, 0, EINVAL},
		{"+1", 0, 10, 0, EINVAL},
		{"-1", 0, 10, 0, EINVAL},
		{"0x", 0, 10, 0, EINVAL},
		{"1f", 0, 10, 0, EINVAL},
		{"0x0x2", 0, 10, 0, EINVAL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct op_error error = {0};
		uint64_t value = 77;
		int result = op_number_parse(table[i].text, "size", table[i].min, table[i].max,
					     &value, &error);

		assert_int_equal(result, table[i].code ? -1 : 0);
		assert_int_equal(error.code, table[i].code);
		assert_int_equal(value, table[i].code ? 77 : table[i].value);
		if (result)
			assert_memory_equal(error.text, "size: ", 6);
	}
}

static void cpu_types(void **state)
{
	static const struct {
		const char *name;
		int number;
	} fixed[] = {
		{"i386/ppro", 0},	   {"timer", OP_CPU_TIMER},	{"i386/p4", 5},
		{"i386/arch_perfmon", 41}, {"i386/nehalem", 47},	{"x86-64/generic", 69},
		{"i386/skylake", 80},	   {"arm/armv8-thunderx2", 87},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++) {
		assert_int_equal(op_cpu_type_number(fixed[i].name), fixed[i].number);
		assert_string_equal(op_cpu_type_name(fixed[i].number), fixed[i].name);
	}
	for (int i = 0; op_cpu_type_name(i); i++) {
		assert_int_equal(op_cpu_type_number(op_cpu_type_name(i)), i);
		assert_string_not_equal(op_cpu_type_title(i), "unknown CPU type");
	}
	assert_int_equal(op_cpu_type_number("nmi_timer"), OP_CPU_TIMER);
	assert_int_equal(op_cpu_type_number(""), OP_CPU_NONE);
	assert_null(op_cpu_type_name(-1));
	assert_null(op_cpu_type_name(100000));
	assert_string_equal(op_cpu_type_title(-1), "unknown CPU type");
	assert_string_equal(op_cpu_type_title(100000), "unknown CPU type");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(specifications),
		cmocka_unit_test(specifications_that_make_no_sense),
		cmocka_unit_test(lists_of_events),
		cmocka_unit_test(lists_that_make_no_sense),
		cmocka_unit_test(numbers),
		cmocka_unit_test(cpu_types),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
