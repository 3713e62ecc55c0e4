// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opgprof from outside: GNU gprof reads what it writes, and says the same.
 *
 *	pp_opgprof OPGPROF SOURCES OPREPORT
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "golden.h"

static const char *opgprof, *sources;

#define ARCS	      FIXTURE_ALONE("prog") "{cg}/{root}@DIR@/prog/" TIMER
#define ARC(from, to) ((uint64_t)TEXT(from) << 32 | TEXT(to))

static void convert(const struct test_session *session, const char *arguments)
{
	struct test_run run;

	fixture_opreport(&run, session, opgprof, arguments);
	if (run.status || *run.err || *run.out)
		fail_msg("opgprof %s: status %d, %s", arguments, run.status, run.err);
	test_run_free(&run);
}

/* What gprof says of @image and a file. */
static char *gprof(const struct test_session *session, const char *options, const char *image,
		   const char *file)
{
	struct test_run run;
	char *command, *out;

	assert_true(asprintf(&command, "cd %s && gprof -b %s %s %s", session->dir, options, image,
			     file) > 0);
	test_run(&run, (const char *const[]){"/bin/sh", "-c", command, NULL});
	if (run.status || *run.err)
		fail_msg("%s: status %d, %s", command, run.status, run.err);
	out = strdup(run.out);
	test_run_free(&run);
	free(command);
	return out;
}

/* The samples of a function in a flat profile: the third number of its line. */
static double samples_of(const char *flat, const char *name)
{
	size_t n = strlen(name);

	for (const char *line = flat; line;
	     line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		size_t length = strcspn(line, "\n");
		double percent, sum, self;

		if (length > n && !strncmp(line + length - n, name, n) &&
		    line[length - n - 1] == ' ' &&
		    sscanf(line, " %lf %lf %lf", &percent, &sum, &self) == 3)
			return self;
	}
	return -1;
}

static void test_flat(void **state)
{
	static const struct fixture_sample samples[] = {
		{FIXTURE_ALONE("prog") TIMER, TEXT(0x04), 1},	   /* _start */
		{FIXTURE_ALONE("prog") TIMER, TEXT(0x10), 600},	   /* hot */
		{FIXTURE_ALONE("prog") TIMER, TEXT(0x2f), 200000}, /* more than a bin holds */
		{FIXTURE_ALONE("prog") TIMER, TEXT(0x40), 7},	   /* _Z3addii */
		{FIXTURE_ALONE("prog") "TIMER.0.0.1.2.3", TEXT(0x5f), 70}, /* quiet */
		{FIXTURE_IN("prog", "lib.so") TIMER, TEXT(0), 10}, /* not of the application */
	};
	struct test_session session;
	char *flat;

	(void)state;
	make_session(&session);
	ADD_ALL(&session, samples);
	convert(&session, "-o @DIR@/gmon.out");
	flat = gprof(&session, "-p", "prog", "gmon.out");
	assert_non_null(strstr(flat, "Each sample counts as 1 samples."));
	assert_true(samples_of(flat, "_start") == 1);
	assert_true(samples_of(flat, "hot") == 200600);
	assert_true(samples_of(flat, "add(int, int)") == 7);
	assert_true(samples_of(flat, "quiet") == 70);
	free(flat);
	convert(&session, "--threshold=50 --output-filename=@DIR@/gmon.out prog");
	flat = gprof(&session, "-p", "prog", "gmon.out");
	assert_true(samples_of(flat, "hot") == 200600);
	assert_true(samples_of(flat, "quiet") == -1);
	free(flat);
	/* The library, by name. */
	convert(&session, "-o @DIR@/lib.gmon lib-image:*/lib.so");
	flat = gprof(&session, "-p", "lib.so", "lib.gmon");
	assert_true(samples_of(flat, "lib_work") == 10);
	free(flat);
	test_session_remove(&session);
}

static void test_arcs(void **state)
{
	static const struct fixture_sample samples[] = {
		{FIXTURE_ALONE("prog") TIMER, TEXT(0x10), 9},
		{ARCS, ARC(0x04, 0x10), 5}, /* _start to hot */
		{ARCS, ARC(0x08, 0x10), 6},
		{ARCS, ARC(0x3f, 0x45), 20},  /* cold to the middle of add */
		{ARCS, ARC(0x10, 0x3f), 400}, /* hot to cold */
		/* Arcs to another image have no place. */
		{FIXTURE_ALONE("prog") "{cg}/{root}@DIR@/lib.so/" TIMER, ARC(0, 0), 1000},
	};
	static const char *const lines[] = {
		"                9.00    0.00      11/11          _start [2]\n"
		"[1]    100.0    9.00    0.00      11         hot [1]\n"
		"                0.00    0.00     400/400         cold [3]\n",
		"                0.00    0.00      20/20          cold [3]\n"
		"[5]      0.0    0.00    0.00      20         add(int, int) [5]\n",
	};
	struct test_session session;
	char *graph, *flat;

	(void)state;
	make_session(&session);
	ADD_ALL(&session, samples);
	convert(&session, "-o @DIR@/gmon.out prog");
	flat = gprof(&session, "-p", "prog", "gmon.out");
	assert_true(samples_of(flat, "hot") == 9);
	free(flat);
	graph = gprof(&session, "-q", "prog", "gmon.out");
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (!strstr(graph, lines[i]))
			fail_msg("wanted\n%s\nin\n%s", lines[i], graph);
	assert_null(strstr(graph, "1000"));
	free(graph);
	test_session_remove(&session);
}

