// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opreport from outside: command lines that make no sense, damaged sessions, losses, and what
 * cannot be written.
 */
#include "golden.h"

#include "libop/session/paths.h"

/* Command lines that make no sense, or ask for what is not there. */
static void test_wrong_use(void **state)
{
	static const struct golden table[] = {
		{"-a", 2, "",
		 "opreport error: --accumulated needs --symbols\n"
		 "Try 'opreport --help'.\n"},
		{"-w", 2, "",
		 "opreport error: --show-address needs --symbols\n"
		 "Try 'opreport --help'.\n"},
		{"-g", 2, "",
		 "opreport error: --debug-info needs --symbols\n"
		 "Try 'opreport --help'.\n"},
		{"-e x", 2, "",
		 "opreport error: --exclude-symbols needs --symbols\n"
		 "Try 'opreport --help'.\n"},
		{"-i x", 2, "",
		 "opreport error: --include-symbols needs --symbols\n"
		 "Try 'opreport --help'.\n"},
		{"-s vma", 2, "",
		 "opreport error: --sort=vma needs --symbols\n"
		 "Try 'opreport --help'.\n"},
		{"-s debug", 2, "",
		 "opreport error: --sort=debug needs --symbols\n"
		 "Try 'opreport --help'.\n"},
		{"-l -%", 2, "",
		 "opreport error: --global-percent with --symbols needs --details or "
		 "--callgraph\n"
		 "Try 'opreport --help'.\n"},
		{"-m lib -x", 2, "",
		 "opreport error: --merge=lib and --exclude-dependent contradict each other\n"
		 "Try 'opreport --help'.\n"},
		{"-t 101", 2, "",
		 "opreport error: --threshold=101: not a percentage from 0 to 100\n"
		 "Try 'opreport --help'.\n"},
		{"-t x", 2, "",
		 "opreport error: --threshold=x: not a percentage from 0 to 100\n"
		 "Try 'opreport --help'.\n"},
		{"-t nan", 2, "",
		 "opreport error: --threshold=nan: not a percentage from 0 to 100\n"
		 "Try 'opreport --help'.\n"},
		{"-s time", 2, "",
		 "opreport error: --sort=time: 'time' is none of sample, image, app-name, symbol, "
		 "debug, vma\n"
		 "Try 'opreport --help'.\n"},
		{"-s vma,vma", 2, "",
		 "opreport error: --sort=vma,vma: 'vma' is given twice\n"
		 "Try 'opreport --help'.\n"},
		{"-m core", 2, "",
		 "opreport error: --merge=core: 'core' is none of cpu, tid, tgid, unitmask, lib, "
		 "all\n"
		 "Try 'opreport --help'.\n"},
		{"-D fancy", 2, "",
		 "opreport error: --demangle=fancy: it is one of none, normal, smart\n"
		 "Try 'opreport --help'.\n"},
		{"-V loud", 2, "",
		 "opreport error: --verbose=loud: 'loud' is none of all, debug, bfd, level1, "
		 "sfile, stats, xml\n"
		 "Try 'opreport --help'.\n"},
		{"--nonsense", 2, "",
		 "opreport error: --nonsense: unknown option\n"
		 "Try 'opreport --help'.\n"},
		{"-t", 2, "",
		 "opreport error: -t: missing argument\n"
		 "Try 'opreport --help'.\n"},
		{"cpu:x", 2, "",
		 "opreport error: 'cpu:x': 'x' is not a number, a range A-B or 'all'\n"
		 "Try 'opreport --help'.\n"},
		{"cpu:3-1", 2, "",
		 "opreport error: 'cpu:3-1': '3-1' is not a number, a range A-B or 'all'\n"
		 "Try 'opreport --help'.\n"},
		{"color:red", 2, "",
		 "opreport error: 'color:red': unknown tag 'color' (a file name with ':' needs a "
		 "'/' before it)\n"
		 "Try 'opreport --help'.\n"},
		{"event:", 2, "",
		 "opreport error: 'event:': empty item in the list\n"
		 "Try 'opreport --help'.\n"},
		{"a a", 2, "",
		 "opreport error: 'a' is given twice\n"
		 "Try 'opreport --help'.\n"},
		{"archive:", 2, "",
		 "opreport error: 'archive:': a directory must follow\n"
		 "Try 'opreport --help'.\n"},
		{"-e ,x -l", 2, "",
		 "opreport error: --exclude-symbols=,x: empty item in the list\n"
		 "Try 'opreport --help'.\n"},
		{"session:none", 1, "",
		 "opreport error: no session at @DIR@/samples/none: No such file or directory"},
		{"image:nothing", 1, "",
		 "opreport error: none of the 1 sample files in @DIR@ is meant by the profile "
		 "specification"},
	};
	static const struct fixture_sample samples[] = {
		{FIXTURE_ALONE("prog") TIMER, TEXT(0x10), 6},
	};
	static const struct golden missing[] = {
		{"", 1, "",
		 "opreport error: no session at @DIR@/samples/current: No such file or "
		 "directory\n"},
	};
	static const struct golden empty[] = {
		{"", 1, "", "opreport error: no sample files in @DIR@\n"},
	};
	static const struct golden help[] = {
		{"-v", 0, "opreport: oprofile 2.0.0\n", NULL},
	};
	struct test_session session;

	(void)state;
	make_session(&session);
	CHECK_ALL(&session, help);
	CHECK_ALL(&session, missing);
	test_shell("mkdir -p %s/samples/current", session.dir);
	CHECK_ALL(&session, empty);
	ADD_ALL(&session, samples);
	CHECK_ALL(&session, table);
	test_session_remove(&session);
}

