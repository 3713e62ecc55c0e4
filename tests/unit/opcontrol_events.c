// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Events of opcontrol: from what a person writes to what is written to the counters of
 * oprofilefs and said to the daemon; and what is said when it can't be counted.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "libop/file.h"
#include "libop/pfm.h"
#include "opcontrol_catalogue.h"
#include "utils/opcontrol/counter.h"
#include "utils/opcontrol/counter_holder.h"
#include "utils/opcontrol/events.h"
#include "libop/tree.h"

static const char *const entry_names[] = {"enabled", "event", "count", "unit_mask",
					  "kernel",  "user",  "extra"};
#define ENTRIES (sizeof(entry_names) / sizeof(entry_names[0]))

static char top[] = "/tmp/opcontrol-XXXXXX";

static void put(const char *path, const char *text)
{
	struct op_error error;
	FILE *file;

	assert_int_equal(op_mkdir_parents(path, 0755, &error), 0);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

/* A counter, with what somebody left there. */
static void put_counter(char number)
{
	char path[64];

	for (size_t i = 0; i < ENTRIES; i++) {
		snprintf(path, sizeof(path), "fs/%c/%s", number, entry_names[i]);
		put(path, "77777\n");
	}
}

/* The driver with these counters, such as "023". */
static void put_driver(const char *cpu_type, const char *counters)
{
	struct op_error error;

	if (!access("fs", F_OK))
		assert_int_equal(op_tree_remove(AT_FDCWD, "fs", &error), 0);
	put("fs/cpu_type", cpu_type);
	for (; *counters; counters++)
		put_counter(*counters);
}

static uint64_t get(int counter, const char *name)
{
	char path[64], *text, *end;
	struct op_error error;
	uint64_t value;

	snprintf(path, sizeof(path), "fs/%d/%s", counter, name);
	text = op_file_read(path, 64, NULL, &error);
	if (!text)
		fail_msg("%s", error.text);
	value = strtoull(text, &end, 10);
	assert_int_equal(*end, '\n');
	free(text);
	return value;
}

static int enter(void **state)
{
	char path[64];

	(void)state;
	strcpy(top + strlen(top) - 6, "XXXXXX");
	if (!mkdtemp(top) || chdir(top))
		return -1;
	snprintf(path, sizeof(path), "%s/fs", top);
	setenv("OPROFILE_FS_DIR", path, 1);
	snprintf(path, sizeof(path), "%s/events", top);
	setenv("OPROFILE_EVENTS_DIR", path, 1);
	put("events/" CATALOGUE_EVENTS_FILE, CATALOGUE_EVENTS);
	put("events/" CATALOGUE_MASKS_FILE, CATALOGUE_MASKS);
	return 0;
}

static int leave(void **state)
{
	struct op_error error;

	(void)state;
	return chdir("/") || op_tree_remove(AT_FDCWD, top, &error);
}

/* Settings with the events of @specs, which are separated by blanks. */
static void choose(struct settings *settings, const char *specs)
{
	struct op_strings list = {0};
	struct op_error error;

	assert_int_equal(settings_init(settings, &error), 0);
	if (!*specs)
		return;
	assert_int_equal(op_strings_split(&list, specs, ' '), 0);
	for (size_t i = 0; i < list.count; i++) {
		if (settings_add_event(settings, list.item[i], &error))
			fail_msg("%s", error.text);
	}
	op_strings_free(&list);
}

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
		{"01234567", "RETIRED:6000 LOW:500",
		 "RETIRED:192:0:6000:0:1:1,LOW:65:1:500:0:1:1,", 1},
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

/* ---- the driver ---- */

static void what_was_written_is_read_back(void **state)
{
	struct settings settings;
	struct op_error error;
	struct events events;

	(void)state;
	put_driver(CATALOGUE_CPU, "0123");
	choose(&settings, "RETIRED:6000 REQUESTS:500:reads:1:0");
	assert_int_equal(events_open(&settings, &events, &error), 0);
	assert_int_equal(events_place(&events, &error), 0);

	/* a driver that takes one for the other */
	assert_int_equal(unlink("fs/1/user"), 0);
	assert_int_equal(link("fs/1/kernel", "fs/1/user"), 0);
	assert_int_equal(events_program(&events, &error), -1);
	assert_int_equal(error.code, EPROTO);
	assert_non_null(strstr(error.text, "event \"REQUESTS:500:reads:1:0\": "));
	assert_non_null(strstr(error.text, "/fs/1/kernel holds 0, though 1 was written"));
	assert_int_equal(get(0, "enabled"), 0);
	assert_int_equal(get(1, "enabled"), 0);

	/* one that forgets */
	put_counter('1');
	assert_int_equal(unlink("fs/0/count"), 0);
	assert_int_equal(symlink("/dev/null", "fs/0/count"), 0);
	assert_int_equal(events_program(&events, &error), -1);
	assert_non_null(strstr(error.text, "/fs/0/count"));

	/* one that lacks a file */
	assert_int_equal(unlink("fs/0/count"), 0);
	put_counter('0');
	assert_int_equal(unlink("fs/1/unit_mask"), 0);
	assert_int_equal(events_program(&events, &error), -1);
	assert_non_null(strstr(error.text, "/fs/1/unit_mask: No such file"));
	assert_int_equal(get(0, "enabled"), 0);
	events_close(&events);
	settings_free(&settings);
}

static void a_driver_without_extra(void **state)
{
	struct settings settings;
	struct op_error error;
	struct events events;

	(void)state;
	put_driver(CATALOGUE_CPU, "0");
	assert_int_equal(unlink("fs/0/extra"), 0);
	choose(&settings, "STALLS:1000:cycles");
	assert_int_equal(events_open(&settings, &events, &error), 0);
	assert_int_equal(events_place(&events, &error), 0);
	if (events_program(&events, &error))
		fail_msg("%s", error.text);
	assert_int_equal(get(0, "enabled"), 1);
	events_close(&events);
	settings_free(&settings);

	choose(&settings, "STALLS:1000:starts");
	assert_int_equal(events_open(&settings, &events, &error), 0);
	assert_int_equal(events_place(&events, &error), 0);
	assert_int_equal(events_program(&events, &error), -1);
	assert_non_null(strstr(error.text, "has modifiers (0x1040000)"));
	assert_int_equal(get(0, "enabled"), 0);
	events_close(&events);
	settings_free(&settings);
}

/* Fixed counters stand behind the general ones, and take their own event only. */
static void fixed_counters(void **state)
{
	static const struct {
		uint32_t event_code, unit_mask; /* as chosen */
		unsigned int counter;
		uint32_t event, mask; /* as written */
	} cases[] = {
		{0xc0, 0, 1, 0xc0, 0}, {0xc0, 0, 2, 0xc0, 0}, {0x3c, 0, 3, 0x3c, 0},
		{0, 3, 4, 0x3c, 1},    {0, 1, 2, 0xc0, 0},
	};
	const struct op_counters counters = op_counters_plain(2, 3);
	char spec[] = "X:1000", *specs[] = {spec};
	struct op_error error;

	(void)state;
	put_driver("i386/arch_perfmon", "01234");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct op_choice choice = {
			.count = 1000,
			.unit_mask = cases[i].unit_mask,
			.event_code = cases[i].event_code,
			.kernel = true,
			.user = true,
			.counter = cases[i].counter,
		};

		assert_int_equal(counters_program(&counters, 0x1f, &choice, specs, 1, &error), 0);
		assert_int_equal(get(cases[i].counter, "event"), cases[i].event);
		assert_int_equal(get(cases[i].counter, "unit_mask"), cases[i].mask);
	}
}

