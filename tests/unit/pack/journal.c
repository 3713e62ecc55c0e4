// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Journals, and the parts of what is packed: each count is there once, whatever is interrupted.
 */
#include "fixture.h"

#include <signal.h>
#include <sys/mman.h>

#include "libop/base/file.h"
#include "libop/pack/journal.h"
#include "libop/pack/parts.h"
#include "tests/unit/test.h"

TEST_PROGRAM(enter, leave)
#define CASE(name) TEST_WITH(name, empty, NULL)

#define NAME "{root}/bin/a/{dep}/{root}/bin/a/" EVENT

static struct op_journal *begin(uint64_t number)
{
	char *path = op_pack_journal_path(current, number);
	struct op_journal *journal;
	struct op_error error;

	if (op_journal_create(&journal, path, &error))
		fail_msg("%s", error.text);
	free(path);
	return journal;
}

static uint32_t name_in(struct op_journal *journal, const char *name)
{
	struct op_error error;
	uint32_t number = op_journal_name(journal, name, &sample_header, false, &error);

	if (!number)
		fail_msg("%s", error.text);
	return number;
}

static void count(struct op_journal *journal, uint32_t file, uint64_t key, uint64_t n)
{
	struct op_error error;
	bool fresh;

	if (op_journal_add(journal, file, key, n, false, &fresh, &error))
		fail_msg("%s", error.text);
}

/* A journal with a file, which has @n at one key of its own and one of all. */
static void make_journal(uint64_t number, uint64_t n)
{
	struct op_journal *journal = begin(number);
	uint32_t file = name_in(journal, NAME);

	count(journal, file, 1, n);
	count(journal, file, 100 + number, n);
	op_journal_close(journal);
}

/* The sum of all samples that are packed. */
static uint64_t sum(void)
{
	struct op_pack_walk *walk = calloc(1, sizeof(*walk));
	struct op_pack *pack = NULL;
	struct op_pack_file file;
	struct op_error error;
	uint64_t all = 0;

	assert_non_null(walk);
	if (op_pack_open_session(&pack, current, &error))
		fail_msg("%s", error.text);
	walk->pack = pack;
	while (op_pack_next(walk, &file))
		all += file.sum;
	op_pack_close(pack);
	free(walk);
	return all;
}

static bool exists(const char *name)
{
	char *path = path_of(name);
	bool there = !access(path, F_OK);

	free(path);
	return there;
}

static void join(uint64_t last)
{
	struct op_error error;

	if (op_pack_journals(current, last, NULL, &error))
		fail_msg("%s", error.text);
}

CASE(counts_of_one_name_are_added_up)
{
	make_journal(1, 3);
	make_journal(2, 4);
	assert_int_equal(sum(), 14);
	assert_int_equal(op_pack_last_part(current), 2);
	join(2);
	assert_true(exists("pack.1-2"));
	assert_false(exists("journal.1"));
	assert_false(exists("journal.2"));
	assert_int_equal(sum(), 14);
	assert_int_equal(pack().left, 0);
	assert_false(exists("pack.1-2"));
	assert_int_equal(sum(), 14);
}

CASE(a_journal_in_use_stays)
{
	make_journal(1, 3);
	make_journal(2, 4);
	join(1);
	assert_true(exists("pack.1-1"));
	assert_true(exists("journal.2"));
	assert_int_equal(sum(), 14);
}

/* Killed after the new part has its name: what it was made of counts no more. */
CASE(parts_that_are_superseded_do_not_count)
{
	make_journal(1, 3);
	make_journal(2, 4);
	join(2);
	make_journal(1, 3);
	make_journal(2, 4);
	assert_int_equal(sum(), 14);
	make_journal(3, 5);
	assert_int_equal(sum(), 24);
	join(3);
	assert_false(exists("journal.1"));
	assert_int_equal(sum(), 24);
}

CASE(few_parts_stay_of_many_journals)
{
	size_t parts = 0;

	for (uint64_t i = 1; i <= 100; i++) {
		make_journal(i, 1);
		join(i);
	}
	assert_int_equal(sum(), 200);
	for (uint64_t i = 1; i <= 100; i++)
		for (uint64_t k = i; k <= 100; k++) {
			char *name = op_path("pack.%" PRIu64 "-%" PRIu64, i, k);

			parts += exists(name);
			free(name);
		}
	assert_uint_in_range(parts, 1, 16);
}

