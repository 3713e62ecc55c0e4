// SPDX-License-Identifier: GPL-2.0-or-later
#include "driver.h"

#include <errno.h>
#include <fcntl.h>
#include <time.h>

#define LARGEST (1 << 20)

void fuzz_must(int condition, const char *what)
{
	if (condition)
		return;
	fprintf(stderr, "fuzz: %s\n", what);
	abort();
}

static char input[64];

static void remove_file(void)
{
	unlink(input);
}

/* In memory where there is such a directory: readers sync what they repair. */
const char *fuzz_file(const void *bytes, size_t size)
{
	int fd;

	if (!*input) {
		snprintf(input, sizeof(input), "%s/oprofile-fuzz.%d",
			 access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm", getpid());
		atexit(remove_file);
	}
	fd = open(input, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	fuzz_must(fd >= 0 && write(fd, bytes, size) == (ssize_t)size, "no file for the input");
	close(fd);
	return input;
}

#ifndef LIBFUZZER

static uint8_t data[LARGEST];

static size_t below(size_t n)
{
	return (size_t)rand() % n;
}

/* One random change. */
static size_t change(size_t size)
{
	static const uint64_t words[] = {
		0, 1, UINT64_MAX, UINT64_MAX - 1, INT32_MAX, 0x80000000, 2, 3, 4, 5, 6,
		7, 8, 9,	  0x1000};
	size_t at = size ? below(size) : 0, length;

	switch (below(6)) {
	case 0: /* a byte */
		if (size)
			data[at] = (uint8_t)rand();
		break;
	case 1: /* a word, where words lie */
		at &= ~(size_t)7;
		if (at + 8 <= size)
			memcpy(data + at, &words[below(sizeof(words) / 8)], 8);
		break;
	case 2: /* the end is cut off */
		size = at;
		break;
	case 3: /* a part is missing */
		length = below(size - at + 1);
		memmove(data + at, data + at + length, size - at - length);
		size -= length;
		break;
	case 4: /* a part comes twice */
		length = below(size - at + 1);
		if (size + length <= LARGEST) {
			memmove(data + at + length, data + at, size - at);
			size += length;
		}
		break;
	default: /* a bit */
		if (size)
			data[at] ^= (uint8_t)(1u << below(8));
		break;
	}
	return size;
}

/* Seeds up to this size are damaged bit by bit, in the first of their bytes. */
#define SYSTEMATIC_SEED	 4096
#define SYSTEMATIC_BYTES 512

/* A seed, each bit of it changed, or, if @quick, one of each byte, and each of its beginnings. */
static void run_systematic(const struct fuzz_seed *seed, bool quick)
{
	size_t most = seed->size < SYSTEMATIC_BYTES ? seed->size : SYSTEMATIC_BYTES;

	LLVMFuzzerTestOneInput(seed->bytes, seed->size);
	if (seed->size > SYSTEMATIC_SEED)
		return;
	memcpy(data, seed->bytes, seed->size);
	for (size_t bit = 0; bit < most * 8; bit++) {
		if (quick && bit % 8 != bit / 8 % 8) /* another one than in the byte before */
			continue;
		data[bit / 8] ^= (uint8_t)(1u << bit % 8);
		LLVMFuzzerTestOneInput(data, seed->size);
		data[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	for (size_t size = 0; size < most; size++)
		LLVMFuzzerTestOneInput(data, size);
}

/* Until @iterations inputs were given, or @seconds have gone by if that is not 0. */
static void run_random(unsigned int iterations, time_t seconds, bool quick)
{
	time_t begin = time(NULL);
	size_t seeds = 0;
	unsigned int i;

	while (fuzz_seeds[seeds].bytes)
		run_systematic(&fuzz_seeds[seeds++], quick);
	srand(1);
	for (i = 0; seconds ? time(NULL) - begin < seconds : i < iterations; i++) {
		const struct fuzz_seed *seed = &fuzz_seeds[below(seeds)];
		size_t size = seed->size;

		memcpy(data, seed->bytes, size);
		for (size_t changes = 1 + below(8); changes; changes--)
			size = change(size);
		LLVMFuzzerTestOneInput(data, size);
	}
	printf("%u inputs\n", i);
}

static void run_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	size_t size;

	if (!file) {
		perror(path);
		exit(1);
	}
	size = fread(data, 1, sizeof(data), file);
	fclose(file);
	LLVMFuzzerTestOneInput(data, size);
}

int main(int argc, char **argv)
{
	bool quick = argc == 1;
	unsigned int iterations = quick ? fuzz_iterations / 4 : fuzz_iterations;
	time_t seconds = 0;
	int first = 1;

	if (argc == 2 && !strcmp(argv[1], "-w")) {
		first = 2;
	} else if (argc > 2 && !strcmp(argv[1], "-n")) {
		iterations = (unsigned int)strtoul(argv[2], NULL, 10);
		first = 3;
	} else if (argc > 2 && !strcmp(argv[1], "-s")) {
		seconds = (time_t)strtoul(argv[2], NULL, 10);
		first = 3;
	}
	if (first == argc)
		run_random(iterations, seconds, quick);
	for (int i = first; i < argc; i++)
		run_file(argv[i]);
	return 0;
}

#endif
