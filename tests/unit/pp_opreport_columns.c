// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opreport from outside: files that differ in event, CPU, process or thread, and --merge.
 */
#include "libop/cpu_type.h"
#include "pp/golden.h"

static void test_cpus(void **state)
{
	static const struct fixture_sample samples[] = {
		{FIXTURE_ALONE("prog") "TIMER.0.0.all.all.0", TEXT(0x10), 60},
		{FIXTURE_ALONE("prog") "TIMER.0.0.all.all.1", TEXT(0x10), 30},
		{FIXTURE_ALONE("prog") "TIMER.0.0.all.all.1", TEXT(0x30), 30},
		{FIXTURE_ALONE("prog") "TIMER.0.0.all.all.10", TEXT(0x34), 5},
	};
	static const struct golden table[] = {
		{"", 0,
		 TIMER_HEAD "Samples on CPU 0\n"
			    "Samples on CPU 1\n"
			    "Samples on CPU 10\n"
			    "            cpu:0|            cpu:1|           cpu:10|\n"
			    "  samples|      %|  samples|      %|  samples|      %|\n"
			    "------------------------------------------------------\n"
			    "       60 100.000        60 100.000         5 100.000 prog\n",
		 NULL},
		{"-l", 0,
		 TIMER_HEAD "Samples on CPU 0\n"
			    "Samples on CPU 1\n"
			    "Samples on CPU 10\n"
			    "samples  %        samples  %        samples  %        symbol name\n"
			    "60       100.000  30       50.0000  0              0  hot\n"
			    "0              0  30       50.0000  5        100.000  cold\n",
		 NULL},
		{"-l -a -n", 0,
		 "60       60            100.000  100.000    30       30            50.0000  "
		 "50.0000    0        0                   0        0    hot\n"
		 "0        60                  0  100.000    30       60            50.0000  "
		 "100.000    5        5             100.000  100.000    cold\n",
		 NULL},
		{"-d -n", 0,
		 "00401010 60       100.000  30       50.0000  0              0  hot\n"
		 "  00401010 60       100.000  30       100.000  0              0\n"
		 "00401030 0              0  30       50.0000  5        100.000  cold\n"
		 "  00401030 0              0  30       100.000  0              0\n"
		 "  00401034 0              0  0              0  5        100.000\n",
		 NULL},
		{"-n cpu:0", 0, "       60 100.000 prog\n", NULL},
		{"-n cpu:0-1", 0, "       60 100.000        60 100.000 prog\n", NULL},
		{"cpu:10,1", 0,
		 TIMER_HEAD "Samples on CPU 1\n"
			    "Samples on CPU 10\n"
			    "            cpu:1|           cpu:10|\n"
			    "  samples|      %|  samples|      %|\n"
			    "------------------------------------\n"
			    "       60 100.000         5 100.000 prog\n",
		 NULL},
		{"-m cpu", 0,
		 TIMER_HEAD "          TIMER:0|\n"
			    "  samples|      %|\n"
			    "------------------\n"
			    "      125 100.000 prog\n",
		 NULL},
		{"-l -n -m all", 0,
		 "90       72.0000  hot\n"
		 "35       28.0000  cold\n",
		 NULL},
		{"-n cpu:7", 1, "",
		 "opreport error: none of the 3 sample files in @DIR@ is meant by the profile "
		 "specification"},
	};
	struct test_session session;

	(void)state;
	make_session(&session);
	ADD_ALL(&session, samples);
	CHECK_ALL(&session, table);
	test_session_remove(&session);
}

static void test_threads(void **state)
{
	static const struct fixture_sample samples[] = {
		{FIXTURE_ALONE("prog") "TIMER.0.0.10.10.all", TEXT(0x10), 60},
		{FIXTURE_ALONE("prog") "TIMER.0.0.10.11.all", TEXT(0x10), 30},
		{FIXTURE_ALONE("prog") "TIMER.0.0.20.20.all", TEXT(0x30), 10},
	};
	static const struct golden table[] = {
		{"", 1, "",
		 "opreport error: the samples differ in more than one way (process, thread), and "
		 "columns show only one; leave one by giving the others of: --merge=tgid, "
		 "--merge=tid"},
		{"-m tid", 0,
		 TIMER_HEAD "Processes with a thread group ID of 10\n"
			    "Processes with a thread group ID of 20\n"
			    "          tgid:10|          tgid:20|\n"
			    "  samples|      %|  samples|      %|\n"
			    "------------------------------------\n"
			    "       90 100.000        10 100.000 prog\n",
		 NULL},
		{"-m tgid", 0,
		 TIMER_HEAD "          TIMER:0|\n"
			    "  samples|      %|\n"
			    "------------------\n"
			    "      100 100.000 prog\n",
		 NULL},
		{"tgid:10", 0,
		 TIMER_HEAD "Processes with a thread ID of 10\n"
			    "Processes with a thread ID of 11\n"
			    "           tid:10|           tid:11|\n"
			    "  samples|      %|  samples|      %|\n"
			    "------------------------------------\n"
			    "       60 100.000        30 100.000 prog\n",
		 NULL},
		{"tid:10,20", 0,
		 TIMER_HEAD "Processes with a thread group ID of 10\n"
			    "Processes with a thread group ID of 20\n"
			    "          tgid:10|          tgid:20|\n"
			    "  samples|      %|  samples|      %|\n"
			    "------------------------------------\n"
			    "       60 100.000        10 100.000 prog\n",
		 NULL},
		{"-n tgid:15-25", 0, "       10 100.000 prog\n", NULL},
	};
	struct test_session session;

	(void)state;
	make_session(&session);
	ADD_ALL(&session, samples);
	CHECK_ALL(&session, table);
	test_session_remove(&session);
}

