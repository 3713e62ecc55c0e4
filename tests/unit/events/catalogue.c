// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Text catalogues: what is read, and what is refused with which file, line and reason.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "libop/events/catalogue.h"
#include "libop/cpu/type_names.h"
#include "memory.h"

#define ZERO  "name:zero type:mandatory default:0x0\n\t0x0 No unit mask\n"
#define EVENT "event:0x3c counters:0,1 um:zero minimum:6000 name:CYCLES : Cycles\n"

/* i386/core_2 has counters by CPUID, so any number up to 63; i386/core has 2. */
static const struct {
	const char *events, *unit_masks, *error;
} refused[] = {
	/* events */
	{"\n# x\n" EVENT "counters:0 um:zero minimum:1 name:A : a\n", ZERO,
	 "i386/core/events:4: there is no event:"},
	{"event:0x1 um:zero minimum:1 name:A : a\n", ZERO,
	 "i386/core/events:1: there is no counters: or ext:"},
	{"event:0x1 counters:0 minimum:1 name:A : a\n", ZERO,
	 "i386/core/events:1: there is no um:"},
	{"event:0x1 counters:0 um:zero name:A : a\n", ZERO,
	 "i386/core/events:1: there is no minimum:"},
	{"event:0x1 counters:0 um:zero minimum:1 : a\n", ZERO,
	 "i386/core/events:1: there is no name:"},
	{"event:0x1 counters:0 um:zero minimum:1 name:A\n", ZERO,
	 "i386/core/events:1: the event A has no description"},
	{"event:0x1 counters:0 um:zero minimum:1 name:A :  \t\n", ZERO,
	 "i386/core/events:1: the event A has no description"},
	{"event:0x1 counters:0 um:zero minimum:1 name:A no description\n", ZERO,
	 "i386/core/events:1: \"no\" is not tag:value"},
	{EVENT "event:0x1 event:0x2 counters:0 um:zero minimum:1 name:A : a\n", ZERO,
	 "i386/core/events:2: a second event: on this line"},
	{"event:0x1 counters:0 um:zero minimum:1 name:A name:A : a\n", ZERO,
	 "i386/core/events:1: a second name: on this line"},
	{"event:0x1 colour:red counters:0 um:zero minimum:1 name:A : a\n", ZERO,
	 "i386/core/events:1: unknown tag colour:"},
	{"event: counters:0 um:zero minimum:1 name:A : a\n", ZERO,
	 "i386/core/events:1: event: has no value"},
	{"event:3c counters:0 um:zero minimum:1 name:A : a\n", ZERO,
	 "i386/core/events:1: event: \"3c\" is not hexadecimal with 0x"},
	{"event:0x3g counters:0 um:zero minimum:1 name:A : a\n", ZERO,
	 "i386/core/events:1: event: \"0x3g\" is no number"},
	{"event:0x100000000 counters:0 um:zero minimum:1 name:A : a\n", ZERO,
	 "i386/core/events:1: event: 0x100000000 is out of range: 0 to 4294967295"},
	{"event:0x1 counters:2 um:zero minimum:1 name:A : a\n", ZERO,
	 "i386/core/events:1: counters: there is no counter 2: i386/core has 2"},
	{"event:0x1 counters:0,0 um:zero minimum:1 name:A : a\n", ZERO,
	 "i386/core/events:1: counters: 0 is there twice"},
	{"event:0x1 counters:0, um:zero minimum:1 name:A : a\n", ZERO,
	 "i386/core/events:1: counters: \"\" is no number"},
	{"event:0x1 counters:-1 um:zero minimum:1 name:A : a\n", ZERO,
	 "i386/core/events:1: counters: \"-1\" is no decimal number"},
	{"event:0x1 ext:timer um:zero minimum:1 name:A : a\n", ZERO,
	 "i386/core/events:1: ext:timer is not ibs_fetch or ibs_op"},
	{"event:0x1 counters:0 ext:ibs_op um:zero minimum:1 name:A : a\n", ZERO,
	 "i386/core/events:1: an event has counters: or ext:, not both"},
	{"event:0x1 counters:0 um:nought minimum:1 name:A : a\n", ZERO,
	 "i386/core/events:1: um:nought is not defined"},
	{"event:0x1 counters:0 um:zero minimum:0x1 name:A : a\n", ZERO,
	 "i386/core/events:1: minimum: \"0x1\" is no decimal number"},
	{"event:0x1 counters:0 um:zero minimum:1 name:A.B : a\n", ZERO,
	 "i386/core/events:1: name:A.B: an event has none of . / : , + in its name"},
	{"event:0x1 counters:0 um:zero minimum:1 name:A/B : a\n", ZERO,
	 "i386/core/events:1: name:A/B: an event has none of . / : , + in its name"},
	{"event:0x1 counters:0 um:zero minimum:1 filter:32 name:A : a\n", ZERO,
	 "i386/core/events:1: filter: 32 is out of range: 0 to 31"},
	{EVENT "event:0x3d counters:0 um:zero minimum:1 name:CYCLES : b\n", ZERO,
	 "i386/core/events:2: there is an event CYCLES with the unit mask zero already"},
	{EVENT "# \001\n", ZERO, "i386/core/events:2: the byte 0x01 is no text"},
	/* merged unit masks */
	{"event:0x1 counters:0 um:zero,two minimum:1 name:A : a\n",
	 ZERO "name:two type:bitmask default:0x1\n\t0x1 One\n",
	 "i386/core/events:1: um:zero,two: zero is mandatory and can't be merged"},
	{"event:0x1 counters:0 um:one,two minimum:1 name:A : a\n",
	 "name:one type:exclusive default:0x1\n\t0x1 One\n"
	 "name:two type:bitmask default:0x1\n\t0x1 One\n",
	 "i386/core/events:1: um:one,two: one is exclusive and two is bitmask"},
	{"event:0x1 counters:0 um:one,two minimum:1 name:A : a\n",
	 "name:one type:exclusive default:0x1\n\t0x1 One\n"
	 "name:two type:exclusive default:0x2\n\t0x2 Two\n",
	 "i386/core/events:1: um:one,two: its default 0x3 is none of its entries"},
	{"event:0x1 counters:0 um:one,three minimum:1 name:A : a\n",
	 "name:one type:exclusive default:0x1\n\t0x1 One\n",
	 "i386/core/events:1: um:three is not defined"},
	/* unit masks */
	{EVENT, "\n" ZERO "name:one type:mandatory default:0x1\n\t0x1 One\n",
	 "i386/core/unit_masks:4: the unit mask one is used by no event"},
	{EVENT, ZERO ZERO,
	 "i386/core/unit_masks:3: name:zero is defined already at "
	 "i386/core/unit_masks:1"},
	{EVENT, "name:zero default:0x0\n\t0x0 No\n", "i386/core/unit_masks:1: there is no type:"},
	{EVENT, "type:mandatory default:0x0\n\t0x0 No\n",
	 "i386/core/unit_masks:1: there is no name:"},
	{EVENT, "name:zero type:mandatory\n\t0x0 No\n",
	 "i386/core/unit_masks:1: there is no default:"},
	{EVENT, "name:zero type:optional default:0x0\n\t0x0 No\n",
	 "i386/core/unit_masks:1: type:optional is not mandatory, bitmask or exclusive"},
	{EVENT, "name:zero type:mandatory default:0 size:1\n\t0x0 No\n",
	 "i386/core/unit_masks:1: default: \"0\" is not hexadecimal with 0x"},
	{EVENT, "name:zero type:mandatory default:0x0 size:1\n\t0x0 No\n",
	 "i386/core/unit_masks:1: unknown tag size:"},
	{EVENT, "name:zero name:one type:mandatory default:0x0\n\t0x0 No\n",
	 "i386/core/unit_masks:1: a second name: on this line"},
	{EVENT, "name:a,b type:mandatory default:0x0\n\t0x0 No\n",
	 "i386/core/unit_masks:1: name:a,b: a unit mask has no ',' in its name"},
	{EVENT, "\t0x0 No\n" ZERO, "i386/core/unit_masks:1: an entry that is of no unit mask"},
	{EVENT, "name:zero type:mandatory default:0x0\n",
	 "i386/core/unit_masks:1: the unit mask zero: it has no entries"},
	{EVENT, "name:zero type:mandatory default:0x0\n\t0x0 No\n\t0x1 One\n",
	 "i386/core/unit_masks:1: the unit mask zero: it is mandatory but has 2 entries, not one"},
	{EVENT, "name:zero type:mandatory default:0x1\n\t0x0 No\n",
	 "i386/core/unit_masks:1: the unit mask zero: its default 0x1 is none of its entries"},
	{EVENT, "\n\nname:zero type:exclusive default:0x3\n\t0x1 One\n\t0x2 Two\n",
	 "i386/core/unit_masks:3: the unit mask zero: its default 0x3 is none of its entries"},
	{EVENT, "name:zero type:bitmask default:0x7\n\t0x1 One\n\t0x2 Two\n",
	 "i386/core/unit_masks:1: the unit mask zero: its default 0x7 is not made of its entries"},
	{EVENT, "name:zero type:exclusive default:all\n\t0x1 extra: one One\n",
	 "i386/core/unit_masks:1: the unit mask zero: its default all is the short name of 0 "
	 "entries"},
	{EVENT, "name:zero type:exclusive default:one\n\t0x1 one One\n",
	 "i386/core/unit_masks:1: the unit mask zero: its default one is the short name of 0 "
	 "entries"},
	{EVENT, "name:zero type:exclusive default:one\n\t0x1 extra: one One\n\t0x2 extra: one B\n",
	 "i386/core/unit_masks:1: the unit mask zero: its default one is the short name of 2 "
	 "entries"},
	{EVENT, "name:zero type:exclusive default:0x1\n\t0x1 extra: a One\n\t0x1 extra:inv b Two\n",
	 "i386/core/unit_masks:1: the unit mask zero: its default: 2 unit masks of the event have "
	 "the number 0x1: use a name"},
	{EVENT, "name:zero type:mandatory default:0x0\n\t1 One\n",
	 "i386/core/unit_masks:2: unit mask: \"1\" is not hexadecimal with 0x"},
	{EVENT, "name:zero type:mandatory default:0x0\n\t0x0\n",
	 "i386/core/unit_masks:2: 0x0 has no description"},
	{EVENT, "name:zero type:mandatory default:0x0\n\t0x0 extra:\n",
	 "i386/core/unit_masks:2: no short name after extra:"},
	{EVENT, "name:zero type:mandatory default:0x0\n\t0x0 extra: 0x1 Text\n",
	 "i386/core/unit_masks:2: the short name \"0x1\" is a number, or has : or + in it"},
	{EVENT, "name:zero type:mandatory default:0x0\n\t0x0 extra: a+b Text\n",
	 "i386/core/unit_masks:2: the short name \"a+b\" is a number, or has : or + in it"},
	{EVENT, "name:zero type:mandatory default:0x0\n\t0x0 extra:edge short\n",
	 "i386/core/unit_masks:2: 0x0 has no description"},
	{EVENT, "name:zero type:mandatory default:0x0\n\t0x0 extra:ledge short Text\n",
	 "i386/core/unit_masks:2: unknown modifier \"ledge\" in extra:"},
	{EVENT, "name:zero type:mandatory default:0x0\n\t0x0 extra:cmask=100 short Text\n",
	 "i386/core/unit_masks:2: \"cmask=100\": cmask is a hexadecimal number up to ff"},
	{EVENT, "name:zero type:mandatory default:0x0\n\t0x0 extra:cmask= short Text\n",
	 "i386/core/unit_masks:2: \"cmask=\": cmask is a hexadecimal number up to ff"},
	/* includes */
	{"include:i386/none\n" EVENT, ZERO,
	 "i386/core/events:1: include:i386/none: cannot open i386/none/events"},
	{"include:i386/core\n" EVENT, ZERO,
	 "i386/core/events:1: include:i386/core: that file is read already"},
	{"include:i386/loop\n" EVENT, ZERO,
	 "i386/loop/events:2: include:i386/core: that file is read already"},
	{"include:i386/loop name:A\n" EVENT, ZERO,
	 "i386/core/events:1: include: stands alone on its line"},
	{"event:0x1 include:i386/loop\n" EVENT, ZERO, "i386/core/events:1: unknown tag include:"},
	{EVENT, "include:i386/loop\n" ZERO,
	 "i386/loop/unit_masks:1: include:i386/core: that file is read already"},
	{"include:i386/broken\n" EVENT, ZERO, "i386/broken/events:1: unknown tag evnt:"},
	{NULL, ZERO, "cannot open i386/core/events"},
	{EVENT, NULL, "cannot open i386/core/unit_masks"},
};

