// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opreport from outside: XML, JSON and CSV.  Of sessions of several kinds, every report is valid
 * by its schema, and its counts add up to those of the sample files.
 *
 *	pp_opreport_formats OPREPORT SOURCES DOC
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden.h"

#define ARC(from, to) ((uint64_t)(from) << 32 | (to))
#define CG(image)     "{cg}/{root}@DIR@/" image "/"

static const char *opreport, *doc;

static const struct fixture_sample plain[] = {
	{FIXTURE_ALONE("prog") TIMER, TEXT(0x10), 60},
	{FIXTURE_ALONE("prog") TIMER, TEXT(0x50), 7},
	{FIXTURE_IN("prog", "lib.so") TIMER, TEXT(4), 33},
	/* '<', '&', '"', a tab, a comma, a byte that is no UTF-8 and one that XML has not */
	{FIXTURE_ALONE("<a&b>\"\t,\xff\x01") TIMER, 0x10, 5},
	{FIXTURE_ALONE("prog") CG("prog") TIMER, ARC(TEXT(0), TEXT(0x14)), 25},
	{FIXTURE_ALONE("prog") CG("lib.so") TIMER, ARC(TEXT(0x10), TEXT(8)), 20},
};

static const struct fixture_sample cpus[] = {
	{FIXTURE_ALONE("prog") "TIMER.0.0.all.all.0", TEXT(0x10), 60},
	{FIXTURE_ALONE("prog") "TIMER.0.0.all.all.1", TEXT(0x30), 0xffffffffffULL},
	{FIXTURE_ALONE("prog") CG("prog") "TIMER.0.0.all.all.1", ARC(TEXT(0), TEXT(0x10)), 9},
};

static const struct fixture_sample events[] = {
	{FIXTURE_ALONE("prog") "CPU_CLK_UNHALTED.100000.0.all.all.all", TEXT(0x10), 60},
	{FIXTURE_ALONE("prog") "LLC_MISSES.6000.65.all.all.all", TEXT(0x30), 12},
};

static const struct fixture_sample threads[] = {
	{FIXTURE_ALONE("prog") "TIMER.0.0.10.10.all", TEXT(0x10), 60},
	{FIXTURE_ALONE("prog") "TIMER.0.0.20.20.all", TEXT(0x10), 40},
};

/* Reports are written to "report" in the session's directory. */
static void write_report(const struct test_session *session, const char *options)
{
	char arguments[256];
	struct test_run run;

	snprintf(arguments, sizeof(arguments), "-o @DIR@/report %s", options);
	fixture_opreport(&run, session, opreport, arguments);
	if (run.status)
		fail_msg("opreport %s: %s", arguments, run.err);
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

static void each_session(void (*check)(const struct test_session *session))
{
	static const struct {
		const struct fixture_sample *samples;
		size_t n;
		uint32_t cpu_type;
		bool is_scaled; /* the cycles, by 3 */
	} sessions[] = {
		{plain, sizeof(plain) / sizeof(plain[0]), 4, false},
		{cpus, sizeof(cpus) / sizeof(cpus[0]), 4, false},
		{events, sizeof(events) / sizeof(events[0]), 94, false},
		{threads, sizeof(threads) / sizeof(threads[0]), 4, false},
		{events, sizeof(events) / sizeof(events[0]), 94, true},
	};

	for (size_t i = 0; i < sizeof(sessions) / sizeof(sessions[0]); i++) {
		struct test_session session;

		make_session(&session);
		session.header.cpu_type = sessions[i].cpu_type;
		fixture_samples(&session, sessions[i].samples, sessions[i].n);
		if (sessions[i].is_scaled) {
			test_session_stat(&session,
					  "events/CPU_CLK_UNHALTED.100000.0/enabled_ns", 3000);
			test_session_stat(&session,
					  "events/CPU_CLK_UNHALTED.100000.0/running_ns", 1000);
			session.stored += 2 * events[0].count;
		}
		if (i % 2) {
			test_session_stat(&session, "total_samples", 1000);
			test_session_stat(&session, "lost_no_mapping", 3);
		}
		if (i % 4 == 1) {
			test_session_stat(&session, "cpu0/throttled", 2);
			test_session_stat(&session, "daemon_cpu_ms", 0);
			test_session_stat(&session, "profiling_ms", 7);
		}
		check(&session);
		test_session_remove(&session);
	}
}

static void check_xml(const struct test_session *session)
{
	static const char *const options[] = {"-X",	     "-X -g",	     "-X -d -g",    "-X -c",
					      "-X -c -t 20", "-X -c -i hot", "-X -f -m lib"};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		write_report(session, options[i]);
		test_shell("xmllint --noout --schema %s/opreport.xsd %s/report 2>%s/log || "
			   "{ cat %s/log %s/report >&2; false; }",
			   doc, session->dir, session->dir, session->dir, session->dir);
		if (strstr(options[i], "-t") || strstr(options[i], "-i"))
			continue;
		/* Counts of symbols, without those of arcs. */
		test_shell("test true = \"$(xmllint --xpath 'sum(//symbol[not(ancestor::callers|"
			   "ancestor::callees)]/count) = %" PRIu64 "' %s/report)\"",
			   session->stored, session->dir);
	}
}

