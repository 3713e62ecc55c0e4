// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Events of opcontrol: from what a person writes to what is written to the counters of
 * oprofilefs and said to the daemon; and what is said when it can't be counted.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <cmocka.h>

#include "libop/events/pfm.h"
#include "opcontrol_catalogue.h"
#include "opcontrol_driver.h"
#include "utils/opcontrol/counter.h"
#include "utils/opcontrol/events.h"

/* ---- the order of writes ---- */

#define WATCHES 10

struct journal {
	int fd, watch[WATCHES];
};

static void journal_open(struct journal *journal, const char *counters)
{
	char path[8] = "fs/?";

	journal->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	assert_true(journal->fd >= 0);
	for (int i = 0; i < WATCHES; i++)
		journal->watch[i] = -1;
	for (; *counters; counters++) {
		path[3] = *counters;
		journal->watch[*counters - '0'] = inotify_add_watch(journal->fd, path, IN_MODIFY);
		assert_true(journal->watch[*counters - '0'] >= 0);
	}
}

/* "0/enabled 0/event ": the files that were written, in order.  The caller frees it. */
static char *journal_close(struct journal *journal)
{
	char buffer[8192] __attribute__((aligned(__alignof__(struct inotify_event))));
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	ssize_t got;

	assert_non_null(out);
	while ((got = read(journal->fd, buffer, sizeof(buffer))) > 0) {
		const struct inotify_event *event;

		for (char *at = buffer; at < buffer + got; at += sizeof(*event) + event->len) {
			event = (const void *)at;
			for (int i = 0; i < WATCHES; i++) {
				if (journal->watch[i] == event->wd)
					fprintf(out, "%d/%s ", i, event->name);
			}
		}
	}
	close(journal->fd);
	assert_int_equal(fclose(out), 0);
	return text;
}

#define CLEARED(n) n "/enabled " n "/event " n "/count " n "/extra "
#define WRITTEN(n)                                                                                 \
	n "/enabled " n "/event " n "/count " n "/kernel " n "/user " n "/unit_mask " n "/extra "
#define ALL_CLEARED CLEARED("0") CLEARED("1") CLEARED("2") CLEARED("3")