static void counters_are_the_numbered_directories(void **state)
{
	static const char *const names[] = {"0",  "3",	"10", "63",  "64", "00", "01",
					    "1x", "-1", "+2", "4.5", " 5", "99", "100"};
	struct op_error error;
	uint64_t offered;
	char path[64];

	(void)state;
	put_driver("i386/nehalem", "");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "fs/%s", names[i]);
		assert_int_equal(mkdir(path, 0700), 0);
	}
	assert_int_equal(counters_offered(&offered, &error), 0);
	assert_true(offered == (1ull << 0 | 1ull << 3 | 1ull << 10 | 1ull << 63));
	counters_list(offered, path, sizeof(path));
	assert_string_equal(path, "0, 3, 10, 63");
	counters_list(0, path, sizeof(path));
	assert_string_equal(path, "");
	/* cut, not overrun */
	counters_list(UINT64_MAX, path, 8);
	assert_string_equal(path, "0, 1, 2");
}

/* ---- holders ---- */

static void holders_are_named_with_the_cure(void **state)
{
	static const struct {
		struct counter_holders holders;
		const char *texts[3];
	} cases[] = {
		{{.nmi_watchdog = true},
		 {"the NMI watchdog is on", "sysctl kernel.nmi_watchdog=0", "frees them"}},
		{{.perf = 812, .perf_name = "perf"}, {"process 812 (perf)", "end it", ""}},
		{{.nmi_watchdog = true, .perf = 812, .perf_name = "perf"},
		 {"kernel.nmi_watchdog=0", "; ", "process 812 (perf)"}},
		{{0}, {"the NMI watchdog is off", "no process is seen to use perf", "dmesg"}},
	};
	char text[512];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		counter_holders_explain(&cases[i].holders, text, sizeof(text));
		for (int k = 0; k < 3; k++) {
			if (!strstr(text, cases[i].texts[k]))
				fail_msg("case %zu: \"%s\" is not in: %s", i, cases[i].texts[k],
					 text);
		}
	}
}

static void a_process_with_perf_events_is_found(void **state)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_PAGE_FAULTS,
		.exclude_kernel = 1,
	};
	struct counter_holders holders;
	int ready[2], status;
	char byte;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(ready), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		if (syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0) < 0)
			_exit(1);
		if (write(ready[1], "", 1) == 1)
			pause();
		_exit(0);
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) == 1) {
		counter_holders_find(&holders);
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
		/* there may be another one */
		assert_true(holders.perf > 0);
		assert_true(*holders.perf_name);
		close(ready[0]);
		return;
	}
	waitpid(pid, &status, 0);
	close(ready[0]);
	print_message("skipped: perf events cannot be opened here\n");
	skip();
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)
	const struct CMUnitTest tests[] = {
		TEST(specs_become_writes),
		TEST(what_cannot_be_counted_is_explained),
		TEST(more_events_than_counters_take_turns),
		TEST(a_driver_with_too_many_counters_is_refused),
		TEST(the_default_event_is_good_with_call_graphs),
		TEST(timers_have_no_events),
		TEST(events_of_libpfm4),
		TEST(what_was_written_is_read_back),
		TEST(a_driver_without_extra),
		TEST(fixed_counters),
		TEST(counters_are_the_numbered_directories),
		TEST(holders_are_named_with_the_cure),
		TEST(a_process_with_perf_events_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
