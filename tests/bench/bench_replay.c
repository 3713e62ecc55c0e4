// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How fast the daemon counts: replays recordings made for the purpose, and prints a line
 * "NAME VALUE UNIT" for each.
 *
 *	one_image	all samples in one image
 *	switch_8	another image every 8 samples
 *	switch_1	another image at every sample
 *	switch_1_wide	the same with so many places that no cache holds their counts
 *	trace_8		a call graph of 8 callers behind every sample; another image every 8 samples
 *	paths_30	distinct stacks of 30 frames, which part at 20 of them: 2 nodes a stack
 *	apart_30	distinct stacks of 30 frames that part next to the root: 28 nodes a stack
 *
 * There are 32 images with 1,024 places each (one_image: 16,384 places; switch_1_wide: 64 images
 * with 4,096 places each).  Half of the samples are in a quarter of the places, half of those in
 * a quarter of these, and so on.  In switch_8, four runs in a hundred are kernel code.  Buffers
 * are as full as the kernel makes them by default.  Each number is the best of three.
 *
 *	bench_replay [NAME]			measures all, or one
 *	bench_replay --record NAME SAMPLES FILE	makes a recording for oprofiled --replay
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "daemon/count/profile.h"
#include "libop/base/array.h"
#include "libop/base/file.h"
#include "libop/session/paths.h"
#include "libop/session/tree.h"
#include "recording.h"

#define FIRST_COOKIE 0x1000
#define STEXT	     UINT64_C(0xffffffff81000000)
#define BUFFER_WORDS 98304 /* of 131,072, at the watershed */
#define ROUNDS	     3

struct shape {
	const char *name;
	unsigned int images, places;
	unsigned int run;     /* samples between two switches; 0: none */
	unsigned int callers; /* of each sample */
	unsigned int kernel;  /* in a hundred runs */
	uint32_t samples;
	enum { NEAR, PATHS, APART } kind; /* of stacks */
};

#define MANY (1u << 22)

static const struct shape shapes[] = {
	{"one_image", 1, 16384, 0, 0, 0, MANY, NEAR},
	{"switch_8", 32, 1024, 8, 0, 4, MANY, NEAR},
	{"switch_1", 32, 1024, 1, 0, 0, MANY, NEAR},
	{"switch_1_wide", 64, 4096, 1, 0, 0, MANY, NEAR},
	{"trace_8", 32, 1024, 8, 8, 0, MANY, NEAR},
	{"paths_30", 1, 1024, 0, 29, 0, 1u << 20, PATHS},
	{"apart_30", 1, 1024, 0, 29, 0, 1u << 20, APART},
};

static void die(const char *what)
{
	perror(what);
	exit(OP_EXIT_FAILURE);
}

static uint64_t random_state = 1;

static uint32_t random_number(void)
{
	random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)(random_state >> 33);
}

/* ---- recordings ---- */

struct maker {
	FILE *out;
	const struct shape *shape;
	uint64_t words[BUFFER_WORDS];
	size_t count;
	bool in_kernel;
	uint64_t cookie;
};

static void put(struct maker *maker, uint64_t word)
{
	maker->words[maker->count++] = word;
}

static void escape(struct maker *maker, enum oprofile_code code)
{
	put(maker, OPROFILE_ESCAPE_CODE);
	put(maker, code);
}

static void begin_buffer(struct maker *maker)
{
	escape(maker, OPROFILE_CPU_SWITCH);
	put(maker, 0);
	escape(maker, OPROFILE_CTX_SWITCH);
	put(maker, 100);
	put(maker, FIRST_COOKIE);
	escape(maker, OPROFILE_CTX_TGID);
	put(maker, 100);
	escape(maker, OPROFILE_USER_ENTER);
	escape(maker, OPROFILE_COOKIE_SWITCH);
	put(maker, FIRST_COOKIE);
	maker->in_kernel = false;
	maker->cookie = FIRST_COOKIE;
}

static void switch_cookie(struct maker *maker, uint64_t cookie)
{
	escape(maker, OPROFILE_COOKIE_SWITCH);
	put(maker, cookie);
}

static void switch_image(struct maker *maker)
{
	bool kernel = random_number() % 100 < maker->shape->kernel;

	if (kernel != maker->in_kernel)
		escape(maker, kernel ? OPROFILE_KERNEL_ENTER : OPROFILE_USER_ENTER);
	maker->in_kernel = kernel;
	if (kernel)
		return;
	maker->cookie = FIRST_COOKIE + random_number() % maker->shape->images;
	switch_cookie(maker, maker->cookie);
}

/* The addresses of instructions are no multiples of anything. */
static void put_place(struct maker *maker, uint32_t place)
{
	put(maker, (maker->in_kernel ? STEXT : 0) + 11 * (uint64_t)place);
	put(maker, 0);
}

/* Few places have most of the samples, as in a real profile. */
static uint32_t choose_place(const struct maker *maker)
{
	uint32_t range = maker->shape->places;

	while (range > 16 && random_number() % 2)
		range /= 4;
	return random_number() % range;
}

/* A place always has the same callers: first some in its image, then some in another one. */
static void put_callers(struct maker *maker, uint32_t place)
{
	unsigned int callers = maker->shape->callers;

	for (unsigned int i = 0; i < callers; i++) {
		if (i == callers / 2)
			switch_cookie(maker, FIRST_COOKIE);
		place /= 2;
		put_place(maker, place);
	}
}

