// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Text catalogues: what is read.  tests/commands/ophelp_catalogue.sh has those that are refused.
 */
#include "tests/unit/test.h"

#include "libop/base/array.h"
#include "libop/events/catalogue.h"
#include "libop/cpu/type_names.h"
#include "memory.h"

#define ZERO  "name:zero type:mandatory default:0x0\n\t0x0 No unit mask\n"
#define EVENT "event:0x3c counters:0,1 um:zero minimum:6000 name:CYCLES : Cycles\n"

static int parse(const char *events, const char *unit_masks, struct op_catalogue *catalogue,
		 struct op_error *error)
{
	struct memory_file files[] = {
		{"i386/core", events, unit_masks},
		{"i386/more", "event:0x7 counters:1 um:zero minimum:7 name:MORE : More\n",
		 "name:more type:bitmask default:0x3\n\t0x1 One\n\t0x2 Two\n"},
		{NULL, NULL, NULL},
	};
	struct op_counters counters = op_counters_plain(2, 0);

	return op_catalogue_parse("i386/core", &counters, memory_read, files, catalogue, error);
}

TEST(a_mask_of_64_entries_is_the_largest)
{
	char masks[65 * 32 + 64], events[] = "event:0x1 counters:0 um:big minimum:1 name:A : a\n";
	struct op_catalogue catalogue;
	struct op_error error;

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
TEST(everything_is_read)
{
	static const char masks[] =
		"# comment\n"
		"include:i386/more\r\n"
		"  # an indented comment\n" ZERO "default:all name:mixed type:bitmask\n"
		"  0x1 extra: one  The first \t one \n"
		"\t0x2 extra:edge,cmask=0x1f,any,inv two The : second\n"
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

TEST(what_cpuid_lacks_is_not_there)
{
	struct op_catalogue catalogue;
	struct op_error error;

	assert_int_equal(parse("event:0x1 counters:0 um:zero minimum:1 filter:2 name:A : a\n" EVENT,
			       ZERO, &catalogue, &error),
			 0);
	assert_true(op_catalogue_has(&catalogue, &catalogue.event[0]));
	catalogue.counters.absent_events = 1 << 2;
	assert_false(op_catalogue_has(&catalogue, &catalogue.event[0]));
	assert_true(op_catalogue_has(&catalogue, &catalogue.event[1]));
	op_catalogue_free(&catalogue);
}

TEST(names_of_cpu_types_lead_nowhere_else)
{
	static const char *const names[] = {"",	    "i386",	  "../events/i386/core",
					    "/etc", "i386//core", "i386/core/",
					    "pfm",  "no\nname"};
	struct op_counters counters = op_counters_plain(2, 0);

	for (size_t i = 0; i < OP_ARRAY_SIZE(names); i++) {
		struct op_catalogue catalogue;
		struct op_error error;

		assert_int_equal(op_catalogue_load(names[i], &counters, true, &catalogue, &error),
				 -1);
		assert_int_equal(error.code, ENOENT);
	}
}
