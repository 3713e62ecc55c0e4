// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ophelp from the outside: what it prints, word for word, and its exit status.
 *
 *	argv[1]: ophelp	argv[2]: the catalogues that are installed
 *
 * Lists are taken of a small catalogue made here; it is that of a CPU type that libpfm4 is not
 * asked about.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "libop/events/catalogue.h"
#include "libop/base/file.h"

static const char *ophelp, *installed;
static char top[] = "/tmp/ophelp-XXXXXX";
static char output[1 << 16], errors[4096];

static size_t drain(FILE *file, char *text, size_t size)
{
	size_t n;

	rewind(file);
	n = fread(text, 1, size - 1, file);
	text[n] = '\0';
	fclose(file);
	return n;
}

/* Runs ophelp with the words of @line, separated by one blank each; "_" in one is a blank. */
static int run(const char *line)
{
	char *words = strdup(line), *argv[16] = {(char *)ophelp};
	FILE *out = tmpfile(), *err = tmpfile();
	int status, argc = 1;
	pid_t pid;

	for (char *word = strtok(words, " "); word; word = strtok(NULL, " ")) {
		argv[argc++] = word;
		if (argc > 1 && !strcmp(argv[argc - 2], "--search"))
			for (char *c = word; *c; c++)
				*c = *c == '_' ? ' ' : *c;
	}
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		dup2(fileno(out), 1);
		dup2(fileno(err), 2);
		execv(ophelp, argv);
		_exit(127);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	drain(out, output, sizeof(output));
	drain(err, errors, sizeof(errors));
	free(words);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* An event without choices, long texts, each kind of unit mask, marks and modifiers. */
static const char small_events[] =
	"event:0xc0 counters:0,1 um:zero minimum:6000 name:INST_RETIRED : Instructions retired\n"
	"event:0x10 counters:0 um:kinds minimum:500 name:KINDS : A description so long that it has "
	"to go on in the next line, which begins where the first one did\n"
	"event:0x4c1 counters:cpuid um:modes minimum:1 name:MODES : Modes with \"<&>\"\n"
	"event:0xff ext:ibs_op um:only minimum:50000 name:TAGGED : Operations tagged\n";
static const char small_masks[] =
	"name:zero type:mandatory default:0x0\n\t0x0 No unit mask\n"
	"name:kinds type:bitmask default:0x03\n\t0x01 First kind\n\t0x2 Second kind, of which so "
	"much can be said that the line is full before all of it has been said\n\t0x40 Third\n"
	"name:modes type:exclusive default:slow\n\t0x1 extra: fast Fast mode\n"
	"\t0x1 extra:cmask=a,inv slow Slow mode\n\t0x2 extra:edge one_more Another\n"
	"name:only type:mandatory default:0x10\n\t0x10 The only one\n";

static const char small_list[] = "oprofile: available events for CPU type \"Pentium Pro\"\n"
				 "\n"
				 "Volume 3B of the Intel 64 and IA-32 Architectures Software "
				 "Developer's Manual explains the "
				 "events.\n"
				 "\n"
				 "INST_RETIRED: (counter: all)\n"
				 "\tInstructions retired (min count: 6000)\n"
				 "KINDS: (counter: 0)\n"
				 "\tA description so long that it has to go on in the next line, "
				 "which begins where the first\n"
				 "        one did (min count: 500)\n"
				 "\tUnit masks (default 0x3)\n"
				 "\t----------\n"
				 "\t0x01: First kind\n"
				 "\t0x02: Second kind, of which so much can be said that the line "
				 "is full before all of it has\n"
				 "              been said\n"
				 "\t0x40: Third\n"
				 "MODES: (counter: all)\n"
				 "\tModes with \"<&>\" (min count: 1)\n"
				 "\tUnit masks (default slow)\n"
				 "\t----------\n"
				 "\t0x01: (name=fast) Fast mode\n"
				 "\t0x01: (name=slow) Slow mode\n"
				 "\t0x02: (name=one_more) Another\n"
				 "TAGGED: (ext: ibs_op)\n"
				 "\tOperations tagged (min count: 50000)\n"
				 "\tUnit masks (default 0x10)\n"
				 "\t----------\n"
				 "\t0x10: The only one\n";

static const char small_xml[] =
	"<help_events  schemaversion=\"1.1\">\n"
	"<header  title=\"oprofile: available events for CPU type &quot;Pentium Pro&quot;\" "
	"doc=\"Volume 3B of the Intel 64 and IA-32 Architectures Software Developer's Manual "
	"explains "
	"the events.\"/>\n"
	"<event  event_name=\"INST_RETIRED\" desc=\"Instructions retired\" counter_mask=\"3\" "
	"min_count=\"6000\"/>\n"
	"<event  event_name=\"KINDS\" desc=\"A description so long that it has to go on in the "
	"next "
	"line, which begins where the first one did\" counter_mask=\"1\" min_count=\"500\">\n"
	"<unit_masks  default=\"3\" category=\"bitmask\">\n"
	"<unit_mask  mask=\"1\" desc=\"First kind\"/>\n"
	"<unit_mask  mask=\"2\" desc=\"Second kind, of which so much can be said that the line is "
	"full "
	"before all of it has been said\"/>\n"
	"<unit_mask  mask=\"64\" desc=\"Third\"/>\n"
	"</unit_masks>\n"
	"</event>\n"
	"<event  event_name=\"MODES\" desc=\"Modes with &quot;&lt;&amp;&gt;&quot;\" "
	"counter_mask=\"3\" "
	"min_count=\"1\">\n"
	"<unit_masks  default=\"slow\" category=\"exclusive\">\n"
	"<unit_mask  mask=\"1\" desc=\"Fast mode\"/>\n"
	"<unit_mask  mask=\"1\" desc=\"Slow mode\" extra=\"176160768\"/>\n"
	"<unit_mask  mask=\"2\" desc=\"Another\" extra=\"262144\"/>\n"
	"</unit_masks>\n"
	"</event>\n"
	"<event  event_name=\"TAGGED\" desc=\"Operations tagged\" counter_mask=\"0\" "
	"ext=\"ibs_op\" "
	"min_count=\"50000\">\n"
	"<unit_masks  default=\"16\" category=\"mandatory\">\n"
	"<unit_mask  mask=\"16\" desc=\"The only one\"/>\n"
	"</unit_masks>\n"
	"</event>\n"
	"</help_events>\n";

static const char small_json[] =
	"{\"cpu_type\": \"i386/ppro\", \"title\": \"Pentium Pro\", \"general_counters\": 2, "
	"\"fixed_counters\": 0, \"libpfm4_pmu\": null, \"events\": [\n"
	"{\"name\": \"MODES\", \"description\": \"Modes with \\\"<&>\\\"\", \"code\": 1217, "
	"\"minimum\": 1, \"all_counters\": true, \"counters\": [0, 1], \"ext\": null, \"source\": "
	"\"catalogue\", \"unit_mask\": {\"type\": \"exclusive\", \"default\": 1, \"default_name\": "
	"\"slow\", \"entries\": [{\"mask\": 1, \"extra\": 0, \"name\": \"fast\", \"description\": "
	"\"Fast mode\", \"can_be_counted\": true}, {\"mask\": 1, \"extra\": 176160768, \"name\": "
	"\"slow\", \"description\": \"Slow mode\", \"can_be_counted\": true}, {\"mask\": 2, "
	"\"extra\": "
	"262144, \"name\": \"one_more\", \"description\": \"Another\", \"can_be_counted\": "
	"true}]}},\n"
	"{\"name\": \"TAGGED\", \"description\": \"Operations tagged\", \"code\": 255, "
	"\"minimum\": "
	"50000, \"all_counters\": false, \"counters\": [], \"ext\": \"ibs_op\", \"source\": "
	"\"catalogue\", \"unit_mask\": {\"type\": \"mandatory\", \"default\": 16, "
	"\"default_name\": "
	"null, \"entries\": [{\"mask\": 16, \"extra\": 0, \"name\": null, \"description\": \"The "
	"only "
	"one\", \"can_be_counted\": true}]}}\n"
	"]}\n";

struct call {
	const char *line;
	int status;
	const char *output, *errors; /* whole */
};

static const struct call small_calls[] = {
	{"-c i386/ppro", 0, small_list, ""},
	{"-c i386/ppro --xml", 0, small_xml, ""},
	{"-c i386/ppro --json --search mode|TAGGED", 0, small_json, ""},
	{"-c i386/ppro -e TAGGED:50000 KINDS:500 INST_RETIRED:6000", 0, "ibs_op 0 1 \n", ""},
	{"-c i386/ppro -e INST_RETIRED:6000 KINDS:500", 0, "1 0 \n", ""},
	{"-c i386/ppro MODES", 0, "1217\n", ""},
	{"-c i386/ppro MODES:1:fast", 0, "1217\n", ""},
	{"-c i386/ppro -u MODES KINDS KINDS:500:0x41 MODES:1:one_more", 0, "1\n3\n65\n2\n", ""},
	/* modifiers; else a unit mask that was named; else nothing */
	{"-c i386/ppro -E MODES MODES:1:fast MODES:1:slow MODES:1:2 KINDS:500:1", 0,
	 "176160768\n1\n176160768\n262144\n0\n", ""},
	{"-c i386/ppro -E KINDS:500:cmask=16+any", 0, "270532608\n", ""},
	{"-c i386/ppro -e KINDS:499", 1, "",
	 "ophelp error: event \"KINDS:499\": the count 499 is below the least one, 500\n"},
	{"-c i386/ppro -e KINDS:499 -i", 0, "0 \n", ""},
	{"-c i386/ppro -e KINDS --ignore-count", 0, "0 \n", ""},
	{"-c i386/ppro -e KINDS:7499 --callgraph 8", 1, "",
	 "ophelp error: event \"KINDS:7499\": the count 7499 is below the least one, 7500 with "
	 "call "
	 "graphs\n"},
	{"-c i386/ppro -e KINDS:7500 --callgraph=8", 0, "0 \n", ""},
	{"-c i386/pii", 1, "", NULL}, /* no catalogue: the path differs */
};

/* Of the catalogues that are installed: independent of this machine. */
static const struct call calls[] = {
	{"-c i386/core_2 -r", 0, "i386/core_2\n", ""},
	{"-c i386/core_2 -d", 0, "CPU_CLK_UNHALTED:100000:0:1:1\n", ""},
	{"-c i386/p4-ht -d", 0, "GLOBAL_POWER_EVENTS:100000:1:1:1\n", ""},
	{"-c i386/skylake --get-default-event", 0, "cpu_clk_unhalted:2000003:thread:1:1\n", ""},
	{"-c x86-64/zen5 -d", 0, "CPU_CLK_UNHALTED:100000:0:1:1\n", ""},
	{"-c timer -d", 0, "", ""},
	{"-c timer -e TIMER:0", 0, "timer \n", ""},
	{"-c timer -e CYCLES:1", 1, "",
	 "ophelp error: event \"CYCLES:1\": timer has no event CYCLES\n"},
	{"-c i386/core_2 CPU_CLK_UNHALTED", 0, "60\n", ""},
	/* another machine's counters are not this one's */
	{"-c i386/haswell -e LLC_MISSES:6000 LLC_REFS:6000 INST_RETIRED:6000 CPU_CLK_UNHALTED:6000",
	 0, "0 1 2 3 \n", ""},
	{"-c i386/haswell --counters 8 --fixed-counters 3 -e INST_RETIRED:6000", 0, "0 \n", ""},
	{"-c i386/haswell --counters 2 -e LLC_MISSES:6000 LLC_REFS:6000 INST_RETIRED:6000", 1, "",
	 "ophelp error: there are not enough counters for all 3 events: i386/haswell has 2 general "
	 "and 0 fixed ones, and some events can only be on some of them\n"},
	{"-c i386/haswell --counters 2 --fixed-counters 3 -e LLC_MISSES:6000 LLC_REFS:6000 "
	 "INST_RETIRED:6000",
	 0, "0 1 2 \n", ""},
	{"-c i386/arch_perfmon --counters 2 -e INST_RETIRED:6000", 0, "0 \n", ""},
	/* wrong calls */
	{"-c i386/none", 1, "", "ophelp error: unknown CPU type \"i386/none\"\n"},
	{"-c i386/core_2 --search (", 1, "", "ophelp error: --search: \"(\": Unmatched ( or \\(\n"},
	{"--bogus", 2, "", "ophelp error: --bogus: unknown option (see ophelp --help)\n"},
	{"-e", 2, "", "ophelp error: no events given (see ophelp --help)\n"},
	{"-e -u A", 2, "",
	 "ophelp error: only one thing can be asked at a time (see ophelp --help)\n"},
	{"A B", 2, "",
	 "ophelp error: several events: say what about them, such as --check-events (see ophelp "
	 "--help)\n"},
	{"-r A", 2, "", "ophelp error: \"A\": an event is not expected here (see ophelp --help)\n"},
	{"--counters 0", 2, "",
	 "ophelp error: --counters: 0 is out of range: 1 to 64 (see ophelp --help)\n"},
	{"--counters two", 2, "",
	 "ophelp error: --counters: \"two\" is no number (see ophelp --help)\n"},
	{"--callgraph -1", 2, "",
	 "ophelp error: --callgraph: \"-1\" is no number (see ophelp --help)\n"},
	{"--fixed-counters 3", 2, "",
	 "ophelp error: --fixed-counters goes with --counters only (see ophelp --help)\n"},
	{"--search a -r", 2, "",
	 "ophelp error: --search goes with lists of events only (see ophelp --help)\n"},
	{"--version", 0, "ophelp: oprofile " OP_VERSION "\n", ""},
};

static void check(const struct call *call)
{
	int status = run(call->line);

	if (status != call->status || strcmp(output, call->output) ||
	    (call->errors && strcmp(errors, call->errors)))
		fail_msg("ophelp %s: exit status %d, not %d\n---- stdout\n%s---- stderr\n%s",
			 call->line, status, call->status, output, errors);
}

static void lists_are_word_for_word(void **state)
{
	(void)state;
	setenv(OP_EVENTS_ENVIRONMENT, top, 1);
	for (size_t i = 0; i < sizeof(small_calls) / sizeof(small_calls[0]); i++)
		check(&small_calls[i]);
}

static void answers_are_word_for_word(void **state)
{
	(void)state;
	setenv(OP_EVENTS_ENVIRONMENT, installed, 1);
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		check(&calls[i]);
}

/* All words must be there, in name, description or unit masks, as regular expressions. */
static void words_are_searched(void **state)
{
	static const struct {
		const char *line, *names; /* of the events, blank after each */
	} searches[] = {
		{"-c i386/ppro --search retired", "INST_RETIRED "},
		{"-c i386/ppro --search ^k.*s$", "KINDS "},
		{"-c i386/ppro --search kind_third", "KINDS "},
		{"-c i386/ppro --search third_fourth", ""},
		{"-c i386/ppro --search one_more", "MODES "},
		{"-c i386/ppro --search mask", ""},
		{"-c i386/ppro --search __mode__", "MODES "},
	};

	(void)state;
	setenv(OP_EVENTS_ENVIRONMENT, top, 1);
	for (size_t i = 0; i < sizeof(searches) / sizeof(searches[0]); i++) {
		char names[256] = "", *line, *rest = output;

		assert_int_equal(run(searches[i].line), 0);
		for (int n = 0; (line = strsep(&rest, "\n")); n++) {
			char *colon = strchr(line, ':');

			if (n > 2 && *line && *line != '\t' && *line != ' ' && colon)
				sprintf(names + strlen(names), "%.*s ", (int)(colon - line), line);
		}
		if (strcmp(names, searches[i].names))
			fail_msg("%s found \"%s\"", searches[i].line, names);
	}
}

/* Where the driver is, it says the type; the local CPU's counters are not those of another. */
static void the_driver_says_the_type(void **state)
{
	char *path = op_path("%s/cpu_type", top);
	struct op_error error;

	(void)state;
	setenv(OP_EVENTS_ENVIRONMENT, installed, 1);
	setenv("OPROFILE_FS_DIR", top, 1);
	assert_int_equal(op_file_replace(path, "i386/ppro", 9, 0600, &error), 0);
	check(&(struct call){"-r", 0, "i386/ppro\n", ""});
	check(&(struct call){"-e INST_RETIRED:6000 CPU_CLK_UNHALTED:6000", 0, "0 1 \n", ""});
	assert_int_equal(op_file_replace(path, "nmi_timer", 9, 0600, &error), 0);
	check(&(struct call){"-r", 0, "timer\n", ""});
	check(&(struct call){"-d", 0, "", ""});
	assert_int_equal(op_file_replace(path, "i386/486", 8, 0600, &error), 0);
	assert_int_equal(run("-r"), 1);
	assert_non_null(strstr(errors, "cpu_type: unknown CPU type \"i386/486\" (see --cpu-type)"));
	unsetenv("OPROFILE_FS_DIR");
	unlink(path);
	free(path);
}

static void a_full_disk_is_an_error(void **state)
{
	char command[4096];

	(void)state;
	snprintf(command, sizeof(command), "%s=%s '%s' -c i386/core_2 > /dev/full 2> /dev/null",
		 OP_EVENTS_ENVIRONMENT, installed, ophelp);
	assert_int_equal(WEXITSTATUS(system(command)), 1);
}

static void put(const char *file, const char *text)
{
	char *path = op_path("%s/i386/ppro/%s", top, file);
	struct op_error error;

	assert_int_equal(op_mkdir_parents(path, 0755, &error), 0);
	assert_int_equal(op_file_replace(path, text, strlen(text), 0644, &error), 0);
	free(path);
}

static int set_up(void **state)
{
	(void)state;
	if (!mkdtemp(top))
		return -1;
	unsetenv("OPROFILE_FS_DIR");
	put("events", small_events);
	put("unit_masks", small_masks);
	return 0;
}

static int tear_down(void **state)
{
	static const char *const made[] = {"i386/ppro/events", "i386/ppro/unit_masks", "i386/ppro",
					   "i386", ""};

	(void)state;
	for (size_t i = 0; i < sizeof(made) / sizeof(made[0]); i++) {
		char *path = op_path("%s/%s", top, made[i]);

		remove(path);
		free(path);
	}
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_are_word_for_word),
		cmocka_unit_test(answers_are_word_for_word),
		cmocka_unit_test(words_are_searched),
		cmocka_unit_test(the_driver_says_the_type),
		cmocka_unit_test(a_full_disk_is_an_error),
	};

	if (argc != 3)
		return 2;
	ophelp = argv[1];
	installed = argv[2];
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