static int parse(const char *events, const char *unit_masks, struct op_catalogue *catalogue,
		 struct op_error *error)
{
	struct memory_file files[] = {
		{"i386/core", events, unit_masks},
		{"i386/loop", "# a\ninclude:i386/core\n", "include:i386/core\n"},
		{"i386/broken", "evnt:0x1\n", NULL},
		{"i386/more", "event:0x7 counters:1 um:zero minimum:7 name:MORE : More\n",
		 "name:more type:bitmask default:0x3\n\t0x1 One\n\t0x2 Two\n"},
		{NULL, NULL, NULL},
	};
	struct op_counters counters = op_counters_plain(2, 0);

	return op_catalogue_parse("i386/core", &counters, memory_read, files, catalogue, error);
}

static void malformed_catalogues_are_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		struct op_catalogue catalogue;
		struct op_error error = {0};

		if (!parse(refused[i].events, refused[i].unit_masks, &catalogue, &error))
			fail_msg("case %zu was taken: %s", i, refused[i].error);
		assert_string_equal(error.text, refused[i].error);
		/* nothing is left of it */
		assert_null(catalogue.event);
		assert_null(catalogue.unit_mask);
	}
}

static void a_mask_of_64_entries_is_the_largest(void **state)
{
	char masks[65 * 32 + 64], events[] = "event:0x1 counters:0 um:big minimum:1 name:A : a\n";
	struct op_catalogue catalogue;
	struct op_error error;

	(void)state;
	for (int entries = 64; entries <= 65; entries++) {
		size_t n = (size_t)sprintf(masks, "name:big type:exclusive default:0x0\n");

		for (int i = 0; i < entries; i++)
			n += (size_t)sprintf(masks + n, "\t0x%x Entry %d\n", i, i);
		if (entries == 64) {
			assert_int_equal(parse(events, masks, &catalogue, &error), 0);
			assert_int_equal(catalogue.unit_mask[0]->count, 64);
			op_catalogue_free(&catalogue);
		} else {
			assert_int_equal(parse(events, masks, &catalogue, &error), -1);
			assert_string_equal(error.text,
					    "i386/core/unit_masks:66: the unit mask big "
					    "has more than 64 entries");
		}
	}
}

