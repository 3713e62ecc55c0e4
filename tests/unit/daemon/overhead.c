// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The cost of profiling: CPU time and the time that was spent profiling, over stops, several
 * daemons and sessions.
 */
#include "fixture.h"

#include "libop/session/small_files.h"
#include "libop/base/file.h"

#define MS UINT64_C(1000000)

static struct overhead_time at(uint64_t cpu_ms, uint64_t wall_ms)
{
	return (struct overhead_time){cpu_ms * MS, wall_ms * MS};
}

static void save(const struct overhead *overhead, const char *dir)
{
	struct op_error error;

	if (overhead_save(overhead, dir, &error))
		fail_msg("%s", error.text);
}

static void expect(const char *dir, uint64_t cpu_ms, uint64_t profiling_ms)
{
	char *cpu = op_path("%s/daemon_cpu_ms", dir), *profiling = op_path("%s/profiling_ms", dir);

	assert_int_equal(number_file_read(cpu), cpu_ms);
	assert_int_equal(number_file_read(profiling), profiling_ms);
	free(cpu);
	free(profiling);
}

static void expect_none(const char *dir)
{
	char *cpu = op_path("%s/daemon_cpu_ms", dir), *profiling = op_path("%s/profiling_ms", dir);

	assert_int_not_equal(access(cpu, F_OK), 0);
	assert_int_not_equal(access(profiling, F_OK), 0);
	free(cpu);
	free(profiling);
}

TEST(sums_go_over_all_daemons_of_a_session)
{
	char *dir = make_directory(), *below = op_path("%s/stats", dir);
	struct overhead overhead;

	overhead_load(&overhead, NULL, below, at(50, 1000), true);
	overhead_look(&overhead, at(60, 3000), true);
	save(&overhead, below);
	expect(below, 10, 2000);
	overhead_look(&overhead, at(75, 4000), true);
	save(&overhead, below);
	expect(below, 25, 3000);
	/* another process, whose CPU time begins anew */
	overhead_load(&overhead, NULL, below, at(2, 9000), true);
	save(&overhead, below);
	expect(below, 25, 3000);
	overhead_look(&overhead, at(3, 9500), true);
	save(&overhead, below);
	expect(below, 26, 3500);
	/* the same process in a new session */
	remove_tree(below);
	overhead_load(&overhead, NULL, below, at(3, 9500), true);
	overhead_look(&overhead, at(10, 9600), true);
	save(&overhead, below);
	expect(below, 7, 100);
	remove_tree(dir);
	free(below);
	free(dir);
}

TEST(only_time_between_start_and_stop_counts)
{
	char *dir = make_directory();
	struct overhead overhead;

	overhead_load(&overhead, NULL, dir, at(0, 0), false);
	overhead_look(&overhead, at(1, 100), false);
	overhead_look(&overhead, at(2, 200), true); /* started */
	save(&overhead, dir);
	expect_none(dir);
	overhead_look(&overhead, at(5, 250), false); /* stopped */
	overhead_look(&overhead, at(9, 1000), false);
	save(&overhead, dir);
	expect(dir, 9, 50);
	overhead_look(&overhead, at(9, 2000), true);
	overhead_look(&overhead, at(10, 2003), true);
	save(&overhead, dir);
	expect(dir, 10, 53);
	remove_tree(dir);
	free(dir);
}

/* Many short intervals are as much as a long one. */
TEST(parts_of_a_millisecond_add_up)
{
	struct overhead_time time = {0};
	char *dir = make_directory();
	struct overhead overhead;

	overhead_load(&overhead, NULL, dir, time, true);
	for (int i = 0; i < 1000; i++) {
		time.cpu_ns += 3000;
		time.wall_ns += 10500;
		overhead_look(&overhead, time, true);
	}
	save(&overhead, dir);
	expect(dir, 3, 10);
	remove_tree(dir);
	free(dir);
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
	char *dir;

	session_open(&session, &(struct profile_config){0});
	dir = session.profile.stats.dir;
	profile_save_stats(&session.profile);
	session.machine.running = true;
	session_feed(&session, BUFFER(CPU(0), CTX(500, 500, 0x10), USER, COOKIE(0x10), 7, 0));
	session.machine.running = false;
	begin = overhead_now().wall_ns;
	while (overhead_now().wall_ns < begin + 2 * MS)
		;
	expect_none(dir);
	profile_save_stats(&session.profile);
	assert_true(session.profile.stats.overhead.profiling_ns >= 2 * MS);
	expect(dir, session.profile.stats.overhead.cpu_ns / MS,
	       session.profile.stats.overhead.profiling_ns / MS);
	assert_false(profile_is_running(&session.profile));
	session_close(&session);
}
