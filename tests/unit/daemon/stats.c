// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Statistics of a session: files, sums over several daemons, the kernel's own numbers.
 */
#include "fixture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libop/base/file.h"

static void expect(const char *dir, const char *name, const char *want)
{
	char *path = op_path("%s/%s", dir, name);
	struct op_error error;
	char *text = op_file_read(path, 100, NULL, &error);

	if (!text)
		fail_msg("%s", error.text);
	assert_string_equal(text, want);
	free(text);
	free(path);
}

static void save(struct stats *stats, const char *dir, const char *kernel)
{
	struct op_error error;

	stats_take_kernel(stats, kernel);
	if (stats_save(stats, dir, kernel, &error))
		fail_msg("%s", error.text);
}

static void sums_go_over_all_daemons_of_a_session(void **state)
{
	char *dir = make_directory(), *below = op_path("%s/current/stats", dir);
	struct stats stats;

	(void)state;
	for (int daemon = 1; daemon <= 3; daemon++) {
		char want[32];

		stats_load(&stats, below, NULL);
		stats.value[STAT_RECEIVED] = 10;
		save(&stats, below, NULL);
		stats.value[STAT_RECEIVED] = 100;
		save(&stats, below, NULL);
		snprintf(want, sizeof(want), "%d\n", daemon * 100);
		expect(below, "total_samples", want);
		expect(below, "lost_kernel", "0\n");
	}
	/* a new session */
	remove_tree(below);
	stats_load(&stats, below, NULL);
	stats.value[STAT_RECEIVED] = 7;
	save(&stats, below, NULL);
	expect(below, "total_samples", "7\n");
	remove_tree(dir);
	free(below);
	free(dir);
}

static void the_kernels_files_are_copied(void **state)
{
	char *dir = make_directory();
	struct stats stats;

	(void)state;
	stats_load(&stats, dir, NULL);
	save(&stats, dir,
	     "sample_lost_no_mm 3\ncpu0/sample_received 12\n"
	     "cpu1/sample_lost_overflow 5\nunknown_one 9\n");
	expect(dir, "sample_lost_no_mm", "3\n");
	expect(dir, "cpu0/sample_received", "12\n");
	expect(dir, "cpu1/sample_lost_overflow", "5\n");
	expect(dir, "unknown_one", "9\n");
	expect(dir, "lost_records_by_kernel", "8\n");
	remove_tree(dir);
	free(dir);
}

/* A recording may say anything; only plain names are written, below the directory. */
static void hostile_names_are_not_copied(void **state)
{
	char *dir = make_directory(), *below = op_path("%s/stats", dir);
	char *outside = op_path("%s/outside", dir);
	struct stats stats;

	(void)state;
	stats_load(&stats, below, NULL);
	save(&stats, below,
	     "../outside 1\n/outside 1\ncpu0/../../outside 1\na/b/c 1\n. 1\n"
	     "cpu0//x 1\nno_number\n 5\nnegative -1\nlast 2");
	assert_int_not_equal(access(outside, F_OK), 0);
	expect(below, "last", "2\n");
	remove_tree(dir);
	free(outside);
	free(below);
	free(dir);
}

/* The kernel counts from the last start of profiling; the session counts them all. */
static void losses_of_the_kernel_add_up(void **state)
{
	char *dir = make_directory();
	struct stats stats;

	(void)state;
	stats_load(&stats, dir, "sample_lost_no_mm 100\n"); /* of an earlier daemon */
	save(&stats, dir, "sample_lost_no_mm 100\n");
	expect(dir, "lost_records_by_kernel", "0\n");
	save(&stats, dir, "sample_lost_no_mm 4\n"); /* started anew */
	expect(dir, "lost_records_by_kernel", "4\n");
	save(&stats, dir, "sample_lost_no_mm 6\ncpu0/sample_lost_nested 1\n");
	expect(dir, "lost_records_by_kernel", "7\n");
	save(&stats, dir, NULL); /* unknown */
	expect(dir, "lost_records_by_kernel", "7\n");
	save(&stats, dir, "sample_lost_no_mm 1\nbt_lost_no_mapping 50\nevent_lost_overflow 60\n");
	expect(dir, "lost_records_by_kernel", "8\n");
	remove_tree(dir);
	free(dir);
}

static void each_number_has_a_name_of_its_own(void **state)
{
	(void)state;
	for (int i = 0; i < STAT_COUNT; i++) {
		assert_non_null(stats_name(i));
		for (int j = 0; j < i; j++)
			assert_string_not_equal(stats_name(i), stats_name(j));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_go_over_all_daemons_of_a_session),
		cmocka_unit_test(the_kernels_files_are_copied),
		cmocka_unit_test(hostile_names_are_not_copied),
		cmocka_unit_test(losses_of_the_kernel_add_up),
		cmocka_unit_test(each_number_has_a_name_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