/* Tags in any order, blanks of any kind, no newline at the end, ':' within descriptions. */
static void everything_is_read(void **state)
{
	static const char masks[] =
		"# comment\n"
		"include:i386/more\r\n"
		"  # an indented comment\n" ZERO "default:all name:mixed type:bitmask\n"
		"  0x1 extra: one  The first \t one \n"
		"\t0x2 extra:edge,cmask=1f,any,inv two The : second\n"
		"\n"
		"\t0x3 extra:none all extra:nothing\n"
		"\t0x8 eight is no name";
	static const char events[] =
		"name:A um:mixed\tminimum:12 event:0x1C0 counters:1 filter:3 :x: y  \n"
		"include:i386/more\n"
		"event:0X2 counters:cpuid um:zero minimum:4294967295 name:B : b\r\n"
		"event:0x3 ext:ibs_op um:more,mixed minimum:0 name:A : same name, another mask";
	struct op_catalogue catalogue;
	const struct op_catalogue_event *event;
	const struct op_unit_mask *mask;
	struct op_error error = {0};

	(void)state;
	if (parse(events, masks, &catalogue, &error))
		fail_msg("%s", error.text);
	assert_int_equal(catalogue.count, 4);

	event = &catalogue.event[0];
	assert_string_equal(event->name, "A");
	assert_string_equal(event->description, "x: y");
	assert_int_equal(event->code, 0x1c0);
	assert_int_equal(event->counters, 2);
	assert_false(event->all_counters);
	assert_int_equal(event->filter, 3);
	assert_int_equal(event->minimum, 12);
	assert_null(event->ext);
	mask = event->unit_mask;
	assert_int_equal(mask->type, OP_UNIT_MASK_BITMASK);
	assert_int_equal(mask->count, 4);
	assert_string_equal(mask->default_name, "all");
	assert_int_equal(mask->default_value, 3);
	assert_string_equal(mask->entry[0].name, "one");
	assert_string_equal(mask->entry[0].description, "The first \t one");
	assert_int_equal(mask->entry[0].extra, 1 << 22);
	assert_string_equal(mask->entry[1].name, "two");
	assert_string_equal(mask->entry[1].description, "The : second");
	assert_int_equal(mask->entry[1].extra, 0x1f000000 | 1 << 18 | 1 << 21 | 1 << 22 | 1 << 23);
	assert_string_equal(mask->entry[2].description, "extra:nothing");
	assert_null(mask->entry[3].name);
	assert_string_equal(mask->entry[3].description, "eight is no name");

	assert_string_equal(catalogue.event[1].name, "MORE");
	assert_true(catalogue.event[2].all_counters);
	assert_int_equal(catalogue.event[2].minimum, UINT32_MAX);
	assert_int_equal(catalogue.event[2].filter, -1);
	assert_true(op_unit_mask_is_zero(catalogue.event[2].unit_mask));

	event = &catalogue.event[3];
	assert_string_equal(event->ext, "ibs_op");
	assert_string_equal(event->unit_mask->name, "more,mixed");
	assert_int_equal(event->unit_mask->count, 6);
	assert_int_equal(event->unit_mask->default_value, 3);

	/* by name and number; unit mask 0 is any */
	assert_ptr_equal(op_catalogue_by_name(&catalogue, "A", 0), &catalogue.event[0]);
	assert_ptr_equal(op_catalogue_by_name(&catalogue, "A", 0x9), &catalogue.event[0]);
	assert_null(op_catalogue_by_name(&catalogue, "A", 0x10));
	assert_null(op_catalogue_by_name(&catalogue, "a", 0));
	assert_ptr_equal(op_catalogue_by_code(&catalogue, 3, 0), &catalogue.event[3]);
	assert_null(op_catalogue_by_code(&catalogue, 4, 0));
	op_catalogue_free(&catalogue);
}