/* What is damaged, missing or changed costs a warning, never the report. */
static void test_damage(void **state)
{
	static const struct fixture_sample samples[] = {
		{FIXTURE_ALONE("prog") TIMER, TEXT(0x10), 60},
		{FIXTURE_ALONE("gone1") TIMER, TEXT(0x10), 1},
		{FIXTURE_ALONE("broken") TIMER, TEXT(0x10), 2},
		{FIXTURE_ALONE("lib.so") TIMER, TEXT(0x10), 3},
	};
	static const struct fixture_sample more[] = {
		{FIXTURE_ALONE("gone2") TIMER, TEXT(0x10), 1},
		{FIXTURE_ALONE("gone3") TIMER, TEXT(0x10), 1},
		{FIXTURE_ALONE("gone4") TIMER, TEXT(0x10), 1},
		{FIXTURE_ALONE("gone5") TIMER, TEXT(0x10), 1},
	};
	static const struct golden images[] = {
		{"-l -n @DIR@/prog gone1", 0,
		 "60       98.3607  prog                     hot\n"
		 "1         1.6393  gone1                    @DIR@/gone1\n",
		 "opreport warning: @DIR@/gone1 has no symbols: No such file or directory"},
		{"-l -n broken", 0, "2        100.000  @DIR@/broken\n",
		 "opreport warning: @DIR@/broken: symbols may be missing: file format not recognized"},
		{"-l -n", 0,
		 "60       90.9091  prog                     hot\n"
		 "3         4.5455  lib.so                   lib_work\n"
		 "2         3.0303  broken                   @DIR@/broken\n"
		 "1         1.5152  gone1                    @DIR@/gone1\n",
		 "opreport warning: @DIR@/broken: symbols may be missing: file format not recognized\n"
		 "opreport warning: @DIR@/gone1 has no symbols: No such file or directory\n"},
	};
	static const struct golden many[] = {
		{"-l -n gone*", 0,
		 "1        20.0000  gone1                    @DIR@/gone1\n"
		 "1        20.0000  gone2                    @DIR@/gone2\n"
		 "1        20.0000  gone3                    @DIR@/gone3\n"
		 "1        20.0000  gone4                    @DIR@/gone4\n"
		 "1        20.0000  gone5                    @DIR@/gone5\n",
		 "opreport warning: @DIR@/gone1 has no symbols: No such file or directory\n"
		 "opreport warning: @DIR@/gone2 has no symbols: No such file or directory\n"
		 "opreport warning: @DIR@/gone3 has no symbols: No such file or directory\n"
		 "opreport warning: 5 images have no symbols because they could not be read (2 not "
		 "shown; --verbose=all shows them)\n"},
		{"-l -n -V all gone4 gone5", 0,
		 "1        50.0000  gone4                    @DIR@/gone4\n"
		 "1        50.0000  gone5                    @DIR@/gone5\n",
		 "opreport warning: @DIR@/gone4 has no symbols: No such file or directory\n"
		 "opreport warning: @DIR@/gone5 has no symbols: No such file or directory\n"
		 "Samples: the session has no statistics of losses\n"},
	};
	static const struct golden names[] = {
		{"-n prog", 0, "       60 100.000 prog\n",
		 "skipped: @DIR@/samples/current/{root}/odd-name: "},
	};
	static const struct golden nothing[] = {
		{"-n lib.so", 1, "", "opreport error: none of the sample files could be read\n"},
	};
	struct test_session session;

	(void)state;
	make_session(&session);
	ADD_ALL(&session, samples);
	test_shell("head -c 300 %s/prog > %s/broken", session.dir, session.dir);
	CHECK_ALL(&session, images);
	ADD_ALL(&session, more);
	CHECK_ALL(&session, many);
	test_shell(
		"cd '%s/samples/current/{root}' && echo x > odd-name && ln -s odd-name link && "
		"echo code > 7.jo && cd .%s/prog/{dep}/{root}%s/prog && "
		"head -c 1000 TIMER.0.0.all.all.all > TIMER.0.0.all.all.0 && "
		"echo junk > TIMER.0.0.all.all.1 && : > TIMER.0.0.all.all.2 && : > .odb-unfinished",
		session.dir, session.dir, session.dir);
	CHECK_ALL(&session, names);
	test_shell("cd '%s/samples/current/{root}'%s/lib.so/{dep}/{root}%s/lib.so && "
		   "echo junk > TIMER.0.0.all.all.all",
		   session.dir, session.dir, session.dir);
	CHECK_ALL(&session, nothing);
	test_session_remove(&session);
}

