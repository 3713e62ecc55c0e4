// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counts of ocount, of events that had to take turns.  The counters are pipes, out of which what
 * the kernel would say is read.
 */
#include "libop/base/array.h"
#include "tests/unit/test.h"

#include "utils/ocount/counts.h"
#include "utils/ocount/report.h"

#define MOST UINT64_MAX

TEST(scaled)
{
	static const struct {
		struct count count;
		uint64_t scaled;
	} table[] = {
		/* all the time, never, and before anything was to be counted */
		{{1000, 500, 500}, 1000},
		{{0, 500, 0}, 0},
		{{0, 0, 0}, 0},
		/* a clock that says more than there was */
		{{1000, 500, 501}, 1000},
		/* a part of the time */
		{{1000, 500, 250}, 2000},
		{{1000, 4, 1}, 4000},
		{{0, 500, 250}, 0},
		/* to the nearest */
		{{10, 10, 7}, 14},
		{{10, 10, 6}, 17},
		{{1, 3, 2}, 2},
		{{1, 4, 3}, 1},
		/* more digits than a double has */
		{{(UINT64_C(1) << 53) + 1, 6, 3}, (UINT64_C(1) << 54) + 2},
		{{UINT64_C(9007199254740993), 1000000001, 1000000000}, UINT64_C(9007199263748192)},
		/* the most there can be */
		{{MOST / 2, 2, 1}, MOST - 1},
		{{MOST / 2 + 1, 2, 1}, MOST},
		{{MOST, MOST, 1}, MOST},
		{{MOST, MOST, MOST - 1}, MOST},
		{{MOST, MOST, MOST}, MOST},
	};

	for (size_t i = 0; i < OP_ARRAY_SIZE(table); i++) {
		uint64_t got = count_scaled(&table[i].count);

		if (got != table[i].scaled)
			fail_msg("case %zu: %ju instead of %ju", i, (uintmax_t)got,
				 (uintmax_t)table[i].scaled);
	}
}

/* ---- counters that are pipes ---- */

#define PARTS 2

struct machine {
	struct op_perf_event event;
	struct op_perf_events events;
	struct place place;
	struct counts counts;
	int reads[PARTS], writes[PARTS];
	struct count before;
};

/* One event, counted in one place by two counters. */
static int set_up(void **state)
{
	struct machine *machine = calloc(1, sizeof(*machine));

	assert_non_null(machine);
	for (size_t i = 0; i < PARTS; i++) {
		int ends[2];

		assert_int_equal(pipe(ends), 0);
		machine->reads[i] = ends[0];
		machine->writes[i] = ends[1];
	}
	machine->event.event.name = (char *)"odd \"name\"";
	machine->events = (struct op_perf_events){.event = &machine->event, .count = 1};
	machine->place = (struct place){
		.number = -1, .fd = machine->reads, .parts = PARTS, .before = &machine->before};
	machine->counts =
		(struct counts){.events = &machine->events, .place = &machine->place, .places = 1};
	*state = machine;
	return 0;
}

static int tear_down(void **state)
{
	struct machine *machine = *state;

	for (size_t i = 0; i < PARTS; i++) {
		close(machine->reads[i]);
		close(machine->writes[i]);
	}
	free(machine);
	return 0;
}

/* What the counters say next. */
static void say(const struct machine *machine, struct count first, struct count second)
{
	assert_int_equal(write(machine->writes[0], &first, sizeof(first)), sizeof(first));
	assert_int_equal(write(machine->writes[1], &second, sizeof(second)), sizeof(second));
}

static void expect(struct machine *machine, uint64_t value, uint64_t enabled, uint64_t running)
{
	struct op_error error;
	struct count count;

	assert_int_equal(counts_read(&machine->counts, 0, 0, &count, &error), 0);
	assert_int_equal(count.value, value);
	assert_int_equal(count.enabled, enabled);
	assert_int_equal(count.running, running);
}

/* Counters are added up, and an interval is what came since the one before. */
TEST_WITH(intervals, set_up, tear_down)
{
	struct machine *machine = *state;

	say(machine, (struct count){100, 10, 5}, (struct count){1, 2, 3});
	expect(machine, 101, 12, 8);
	say(machine, (struct count){150, 20, 6}, (struct count){2, 4, 6});
	expect(machine, 51, 12, 4);
	say(machine, (struct count){150, 20, 6}, (struct count){2, 4, 6});
	expect(machine, 0, 0, 0);
}

TEST_WITH(no_value, set_up, tear_down)
{
	struct machine *machine = *state;
	struct op_error error;
	struct count count;

	assert_int_equal(write(machine->writes[0], "short", 5), 5);
	assert_int_equal(counts_read(&machine->counts, 0, 0, &count, &error), -1);
	assert_string_equal(error.text, "cannot read a counter: it has no value");
}

TEST_WITH(reported, set_up, tear_down)
{
	static const struct {
		struct count count;
		enum format format;
		const char *text;
	} table[] = {
		{{1234567, 4000, 1000},
		 FORMAT_TABLE,
		 "\nCounted for 2.000 seconds in work (scaled counts):\n\n"
		 "  Event                                       Count  % counted\n"
		 "  odd \"name\"                              4,938,268      25.00\n"},
		{{1234567, 4000, 4000},
		 FORMAT_TABLE,
		 "\nCounted for 2.000 seconds in work (actual counts):\n\n"
		 "  Event                                       Count  % counted\n"
		 "  odd \"name\"                              1,234,567     100.00\n"},
		{{0, 4000, 0},
		 FORMAT_TABLE,
		 "\nCounted for 2.000 seconds in work (scaled counts):\n\n"
		 "  Event                                       Count  % counted\n"
		 "  odd \"name\"                            not counted       0.00\n"},
		{{1234567, 4000, 1000},
		 FORMAT_BRIEF,
		 "time,event,count,counted,enabled_ns,running_ns,percent\n"
		 "3.500000,\"odd \"\"name\"\"\",4938268,1234567,4000,1000,25.00\n"},
		{{1234567, 4000, 1000},
		 FORMAT_JSON,
		 "{\"time\": 3.500000, \"event\": \"odd \\\"name\\\"\", \"count\": 4938268, "
		 "\"counted\": 1234567, \"enabled_ns\": 4000, \"running_ns\": 1000}\n"},
	};

	for (size_t i = 0; i < OP_ARRAY_SIZE(table); i++) {
		struct machine *machine = *state;
		struct report report = {.format = table[i].format, .what = "work"};
		struct op_error error;
		size_t size;
		char *text;

		machine->before = (struct count){0};
		report.out = open_memstream(&text, &size);
		assert_non_null(report.out);
		say(machine, table[i].count, (struct count){0});
		assert_int_equal(report_write(&report, &machine->counts, 2, 3.5, &error), 0);
		fclose(report.out);
		assert_string_equal(text, table[i].text);
		free(text);
	}
}
