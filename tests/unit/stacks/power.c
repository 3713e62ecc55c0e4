// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is left of a stack file when the power is lost: see tests/unit/odb/power.c.
 *
 * Of each file that the disk may have, readers and the next writer must have all that was synced,
 * and nothing that never was added, but for callers that are said to be unknown.
 */
#include "tests/unit/test.h"

#include <unistd.h>

#include "tests/unit/odb/fixture.h"
#include "fixture.h"

#define PAGE	   4096
#define LENGTH_MAX (32 * PAGE)
#define STATES	   6
#define STACKS	   1500
#define IMAGES	   40

/* A file at some time, and how often each stack had been added. */
struct state {
	uint8_t bytes[LENGTH_MAX];
	size_t length;
	uint64_t counts[STACKS];
};

static struct state states[STATES];
static uint64_t seed = 1;

/* Names of 1 to 700 characters, so that some lie in two pages. */
static void name_image(unsigned int number, char name[static 800])
{
	size_t length = 1 + (size_t)number * 37 % 700;

	memset(name, 'a' + (int)(number % 26), length);
	sprintf(name + length, "/%u", number);
}

/* Stack number N is of frames N, N / 3, N / 9 ... of images that come by and by. */
static size_t make_frames(struct stacks *stacks, unsigned int number, struct stacks_frame *frames)
{
	size_t depth = 0;
	char name[800];

	for (; number; number /= 3, depth++) {
		name_image(number % IMAGES * number / STACKS + number % 7, name);
		frames[depth] = (struct stacks_frame){image(stacks, name), number};
	}
	/* some have callers that are not known */
	if (depth && frames[0].offset % 5 == 0)
		frames[depth++] = (struct stacks_frame){0, 0};
	return depth;
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

/* The states of a file with @first to @last stacks. */
static void make_states(const char *path, unsigned int first, unsigned int last)
{
	static uint64_t counts[STACKS];
	struct stacks_frame frames[32];
	struct stacks *stacks;
	unsigned int kept = 0;

	unlink(path);
	memset(counts, 0, sizeof(counts));
	stacks = open_file(path, 0);
	for (unsigned int known = 1; kept < STATES; known++) {
		unsigned int again = 1 + (unsigned int)(fixture_random(&seed) % known);

		add(stacks, frames, make_frames(stacks, known, frames), 2);
		add(stacks, frames, make_frames(stacks, again, frames), 1);
		counts[known] += 2;
		counts[again]++;
		if (known >= first + (last - first) * kept / (STATES - 1))
			snapshot(path, counts, &states[kept++]);
	}
	stacks_close(stacks);
}

static bool is_unknown(const struct stacks_node *node)
{
	return !node->image && !node->offset;
}

/* The number of the stack of a node, if its callers are all there; else 0. */
static unsigned int number_of(const struct stacks_content *content, size_t at)
{
	unsigned int number = (unsigned int)content->nodes[at].offset, expected = number;
	bool is_cut = number % 5 == 0;

	for (; at && !is_unknown(&content->nodes[at]); at = content->nodes[at].parent) {
		const struct stacks_node *node = &content->nodes[at];
		char name[800];

		assert_uint_in_range(node->offset, 1, STACKS - 1);
		name_image((unsigned int)node->offset % IMAGES * (unsigned int)node->offset /
				   STACKS + (unsigned int)node->offset % 7,
			   name);
		assert_uint_in_range(node->image, 1, content->n_images - 1);
		assert_string_equal(content->images[node->image].name, name);
		assert_int_equal(node->offset, expected);
		expected /= 3;
	}
	return expected || (at != 0) != is_cut ? 0 : number;
}

static void assert_kept(const char *path, const struct state *synced, const struct state *last)
{
	struct stacks_content content = read_file(path);
	static uint64_t counts[STACKS];

	memset(counts, 0, sizeof(counts));
	for (size_t at = 1; at < content.n_nodes; at++) {
		unsigned int number;

		if (!content.nodes[at].count)
			continue;
		number = number_of(&content, at);
		if (number)
			counts[number] += content.nodes[at].count;
	}
	stacks_content_free(&content);
	for (unsigned int i = 1; i < STACKS; i++) {
		if (counts[i] < synced->counts[i] || counts[i] > last->counts[i])
			fail_msg("stack %u counts %" PRIu64 ", of %" PRIu64 " to %" PRIu64, i,
				 counts[i], synced->counts[i], last->counts[i]);
	}
}

/* For readers, after a writer has opened it, and when it has added something. */
static void check_cut(const char *path, const uint8_t *bytes, size_t length)
{
	static struct state before, after;
	struct stacks_frame frames[32];
	struct stacks *stacks;

	fixture_write(path, bytes, length);
	assert_kept(path, &states[0], &states[STATES - 1]);
	assert_sound(path);
	stacks_close(open_file(path, 0));
	assert_kept(path, &states[0], &states[STATES - 1]);
	before = states[0];
	after = states[STATES - 1];
	stacks = open_file(path, 0);
	for (unsigned int i = 1; i < STACKS; i += 100) {
		add(stacks, frames, make_frames(stacks, i, frames), 1);
		before.counts[i]++;
		after.counts[i]++;
	}
	stacks_close(stacks);
	assert_kept(path, &before, &after);
	assert_sound(path);
}

/* A file of which each page is as it was at the time of @choice, and so is the length. */
static void check_choice(const char *path, const unsigned int *choice, size_t length)
{
	static uint8_t bytes[LENGTH_MAX];

	memset(bytes, 0, sizeof(bytes));
	for (size_t page = 0; page * PAGE < length; page++)
		memcpy(bytes + page * PAGE, states[choice[page]].bytes + page * PAGE, PAGE);
	memset(bytes + length, 0, LENGTH_MAX - length);
	check_cut(path, bytes, length);
}

TEST(pages_of_any_times_have_what_was_synced)
{
	const char *path = fixture_path("times"), *copy = fixture_path("copy");
	unsigned int choice[LENGTH_MAX / PAGE];

	for (unsigned int run = 0; run < 20; run++) {
		unsigned int first = 1 + fixture_random(&seed) % 600;

		make_states(path, first, first + fixture_random(&seed) % (STACKS - 100 - first));
		for (unsigned int i = 0; i < 60; i++) {
			for (size_t page = 0; page < LENGTH_MAX / PAGE; page++)
				choice[page] = fixture_random(&seed) % 2 * (STATES - 1);
			if (i % 2)
				choice[i / 2 % 8] = fixture_random(&seed) % STATES;
			check_choice(copy, choice, states[fixture_random(&seed) % STATES].length);
		}
	}
}

/* Of a file that was not on the disk at all: nothing, or zeros. */
TEST(a_file_without_content_is_begun_anew)
{
	const char *path = fixture_path("blank");
	static const uint8_t zeros[2 * PAGE];

	for (int i = 0; i < 2; i++) {
		struct stacks_frame frame = {0, 7};
		struct stacks *stacks;

		fixture_write(path, zeros, i ? sizeof(zeros) : 0);
		assert_sound(path);
		assert_text(path, "");
		stacks = open_file(path, 0);
		add(stacks, &frame, 1, 5);
		stacks_close(stacks);
		assert_text(path, "+7:5 ");
		assert_sound(path);
	}
}

/* What reached the disk before the power was lost, and was not named, is not named later. */
TEST(units_of_a_life_before_do_not_come_back)
{
	const char *path = fixture_path("lives");
	struct stacks *stacks;
	uint8_t *bytes;
	size_t length;

	make_states(path, 300, 600);
	/* the first page names few units; the others have what came behind them */
	memcpy(states[STATES - 1].bytes, states[0].bytes, PAGE);
	fixture_write(path, states[STATES - 1].bytes, states[STATES - 1].length);
	stacks = open_file(path, 0);
	bytes = fixture_read(path, &length);
	for (size_t at = 64 + *(uint32_t *)(bytes + 24) * (size_t)16; at < length; at++)
		assert_int_equal(bytes[at], 0);
	stacks_close(stacks);
	assert_kept(path, &states[0], &states[STATES - 1]);
	free(bytes);
}

TEST_PROGRAM(fixture_setup, fixture_teardown)