static void need_xmllint(void)
{
	if (there("xmllint --version"))
		return;
	print_message("xmllint (libxml2-utils) is not installed\n");
	skip();
}

static void test_xml(void **state)
{
	(void)state;
	need_xmllint();
	each_session(check_xml);
}

/* The bytes of all symbols are those that objdump shows. */
static void test_xml_bytes(void **state)
{
	static const struct fixture_sample samples[] = {
		{FIXTURE_ALONE("prog") TIMER, TEXT(0), 1},
		{FIXTURE_ALONE("prog") TIMER, TEXT(0x10), 60},
		{FIXTURE_ALONE("prog") TIMER, TEXT(0x30), 2},
		{FIXTURE_ALONE("prog") TIMER, 0x2000, 3}, /* .odd */
		{FIXTURE_IN("prog", "lib.so") TIMER, TEXT(4), 33},
		{FIXTURE_ALONE("gone") TIMER, 0x10, 5},
	};
	static const char *const symbols[] = {"hot", "_start", "cold", "lib_work",
					      "anonymous symbol from section .odd"};
	static const char *const ranges[] = {
		"prog --start-address=0x401010 --stop-address=0x401030",
		"prog --start-address=0x401000 --stop-address=0x401010",
		"prog --start-address=0x401030 --stop-address=0x401040",
		"lib.so --start-address=0x2000 --stop-address=0x2020",
		"prog --start-address=0x403000 --stop-address=0x403020",
	};
	struct test_session session;

	(void)state;
	need_xmllint();
	make_session(&session);
	ADD_ALL(&session, samples);
	write_report(&session, "-X -d");
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++)
		test_shell(
			"cd %s && wanted=$(objdump -s %s | sed -n 's/^ [0-9a-f]* \\(.\\{36\\}\\).*/"
			"\\1/p' | tr -d ' \\n' | tr a-f A-F) && test -n \"$wanted\" && test "
			"\"$wanted\" = "
			"\"$(xmllint --xpath 'string(//bytes[@id = //symboldata[@name = "
			"\"%s\"]/@id])' "
			"report)\"",
			session.dir, ranges[i], symbols[i]);
	test_shell("test true = $(xmllint --xpath 'count(//bytes) = 5' %s/report)", session.dir);
	test_session_remove(&session);
}

