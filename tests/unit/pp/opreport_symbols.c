// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opreport from outside: symbols of a program, its addresses and lines, and the options of lists.
 */
#include "golden.h"

/* The program alone: which symbol has which samples, how columns look. */
static void test_program(void **state)
{
	static const struct fixture_sample samples[] = {
		{FIXTURE_ALONE("prog") TIMER, TEXT(0x04), 1},	/* _start */
		{FIXTURE_ALONE("prog") TIMER, TEXT(0x10), 600}, /* hot */
		{FIXTURE_ALONE("prog") TIMER, TEXT(0x2f), 200},
		{FIXTURE_ALONE("prog") TIMER, TEXT(0x30), 90},	/* cold */
		{FIXTURE_ALONE("prog") TIMER, TEXT(0x4f), 100}, /* _Z3addii */
		{FIXTURE_ALONE("prog") TIMER, TEXT(0x50), 5},	/* quiet */
		{FIXTURE_ALONE("prog") TIMER, 0x2010, 4},	/* .odd */
	};
	static const struct golden table[] = {
		{"", 0,
		 TIMER_HEAD "          TIMER:0|\n"
			    "  samples|      %|\n"
			    "------------------\n"
			    "     1000 100.000 prog\n",
		 NULL},
		{"-f", 0,
		 TIMER_HEAD "          TIMER:0|\n"
			    "  samples|      %|\n"
			    "------------------\n"
			    "     1000 100.000 @DIR@/prog\n",
		 NULL},
		{"-n", 0, "     1000 100.000 prog\n", NULL},
		{"-l", 0,
		 TIMER_HEAD "samples  %        symbol name\n"
			    "800      80.0000  hot\n"
			    "100      10.0000  add(int, int)\n"
			    "90        9.0000  cold\n"
			    "5         0.5000  quiet\n"
			    "4         0.4000  anonymous symbol from section .odd\n"
			    "1         0.1000  _start\n",
		 NULL},
		{"-l -n", 0,
		 "800      80.0000  hot\n"
		 "100      10.0000  add(int, int)\n"
		 "90        9.0000  cold\n"
		 "5         0.5000  quiet\n"
		 "4         0.4000  anonymous symbol from section .odd\n"
		 "1         0.1000  _start\n",
		 NULL},
		{"-l -w", 0,
		 TIMER_HEAD "vma      samples  %        symbol name\n"
			    "00401010 800      80.0000  hot\n"
			    "00401040 100      10.0000  add(int, int)\n"
			    "00401030 90        9.0000  cold\n"
			    "00401050 5         0.5000  quiet\n"
			    "00403000 4         0.4000  anonymous symbol from section .odd\n"
			    "00401000 1         0.1000  _start\n",
		 NULL},
		{"-l -g", 0,
		 TIMER_HEAD "samples  %        linenr info                 symbol name\n"
			    "800      80.0000  prog.c:20                   hot\n"
			    "100      10.0000  prog.c:40                   add(int, int)\n"
			    "90        9.0000  prog.c:30                   cold\n"
			    "5         0.5000  prog.c:50                   quiet\n"
			    "4         0.4000  (no location information)   anonymous symbol from "
			    "section .odd\n"
			    "1         0.1000  prog.c:10                   _start\n",
		 NULL},
		{"-l -g -f", 0,
		 TIMER_HEAD "samples  %        linenr info                 symbol name\n"
			    "800      80.0000  src/prog.c:20               hot\n"
			    "100      10.0000  src/prog.c:40               add(int, int)\n"
			    "90        9.0000  src/prog.c:30               cold\n"
			    "5         0.5000  src/prog.c:50               quiet\n"
			    "4         0.4000  (no location information)   anonymous symbol from "
			    "section .odd\n"
			    "1         0.1000  src/prog.c:10               _start\n",
		 NULL},
		{"-l -a", 0,
		 TIMER_HEAD
		 "samples  cum. samples  %        cum. %     symbol name\n"
		 "800      800           80.0000  80.0000    hot\n"
		 "100      900           10.0000  90.0000    add(int, int)\n"
		 "90       990            9.0000  99.0000    cold\n"
		 "5        995            0.5000  99.5000    quiet\n"
		 "4        999            0.4000  99.9000    anonymous symbol from section .odd\n"
		 "1        1000           0.1000  100.000    _start\n",
		 NULL},
		{"-l -r", 0,
		 TIMER_HEAD "samples  %        symbol name\n"
			    "1         0.1000  _start\n"
			    "4         0.4000  anonymous symbol from section .odd\n"
			    "5         0.5000  quiet\n"
			    "90        9.0000  cold\n"
			    "100      10.0000  add(int, int)\n"
			    "800      80.0000  hot\n",
		 NULL},
		{"-l -t 9", 0,
		 TIMER_HEAD "samples  %        symbol name\n"
			    "800      80.0000  hot\n"
			    "100      10.0000  add(int, int)\n"
			    "90        9.0000  cold\n",
		 NULL},
		{"-l -D none -i _Z3addii", 0,
		 TIMER_HEAD "samples  %        symbol name\n"
			    "100      10.0000  _Z3addii\n",
		 NULL},
		{"-l -i hot", 0,
		 TIMER_HEAD "samples  %        symbol name\n"
			    "800      80.0000  hot\n",
		 NULL},
		{"-l -e hot,cold", 0,
		 TIMER_HEAD "samples  %        symbol name\n"
			    "100      10.0000  add(int, int)\n"
			    "5         0.5000  quiet\n"
			    "4         0.4000  anonymous symbol from section .odd\n"
			    "1         0.1000  _start\n",
		 NULL},
		{"-l -s symbol", 0,
		 TIMER_HEAD "samples  %        symbol name\n"
			    "1         0.1000  _start\n"
			    "100      10.0000  add(int, int)\n"
			    "4         0.4000  anonymous symbol from section .odd\n"
			    "90        9.0000  cold\n"
			    "800      80.0000  hot\n"
			    "5         0.5000  quiet\n",
		 NULL},
		{"-l -s vma", 0,
		 TIMER_HEAD "samples  %        symbol name\n"
			    "1         0.1000  _start\n"
			    "800      80.0000  hot\n"
			    "90        9.0000  cold\n"
			    "100      10.0000  add(int, int)\n"
			    "5         0.5000  quiet\n"
			    "4         0.4000  anonymous symbol from section .odd\n",
		 NULL},
		{"-l -n -s sample,vma -D smart", 0,
		 "800      80.0000  hot\n"
		 "100      10.0000  add(int, int)\n"
		 "90        9.0000  cold\n"
		 "5         0.5000  quiet\n"
		 "4         0.4000  anonymous symbol from section .odd\n"
		 "1         0.1000  _start\n",
		 NULL},
		{"-l -g -s debug", 0,
		 TIMER_HEAD "samples  %        linenr info                 symbol name\n"
			    "1         0.1000  prog.c:10                   _start\n"
			    "800      80.0000  prog.c:20                   hot\n"
			    "90        9.0000  prog.c:30                   cold\n"
			    "100      10.0000  prog.c:40                   add(int, int)\n"
			    "5         0.5000  prog.c:50                   quiet\n"
			    "4         0.4000  (no location information)   anonymous symbol from "
			    "section .odd\n",
		 NULL},
		{"-d", 0,
		 TIMER_HEAD "vma      samples  %        symbol name\n"
			    "00401010 800      80.0000  hot\n"
			    "  00401010 600      75.0000\n"
			    "  0040102f 200      25.0000\n"
			    "00401040 100      10.0000  add(int, int)\n"
			    "  0040104f 100      100.000\n"
			    "00401030 90        9.0000  cold\n"
			    "  00401030 90       100.000\n"
			    "00401050 5         0.5000  quiet\n"
			    "  00401050 5        100.000\n"
			    "00403000 4         0.4000  anonymous symbol from section .odd\n"
			    "  00403010 4        100.000\n"
			    "00401000 1         0.1000  _start\n"
			    "  00401004 1        100.000\n",
		 NULL},
		{"-d -g -a -%", 0,
		 TIMER_HEAD
		 "vma      samples  cum. samples  %        cum. %     linenr info                 "
		 "symbol name\n"
		 "00401010 800      800           80.0000  80.0000    prog.c:20                   "
		 "hot\n"
		 "  00401010 600      600           60.0000  60.0000    prog.c:20\n"
		 "  0040102f 200      800           20.0000  80.0000    prog.c:21\n"
		 "00401040 100      900           10.0000  90.0000    prog.c:40                   "
		 "add(int, int)\n"
		 "  0040104f 100      100           10.0000  10.0000    prog.c:40\n"
		 "00401030 90       990            9.0000  99.0000    prog.c:30                   "
		 "cold\n"
		 "  00401030 90       90             9.0000   9.0000    prog.c:30\n"
		 "00401050 5        995            0.5000  99.5000    prog.c:50                   "
		 "quiet\n"
		 "  00401050 5        5              0.5000   0.5000    prog.c:50\n"
		 "00403000 4        999            0.4000  99.9000    (no location information)   "
		 "anonymous symbol from section .odd\n"
		 "  00403010 4        4              0.4000   0.4000    (no location information)\n"
		 "00401000 1        1000           0.1000  100.000    prog.c:10                   "
		 "_start\n"
		 "  00401004 1        1              0.1000   0.1000    prog.c:10\n",
		 NULL},
		{"-d -n -t 10", 0,
		 "00401010 800      80.0000  hot\n"
		 "  00401010 600      75.0000\n"
		 "  0040102f 200      25.0000\n"
		 "00401040 100      10.0000  add(int, int)\n"
		 "  0040104f 100      100.000\n",
		 NULL},
	};

	(void)state;
	CHECK_SAMPLES(samples, table);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_program),
	};

	golden_begin(argc, argv);
	return cmocka_run_group_tests_name("opreport_symbols", tests, NULL, NULL);
}
