// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What all formats stand on: inputs, address spaces, the tree that samples are added up in, and
 * the layout that gives images addresses.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "describe.h"
#include "pp/formats/input.h"
#include "pp/formats/maps.h"
#include "pp/formats/profile.h"

static uint64_t random_number(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * UINT64_C(0x2545f4914f6cdd1d);
}

/* ---- inputs ---- */

#define BIG 700000 /* more than a buffer */

static uint8_t content[BIG];

enum source { MEMORY, PLAIN_FILE, GZIP_FILE, GZIP_MEMBERS, PIPE, SOURCES };

static char path[64];

static void write_gzip(const char *mode, const uint8_t *bytes, unsigned int n)
{
	gzFile out = gzopen(path, mode);

	assert_non_null(out);
	assert_int_equal(gzwrite(out, bytes, n), n);
	assert_int_equal(gzclose(out), Z_OK);
}

/* The same bytes from each kind of source. */
static struct input *open_source(enum source source)
{
	struct op_error error;
	struct input *input;
	int fd;

	if (source == MEMORY)
		return input_of_bytes("memory", content, BIG);
	if (source == PIPE) {
		int ends[2];

		assert_int_equal(pipe(ends), 0);
		if (!fork()) {
			/* what the parent does not read is left unwritten */
			for (size_t at = 0, n; at < BIG; at += n) {
				n = BIG - at < 7000 ? BIG - at : 7000;
				if (write(ends[1], content + at, n) != (ssize_t)n)
					_exit(1);
			}
			_exit(0);
		}
		close(ends[1]);
		fd = dup(STDIN_FILENO);
		assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
		close(ends[0]);
		input = input_open("-", &error);
		dup2(fd, STDIN_FILENO);
		close(fd);
	} else {
		fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
		assert_int_equal(write(fd, content, BIG), BIG);
		close(fd);
		if (source == GZIP_FILE)
			write_gzip("wb", content, BIG);
		if (source == GZIP_MEMBERS) {
			write_gzip("wb", content, 1000);
			write_gzip("ab", content + 1000, BIG - 1000);
		}
		input = input_open(path, &error);
	}
	if (!input)
		fail_msg("%s", error.text);
	return input;
}

static int setup(void **state)
{
	uint64_t seed = 1;

	(void)state;
	snprintf(path, sizeof(path), "/tmp/formats_model.%d", getpid());
	for (size_t i = 0; i < BIG; i++)
		content[i] = (uint8_t)random_number(&seed);
	memcpy(content, "no magic", 8);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unlink(path);
	return 0;
}

static void every_source_gives_the_same_bytes(void **state)
{
	(void)state;
	for (enum source source = MEMORY; source < SOURCES; source++) {
		struct input *input = open_source(source);
		struct op_error error;
		const uint8_t *bytes;
		uint64_t seed = 2, at = 0;

		while (at < BIG) {
			size_t n = random_number(&seed) % 5000;

			if (n > BIG - at)
				n = (size_t)(BIG - at);
			switch (random_number(&seed) % 3) {
			case 0:
				assert_int_equal(input_peek(input, n, &bytes, &error), n);
				assert_memory_equal(bytes, content + at, n);
				break;
			case 1:
				bytes = input_take(input, n, &error);
				assert_non_null(bytes);
				assert_memory_equal(bytes, content + at, n);
				at += n;
				break;
			default:
				assert_int_equal(input_skip(input, n, &error), 0);
				at += n;
			}
			assert_int_equal(input_offset(input), at);
		}
		assert_int_equal(input_at_end(input, &error), 1);
		assert_int_equal(input_peek(input, 5, &bytes, &error), 0);
		assert_null(input_take(input, 1, &error));
		assert_int_equal(error.code, ENODATA);
		assert_non_null(strstr(error.text, "byte 700000: "));
		assert_int_equal(input_skip(input, 1, &error), -1);
		input_close(input);
	}
}