static void what_cpuid_lacks_is_not_there(void **state)
{
	struct op_catalogue catalogue;
	struct op_error error;

	(void)state;
	assert_int_equal(parse("event:0x1 counters:0 um:zero minimum:1 filter:2 name:A : a\n" EVENT,
			       ZERO, &catalogue, &error),
			 0);
	assert_true(op_catalogue_has(&catalogue, &catalogue.event[0]));
	catalogue.counters.absent_events = 1 << 2;
	assert_false(op_catalogue_has(&catalogue, &catalogue.event[0]));
	assert_true(op_catalogue_has(&catalogue, &catalogue.event[1]));
	op_catalogue_free(&catalogue);
}

static void names_of_cpu_types_lead_nowhere_else(void **state)
{
	static const char *const names[] = {"",	    "i386",	  "../events/i386/core",
					    "/etc", "i386//core", "i386/core/",
					    "pfm",  "no\nname"};
	struct op_counters counters = op_counters_plain(2, 0);

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct op_catalogue catalogue;
		struct op_error error;

		assert_int_equal(op_catalogue_load(names[i], &counters, true, &catalogue, &error),
				 -1);
		assert_int_equal(error.code, ENOENT);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(malformed_catalogues_are_refused),
		cmocka_unit_test(a_mask_of_64_entries_is_the_largest),
		cmocka_unit_test(everything_is_read),
		cmocka_unit_test(what_cpuid_lacks_is_not_there),
		cmocka_unit_test(names_of_cpu_types_lead_nowhere_else),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
