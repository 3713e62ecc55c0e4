// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is left of a file when its writer is killed, and what readers see of one at work.
 *
 * A writer does a fixed list of additions.  It says which one it is about to do and how many
 * are done in memory that it shares with the test.  Whatever the moment, the file must have
 * every addition that was done, and of the one under way all or nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "libdb_fixture.h"

#define KEYS 8000

/* Shared with the writer. */
struct progress {
	uint64_t done; /* additions that odb_add() has returned from */
	char failure[512];
};

static struct progress *progress;

static int setup(void **state)
{
	progress = mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			-1, 0);
	return progress == MAP_FAILED ? -1 : fixture_setup(state);
}

/* Addition number @i: new keys, known keys, recursive arcs, and now and then a large count. */
static void addition(uint64_t i, unsigned int *number, uint64_t *key, uint64_t *n)
{
	uint64_t seed = i * 0x9e3779b97f4a7c15u + 1, random = fixture_random(&seed);

	*number = random & 1 ? i / 2 % KEYS : random / 2 % (i / 2 % KEYS + 1);
	*key = *number & 1 ? (uint64_t)*number << 32 | *number : *number * 0x10001u;
	*n = random % 64 == 63 ? 0xffffffffu + (random >> 60) : 1 + random % 3;
}

static void write_until(const char *path, uint64_t end)
{
	struct odb_header header = {.cpu_type = 4};
	struct odb_error error;
	struct odb *db;

	if (odb_open(&db, path, ODB_CREATE, &header, &error)) {
		snprintf(progress->failure, sizeof(progress->failure), "%s", error.text);
		_exit(1);
	}
	while (progress->done < end) {
		unsigned int number;
		uint64_t key, n;

		addition(progress->done, &number, &key, &n);
		if (odb_add(db, key, n, &error)) {
			snprintf(progress->failure, sizeof(progress->failure), "%s", error.text);
			_exit(1);
		}
		__atomic_store_n(&progress->done, progress->done + 1, __ATOMIC_RELEASE);
	}
	odb_close(db);
}

/* What has been done, by number of key. */
struct model {
	uint64_t done;
	uint64_t counts[KEYS];
};

static void model_follow(struct model *model, uint64_t done)
{
	for (; model->done < done; model->done++) {
		unsigned int number;
		uint64_t key, n;

		addition(model->done, &number, &key, &n);
		model->counts[number] += n;
	}
}

static unsigned int number_of(uint64_t key)
{
	return key >> 32 ? (unsigned int)(key >> 32) : (unsigned int)(key / 0x10001u);
}

/*
 * Compares a file with the model, which has all that was done.
 * Return: whether the addition under way is in the file.
 */
static bool assert_is_model(const char *path, enum odb_mode mode, const struct model *model)
{
	static uint64_t counts[KEYS];
	struct odb_entry *entries;
	struct odb_error error;
	unsigned int number;
	uint64_t key, n;
	ptrdiff_t count;
	bool ahead = false;
	struct odb *db;

	if (odb_open(&db, path, mode, NULL, &error))
		fail_msg("%s", error.text);
	count = odb_entries(db, &entries, &error);
	if (count < 0)
		fail_msg("%s", error.text);
	memset(counts, 0, sizeof(counts));
	for (ptrdiff_t i = 0; i < count; i++) {
		number = number_of(entries[i].key);
		assert_true(number < KEYS);
		counts[number] += entries[i].count;
	}
	free(entries);
	odb_close(db);
	addition(model->done, &number, &key, &n);
	if (counts[number] == model->counts[number] + n) {
		ahead = true;
		counts[number] -= n;
	}
	if (memcmp(counts, model->counts, sizeof(counts)))
		fail_msg("after %llu additions the file does not have them all",
			 (unsigned long long)model->done);
	return ahead;
}

/* A file as it was left by a kill: readers read it, a writer mends it, and it is sound. */
static bool assert_survives(const char *path, const struct model *model)
{
	bool ahead = assert_is_model(path, ODB_READ, model);

	assert_int_equal(assert_is_model(path, ODB_WRITE, model), ahead);
	fixture_assert_sound(path);
	return ahead;
}

static pid_t start_writer(const char *path, uint64_t end, bool traced)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid)
		return pid;
	if (traced && (ptrace(PTRACE_TRACEME, 0, NULL, NULL) || raise(SIGSTOP)))
		_exit(77);
	write_until(path, end);
	_exit(0);
}

/* Lets a writer do one instruction.  Return: whether it is still there. */
static bool step(pid_t pid)
{
	int status;

	assert_int_equal(ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFSTOPPED(status))
		return true;
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		fail_msg("writer failed: %s", progress->failure);
	return false;
}

/*
 * Every instruction of creating a file and of @end additions: a kill there would leave
 * exactly the bytes that the file has then.
 */
