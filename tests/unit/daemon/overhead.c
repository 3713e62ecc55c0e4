// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The cost of profiling: CPU time and the time that was spent profiling, over stops, several
 * daemons and sessions.
 */
#include "fixture.h"

#include "libop/session/account.h"
#include "libop/session/small_files.h"
#include "libop/base/file.h"

#define MS UINT64_C(1000000)

static struct overhead_time at(uint64_t cpu_ms, uint64_t wall_ms)
{
	return (struct overhead_time){cpu_ms * MS, wall_ms * MS};
}

/* The lines of an account, which the caller frees. */
static char *lines_of(const struct overhead *overhead)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	overhead_put(overhead, out);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void expect_in(const char *account, uint64_t cpu_ms, uint64_t profiling_ms)
{
	assert_int_equal(op_account_number(account, "daemon_cpu_ms"), cpu_ms);
	assert_int_equal(op_account_number(account, "profiling_ms"), profiling_ms);
}

static void expect(const struct overhead *overhead, uint64_t cpu_ms, uint64_t profiling_ms)
{
	char *text = lines_of(overhead);

	expect_in(text, cpu_ms, profiling_ms);
	free(text);
}

static void expect_none(const struct overhead *overhead)
{
	char *text = lines_of(overhead);

	assert_string_equal(text, "");
	free(text);
}

TEST(sums_go_over_all_daemons_of_a_session)
{
	struct overhead overhead;
	char *account;

	overhead_load(&overhead, "", NULL, at(50, 1000), true);
	overhead_look(&overhead, at(60, 3000), true);
	expect(&overhead, 10, 2000);
	overhead_look(&overhead, at(75, 4000), true);
	expect(&overhead, 25, 3000);
	/* another process, whose CPU time begins anew */
	account = lines_of(&overhead);
	overhead_load(&overhead, account, NULL, at(2, 9000), true);
	expect(&overhead, 25, 3000);
	overhead_look(&overhead, at(3, 9500), true);
	expect(&overhead, 26, 3500);
	/* the same process in a new session */
	overhead_load(&overhead, "", NULL, at(3, 9500), true);
	overhead_look(&overhead, at(10, 9600), true);
	expect(&overhead, 7, 100);
	free(account);
}

TEST(a_session_without_an_account_goes_on_with_its_files)
{
	char *dir = make_directory(), *path = op_path("%s/profiling_ms", dir);
	struct overhead overhead;
	struct op_error error;

	assert_int_equal(number_file_save(path, 1000, &error), 0);
	overhead_load(&overhead, NULL, dir, at(0, 0), true);
	overhead_look(&overhead, at(3, 500), true);
	expect(&overhead, 3, 1500);
	remove_tree(dir);
	free(path);
	free(dir);
}

TEST(only_time_between_start_and_stop_counts)
{
	struct overhead overhead;

	overhead_load(&overhead, "", NULL, at(0, 0), false);
	overhead_look(&overhead, at(1, 100), false);
	overhead_look(&overhead, at(2, 200), true); /* started */
	expect_none(&overhead);
	overhead_look(&overhead, at(5, 250), false); /* stopped */
	overhead_look(&overhead, at(9, 1000), false);
	expect(&overhead, 9, 50);
	overhead_look(&overhead, at(9, 2000), true);
	overhead_look(&overhead, at(10, 2003), true);
	expect(&overhead, 10, 53);
}

/* Many short intervals are as much as a long one. */
TEST(parts_of_a_millisecond_add_up)
{
	struct overhead_time time = {0};
	struct overhead overhead;

	overhead_load(&overhead, "", NULL, time, true);
	for (int i = 0; i < 1000; i++) {
		time.cpu_ns += 3000;
		time.wall_ns += 10500;
		overhead_look(&overhead, time, true);
	}
	expect(&overhead, 3, 10);
}

TEST(this_process_has_used_time)
{
	struct overhead_time begin = overhead_now(), now;

	do {
		now = overhead_now();
		assert_true(now.cpu_ns >= begin.cpu_ns && now.wall_ns >= begin.wall_ns);
	} while (now.cpu_ns < begin.cpu_ns + 2 * MS);
	assert_true(now.wall_ns > begin.wall_ns);
}

/* The daemon's account has 2 s, its last note 9 s; a note that is older is nothing. */
TEST(seconds_of_a_daemon_that_was_killed_are_not_lost)
{
	char *dir = make_directory();
	struct op_alive_times times = {.profiling_ms = 9000, .cpu_ms = 30}, read;
	struct overhead overhead;
	int fd = op_alive_open(dir);

	op_alive_write(fd, &times);
	assert_true(op_alive_read(dir, &read));
	overhead_load(&overhead, "profiling_ms 2000\ndaemon_cpu_ms 10\n", dir, at(0, 0), true);
	overhead_raise(&overhead, &read);
	overhead_look(&overhead, at(1, 500), true);
	times = overhead_times(&overhead);
	assert_int_equal(times.profiling_ms, 9500);
	assert_int_equal(times.cpu_ms, 31);
	overhead_raise(&overhead, &read);
	assert_int_equal(overhead_times(&overhead).profiling_ms, 9500);
	op_alive_end(fd, dir);
	assert_false(op_alive_read(dir, &read));
	remove_tree(dir);
	free(dir);
}

/* Each second, and at the beginning; none is left by a daemon that ends. */
TEST(a_profile_notes_its_time_while_it_works)
{
	struct test_session session;
	struct op_alive_times times = {.profiling_ms = 1};
	char *dir;

	session_open(&session, &(struct profile_config){0});
	dir = strdup(session.profile.stats.samples_dir);
	assert_true(op_alive_read(dir, &times));
	assert_int_equal(times.profiling_ms, 0);
	session.profile.stats.overhead.profiling_ns = 5000 * MS;
	profile_rest(&session.profile, 0);
	session.profile.stats.noted_ns = 0;
	profile_rest(&session.profile, 0);
	assert_true(op_alive_read(dir, &times));
	assert_true(times.profiling_ms >= 5000);
	session_close(&session);
	assert_false(op_alive_read(dir, &times));
	free(dir);
}

/* Whoever has started the machine: the first buffer shows it. */
TEST(a_profile_notices_that_it_runs)
{
	struct test_session session;
	uint64_t begin;
	char *account;

	session_open(&session, &(struct profile_config){0});
	profile_save_stats(&session.profile);
	session.machine.running = true;
	session_feed(&session, BUFFER(CPU(0), CTX(500, 500, 0x10), USER, COOKIE(0x10), 7, 0));
	session.machine.running = false;
	begin = overhead_now().wall_ns;
	while (overhead_now().wall_ns < begin + 2 * MS)
		;
	op_account_read(session.profile.stats.samples_dir, &account);
	expect_in(account, 0, 0);
	free(account);
	profile_save_stats(&session.profile);
	assert_true(session.profile.stats.overhead.profiling_ns >= 2 * MS);
	op_account_read(session.profile.stats.samples_dir, &account);
	expect_in(account, session.profile.stats.overhead.cpu_ns / MS,
		  session.profile.stats.overhead.profiling_ns / MS);
	free(account);
	assert_false(profile_is_running(&session.profile));
	session_close(&session);
}
