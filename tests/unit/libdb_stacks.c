// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stack files: the bytes of one against the manual's layout, counts against a model, kills at a
 * thousand moments, bounds.
 */
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "libdb/stacks/stacks.h"
#include "libdb_fixture.h"
#include "libdb_stacks_fixture.h"

/* ---- what is written ---- */

static void the_layout_is_that_of_the_manual(void **state)
{
	const char *path = fixture_path("layout");
	struct stacks *stacks = open_file(path, 0);
	struct stacks_frame frames[] = {{0, 0x123456789abc}, {0, 0x10}};
	uint8_t *bytes;
	size_t length;

	(void)state;
	frames[0].image = stacks_image(stacks, "{root}/usr/bin/busy", STACKS_IMAGE_KERNEL,
				       1600000000, NULL);
	assert_int_equal(frames[0].image, 1);
	add(stacks, frames, 2, 5);
	stacks_close(stacks);
	bytes = fixture_read(path, &length);
	if (fixture_is_native(false)) {
		static const uint8_t want[] =
			"OPSTACK\n\4\3\2\1\1\0\0\0\x40\0\0\0\x10\0\0\0\6\0\0\0\0\0\0\0"
			"\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
			"\xfe\xff\xff\xff\0\0\0\0\0\0\0\0\0\0\0\0"	     /* the root */
			"\xff\xff\xff\xff\1\0\2\0\x13\0\1\0\x00\x10\x5e\x5f" /* image 1 */
			"{root}/usr/bin/busy\0\0\0\0\0\0\0\0\0\0\0\0\0"
			"\0\0\0\0\0\0\0\0\x10\0\0\0\0\0\0\0"		     /* node 4 */
			"\4\0\0\0\1\0\x34\x12\xbc\x9a\x78\x56\5\0\0\0";	     /* node 5 */

		assert_int_equal(length, sizeof(want) - 1);
		assert_memory_equal(bytes, want, length);
	}
	free(bytes);
	assert_text(path, "{root}/usr/bin/busy+123456789abc<+10:5 ");
	assert_sound(path);
}

static void counts_of_all_stacks_add_up(void **state)
{
	const char *path = fixture_path("sums");
	static uint64_t model[16][16][16];
	struct stacks_content content;
	uint64_t seed = 7;

	(void)state;
	for (int round = 0; round < 4; round++) {
		struct stacks *stacks = open_file(path, 0);
		uint32_t a = image(stacks, "a"), b = image(stacks, "b");

		for (int i = 0; i < 20000; i++) {
			uint64_t random = fixture_random(&seed);
			unsigned int x = random % 16, y = random / 16 % 16, z = random / 256 % 16;
			const struct stacks_frame frames[] = {{a, z}, {b, y}, {0, x}};

			model[x][y][z] += 1 + random % 3;
			add(stacks, frames, 3, 1 + random % 3);
		}
		stacks_close(stacks);
	}
	content = read_file(path);
	assert_int_equal(content.n_images, 3);
	for (size_t i = 0; i < content.n_nodes; i++) {
		const struct stacks_node *leaf = &content.nodes[i], *middle, *root;

		if (!leaf->count)
			continue;
		middle = &content.nodes[leaf->parent];
		root = &content.nodes[middle->parent];
		model[root->offset][middle->offset][leaf->offset] -= leaf->count;
	}
	for (size_t i = 0; i < 16 * 16 * 16; i++)
		assert_int_equal((&model[0][0][0])[i], 0);
	assert_int_equal(content.n_nodes, 1 + 16 + 256 + 4096);
	stacks_content_free(&content);
}

static void counts_grow_beyond_32_bits(void **state)
{
	const char *path = fixture_path("large");
	struct stacks *stacks = open_file(path, 0);
	const struct stacks_frame frames[] = {{0, 2}, {0, 1}};

	(void)state;
	for (int i = 0; i < 5; i++)
		add(stacks, frames, 2, UINT32_MAX);
	add(stacks, frames, 2, 3);
	/* the second node of a key has no callees: they stay below the first */
	add(stacks, frames + 1, 1, UINT32_MAX);
	add(stacks, frames + 1, 1, UINT32_MAX);
	add(stacks, frames, 2, 1);
	add(stacks, NULL, 0, UINT64_C(5) << 32);
	stacks_close(stacks);
	assert_int_equal(sum_of(path), 7 * (uint64_t)UINT32_MAX + 4 + (UINT64_C(5) << 32));
	stacks = open_file(path, 0);
	add(stacks, frames, 2, 1);
	stacks_close(stacks);
	assert_text(path, ":21474836480 +1:4294967295 +2<+1:4294967295 +2<+1:4294967295 "
			  "+2<+1:4294967295 +2<+1:4294967295 +2<+1:4294967295 +2<+1:5 "
			  "+1:4294967295 ");
	assert_sound(path);
}