static void check_every_instruction(uint64_t end)
{
	static uint8_t last[1 << 20];
	const char *path = fixture_path("stepped"), *copy = fixture_path("copy");
	static struct model model;
	unsigned long steps = 0, states = 0;
	struct stat now = {.st_size = 0};
	uint8_t *map = MAP_FAILED;
	off_t last_length = -1;
	uint64_t ahead = 0;
	int status, fd = -1;
	pid_t pid;

	unlink(path);
	memset(&model, 0, sizeof(model));
	memset(progress, 0, sizeof(*progress));
	pid = start_writer(path, end, true);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (!WIFSTOPPED(status)) {
		print_message("skipped: this process may not trace its children\n");
		skip();
	}
	for (; step(pid); steps++) {
		if (fd < 0) {
			fd = open(path, O_RDONLY);
			if (fd < 0)
				continue;
			/* Only as far as the file reaches is it looked at. */
			map = mmap(NULL, sizeof(last), PROT_READ, MAP_SHARED, fd, 0);
			assert_ptr_not_equal(map, MAP_FAILED);
		}
		assert_int_equal(fstat(fd, &now), 0);
		assert_in_range(now.st_size, 1, sizeof(last));
		if (now.st_size == last_length && !memcmp(map, last, (size_t)now.st_size))
			continue;
		memcpy(last, map, (size_t)now.st_size);
		last_length = now.st_size;
		states++;
		model_follow(&model, progress->done);
		fixture_write(copy, last, (size_t)last_length);
		ahead += assert_survives(copy, &model);
	}
	munmap(map, sizeof(last));
	close(fd);
	model_follow(&model, end);
	assert_survives(path, &model);
	print_message("%lu instructions, %lu states of the file\n", steps, states);
	assert_true(states > end);
	assert_true(last_length > 2664); /* it has grown */
	assert_true(ahead > 0);
}

static void a_kill_at_any_instruction_loses_nothing(void **state)
{
	(void)state;
	check_every_instruction(300);
}

static void a_kill_at_any_moment_loses_nothing(void **state)
{
	const char *path = fixture_path("killed");
	static struct model model;
	uint64_t seed = 42;
	int ahead = 0;

	(void)state;
	for (int round = 0; round < 300; round++) {
		uint64_t until;
		int status;
		pid_t pid;

		if (round % 40 == 0) {
			unlink(path);
			memset(&model, 0, sizeof(model));
			memset(progress, 0, sizeof(*progress));
		}
		until = progress->done + fixture_random(&seed) % 1500;
		pid = start_writer(path, UINT64_MAX, false);
		while (__atomic_load_n(&progress->done, __ATOMIC_ACQUIRE) < until &&
		       !waitpid(pid, &status, WNOHANG))
			sched_yield();
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		if (!WIFSIGNALED(status))
			fail_msg("writer failed: %s", progress->failure);
		if (access(path, F_OK))
			continue; /* killed before there was a file */
		model_follow(&model, progress->done);
		if (!assert_survives(path, &model))
			continue;
		ahead++;
		/* It is done, only its writer could not say so. */
		progress->done++;
		model_follow(&model, progress->done);
	}
	print_message("%d times an addition had just been stored\n", ahead);
}

static void readers_see_whole_additions_while_the_file_grows(void **state)
{
	const char *path = fixture_path("watched");
	static struct model before, after;
	uint64_t last_sum = 0;
	unsigned long reads = 0;
	int status;
	pid_t pid;

	(void)state;
	memset(progress, 0, sizeof(*progress));
	pid = start_writer(path, 60000, false);
	while (access(path, F_OK) && !waitpid(pid, &status, WNOHANG))
		sched_yield();
	while (!waitpid(pid, &status, WNOHANG)) {
		uint64_t least = __atomic_load_n(&progress->done, __ATOMIC_ACQUIRE), most, sum = 0;
		struct odb_entry *entries;
		struct odb_error error;
		ptrdiff_t count;
		struct odb *db;

		if (odb_open(&db, path, ODB_READ, NULL, &error))
			fail_msg("%s", error.text);
		count = odb_entries(db, &entries, &error);
		if (count < 0)
			fail_msg("%s", error.text);
		odb_close(db);
		most = __atomic_load_n(&progress->done, __ATOMIC_ACQUIRE) + 1;
		model_follow(&before, least);
		model_follow(&after, most);
		for (ptrdiff_t i = 0; i < count; i++) {
			assert_true(number_of(entries[i].key) < KEYS);
			sum += entries[i].count;
		}
		free(entries);
		for (unsigned int number = 0; number < KEYS; number++) {
			least = number ? least + before.counts[number] : before.counts[0];
			most = number ? most + after.counts[number] : after.counts[0];
		}
		assert_in_range(sum, least, most);
		assert_true(sum >= last_sum);
		last_sum = sum;
		reads++;
		/* Checking a file in use finds nothing wrong with it either. */
		fixture_assert_sound(path);
	}
	assert_true(WIFEXITED(status) && !WEXITSTATUS(status));
	print_message("%lu reads\n", reads);
	assert_true(reads > 3);
	model_follow(&before, 60000);
	assert_is_model(path, ODB_READ, &before);
	fixture_assert_sound(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_kill_at_any_instruction_loses_nothing),
		cmocka_unit_test(a_kill_at_any_moment_loses_nothing),
		cmocka_unit_test(readers_see_whole_additions_while_the_file_grows),
	};

	return cmocka_run_group_tests(tests, setup, fixture_teardown);
}
