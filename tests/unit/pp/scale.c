// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opreport from outside: events that were counted a part of the time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden.h"
#include "libop/cpu/type_names.h"

static void put_times(const struct test_session *session, const char *event, const char *enabled,
		      const char *running)
{
	char name[128];

	snprintf(name, sizeof(name), "samples/current/stats/events/%s/enabled_ns", event);
	test_session_write(session, name, enabled);
	snprintf(name, sizeof(name), "samples/current/stats/events/%s/running_ns", event);
	test_session_write(session, name, running);
}

/* Of two events, one was counted a third of the time, and one all the time. */
static void make_multiplexed(struct test_session *session)
{
	static const struct fixture_sample samples[] = {
		{FIXTURE_ALONE("prog") "LOADS.500.65.all.all.all", TEXT(0x10), 10},
		{FIXTURE_ALONE("prog") "LOADS.500.65.all.all.all", TEXT(0x30), 1},
		{FIXTURE_ALONE("prog") "LOADS.501.65.all.all.all", TEXT(0x10), 7},
		{FIXTURE_ALONE("prog") "{cg}/{root}@DIR@/prog/LOADS.500.65.all.all.all",
		 (uint64_t)TEXT(0x30) << 32 | TEXT(0x10), 4},
	};

	make_session(session);
	session->header.cpu_type = op_cpu_type_number("i386/core_2");
	session->header.cpu_speed = 2000;
	ADD_ALL(session, samples);
	put_times(session, "LOADS.500.65", "3000\n", "1000\n");
	put_times(session, "LOADS.501.65", "3000\n", "3000\n");
}

static void counts_are_scaled(void **state)
{
	static const struct golden table[] = {
		{"event:LOADS count:500", 0,
		 "CPU: Core 2, speed 2000 MHz (estimated)\n"
		 "Counted LOADS events (Unknown event) with a unit mask of 0x41 (Unknown unit mask) "
		 "count 500 (scaled by 3, counted 33.3 % of the time)\n"
		 "        LOADS:500|\n"
		 "  samples|      %|\n"
		 "------------------\n"
		 "       33 100.000 prog\n",
		 NULL},
		{"-l -n event:LOADS count:500", 0,
		 "30       90.9091  hot\n"
		 "3         9.0909  cold\n",
		 NULL},
		{"-d -n count:500", 0,
		 "00401010 30       90.9091  hot\n"
		 "  00401010 30       100.000\n"
		 "00401030 3         9.0909  cold\n"
		 "  00401030 3        100.000\n",
		 NULL},
		{"-l -n --unscaled count:500", 0,
		 "10       90.9091  hot\n"
		 "1         9.0909  cold\n",
		 NULL},
		{"--unscaled count:500", 0,
		 "CPU: Core 2, speed 2000 MHz (estimated)\n"
		 "Counted LOADS events (Unknown event) with a unit mask of 0x41 (Unknown unit mask) "
		 "count 500 (not scaled, counted 33.3 % of the time)\n"
		 "        LOADS:500|\n"
		 "  samples|      %|\n"
		 "------------------\n"
		 "       11 100.000 prog\n",
		 NULL},
		/* beside it, one that was counted all the time */
		{"-l -n", 0,
		 "30       90.9091  7        100.000  hot\n"
		 "3         9.0909  0              0  cold\n",
		 NULL},
		{"--csv", 0,
		 "LOADS:500 (scaled),LOADS:501,application,image\n"
		 "33,7,@DIR@/prog,@DIR@/prog\n",
		 NULL},
		{"--csv --unscaled", 0,
		 "LOADS:500,LOADS:501,application,image\n"
		 "11,7,@DIR@/prog,@DIR@/prog\n",
		 NULL},
		{"-c -n count:500", 0,
		 "-------------------------------------------------------------------------------\n"
		 "  12       100.000  cold\n"
		 "30       90.9091  hot\n"
		 "  30       100.000  hot [self]\n"
		 "-------------------------------------------------------------------------------\n"
		 "3         9.0909  cold\n"
		 "  12       80.0000  hot\n"
		 "  3        20.0000  cold [self]\n"
		 "-------------------------------------------------------------------------------\n",
		 NULL},
	};
	struct test_session session;

	(void)state;
	make_multiplexed(&session);
	CHECK_ALL(&session, table);
	test_session_remove(&session);
}

/* Times that are not there, make no sense, or say that nothing was counted change nothing. */
static void strange_times_change_nothing(void **state)
{
	static const struct {
		const char *enabled, *running;
	} cases[] = {
		{"3000\n", "0\n"},     {"0\n", "0\n"},   {"1000\n", "3000\n"},
		{"x\n", "1000\n"},     {"3000\n", "\n"}, {"-3000\n", "1000\n"},
		{"99999999999999999999999999999\n", "1\n"},
	};
	static const struct golden table[] = {
		{"-l -n count:500", 0,
		 "10       90.9091  hot\n"
		 "1         9.0909  cold\n",
		 NULL},
	};
	struct test_session session;

	(void)state;
	make_multiplexed(&session);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		put_times(&session, "LOADS.500.65", cases[i].enabled, cases[i].running);
		CHECK_ALL(&session, table);
	}
	test_session_remove(&session);
}

/* The largest that there can be end in the largest count, and in no crash. */
static void counts_do_not_wrap(void **state)
{
	static const struct golden table[] = {
		{"-l -n count:500", 0, "18446744073709551615 100.000  hot\n", NULL},
	};
	static const struct fixture_sample samples[] = {
		{FIXTURE_ALONE("prog") "LOADS.500.65.all.all.all", TEXT(0x10), 4000000000},
	};
	struct test_session session;

	(void)state;
	make_session(&session);
	ADD_ALL(&session, samples);
	put_times(&session, "LOADS.500.65", "18446744073709551615\n", "1\n");
	CHECK_ALL(&session, table);
	test_session_remove(&session);
}

/* Ten thousand samples at as many addresses, times 1.25: what is rounded goes to the next. */
static void sums_are_right_to_one_sample(void **state)
{
	static const struct golden table[] = {
		{"-n count:500", 0, "    12500 100.000 prog\n", NULL},
		{"-l -n count:500", 0, "12500    100.000  @DIR@/prog\n", NULL},
	};
	struct odb_entry entries[10000];
	struct test_session session;
	char *name;

	(void)state;
	make_session(&session);
	for (size_t i = 0; i < 10000; i++)
		entries[i] = (struct odb_entry){.key = 0x100000 + i, .count = 1};
	name = fixture_expand(&session, FIXTURE_ALONE("prog") "LOADS.500.65.all.all.all");
	test_session_add_entries(&session, name, entries, 10000);
	free(name);
	put_times(&session, "LOADS.500.65", "1250\n", "1000\n");
	CHECK_ALL(&session, table);
	test_session_remove(&session);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_are_scaled),
		cmocka_unit_test(strange_times_change_nothing),
		cmocka_unit_test(counts_do_not_wrap),
		cmocka_unit_test(sums_are_right_to_one_sample),
	};

	golden_begin(argc, argv);
	return cmocka_run_group_tests_name("scale", tests, NULL, NULL);
}
