// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Times of events: reported by counter, saved in files by event, over several daemons, starts
 * and sessions.
 */
#include "fixture.h"

#include "daemon/count/multiplexed_times.h"
#include "libop/base/array.h"
#include "libop/base/file.h"

static struct op_event event[] = {
	{.name = "CYCLES", .count = 10000, .unit_mask = 0, .counter = 0},
	{.name = "MISSES", .count = 500, .unit_mask = 0x41, .counter = 5},
	{.name = "MISSES", .count = 501, .unit_mask = 0x41, .counter = 7},
};
static const struct op_events events = {event, 3};
static int16_t event_of[OP_COUNTERS_MAX];

static void open_times(struct multiplexed_times *times, const char *dir)
{
	struct op_error error;

	for (int i = 0; i < OP_COUNTERS_MAX; i++)
		event_of[i] = -1;
	event_of[0] = 0;
	event_of[5] = 1;
	event_of[7] = event_of[8] = 2; /* the same on two kinds of CPU */
	assert_int_equal(multiplexed_times_open(times, &events, event_of, &error), 0);
	multiplexed_times_load(times, dir);
}

static void take(struct multiplexed_times *times, const char *dir, const char *kernel)
{
	struct op_error error;

	multiplexed_times_update(times, kernel);
	if (multiplexed_times_save(times, dir, &error))
		fail_msg("%s", error.text);
}

/* @want: enabled and running, "20 10"; "" if there are no files. */
static void expect(const char *dir, const char *name, const char *want)
{
	char *enabled_path = op_path("%s/events/%s/enabled_ns", dir, name);
	char *running_path = op_path("%s/events/%s/running_ns", dir, name);
	char *enabled = op_file_read(enabled_path, 100, NULL, NULL);
	char *running = op_file_read(running_path, 100, NULL, NULL);
	char have[256] = "";

	if (enabled || running)
		snprintf(have, sizeof(have), "%.*s %.*s", enabled ? (int)strcspn(enabled, "\n") : 4,
			 enabled ? enabled : "none", running ? (int)strcspn(running, "\n") : 4,
			 running ? running : "none");
	if (strcmp(have, want))
		fail_msg("%s: \"%s\", not \"%s\"", name, have, want);
	free(enabled);
	free(running);
	free(enabled_path);
	free(running_path);
}

TEST(times_by_counter_become_times_by_event)
{
	char *dir = make_directory();
	struct multiplexed_times times;

	open_times(&times, dir);
	take(&times, dir, NULL);
	expect(dir, "CYCLES.10000.0", "");
	take(&times, dir,
	     "cpu0/sample_received 12\n"
	     "counter0/enabled_ns 20\ncounter0/running_ns 10\n"
	     "counter1/enabled_ns 999\n"
	     "counter5/running_ns 7\ncounter5/enabled_ns 21\n"
	     "counter7/enabled_ns 30\ncounter7/running_ns 3\n"
	     "counter8/enabled_ns 30\ncounter8/running_ns 5");
	expect(dir, "CYCLES.10000.0", "20 10");
	expect(dir, "MISSES.500.65", "21 7");
	expect(dir, "MISSES.501.65", "60 8");
	multiplexed_times_close(&times);
	remove_tree(dir);
	free(dir);
}

