// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opreport from outside: call graphs.  Arcs between prog (_start, hot, cold), lib.so (lib_work),
 * a copy of prog without any symbol, and a kernel without symbols.
 */
#include <stdlib.h>
#include <string.h>

#include "golden.h"

#define ARC(from, to) ((uint64_t)(from) << 32 | (to))
#define CG(image)     "{cg}/{root}@DIR@/" image "/"

static const char *argv_opreport;

static const struct fixture_sample samples[] = {
	{FIXTURE_ALONE("prog") TIMER, TEXT(0x10), 60},	   /* hot */
	{FIXTURE_ALONE("prog") TIMER, TEXT(0x30), 10},	   /* cold */
	{FIXTURE_IN("prog", "lib.so") TIMER, TEXT(0), 30}, /* lib_work */
	{FIXTURE_ALONE("prog") CG("prog") TIMER, ARC(TEXT(0), TEXT(0x14)), 25},
	{FIXTURE_ALONE("prog") CG("prog") TIMER, ARC(TEXT(4), TEXT(0x18)), 5},
	{FIXTURE_ALONE("prog") CG("prog") TIMER, ARC(TEXT(0x34), TEXT(0x10)), 10},
	{FIXTURE_ALONE("prog") CG("prog") TIMER, ARC(TEXT(0x10), TEXT(0x10)), 7},
	{FIXTURE_ALONE("prog") CG("lib.so") TIMER, ARC(TEXT(0x10), TEXT(8)), 20},
};

