// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stack files: the bytes of one against the manual's layout, counts against a model, kills at each
 * instruction, bounds.
 */
#include <sys/mman.h>
#include <sys/resource.h>

#include "tests/unit/test.h"

#include "libdb/stacks/stacks.h"
#include "tests/unit/odb/fixture.h"
#include "fixture.h"

/* ---- what is written ---- */

TEST(the_layout_is_that_of_the_manual)
{
	const char *path = fixture_path("layout");
	struct stacks *stacks = open_file(path, 0);
	struct stacks_frame frames[] = {{0, 0x123456789abc}, {0, 0x10}};
	uint8_t *bytes;
	size_t length;

	frames[0].image =
		stacks_image(stacks, "{root}/usr/bin/busy", STACKS_IMAGE_KERNEL, 1600000000, NULL);
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
			"\0\0\0\0\0\0\0\0\x10\0\0\0\0\0\0\0"		/* node 4 */
			"\4\0\0\0\1\0\x34\x12\xbc\x9a\x78\x56\5\0\0\0"; /* node 5 */

		assert_int_equal(length, sizeof(want) - 1);
		assert_memory_equal(bytes, want, length);
	}
	free(bytes);
	assert_text(path, "{root}/usr/bin/busy+123456789abc<+10:5 ");
	assert_sound(path);
}