/* Threads make processes; a symbol has its place wherever it has samples or arcs. */
static void test_xml_threads(void **state)
{
	static const struct fixture_sample samples[] = {
		{FIXTURE_ALONE("prog") "TIMER.0.0.10.10.all", TEXT(0x10), 60},
		{FIXTURE_ALONE("prog") "TIMER.0.0.10.11.all", TEXT(0x30), 7},
		{FIXTURE_IN("prog", "lib.so") "TIMER.0.0.10.11.all", TEXT(4), 33},
		{FIXTURE_ALONE("prog") CG("lib.so") "TIMER.0.0.10.11.all", ARC(TEXT(0x10), TEXT(8)),
		 20},
	};
	static const struct golden table[] = {
		{"-X -c -m unitmask -p /none -i hot,lib_work,cold", 0,
		 "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		 "<profile schemaversion=\"3.0\" cputype=\"timer\" processor=\"CPU with timer "
		 "interrupt\" mhz=\"2000\" title=\"opreport --session-dir=@DIR@ -X -c -m unitmask "
		 "-p /none -i hot,lib_work,cold\">\n"
		 "<options session=\"@DIR@\" imagepath=\"/none\" merge=\"unitmask\" "
		 "includesymbols=\"hot,lib_work,cold\"/>\n"
		 "<setup>\n"
		 "<timersetup rtcinterrupts=\"0\"/>\n"
		 "</setup>\n"
		 "<classes>\n"
		 "<class name=\"c0\" tgid=\"10\" tid=\"10\"/>\n"
		 "<class name=\"c1\" tgid=\"10\" tid=\"11\"/>\n"
		 "</classes>\n"
		 "<process pid=\"10\" name=\"prog\">\n"
		 "<count class=\"c0\">60</count>\n"
		 "<count class=\"c1\">40</count>\n"
		 "<thread tid=\"10\">\n"
		 "<count class=\"c0\">60</count>\n"
		 "<module name=\"prog\">\n"
		 "<count class=\"c0\">60</count>\n"
		 "<symbol idref=\"0\">\n"
		 "<count class=\"c0\">60</count>\n"
		 "</symbol>\n"
		 "</module>\n"
		 "</thread>\n"
		 "<thread tid=\"11\">\n"
		 "<count class=\"c1\">40</count>\n"
		 "<module name=\"lib.so\">\n"
		 "<count class=\"c1\">33</count>\n"
		 "<symbol idref=\"1\">\n"
		 "<callers>\n"
		 "<symbol idref=\"0\">\n"
		 "<count class=\"c1\">20</count>\n"
		 "</symbol>\n"
		 "</callers>\n"
		 "<count class=\"c1\">33</count>\n"
		 "</symbol>\n"
		 "</module>\n"
		 "<module name=\"prog\">\n"
		 "<count class=\"c1\">7</count>\n"
		 "<symbol idref=\"0\">\n"
		 "<callees>\n"
		 "<symbol idref=\"1\">\n"
		 "<count class=\"c1\">20</count>\n"
		 "</symbol>\n"
		 "</callees>\n"
		 "</symbol>\n"
		 "<symbol idref=\"2\">\n"
		 "<count class=\"c1\">7</count>\n"
		 "</symbol>\n"
		 "</module>\n"
		 "</thread>\n"
		 "</process>\n"
		 "<symboltable>\n"
		 "<symboldata id=\"0\" name=\"hot\" startingaddr=\"0x401010\"/>\n"
		 "<symboldata id=\"1\" name=\"lib_work\" startingaddr=\"0x2000\"/>\n"
		 "<symboldata id=\"2\" name=\"cold\" startingaddr=\"0x401030\"/>\n"
		 "</symboltable>\n"
		 "</profile>\n",
		 NULL},
		{"-X -x -e x -t 1 tid:10", 0,
		 "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		 "<profile schemaversion=\"3.0\" cputype=\"timer\" processor=\"CPU with timer "
		 "interrupt\" mhz=\"2000\" title=\"opreport --session-dir=@DIR@ -X -x -e x -t 1 "
		 "tid:10\">\n"
		 "<options session=\"@DIR@\" excludedependent=\"true\" excludesymbols=\"x\"/>\n"
		 "<setup>\n"
		 "<timersetup rtcinterrupts=\"0\"/>\n"
		 "</setup>\n"
		 "<process pid=\"10\" name=\"prog\">\n"
		 "<count>60</count>\n"
		 "<thread tid=\"10\">\n"
		 "<count>60</count>\n"
		 "<module name=\"prog\">\n"
		 "<count>60</count>\n"
		 "<symbol idref=\"0\">\n"
		 "<count>60</count>\n"
		 "</symbol>\n"
		 "</module>\n"
		 "</thread>\n"
		 "</process>\n"
		 "<symboltable>\n"
		 "<symboldata id=\"0\" name=\"hot\" startingaddr=\"0x401010\"/>\n"
		 "</symboltable>\n"
		 "</profile>\n",
		 NULL},
	};

	(void)state;
	CHECK_SAMPLES(samples, table);
}