/* The profiler's own samples, taken as images by a profiler before it, are passed over. */
static void test_samples_of_itself(void **state)
{
	static const struct fixture_sample samples[] = {
		{FIXTURE_ALONE("prog") TIMER, TEXT(0x10), 90},
		{FIXTURE_ALONE("samples/current/x") TIMER, 0x10, 5},
		{FIXTURE_ALONE("sample") TIMER, 0x10, 10},
	};
	static const struct golden table[] = {
		{"-n", 0,
		 "       90 90.0000 prog\n"
		 "       10 10.0000 sample\n",
		 "opreport warning: skipped: samples of a sample file, "
		 "@DIR@/samples/current/{root}@DIR@/samples\n"},
	};

	(void)state;
	CHECK_SAMPLES(samples, table);
}

static void test_losses(void **state)
{
	static const struct fixture_sample samples[] = {
		{FIXTURE_ALONE("prog") TIMER, TEXT(0x10), 90},
	};
	static const struct golden none[] = {
		{"-n", 0, "       90 100.000 prog\n", NULL},
		{"--stats", 0,
		 TIMER_HEAD "          TIMER:0|\n"
			    "  samples|      %|\n"
			    "------------------\n"
			    "       90 100.000 prog\n"
			    "\n"
			    "Samples: the session has no statistics of losses\n",
		 NULL},
	};
	static const struct golden no_loss[] = {
		{"", 0,
		 TIMER_HEAD "          TIMER:0|\n"
			    "  samples|      %|\n"
			    "------------------\n"
			    "       90 100.000 prog\n"
			    "\n"
			    "Samples: 100 received, 100 stored, none lost\n",
		 NULL},
		{"-n", 0, "       90 100.000 prog\n", NULL},
		{"-n -V stats", 0, "       90 100.000 prog\n",
		 "Samples: 100 received, 100 stored, none lost\n"},
		{"-l", 0,
		 TIMER_HEAD "samples  %        symbol name\n"
			    "90       100.000  hot\n"
			    "\n"
			    "Samples: 100 received, 100 stored, none lost\n",
		 NULL},
	};
	static const struct golden loss[] = {
		{"", 0,
		 TIMER_HEAD "          TIMER:0|\n"
			    "  samples|      %|\n"
			    "------------------\n"
			    "       90 100.000 prog\n"
			    "\n"
			    "Samples: 100 received, 90 stored, 10 lost (10 %)\n"
			    "Kernel, since profiling was last started: 110 taken, 10 lost before "
			    "the daemon got them\n"
			    "        7  user code in no file or memory that is known\n"
			    "        3  kernel code in neither the kernel nor a module\n"
			    "       10  in the kernel: the buffer of a CPU was full\n"
			    "       11  words that the event buffer had no room for\n",
		 NULL},
		{"-n", 0, "       90 100.000 prog\n",
		 "Samples: 100 received, 90 stored, 10 lost (10 %)\n"
		 "Kernel, since profiling was last started: 110 taken, 10 lost before the daemon "
		 "got them\n"
		 "        7  user code in no file or memory that is known\n"
		 "        3  kernel code in neither the kernel nor a module\n"
		 "       10  in the kernel: the buffer of a CPU was full\n"
		 "       11  words that the event buffer had no room for\n"},
		{"-l", 0,
		 TIMER_HEAD "samples  %        symbol name\n"
			    "90       100.000  hot\n"
			    "\n"
			    "Samples: 100 received, 90 stored, 10 lost (10 %)\n"
			    "Kernel, since profiling was last started: 110 taken, 10 lost before "
			    "the daemon got them\n"
			    "        7  user code in no file or memory that is known\n"
			    "        3  kernel code in neither the kernel nor a module\n"
			    "       10  in the kernel: the buffer of a CPU was full\n"
			    "       11  words that the event buffer had no room for\n",
		 NULL},
	};
	struct test_session session;

	(void)state;
	make_session(&session);
	ADD_ALL(&session, samples);
	CHECK_ALL(&session, none);
	test_session_stat(&session, "total_samples", 100);
	test_session_stat(&session, "samples_stored", 100);
	test_session_stat(&session, "lost_no_mapping", 0);
	test_session_write(&session, "samples/current/stats/junk", "x\n");
	CHECK_ALL(&session, no_loss);
	test_session_stat(&session, "samples_stored", 90);
	test_session_stat(&session, "lost_no_mapping", 7);
	test_session_write(&session, "samples/current/stats/lost_kernel", "3");
	test_session_stat(&session, "event_lost_overflow", 11);
	test_session_stat(&session, "cpu0/sample_received", 60);
	test_session_stat(&session, "cpu1/sample_received", 50);
	test_session_stat(&session, "cpu0/sample_lost_overflow", 4);
	test_session_stat(&session, "cpu1/sample_lost_overflow", 6);
	CHECK_ALL(&session, loss);
	test_session_remove(&session);
}