/* Names of call graphs have three paths. */
CASE(names_of_three_long_paths_fit)
{
	static char name[16384], path[4090];
	struct op_journal *journal = begin(1);

	memset(path, 'a', sizeof(path) - 1);
	for (size_t i = 0; i < sizeof(path) - 1; i += 200)
		path[i] = '/';
	snprintf(name, sizeof(name), "{root}%s/{dep}/{root}%s/{cg}/{root}%s/" EVENT, path, path,
		 path);
	count(journal, name_in(journal, name), 7, 9);
	op_journal_close(journal);
	join(1);
	assert_int_equal(sum(), 9);
}

CASE(a_full_journal_says_so_and_keeps_room)
{
	struct op_journal *journal = begin(1);
	uint32_t file = name_in(journal, NAME);
	struct op_error error;
	uint64_t key = 0;
	bool fresh;

	while (!op_journal_add(journal, file, key, 1, false, &fresh, &error))
		key++;
	assert_int_equal(error.code, EFBIG);
	/* those that are there go on */
	count(journal, file, 5, 1);
	assert_int_equal(op_journal_add(journal, file, key, 1, true, &fresh, &error), 0);
	op_journal_close(journal);
	assert_int_equal(sum(), key + 2);
}

/* Damage, such as a page that a loss of power left empty, ends the records. */
CASE(records_count_up_to_the_first_that_is_none)
{
	char *path = op_pack_journal_path(current, 1);
	struct op_journal *journal = begin(1);
	uint32_t file = name_in(journal, NAME);
	static const char zeros[64];
	uint64_t used;
	int fd;

	count(journal, file, 1, 10);
	used = op_journal_used(journal);
	for (uint64_t i = 2; i < 500; i++)
		count(journal, file, i, 1);
	op_journal_close(journal);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	assert_int_equal(pwrite(fd, zeros, sizeof(zeros), (off_t)used), sizeof(zeros));
	close(fd);
	assert_int_equal(sum(), 10);
	free(path);
}

/* Each byte of a journal, changed: no crash, and no more counts than there are bytes for. */
CASE(damaged_journals_are_read_or_refused)
{
	char *path = op_pack_journal_path(current, 1);
	struct op_pack *pack;
	struct op_error error;
	uint8_t byte;
	int fd;

	make_journal(1, 3);
	fd = open(path, O_RDWR | O_CLOEXEC);
	for (off_t at = 0; at < 300; at++) {
		uint8_t other = (uint8_t)random_below(256);

		assert_int_equal(pread(fd, &byte, 1, at), 1);
		assert_int_equal(pwrite(fd, &other, 1, at), 1);
		pack = NULL;
		if (!op_pack_open(&pack, path, &error))
			op_pack_close(pack);
		assert_int_equal(pwrite(fd, &byte, 1, at), 1);
	}
	close(fd);
	assert_int_equal(sum(), 6);
	free(path);
}

/* A writer that is killed at any time has lost nothing that it was told was counted. */
CASE(a_kill_loses_no_count_that_was_acknowledged)
{
	uint64_t *done =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	char *path = op_pack_journal_path(current, 1);

	assert_true(done != MAP_FAILED);
	for (int round = 0; round < 100; round++) {
		uint64_t until = random_below(3000), all;
		pid_t child;

		*done = 0;
		unlink(path);
		child = fork();
		if (!child) {
			struct op_journal *journal = begin(1);

			/* A parent that gets no CPU must not find the journal full. */
			for (uint64_t i = 0; i < 6000; i++) {
				count(journal, name_in(journal, NAME), i % 50, 1);
				__atomic_store_n(done, i + 1, __ATOMIC_RELEASE);
			}
			for (;;)
				pause();
		}
		while (__atomic_load_n(done, __ATOMIC_ACQUIRE) < until)
			;
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		all = *done ? sum() : 0;
		assert_uint_in_range(all, *done, *done + 1);
	}
	munmap(done, 4096);
	free(path);
}
