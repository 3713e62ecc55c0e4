// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How fast the daemon counts: replays recordings made for the purpose, and prints a line
 * "NAME VALUE UNIT" for each.
 *
 *	one_image	all samples in one image
 *	switch_8	another image every 8 samples
 *	switch_1	another image at every sample
 *	trace_8		a call graph of 8 callers behind every sample
 *
 * There are 64 images with 4,096 places each (one image: 65,536 places), four kernel samples in
 * a hundred are mixed in with switch_8, and buffers are as the kernel makes them by default.
 * Each number is the best of three.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "daemon/profile.h"
#include "libop/file.h"
#include "libop/session.h"
#include "recording.h"

#define SAMPLES	     (1 << 22)
#define IMAGES	     64
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
};

static const struct shape shapes[] = {
	{ "one_image", 1, 65536, 0, 0, 0 },
	{ "switch_8", IMAGES, 4096, 8, 0, 4 },
	{ "switch_1", IMAGES, 4096, 1, 0, 0 },
	{ "trace_8", IMAGES, 4096, 1, 8, 0 },
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
}

static void switch_image(struct maker *maker)
{
	bool kernel = random_number() % 100 < maker->shape->kernel;

	if (kernel != maker->in_kernel)
		escape(maker, kernel ? OPROFILE_KERNEL_ENTER : OPROFILE_USER_ENTER);
	maker->in_kernel = kernel;
	if (kernel)
		return;
	escape(maker, OPROFILE_COOKIE_SWITCH);
	put(maker, FIRST_COOKIE + random_number() % maker->shape->images);
}

/* Few places have most of the samples, as in a real profile. */
static void put_sample(struct maker *maker)
{
	uint32_t places = maker->shape->places, range = places;

	while (range > 16 && random_number() % 2)
		range /= 4;
	put(maker, (maker->in_kernel ? STEXT : 0) + 16 * (uint64_t)(random_number() % range));
	put(maker, 0);
}

static void make_recording(const char *path, const struct shape *shape)
{
	static struct maker maker;
	char name[64];

	maker = (struct maker){ .out = recording_begin(path), .shape = shape };
	if (!maker.out)
		die(path);
	for (unsigned int i = 0; i < shape->images; i++) {
		snprintf(name, sizeof(name), "/usr/lib/library-%u.so", i);
		recording_image(maker.out, FIRST_COOKIE + i, name, 1000 + i);
	}
	begin_buffer(&maker);
	for (uint32_t i = 0; i < SAMPLES; i++) {
		if (maker.count + 64 > BUFFER_WORDS) {
			recording_buffer(maker.out, maker.words, maker.count);
			maker.count = 0;
			begin_buffer(&maker);
		}
		if (shape->run && i % shape->run == 0)
			switch_image(&maker);
		if (shape->callers)
			escape(&maker, OPROFILE_TRACE_BEGIN);
		for (unsigned int frame = 0; frame <= shape->callers; frame++)
			put_sample(&maker);
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

static double replay(const char *session_dir, const char *recording)
{
	struct profile_config config = { .session_dir = session_dir };
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
	if (profile.stats.value[STAT_STORED] != SAMPLES)
		op_die(OP_EXIT_FAILURE, "%" PRIu64 " samples stored, not %d",
		       profile.stats.value[STAT_STORED], SAMPLES);
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

	make_recording(recording, shape);
	for (int i = 0; i < ROUNDS; i++) {
		double seconds;

		op_walk(session, remove_file, NULL, NULL);
		seconds = replay(session, recording);
		if (!best || seconds < best)
			best = seconds;
	}
	printf("replay_%s %.1f Msamples/s\n", shape->name, SAMPLES / best / 1e6);
	fflush(stdout);
	free(recording);
	free(session);
}

int main(int argc, char **argv)
{
	const char *base = getenv("TMPDIR"), *only = argc > 1 ? argv[1] : NULL;
	char *dir = op_path("%s/oprofile-bench-XXXXXX", base ? base : "/tmp"), *remove;

	op_program_set(argv[0]);
	if (!dir || !mkdtemp(dir))
		die("mkdtemp");
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
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