/* Below the losses stands what profiling cost, if the session tells. */
static void test_overhead(void **state)
{
	static const struct fixture_sample samples[] = {
		{FIXTURE_ALONE("prog") TIMER, TEXT(0x10), 90},
	};
#define TABLE                                                                                      \
	TIMER_HEAD "          TIMER:0|\n"                                                          \
		   "  samples|      %|\n"                                                          \
		   "------------------\n"                                                          \
		   "       90 100.000 prog\n\n"
	static const struct golden no_time[] = {
		{"", 0, TABLE "Samples: 90 received, 90 stored, none lost\n", NULL},
	};
	static const struct golden minute[] = {
		{"", 0,
		 TABLE "Samples: 90 received, 90 stored, none lost\n"
		       "Overhead: the daemon used 0.42 % of a CPU in 61 s\n",
		 NULL},
		{"-n", 0, "       90 100.000 prog\n", NULL},
	};
	static const struct golden throttled[] = {
		{"", 0,
		 TABLE "Samples: 90 received, 90 stored, none lost\n"
		       "Too many samples: events were throttled 5 times\n"
		       "Overhead: the daemon used 100.00 % of a CPU in 1.5 s\n",
		 NULL},
	};
	static const struct golden module[] = {
		{"", 0,
		 TABLE "Source: module\n"
		       "Samples: 90 received, 90 stored, 1 lost (1.111 %)\n"
		       "        1  task or CPU not known\n"
		       "Too many samples: periods were doubled 5 times\n"
		       "Overhead: the daemon used 100.00 % of a CPU in 1.5 s\n",
		 NULL},
	};
	static const struct golden perf[] = {
		{"", 0,
		 TABLE "Source: perf\n"
		       "Samples: 90 received, 90 stored, 1 lost (1.111 %)\n"
		       "        1  task or CPU not known\n"
		       "Too many samples: events were paused 5 times\n"
		       "Overhead: the daemon used 100.00 % of a CPU in 1.5 s\n",
		 NULL},
	};
#undef TABLE
	struct test_session session;

	(void)state;
	make_session(&session);
	ADD_ALL(&session, samples);
	test_session_stat(&session, "total_samples", 90);
	test_session_stat(&session, "samples_stored", 90);
	test_session_stat(&session, "cpu0/throttled", 0);
	test_session_stat(&session, "daemon_cpu_ms", 256);
	CHECK_ALL(&session, no_time);
	test_session_stat(&session, "profiling_ms", 61000);
	CHECK_ALL(&session, minute);
	test_session_stat(&session, "cpu0/throttled", 2);
	test_session_stat(&session, "cpu1/throttled", 3);
	test_session_stat(&session, "daemon_cpu_ms", 1500);
	test_session_stat(&session, "profiling_ms", 1500);
	CHECK_ALL(&session, throttled);
	test_session_stat(&session, "lost_invalid_domain", 1);
	test_session_write(&session, "samples/current/" OP_SAMPLES_SOURCE, "source module\n");
	CHECK_ALL(&session, module);
	test_session_write(&session, "samples/current/" OP_SAMPLES_SOURCE, "source perf\n");
	CHECK_ALL(&session, perf);
	test_session_remove(&session);
}

static void test_output_file(void **state)
{
	static const struct fixture_sample samples[] = {
		{FIXTURE_ALONE("prog") TIMER, TEXT(0x10), 90},
	};
	static const struct golden table[] = {
		{"-n -o @DIR@/report", 0, "", NULL},
		{"-n -o @DIR@/none/report", 1, "",
		 "opreport error: cannot write @DIR@/none/report: No such file or directory"},
		{"-n -o /dev/full", 1, "",
		 "opreport error: cannot write all of the report to /dev/full"},
	};
	struct test_session session;

	(void)state;
	make_session(&session);
	ADD_ALL(&session, samples);
	CHECK_ALL(&session, table);
	test_shell("grep -qx '       90 100.000 prog' %s/report", session.dir);
	test_session_remove(&session);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wrong_use),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_samples_of_itself),
		cmocka_unit_test(test_losses),
		cmocka_unit_test(test_overhead),
		cmocka_unit_test(test_output_file),
	};

	golden_begin(argc, argv);
	return cmocka_run_group_tests_name("opreport_faults", tests, NULL, NULL);
}
