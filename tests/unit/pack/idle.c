// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Files that a running session does not use any more become packs: each count is there once,
 * whatever is interrupted, and readers and writers are left alone.
 */
#include "fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "libop/base/file.h"
#include "libop/pack/hold.h"
#include "libop/pack/idle.h"
#include "libop/pack/pack.h"
#include "libop/pack/parts.h"
#include "libop/pack/whole.h"
#include "tests/unit/test.h"

TEST_PROGRAM(enter, leave)
#define CASE(name) TEST_WITH(name, empty, NULL)

#define NAME "{root}/bin/a/{dep}/{root}/bin/a/" EVENT

static uint64_t part = 1;

/* The C library's, but that the one of this number fails, as on a full disk; 0: none. */
static unsigned int fails_at;

int rename(const char *from, const char *to)
{
	if (fails_at && !--fails_at) {
		errno = ENOSPC;
		return -1;
	}
	return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

/* Time that is waited goes by at once. */
static unsigned int naps;

int nanosleep(const struct timespec *time, struct timespec *rest)
{
	(void)time;
	(void)rest;
	naps++;
	return 0;
}

/* As a daemon does it.  Return: how many files were moved. */
static size_t move(void)
{
	char *dir = op_pack_idle_path(current, part);
	struct op_strings names = {0};
	struct op_error error;
	size_t moved = 0;

	if (op_idle_list(current, 1000, &names, &error) ||
	    op_idle_move(current, dir, &names, NULL, &moved, &error))
		fail_msg("%s", error.text);
	op_strings_free(&names);
	free(dir);
	return moved;
}

static void join(void)
{
	struct op_error error;

	if (op_pack_journals(current, part, NULL, &error))
		fail_msg("%s", error.text);
}

static int move_and_join(void)
{
	move();
	join();
	return 0;
}

static bool has(const char *name)
{
	char *path = path_of(name);
	bool there = !access(path, F_OK);

	free(path);
	return there;
}

/* From now on, no more than @n descriptors beside those that are open; or as many as before. */
static void limit_descriptors(rlim_t n)
{
	static struct rlimit before;
	struct rlimit limit;
	int next;

	if (!before.rlim_max)
		assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	if (n == RLIM_INFINITY)
		return;
	next = dup(STDERR_FILENO);
	assert_true(next >= 0);
	close(next);
	limit = before;
	limit.rlim_cur = (rlim_t)next + n;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

CASE(idle_files_and_their_directories_become_a_pack)
{
	char *before;

	part = 1;
	fill();
	before = describe();
	assert_int_equal(move(), FILES);
	expect_same(before);
	assert_true(has("idle.1/names"));
	assert_false(has("{root}/bin/ab"));
	assert_true(has("{root}/bin/a"));
	join();
	expect_same(before);
	assert_false(has("idle.1"));
	assert_true(has("pack.1-1"));
	/* and as one pack in the end */
	pack();
	expect_same(before);
	assert_int_equal(op_pack_last_part(current), 0);
	free(before);
}

/* What was moved before that keeps its names. */
CASE(a_file_that_cannot_be_moved_loses_none_before_it)
{
	for (unsigned int n = 1; n <= FILES; n++) {
		struct op_strings names = {0};
		struct op_error error;
		size_t moved;
		char *before, *dir;

		part = n;
		assert_int_equal(empty(NULL), 0);
		fill();
		before = describe();
		dir = op_pack_idle_path(current, part);
		assert_int_equal(op_idle_list(current, 1000, &names, &error), 0);
		fails_at = n;
		assert_int_equal(op_idle_move(current, dir, &names, NULL, &moved, &error), -1);
		assert_int_equal(fails_at, 0);
		assert_int_equal(error.code, ENOSPC);
		assert_int_equal(moved, n - 1);
		expect_same(before);
		join();
		expect_same(before);
		op_strings_free(&names);
		free(dir);
		free(before);
	}
}

/* A file that cannot be opened is not a damaged one. */
CASE(too_few_descriptors_for_packing_lose_nothing)
{
	unsigned int failed = 0;
	int result;

	for (rlim_t n = 0; failed == n; n++) {
		char *before;

		assert_int_equal(empty(NULL), 0);
		part = n + 1;
		fill();
		before = describe();
		assert_int_equal(move(), FILES);
		limit_descriptors(n);
		result = op_pack_journals(current, part, NULL, NULL);
		limit_descriptors(RLIM_INFINITY);
		failed += result != 0;
		expect_same(before);
		join();
		expect_same(before);
		free(before);
	}
	print_message("%u failed\n", failed);
	assert_true(failed > 2);
}

/* A kill at a system call would leave exactly the files that are there then. */
CASE(a_kill_at_any_system_call_loses_nothing)
{
	unsigned int stops = 0;
	pid_t child;
	char *before;

	part = 1;
	fill();
	before = describe();
	child = start_traced(move_and_join);
	for (; next_call(child); stops++)
		expect_same(before);
	expect_same(before);
	print_message("%u stops\n", stops);
	assert_true(stops > 100);
	assert_true(has("pack.1-1"));
	free(before);
}

/* The next daemon goes on with the next number, the end of the session packs all. */
CASE(what_a_kill_left_is_packed_later)
{
	bool is_killed = true;
	char *before;

	for (unsigned int stops = 0; is_killed; stops += 20) {
		unsigned int at = 0;
		pid_t child;

		empty(NULL);
		part = 1;
		fill();
		before = describe();
		child = start_traced(move_and_join);
		while (is_killed && at++ < stops)
			is_killed = next_call(child);
		if (is_killed) {
			assert_int_equal(kill(child, SIGKILL), 0);
			assert_int_equal(waitpid(child, NULL, 0), child);
		}
		part = op_pack_last_part(current) + 1;
		if (stops % 40)
			move_and_join();
		expect_same(before);
		pack();
		expect_same(before);
		assert_int_equal(op_pack_last_part(current), 0);
		assert_false(has("idle.1"));
		free(before);
	}
}

CASE(files_in_use_stay)
{
	char *path = path_of(NAME);
	struct odb_error cause;
	struct odb *db;

	part = 1;
	add(NAME, 1, 3);
	add("{root}/bin/b/{dep}/{root}/bin/b/" EVENT, 1, 4);
	assert_int_equal(odb_open(&db, path, ODB_WRITE, NULL, &cause), 0);
	assert_int_equal(move(), 1);
	assert_int_equal(odb_add(db, 2, 1, &cause), 0);
	odb_close(db);
	assert_true(has(NAME));
	assert_false(has("{root}/bin/b"));
	free(path);
}

CASE(large_and_damaged_files_stay)
{
	char *path = path_of(NAME), *large = path_of("{root}/bin/c/{dep}/{root}/bin/c/" EVENT);
	struct odb_error cause;
	struct odb *db;

	part = 1;
	add(NAME, 1, 3);
	assert_return_code(truncate(path, 40), errno);
	add("{root}/bin/b/{dep}/{root}/bin/b/" EVENT, 1, 4);
	add("{root}/bin/c/{dep}/{root}/bin/c/" EVENT, 1, 4);
	assert_int_equal(odb_open(&db, large, ODB_WRITE, NULL, &cause), 0);
	for (uint64_t key = 0; key < OP_IDLE_BYTES_MOST / 16; key++)
		assert_int_equal(odb_add(db, key, 1, &cause), 0);
	odb_close(db);
	assert_int_equal(move(), 1);
	assert_true(has(NAME));
	assert_true(has("{root}/bin/c"));
	free(large);
	free(path);
}

/* Neither waits for the other. */
CASE(a_reader_keeps_files_where_they_are)
{
	int hold;

	part = 1;
	add(NAME, 1, 3);
	hold = op_hold_to_read(current);
	assert_return_code(hold, errno);
	assert_int_equal(move(), 0);
	assert_true(has(NAME));
	assert_false(has("idle.1"));
	op_hold_release(hold);
	part = 2;
	assert_int_equal(move(), 1);
	join();
	assert_false(has("idle.2"));
	assert_true(has("pack.2-2"));
}

/* One that holds it for ever delays a report once, and one of another user not at all. */
CASE(a_reader_goes_on_without_a_hold)
{
	int hold = op_hold_to_move(current);

	assert_return_code(hold, errno);
	naps = 0;
	assert_int_equal(op_hold_to_read(current), -1);
	assert_true(naps > 0);
	if (geteuid()) {
		print_message("not root: no session of others\n");
		op_hold_release(hold);
		return;
	}
	assert_return_code(chown(current, 65534, 65534), errno);
	naps = 0;
	assert_int_equal(op_hold_to_read(current), -1);
	assert_int_equal(naps, 0);
	op_hold_release(hold);
	assert_return_code(chown(current, 0, 0), errno);
}

CASE(a_name_that_was_moved_before_is_added_up)
{
	char *before, *after;

	add(NAME, 1, 8);
	before = describe();
	empty(NULL);
	for (part = 1; part <= 3; part++) {
		add(NAME, 1, 1);
		assert_int_equal(move(), 1);
		if (part != 2)
			join();
	}
	add(NAME, 1, 5);
	pack();
	after = describe();
	assert_string_equal(after, before);
	free(before);
	free(after);
}

/* Names and sums of what is packed. */
static uint64_t sum_of(struct op_pack *opened, size_t *files)
{
	struct op_pack_walk *walk = calloc(1, sizeof(*walk));
	struct op_pack_file file;
	uint64_t sum = 0;

	assert_non_null(walk);
	walk->pack = opened;
	for (*files = 0; op_pack_next(walk, &file); ++*files)
		sum += file.sum;
	op_pack_close(opened);
	free(walk);
	return sum;
}

static uint64_t packed_sum(size_t *files)
{
	struct op_pack *opened;
	struct op_error error;

	if (op_pack_open_session(&opened, current, &error))
		fail_msg("%s", error.text);
	return sum_of(opened, files);
}

/* What a reader of the packs found, in memory that it shares. */
static uint64_t *found;

static int read_packs(void)
{
	size_t files;

	*found = packed_sum(&files);
	return 0;
}

static int read_whole(void)
{
	struct op_strings wrong = {0};
	struct op_pack *opened;
	struct op_error error;
	size_t files;

	if (op_pack_open_whole(&opened, current, &wrong, &error))
		fail_msg("%s", error.text);
	*found = sum_of(opened, &files);
	return wrong.count != 0;
}

static void add_both(uint64_t n)
{
	add(NAME, 1, n);
	add("{root}/bin/b/{dep}/{root}/bin/b/" EVENT, 1, 10 * n);
}

/* Stops a reader at each @step-th begin or end of a call, for @meanwhile.  What there is are 33
 * samples in three parts, and if @loose, 44 others; each other time, 100 in a pack. */
static void read_and_stop(int (*reader)(void), void (*meanwhile)(void), bool loose,
			  unsigned int step)
{
	unsigned int stops = 0;
	bool was_stopped = true;

	found = mmap(NULL, sizeof(*found), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	assert_true(found != MAP_FAILED);
	for (; was_stopped; stops += step) {
		uint64_t all = 33 + 44 * loose + (stops % 2) * 100;
		pid_t child;

		assert_int_equal(empty(NULL), 0);
		if (stops % 2) {
			add(NAME, 1, 100);
			pack();
		}
		for (part = 1; part <= 3; part++) {
			add_both(1);
			assert_int_equal(move(), 2);
		}
		if (loose)
			add_both(4);
		else
			part = 3;
		*found = 0;
		was_stopped = false;
		child = start_traced(reader);
		for (unsigned int at = 0; next_call(child); at++) {
			if (at != stops)
				continue;
			meanwhile();
			was_stopped = true;
		}
		if (*found != all)
			fail_msg("%" PRIu64 " samples, stopped at %u", *found, stops);
	}
	print_message("%u stops\n", stops);
	assert_true(stops > 50);
	munmap(found, sizeof(*found));
}

/* Parts are superseded and removed while they are listed and read. */
CASE(a_reader_finds_all_whenever_packs_are_joined)
{
	read_and_stop(read_packs, join, false, 1);
}

static void only_move(void)
{
	move();
}

static void both(void)
{
	move_and_join();
}

/* The owner of a foreign session may hold it for ever, and its daemon moves files. */
CASE(a_reader_without_a_hold_finds_all_whenever_files_are_moved)
{
	read_and_stop(read_whole, only_move, true, 5);
	read_and_stop(read_whole, both, true, 5);
}

/* A part that takes more than is packed again at the end of a session.  Return: its sum. */
static uint64_t make_large_part(const char *name)
{
	const size_t n = OP_PACK_RECENT_MOST / 5;
	struct odb_entry *entries = calloc(n, sizeof(*entries));
	const struct op_pack_file file = {.name = NAME, .header = sample_header};
	char *path = path_of(name);
	struct op_pack_writer *writer;
	uint64_t sum = 0;

	assert_non_null(entries);
	for (size_t i = 0; i < n; i++) {
		entries[i].key = (i ? entries[i - 1].key : 0) + 1 + random_below(1 << 24);
		entries[i].count = 1 + random_below(1 << 24);
		sum += entries[i].count;
	}
	make_dirs(path);
	assert_int_equal(op_pack_create(&writer, path, NULL), 0);
	assert_int_equal(op_pack_add_samples(writer, &file, entries, n, NULL), 0);
	assert_int_equal(op_pack_finish(writer, NULL), 0);
	op_pack_writer_free(writer);
	free(entries);
	free(path);
	return sum;
}

static ino_t inode_of(const char *name)
{
	char *path = path_of(name);
	struct stat status;

	assert_return_code(stat(path, &status), errno);
	free(path);
	return status.st_ino;
}

/* Else the end of a session would take the longer the older it is. */
CASE(the_end_packs_only_what_is_recent)
{
	struct op_pack_result result;
	uint64_t sum = make_large_part("pack.1-4");
	ino_t inode = inode_of("pack.1-4");
	size_t files;

	part = 5;
	add(NAME, 7, 3);
	assert_int_equal(move(), 1);
	add("{root}/bin/b/{dep}/{root}/bin/b/" EVENT, 1, 4);
	assert_int_equal(op_session_pack_recent(current, NULL, NULL, &result, NULL), 0);
	assert_int_equal(inode_of("pack.1-4"), inode);
	assert_true(has("pack.5-5"));
	assert_false(has("idle.5"));
	assert_int_equal(loose_files(), 0);
	assert_int_equal(packed_sum(&files), sum + 7);
	assert_int_equal(files, 2);
	/* the next session goes on behind it, and its end packs the small part again */
	assert_int_equal(op_pack_last_part(current), 5);
	add(NAME, 8, 2);
	assert_int_equal(op_session_pack_recent(current, NULL, NULL, &result, NULL), 0);
	assert_int_equal(packed_sum(&files), sum + 9);
	assert_int_equal(op_pack_last_part(current), 5);
	/* nothing is left to do */
	inode = inode_of("pack.5-5");
	assert_int_equal(op_session_pack_recent(current, NULL, NULL, &result, NULL), 0);
	assert_int_equal(inode_of("pack.5-5"), inode);
	/* but one pack is made of all when that is asked for */
	pack();
	assert_int_equal(op_pack_last_part(current), 0);
	assert_true(has("pack"));
	assert_int_equal(packed_sum(&files), sum + 9);
	assert_int_equal(files, 2);
}

/* As in a stack file that is full: no sample is lost, but callers of some. */
CASE(stacks_that_are_too_many_for_a_pack_are_cut)
{
	static const char *const images[] = {"{root}/bin/a"};
	const size_t most = op_pack_body_most;
	struct op_pack_walk *walk = calloc(1, sizeof(*walk));
	struct op_pack_file file;
	struct op_pack *opened;

	assert_non_null(walk);
	for (part = 1; part <= 2; part++) {
		for (uint64_t offset = 1; offset <= 200 * part; offset++)
			add_stack("stacks/{root}/bin/a/" EVENT, images,
				  (const uint64_t[]){offset * 0x123457 * part + part}, 1, 2);
		assert_int_equal(move(), 1);
	}
	part = 2;
	/* has room for those of the second part */
	op_pack_body_most = 4400;
	join();
	op_pack_body_most = most;
	assert_true(has("pack.1-2"));
	assert_int_equal(op_pack_open_session(&opened, current, NULL), 0);
	walk->pack = opened;
	assert_true(op_pack_next(walk, &file));
	assert_int_equal(file.sum, 2 * (200 + 400));
	assert_int_equal(file.merged, 2 * 200);
	assert_int_equal(file.n, 1 + 400);
	op_pack_close(opened);
	free(walk);
}

/* The file that says which names they have is damaged: no crash, and what can be read is read. */
CASE(damaged_names_are_refused)
{
	struct op_pack *opened = NULL;
	char *path = path_of("idle.1/names");
	int fd;

	part = 1;
	fill();
	move();
	fd = open(path, O_RDWR | O_CLOEXEC);
	assert_return_code(fd, errno);
	for (off_t at = 0; at < 100; at++) {
		uint8_t byte, other = (uint8_t)random_below(256);

		assert_int_equal(pread(fd, &byte, 1, at), 1);
		assert_int_equal(pwrite(fd, &other, 1, at), 1);
		if (!op_pack_open_session(&opened, current, NULL))
			op_pack_close(opened);
		opened = NULL;
		assert_int_equal(pwrite(fd, &byte, 1, at), 1);
	}
	close(fd);
	free(path);
}
