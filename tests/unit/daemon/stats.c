// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Statistics of a session: files, sums over several daemons, the kernel's own numbers.
 */
#include "fixture.h"

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

TEST(sums_go_over_all_daemons_of_a_session)
{
	char *dir = make_directory(), *below = op_path("%s/current/stats", dir);
	struct stats stats;

	for (int daemon = 1; daemon <= 3; daemon++) {
		char want[32];

		stats_load(&stats, NULL, below, NULL);
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
	stats_load(&stats, NULL, below, NULL);
	stats.value[STAT_RECEIVED] = 7;
	save(&stats, below, NULL);
	expect(below, "total_samples", "7\n");
	remove_tree(dir);
	free(below);
	free(dir);
}

/* The kernel counts from the last start of profiling; the session counts them all. */
TEST(losses_of_the_kernel_add_up)
{
	char *dir = make_directory();
	struct stats stats;

	stats_load(&stats, NULL, dir, "sample_lost_no_mm 100\n"); /* of an earlier daemon */
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
