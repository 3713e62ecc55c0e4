// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opreport from outside: what dcpicat and dcpiprof of DCPI would print.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden.h"

static const struct fixture_sample samples[] = {
	{FIXTURE_ALONE("prog") "CPU_CLK_UNHALTED.100000.0.all.all.all", TEXT(0x10), 60},
	{FIXTURE_ALONE("prog") "CPU_CLK_UNHALTED.100000.0.all.all.all", TEXT(0x14), 3},
	{FIXTURE_ALONE("prog") "CPU_CLK_UNHALTED.100000.0.all.all.all", TEXT(0x30), 7},
	{FIXTURE_ALONE("prog") "LLC_MISSES.6000.65.all.all.all", TEXT(0x30), 12},
	{FIXTURE_IN("prog", "lib.so") "CPU_CLK_UNHALTED.100000.0.all.all.all", TEXT(4), 30},
	/* the same image and address in another program */
	{FIXTURE_IN("other", "lib.so") "LLC_MISSES.6000.65.all.all.all", TEXT(4), 8},
};

static void make_events(struct test_session *session)
{
	make_session(session);
	session->header.cpu_type = 94;
	ADD_ALL(session, samples);
}

static void test_addresses(void **state)
{
	static const struct golden table[] = {
		{"-n --format=dcpicat", 0,
		 "0x000000002004       30        8\n"
		 "0x000000401010       60        0\n"
		 "0x000000401014        3        0\n"
		 "0x000000401030        7       12\n",
		 NULL},
		{"-n --format=dcpicat event:LLC_MISSES -x", 0, "0x000000401030       12\n", NULL},
		{"-n --format=dcpicat -i cold", 0, "0x000000401030        7       12\n", NULL},
	};
	struct test_session session;

	(void)state;
	make_events(&session);
	CHECK_ALL(&session, table);
	test_session_remove(&session);
}

/* Puts 'N' in the place of the digits behind a keyword, as files have other times elsewhere. */
static void hide_digits(char *text, const char *keyword, size_t digits)
{
	for (; (text = strstr(text, keyword)); text += digits) {
		text += 12;
		for (size_t i = 0; i < digits; i++) {
			assert_true(isxdigit((unsigned char)text[i]));
			text[i] = 'N';
		}
		assert_int_equal(text[digits], '\n');
	}
}

static void test_heads(void **state)
{
	static const char wanted[] = "name        lib.so\n"
				     "image       NNNNNNNNNNNNNNNNNNNN\n"
				     "path        @DIR@/lib.so\n"
				     "epoch       NNNNNNNNNN\n"
				     "platform    Intel Sapphire Rapids microarchitecture\n"
				     "text_start  0x000000002000\n"
				     "text_size   0x000000000040\n"
				     "event       30 CPU_CLK_UNHALTED:100000:10000\n"
				     "event       8 LLC_MISSES:6000:10000\n"
				     "0x000000002004       30        8\n"
				     "\n"
				     "name        prog\n"
				     "image       NNNNNNNNNNNNNNNNNNNN\n"
				     "path        @DIR@/prog\n"
				     "epoch       NNNNNNNNNN\n"
				     "platform    Intel Sapphire Rapids microarchitecture\n"
				     "text_start  0x000000401000\n"
				     "text_size   0x000000000060\n"
				     "event       70 CPU_CLK_UNHALTED:100000:10000\n"
				     "event       12 LLC_MISSES:6000:10000\n"
				     "0x000000401010       60        0\n"
				     "0x000000401014        3        0\n"
				     "0x000000401030        7       12\n";
	struct test_session session;
	struct test_run run;
	char *text;

	(void)state;
	make_events(&session);
	text = fixture_expand(&session, wanted);
	fixture_opreport(&run, &session, opreport_path(), "--format=dcpicat");
	assert_int_equal(run.status, 0);
	hide_digits(run.out, "image       ", 20);
	hide_digits(run.out, "epoch       ", 10);
	assert_string_equal(run.out, text);
	test_run_free(&run);
	free(text);
	test_session_remove(&session);
}