static void check_json(const struct test_session *session)
{
	static const char *const options[] = {
		"--json",    "--json -l",	"--json -l -g",	    "--json -d -g",
		"--json -c", "--json -c -t 20", "--json -c -i hot", "--json -l -m lib"};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		bool all = !strstr(options[i], "-t") && !strstr(options[i], "-i");

		write_report(session, options[i]);
		test_shell("python3 -W ignore -c '\n"
			   "import json, jsonschema, sys\n"
			   "report = json.load(open(sys.argv[1], encoding=\"utf-8\"))\n"
			   "jsonschema.validate(report, json.load(open(sys.argv[2])))\n"
			   "stored = int(sys.argv[3])\n"
			   "total = lambda rows: sum(sum(row[\"counts\"]) for row in rows)\n"
			   "assert sum(c[\"total\"] for c in report[\"classes\"]) == stored\n"
			   "assert total(report[\"images\"]) == stored\n"
			   "symbols = report.get(\"symbols\")\n"
			   "if %d and symbols is not None: assert total(symbols) == stored\n"
			   "for arc in report.get(\"arcs\", []):\n"
			   "    assert max(arc[\"caller\"], arc[\"callee\"]) < len(symbols)\n"
			   "' %s/report %s/opreport.schema.json %" PRIu64,
			   all, session->dir, doc, session->stored);
	}
}

static void test_json(void **state)
{
	(void)state;
	if (!there("python3 -W ignore -c 'import jsonschema'")) {
		print_message("jsonschema (python3-jsonschema) is not installed\n");
		skip();
	}
	each_session(check_json);
}

static void test_csv(void **state)
{
	static const struct fixture_sample samples[] = {
		{FIXTURE_ALONE("prog") TIMER, TEXT(0x10), 60},
		{FIXTURE_ALONE("prog") TIMER, TEXT(0x14), 1},
		{FIXTURE_IN("prog", "lib.so") TIMER, TEXT(4), 33},
		{FIXTURE_ALONE("a,\"b") TIMER, 0x10, 5},
		{FIXTURE_ALONE("prog") CG("lib.so") TIMER, ARC(TEXT(0x10), TEXT(8)), 20},
	};
	static const struct golden table[] = {
		{"--csv image:*prog", 0,
		 "TIMER:0,application,image\n"
		 "33,@DIR@/prog,@DIR@/lib.so\n"
		 "61,@DIR@/prog,@DIR@/prog\n",
		 NULL},
		{"--csv -l -g image:*prog", 0,
		 "TIMER:0,application,image,symbol,address,file,line\n"
		 "61,@DIR@/prog,@DIR@/prog,hot,0x401010,src/prog.c,20\n"
		 "33,@DIR@/prog,@DIR@/lib.so,lib_work,0x2000,,\n",
		 NULL},
		{"--csv -d image:*prog", 0,
		 "TIMER:0,application,image,symbol,address\n"
		 "60,@DIR@/prog,@DIR@/prog,hot,0x401010\n"
		 "1,@DIR@/prog,@DIR@/prog,hot,0x401014\n"
		 "33,@DIR@/prog,@DIR@/lib.so,lib_work,0x2004\n",
		 NULL},
		{"--csv -c -g image:*prog", 0,
		 "TIMER:0,application,image,symbol,address,file,line,callee_application,callee_"
		 "image,callee_symbol,callee_address,callee_file,callee_line\n"
		 "61,@DIR@/prog,@DIR@/prog,hot,0x401010,src/prog.c,20,,,,,,\n"
		 "33,@DIR@/prog,@DIR@/lib.so,lib_work,0x2000,,,,,,,,\n"
		 "20,@DIR@/prog,@DIR@/prog,hot,0x401010,src/prog.c,20,@DIR@/prog,@DIR@/"
		 "lib.so,lib_work,0x2000,,\n",
		 NULL},
		{"--csv -n image:*b", 0, "5,\"@DIR@/a,\"\"b\",\"@DIR@/a,\"\"b\"\n", NULL},
	};

	(void)state;
	CHECK_SAMPLES(samples, table);
}