static void every_source_can_be_made_seekable(void **state)
{
	(void)state;
	for (enum source source = MEMORY; source < SOURCES; source++) {
		struct input *input = open_source(source);
		struct op_error error;
		const uint8_t *bytes;
		uint64_t seed = 3;

		assert_int_equal(input_peek(input, 100, &bytes, &error), 100);
		assert_int_equal(input_seekable(input, &error), 0);
		assert_int_equal(input_size(input), BIG);
		for (int i = 0; i < 200; i++) {
			uint64_t at = random_number(&seed) % BIG;
			size_t n = random_number(&seed) % 300;

			assert_int_equal(input_seek(input, at, &error), 0);
			if (n > BIG - at)
				n = (size_t)(BIG - at);
			bytes = input_take(input, n, &error);
			assert_non_null(bytes);
			assert_memory_equal(bytes, content + at, n);
		}
		assert_int_equal(input_seek(input, BIG + 1, &error), -1);
		assert_int_equal(error.code, ENODATA);
		input_close(input);
	}
}

static void lines_end_somehow(void **state)
{
	static const char text[] = "one\n\nthree\0x\nlast";
	struct input *input = input_of_bytes("text", text, sizeof(text) - 1);
	struct op_error error;
	size_t n;
	char *line;

	(void)state;
	assert_int_equal(input_line(input, 10, &line, &n, &error), 1);
	assert_string_equal(line, "one");
	assert_int_equal(input_line(input, 10, &line, &n, &error), 1);
	assert_int_equal(n, 0);
	assert_int_equal(input_line(input, 10, &line, &n, &error), 1);
	assert_int_equal(n, 7);
	assert_int_equal(input_offset(input), 13);
	assert_int_equal(input_line(input, 10, &line, &n, &error), 1);
	assert_string_equal(line, "last");
	assert_int_equal(input_line(input, 10, &line, &n, &error), 0);
	input_close(input);
	input = input_of_bytes("text", text, sizeof(text) - 1);
	assert_int_equal(input_line(input, 2, &line, &n, &error), -1);
	assert_string_equal(error.text, "text: byte 0: a line is longer than 2 bytes");
	input_close(input);
}

static void damaged_gzip_is_an_error(void **state)
{
	struct op_error error;
	struct input *input;
	int fd;

	(void)state;
	write_gzip("wb", content, BIG);
	assert_int_equal(truncate(path, 5000), 0);
	input = input_open(path, &error);
	assert_non_null(input);
	assert_null(input_rest(input, 2 * BIG, &(size_t){0}, &error));
	assert_non_null(strstr(error.text, "gzip data are damaged (they end early)"));
	input_close(input);
	write_gzip("wb", content, BIG);
	fd = open(path, O_WRONLY);
	assert_int_equal(pwrite(fd, "\xff\xff\xff\xff\xff\xff\xff\xff", 8, 3000), 8);
	close(fd);
	input = input_open(path, &error);
	assert_null(input_rest(input, 2 * BIG, &(size_t){0}, &error));
	input_close(input);
}

static void more_than_wanted_is_an_error(void **state)
{
	struct input *input = input_of_bytes("memory", content, BIG);
	struct op_error error;
	uint8_t *bytes;
	size_t n;

	(void)state;
	assert_null(input_rest(input, BIG - 1, &n, &error));
	assert_int_equal(error.code, EFBIG);
	bytes = input_rest(input, BIG, &n, &error);
	assert_non_null(bytes);
	assert_int_equal(n, BIG);
	assert_int_equal(bytes[n], 0);
	free(bytes);
	input_close(input);
}

/* ---- address spaces ---- */

static struct prof_image file_at(const char *name, uint64_t start, uint64_t end, uint64_t offset)
{
	return (struct prof_image){
		.kind = PROF_FILE, .path = name, .start = start, .end = end, .offset = offset,
		.pid = PROF_ANY};
}

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