static void test_histograms(void **state)
{
	static const struct golden table[] = {
		{"--format=dcpiprof", 0,
		 "Total samples for event type CPU_CLK_UNHALTED:100000 = 100, "
		 "LLC_MISSES:6000 = 20\n"
		 "\n"
		 "CPU_CLK_UNHALTED:100000       %    cum%  LLC_MISSES:6000       %  image\n"
		 "                     70  70.00%  70.00%               12  60.00%  @DIR@/prog\n"
		 "                     30  30.00% 100.00%                8  40.00%  "
		 "@DIR@/lib.so\n",
		 NULL},
		{"--format=dcpiprof -l -n", 0,
		 "                     63  63.00%  63.00%                0   0.00%  hot        "
		 "@DIR@/prog\n"
		 "                     30  30.00%  93.00%                8  40.00%  lib_work   "
		 "@DIR@/lib.so\n"
		 "                      7   7.00% 100.00%               12  60.00%  cold       "
		 "@DIR@/prog\n",
		 NULL},
		{"--format=dcpiprof -l -t 10 event:CPU_CLK_UNHALTED", 0,
		 "Total samples for event type CPU_CLK_UNHALTED:100000 = 100\n"
		 "\n"
		 "CPU_CLK_UNHALTED:100000       %    cum%  procedure  image\n"
		 "                     63  63.00%  63.00%  hot        @DIR@/prog\n"
		 "                     30  30.00%  93.00%  lib_work   @DIR@/lib.so\n",
		 NULL},
	};
	struct test_session session;

	(void)state;
	make_events(&session);
	CHECK_ALL(&session, table);
	test_session_remove(&session);
}

static void test_losses_are_told_beside(void **state)
{
	static const struct golden table[] = {
		{"-n --format=dcpicat prog -x", 0, "0x000000401010       60\n", "lost"},
	};
	static const struct fixture_sample one[] = {
		{FIXTURE_ALONE("prog") TIMER, TEXT(0x10), 60},
	};
	struct test_session session;

	(void)state;
	make_session(&session);
	ADD_ALL(&session, one);
	test_session_stat(&session, "total_samples", 1000);
	test_session_stat(&session, "lost_no_mapping", 3);
	CHECK_ALL(&session, table);
	test_session_remove(&session);
}

static void test_wrong_options(void **state)
{
	static const struct golden table[] = {
		{"--format=dcpi", 2, "",
		 "opreport error: --format: \"dcpi\" is none of text, csv, json, xml, dcpicat and "
		 "dcpiprof\n"},
		{"--format=dcpicat -X", 2, "", "opreport error: only one of"},
		{"--format=dcpicat -c", 2, "", "opreport error: dcpicat and dcpiprof have none of"},
		{"--format=dcpiprof -l -w", 2, "",
		 "opreport error: dcpicat and dcpiprof have none of"},
		{"--format=dcpiprof -a -l", 2, "", "opreport error: --accumulated and"},
		{"--format=dcpiprof { } { }", 2, "", "opreport error: a difference has none of"},
	};
	struct test_session session;

	(void)state;
	make_events(&session);
	CHECK_ALL(&session, table);
	test_session_remove(&session);
}

/* One option for all of them: what --csv says, --format=csv says, too. */
static void test_the_other_formats_by_name(void **state)
{
	static const char *const names[] = {"csv", "json", "xml"};
	struct test_session session;

	(void)state;
	make_events(&session);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct test_run by_flag, by_name;
		char flag[32], name[32], *line, *other;

		snprintf(flag, sizeof(flag), "-l --%s", names[i]);
		snprintf(name, sizeof(name), "-l --format=%s", names[i]);
		fixture_opreport(&by_flag, &session, opreport_path(), flag);
		fixture_opreport(&by_name, &session, opreport_path(), name);
		assert_int_equal(by_flag.status, 0);
		/* but for the command line, which some have in it */
		line = strstr(by_flag.out, flag);
		other = strstr(by_name.out, name);
		if (line) {
			assert_memory_equal(by_flag.out, by_name.out, line - by_flag.out);
			assert_string_equal(line + strlen(flag), other + strlen(name));
		} else {
			assert_string_equal(by_flag.out, by_name.out);
		}
		test_run_free(&by_flag);
		test_run_free(&by_name);
	}
	test_session_remove(&session);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_heads),
		cmocka_unit_test(test_histograms),
		cmocka_unit_test(test_losses_are_told_beside),
		cmocka_unit_test(test_wrong_options),
		cmocka_unit_test(test_the_other_formats_by_name),
	};

	golden_begin(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