static void test_arcs(void **state)
{
	static const struct golden table[] = {
		{"-c", 0,
		 "CPU: CPU with timer interrupt, speed 2000 MHz (estimated)\n"
		 "Profiling through timer interrupt\n"
		 "samples  %        image name               symbol name\n"
		 "-------------------------------------------------------------------------------\n"
		 "  7        14.8936  prog                     hot\n"
		 "  10       21.2766  prog                     cold\n"
		 "  30       63.8298  prog                     _start\n"
		 "60       60.0000  prog                     hot\n"
		 "  60       68.9655  prog                     hot [self]\n"
		 "  20       22.9885  lib.so                   lib_work\n"
		 "  7         8.0460  prog                     hot\n"
		 "-------------------------------------------------------------------------------\n"
		 "  20       100.000  prog                     hot\n"
		 "30       30.0000  lib.so                   lib_work\n"
		 "  30       100.000  lib.so                   lib_work [self]\n"
		 "-------------------------------------------------------------------------------\n"
		 "10       10.0000  prog                     cold\n"
		 "  10       50.0000  prog                     hot\n"
		 "  10       50.0000  prog                     cold [self]\n"
		 "-------------------------------------------------------------------------------\n"
		 "0              0  prog                     _start\n"
		 "  30       100.000  prog                     hot\n"
		 "  0              0  prog                     _start [self]\n"
		 "-------------------------------------------------------------------------------\n", NULL},
		{"-c -n -%", 0,
		 "-------------------------------------------------------------------------------\n"
		 "  7         7.0000  prog                     hot\n"
		 "  10       10.0000  prog                     cold\n"
		 "  30       30.0000  prog                     _start\n"
		 "60       60.0000  prog                     hot\n"
		 "  60       60.0000  prog                     hot [self]\n"
		 "  20       20.0000  lib.so                   lib_work\n"
		 "  7         7.0000  prog                     hot\n"
		 "-------------------------------------------------------------------------------\n"
		 "  20       20.0000  prog                     hot\n"
		 "30       30.0000  lib.so                   lib_work\n"
		 "  30       30.0000  lib.so                   lib_work [self]\n"
		 "-------------------------------------------------------------------------------\n"
		 "10       10.0000  prog                     cold\n"
		 "  10       10.0000  prog                     hot\n"
		 "  10       10.0000  prog                     cold [self]\n"
		 "-------------------------------------------------------------------------------\n"
		 "0              0  prog                     _start\n"
		 "  30       30.0000  prog                     hot\n"
		 "  0              0  prog                     _start [self]\n"
		 "-------------------------------------------------------------------------------\n", NULL},
		{"-c -n -t 20", 0,
		 "-------------------------------------------------------------------------------\n"
		 "  30       100.000  prog                     _start\n"
		 "60       60.0000  prog                     hot\n"
		 "  60       75.0000  prog                     hot [self]\n"
		 "  20       25.0000  lib.so                   lib_work\n"
		 "-------------------------------------------------------------------------------\n"
		 "  20       100.000  prog                     hot\n"
		 "30       30.0000  lib.so                   lib_work\n"
		 "  30       100.000  lib.so                   lib_work [self]\n"
		 "-------------------------------------------------------------------------------\n"
		 "0              0  prog                     _start\n"
		 "  30       100.000  prog                     hot\n"
		 "  0              0  prog                     _start [self]\n"
		 "-------------------------------------------------------------------------------\n", NULL},
		{"-c -n -r", 0,
		 "-------------------------------------------------------------------------------\n"
		 "0              0  prog                     _start\n"
		 "  30       100.000  prog                     hot\n"
		 "  0              0  prog                     _start [self]\n"
		 "-------------------------------------------------------------------------------\n"
		 "10       10.0000  prog                     cold\n"
		 "  10       50.0000  prog                     hot\n"
		 "  10       50.0000  prog                     cold [self]\n"
		 "-------------------------------------------------------------------------------\n"
		 "  20       100.000  prog                     hot\n"
		 "30       30.0000  lib.so                   lib_work\n"
		 "  30       100.000  lib.so                   lib_work [self]\n"
		 "-------------------------------------------------------------------------------\n"
		 "  7        14.8936  prog                     hot\n"
		 "  10       21.2766  prog                     cold\n"
		 "  30       63.8298  prog                     _start\n"
		 "60       60.0000  prog                     hot\n"
		 "  60       68.9655  prog                     hot [self]\n"
		 "  20       22.9885  lib.so                   lib_work\n"
		 "  7         8.0460  prog                     hot\n"
		 "-------------------------------------------------------------------------------\n", NULL},
		{"-c -n -i cold", 0,
		 "-------------------------------------------------------------------------------\n"
		 "10       10.0000  prog                     cold\n"
		 "  10       50.0000  prog                     hot\n"
		 "  10       50.0000  prog                     cold [self]\n"
		 "-------------------------------------------------------------------------------\n", NULL},
		{"-c -n -x", 0,
		 "-------------------------------------------------------------------------------\n"
		 "  7        14.8936  hot\n"
		 "  10       21.2766  cold\n"
		 "  30       63.8298  _start\n"
		 "60       85.7143  hot\n"
		 "  60       89.5522  hot [self]\n"
		 "  7        10.4478  hot\n"
		 "-------------------------------------------------------------------------------\n"
		 "10       14.2857  cold\n"
		 "  10       50.0000  hot\n"
		 "  10       50.0000  cold [self]\n"
		 "-------------------------------------------------------------------------------\n"
		 "0              0  _start\n"
		 "  30       100.000  hot\n"
		 "  0              0  _start [self]\n"
		 "-------------------------------------------------------------------------------\n", NULL},
		{"-c -n -m lib", 0,
		 "-------------------------------------------------------------------------------\n"
		 "  7        14.8936  prog                     hot\n"
		 "  10       21.2766  prog                     cold\n"
		 "  30       63.8298  prog                     _start\n"
		 "60       60.0000  prog                     hot\n"
		 "  60       68.9655  prog                     hot [self]\n"
		 "  20       22.9885  lib.so                   lib_work\n"
		 "  7         8.0460  prog                     hot\n"
		 "-------------------------------------------------------------------------------\n"
		 "  20       100.000  prog                     hot\n"
		 "30       30.0000  lib.so                   lib_work\n"
		 "  30       100.000  lib.so                   lib_work [self]\n"
		 "-------------------------------------------------------------------------------\n"
		 "10       10.0000  prog                     cold\n"
		 "  10       50.0000  prog                     hot\n"
		 "  10       50.0000  prog                     cold [self]\n"
		 "-------------------------------------------------------------------------------\n"
		 "0              0  prog                     _start\n"
		 "  30       100.000  prog                     hot\n"
		 "  0              0  prog                     _start [self]\n"
		 "-------------------------------------------------------------------------------\n", NULL},
		{"-c -n -a -g -w -i hot", 0,
		 "-------------------------------------------------------------------------------\n"
		 "  00401010 7        7             14.8936  14.8936    prog.c:20                   prog                     hot\n"
		 "  00401030 10       17            21.2766  36.1702    prog.c:30                   prog                     cold\n"
		 "  00401000 30       47            63.8298  100.000    prog.c:10                   prog                     _start\n"
		 "00401010 60       60            60.0000  60.0000    prog.c:20                   prog                     hot\n"
		 "  00401010 60       60            68.9655  68.9655    prog.c:20                   prog                     hot [self]\n"
		 "  00002000 20       80            22.9885  91.9540    (no location information)   lib.so                   lib_work\n"
		 "  00401010 7        87             8.0460  100.000    prog.c:20                   prog                     hot\n"
		 "-------------------------------------------------------------------------------\n", NULL},
		{"-c -n lib-image:*lib.so", 0,
		 "-------------------------------------------------------------------------------\n"
		 "  20       100.000  prog                     hot\n"
		 "30       100.000  lib.so                   lib_work\n"
		 "  30       100.000  lib.so                   lib_work [self]\n"
		 "-------------------------------------------------------------------------------\n"
		 "0              0  prog                     hot\n"
		 "  20       100.000  lib.so                   lib_work\n"
		 "  0              0  prog                     hot [self]\n"
		 "-------------------------------------------------------------------------------\n", NULL},
		{"-c -n image-exclude:*lib.so", 0,
		 "-------------------------------------------------------------------------------\n"
		 "  7        14.8936  hot\n"
		 "  10       21.2766  cold\n"
		 "  30       63.8298  _start\n"
		 "60       85.7143  hot\n"
		 "  60       89.5522  hot [self]\n"
		 "  7        10.4478  hot\n"
		 "-------------------------------------------------------------------------------\n"
		 "10       14.2857  cold\n"
		 "  10       50.0000  hot\n"
		 "  10       50.0000  cold [self]\n"
		 "-------------------------------------------------------------------------------\n"
		 "0              0  _start\n"
		 "  30       100.000  hot\n"
		 "  0              0  _start [self]\n"
		 "-------------------------------------------------------------------------------\n", NULL},
		{"-l -n", 0,
		 "60       60.0000  prog                     hot\n"
		 "30       30.0000  lib.so                   lib_work\n"
		 "10       10.0000  prog                     cold\n", NULL},
	};

	(void)state;
	CHECK_SAMPLES(samples, table);
}