TEST(times_add_up_over_starts_daemons_and_sessions)
{
	char *dir = make_directory();
	struct multiplexed_times times;

	open_times(&times, dir);
	take(&times, dir, "counter0/enabled_ns 20\ncounter0/running_ns 10\n");
	take(&times, dir, "counter0/enabled_ns 24\ncounter0/running_ns 12\n");
	expect(dir, "CYCLES.10000.0", "24 12");
	take(&times, dir, NULL); /* not known now */
	take(&times, dir, "cpu0/sample_received 12\n");
	take(&times, dir, "counter0/enabled_ns 24\ncounter0/running_ns 12\n");
	expect(dir, "CYCLES.10000.0", "24 12");
	multiplexed_times_close(&times);

	/* another daemon in the same session */
	open_times(&times, dir);
	take(&times, dir, "counter0/enabled_ns 6\ncounter0/running_ns 1\n");
	expect(dir, "CYCLES.10000.0", "30 13");

	/* the same daemon in a new session, after it looked for the last time */
	take(&times, dir, "counter0/enabled_ns 8\ncounter0/running_ns 2\n");
	remove_tree(dir);
	multiplexed_times_load(&times, dir);
	take(&times, dir, "counter0/enabled_ns 8\ncounter0/running_ns 2\n");
	expect(dir, "CYCLES.10000.0", "");
	take(&times, dir, "counter0/enabled_ns 11\ncounter0/running_ns 4\n");
	expect(dir, "CYCLES.10000.0", "3 2");

	/* a source that has begun anew */
	take(&times, dir, "counter0/enabled_ns 1\ncounter0/running_ns 1\n");
	expect(dir, "CYCLES.10000.0", "4 3");
	multiplexed_times_close(&times);
	remove_tree(dir);
	free(dir);
}

TEST(other_numbers_have_files_where_they_are_not_zero)
{
	static const char *const files[] = {"paused_ns", "taken", "unsampled_ns", "missing_ns"};
	static const char *const wanted[] = {"11\n", "9\n", NULL, "8\n"};
	char *dir = make_directory();
	struct multiplexed_times times;

	open_times(&times, dir);
	take(&times, dir, "counter0/enabled_ns 20\ncounter0/running_ns 10\n"
			  "counter0/paused_ns 4\ncounter0/taken 7\ncounter0/unsampled_ns 0\n");
	/* a source that has begun anew */
	take(&times, dir, "counter0/enabled_ns 10\ncounter0/running_ns 9\n"
			  "counter0/paused_ns 7\ncounter0/taken 2\ncounter0/missing_ns 8\n");
	for (size_t i = 0; i < 4; i++) {
		char *path = op_path("%s/events/CYCLES.10000.0/%s", dir, files[i]);
		char *text = op_file_read(path, 100, NULL, NULL);

		if (wanted[i])
			assert_string_equal(text, wanted[i]);
		else
			assert_null(text);
		free(text);
		free(path);
	}
	multiplexed_times_close(&times);
	remove_tree(dir);
	free(dir);
}

TEST(invalid_lines_are_skipped)
{
	static const char *const lines[] = {
		"counter0/enabled_ns\n",
		"counter0/enabled_ns -5x\n",
		"counter/enabled_ns 5\n",
		"counter0/enabled 5\n",
		"counter256/enabled_ns 5\n",
		"counter-1/enabled_ns 5\n",
		"counter0/a/enabled_ns 5\n",
		"xcounter0/enabled_ns 5\n",
		"counter0/enabled_ns 5 6\n",
		"counter0/enabled_nsenabled_nsenabled_ns 5\n",
		"\n\n\n",
	};
	char *dir = make_directory();

	for (size_t i = 0; i < OP_ARRAY_SIZE(lines); i++) {
		struct multiplexed_times times;

		open_times(&times, dir);
		take(&times, dir, lines[i]);
		for (size_t k = 0; k < events.count; k++) {
			if (times.latest[k].enabled_ns || times.latest[k].running_ns)
				fail_msg("taken: %s", lines[i]);
		}
		multiplexed_times_close(&times);
	}
	remove_tree(dir);
	free(dir);
}

TEST(lines_of_times_are_removed_from_statistics)
{
	static const struct {
		const char *text, *rest;
	} cases[] = {
		{"", ""},
		{"a 1\n", "a 1\n"},
		{"counter0/enabled_ns 1\n", ""},
		{"a 1\ncounter0/enabled_ns 1\ncounter31/running_ns 2\nb/c 2\n", "a 1\nb/c 2\n"},
		{"counter0/other_ns 1\ncounter0/running_ns 1", "counter0/other_ns 1\n"},
	};

	multiplexed_times_remove_lines(NULL);
	for (size_t i = 0; i < OP_ARRAY_SIZE(cases); i++) {
		char *text = strdup(cases[i].text);

		assert_non_null(text);
		multiplexed_times_remove_lines(text);
		assert_string_equal(text, cases[i].rest);
		free(text);
	}
}
