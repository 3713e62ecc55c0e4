// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * All report tools: what they have in common means the same, is refused with the same words and
 * ends with the same exit code in each.
 *
 *	pp_tools TOOL...
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "session.h"

static char **tools;
static size_t n_tools;

static bool has_option(const char *tool, const char *option)
{
	const char *const argv[] = {tool, "--help", NULL};
	struct test_run run;
	bool has;

	test_run(&run, argv);
	has = strstr(run.out, option) != NULL;
	test_run_free(&run);
	return has;
}

/* Runs each tool that has @option; counts them. */
static size_t check(const char *option, const char *first, const char *second, int status,
		    const char *message)
{
	size_t n = 0;

	for (size_t i = 0; i < n_tools; i++) {
		const char *const argv[] = {tools[i], first, second, NULL};
		const char *name = strrchr(tools[i], '/') + 1;
		char wanted[512];
		struct test_run run;

		if (!has_option(tools[i], option))
			continue;
		n++;
		test_run(&run, argv);
		snprintf(wanted, sizeof(wanted),
			 status == 2 ? "%s error: %s\nTry '%s --help'.\n" : "%s%s%.0s", name,
			 message, name);
		if (run.status != status || strcmp(status ? run.err : run.out, wanted))
			fail_msg("%s %s %s: status %d\n%s%swanted: %s", name, first,
				 second ? second : "", run.status, run.out, run.err, wanted);
		assert_string_equal(status ? run.out : run.err, "");
		test_run_free(&run);
	}
	return n;
}

static void test_version(void **state)
{
	(void)state;
	assert_int_equal(check("--version", "--version", NULL, 0, ": oprofile " OP_VERSION "\n"),
			 n_tools);
	assert_int_equal(check("-v, --version", "-v", NULL, 0, ": oprofile " OP_VERSION "\n"),
			 n_tools);
}

static void test_wrong_arguments(void **state)
{
	static const struct {
		const char *option, *first, *second, *message;
		size_t n; /* tools that have it, at least */
	} table[] = {
		{"--help", "--nonsense", NULL, "--nonsense: unknown option", 5},
		{"--help", "-Z", NULL, "-Z: unknown option", 5},
		{"--verbose", "--verbose", NULL, "--verbose: missing argument", 5},
		{"--verbose", "-V", "loud",
		 "--verbose=loud: 'loud' is none of all, debug, bfd, level1, sfile, stats, xml", 5},
		{"--session-dir", "--session-dir=", NULL, "--session-dir: empty argument", 4},
		{"--root", "-R", "", "--root: empty argument", 4},
		{"--image-path", "-p", "/a,,/b", "--image-path=/a,,/b: empty item in the list", 4},
		{"--threshold", "-t", "100.1", "--threshold=100.1: not a percentage from 0 to 100",
		 3},
		{"--merge", "-m", "cpu,core",
		 "--merge=cpu,core: 'core' is none of cpu, tid, tgid, unitmask, lib, all", 2},
		{"--demangle", "-D", "no", "--demangle=no: it is one of none, normal, smart", 2},
		{"--exclude-symbols", "-e", "a,,b",
		 "--exclude-symbols=a,,b: empty item in the list", 2},
		{"--include-symbols", "-i", ",", "--include-symbols=,: empty item in the list", 2},
		{"TAG:LIST", "tag:x", NULL,
		 "'tag:x': unknown tag 'tag' (a file name with ':' needs a '/' before it)", 4},
		{"TAG:LIST", "cpu:0", "cpu:0", "'cpu:0' is given twice", 4},
		{"TAG:LIST", "tid:x", NULL, "'tid:x': 'x' is not a number, a range A-B or 'all'",
		 4},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		assert_true(check(table[i].option, table[i].first, table[i].second, 2,
				  table[i].message) >= table[i].n);
}

static void test_no_session(void **state)
{
	static const char *const needed[] = {"opannotate -a", "oparchive -l",
					     "opexport --to=folded", NULL};

	(void)state;
	for (size_t i = 0; i < n_tools; i++) {
		const char *name = strrchr(tools[i], '/') + 1;
		const char *argv[] = {tools[i], "--session-dir=/nonexistent", NULL, NULL};
		char wanted[128];
		struct test_run run;

		if (!has_option(tools[i], "--session-dir"))
			continue;
		for (size_t k = 0; needed[k]; k++)
			if (!strncmp(needed[k], name, strlen(name)))
				argv[2] = needed[k] + strlen(name) + 1;
		test_run(&run, argv);
		snprintf(wanted, sizeof(wanted),
			 "%s error: no session at /nonexistent/samples/current: No such file or "
			 "directory\n",
			 name);
		assert_string_equal(run.err, wanted);
		assert_int_equal(run.status, 1);
		test_run_free(&run);
	}
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_version),
		cmocka_unit_test(test_wrong_arguments),
		cmocka_unit_test(test_no_session),
	};

	test_need(argc > 1, "usage: pp_tools TOOL...");
	tools = argv + 1;
	n_tools = (size_t)argc - 1;
	return cmocka_run_group_tests_name("pp_tools", tests, NULL, NULL);
}
