// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opcontrol from the outside: events and counters.
 *
 *	argv[1]: opcontrol	argv[2]: the daemon
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "libop/base/file.h"
#include "opcontrol_catalogue.h"
#include "opcontrol_fixture.h"
#include "utils/opcontrol/daemon.h"
#include "libop/base/remove_tree.h"

static void events_of_the_cpu_type(void **state)
{
	(void)state;
	RUN("-l", 0, "there is one event, TIMER");
	put("fs/cpu_type", "nmi_timer");
	RUN("-l", 0, "CPU type nmi_timer");
	put("fs/cpu_type", "x86-64/family99h");
	RUN("-l", 1, "unknown CPU type \"x86-64/family99h\"");
	put("fs/cpu_type", CATALOGUE_CPU);
	RUN("-l", 0, "available events for CPU type \"AMD64 family10\"");
	assert_non_null(strstr(output, "\nLOW: (counter: 0, 1)\n\tOn the lower counters (min "));
	assert_non_null(strstr(output, "\t0x04: (name=starts) Beginnings of stalls\n"));
	assert_int_equal(unlink("fs/frequency"), 0);
	RUN("--frequency=10", 1, "has no frequency");
	RUN("--time-slice=10", 1, "has no time slice");
	put("events/" CATALOGUE_EVENTS_FILE, "event:0x76 counters:0 nonsense\n");
	RUN("-l", 1, "/events:1: ");
}

/* The driver of a CPU with counters, of which these are free. */
static void put_counters(const char *counters)
{
	static const char *const names[] = {"enabled", "event", "count", "unit_mask",
					    "kernel",  "user",	"extra"};
	char path[64];

	put("fs/cpu_type", CATALOGUE_CPU);
	unlink("fs/frequency");
	for (; *counters; counters++) {
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
			snprintf(path, sizeof(path), "fs/%c/%s", *counters, names[i]);
			put(path, "9\n");
		}
	}
}

static void a_session_with_counters(void **state)
{
	(void)state;
	put_counters("0123");
	/* nothing chosen: the default */
	RUN("--status", 0,
	    "Event 0: CPU_CLK_UNHALTED:100000:0:1:1 (the default)\n"
	    "  period 100000, unit mask 0x00 (No unit mask), kernel and user code, "
	    "counter 0\n");
	assert_null(strstr(output, "Counters not free"));
	assert_null(strstr(output, "TIMER"));
	RUN("--start", 0, "Profiling");
	assert_true(journal_has("--events=CPU_CLK_UNHALTED:118:0:100000:0:1:1,"));
	assert_string_equal(get("fs/0/enabled"), "1");
	assert_string_equal(get("fs/1/enabled"), "0");
	RUN("--shutdown", 0, "has ended");

	RUN("--start -e RETIRED:6000 -e STALLS:1000:starts:1:0 -e ONLY0:500", 0, "Profiling");
	assert_true(journal_has("--events=RETIRED:192:1:6000:0:1:1,STALLS:80:2:1000:4:1:0,"
				"ONLY0:64:0:500:0:1:1,"));
	assert_string_equal(get("fs/0/event"), "64");
	assert_string_equal(get("fs/1/count"), "6000");
	assert_string_equal(get("fs/2/extra"), "17039360");
	assert_string_equal(get("fs/2/user"), "0");
	assert_string_equal(get("fs/3/enabled"), "0");
	RUN("--status", 0,
	    "Event 1: STALLS:1000:starts:1:0\n"
	    "  period 1000, unit mask 0x04 (Beginnings of stalls) with modifiers "
	    "0x1040000, kernel code, counter 2\n");
	/* for the next start, and the driver is not touched */
	RUN("--event=RETIRED:7000", 0, "keeps the settings it runs with");
	assert_string_equal(get("fs/1/count"), "6000");
	RUN("--shutdown", 0, "has ended");

	/* remembered; the first one of a call replaces all */
	RUN("--status", 0, "Event 0: RETIRED:7000\n");
	assert_null(strstr(output, "STALLS"));
	RUN("--start", 0, "Profiling");
	assert_string_equal(get("fs/0/count"), "7000");
	assert_string_equal(get("fs/2/enabled"), "0");
	RUN("--shutdown", 0, "has ended");
	RUN("-e LOW:500 -e RETIRED:6000", 0, "");
	RUN("--event=default", 0, "");
	RUN("--status", 0, "(the default)");
}

