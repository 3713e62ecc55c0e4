// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sample files that are idle are packed while the daemon counts: each sample counts once, at each
 * moment, and what comes later has a file again.
 */
#include "fixture.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "libop/base/file.h"
#include "libop/pack/hold.h"
#include "libop/pack/parts.h"
#include "libop/session/paths.h"

#define PROGRAMS 200
#define COOKIES	 0x100
#define ROUNDS	 100
#define PARTS	 25
/* Microseconds: readers who follow each other at once leave no moment to move a file in. */
#define BETWEEN_READINGS 3000

static struct test_image images[PROGRAMS + 1];
static char paths[PROGRAMS][64];
static struct test_session session;

static void begin(bool packs)
{
	const struct profile_config config = {.packs = packs, .separation.lib = true};

	session_make(&session, &config);
	memset(images, 0, sizeof(images));
	for (size_t i = 0; i < PROGRAMS; i++) {
		sprintf(paths[i], "/programs/%zu/p%zu", i % 10, i);
		images[i] = (struct test_image){COOKIES + i, paths[i], 0, 1000 + i, 0, 0, 0};
	}
	session.machine.images = images;
	session_start(&session);
}

/* A sample of each of @count programs from @first on, with a caller. */
static void run(size_t first, size_t count)
{
	for (size_t i = first; i < first + count; i++)
		session_feed(&session, BUFFER(CPU(0), CTX(7, 7, COOKIES + i), USER,
					      COOKIE(COOKIES + i), TRACE, 0x10, 0, 0x20, 0));
}

/* A rest at which a minute has gone by. */
static void rest(void)
{
	session.profile.files.journal.measured = 0;
	sample_files_rest(&session.profile.files);
}

static void let_all_be_idle(void)
{
	for (int i = 0; i <= SAMPLE_FILES_RESTS; i++)
		rest();
}

/* The time limit of the test ends it. */
static void until_done(const struct packer *packer)
{
	while (packer->running && !packer_is_done(packer))
		usleep(BETWEEN_READINGS);
}

static void pack_idle(void)
{
	struct packer *packer = &session.profile.files.journal.packer;

	let_all_be_idle();
	/* one that was at work when they became idle, and one for them */
	for (int i = 0; i < 2; i++) {
		until_done(packer);
		rest();
	}
	until_done(packer);
}

static bool exists(const char *name)
{
	char *path = op_path("%s/" OP_SESSION_CURRENT "/%s", session.dir, name);
	bool there = !access(path, F_OK);

	free(path);
	return there;
}

TEST(idle_files_are_packed_while_the_daemon_counts)
{
	begin(true);
	run(0, PROGRAMS);
	assert_true(exists("{root}/programs/3"));
	assert_true(exists("stacks/{root}/programs/3"));
	pack_idle();
	assert_false(exists("{root}/programs"));
	assert_false(exists("stacks/{root}/programs"));
	assert_int_equal(session.profile.files.count, 0);
	session_check_sums(&session);
	run(0, 10);
	assert_true(exists("stacks/{root}/programs/3"));
	session_check_sums(&session);
	assert_int_equal(session_stat(&session, STAT_STORED), PROGRAMS + 10);
	assert_int_equal(session_stat(&session, STAT_STACKS), PROGRAMS + 10);
	session_close(&session);
}

TEST(files_in_use_are_not_packed)
{
	begin(true);
	run(0, PROGRAMS);
	for (int i = 0; i < 4 * SAMPLE_FILES_RESTS; i++) {
		run(3, 1);
		rest();
	}
	pack_idle();
	session_check_sums(&session);
	session_close(&session);
}

