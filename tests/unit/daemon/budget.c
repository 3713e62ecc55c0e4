// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Programs without end, paths without end: a session keeps to its budget and counts each sample.
 */
#include "fixture.h"

#include <ftw.h>
#include <time.h>

#include "libop/base/array.h"
#include "libop/base/file.h"
#include "libop/pack/journal.h"
#include "libop/pack/parts.h"
#include "libop/pack/session.h"
#include "libop/session/paths.h"

#define PROGRAMS  1200
#define USER_ID	  1000
#define OTHER_ID  1001
#define COOKIES	  0x100
#define LONG_PATH 1900
#define DEEP_PATH 3900
/* Characters of a path, two a directory, whose names are not too long. */
#define MANY_DIRECTORIES 200

static struct test_image images[PROGRAMS + 1];
static char paths[PROGRAMS][DEEP_PATH + 32];
static struct test_session session;

/* Images with paths of @length characters, in directories of one character, of one owner. */
static void make_images(size_t count, size_t length, uint32_t owner)
{
	memset(images, 0, sizeof(images));
	for (size_t i = 0; i < count; i++) {
		char *end = paths[i];

		while ((size_t)(end - paths[i]) < length)
			end = stpcpy(end, "/d");
		sprintf(end, "/p%zu", i);
		images[i] = (struct test_image){COOKIES + i, paths[i], 0, 1000 + i, owner, 0, 0};
	}
	session.machine.images = images;
}

static void open_session(const struct budget_config *budget)
{
	const struct profile_config config = {.budget = *budget, .separation.lib = true};

	session_make(&session, &config);
}

/* A sample of each of @count programs from @first on, at two offsets. */
static void run(size_t first, size_t count)
{
	for (size_t i = first; i < first + count; i++)
		session_feed(&session, BUFFER(CPU(0), CTX(7, 7, COOKIES + i), USER,
					      COOKIE(COOKIES + i), 0x10, 0, 0x20, 0));
}

static struct budget_usage usage(void)
{
	char *dir = op_path("%s/" OP_SESSION_CURRENT, session.dir);
	struct budget_usage usage;

	assert_int_equal(budget_measure(&(struct budget){0}, dir, &usage, NULL), 0);
	free(dir);
	return usage;
}

/* Packs the session, as at its end, and has the samples compared. */
static void pack(uint64_t stored)
{
	char *dir = op_path("%s/" OP_SESSION_CURRENT, session.dir);
	struct op_pack_result result;
	struct op_error error;

	profile_close(&session.profile);
	if (op_session_pack(dir, NULL, NULL, &result, &error))
		fail_msg("%s", error.text);
	assert_int_equal(result.left, 0);
	assert_int_equal(op_pack_last_part(dir), 0);
	assert_int_equal(session_sum(session.dir), stored);
	free(dir);
}

/* How many samples files of this name have, below the session. */
static uint64_t samples_in(const char *part)
{
	char *dir = op_path("%s/" OP_SESSION_CURRENT, session.dir);
	struct op_pack_walk *walk = calloc(1, sizeof(*walk));
	struct op_pack *pack = NULL;
	struct op_pack_file file;
	uint64_t sum = 0;

	assert_non_null(walk);
	assert_int_equal(op_pack_open_session(&pack, dir, NULL), 0);
	walk->pack = pack;
	while (op_pack_next(walk, &file))
		sum += strstr(file.name, part) ? file.sum : 0;
	op_pack_close(pack);
	free(walk);
	free(dir);
	return sum;
}

/* How often one that takes @n at a time gets it, until it is refused. */
static uint64_t taken_by(struct budget *budget, uint32_t owner,
			 bool (*take)(struct budget *budget, uint32_t owner, uint64_t n, bool more),
			 uint64_t n)
{
	uint64_t times = 0;

	while (take(budget, owner, n, false))
		times++;
	return times;
}