static void mappings_cover_older_ones(void **state)
{
	struct prof *prof = prof_new(0, 0);
	struct maps *maps = maps_new(&prof->sink);

	(void)state;
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
static void random_mappings_are_those_of_the_model(void **state)
{
	struct prof *prof = prof_new(0, 0);
	struct maps *maps = maps_new(&prof->sink);
	uint8_t model[256] = {0};
	uint64_t seed = 5;

	(void)state;
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

static void processes_have_their_own(void **state)
{
	struct prof *prof = prof_new(0, 0);
	struct maps *maps = maps_new(&prof->sink);
	const struct prof_image heap = {.kind = PROF_ANON, .path = "[heap]", .start = 0x8000,
					.end = 0x9000, .pid = PROF_ANY};
	struct prof_frame one, two;

	(void)state;
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

static void the_kernel_is_everywhere(void **state)
{
	struct prof *prof = prof_new(0, 0);
	struct maps *maps = maps_new(&prof->sink);
	const struct prof_image kernel = {.kind = PROF_KERNEL, .is_kernel = true, .path = "kallsyms",
					  .start = 0xffffffff81000000, .end = 0xffffffff82000000};
	struct prof_frame frame;

	(void)state;
	maps_map(maps, MAPS_KERNEL, &kernel);
	assert_true(maps_find(maps, MAPS_KERNEL, 0xffffffff81000123, &frame));
	assert_int_equal(frame.offset, 0x123);
	assert_false(maps_find(maps, MAPS_KERNEL, 0xffffffffc0000000, &frame));
	assert_int_equal(frame.image, PROF_NO_KERNEL_IMAGE);
	maps_free(maps);
	prof_free(prof);
}

/* ---- adding up ---- */

#define SAMPLES 3000

struct made_sample {
	struct prof_frame frames[4];
	size_t depth;
	struct prof_value value;
	unsigned int image[4];
	int pid;
};

static void make_sample(struct made_sample *sample, uint64_t *seed)
{
	sample->depth = random_number(seed) % 5;
	for (size_t i = 0; i < sample->depth; i++) {
		sample->image[i] = random_number(seed) % 3;
		sample->frames[i].offset = random_number(seed) % 3;
	}
	sample->pid = (int)(random_number(seed) % 2);
	sample->value.event = random_number(seed) % 2;
	sample->value.count = 1 + random_number(seed) % 3;
	sample->value.events = sample->value.count * 1000;
}

/* Pushes the samples in another order, with images and events made as they come. */
static char *add_up(const struct made_sample *samples, const size_t *order)
{
	static const char *const names[] = {"/b", "/a", "/c"}, *const events[] = {"e0", "e1"};
	struct prof *prof = prof_new(PROF_BY_PID, 0);
	struct op_error error;
	char *text;

	/* the order of events is that of the recording, so it is the same in all */
	for (unsigned int i = 0; i < 2; i++) {
		const struct prof_event event = {.name = events[i], .period = 1000};

		assert_int_equal(prof->sink.event(&prof->sink, &event), i);
	}
	for (size_t i = 0; i < SAMPLES; i++) {
		const struct made_sample *made = &samples[order[i]];
		struct prof_frame frames[4];
		struct prof_sample sample = {.frames = frames, .depth = made->depth,
					     .values = &made->value, .n_values = 1,
					     .pid = made->pid, .tid = 5, .cpu = 6};

		for (size_t k = 0; k < made->depth; k++) {
			const struct prof_image image = file_at(names[made->image[k]], 0, 0, 0);

			frames[k].image = prof->sink.image(&prof->sink, &image);
			frames[k].offset = made->frames[k].offset;
		}
		assert_int_equal(prof->sink.sample(&prof->sink, &sample, &error), 0);
	}
	prof_finish(prof);
	text = describe_samples(prof);
	prof_free(prof);
	return text;
}

static void the_order_of_samples_does_not_matter(void **state)
{
	static struct made_sample samples[SAMPLES];
	size_t order[SAMPLES];
	uint64_t seed = 9;
	char *first = NULL;

	(void)state;
	for (size_t i = 0; i < SAMPLES; i++) {
		make_sample(&samples[i], &seed);
		order[i] = i;
	}
	for (int round = 0; round < 5; round++) {
		char *text = add_up(samples, order);

		if (first)
			assert_string_equal(text, first);
		else
			first = strdup(text);
		free(text);
		for (size_t i = SAMPLES - 1; i; i--) {
			size_t k = random_number(&seed) % (i + 1), was = order[i];

			order[i] = order[k];
			order[k] = was;
		}
	}
	free(first);
}

static void stacks_are_added_up(void **state)
{
	struct prof *prof = prof_new(0, 0);
	const struct prof_image image = file_at("/a", 0, 0, 0);
	const struct prof_event event = {.name = "cycles", .period = 10};
	uint32_t a = prof->sink.image(&prof->sink, &image);
	uint32_t e = prof->sink.event(&prof->sink, &event);
	const struct prof_value one = {e, 1, 10}, large = {e, UINT64_MAX, UINT64_MAX};
	const struct prof_frame frames[] = {{a, 1}, {a, 2}, {a, 3}};
	struct prof_sample sample = {.frames = frames, .depth = 3, .values = &one, .n_values = 1,
				     .pid = 1, .tid = 1, .cpu = 1, .time = 50};
	struct prof_cursor cursor = {0};

	(void)state;
	assert_int_equal(prof->sink.sample(&prof->sink, &sample, NULL), 0);
	sample.time = 70;
	assert_int_equal(prof->sink.sample(&prof->sink, &sample, NULL), 0);
	sample.frames = frames + 1;
	sample.depth = 2;
	sample.values = &large;
	assert_int_equal(prof->sink.sample(&prof->sink, &sample, NULL), 0);
	sample.values = &one;
	assert_int_equal(prof->sink.sample(&prof->sink, &sample, NULL), 0);
	prof_finish(prof);
	assert_int_equal(prof_nodes(prof), 3);
	assert_int_equal(prof_count(prof), 2);
	assert_int_equal(prof->first_time, 50);
	assert_int_equal(prof->last_time, 70);
	assert_true(prof_next(prof, &cursor, &sample));
	assert_int_equal(sample.depth, 2);
	assert_int_equal(sample.frames[0].offset, 2);
	assert_int_equal(sample.frames[1].offset, 3);
	assert_true(sample.values[0].count == UINT64_MAX); /* not wrapped */
	assert_int_equal(sample.pid, PROF_ANY);
	assert_true(prof_next(prof, &cursor, &sample));
	assert_int_equal(sample.depth, 3);
	assert_int_equal(sample.values[0].count, 2);
	assert_int_equal(sample.values[0].events, 20);
	assert_false(prof_next(prof, &cursor, &sample));
	prof_cursor_free(&cursor);
	prof_free(prof);
}

static void memory_is_bounded(void **state)
{
	struct prof *prof = prof_new(0, 100);
	const struct prof_event event = {.name = "cycles"};
	const struct prof_value value = {prof->sink.event(&prof->sink, &event), 1, 1};
	struct op_error error;
	uint64_t n = 0;

	(void)state;
	for (;; n++) {
		const struct prof_frame frame = {PROF_NO_IMAGE, n};
		const struct prof_sample sample = {.frames = &frame, .depth = 1, .values = &value,
						   .n_values = 1};

		if (prof->sink.sample(&prof->sink, &sample, &error))
			break;
	}
	assert_int_equal(n, 100);
	assert_int_equal(error.code, ENOSPC);
	prof_finish(prof);
	assert_int_equal(prof_count(prof), 100);
	prof_free(prof);
}

static void build_ids_may_come_later(void **state)
{
	struct prof *prof = prof_new(0, 0);
	struct prof_image image = file_at("/a", 0, 0, 0), other = file_at("/b", 0, 0, 0);
	uint32_t a = prof->sink.image(&prof->sink, &image);
	uint32_t b = prof->sink.image(&prof->sink, &other);

	(void)state;
	image.build_id_length = 200; /* is cut to what there is room for */
	image.build_id[0] = 7;
	prof->sink.image_build_id(&prof->sink, &image);
	assert_int_equal(prof->images[a].build_id_length, PROF_BUILD_ID_MOST);
	assert_int_equal(prof->images[a].build_id[0], 7);
	assert_int_equal(prof->images[b].build_id_length, 0);
	image.build_id[0] = 8;
	prof->sink.image_build_id(&prof->sink, &image);
	assert_int_equal(prof->images[a].build_id[0], 7);
	prof_free(prof);
}

/* ---- layout ---- */

static void images_get_addresses_of_their_own(void **state)
{
	static const struct {
		enum prof_image_kind kind;
		bool is_kernel;
		const char *path;
		uint64_t start, end, offset, low, high; /* mapping, or 0; offsets that occur */
		bool keeps;
	} cases[] = {
		{PROF_FILE, false, "/kept", 0x555500001000, 0x555500009000, 0x1000, 0x1000, 0x8fff, true},
		{PROF_FILE, false, "/overlaps", 0x555500002000, 0x555500003000, 0, 0, 0xfff, false},
		{PROF_FILE, false, "/outside", 0x7f0000001000, 0x7f0000002000, 0x1000, 0x500, 0x2000,
		 false},
		{PROF_FILE, false, "/nowhere", 0, 0, 0, 0x1234, 0x99999, false},
		{PROF_FILE, false, "/nowhere2", 0, 0, 0, 0x10, 0x20, false},
		{PROF_ANON, false, "[heap]", 0x1000000, 0x1010000, 0, 0, 0xffff, true},
		{PROF_KERNEL, true, "kallsyms", 0, 0, 0, 0, 0xffffff, false},
		{PROF_MODULE, true, "ext4", 0, 0, 0, 0x10, 0x40000, false},
		{PROF_MODULE, true, "xfs", 0xffffffffc0100000, 0xffffffffc0200000, 0, 0, 5, true},
	};
	struct prof *prof = prof_new(0, 0);
	const struct prof_event event = {.name = "cycles"};
	const struct prof_value value = {prof->sink.event(&prof->sink, &event), 1, 1};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct prof_image image = {
			.kind = cases[i].kind, .is_kernel = cases[i].is_kernel,
			.path = cases[i].path, .start = cases[i].start, .end = cases[i].end,
			.offset = cases[i].offset, .pid = 1};
		uint32_t id = prof->sink.image(&prof->sink, &image);
		const struct prof_frame frames[] = {{id, cases[i].low}, {id, cases[i].high}};
		const struct prof_sample sample = {.frames = frames, .depth = 2, .values = &value,
						   .n_values = 1};

		assert_int_equal(prof->sink.sample(&prof->sink, &sample, NULL), 0);
	}
	prof_finish(prof);
	prof_layout(prof);
	for (size_t i = 2; i < prof->n_images; i++) {
		const struct prof_image *image = &prof->images[i];
		size_t c = 0;

		while (strcmp(cases[c].path, image->path))
			c++;
		assert_true(image->start < image->end);
		assert_int_equal(image->start >> 63, image->is_kernel);
		for (int high = 0; high < 2; high++) {
			const struct prof_frame frame = {
				(uint32_t)i, high ? cases[c].high : cases[c].low};

			assert_in_range(prof_address(prof, &frame), image->start, image->end - 1);
		}
		if (image->kind == PROF_FILE)
			assert_int_equal(image->start % 4096, image->offset % 4096);
		if (cases[c].keeps)
			assert_true(image->start == cases[c].start && image->end == cases[c].end);
		for (size_t k = 2; k < i; k++)
			assert_true(image->start >= prof->images[k].end ||
				    image->end <= prof->images[k].start);
	}
	prof_free(prof);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_source_gives_the_same_bytes),
		cmocka_unit_test(every_source_can_be_made_seekable),
		cmocka_unit_test(lines_end_somehow),
		cmocka_unit_test(damaged_gzip_is_an_error),
		cmocka_unit_test(more_than_wanted_is_an_error),
		cmocka_unit_test(mappings_cover_older_ones),
		cmocka_unit_test(random_mappings_are_those_of_the_model),
		cmocka_unit_test(processes_have_their_own),
		cmocka_unit_test(the_kernel_is_everywhere),
		cmocka_unit_test(the_order_of_samples_does_not_matter),
		cmocka_unit_test(stacks_are_added_up),
		cmocka_unit_test(memory_is_bounded),
		cmocka_unit_test(build_ids_may_come_later),
		cmocka_unit_test(images_get_addresses_of_their_own),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