/* What has no symbols has arcs all the same; those of its first address, too. */
static void test_arcs_of_images_without_symbols(void **state)
{
	static const struct fixture_sample bare[] = {
		{FIXTURE_IN("prog", "bare") TIMER, TEXT(0x40), 8},
		{FIXTURE_KERNEL("prog", "no-vmlinux") TIMER, 0x400, 4},
		{FIXTURE_ALONE("prog") CG("bare") TIMER, ARC(TEXT(0x10), 0), 3},
		{FIXTURE_IN("prog", "bare") "{cg}/{kern}/no-vmlinux/" TIMER, ARC(0, 0), 2},
		{FIXTURE_KERNEL("prog", "no-vmlinux") "{cg}/{kern}/no-vmlinux/" TIMER,
		 ARC(0x500, 0x400), 1},
	};
	static const struct golden table[] = {
		{"-c -n", 0,
		 "-------------------------------------------------------------------------------\n"
		 "  3        100.000  prog                     hot\n"
		 "8        66.6667  bare                     @DIR@/bare\n"
		 "  8        80.0000  bare                     @DIR@/bare [self]\n"
		 "  2        20.0000  no-vmlinux               /no-vmlinux\n"
		 "-------------------------------------------------------------------------------\n"
		 "  1        33.3333  no-vmlinux               /no-vmlinux\n"
		 "  2        66.6667  bare                     @DIR@/bare\n"
		 "4        33.3333  no-vmlinux               /no-vmlinux\n"
		 "  4        80.0000  no-vmlinux               /no-vmlinux [self]\n"
		 "  1        20.0000  no-vmlinux               /no-vmlinux\n"
		 "-------------------------------------------------------------------------------\n"
		 "0              0  prog                     hot\n"
		 "  3        100.000  bare                     @DIR@/bare\n"
		 "  0              0  prog                     hot [self]\n"
		 "-------------------------------------------------------------------------------\n", NULL},
	};
	struct test_session session;

	(void)state;
	make_session(&session);
	test_shell("cd %s && cp prog bare && strip -s bare", session.dir);
	ADD_ALL(&session, bare);
	CHECK_ALL(&session, table);
	test_session_remove(&session);
}