/* As if all was packed meanwhile. */
static bool take_packed(struct budget *budget, uint32_t owner, uint64_t n, bool more)
{
	budget->round++;
	return budget_take_bytes(budget, owner, n, more);
}

static bool take_inode(struct budget *budget, uint32_t owner, uint64_t n, bool more)
{
	(void)more;
	/* as if enough time had gone by for another burst */
	budget->tokens = budget->most.inodes / 32;
	return budget_take_file(budget, owner, n, false);
}

/* Bytes, names and inodes alike; those whose owner is not known are one user. */
TEST(users_take_a_quarter_each_and_three_quarters_together)
{
	static const struct {
		bool (*take)(struct budget *budget, uint32_t owner, uint64_t n, bool more);
		uint64_t n, times, bytes; /* how often that is in the budget, of so many bytes */
	} kinds[] = {
		{take_packed, 8, 4000, 6000}, /* a ninth is for what is counted by program */
		{budget_take_name, 60, 40, 0},
		{take_inode, 1, 6400, 0},
	};
	char *dir = make_directory();

	for (size_t i = 0; i < OP_ARRAY_SIZE(kinds); i++) {
		uint64_t times = kinds[i].times;
		const struct budget_config config = {
			.bytes = kinds[i].bytes,
			.inodes = 6400,
			.names = 40 * (60 + OP_PACK_NAME_BYTES),
		};
		struct budget budget;

		assert_int_equal(budget_open(&budget, &config, dir, NULL), 0);
		budget.used = (struct budget_usage){0};
		budget.ahead = UINT64_MAX; /* the journal needs no blocks */
		assert_int_equal(taken_by(&budget, USER_ID, kinds[i].take, kinds[i].n), times / 4);
		assert_int_equal(taken_by(&budget, BUDGET_UNKNOWN, kinds[i].take, kinds[i].n),
				 times / 4);
		assert_int_equal(taken_by(&budget, OTHER_ID, kinds[i].take, kinds[i].n), times / 4);
		assert_int_equal(taken_by(&budget, OTHER_ID + 1, kinds[i].take, kinds[i].n), 0);
		assert_int_equal(taken_by(&budget, BUDGET_ROOT, kinds[i].take, kinds[i].n),
				 times / 4);
		budget_close(&budget);
	}
	remove_tree(dir);
	free(dir);
}

/* Whoever can make any number of users has no more than those that are told apart. */
TEST(the_users_that_are_told_apart_are_bounded)
{
	const uint32_t users = 5000;
	char *dir = make_directory();
	struct budget budget;
	uint32_t granted = 0;

	assert_int_equal(budget_open(&budget, &(struct budget_config){0}, dir, NULL), 0);
	for (uint32_t user = 1; user <= users; user++)
		granted += budget_take_bytes(&budget, user, 8, false);
	assert_int_equal(granted, 4096);
	assert_int_equal(budget.shares.n, 4096);
	assert_true(budget_take_bytes(&budget, BUDGET_ROOT, 8, false));
	budget_close(&budget);
	remove_tree(dir);
	free(dir);
}

static uint64_t disk_bytes;

static int add_blocks(const char *path, const struct stat *status, int kind, struct FTW *at)
{
	(void)path;
	(void)kind;
	(void)at;
	disk_bytes += (uint64_t)status->st_blocks * 512;
	return 0;
}

/* What du(1) says of the session that is counted in. */
static uint64_t disk_usage(void)
{
	char *dir = op_path("%s/" OP_SESSION_CURRENT, session.dir);

	disk_bytes = 0;
	assert_int_equal(nftw(dir, add_blocks, 16, FTW_PHYS), 0);
	free(dir);
	return disk_bytes;
}