static void test_csv_with_losses(void **state)
{
	static const struct golden table[] = {
		{"--csv", 0,
		 "tgid:10,tgid:20,application,image\n"
		 "60,40,@DIR@/prog,@DIR@/prog\n"
		 "# samples received 1000, stored 0, lost 3, lost in the kernel 0\n"
		 "# 3 user code in no file or memory that is known\n",
		 NULL},
		{"--csv -n", 0, "60,40,@DIR@/prog,@DIR@/prog\n",
		 "Samples: 1000 received, 0 stored, 3 lost (0.3 %)\n"},
	};
	struct test_session session;

	(void)state;
	make_session(&session);
	ADD_ALL(&session, threads);
	test_session_stat(&session, "total_samples", 1000);
	test_session_stat(&session, "lost_no_mapping", 3);
	CHECK_ALL(&session, table);
	test_session_remove(&session);
}

/* The same numbers in each format, and by the schemas. */
static void test_overhead(void **state)
{
	static const struct golden csv[] = {
		{"--csv", 0,
		 "tgid:10,tgid:20,application,image\n"
		 "60,40,@DIR@/prog,@DIR@/prog\n"
		 "# samples received 100, stored 100, lost 0, lost in the kernel 0\n"
		 "# throttled 5 times\n"
		 "# daemon CPU time 256 ms, profiling 61000 ms\n",
		 NULL},
		{"--csv -n", 0, "60,40,@DIR@/prog,@DIR@/prog\n", NULL},
	};
	struct test_session session;

	(void)state;
	make_session(&session);
	ADD_ALL(&session, threads);
	test_session_stat(&session, "total_samples", 100);
	test_session_stat(&session, "samples_stored", 100);
	test_session_stat(&session, "cpu0/throttled", 5);
	test_session_stat(&session, "daemon_cpu_ms", 256);
	test_session_stat(&session, "profiling_ms", 61000);
	CHECK_ALL(&session, csv);
	write_report(&session, "-X");
	test_shell("grep -q '<statistics received=\"100\" stored=\"100\" filtered=\"0\" lost=\"0\" "
		   "kernelreceived=\"0\" kernellost=\"0\" throttled=\"5\" daemoncpums=\"256\" "
		   "profilingms=\"61000\">' %s/report",
		   session.dir);
	write_report(&session, "--json");
	test_shell("grep -q '\"kernel_lost\": 0, \"throttled\": 5, \"daemon_cpu_ms\": 256, "
		   "\"profiling_ms\": 61000, \"causes\"' %s/report",
		   session.dir);
	test_session_remove(&session);
}

static void test_wrong_options(void **state)
{
	static const struct golden table[] = {
		{"-X --json", 2, "",
		 "opreport error: only one of --xml, --json, --csv and --format can be written\n"},
		{"-X -a", 2, "",
		 "opreport error: --accumulated and --global-percent are for text only, not for "
		 "--xml, --json and --csv\n"},
		{"--csv -d -%", 2, "", "opreport error: --accumulated and --global-percent are"},
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
		cmocka_unit_test(test_xml),	      cmocka_unit_test(test_xml_threads),
		cmocka_unit_test(test_xml_bytes),     cmocka_unit_test(test_json),
		cmocka_unit_test(test_csv),	      cmocka_unit_test(test_csv_with_losses),
		cmocka_unit_test(test_overhead),
		cmocka_unit_test(test_wrong_options),
	};

	test_need(argc == 4, "usage: pp_opreport_formats OPREPORT SOURCES DOC");
	opreport = argv[1];
	doc = argv[3];
	golden_begin(3, argv);
	return cmocka_run_group_tests_name("pp_opreport_formats", tests, NULL, NULL);
}