/* Libraries that are not separated are applications of their own. */
static void test_arcs_without_separation(void **state)
{
	static const struct fixture_sample plain[] = {
		{FIXTURE_ALONE("prog") TIMER, TEXT(0x10), 60},
		{FIXTURE_ALONE("lib.so") TIMER, TEXT(0), 30},
		{FIXTURE_ALONE("prog") CG("lib.so") TIMER, ARC(TEXT(0x10), TEXT(8)), 20},
	};
	static const struct golden table[] = {
		{"-c -n", 0,
		 "-------------------------------------------------------------------------------\n"
		 "60       66.6667  prog                     hot\n"
		 "  60       75.0000  prog                     hot [self]\n"
		 "  20       25.0000  lib.so                   lib_work\n"
		 "-------------------------------------------------------------------------------\n"
		 "  20       100.000  prog                     hot\n"
		 "30       33.3333  lib.so                   lib_work\n"
		 "  30       100.000  lib.so                   lib_work [self]\n"
		 "-------------------------------------------------------------------------------\n", NULL},
	};

	(void)state;
	CHECK_SAMPLES(plain, table);
}

static void test_classes(void **state)
{
	static const struct fixture_sample cpus[] = {
		{FIXTURE_ALONE("prog") "TIMER.0.0.all.all.0", TEXT(0x10), 60},
		{FIXTURE_ALONE("prog") "TIMER.0.0.all.all.1", TEXT(0x10), 40},
		{FIXTURE_ALONE("prog") CG("prog") "TIMER.0.0.all.all.0",
		 ARC(TEXT(0x30), TEXT(0x10)), 5},
		{FIXTURE_ALONE("prog") CG("prog") "TIMER.0.0.all.all.1",
		 ARC(TEXT(0x30), TEXT(0x10)), 6},
	};
	static const struct golden table[] = {
		{"-c", 0,
		 "CPU: CPU with timer interrupt, speed 2000 MHz (estimated)\n"
		 "Profiling through timer interrupt\n"
		 "Samples on CPU 0\n"
		 "Samples on CPU 1\n"
		 "samples  %        samples  %        symbol name\n"
		 "-------------------------------------------------------------------------------\n"
		 "  5        100.000  6        100.000  cold\n"
		 "60       100.000  40       100.000  hot\n"
		 "  60       100.000  40       100.000  hot [self]\n"
		 "-------------------------------------------------------------------------------\n"
		 "0              0  0              0  cold\n"
		 "  5        100.000  6        100.000  hot\n"
		 "  0              0  0              0  cold [self]\n"
		 "-------------------------------------------------------------------------------\n", NULL},
		{"-c -n -m cpu", 0,
		 "-------------------------------------------------------------------------------\n"
		 "  11       100.000  cold\n"
		 "100      100.000  hot\n"
		 "  100      100.000  hot [self]\n"
		 "-------------------------------------------------------------------------------\n"
		 "0              0  cold\n"
		 "  11       100.000  hot\n"
		 "  0              0  cold [self]\n"
		 "-------------------------------------------------------------------------------\n", NULL},
		{"-c -n cpu:1", 0,
		 "-------------------------------------------------------------------------------\n"
		 "  6        100.000  cold\n"
		 "40       100.000  hot\n"
		 "  40       100.000  hot [self]\n"
		 "-------------------------------------------------------------------------------\n"
		 "0              0  cold\n"
		 "  6        100.000  hot\n"
		 "  0              0  cold [self]\n"
		 "-------------------------------------------------------------------------------\n", NULL},
	};

	(void)state;
	CHECK_SAMPLES(cpus, table);
}