/* An image of 32 bits. */
static void test_narrow(void **state)
{
	static const struct fixture_sample samples[] = {
		{FIXTURE_ALONE("narrow") TIMER, TEXT(0x10), 42},
	};
	struct test_session session;
	char *flat;

	(void)state;
	make_session(&session);
	test_shell("cd %s && as --32 -o narrow.o %s/prog.s && ld -m elf_i386 -Ttext=0x401000 "
		   "--section-start=.odd=0x403000 -o narrow narrow.o",
		   session.dir, sources);
	ADD_ALL(&session, samples);
	convert(&session, "-o @DIR@/gmon.out");
	flat = gprof(&session, "-p", "narrow", "gmon.out");
	assert_true(samples_of(flat, "hot") == 42);
	free(flat);
	test_session_remove(&session);
}

static void test_trouble(void **state)
{
	static const struct golden table[] = {
		{"event:TIMER", 1, "", "gprof takes one image, but there are samples of"},
		{"text", 1, "", "text is no object file"},
		{"gone", 1, "", "cannot read @DIR@/gone: No such file"},
		{"prog", 1, "", "gprof takes one event, but there are samples of"},
		{"prog event:CYCLES -o @DIR@/no/such", 1, "",
		 "cannot create @DIR@/no/such.new: No"},
		{"prog -t x", 2, "", "--threshold=x"},
		{"prog -o", 2, "", "-o: missing argument"},
		{"prog --what", 2, "", "--what: unknown option"},
		{"prog event:CYCLES -o @DIR@/out", 0, "",
		 "5 samples are not in @DIR@/out: they are in no code of the image"},
		{"prog event:TIMER -o @DIR@/out", 0, "",
		 "852516353 samples are not in @DIR@/out: too many for gprof at one place"},
	};
	static const struct fixture_sample samples[] = {
		{FIXTURE_ALONE("prog") TIMER, TEXT(0x10), 3000000000},
		{FIXTURE_ALONE("prog") "CYCLES.6000.0.all.all.all", 0x700000, 5},
		{FIXTURE_ALONE("prog") "CYCLES.6000.0.all.all.all", TEXT(0), 6},
		{FIXTURE_ALONE("gone") TIMER, TEXT(0x10), 3},
		{FIXTURE_ALONE("text") TIMER, TEXT(0x10), 3},
	};
	struct test_session session;

	(void)state;
	make_session(&session);
	test_session_write(&session, "text", "not an object file\n");
	ADD_ALL(&session, samples);
	CHECK_ALL(&session, table);
	test_session_remove(&session);
}

/* A file that can't be written to its end leaves the one that was there. */
static void test_full_disk(void **state)
{
	static const struct fixture_sample samples[] = {
		{FIXTURE_ALONE("prog") TIMER, TEXT(0x10), 300},
	};
	struct test_session session;
	struct test_run run;
	char *command;

	(void)state;
	make_session(&session);
	ADD_ALL(&session, samples);
	test_session_write(&session, "gmon.out", "precious\n");
	assert_true(asprintf(&command,
			     "ulimit -f 1; trap '' XFSZ; exec %s --session-dir=%s -o %s/gmon.out",
			     opgprof, session.dir, session.dir) > 0);
	test_run(&run, (const char *const[]){"/bin/bash", "-c", command, NULL});
	assert_int_equal(run.status, 1);
	assert_non_null(strstr(run.err, "cannot write "));
	test_shell("cd %s && test \"$(cat gmon.out)\" = precious && test ! -e gmon.out.new",
		   session.dir);
	test_run_free(&run);
	free(command);
	test_session_remove(&session);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_flat),	  cmocka_unit_test(test_arcs),
		cmocka_unit_test(test_narrow),	  cmocka_unit_test(test_trouble),
		cmocka_unit_test(test_full_disk),
	};

	golden_begin(argc - 1, argv);
	opgprof = argv[1];
	sources = argv[2];
	return cmocka_run_group_tests_name("opgprof", tests, NULL, NULL);
}
