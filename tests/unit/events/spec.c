// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Event specifications, the daemon's list of events, and CPU types. tests/commands/ophelp_events.sh
 * and oprofiled_stream.sh have those that are refused.
 */
#include "tests/unit/test.h"

#include "libop/base/array.h"
#include "libop/cpu/type_names.h"
#include "libop/events/spec.h"

#define COUNT(n)	     .count = (n), .has_count = true
#define UNIT_MASK(n)	     .unit_mask = (n), .has_unit_mask = true
#define UNIT_MASK_NAME(text) .unit_mask_name = (char *)(text), .has_unit_mask = true
#define BOTH		     .kernel = true, .user = true

TEST(specifications_are_parsed)
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

	for (size_t i = 0; i < OP_ARRAY_SIZE(good); i++) {
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

TEST(lists_of_events_are_parsed)
{
	static const char text[] = "A:60:0:100000:0:1:1,B:46:3:6000:65:0:1,";
	struct op_events events;
	struct op_error error;
	char *again;

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

TEST(cpu_types_have_names_and_numbers)
{
	static const struct {
		const char *name;
		int number;
	} fixed[] = {
		{"i386/ppro", 0},	   {"timer", OP_CPU_TIMER},	{"i386/p4", 5},
		{"i386/arch_perfmon", 41}, {"i386/nehalem", 47},	{"x86-64/generic", 69},
		{"i386/skylake", 80},	   {"arm/armv8-thunderx2", 87},
	};

	for (size_t i = 0; i < OP_ARRAY_SIZE(fixed); i++) {
		assert_int_equal(op_cpu_type_number(fixed[i].name), fixed[i].number);
		assert_string_equal(op_cpu_type_name(fixed[i].number), fixed[i].name);
	}
	for (int i = 0; op_cpu_type_name(i); i++) {
		assert_int_equal(op_cpu_type_number(op_cpu_type_name(i)), i);
		assert_string_not_equal(op_cpu_type_title(i), "unknown CPU type");
	}
	/* files of earlier versions have numbers of their own */
	assert_string_equal(op_cpu_type_name(op_cpu_type_of_file(0x12, 66)), "i386/westmere");
	assert_int_equal(op_cpu_type_of_file(0x12, 1000), OP_CPU_NONE);
	assert_int_equal(op_cpu_type_of_file(0x13, 47), 47);
	assert_int_equal(op_cpu_type_of_file(0x13, 1000), OP_CPU_NONE);
	assert_int_equal(op_cpu_type_number("nmi_timer"), OP_CPU_TIMER);
	assert_int_equal(op_cpu_type_number(""), OP_CPU_NONE);
	assert_null(op_cpu_type_name(-1));
	assert_null(op_cpu_type_name(100000));
	assert_string_equal(op_cpu_type_title(-1), "unknown CPU type");
	assert_string_equal(op_cpu_type_title(100000), "unknown CPU type");
}
