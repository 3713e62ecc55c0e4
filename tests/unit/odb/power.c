// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is left of a file when the power is lost.
 *
 * The disk has the file as it was synced, and of what came later any pages, each as it was at any
 * time since, and the length of any time since.  Of each such file readers and the next writer
 * must have all that was synced, and nothing that never was added.
 */
#include "libop/base/array.h"
#include "tests/unit/test.h"

#include "tests/unit/odb/fixture.h"

#define PAGE	   4096
#define LENGTH_MAX (64 * PAGE)
#define STATES_MAX 64
#define KEYS	   1500

/* A file at some time, and what had been added to it. */
struct state {
	uint8_t bytes[LENGTH_MAX];
	size_t length;
	uint64_t counts[KEYS];
};

static struct state states[STATES_MAX];
static uint64_t seed = 1;

static uint64_t key_of(unsigned int number)
{
	/* offsets, and recursive arcs, which are all in one chain */
	return number % 16 ? (uint64_t)number * 0x10001u + 0x1000u
			   : (uint64_t)(number + 300) << 32 | (number + 300);
}

/* Return: KEYS if there is no such key. */
static unsigned int number_of(uint64_t key)
{
	unsigned int number = key >> 32 ? (unsigned int)(key >> 32) - 300
					: (unsigned int)((key - 0x1000u) / 0x10001u);

	return number < KEYS && key_of(number) == key ? number : KEYS;
}

static void snapshot(const char *path, const uint64_t *counts, struct state *state)
{
	uint8_t *bytes = fixture_read(path, &state->length);

	assert_uint_in_range(state->length, 1, LENGTH_MAX);
	memset(state->bytes, 0, sizeof(state->bytes));
	memcpy(state->bytes, bytes, state->length);
	memcpy(state->counts, counts, sizeof(state->counts));
	free(bytes);
}

/* Keeps @n states of a file, of which the first has @first keys and the last fewer than @keys. */
static void make_states(const char *path, uint64_t *counts, unsigned int first, unsigned int keys,
			unsigned int n)
{
	struct odb *db = fixture_create(path);

	for (unsigned int known = 0, kept = 0; kept < n; known++) {
		unsigned int again = (unsigned int)(fixture_random(&seed) % (known + 1));
		uint64_t more = 1 + fixture_random(&seed) % 5;

		fixture_add(db, key_of(known), more);
		fixture_add(db, key_of(again), 1);
		counts[known] += more;
		counts[again]++;
		if (known + 1 >= first + (keys - first) * kept / n)
			snapshot(path, counts, &states[kept++]);
	}
	odb_close(db);
}

static void assert_kept(const char *path, enum odb_mode mode, const struct state *synced,
			const struct state *last)
{
	uint64_t counts[KEYS] = {0}, split = 0;
	struct odb_entry *entries;
	struct odb_error error;
	struct odb *db;
	ptrdiff_t n;

	if (odb_open(&db, path, mode, NULL, &error))
		fail_msg("%s", error.text);
	n = odb_entries(db, &entries, &error);
	if (n < 0)
		fail_msg("%s", error.text);
	odb_close(db);
	for (ptrdiff_t i = 0; i < n; i++) {
		unsigned int number = number_of(entries[i].key);

		if (number < KEYS && entries[i].count)
			counts[number] += entries[i].count;
		else if (entries[i].count)
			split++;
	}
	free(entries);
	for (unsigned int i = 0; i < KEYS; i++) {
		if (counts[i] < synced->counts[i])
			fail_msg("key %u counts %" PRIu64 ", %" PRIu64 " were synced", i, counts[i],
				 synced->counts[i]);
		if (counts[i] > last->counts[i])
			fail_msg("key %u counts %" PRIu64 ", %" PRIu64 " were added", i, counts[i],
				 last->counts[i]);
	}
	/* Key and count of node 249, and each 256th behind it, lie in two pages. */
	assert_true(split <= (uint64_t)n / 256 + (n >= 249));
	fixture_assert_sound(path);
}

static void check_cut(const char *path, const uint8_t *bytes, size_t length,
		      const struct state *synced, const struct state *last)
{
	fixture_write(path, bytes, length);
	assert_kept(path, ODB_READ, synced, last);
	assert_kept(path, ODB_WRITE, synced, last);
	assert_kept(path, ODB_READ, synced, last);
}

