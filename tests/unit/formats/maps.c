// SPDX-License-Identifier: GPL-2.0-or-later
/* Address spaces: newer mappings cover older ones, of each process and of the kernel. */
#include "tests/unit/test.h"

#include "model_fixture.h"
#include "pp/formats/model/maps.h"
#include "pp/formats/model/profile.h"

/* The place of an address: "PATH+OFFSET". */
static const char *place(struct prof *prof, struct maps *maps, int64_t pid, uint64_t address)
{
	static char text[128];
	struct prof_frame frame;

	maps_find(maps, pid, address, &frame);
	snprintf(text, sizeof(text), "%s+%llx", prof->images[frame.image].path,
		 (unsigned long long)frame.offset);
	return text;
}

static void map(struct maps *maps, int64_t pid, const char *name, uint64_t start, uint64_t end,
		uint64_t offset)
{
	const struct prof_image image = file_at(name, start, end, offset);

	maps_map(maps, pid, &image);
}

TEST(mappings_cover_older_ones)
{
	struct prof *prof = prof_new(0, 0);
	struct maps *maps = maps_new(&prof->sink);

	map(maps, 1, "/a", 0x1000, 0x9000, 0);
	map(maps, 1, "/b", 0x3000, 0x4000, 0x100);
	map(maps, 1, "/c", 0x8000, 0xa000, 0);
	map(maps, 1, "/d", 0x500, 0x1800, 0);
	map(maps, 1, "/empty", 0x2000, 0x2000, 0);
	assert_string_equal(place(prof, maps, 1, 0x4ff), "[unknown]+4ff");
	assert_string_equal(place(prof, maps, 1, 0x500), "/d+0");
	assert_string_equal(place(prof, maps, 1, 0x17ff), "/d+12ff");
	assert_string_equal(place(prof, maps, 1, 0x1800), "/a+800");
	assert_string_equal(place(prof, maps, 1, 0x2000), "/a+1000");
	assert_string_equal(place(prof, maps, 1, 0x2fff), "/a+1fff");
	assert_string_equal(place(prof, maps, 1, 0x3000), "/b+100");
	assert_string_equal(place(prof, maps, 1, 0x3fff), "/b+10ff");
	assert_string_equal(place(prof, maps, 1, 0x4000), "/a+3000");
	assert_string_equal(place(prof, maps, 1, 0x7fff), "/a+6fff");
	assert_string_equal(place(prof, maps, 1, 0x8000), "/c+0");
	assert_string_equal(place(prof, maps, 1, 0xa000), "[unknown]+a000");
	assert_string_equal(place(prof, maps, 2, 0x3000), "[unknown]+3000");
	maps_unmap(maps, 1, 0x2000, 0x8800);
	assert_string_equal(place(prof, maps, 1, 0x1fff), "/a+fff");
	assert_string_equal(place(prof, maps, 1, 0x5000), "[unknown]+5000");
	assert_string_equal(place(prof, maps, 1, 0x8800), "/c+800");
	map(maps, 1, "/all", 0, UINT64_MAX, 0);
	assert_string_equal(place(prof, maps, 1, 0x8800), "/all+8800");
	maps_free(maps);
	prof_free(prof);
}

/* Random mappings against one byte of model for each page. */
TEST(random_mappings_are_those_of_the_model)
{
	struct prof *prof = prof_new(0, 0);
	struct maps *maps = maps_new(&prof->sink);
	uint8_t model[256] = {0};
	uint64_t seed = 5;

	for (int round = 0; round < 3000; round++) {
		uint64_t first = random_number(&seed) % 256;
		uint64_t end = first + random_number(&seed) % 40;
		unsigned int name = 1 + random_number(&seed) % 200;
		char text[8];

		if (end > 256)
			end = 256;
		snprintf(text, sizeof(text), "/%u", name);
		if (round % 5)
			map(maps, 7, text, first * 4096, end * 4096, first * 4096);
		else
			maps_unmap(maps, 7, first * 4096, end * 4096);
		for (uint64_t page = first; page < end; page++)
			model[page] = round % 5 ? (uint8_t)name : 0;
		for (uint64_t page = 0; page < 256; page += 1 + random_number(&seed) % 30) {
			struct prof_frame frame;
			uint64_t address = page * 4096 + random_number(&seed) % 4096;

			assert_int_equal(maps_find(maps, 7, address, &frame), model[page] > 0);
			assert_int_equal(frame.offset, address);
			if (model[page]) {
				snprintf(text, sizeof(text), "/%u", model[page]);
				assert_string_equal(prof->images[frame.image].path, text);
			}
		}
	}
	maps_free(maps);
	prof_free(prof);
}