/* Also if another journal was packed in between. */
TEST(files_that_were_read_are_packed_later)
{
	struct journal *journal = &session.profile.files.journal;
	char *dir;
	int hold;

	begin(true);
	dir = op_path("%s/" OP_SESSION_CURRENT, session.dir);
	run(0, 10);
	hold = op_hold_to_read(dir);
	assert_return_code(hold, errno);
	pack_idle();
	assert_true(exists("{root}/programs/3"));
	op_hold_release(hold);
	journal_turn(journal);
	for (int i = 0; i < 3; i++) {
		until_done(&journal->packer);
		rest();
	}
	until_done(&journal->packer);
	assert_false(exists("{root}/programs"));
	session_check_sums(&session);
	session_close(&session);
	free(dir);
}

TEST(sessions_that_stay_loose_stay_loose)
{
	begin(false);
	run(0, PROGRAMS);
	pack_idle();
	assert_true(exists("{root}/programs/3"));
	session_check_sums(&session);
	session_close(&session);
}

/* Its samples must not be added to those of the file that was there before. */
TEST(a_program_that_was_replaced_has_another_name_than_its_packed_file)
{
	char *text;

	begin(true);
	run(0, 2);
	pack_idle();
	sample_files_close(&session.profile.files);
	locator_forget(&session.profile.locator);
	images[1].mtime = 77777;
	run(0, 2);
	assert_int_equal(session_stat(&session, STAT_STORED), 4);
	session_check_sums(&session);
	text = session_text(session.dir);
	assert_non_null(strstr(text, "[changed "));
	free(text);
	session_close(&session);
}

/* The next daemon has to know what the one before left. */
TEST(a_file_of_an_earlier_daemon_is_not_mixed_up_either)
{
	char *text;

	begin(true);
	run(0, 2);
	profile_close(&session.profile);
	session_start(&session);
	pack_idle();
	assert_false(exists("{root}/programs"));
	images[1].mtime = 77777;
	run(0, 2);
	assert_int_equal(session_sum(session.dir), 4);
	text = session_text(session.dir);
	assert_non_null(strstr(text, "[changed "));
	free(text);
	session_close(&session);
}

struct shared {
	_Atomic uint64_t stored, readings;
	_Atomic bool done;
};

/* Reads as a report does: the sum is between what was stored before and after. */
static int read_on(struct shared *shared)
{
	char *dir = op_path("%s/" OP_SESSION_CURRENT, session.dir);

	while (!shared->done) {
		uint64_t before = shared->stored, sum, after;
		int hold = session_hold(dir);

		sum = session_sum(session.dir);
		after = shared->stored;
		op_hold_release(hold);
		/* one is stored before it is told */
		if (sum < before || sum > after + 1) {
			fprintf(stderr, "%" PRIu64 " of %" PRIu64 " to %" PRIu64 "\n", sum,
				before, after);
			return 1;
		}
		shared->readings++;
		usleep(BETWEEN_READINGS);
	}
	free(dir);
	return 0;
}

TEST(readers_find_each_sample_once_at_each_moment)
{
	struct shared *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t child;
	int status;

	assert_true(shared != MAP_FAILED);
	begin(true);
	child = fork();
	if (!child)
		_exit(read_on(shared));
	/* the time limit ends one in which nothing is packed */
	for (size_t round = 0; round < ROUNDS || shared->readings < 20 ||
			       session.profile.files.journal.number <= PARTS;
	     round++) {
		/* it ends with the first sum that is wrong */
		assert_int_equal(waitpid(child, &status, WNOHANG), 0);
		size_t first = (round * 37) % (PROGRAMS - 20);

		for (size_t i = 0; i < 20; i++) {
			run(first + i, 1);
			shared->stored = session_stat(&session, STAT_STORED);
		}
		for (int i = 0; i < SAMPLE_FILES_RESTS / 2; i++)
			rest();
	}
	shared->done = true;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	printf("%" PRIu64 " readings, %" PRIu64 " parts\n", shared->readings,
	       session.profile.files.journal.number);
	assert_int_equal(session_stat(&session, STAT_STORED),
			 session_stat(&session, STAT_RECEIVED));
	assert_int_equal(session_stat(&session, STAT_STACKS_LOST), 0);
	session_check_sums(&session);
	munmap(shared, sizeof(*shared));
	session_close(&session);
}