static void specs_become_writes(void **state)
{
	/* enabled, event, count, unit_mask, kernel, user, extra; 77777: left as it was */
	static const struct {
		const char *counters, *specs, *writes, *argument;
		struct {
			int counter;
			uint64_t values[ENTRIES];
		} expect[4];
	} cases[] = {
		{"0123",
		 "RETIRED:6000",
		 ALL_CLEARED WRITTEN("0"),
		 "RETIRED:192:0:6000:0:1:1,",
		 {{0, {1, 0xc0, 6000, 0, 1, 1, 0}},
		  {1, {0, 0, 0, 77777, 77777, 77777, 0}},
		  {2, {0, 0, 0, 77777, 77777, 77777, 0}},
		  {3, {0, 0, 0, 77777, 77777, 77777, 0}}}},
		/* the default */
		{"0123",
		 "",
		 ALL_CLEARED WRITTEN("0"),
		 "CPU_CLK_UNHALTED:118:0:100000:0:1:1,",
		 {{0, {1, 0x76, 100000, 0, 1, 1, 0}}, {1, {0, 0, 0, 77777, 77777, 77777, 0}}}},
		/* user only, kernel only, a code of 12 bits, masks joined and by name */
		{"0123",
		 "RETIRED:6000::0:1 REQUESTS:500:0x3:1:0 REQUESTS:501:writes",
		 ALL_CLEARED WRITTEN("0") WRITTEN("1") WRITTEN("2"),
		 "RETIRED:192:0:6000:0:0:1,REQUESTS:464:1:500:3:1:0,REQUESTS:464:2:501:2:1:1,",
		 {{0, {1, 0xc0, 6000, 0, 0, 1, 0}},
		  {1, {1, 0x1d0, 500, 3, 1, 0, 0}},
		  {2, {1, 0x1d0, 501, 2, 1, 1, 0}},
		  {3, {0, 0, 0, 77777, 77777, 77777, 0}}}},
		/* modifiers: edge is bit 18, inv 23, cmask from 24 on; the marks stay out */
		{"0123",
		 "STALLS:1000:starts STALLS:1001:idle STALLS:1002:cycles+inv+cmask=0xff",
		 ALL_CLEARED WRITTEN("0") WRITTEN("1") WRITTEN("2"),
		 "STALLS:80:0:1000:4:1:1,STALLS:80:1:1001:2:1:1,STALLS:80:2:1002:1:1:1,",
		 {{0, {1, 0x50, 1000, 4, 1, 1, 0x01040000}},
		  {1, {1, 0x50, 1001, 2, 1, 1, 0x0a800000}},
		  {2, {1, 0x50, 1002, 1, 1, 1, 0xff800000}}}},
		/* what can be on few counters takes them from what can be on all */
		{"0123",
		 "RETIRED:6000 LOW:500 ONLY0:500",
		 ALL_CLEARED WRITTEN("2") WRITTEN("1") WRITTEN("0"),
		 "RETIRED:192:2:6000:0:1:1,LOW:65:1:500:0:1:1,ONLY0:64:0:500:0:1:1,",
		 {{0, {1, 0x40, 500, 0, 1, 1, 0}},
		  {1, {1, 0x41, 500, 0, 1, 1, 0}},
		  {2, {1, 0xc0, 6000, 0, 1, 1, 0}}}},
		/* only counters that are there */
		{"13",
		 "RETIRED:6000 LOW:500",
		 CLEARED("1") CLEARED("3") WRITTEN("3") WRITTEN("1"),
		 "RETIRED:192:3:6000:0:1:1,LOW:65:1:500:0:1:1,",
		 {{1, {1, 0x41, 500, 0, 1, 1, 0}}, {3, {1, 0xc0, 6000, 0, 1, 1, 0}}}},
		/* a counter that the CPU should not have is not used, but not left running */
		{"039",
		 "RETIRED:6000 CPU_CLK_UNHALTED:6001",
		 CLEARED("0") CLEARED("3") CLEARED("9") WRITTEN("0") WRITTEN("3"),
		 "RETIRED:192:0:6000:0:1:1,CPU_CLK_UNHALTED:118:3:6001:0:1:1,",
		 {{0, {1, 0xc0, 6000, 0, 1, 1, 0}},
		  {3, {1, 0x76, 6001, 0, 1, 1, 0}},
		  {9, {0, 0, 0, 77777, 77777, 77777, 0}}}},
		/* the largest count of a specification */
		{"0",
		 "ONLY0:4294967295",
		 CLEARED("0") WRITTEN("0"),
		 "ONLY0:64:0:4294967295:0:1:1,",
		 {{0, {1, 0x40, 4294967295, 0, 1, 1, 0}}}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct settings settings;
		struct journal journal;
		struct op_error error;
		struct events events;
		char *writes, *argument;

		put_driver(CATALOGUE_CPU, cases[i].counters);
		choose(&settings, cases[i].specs);
		journal_open(&journal, cases[i].counters);
		if (events_open(&settings, &events, &error) || events_place(&events, &error) ||
		    events_program(&events, &error))
			fail_msg("\"%s\": %s", cases[i].specs, error.text);
		writes = journal_close(&journal);
		assert_string_equal(writes, cases[i].writes);
		assert_int_equal(events_argument(&events, &argument, &error), 0);
		assert_string_equal(argument, cases[i].argument);
		for (size_t k = 0; k < 4; k++) {
			for (size_t e = 0; (!k || cases[i].expect[k].counter) && e < ENTRIES; e++) {
				uint64_t value = get(cases[i].expect[k].counter, entry_names[e]);

				if (value != cases[i].expect[k].values[e])
					fail_msg("\"%s\": %d/%s is %#lx, not %#lx", cases[i].specs,
						 cases[i].expect[k].counter, entry_names[e], value,
						 cases[i].expect[k].values[e]);
			}
		}
		free(writes);
		free(argument);
		events_close(&events);
		settings_free(&settings);
	}
}

/* ---- what cannot be counted ---- */

static void what_cannot_be_counted_is_explained(void **state)
{
	static const struct {
		const char *cpu_type, *counters, *specs;
		unsigned int callgraph;
		bool opens; /* the CPU could, but not now */
		const char *text;
	} cases[] = {
		{CATALOGUE_CPU, "0123", "RETIRD:6000", 0, false,
		 "has no event RETIRD (it has RETIRED"},
		{CATALOGUE_CPU, "0123", "RETIRED:2999", 0, false, "the count 2999 is below"},
		{CATALOGUE_CPU, "0123", "RETIRED:6000", 16, false,
		 "the count 6000 is below the least one, 45000 with call graphs"},
		{CATALOGUE_CPU, "0123", "RETIRED:6000 STALLS:499", 0, false,
		 "event \"STALLS:499\": the driver takes no count below 500"},
		{CATALOGUE_CPU, "0123", "RETIRED:6000:1", 0, false, "event \"RETIRED:6000:1\": "},
		{CATALOGUE_CPU, "0123", "REQUESTS:500:erases", 0, false,
		 "no unit mask called erases: there are reads, writes"},
		{CATALOGUE_CPU, "0123", "IBS_OP:50000", 0, false, "it is counted by ibs_op"},
		{CATALOGUE_CPU, "0123", "RETIRED:6000 RETIRED:6000", 0, false, "are the same"},
		{CATALOGUE_CPU, "0123", "ONLY0:500:0:1:0 ONLY0:501:0:0:1", 0, false,
		 "not enough counters"},
		{CATALOGUE_CPU, "0123",
		 "RETIRED:6000 CPU_CLK_UNHALTED:6000 LOW:500 REQUESTS:500 STALLS:500", 0, false,
		 "not enough counters for all 5 events"},
		{CATALOGUE_CPU, "", "RETIRED:6000", 0, true,
		 "no counter can be used; counters that are not free: 0, 1, 2, 3 ("},
		{CATALOGUE_CPU, "", "", 0, true, "no counter can be used"},
		{CATALOGUE_CPU, "123", "ONLY0:500", 0, true,
		 "event \"ONLY0:500\": none of the counters"},
		{CATALOGUE_CPU, "123", "ONLY0:500", 0, true, "counters that are not free: 0 ("},
		{CATALOGUE_CPU, "12", "RETIRED:6000 LOW:500 STALLS:500", 0, true,
		 "counters that are not free: 0, 3 ("},
		{"timer", "", "RETIRED:6000", 0, false, "samples by a timer"},
		{"nmi_timer", "", "RETIRED:6000", 0, false, "samples by a timer"},
		{"x86-64/family99h", "0123", "RETIRED:6000", 0, false,
		 "unknown CPU type \"x86-64/family99h\""},
		/* a CPU type without a catalogue in this directory */
		{"i386/athlon", "0123", "RETIRED:6000", 0, false, "/i386/athlon/"},
	};
	struct settings settings;
	struct op_error error;
	struct events events;
	bool opened;
	int ret;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		put_driver(cases[i].cpu_type, cases[i].counters);
		choose(&settings, cases[i].specs);
		settings.callgraph = cases[i].callgraph;
		error.text[0] = '\0';
		ret = events_open(&settings, &events, &error);
		opened = !ret;
		if (opened) {
			assert_int_equal(events_check(&settings, &error), 0);
			ret = events_place(&events, &error);
			events_close(&events);
		}
		if (!ret || opened != cases[i].opens || !strstr(error.text, cases[i].text))
			fail_msg("\"%s\" on %s: %d %d %s", cases[i].specs, cases[i].cpu_type,
				 opened, ret, error.text);
		settings_free(&settings);
		for (const char *c = cases[i].counters; *c; c++)
			assert_int_equal(get(*c - '0', "enabled"), 77777);
	}
}

