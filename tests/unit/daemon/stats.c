// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Statistics of a session: sums over several daemons, the kernel's own numbers.
 */
#include "fixture.h"

#include "libop/base/file.h"
#include "libop/session/account.h"
#include "libop/session/small_files.h"

/* The lines of an account, which the caller frees. */
static char *lines_of(struct stats *stats, const char *kernel)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	stats_take_kernel(stats, kernel);
	stats_put(stats, kernel, out);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void expect(struct stats *stats, const char *kernel, const char *name, uint64_t want)
{
	char *text = lines_of(stats, kernel);

	assert_int_equal(op_account_number(text, name), want);
	free(text);
}

TEST(sums_go_over_all_daemons_of_a_session)
{
	char *account = strdup("");
	struct stats stats = {0};

	for (int daemon = 1; daemon <= 3; daemon++) {
		stats_load(&stats, account, NULL, NULL);
		stats.value[STAT_RECEIVED] = 10;
		expect(&stats, NULL, "total_samples", (uint64_t)daemon * 100 - 90);
		stats.value[STAT_RECEIVED] = 100;
		expect(&stats, NULL, "total_samples", (uint64_t)daemon * 100);
		expect(&stats, NULL, "lost_kernel", 0);
		free(account);
		account = lines_of(&stats, NULL);
	}
	/* a new session */
	stats_load(&stats, "", NULL, NULL);
	stats.value[STAT_RECEIVED] = 7;
	expect(&stats, NULL, "total_samples", 7);
	free(account);
}

TEST(a_daemon_knows_what_it_counted_over_all_sessions)
{
	struct stats stats = {0};

	stats_load(&stats, "total_samples 1000\n", NULL, NULL);
	stats.value[STAT_RECEIVED] = 10;
	assert_int_equal(stats.earlier[STAT_RECEIVED], 0);
	stats_load(&stats, "total_samples 1010\n", NULL, NULL); /* the same, reopened */
	stats.value[STAT_RECEIVED] = 5;
	stats_load(&stats, "", NULL, NULL);
	stats.value[STAT_RECEIVED] = 2;
	assert_int_equal(stats.earlier[STAT_RECEIVED], 15);
	expect(&stats, NULL, "total_samples", 2);
}

TEST(a_session_without_an_account_goes_on_with_its_files)
{
	char *dir = make_directory(), *path = op_path("%s/total_samples", dir);
	struct stats stats = {0};
	struct op_error error;

	assert_int_equal(number_file_save(path, 5, &error), 0);
	stats_load(&stats, NULL, dir, NULL);
	stats.value[STAT_RECEIVED] = 7;
	expect(&stats, NULL, "total_samples", 12);
	remove_tree(dir);
	free(path);
	free(dir);
}

/* The kernel counts from the last start of profiling; the session counts them all. */
TEST(losses_of_the_kernel_add_up)
{
	static const char losses[] = "lost_records_by_kernel";
	struct stats stats = {0};

	stats_load(&stats, "", NULL, "sample_lost_no_mm 100\n"); /* of an earlier daemon */
	expect(&stats, "sample_lost_no_mm 100\n", losses, 0);
	expect(&stats, "sample_lost_no_mm 4\n", losses, 4); /* started anew */
	expect(&stats, "sample_lost_no_mm 6\ncpu0/sample_lost_nested 1\n", losses, 7);
	expect(&stats, NULL, losses, 7); /* unknown */
	expect(&stats, "sample_lost_no_mm 1\nbt_lost_no_mapping 50\nevent_lost_overflow 60\n",
	       losses, 8);
}

static void expect_file(const char *dir, const char *name, uint64_t want)
{
	assert_int_equal(number_file_read_below(dir, name), want);
}

/* A recording may say anything. */
TEST(files_have_what_the_account_adds_up)
{
	static const char kernel[] = "sample_lost_no_mm 3\ncpu0/sample_received 7\n"
				     "cpu12/sample_received 2\ncpu0/../outside 5\n"
				     "cpux/sample_received 5\ncpu0/unknown 1\n";
	char *dir = make_directory(), *below = op_path("%s/stats", dir), *path;
	struct stats stats = {0};
	struct op_error error;

	stats_load(&stats, "", NULL, NULL);
	stats.value[STAT_RECEIVED] = 7;
	expect(&stats, kernel, "sample_received", 9);
	expect(&stats, kernel, "sample_lost_no_mm", 3);
	assert_int_equal(stats_save_cpus(below, kernel, &error), 0);
	expect_file(below, "cpu0/sample_received", 7);
	expect_file(below, "cpu12/sample_received", 2);
	path = op_path("find %s -type f | wc -l | grep -qx 2", dir);
	assert_int_equal(system(path), 0);
	remove_tree(dir);
	free(path);
	free(below);
	free(dir);
}