/* A session of samples.  Return: the name of a call graph file, which the caller frees. */
static char *make_arcs(struct test_session *session)
{
	make_session(session);
	ADD_ALL(session, samples);
	return fixture_expand(session, FIXTURE_ALONE("prog") CG("prog") TIMER);
}

/* A call graph file that was cut costs its arcs and nothing else. */
static void test_damaged_arcs(void **state)
{
	struct test_session session;
	char *name = make_arcs(&session);

	(void)state;
	for (long length = 2600; length >= 0; length -= 97) {
		struct test_run run;

		test_shell("truncate -s %ld '%s/samples/current/%s'", length, session.dir, name);
		fixture_opreport(&run, &session, argv_opreport, "-c -n");
		assert_int_equal(run.status, 0);
		assert_non_null(strstr(run.err, "opreport warning: skipped: "));
		assert_non_null(strstr(run.out, "\n60       60.0000  prog"));
		assert_non_null(strstr(run.out, "lib_work\n"));
		test_run_free(&run);
	}
	free(name);
	test_session_remove(&session);
}

/* Whatever a call graph file says, the samples of the others stay. */
static void test_scrambled_arcs(void **state)
{
	struct test_session session;
	char *name = make_arcs(&session);

	(void)state;
	srandom(6);
	for (int i = 0; i < 60; i++) {
		struct test_run run;

		/* The header and the first nodes; each round leaves its damage to the next. */
		test_shell("printf '\\%03o' | dd of='%s/samples/current/%s' bs=1 seek=%ld "
			   "conv=notrunc status=none",
			   (unsigned int)random() % 256, session.dir, name, random() % 240);
		fixture_opreport(&run, &session, argv_opreport, i % 2 ? "-c -n" : "-X -c");
		assert_int_equal(run.status, 0);
		assert_non_null(strstr(run.out, i % 2 ? "\n60       60.0000  prog"
						      : "<count>60</count>"));
		test_run_free(&run);
	}
	free(name);
	test_session_remove(&session);
}

static void test_wrong_options(void **state)
{
	static const struct golden table[] = {
		{"-c -d", 2, "",
		 "opreport error: --callgraph and --details contradict each other\n"},
	};
	struct test_session session;

	(void)state;
	make_session(&session);
	CHECK_ALL(&session, table);
	test_session_remove(&session);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arcs),
		cmocka_unit_test(test_arcs_of_images_without_symbols),
		cmocka_unit_test(test_arcs_without_separation),
		cmocka_unit_test(test_classes),
		cmocka_unit_test(test_damaged_arcs),
		cmocka_unit_test(test_scrambled_arcs),
		cmocka_unit_test(test_wrong_options),
	};

	golden_begin(argc, argv);
	argv_opreport = argv[1];
	return cmocka_run_group_tests_name("pp_opreport_callgraph", tests, NULL, NULL);
}