static void offsets_keep_their_sign(void **state)
{
	const char *path = fixture_path("sign");
	struct stacks *stacks = open_file(path, 0);
	const struct stacks_frame kernel = {0, 0xffffffff81000123}, wide = {0, UINT64_C(1) << 50};
	struct odb_error error;

	(void)state;
	add(stacks, &kernel, 1, 1);
	/* what does not fit is counted at the caller, and says so */
	assert_int_equal(stacks_add(stacks, &wide, 1, 1, &error), STACKS_MERGED);
	assert_int_equal(error.code, EINVAL);
	stacks_close(stacks);
	assert_text(path, ":1 +ffffffff81000123:1 ");
}

/* ---- bounds ---- */

static void a_full_file_merges_into_callers(void **state)
{
	const char *path = fixture_path("full");
	struct stacks *stacks = open_file(path, 600);
	uint32_t a = image(stacks, "a");
	struct stacks_content content;
	struct odb_error error;
	uint64_t added = 0, merged = 0;
	struct stat status;

	(void)state;
	for (uint64_t i = 0; i < 2000; i++) {
		const struct stacks_frame frames[] = {{a, i}, {a, i % 10}};

		if (stacks_add(stacks, frames, 2, 1, &error) == STACKS_MERGED)
			merged++;
		else
			added++;
	}
	assert_int_equal(error.code, EFBIG);
	assert_int_equal(added, 600 - 3 - 10);
	stacks_close(stacks);
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_size, 64 + 600 * 16);
	content = read_file(path);
	assert_int_equal(content.merged, merged);
	/* every one stands at its caller, none is lost */
	for (size_t i = 1; i < content.n_nodes; i++) {
		bool more = content.nodes[i].offset >= added % 10 && merged % 10;

		if (!content.nodes[i].parent)
			assert_int_equal(content.nodes[i].count, merged / 10 + more);
	}
	stacks_content_free(&content);
	assert_int_equal(sum_of(path), 2000);
	assert_sound(path);
}