/* A file of which each page is as it was in one of the states. */
static size_t mix(uint8_t *bytes, const unsigned int *choice, size_t length)
{
	memset(bytes, 0, LENGTH_MAX);
	for (size_t page = 0; page * PAGE < length; page++)
		memcpy(bytes + page * PAGE, states[choice[page]].bytes + page * PAGE, PAGE);
	memset(bytes + length, 0, LENGTH_MAX - length);
	return length;
}

static void check_choice(const char *path, const unsigned int *choice, size_t length,
			 unsigned int last)
{
	static uint8_t bytes[LENGTH_MAX];

	mix(bytes, choice, length);
	check_cut(path, bytes, length, &states[0], &states[last]);
}

TEST(each_subset_of_pages_has_what_was_synced)
{
	static const struct {
		unsigned int synced, last;
	} cases[] = {{1, 100}, {100, 127}, {100, 140}, {120, 250}, {120, 300}, {200, 500},
		     {250, 270}, {250, 320}};
	const char *path = fixture_path("subsets"), *copy = fixture_path("copy");

	for (size_t c = 0; c < OP_ARRAY_SIZE(cases); c++) {
		uint64_t counts[KEYS] = {0};
		unsigned int choice[LENGTH_MAX / PAGE] = {0};
		size_t pages;

		unlink(path);
		make_states(path, counts, cases[c].synced, cases[c].last, 2);
		pages = (states[1].length + PAGE - 1) / PAGE;
		assert_uint_in_range(pages, 1, 8);
		for (unsigned int set = 0; set < 1u << pages; set++) {
			for (size_t page = 0; page < pages; page++)
				choice[page] = set >> page & 1;
			check_choice(copy, choice, states[0].length, 1);
			check_choice(copy, choice, states[1].length, 1);
		}
	}
}

TEST(pages_of_any_times_have_what_was_synced)
{
	const char *path = fixture_path("times"), *copy = fixture_path("copy");
	unsigned int choice[LENGTH_MAX / PAGE];

	for (unsigned int run = 0; run < 20; run++) {
		unsigned int first = 1 + fixture_random(&seed) % 600;
		unsigned int keys = first + fixture_random(&seed) % (KEYS - first);
		uint64_t counts[KEYS] = {0};

		unlink(path);
		make_states(path, counts, first, keys, 8);
		for (unsigned int i = 0; i < 60; i++) {
			for (size_t page = 0; page < LENGTH_MAX / PAGE; page++)
				choice[page] = fixture_random(&seed) % 8;
			check_choice(copy, choice, states[fixture_random(&seed) % 8].length, 7);
		}
	}
}

/* Of a file that was not on the disk at all: nothing, or zeros. */
TEST(a_file_without_content_is_begun_anew)
{
	const char *path = fixture_path("blank");
	static const uint8_t zeros[2664];

	for (int i = 0; i < 2; i++) {
		struct odb *db;

		fixture_write(path, zeros, i ? sizeof(zeros) : 0);
		fixture_assert_sound(path);
		db = fixture_create(path);
		fixture_add(db, 5, 7);
		odb_close(db);
		assert_int_equal(fixture_sum(path), 7);
		fixture_assert_sound(path);
	}
}

/*
 * The power is lost twice: nodes that reached the disk the first time, and were not named, must
 * not be named by the writer that came after.
 */
TEST(nodes_of_a_life_before_do_not_come_back)
{
	const char *path = fixture_path("lives");
	uint64_t counts[KEYS] = {0};
	static struct state synced, now;
	struct odb *db;

	make_states(path, counts, 240, 260, 2);
	/* the first page is as it was, with 240 nodes; the second has what came behind it */
	synced = states[0];
	memcpy(states[1].bytes, synced.bytes, PAGE);
	fixture_write(path, states[1].bytes, synced.length);
	db = fixture_create(path);
	snapshot(path, synced.counts, &now);
	for (size_t i = 104 + 245 * 16; i < synced.length - 256 * 4; i++)
		assert_int_equal(now.bytes[i], 0);
	odb_close(db);
}

TEST_PROGRAM(fixture_setup, fixture_teardown)