static void test_events(void **state)
{
	static const struct fixture_sample samples[] = {
		{FIXTURE_ALONE("prog") "CPU_CLK_UNHALTED.100000.0.all.all.all", TEXT(0x10), 60},
		{FIXTURE_ALONE("prog") "LLC_MISSES.6000.65.all.all.all", TEXT(0x10), 4},
		{FIXTURE_ALONE("prog") "LLC_MISSES.6000.65.all.all.all", TEXT(0x30), 12},
	};
	static const struct fixture_sample masks[] = {
		{FIXTURE_ALONE("prog") "LLC_MISSES.6000.1.all.all.all", TEXT(0x30), 2},
	};
	static const struct fixture_sample cpus[] = {
		{FIXTURE_ALONE("prog") "LLC_MISSES.6000.1.all.all.3", TEXT(0x30), 1},
	};
	static const struct golden two[] = {
		{"", 0,
		 "CPU: Intel Nehalem microarchitecture, speed 2666.76 MHz (estimated)\n"
		 "Counted CPU_CLK_UNHALTED events (Unknown event) with a unit mask of 0x00 (No "
		 "unit mask) count 100000\n"
		 "Counted LLC_MISSES events (Unknown event) with a unit mask of 0x41 (Unknown unit "
		 "mask) count 6000\n"
		 "CPU_CLK_UNHALT...|  LLC_MISSES:6000|\n"
		 "  samples|      %|  samples|      %|\n"
		 "------------------------------------\n"
		 "       60 100.000        16 100.000 prog\n",
		 NULL},
		{"-l", 0,
		 "CPU: Intel Nehalem microarchitecture, speed 2666.76 MHz (estimated)\n"
		 "Counted CPU_CLK_UNHALTED events (Unknown event) with a unit mask of 0x00 (No "
		 "unit mask) count 100000\n"
		 "Counted LLC_MISSES events (Unknown event) with a unit mask of 0x41 (Unknown unit "
		 "mask) count 6000\n"
		 "samples  %        samples  %        symbol name\n"
		 "60       100.000  4        25.0000  hot\n"
		 "0              0  12       75.0000  cold\n",
		 NULL},
		{"-n event:LLC_MISSES", 0, "       16 100.000 prog\n", NULL},
		{"count:100000", 0,
		 "CPU: Intel Nehalem microarchitecture, speed 2666.76 MHz (estimated)\n"
		 "Counted CPU_CLK_UNHALTED events (Unknown event) with a unit mask of 0x00 (No "
		 "unit mask) count 100000\n"
		 "CPU_CLK_UNHALT...|\n"
		 "  samples|      %|\n"
		 "------------------\n"
		 "       60 100.000 prog\n",
		 NULL},
		{"-n unit-mask:0x41", 0, "       16 100.000 prog\n", NULL},
	};
	static const struct golden many[] = {
		{"event:LLC_MISSES", 0,
		 "CPU: Intel Nehalem microarchitecture, speed 2666.76 MHz (estimated)\n"
		 "Counted LLC_MISSES events (Unknown event) with a unit mask of 0x01 (Unknown unit "
		 "mask) count 6000\n"
		 "Counted LLC_MISSES events (Unknown event) with a unit mask of 0x41 (Unknown unit "
		 "mask) count 6000\n"
		 "LLC_MISSES:600...|LLC_MISSES:600...|\n"
		 "  samples|      %|  samples|      %|\n"
		 "------------------------------------\n"
		 "        2 100.000        16 100.000 prog\n",
		 NULL},
		{"-m unitmask event:LLC_MISSES", 0,
		 "CPU: Intel Nehalem microarchitecture, speed 2666.76 MHz (estimated)\n"
		 "Counted LLC_MISSES events (Unknown event) with multiple unit masks count 6000\n"
		 "  LLC_MISSES:6000|\n"
		 "  samples|      %|\n"
		 "------------------\n"
		 "       18 100.000 prog\n",
		 NULL},
	};
	static const struct golden mixed[] = {
		{"", 1, "",
		 "opreport error: the samples differ in more than one way (event, CPU), and "
		 "columns show only one; leave one by giving the others of: event:NAME or count:N, "
		 "--merge=cpu"},
		{"-n -m cpu,unitmask", 0, "       60 100.000        19 100.000 prog\n", NULL},
	};
	struct test_session session;

	(void)state;
	make_session(&session);
	session.header.cpu_type = (uint32_t)op_cpu_type_number("i386/nehalem");
	session.header.cpu_speed = 2666.76;
	ADD_ALL(&session, samples);
	CHECK_ALL(&session, two);
	ADD_ALL(&session, masks);
	CHECK_ALL(&session, many);
	ADD_ALL(&session, cpus);
	CHECK_ALL(&session, mixed);
	test_session_remove(&session);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cpus),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_events),
	};

	golden_begin(argc, argv);
	return cmocka_run_group_tests_name("opreport_columns", tests, NULL, NULL);
}