TEST(counts_of_all_stacks_add_up)
{
	const char *path = fixture_path("sums");
	static uint64_t model[16][16][16];
	struct stacks_content content;
	uint64_t seed = 7;

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

TEST(counts_grow_beyond_32_bits)
{
	const char *path = fixture_path("large");
	struct stacks *stacks = open_file(path, 0);
	const struct stacks_frame frames[] = {{0, 2}, {0, 1}};

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

TEST(offsets_keep_their_sign)
{
	const char *path = fixture_path("sign");
	struct stacks *stacks = open_file(path, 0);
	const struct stacks_frame kernel = {0, 0xffffffff81000123}, wide = {0, UINT64_C(1) << 50};
	struct odb_error error;

	add(stacks, &kernel, 1, 1);
	/* what does not fit is counted below the caller, and says so */
	assert_int_equal(stacks_add(stacks, &wide, 1, 1, &error), STACKS_MERGED);
	assert_int_equal(error.code, EINVAL);
	stacks_close(stacks);
	assert_text(path, "+ffffffff81000123:1 " STACKS_OTHER "+0:1 ");
}

/* ---- bounds ---- */

#define CALLERS 20

/* Of 2,000 stacks of one more caller each, those from @first on stand below the callers for which
 * there is room, others below the root. */
static void expect_others(const char *path, uint64_t first, size_t nodes)
{
	struct stacks_content content = read_file(path);
	uint64_t at_root = 0, sum = 0, left[CALLERS] = {0};
	uint32_t other = 0;
	size_t found = 0;

	for (uint64_t i = first; i < 2000; i++)
		left[i % CALLERS]++;
	while (strcmp(content.images[++other].name, STACKS_OTHER) != 0)
		;
	for (size_t i = 1; i < content.n_nodes; i++) {
		const struct stacks_node *node = &content.nodes[i];
		uint64_t *of_caller = &left[content.nodes[node->parent].offset];

		if (node->image != other) {
			assert_int_equal(node->count, node->parent ? 1 : 0);
			continue;
		}
		found++;
		sum += node->count;
		if (!node->parent) {
			at_root = node->count;
			continue;
		}
		assert_int_equal(node->count, *of_caller);
		*of_caller = 0;
	}
	for (size_t i = 0; i < CALLERS; i++)
		at_root -= left[i];
	assert_int_equal(at_root, 0);
	assert_int_equal(found, nodes);
	assert_int_equal(sum, content.merged);
	stacks_content_free(&content);
}

TEST(what_a_full_file_has_no_room_for_is_below_callers)
{
	const char *path = fixture_path("full");
	struct stacks *stacks = open_file(path, 600);
	uint32_t a = image(stacks, "a");
	struct odb_error error;
	uint64_t added = 0;
	struct stat status;

	for (uint64_t i = 0; i < 2000; i++) {
		const struct stacks_frame frames[] = {{a, i}, {a, i % CALLERS}};

		if (i == 1500) {
			stacks_close(stacks);
			stacks = open_file(path, 600);
		}
		if (stacks_add(stacks, frames, 2, 1, &error) == STACKS_ADDED)
			added++;
	}
	assert_int_equal(error.code, EFBIG);
	/* a 64th and 4 units are for the others: their image, the root's, those of callers */
	assert_int_equal(added, 600 - 13 - 3 - CALLERS);
	stacks_close(stacks);
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_size, 64 + 600 * 16);
	expect_others(path, added, 13 - 2);
	assert_int_equal(sum_of(path), 2000);
	assert_sound(path);
}

/* In a process of its own, as the limit is one of the process. */
TEST(a_limit_of_file_size_is_no_signal)
{
	const char *path = fixture_path("limited");
	int status;
	pid_t pid = fork();

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
		/* space that is free again is used */
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

TEST(a_second_writer_is_refused)
{
	const char *path = fixture_path("locked");
	struct stacks *stacks = open_file(path, 0), *other;
	struct odb_error error;

	assert_int_equal(stacks_open(&other, path, 0, &error), -1);
	assert_int_equal(error.code, EBUSY);
	stacks_close(stacks);
	stacks_close(open_file(path, 0));
}

TEST(images_have_a_limit)
{
	const char *path = fixture_path("images");
	struct stacks *stacks = open_file(path, 0);
	struct odb_error error;
	char name[32];

	for (uint32_t i = 1; i < STACKS_IMAGES_MOST; i++) {
		snprintf(name, sizeof(name), "image %u", i);
		assert_int_equal(stacks_image(stacks, name, 0, 0, &error), i);
	}
	assert_int_equal(stacks_image(stacks, "one more", 0, 0, &error), 0);
	assert_int_equal(error.code, EFBIG);
	assert_int_equal(stacks_image(stacks, STACKS_OTHER, 0, 0, &error), STACKS_IMAGES_MOST);
	assert_int_equal(stacks_image(stacks, "image 1", 0, 0, &error), 1);
	stacks_close(stacks);
	assert_sound(path);
}

/* ---- kills ---- */

#define STACKS 75

/* Stacks of which the writer knows that they are in the file; shared with it. */
static uint64_t *done;

/* Stack @i: known and new nodes, and now and then a new image. */
static void make_stack(uint64_t i, char image[32], uint64_t offsets[3])
{
	uint64_t seed = i * 0x9e3779b97f4a7c15u + 1, random = fixture_random(&seed);

	snprintf(image, 32, "image %llu", (unsigned long long)i / 10);
	offsets[0] = random % 8;
	offsets[1] = random / 8 % 4;
	offsets[2] = i / 25;
}

static void write_stacks(const char *path)
{
	struct stacks *stacks = open_file(path, 0);

	for (; *done < STACKS; ++*done) {
		struct stacks_frame frames[3] = {0};
		uint64_t offsets[3];
		char name[32];

		make_stack(*done, name, offsets);
		for (size_t i = 0; i < 3; i++)
			frames[i].offset = offsets[i];
		frames[0].image = image(stacks, name);
		add(stacks, frames, 3, 1);
	}
	stacks_close(stacks);
}

/* How often the stack of a node is among the first @n. */
static uint64_t times_made(const struct stacks_content *content, const struct stacks_node *node,
			   uint64_t n)
{
	const struct stacks_node *caller = &content->nodes[node->parent];
	const struct stacks_node *root = &content->nodes[caller->parent];
	uint64_t times = 0;

	for (uint64_t i = 0; i < n; i++) {
		uint64_t offsets[3];
		char name[32];

		make_stack(i, name, offsets);
		times += offsets[0] == node->offset && offsets[1] == caller->offset &&
			 offsets[2] == root->offset &&
			 !strcmp(name, content->images[node->image].name);
	}
	return times;
}

/* All that is done is there, of the stack under way all or nothing; and a writer goes on. */
static void check_stacks(const char *path)
{
	const struct stacks_frame frame = {0, 1 << 20};
	struct stacks_content content = read_file(path);
	uint64_t sum = sum_of(path);
	struct stacks *stacks;

	assert_uint_in_range(sum, *done, *done + 1);
	for (size_t i = 1; i < content.n_nodes; i++) {
		if (content.nodes[i].count)
			assert_int_equal(content.nodes[i].count,
					 times_made(&content, &content.nodes[i], sum));
	}
	stacks_content_free(&content);
	assert_sound(path);
	stacks = open_file(path, 0);
	add(stacks, &frame, 1, 1);
	stacks_close(stacks);
	assert_int_equal(sum_of(path), sum + 1);
	assert_sound(path);
}

TEST(a_kill_at_any_instruction_loses_nothing)
{
	done = mmap(NULL, sizeof(*done), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(done, MAP_FAILED);
	assert_true(fixture_each_state(fixture_path("killed"), write_stacks, check_stacks) >
		    STACKS);
	assert_int_equal(*done, STACKS);
	munmap(done, sizeof(*done));
}

TEST_PROGRAM(fixture_setup, fixture_teardown)
