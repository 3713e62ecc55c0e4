// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Nothing is lost between sample files and reports: in sessions of every separation, with
 * images that have symbols, are stripped, damaged or missing, every report that leaves
 * nothing out adds up to the sum of the sample files.
 *
 *	pp_sums OPREPORT SOURCES
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"

static const char *opreport, *sources;

static const char *const images[] = {"prog", "lib.so", "stripped", "broken", "gone"};

#define N_IMAGES (sizeof(images) / sizeof(images[0]))

/* What of a sample's name is separated. */
struct separation {
	const char *name;
	bool lib, kernel, thread, cpu, events, anon;
};

static void random_name(const struct separation *by, const char *dir, char *out, size_t size)
{
	const char *app = images[(unsigned long)random() % N_IMAGES];
	const char *image = images[(unsigned long)random() % N_IMAGES];
	unsigned long kind = (unsigned long)random() % 8;
	char dep[256], separated[64];

	if (by->anon && kind == 0)
		snprintf(dep, sizeof(dep), "{anon:anon}/%ld.0x1000.0x%lx000", random() % 3,
			 2 + (unsigned long)random() % 3);
	else if (by->kernel && kind < 3)
		snprintf(dep, sizeof(dep), "{kern}/%s", kind == 1 ? "kallsyms" : "ext4");
	else
		snprintf(dep, sizeof(dep), "{root}%s/%s", dir, by->lib ? image : app);
	if (by->thread)
		snprintf(separated, sizeof(separated), "%ld.%ld.all", 10 + random() % 2,
			 100 + random() % 3);
	else if (by->cpu)
		snprintf(separated, sizeof(separated), "all.all.%ld", random() % 12);
	else
		snprintf(separated, sizeof(separated), "all.all.all");
	snprintf(out, size, "{root}%s/%s/{dep}/%s/%s.%s", dir, app, dep,
		 by->events && random() % 2 ? "CYCLES.6000.0" : "TIMER.0.0", separated);
}

/* Small keys around the code, large ones, and counts that need more than 32 bits. */
static void random_entry(struct odb_entry *entry)
{
	static const uint64_t starts[] = {0, 0xff0, 0x1000, 0x2000, 0x10000, 0xffffffff81000000};

	entry->key = starts[(unsigned long)random() % 6] + (uint64_t)random() % 0x80;
	entry->count =
		random() % 50 ? 1 + (uint64_t)random() % 1000 : 0xffffffff + (uint64_t)random();
}

static void fill(struct test_session *session, const struct separation *by)
{
	for (int i = 0; i < 60; i++) {
		struct odb_entry entries[20];
		char name[1024];

		random_name(by, session->dir, name, sizeof(name));
		for (size_t k = 0; k < 20; k++)
			random_entry(&entries[k]);
		test_session_add_entries(session, name, entries, 20);
	}
}

/* Adds the counts that stand before a percentage at the start of a line. */
static uint64_t add_line(const char *line)
{
	uint64_t sum = 0, count;
	int used;

	for (;;) {
		line += strspn(line, " ");
		if (!isdigit((unsigned char)*line) ||
		    sscanf(line, "%" SCNu64 " %*f%n", &count, &used) != 1 ||
		    !isspace((unsigned char)line[used]))
			break;
		sum += count;
		line += used;
	}
	return sum;
}

/* Lines of dependents and details begin with a tab or a blank, those of symbols do not. */
static uint64_t add_report(const char *text, bool symbols)
{
	uint64_t sum = 0;

	for (const char *line = text; *line; line = strchr(line, '\n') + 1)
		if (*line != '\t' && (!symbols || *line != ' '))
			sum += add_line(line);
	return sum;
}

static uint64_t add_details(const char *text)
{
	uint64_t sum = 0;

	for (const char *line = text; *line; line = strchr(line, '\n') + 1)
		if (line[0] == ' ')
			sum += add_line(line + strcspn(line + 2, " ") + 2);
	return sum;
}