/* In a process of its own, as the limit is one of the process. */
static void a_limit_of_file_size_is_no_signal(void **state)
{
	const char *path = fixture_path("limited");
	int status;
	pid_t pid = fork();

	(void)state;
	assert_true(pid >= 0);
	if (!pid) {
		struct rlimit limit = {10000, RLIM_INFINITY};
		struct odb_error error = {0};
		struct stacks *stacks;
		uint64_t merged = 0;

		if (setrlimit(RLIMIT_FSIZE, &limit) || stacks_open(&stacks, path, 0, &error))
			_exit(1);
		for (uint64_t i = 0; i < 5000; i++) {
			const struct stacks_frame frame = {0, i};

			merged += stacks_add(stacks, &frame, 1, 1, &error) == STACKS_MERGED;
		}
		if (!merged || error.code != EFBIG)
			_exit(2);
		/* when there is room again, it is found */
		limit.rlim_cur = RLIM_INFINITY;
		if (setrlimit(RLIMIT_FSIZE, &limit))
			_exit(3);
		for (uint64_t i = 10000; i < 13000; i++) {
			const struct stacks_frame frame = {0, i};

			merged = stacks_add(stacks, &frame, 1, 1, &error) == STACKS_MERGED;
		}
		stacks_close(stacks);
		_exit(merged ? 4 : 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(sum_of(path), 8000);
}

static void a_second_writer_is_refused(void **state)
{
	const char *path = fixture_path("locked");
	struct stacks *stacks = open_file(path, 0), *other;
	struct odb_error error;

	(void)state;
	assert_int_equal(stacks_open(&other, path, 0, &error), -1);
	assert_int_equal(error.code, EBUSY);
	stacks_close(stacks);
	stacks_close(open_file(path, 0));
}

static void images_have_a_limit(void **state)
{
	const char *path = fixture_path("images");
	struct stacks *stacks = open_file(path, 0);
	struct odb_error error;
	char name[32];

	(void)state;
	for (uint32_t i = 1; i <= STACKS_IMAGES_MOST; i++) {
		snprintf(name, sizeof(name), "image %u", i);
		assert_int_equal(stacks_image(stacks, name, 0, 0, &error), i);
	}
	assert_int_equal(stacks_image(stacks, "one more", 0, 0, &error), 0);
	assert_int_equal(error.code, EFBIG);
	assert_int_equal(stacks_image(stacks, "image 1", 0, 0, &error), 1);
	stacks_close(stacks);
	assert_sound(path);
}

/* ---- kills ---- */

#define KILLS 1000
#define PLACES 64

struct progress {
	uint64_t done;
	char failure[512];
};

static struct progress *progress;

static void stack_number(uint64_t i, struct stacks_frame frames[3], uint32_t number)
{
	uint64_t seed = i * 0x9e3779b97f4a7c15u + 1, random = fixture_random(&seed);

	frames[0] = (struct stacks_frame){number, random % PLACES};
	frames[1] = (struct stacks_frame){number, random / PLACES % PLACES};
	/* a new image and new nodes now and then, so that kills meet all kinds of steps */
	frames[2] = (struct stacks_frame){0, i / 100};
}

/* Writes until it is killed; far behind what the test waits for it only waits itself. */
static void write_until_killed(const char *path, uint64_t end)
{
	struct odb_error error;
	struct stacks *stacks;

	if (stacks_open(&stacks, path, 0, &error)) {
		snprintf(progress->failure, sizeof(progress->failure), "%s", error.text);
		_exit(1);
	}
	while (progress->done < end) {
		struct stacks_frame frames[3];
		char name[64];
		uint64_t i = progress->done;

		snprintf(name, sizeof(name), "image of the hundred %llu", (unsigned long long)i / 100);
		stack_number(i, frames, stacks_image(stacks, name, 0, 0, &error));
		if (stacks_add(stacks, frames, 3, 1, &error) != STACKS_ADDED) {
			snprintf(progress->failure, sizeof(progress->failure), "%s", error.text);
			_exit(1);
		}
		__atomic_store_n(&progress->done, i + 1, __ATOMIC_RELEASE);
	}
	for (;;)
		pause();
}

/* What was done: for each hundred, how often each leaf. */
static void assert_has_all(const char *path, uint64_t *ahead)
{
	struct stacks_content content = read_file(path);
	uint64_t done = progress->done, hundreds = done / 100 + 1, sum = 0;
	uint32_t *counts = calloc(hundreds * PLACES * PLACES, sizeof(*counts));
	bool is_ahead = false;

	assert_non_null(counts);
	for (size_t i = 1; i < content.n_nodes; i++) {
		const struct stacks_node *leaf = &content.nodes[i], *caller, *root;

		if (!leaf->count)
			continue;
		caller = &content.nodes[leaf->parent];
		root = &content.nodes[caller->parent];
		assert_true(root->offset < hundreds);
		counts[(root->offset * PLACES + caller->offset) * PLACES + leaf->offset] +=
			(uint32_t)leaf->count;
		sum += leaf->count;
	}
	is_ahead = sum == done + 1;
	assert_true(sum == done || is_ahead);
	for (uint64_t i = 0; i < done + is_ahead; i++) {
		struct stacks_frame f[3];

		stack_number(i, f, 1);
		assert_true(counts[(f[2].offset * PLACES + f[1].offset) * PLACES + f[0].offset]--);
	}
	free(counts);
	stacks_content_free(&content);
	*ahead += is_ahead;
	progress->done += is_ahead;
}

static void a_thousand_kills_lose_nothing(void **state)
{
	const char *path = fixture_path("killed");
	uint64_t seed = 42, ahead = 0, kills = 0, total = 0;

	(void)state;
	progress = mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			-1, 0);
	assert_ptr_not_equal(progress, MAP_FAILED);
	while (kills < KILLS) {
		uint64_t until;
		int status;
		pid_t pid;

		if (kills % 50 == 0) {
			total += progress->done;
			unlink(path);
			memset(progress, 0, sizeof(*progress));
		}
		until = progress->done + fixture_random(&seed) % 400;
		pid = fork();
		assert_true(pid >= 0);
		if (!pid)
			write_until_killed(path, until + 400);
		while (__atomic_load_n(&progress->done, __ATOMIC_ACQUIRE) < until &&
		       !waitpid(pid, &status, WNOHANG))
			sched_yield();
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		if (!WIFSIGNALED(status))
			fail_msg("writer failed: %s", progress->failure);
		kills++;
		if (access(path, F_OK))
			continue; /* killed before there was a file */
		assert_sound(path);
		assert_has_all(path, &ahead);
	}
	total += progress->done;
	print_message("%llu kills, %llu stacks, %llu just stored when it was killed\n",
		      (unsigned long long)kills, (unsigned long long)total,
		      (unsigned long long)ahead);
	munmap(progress, sizeof(*progress));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_layout_is_that_of_the_manual),
		cmocka_unit_test(counts_of_all_stacks_add_up),
		cmocka_unit_test(counts_grow_beyond_32_bits),
		cmocka_unit_test(offsets_keep_their_sign),
		cmocka_unit_test(a_full_file_merges_into_callers),
		cmocka_unit_test(a_limit_of_file_size_is_no_signal),
		cmocka_unit_test(a_second_writer_is_refused),
		cmocka_unit_test(images_have_a_limit),
		cmocka_unit_test(a_thousand_kills_lose_nothing),
	};

	return cmocka_run_group_tests(tests, fixture_setup, fixture_teardown);
}