/* Frame @i from the leaf of stack @number, of 2^20: no other has the same frames. */
static uint32_t place_of_stack(const struct shape *shape, uint32_t number, unsigned int depth,
			       unsigned int i)
{
	unsigned int from_root = depth - 1 - i;

	if (shape->kind == PATHS)
		return 64 * (i < 20 ? (number >> i) % 1024 : 0) + i;
	if (from_root < 2)
		return 64 * (number >> 10 * from_root) % 65536 + 8;
	return (number + from_root) * 0x85ebca6b >> 16;
}

static void put_stack(struct maker *maker, uint32_t number)
{
	unsigned int depth = maker->shape->callers + 1;

	escape(maker, OPROFILE_TRACE_BEGIN);
	switch_cookie(maker, FIRST_COOKIE);
	for (unsigned int i = 0; i < depth; i++)
		put_place(maker, place_of_stack(maker->shape, number, depth, i));
}

static void put_sample(struct maker *maker, uint32_t number)
{
	uint32_t place = choose_place(maker);

	if (maker->shape->kind != NEAR) {
		/* in no order: odd factors make a permutation of 20 bits */
		put_stack(maker, number * 0x9e3779b1 & ((1u << 20) - 1));
		return;
	}
	if (!maker->shape->callers) {
		put_place(maker, place);
		return;
	}
	escape(maker, OPROFILE_TRACE_BEGIN);
	switch_cookie(maker, maker->cookie);
	put_place(maker, place);
	put_callers(maker, place);
}

static void make_recording(const char *path, const struct shape *shape, uint32_t samples)
{
	static struct maker maker;
	char name[64];

	maker = (struct maker){.out = recording_begin(path), .shape = shape};
	if (!maker.out)
		die(path);
	for (unsigned int i = 0; i < shape->images; i++) {
		snprintf(name, sizeof(name), "/usr/lib/library-%u.so", i);
		recording_image(maker.out, FIRST_COOKIE + i, name, 1000 + i);
	}
	begin_buffer(&maker);
	for (uint32_t i = 0; i < samples; i++) {
		if (maker.count + 128 > BUFFER_WORDS) {
			recording_buffer(maker.out, maker.words, maker.count);
			maker.count = 0;
			begin_buffer(&maker);
		}
		if (shape->run && i % shape->run == 0)
			switch_image(&maker);
		put_sample(&maker, i);
	}
	recording_buffer(maker.out, maker.words, maker.count);
	if (recording_end(maker.out))
		die(path);
}

/* ---- replaying ---- */

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double replay(const char *session_dir, const char *recording, uint32_t samples)
{
	struct profile_config config = {.session_dir = session_dir};
	struct profile profile;
	struct op_error error;
	struct source *source;
	double start, end;
	int result;

	if (op_session_make(session_dir, &error))
		op_die(OP_EXIT_FAILURE, "%s", error.text);
	source = source_replay_open(recording, &error);
	if (!source || profile_open(&profile, &config, source, &error))
		op_die(OP_EXIT_FAILURE, "%s", error.text);
	start = now();
	while (!(result = profile_take(&profile, NULL, &error)))
		;
	end = now();
	if (result != SOURCE_END)
		op_die(OP_EXIT_FAILURE, "%s", error.text);
	if (profile.stats.samples.value[STAT_STORED] != samples)
		op_die(OP_EXIT_FAILURE, "%" PRIu64 " samples stored, not %" PRIu32,
		       profile.stats.samples.value[STAT_STORED], samples);
	profile_close(&profile);
	source_close(source);
	return end - start;
}

static int remove_file(const char *path, const struct stat *status, void *context)
{
	(void)status;
	(void)context;
	return unlink(path);
}

static void measure(const char *dir, const struct shape *shape)
{
	char *recording = op_path("%s/recording", dir), *session = op_path("%s/session", dir);
	double best = 0;

	make_recording(recording, shape, shape->samples);
	for (int i = 0; i < ROUNDS; i++) {
		double seconds;

		op_walk(session, remove_file, NULL, NULL);
		seconds = replay(session, recording, shape->samples);
		if (!best || seconds < best)
			best = seconds;
	}
	printf("replay_%s %.1f Msamples/s\n", shape->name, shape->samples / best / 1e6);
	fflush(stdout);
	free(recording);
	free(session);
}

static int record(const char *name, const char *samples, const char *path)
{
	for (size_t i = 0; i < OP_ARRAY_SIZE(shapes); i++) {
		if (strcmp(shapes[i].name, name) != 0)
			continue;
		make_recording(path, &shapes[i], (uint32_t)strtoul(samples, NULL, 10));
		return OP_EXIT_OK;
	}
	op_die(OP_EXIT_USAGE, "no shape is called %s", name);
}

int main(int argc, char **argv)
{
	const char *base = getenv("TMPDIR"), *only = argc > 1 ? argv[1] : NULL;
	char *dir = op_path("%s/oprofile-bench-XXXXXX", base ? base : "/tmp"), *remove;

	op_program_begin(argv[0]);
	if (argc == 5 && !strcmp(argv[1], "--record"))
		return record(argv[2], argv[3], argv[4]);
	if (!dir || !mkdtemp(dir))
		die("mkdtemp");
	for (size_t i = 0; i < OP_ARRAY_SIZE(shapes); i++) {
		if (!only || !strcmp(only, shapes[i].name))
			measure(dir, &shapes[i]);
	}
	remove = op_path("rm -rf '%s'", dir);
	if (!remove || system(remove))
		op_complain("cannot remove %s", dir);
	free(remove);
	free(dir);
	return OP_EXIT_OK;
}