TEST(processes_have_their_own)
{
	struct prof *prof = prof_new(0, 0);
	struct maps *maps = maps_new(&prof->sink);
	const struct prof_image heap = {.kind = PROF_ANON,
					.path = "[heap]",
					.start = 0x8000,
					.end = 0x9000,
					.pid = PROF_ANY};
	struct prof_frame one, two;

	map(maps, 1, "/prog", 0x1000, 0x2000, 0);
	map(maps, 1, "/lib", 0x5000, 0x6000, 0);
	maps_map(maps, 1, &heap);
	maps_comm(maps, 1, 1, "parent");
	maps_comm(maps, 1, 11, "thread");
	maps_fork(maps, 2, 2, 1, 11);
	/* a child has its parent's, until either changes */
	assert_string_equal(place(prof, maps, 2, 0x5000), "/lib+0");
	map(maps, 2, "/other", 0x5000, 0x6000, 0);
	assert_string_equal(place(prof, maps, 2, 0x5000), "/other+0");
	assert_string_equal(place(prof, maps, 1, 0x5000), "/lib+0");
	assert_string_equal(prof->images[maps_app(maps, 2)].path, "/prog");
	assert_string_equal(prof->strings[maps_comm_of(maps, 2, 2)], "thread");
	assert_string_equal(prof->strings[maps_comm_of(maps, 1, 99)], "parent");
	/* memory without a file is another image in each process */
	assert_true(maps_find(maps, 1, 0x8010, &one));
	assert_true(maps_find(maps, 2, 0x8010, &two));
	assert_int_equal(one.offset, 0x10);
	assert_int_not_equal(one.image, two.image);
	assert_int_equal(prof->images[two.image].pid, 2);
	/* a new program */
	maps_exec(maps, 2);
	maps_runs(maps, 2);
	assert_string_equal(place(prof, maps, 2, 0x1000), "[unknown]+1000");
	assert_int_equal(maps_app(maps, 2), PROF_NO_IMAGE);
	map(maps, 2, "/new", 0x1000, 0x2000, 0);
	assert_string_equal(prof->images[maps_app(maps, 2)].path, "/new");
	/* late samples of a process that ended, and of the next one with its pid */
	maps_exit(maps, 2, 2);
	assert_string_equal(place(prof, maps, 2, 0x1000), "/new+0");
	maps_fork(maps, 2, 2, 1, 1);
	assert_string_equal(place(prof, maps, 2, 0x5000), "/lib+0");
	for (int64_t pid = 100; pid < 5000; pid++) {
		maps_fork(maps, pid, pid, 1, 1);
		maps_exit(maps, pid, pid);
	}
	assert_string_equal(place(prof, maps, 2, 0x5000), "/lib+0");
	assert_string_equal(place(prof, maps, 100, 0x5000), "[unknown]+5000");
	assert_string_equal(place(prof, maps, 4999, 0x5000), "/lib+0");
	maps_free(maps);
	prof_free(prof);
}

TEST(who_executes_a_program_is_known_until_it_runs)
{
	struct prof *prof = prof_new(0, 0);
	struct maps *maps = maps_new(&prof->sink);

	map(maps, 1, "/shell", 0x1000, 0x2000, 0);
	map(maps, 1, "/lib", 0x5000, 0x6000, 0);
	maps_fork(maps, 2, 2, 1, 1);
	maps_exec(maps, 2);
	assert_string_equal(place(prof, maps, 2, 0x5010), "/lib+10");
	assert_string_equal(prof->images[maps_app(maps, 2)].path, "/shell");
	map(maps, 2, "/new", 0x1000, 0x2000, 0);
	assert_string_equal(prof->images[maps_app(maps, 2)].path, "/new");
	assert_string_equal(place(prof, maps, 2, 0x5010), "/lib+10");
	/* it runs: what is not its own is not known */
	assert_string_equal(place(prof, maps, 2, 0x1000), "/new+0");
	assert_string_equal(place(prof, maps, 2, 0x5010), "[unknown]+5010");
	/* as for a process that was not forked by one that is known */
	maps_exec(maps, 1);
	maps_begin(maps, 1);
	assert_string_equal(place(prof, maps, 1, 0x5010), "[unknown]+5010");
	assert_int_equal(maps_app(maps, 1), PROF_NO_IMAGE);
	maps_free(maps);
	prof_free(prof);
}

TEST(the_kernel_is_everywhere)
{
	struct prof *prof = prof_new(0, 0);
	struct maps *maps = maps_new(&prof->sink);
	const struct prof_image kernel = {.kind = PROF_KERNEL,
					  .is_kernel = true,
					  .path = "kallsyms",
					  .start = 0xffffffff81000000,
					  .end = 0xffffffff82000000};
	struct prof_frame frame;

	maps_map(maps, MAPS_KERNEL, &kernel);
	assert_true(maps_find(maps, MAPS_KERNEL, 0xffffffff81000123, &frame));
	assert_int_equal(frame.offset, 0x123);
	assert_false(maps_find(maps, MAPS_KERNEL, 0xffffffffc0000000, &frame));
	assert_int_equal(frame.image, PROF_NO_KERNEL_IMAGE);
	maps_free(maps);
	prof_free(prof);
}