TEST(session_takes_what_it_says_and_no_more_than_it_may)
{
	static const struct {
		uint64_t size;
		size_t length;	/* of paths: short ones have files of their own, long ones the
				   journal */
		bool is_beyond; /* there are more programs than there is room for */
	} sessions[] = {
		{1 << 20, 10, false},
		{1 << 20, LONG_PATH, true},
		{4 << 20, DEEP_PATH, true},
		{16 << 20, 10, false},
	};

	for (size_t i = 0; i < OP_ARRAY_SIZE(sessions); i++) {
		const struct budget_usage *said = &session.profile.files.budget.used;
		const uint64_t *coming = &session.profile.files.budget.coming;

		open_session(&(struct budget_config){.bytes = sessions[i].size});
		make_images(PROGRAMS, sessions[i].length, BUDGET_ROOT);
		session_start(&session);
		assert_int_equal(said->bytes, disk_usage());
		for (size_t done = 0; done < PROGRAMS; done += 50) {
			uint64_t takes;

			run(done, 50);
			sample_files_rest(&session.profile.files);
			takes = disk_usage();
			assert_true(takes <= sessions[i].size);
			/* what is packed just now, and the pack, were not measured yet */
			assert_true(takes <= said->bytes + *coming);
			if (session.profile.files.journal.number == 1)
				assert_int_equal(takes, said->bytes);
		}
		assert_int_equal(session_stat(&session, STAT_OTHER) > 0, sessions[i].is_beyond);
		session_check_sums(&session);
		session_close(&session);
	}
}

/* All at once, those of other users leave root a quarter of the rate. */
TEST(new_files_are_made_at_a_limited_rate)
{
	char *dir = make_directory();
	struct budget budget;
	uint64_t burst = BUDGET_INODES / 32, users = 0, all, more;
	time_t begun = time(NULL);

	assert_int_equal(budget_open(&budget, &(struct budget_config){0}, dir, NULL), 0);
	for (uint32_t user = 1; user <= 10; user++)
		while (budget_take_file(&budget, user, 1, false))
			users++;
	all = users;
	while (budget_take_file(&budget, BUDGET_ROOT, 1, false))
		all++;
	/* what came in the meantime, at 16 a second */
	more = 16 * (uint64_t)(time(NULL) - begun + 2);
	assert_uint_in_range(users, burst - burst / 4, burst - burst / 4 + more);
	assert_uint_in_range(all, burst, burst + more);
	budget_close(&budget);
	remove_tree(dir);
	free(dir);
}

/* Both paths of such a name are longer than any path; or short, but of too many directories. */
TEST(long_paths_lose_no_sample_and_take_no_directory)
{
	const size_t lengths[] = {LONG_PATH, DEEP_PATH, MANY_DIRECTORIES};

	for (size_t i = 0; i < OP_ARRAY_SIZE(lengths); i++) {
		open_session(&(struct budget_config){0});
		make_images(200, lengths[i], USER_ID);
		session_start(&session);
		run(0, 200);
		assert_int_equal(session_stat(&session, STAT_STORED), 400);
		session_check_sums(&session);
		assert_true(usage().inodes < 100);
		pack(400);
		session_start(&session);
		session_close(&session);
	}
}

TEST(new_programs_take_few_files_and_two_kilobytes)
{
	struct budget_usage packed;

	open_session(&(struct budget_config){0});
	make_images(PROGRAMS, 10, USER_ID);
	session_start(&session);
	run(0, PROGRAMS);
	assert_int_equal(session_stat(&session, STAT_STORED), 2 * PROGRAMS);
	session_check_sums(&session);
	/* they would be 30 each */
	assert_true(usage().inodes < 5000);
	assert_int_equal(session_stat(&session, STAT_OTHER), 0);
	pack(2 * PROGRAMS);
	packed = usage();
	printf("%.1f bytes, %.3f inodes for a program\n", (double)packed.bytes / PROGRAMS,
	       (double)packed.inodes / PROGRAMS);
	assert_true(packed.bytes < 2000 * PROGRAMS);
	assert_true(packed.inodes < PROGRAMS / 10);
	session_start(&session);
	session_close(&session);
}

