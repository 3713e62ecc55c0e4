// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is left of a file when its writer is killed, and what readers see of one at work.
 *
 * A writer does a fixed list of additions.  It says which one it is about to do and how many
 * are done in memory that it shares with the test.  Whatever the moment, the file must have
 * every addition that was done, and of the one under way all or nothing.
 */
#include <sched.h>
#include <sys/mman.h>

#include "tests/unit/test.h"

#include "tests/unit/odb/fixture.h"

#define KEYS 8000

/* Shared with the writer. */
struct progress {
	uint64_t done; /* additions that odb_add() has returned from */
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
		print_error("%s\n", error.text);
		_exit(1);
	}
	while (progress->done < end) {
		unsigned int number;
		uint64_t key, n;

		addition(progress->done, &number, &key, &n);
		if (odb_add(db, key, n, &error)) {
			print_error("%s\n", error.text);
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

/* What the test writes while each of its instructions is looked at. */
#define ADDITIONS 300

static void write_some(const char *path)
{
	write_until(path, ADDITIONS);
}

static struct model stepped;
static uint64_t ahead;

static void check_state(const char *path)
{
	model_follow(&stepped, progress->done);
	ahead += assert_survives(path, &stepped);
}

TEST(a_kill_at_any_instruction_loses_nothing)
{
	const char *path = fixture_path("stepped");
	struct stat status;

	assert_true(fixture_each_state(path, write_some, check_state) > ADDITIONS);
	assert_int_equal(progress->done, ADDITIONS);
	check_state(path);
	assert_int_equal(stat(path, &status), 0);
	assert_true(status.st_size > 2664); /* it has grown */
	assert_true(ahead > 0);
}

TEST(readers_see_whole_additions_while_the_file_grows)
{
	const char *path = fixture_path("watched");
	static struct model before, after;
	uint64_t last_sum = 0;
	unsigned long reads = 0;
	int status;
	pid_t pid;

	memset(progress, 0, sizeof(*progress));
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		write_until(path, 60000);
		_exit(0);
	}
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
		assert_uint_in_range(sum, least, most);
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

TEST_PROGRAM(setup, fixture_teardown)