/* ---- events that take turns ---- */

static void put_multiplexer(const char *counters)
{
	put_driver(CATALOGUE_CPU, counters);
	put("fs/general_counters", "2\n");
	put("fs/fixed_counters", "0\n");
	put("fs/virtual_counters", "6\n");
}

static void more_events_than_counters_take_turns(void **state)
{
	static const struct {
		const char *counters, *specs, *argument;
		unsigned int groups; /* 0: not all fit */
	} cases[] = {
		{"01234567", "RETIRED:6000 LOW:500", "RETIRED:192:0:6000:0:1:1,LOW:65:1:500:0:1:1,",
		 1},
		{"01234567", "RETIRED:6000 RETIRED:6001 LOW:500",
		 "RETIRED:192:0:6000:0:1:1,RETIRED:192:1:6001:0:1:1,LOW:65:2:500:0:1:1,", 2},
		{"01234567", "ONLY0:500 ONLY0:501 ONLY0:502",
		 "ONLY0:64:0:500:0:1:1,ONLY0:64:2:501:0:1:1,ONLY0:64:4:502:0:1:1,", 3},
		{"01234567", "ONLY0:500 ONLY0:501 ONLY0:502 ONLY0:503 ONLY0:504", NULL, 0},
		/* somebody holds counter 0 */
		{"1357", "RETIRED:6000 LOW:500", "RETIRED:192:1:6000:0:1:1,LOW:65:3:500:0:1:1,", 2},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct settings settings;
		struct op_error error;
		struct events events;
		char *argument;

		put_multiplexer(cases[i].counters);
		choose(&settings, cases[i].specs);
		if (!cases[i].groups) {
			assert_int_equal(events_open(&settings, &events, &error), -1);
			assert_non_null(strstr(error.text, "up to 4 events on each general one"));
			settings_free(&settings);
			continue;
		}
		if (events_open(&settings, &events, &error) || events_place(&events, &error) ||
		    events_program(&events, &error))
			fail_msg("\"%s\": %s", cases[i].specs, error.text);
		assert_int_equal(events_argument(&events, &argument, &error), 0);
		assert_string_equal(argument, cases[i].argument);
		assert_int_equal(events_groups(&events), cases[i].groups);
		free(argument);
		events_close(&events);
		settings_free(&settings);
	}
}