/* Else what a new program costs would grow with the session. */
TEST(no_two_sample_files_share_a_place_in_the_table)
{
	const struct op_hash_map *map;

	open_session(&(struct budget_config){0});
	make_images(PROGRAMS, 10, USER_ID);
	session_start(&session);
	run(0, PROGRAMS);
	map = &session.profile.files.by_key;
	assert_true(map->n >= PROGRAMS);
	for (size_t i = 0; i < map->n; i++)
		assert_null(((const struct sample_file *)map->entries[i].value)->next);
	session_close(&session);
}

/* Of less, the eighth that is kept for what is counted by program may be no journal step. */
#define BEYOND_BYTES (10 * OP_JOURNAL_STEP)

TEST(beyond_the_budget_samples_are_counted_by_program)
{
	open_session(&(struct budget_config){.bytes = BEYOND_BYTES, .inodes = 100});
	make_images(PROGRAMS, LONG_PATH, BUDGET_ROOT);
	session_start(&session);
	run(0, PROGRAMS);
	assert_int_equal(session_stat(&session, STAT_STORED), 2 * PROGRAMS);
	assert_true(session_stat(&session, STAT_OTHER) > PROGRAMS);
	session_check_sums(&session);
	assert_int_equal(samples_in("{dep}/{kern}/{other}/"), session_stat(&session, STAT_OTHER));
	/* some by program, the rest for all */
	assert_true(samples_in("{kern}/{other}/{dep}/{kern}/{other}/") > 0);
	assert_true(samples_in("{kern}/{other}/{dep}/{kern}/{other}/") <
		    session_stat(&session, STAT_OTHER));
	assert_true(usage().bytes <= BEYOND_BYTES);
	pack(2 * PROGRAMS);
	session_start(&session);
	session_close(&session);
}

TEST(one_user_takes_a_quarter_and_leaves_others_theirs)
{
	uint64_t mine;

	open_session(&(struct budget_config){.bytes = 4 << 20, .inodes = 2000});
	make_images(PROGRAMS, LONG_PATH, USER_ID);
	for (size_t i = PROGRAMS - 200; i < PROGRAMS - 100; i++)
		images[i].owner = OTHER_ID;
	for (size_t i = PROGRAMS - 100; i < PROGRAMS; i++)
		images[i].owner = BUDGET_ROOT;
	session_start(&session);
	/* the estimates alone are judged: no measurement falls due, however long the test takes */
	session.profile.files.journal.measured = UINT64_MAX / 2;
	run(0, PROGRAMS - 200);
	mine = session_stat(&session, STAT_OTHER);
	assert_true(mine > PROGRAMS);
	run(PROGRAMS - 200, 200);
	assert_int_equal(session_stat(&session, STAT_OTHER), mine);
	session_check_sums(&session);
	session_close(&session);
}

/* Readers have the names of all packed files in memory, and a pack has a limit for them. */
TEST(names_of_packed_files_are_bounded)
{
	const uint64_t most = 400000;
	char *dir;

	open_session(&(struct budget_config){.inodes = 1, .names = most});
	make_images(PROGRAMS, LONG_PATH, BUDGET_ROOT);
	session_start(&session);
	session.profile.files.journal.measured = UINT64_MAX / 2;
	run(0, PROGRAMS);
	assert_int_equal(session_stat(&session, STAT_STORED), 2 * PROGRAMS);
	assert_true(session_stat(&session, STAT_OTHER) > PROGRAMS);
	session_check_sums(&session);
	dir = op_path("%s/" OP_SESSION_CURRENT, session.dir);
	pack(2 * PROGRAMS);
	printf("%" PRIu64 " bytes of names\n", op_pack_names(dir));
	/* and an eighth, of {other} */
	assert_true(op_pack_names(dir) < most / 8 * 9);
	free(dir);
	session_start(&session);
	session_close(&session);
}