static void check(const struct test_session *session, const char *merge, const char *options)
{
	bool symbols = strstr(options, "-l") || strstr(options, "-d");
	char arguments[256] = "-n ";
	struct test_run run;
	uint64_t sum;

	strcat(strcat(arguments, merge), " ");
	strcat(arguments, options);
	fixture_opreport(&run, session, opreport, arguments);
	if (run.status)
		fail_msg("opreport %s: %s", arguments, run.err);
	sum = strstr(options, "-d") ? add_details(run.out) : add_report(run.out, symbols);
	if (sum != session->stored)
		fail_msg("opreport %s: %" PRIu64 ", but the files hold %" PRIu64, arguments, sum,
			 session->stored);
	test_run_free(&run);
}

static void test_reports_add_up(void **state)
{
	static const struct {
		struct separation by;
		char merge[16]; /* so that one axis is left */
	} table[] = {
		{{"none", .anon = true}, ""},
		{{"lib", .lib = true, .anon = true}, ""},
		{{"kernel", .lib = true, .kernel = true, .anon = true}, ""},
		{{"thread", .lib = true, .thread = true}, "-m tid"},
		{{"cpu", .cpu = true, .kernel = true}, ""},
		{{"events", .lib = true, .events = true}, ""},
		{{"all", .lib = true, .kernel = true, .thread = true, .anon = true, .events = true},
		 "-m tgid"},
	};
	static const char *const options[] = {
		"",	 "-f",	  "-r",		  "-%",	       "-m lib", "-l",	  "-l -f",
		"-l -g", "-l -r", "-l -s symbol", "-l -m lib", "-d",	 "-d -g", "-l -D none",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct test_session session;

		srandom(4 + (unsigned int)i);
		test_session_make(&session);
		fixture_images(&session, sources);
		test_shell("cd %s && cp lib.so stripped && strip stripped && head -c 5000 prog > "
			   "broken",
			   session.dir);
		test_session_write(&session, "samples/current/kallsyms",
				   "ffffffff81000000 T _stext\nffffffff81000010 T first\n");
		fill(&session, &table[i].by);
		for (size_t k = 0; k < sizeof(options) / sizeof(options[0]); k++)
			check(&session, table[i].merge, options[k]);
		print_message("%s: %" PRIu64 " samples\n", table[i].by.name, session.stored);
		test_session_remove(&session);
	}
}

/* Damaged in any byte, a sample file may be left out; its neighbours must not suffer. */
static void test_damaged_files_leave_the_rest(void **state)
{
	struct test_session session;
	struct test_run run;
	char name[256];

	(void)state;
	test_session_make(&session);
	fixture_images(&session, sources);
	srandom(5);
	for (int i = 0; i < 300; i++) {
		snprintf(name, sizeof(name),
			 "{root}/image%d/{dep}/{root}/image%d/TIMER.0.0.all.all.all", i, i);
		test_session_add(&session, name, 0x10, 1);
		if (random() % 4)
			test_shell("printf '\\%03o' | dd of='%s/samples/current/%s' bs=1 seek=%ld "
				   "conv=notrunc status=none",
				   (unsigned int)random() % 256, session.dir, name, random() % 140);
		else
			test_shell("truncate -s %ld '%s/samples/current/%s'", random() % 2664,
				   session.dir, name);
	}
	snprintf(name, sizeof(name), "{root}%s/prog/{dep}/{root}%s/prog/TIMER.0.0.all.all.all",
		 session.dir, session.dir);
	test_session_add(&session, name, 0x1010, 1234567);
	fixture_opreport(&run, &session, opreport, "-l -n -i hot");
	assert_int_equal(run.status, 0);
	assert_int_equal(strncmp(run.out, "1234567 ", 8), 0);
	assert_non_null(strstr(run.err, "sample files were skipped"));
	test_run_free(&run);
	test_session_remove(&session);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reports_add_up),
		cmocka_unit_test(test_damaged_files_leave_the_rest),
	};

	test_need(argc == 3, "usage: pp_sums OPREPORT SOURCES");
	opreport = argv[1];
	sources = argv[2];
	return cmocka_run_group_tests_name("pp_sums", tests, NULL, NULL);
}
