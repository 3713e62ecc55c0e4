// SPDX-License-Identifier: GPL-2.0-or-later
/* opreport from outside: differences of two profiles. */
#include <stdlib.h>

#include "golden.h"

/* CPU 0 has the old profile, CPU 1 the new one. */
static const struct fixture_sample samples[] = {
	{FIXTURE_ALONE("prog") "TIMER.0.0.all.all.0", TEXT(0x10), 50}, /* hot */
	{FIXTURE_ALONE("prog") "TIMER.0.0.all.all.0", TEXT(0x30), 40}, /* cold */
	{FIXTURE_ALONE("prog") "TIMER.0.0.all.all.0", TEXT(0), 10},    /* _start */
	{FIXTURE_ALONE("prog") "TIMER.0.0.all.all.1", TEXT(0x10), 150},
	{FIXTURE_ALONE("prog") "TIMER.0.0.all.all.1", TEXT(0x30), 40},
	{FIXTURE_IN("prog", "lib.so") "TIMER.0.0.all.all.1", TEXT(0), 10},
};

#define OTHERS                                                                                     \
	"opreport error: a difference has none of --callgraph, --details, --debug-info, "          \
	"--show-address, --accumulated, --global-percent, --sort, --xml, --json and --csv\n"

static void test_differences(void **state)
{
	static const struct golden table[] = {
		{"-l -m cpu { cpu:0 } { cpu:1 }", 0,
		 "CPU: CPU with timer interrupt, speed 2000 MHz (estimated)\n"
		 "Profiling through timer interrupt\n"
		 "samples  %        diff %      image name               symbol name\n"
		 "150      75.0000  +50.0000    prog                     hot\n"
		 "40       20.0000  -50.0000    prog                     cold\n"
		 "10        5.0000  +++         lib.so                   lib_work\n"
		 "10       10.0000  ---         prog                     _start\n", NULL},
		{"-l -n -m cpu { cpu:1 } { cpu:0 }", 0,
		 "50       50.0000  -33.3333    prog                     hot\n"
		 "40       40.0000  +100.0000   prog                     cold\n"
		 "10        5.0000  ---         lib.so                   lib_work\n"
		 "10       10.0000  +++         prog                     _start\n", NULL},
		{"-m cpu { cpu:0 } { cpu:1 }", 0,
		 "CPU: CPU with timer interrupt, speed 2000 MHz (estimated)\n"
		 "Profiling through timer interrupt\n"
		 "samples  %        diff %      image name\n"
		 "190      95.0000  -5.0000     prog\n"
		 "10        5.0000  +++         lib.so\n", NULL},
		{"-l -n -m cpu -t 30 { cpu:0 } { cpu:1 }", 0,
		 "150      75.0000  +50.0000    prog                     hot\n"
		 "40       20.0000  -50.0000    prog                     cold\n"
		 "10        5.0000  +++         lib.so                   lib_work\n"
		 "10       10.0000  ---         prog                     _start\n", NULL},
		{"-l -n -r -m cpu { cpu:0 } { cpu:1 }", 0,
		 "10       10.0000  ---         prog                     _start\n"
		 "10        5.0000  +++         lib.so                   lib_work\n"
		 "40       20.0000  -50.0000    prog                     cold\n"
		 "150      75.0000  +50.0000    prog                     hot\n", NULL},
		{"-l -n -m cpu image:*prog { cpu:0 } { cpu:1 }", 0,
		 "150      75.0000  +50.0000    prog                     hot\n"
		 "40       20.0000  -50.0000    prog                     cold\n"
		 "10        5.0000  +++         lib.so                   lib_work\n"
		 "10       10.0000  ---         prog                     _start\n", NULL},
		{"-l -n -m cpu {} {}", 0,
		 "200      66.6667  +0.0000     prog                     hot\n"
		 "80       26.6667  +0.0000     prog                     cold\n"
		 "10        3.3333  +0.0000     lib.so                   lib_work\n"
		 "10        3.3333  +0.0000     prog                     _start\n", NULL},
		{"-l -n -m cpu -i hot { cpu:0 } { cpu:1 }", 0,
		 "150      75.0000  +50.0000    hot\n", NULL},
	};

	(void)state;
	CHECK_SAMPLES(samples, table);
}

static void test_wrong_words(void **state)
{
	static const char braces[] =
		"opreport error: a difference needs two pairs of braces: { OLD } { NEW }\n";
	static const struct golden table[] = {
		{"-l { cpu:0 }", 2, "", braces},
		{"-l { cpu:0 { cpu:1 }", 2, "", braces},
		{"-l } {", 2, "", braces},
		{"-l { cpu:0 } { cpu:1", 2, "", braces},
		{"-l {} {} {}", 2, "", braces},
		{"-l {} { cpu:1 }", 2, "",
		 "opreport error: the first pair of braces is empty, but not the second\n"},
		{"-c {} {}", 2, "", OTHERS},
		{"-X {} {}", 2, "", OTHERS},
		{"-l -g {} {}", 2, "", OTHERS},
		{"-l { cpu:0 } { cpu:0,1 }", 1, "",
		 "opreport error: the two profiles have different columns (TIMER:0 and cpu:0)"},
		{"-l { cpu:0 } { cpu:7 }", 1, "",
		 "opreport error: none of the 3 sample files in @DIR@ is meant"},
	};

	(void)state;
	CHECK_SAMPLES(samples, table);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_differences),
		cmocka_unit_test(test_wrong_words),
	};

	golden_begin(argc, argv);
	return cmocka_run_group_tests_name("pp_opreport_difference", tests, NULL, NULL);
}
