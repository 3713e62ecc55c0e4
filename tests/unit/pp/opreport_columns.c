// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opreport from outside: files that differ in event, CPU, process or thread, and --merge.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/cpu/type_names.h"
#include "libop/events/pfm.h"
#include "golden.h"

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

	(void)state;
	CHECK_SAMPLES(samples, table);
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

	(void)state;
	CHECK_SAMPLES(samples, table);
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

/* The head explains events by the catalogue of the CPU type that the samples come from. */
static void test_explained_events(void **state)
{
	static const struct {
		const char *name, *text; /* of the sample file, and in the head */
	} table[] = {
		{"CPU_CLK_UNHALTED.100000.0",
		 "CPU_CLK_UNHALTED events (Cycles) with a unit mask of 0x00 (No unit mask) count "
		 "100000"},
		{"REQUESTS.6000.2", "REQUESTS events (Requests of memory) with a unit mask of 0x02 "
				    "(Writes) count 6000"},
		{"REQUESTS.6000.3",
		 "REQUESTS events (Requests of memory) with a unit mask of 0x03 (multiple flags) "
		 "count 6000"},
		{"REQUESTS.6000.8", "REQUESTS events (Requests of memory) with a unit mask of 0x08 "
				    "(Unknown unit mask) "
				    "count 6000"},
		/* two events of one name */
		{"REQUESTS.6000.64", "REQUESTS events (Requests of devices) with a unit mask of "
				     "0x40 (By DMA) count 6000"},
		/* unit masks that differ in their modifiers only */
		{"STALLS.6000.1", "STALLS events (Stalls) with a unit mask of 0x01 (one of several "
				  "with this number) "
				  "count 6000"},
		{"NONESUCH.6000.0", "NONESUCH events (Unknown event) with a unit mask of 0x00 (No "
				    "unit mask) count 6000"},
		{"NONESUCH.6000.1", "NONESUCH events (Unknown event) with a unit mask of 0x01 "
				    "(Unknown unit mask) count "
				    "6000"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct test_session session;
		struct test_run run;
		char *file, *text;

		make_session(&session);
		test_session_write(&session, "events/i386/nehalem/events",
				   "event:0x3c counters:0 um:zero minimum:6000 "
				   "name:CPU_CLK_UNHALTED : Cycles\n"
				   "event:0x3d counters:0 um:kinds minimum:6000 name:REQUESTS : "
				   "Requests of memory\n"
				   "event:0x3e counters:0 um:devices minimum:6000 name:REQUESTS : "
				   "Requests of devices\n"
				   "event:0x3f counters:0 um:stalls minimum:6000 name:STALLS : "
				   "Stalls\n");
		test_session_write(&session, "events/i386/nehalem/unit_masks",
				   "name:zero type:mandatory default:0x0\n\t0x0 No unit mask\n"
				   "name:kinds type:bitmask default:0x1\n\t0x1 Reads\n"
				   "\t0x2 Writes\n"
				   "name:devices type:mandatory default:0x40\n\t0x40 By DMA\n"
				   "name:stalls type:exclusive default:a\n\t0x1 extra: a All\n"
				   "\t0x1 extra:edge,cmask=1 b Beginnings\n");
		session.header.cpu_type = (uint32_t)op_cpu_type_number("i386/nehalem");
		session.header.cpu_speed = 2666.76;
		test_need(
			asprintf(&file, FIXTURE_ALONE("prog") "%s.all.all.all", table[i].name) >
					0 &&
				asprintf(&text,
					 "CPU: Intel Nehalem microarchitecture, speed 2666.76 MHz "
					 "(estimated)\nCounted %s\n",
					 table[i].text) > 0,
			"out of memory");
		fixture_samples(&session, &(struct fixture_sample){file, TEXT(0x10), 60}, 1);
		fixture_opreport(&run, &session, opreport_path(), "");
		if (run.status || *run.err || strncmp(run.out, text, strlen(text)) != 0)
			fail_msg("status %d, %s\n%s\ninstead of\n%s", run.status, run.err, run.out,
				 text);
		test_run_free(&run);
		free(file);
		free(text);
		test_session_remove(&session);
	}
}

static void test_broken_catalogue(void **state)
{
	static const struct fixture_sample samples[] = {
		{FIXTURE_ALONE("prog") "CPU_CLK_UNHALTED.100000.0.all.all.all", TEXT(0x10), 60},
	};
	static const struct golden table[] = {
		{"", 0,
		 "CPU: Intel Nehalem microarchitecture, speed 2000 MHz (estimated)\n"
		 "Counted CPU_CLK_UNHALTED events (Unknown event) with a unit mask of 0x00 (No "
		 "unit "
		 "mask) count 100000\n"
		 "CPU_CLK_UNHALT...|\n"
		 "  samples|      %|\n"
		 "------------------\n"
		 "       60 100.000 prog\n",
		 "/events/i386/nehalem/unit_masks:1: "},
	};
	struct test_session session;

	(void)state;
	make_session(&session);
	test_session_write(&session, "events/i386/nehalem/events", "event:0x3c nonsense\n");
	test_session_write(&session, "events/i386/nehalem/unit_masks", "nonsense\n");
	session.header.cpu_type = (uint32_t)op_cpu_type_number("i386/nehalem");
	ADD_ALL(&session, samples);
	CHECK_ALL(&session, table);
	test_session_remove(&session);
}

/* The text catalogue has an event of this name, but libpfm4 the one with this unit mask. */
static void test_event_of_libpfm4(void **state)
{
	static const struct fixture_sample samples[] = {
		{FIXTURE_ALONE("prog") "UOPS_RETIRED.6000.1.all.all.all", TEXT(0x10), 60},
	};
	struct test_session session;
	struct test_run run;

	(void)state;
	if (!op_pfm_is_there()) {
		print_message("skipped: this build has no libpfm4\n");
		skip();
	}
	make_session(&session);
	test_session_write(&session, "events/i386/nehalem/events",
			   "event:0x3c counters:0 um:zero minimum:6000 name:UOPS_RETIRED : Text\n");
	test_session_write(&session, "events/i386/nehalem/unit_masks",
			   "name:zero type:mandatory default:0x0\n\t0x0 No unit mask\n");
	session.header.cpu_type = (uint32_t)op_cpu_type_number("i386/nehalem");
	ADD_ALL(&session, samples);
	fixture_opreport(&run, &session, opreport_path(), "");
	if (run.status || strstr(run.out, "Unknown") || strstr(run.out, "Text") ||
	    !strstr(run.out, "Counted UOPS_RETIRED "))
		fail_msg("status %d, %s\n%s", run.status, run.err, run.out);
	test_run_free(&run);
	test_session_remove(&session);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cpus),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_events),
		cmocka_unit_test(test_explained_events),
		cmocka_unit_test(test_broken_catalogue),
		cmocka_unit_test(test_event_of_libpfm4),
	};

	golden_begin(argc, argv);
	return cmocka_run_group_tests_name("opreport_columns", tests, NULL, NULL);
}
