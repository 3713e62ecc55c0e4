// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Nothing is lost between sample files and reports: in sessions of every separation, with
 * images that have symbols, are stripped, damaged or missing, every report that leaves
 * nothing out adds up to the sum of the sample files: opreport's as text, CSV, JSON and XML,
 * the latter two valid by their schemas, and opannotate's.
 *
 *	pp_sums OPREPORT SOURCES OPANNOTATE DOC
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

static const char *opreport, *opannotate, *sources, *doc;

static const char *const images[] = {"prog", "lib.so", "stripped", "broken", "gone"};

#define N_IMAGES (sizeof(images) / sizeof(images[0]))

/* What of a sample's name is separated. */
struct separation {
	const char *name;
	bool lib, kernel, thread, cpu, events, anon;
	bool one_process;
};

static void random_name(const struct separation *by, const char *dir, bool is_arc, char *out,
			size_t size)
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
		snprintf(separated, sizeof(separated), "%ld.%ld.all",
			 by->one_process ? 10 : 10 + random() % 2, 100 + random() % 3);
	else if (by->cpu)
		snprintf(separated, sizeof(separated), "all.all.%ld", random() % 12);
	else
		snprintf(separated, sizeof(separated), "all.all.all");
	if (is_arc)
		snprintf(dep + strlen(dep), sizeof(dep) - strlen(dep), "/{cg}/{root}%s/%s", dir,
			 image);
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
	for (int i = 0; i < 70; i++) {
		struct odb_entry entries[20];
		char name[1024];

		random_name(by, session->dir, i >= 60, name, sizeof(name));
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
	bool symbols = strstr(options, "-l") || strstr(options, "-d") || strstr(options, "-c");
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

/* Percentages of all samples come out as 100 in the end. */
static void check_annotation(const struct test_session *session, const char *merge,
			     const char *option)
{
	char session_option[128], merge_option[16];
	const char *argv[] = {opannotate, session_option, option, *merge ? merge_option : NULL,
			      NULL};
	struct test_run run;
	uint64_t sum = 0;

	snprintf(session_option, sizeof(session_option), "--session-dir=%s", session->dir);
	snprintf(merge_option, sizeof(merge_option), "-m%s", merge + strcspn(merge, " ") + 1);
	test_run(&run, argv);
	if (run.status)
		fail_msg("opannotate %s: %s", option, run.err);
	for (const char *line = run.out; *line; line = strchr(line, '\n') + 1) {
		/* What stands nowhere is in the comment at the end. */
		if (!strncmp(line, "/* Samples ", 11))
			sum += add_line(strchr(line, ':') + 1);
		else if (line[strspn(line, " ")] != ':')
			sum += add_line(line);
	}
	if (sum != session->stored)
		fail_msg("opannotate %s %s: %" PRIu64 ", but the files hold %" PRIu64, option,
			 merge, sum, session->stored);
	test_run_free(&run);
}

static bool there(const char *command)
{
	char *text = NULL;
	bool result;

	test_need(asprintf(&text, "%s >/dev/null 2>&1", command) >= 0, "out of memory");
	result = !system(text);
	free(text);
	return result;
}

/* Reports for programs: valid, and with the same sum. */
static void check_documents(const struct test_session *session, const char *merge)
{
	static const char *const options[] = {"-X",	"-X -d -g",  "-X -c",
					      "--json", "--json -d", "--json -c",
					      "--csv",	"--csv -l",  "--csv -d"};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		char arguments[256];
		struct test_run run;

		snprintf(arguments, sizeof(arguments), "%s %s -o @DIR@/report%zu.%s", merge,
			 options[i], i,
			 options[i][1] == 'X'	? "xml"
			 : options[i][2] == 'j' ? "json"
						: "csv");
		fixture_opreport(&run, session, opreport, arguments);
		if (run.status)
			fail_msg("opreport %s: %s", arguments, run.err);
		test_run_free(&run);
	}
	test_shell("cd %s && xmllint --noout --schema %s/opreport.xsd report*.xml 2>log || "
		   "{ cat log; false; }",
		   session->dir, doc);
	test_shell(
		"cd %s && python3 -W ignore -c '\n"
		"import csv, glob, json, jsonschema, sys, xml.etree.ElementTree as tree\n"
		"schema = json.load(open(sys.argv[1]))\n"
		"stored = int(sys.argv[2])\n"
		"def check(name, total): assert total == stored, (name, total, stored)\n"
		"for name in glob.glob(\"report*.json\"):\n"
		"    report = json.load(open(name))\n"
		"    jsonschema.validate(report, schema)\n"
		"    for key in \"images\", \"symbols\":\n"
		"        if key in report: check(name, sum(sum(r[\"counts\"]) for r in "
		"report[key]))\n"
		"    for symbol in report.get(\"symbols\", []):\n"
		"        if \"details\" in symbol:\n"
		"            assert sum(map(sum, (d[\"counts\"] for d in symbol[\"details\"]))) == "
		"sum(symbol[\"counts\"])\n"
		"for name in glob.glob(\"report*.csv\"):\n"
		"    rows = list(csv.reader(open(name)))\n"
		"    n = rows[0].index(\"application\")\n"
		"    check(name, sum(int(c) for row in rows[1:] for c in row[:n]))\n"
		"def count(elements): return sum(int(c.text) for e in elements for c in "
		"e.findall(\"count\"))\n"
		"for name in glob.glob(\"report*.xml\"):\n"
		"    root = tree.parse(name).getroot()\n"
		"    check(name, count(root.findall(\"binary\") + root.findall(\"process\")))\n"
		"    check(name, count(s for b in root.iter() if b.tag in (\"binary\", \"module\") "
		"for s in b.findall(\"symbol\")))\n"
		"    if root.find(\"detailtable\") is not None:\n"
		"        check(name, count(root.iter(\"detaildata\")))\n"
		"' %s/opreport.schema.json %" PRIu64,
		session->dir, doc, session->stored);
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
		{{"process", .lib = true, .thread = true}, "-m tid"},
		{{"thread", .lib = true, .thread = true, .one_process = true}, ""},
		{{"cpu", .cpu = true, .kernel = true}, ""},
		{{"events", .lib = true, .events = true}, ""},
		{{"all", .lib = true, .kernel = true, .thread = true, .anon = true, .events = true},
		 "-m tgid"},
	};
	static const char *const options[] = {
		"",	 "-f",	       "-r",	"-%",		"-m lib",    "-l",
		"-l -f", "-l -g",      "-l -r", "-l -s symbol", "-l -m lib", "-d",
		"-d -g", "-l -D none", "-c",	"-c -g",	"-c -m lib", "-d -%",
	};
	bool has_validators =
		there("xmllint --version") && there("python3 -W ignore -c 'import jsonschema'");

	(void)state;
	if (!has_validators)
		print_message("xmllint (libxml2-utils) or jsonschema (python3-jsonschema) is not "
			      "installed: only text is looked at\n");
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
		check_annotation(&session, table[i].merge, "-a");
		check_annotation(&session, table[i].merge, "-s");
		if (has_validators)
			check_documents(&session, table[i].merge);
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

	test_need(argc == 5, "usage: pp_sums OPREPORT SOURCES OPANNOTATE DOC");
	opreport = argv[1];
	sources = argv[2];
	opannotate = argv[3];
	doc = argv[4];
	return cmocka_run_group_tests_name("pp_sums", tests, NULL, NULL);
}