static void wrong_events_change_nothing(void **state)
{
	static const struct {
		const char *line;
		int status;
		const char *text;
	} cases[] = {
		{"--event=RETIRED", 2, "--event: \"RETIRED\" has no count"},
		{"--event=RETIRED:x", 2, "--event: event \"RETIRED:x\": "},
		{"--event=RETIRED:6000:0:0:0", 2, "neither kernel nor user"},
		{"-e RETIRED:6000 -e default", 2, "default goes with no other event"},
		{"--event=RETIRD:6000", 1, "has no event RETIRD (it has RETIRED)"},
		{"--start --event=RETIRED:10", 1, "the count 10 is below the least one, 3000"},
		{"--event=RETIRED:6000 --callgraph=4", 1, "45000 with call graphs"},
		{"-e STALLS:1000:nosuch", 1, "there are cycles, starts, idle"},
		{"-e ONLY0:500:0:1:0 -e ONLY0:501:0:0:1", 1, "not enough counters"},
	};
	struct op_error error;
	char *before, *after;

	(void)state;
	put_counters("0123");
	RUN("--event=LOW:600", 0, "");
	before = op_file_read(".oprofile/daemonrc", 1 << 16, NULL, &error);
	assert_non_null(before);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		RUN(cases[i].line, cases[i].status, cases[i].text);
		after = op_file_read(".oprofile/daemonrc", 1 << 16, NULL, &error);
		assert_non_null(after);
		assert_string_equal(before, after);
		free(after);
		assert_string_equal(get("fs/0/enabled"), "9");
	}
	free(before);
}

static void counters_that_are_not_free(void **state)
{
	(void)state;
	put_counters("23");
	RUN("--status", 0, "Counters not free: 0, 1 (");
	RUN("--event=LOW:500", 0, ""); /* the CPU could count it, at another time */
	RUN("--status", 0, "Event 0: LOW:500\n");
	assert_non_null(strstr(output, "  not to be counted: event \"LOW:500\": none of the "));
	RUN("--start", 1, "counters that are not free: 0, 1 (");
	assert_string_equal(get("fs/2/enabled"), "9");
	assert_string_equal(get("fs/enable"), "0");
	assert_false(journal_has("--separate-lib=0")); /* no daemon was started */
	RUN("--start --event=RETIRED:6000", 0, "Profiling");
	assert_string_equal(get("fs/2/enabled"), "1");
	RUN("--shutdown", 0, "");
	put("fs/cpu_type", "timer");
	RUN("--start", 1, "samples by a timer");
	RUN("--status", 1, "frequency"); /* which this driver has not */
}

static void no_free_counter_at_all(void **state)
{
	(void)state;
	put_counters("");
	RUN("--start", 1, "no counter can be used; counters that are not free: 0, 1, 2, 3 (");
	/* which of them, this machine decides: another test may be running perf */
	assert_true(strstr(output, "NMI watchdog") || strstr(output, "has perf events open"));
	RUN("--status", 0, "  not to be counted: no counter can be used");
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(events_of_the_cpu_type),	   TEST(a_session_with_counters),
		TEST(wrong_events_change_nothing), TEST(counters_that_are_not_free),
		TEST(no_free_counter_at_all),
	};

	if (argc != 3)
		return 2;
	opcontrol = realpath(argv[1], NULL);
	fake_daemon = realpath(argv[2], NULL);
	return !opcontrol || !fake_daemon || cmocka_run_group_tests(tests, NULL, NULL);
}