TEST(one_user_takes_a_quarter_of_the_names)
{
	uint64_t mine;

	open_session(&(struct budget_config){.inodes = 1, .names = 4000000});
	make_images(PROGRAMS, LONG_PATH, USER_ID);
	for (size_t i = PROGRAMS - 100; i < PROGRAMS; i++)
		images[i].owner = OTHER_ID;
	session_start(&session);
	session.profile.files.journal.measured = UINT64_MAX / 2;
	run(0, PROGRAMS - 100);
	mine = session_stat(&session, STAT_OTHER);
	assert_true(mine > PROGRAMS);
	run(PROGRAMS - 100, 100);
	assert_int_equal(session_stat(&session, STAT_OTHER), mine);
	session_check_sums(&session);
	session_close(&session);
}

TEST(a_nearly_full_disk_takes_no_new_names)
{
	open_session(&(struct budget_config){.free = UINT64_MAX});
	make_images(10, 10, BUDGET_ROOT);
	session_start(&session);
	run(0, 10);
	assert_int_equal(session_stat(&session, STAT_STORED), 20);
	assert_int_equal(session_stat(&session, STAT_OTHER), 20);
	session_check_sums(&session);
	session_close(&session);
}

TEST(a_disk_may_be_filled_if_nothing_has_to_stay_free)
{
	open_session(&(struct budget_config){.free = UINT64_MAX, .fills_disk = true});
	make_images(10, 10, BUDGET_ROOT);
	session_start(&session);
	run(0, 10);
	assert_int_equal(session_stat(&session, STAT_STORED), 20);
	assert_int_equal(session_stat(&session, STAT_OTHER), 0);
	session_close(&session);
}

/* Journals fill up and are packed while others are written; each moment adds up. */
TEST(journals_are_packed_while_the_daemon_counts)
{
	uint64_t places = 0;

	open_session(&(struct budget_config){.inodes = 1});
	make_images(PROGRAMS, DEEP_PATH, USER_ID);
	session_start(&session);
	for (size_t round = 0; round < 2; round++) {
		run(0, PROGRAMS);
		places += 2 * PROGRAMS;
		assert_int_equal(session_stat(&session, STAT_STORED), places);
		session_check_sums(&session);
	}
	assert_true(session.profile.files.journal.number > 2);
	profile_close(&session.profile);
	session_start(&session);
	assert_int_equal(session_sum(session.dir), places);
	pack(places);
	session_start(&session);
	session_close(&session);
}

TEST(a_journal_that_is_cut_costs_its_samples)
{
	struct op_error error;
	char *path;

	open_session(&(struct budget_config){.inodes = 1});
	make_images(20, 10, USER_ID);
	session_start(&session);
	run(0, 20);
	path = strdup(op_journal_path(session.profile.files.journal.open));
	assert_return_code(truncate(path, 100), errno);
	assert_int_equal(profile_dump(&session.profile, &error), -1);
	assert_int_equal(session_stat(&session, STAT_FILE_CUT), 40);
	session_check_sums(&session);
	run(0, 20);
	assert_int_equal(session_stat(&session, STAT_STORED), 40);
	session_check_sums(&session);
	session_close(&session);
	free(path);
}

/* Samples have the journal, but nothing else holds a stack: 5,000 threads are within the burst. */
TEST(files_at_once_are_for_stacks)
{
	const uint64_t threads = 5000;
	const struct profile_config config = {.separation.thread = true};

	session_make(&session, &config);
	make_images(2, 10, BUDGET_ROOT);
	session_start(&session);
	for (uint64_t i = 1; i <= threads; i++)
		session_feed(&session, BUFFER(CPU(0), CTX(i, 7, COOKIES), USER,
					      COOKIE(COOKIES + i % 2), TRACE, 0x10, 0, 0x20, 0));
	profile_flush(&session.profile);
	assert_int_equal(session_stat(&session, STAT_STORED), threads);
	assert_int_equal(session_stat(&session, STAT_STACKS), threads);
	assert_int_equal(session_stat(&session, STAT_STACKS_BEYOND), 0);
	session_check_sums(&session);
	session_close(&session);
}