static void a_driver_with_too_many_counters_is_refused(void **state)
{
	struct settings settings;
	struct op_error error;
	struct events events;

	(void)state;
	put_multiplexer("01");
	put("fs/virtual_counters", "65\n");
	choose(&settings, "RETIRED:6000");
	assert_int_equal(events_open(&settings, &events, &error), -1);
	assert_non_null(strstr(error.text, "more counters than a driver can have"));
	settings_free(&settings);
}

/* ---- the default, timers, libpfm4 ---- */

static void the_default_event_is_good_with_call_graphs(void **state)
{
	struct settings settings;
	struct op_error error;
	struct events events;

	(void)state;
	put_driver(CATALOGUE_CPU, "0123");
	put("events/" CATALOGUE_EVENTS_FILE,
	    "event:0x76 counters:0,1,2,3 um:zero minimum:100000 name:CPU_CLK_UNHALTED : Cycles\n");
	put("events/" CATALOGUE_MASKS_FILE, "name:zero type:mandatory default:0x0\n\t0x0 None\n");
	choose(&settings, "");
	settings.callgraph = 16;
	assert_int_equal(events_open(&settings, &events, &error), 0);
	assert_true(events.is_default);
	assert_int_equal(events_place(&events, &error), 0);
	events_close(&events);
	settings_free(&settings);
}

static void timers_have_no_events(void **state)
{
	struct settings settings;
	struct op_error error;
	struct events events;
	char *argument;

	(void)state;
	put_driver("nmi_timer", "");
	choose(&settings, "");
	assert_int_equal(events_open(&settings, &events, &error), 0);
	assert_int_equal(events.specs.count, 0);
	assert_int_equal(events_place(&events, &error), 0);
	assert_int_equal(events_program(&events, &error), 0);
	assert_int_equal(events_argument(&events, &argument, &error), 0);
	assert_null(argument);
	events_close(&events);
	settings_free(&settings);
}

/* An event that the text catalogue does not have, but libpfm4 has of this CPU. */
static void events_of_libpfm4(void **state)
{
	struct settings settings;
	struct op_error error;
	struct events events;

	(void)state;
	if (!op_pfm_is_there()) {
		print_message("skipped: this build has no libpfm4\n");
		skip();
	}
	put_driver(CATALOGUE_CPU, "0123");
	choose(&settings, "RETIRED:6000 DATA_CACHE_MISSES:6000");
	if (events_open(&settings, &events, &error) || events_place(&events, &error) ||
	    events_program(&events, &error))
		fail_msg("%s", error.text);
	assert_int_equal(get(0, "event"), 0xc0);
	assert_int_equal(get(1, "event"), 0x41);
	events_close(&events);
	settings_free(&settings);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(specs_become_writes),
		TEST(what_cannot_be_counted_is_explained),
		TEST(more_events_than_counters_take_turns),
		TEST(a_driver_with_too_many_counters_is_refused),
		TEST(the_default_event_is_good_with_call_graphs),
		TEST(timers_have_no_events),
		TEST(events_of_libpfm4),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
