// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes as a sample file: reading, checking, repairing and adding must end, without a
 * signal, and agree with each other.
 *
 * Built with -fsanitize=fuzzer -DLIBFUZZER this is a libFuzzer target.  Otherwise it has a
 * main() that replays the files given to it, or, with none, changes a sound file at random:
 *
 *	libdb_open [-n ITERATIONS] [FILE...]
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libdb/odb/odb.h"

#define LARGEST (1 << 20) /* bytes of an input */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char path[4200];

/* Repair syncs what it writes, so a disk would take most of the time. */
static void choose_path(void)
{
	const char *base = getenv("TMPDIR");

	if (!base)
		base = access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm";
	snprintf(path, sizeof(path), "%s/libdb_open.%d", base, getpid());
}

static void put_file(const uint8_t *data, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size) {
		perror(path);
		exit(1);
	}
	close(fd);
}

static void must(int condition, const char *what, const char *detail)
{
	if (condition)
		return;
	fprintf(stderr, "libdb_open: %s: %s\n", what, detail);
	abort();
}

/* The sum of a file's counts.  Return: 0, or -1 if it cannot be read. */
static int sum_of(uint64_t *sum)
{
	struct odb_entry *entries, *merged;
	uint64_t merged_sum = 0;
	struct odb_error error;
	ptrdiff_t count, merged_count;
	struct odb *db;

	*sum = 0;
	if (odb_open(&db, path, ODB_READ, NULL, &error)) {
		must(strstr(error.text, path) != NULL, "an error without the file", error.text);
		return -1;
	}
	count = odb_entries(db, &entries, &error);
	must(count >= 0, "no entries", error.text);
	merged_count = odb_entries_by_key(db, &merged, &error);
	must(merged_count >= 0 && merged_count <= count, "not merged", error.text);
	for (ptrdiff_t i = 0; i < count; i++)
		*sum += entries[i].count;
	for (ptrdiff_t i = 0; i < merged_count; i++) {
		must(!i || merged[i - 1].key < merged[i].key, "not sorted", path);
		merged_sum += merged[i].count;
	}
	must(*sum == merged_sum, "sums differ", path);
	free(entries);
	free(merged);
	odb_close(db);
	return 0;
}

static void add_some(void)
{
	uint64_t before, after;
	struct odb_error error;
	struct odb *db;

	if (sum_of(&before) || odb_open(&db, path, ODB_WRITE, NULL, &error))
		return;
	for (uint64_t key = 0; key < 300; key++)
		must(!odb_add(db, key << 32 | key, key & 1 ? 0xffffffff : 1, &error), "add",
		     error.text);
	odb_close(db);
	must(!sum_of(&after) && after - before == 150 * (uint64_t)0x100000000, "sum after adding",
	     path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct odb_repair repair;
	struct odb_error error;
	ptrdiff_t problems;
	uint64_t sum;

	if (size > LARGEST)
		return 0;
	if (!*path)
		choose_path();
	put_file(data, size);
	problems = odb_check(path, NULL, NULL, NULL, &error);
	must(problems >= 0, "check", error.text);
	must(!sum_of(&sum) || problems, "a file that cannot be read has no problem", path);
	add_some();
	put_file(data, size);
	if (odb_repair(path, &repair, &error)) {
		must(problems > 0, "a sound file cannot be repaired", error.text);
	} else {
		must(repair.changed == (problems > 0), "check and repair disagree", path);
		problems = odb_check(path, NULL, NULL, NULL, &error);
		must(!problems, "repaired, and not sound", path);
		must(!sum_of(&sum) && sum == repair.sum, "repaired, and another sum", path);
		add_some();
	}
	unlink(path);
	return 0;
}

#ifndef LIBFUZZER
static uint8_t input[LARGEST];

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1du;
}

static size_t get_file(const char *name)
{
	FILE *file = fopen(name, "rb");
	size_t size;

	if (!file) {
		perror(name);
		exit(1);
	}
	size = fread(input, 1, sizeof(input), file);
	fclose(file);
	return size;
}

/* A sound file of @keys keys, to be changed. */
static size_t seed(uint64_t keys)
{
	struct odb_header header = {.cpu_type = 4, .cpu_speed = 1000};
	struct odb_error error;
	struct odb *db;

	choose_path();
	if (odb_open(&db, path, ODB_CREATE, &header, &error))
		must(0, "seed", error.text);
	for (uint64_t key = 1; key <= keys; key++)
		must(!odb_add(db, key % 3 ? key * 6 : key << 32 | key, key, &error), "seed",
		     error.text);
	odb_close(db);
	return get_file(path);
}

/* Words that mean something where a number of nodes, a size or a link stands. */
static const uint32_t words[] = {0,   1,   2,	64,	    127,	128,	    129,       255,
				 256, 257, 512, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff};

static size_t mutate(size_t size, uint64_t *state)
{
	for (uint64_t changes = 1 + next_random(state) % 4; changes; changes--) {
		uint64_t random = next_random(state);
		/* Mostly the first bytes, where all turns on each of them. */
		size_t at = next_random(state) % (random & 8 ? size : size < 112 ? size : 112);
		uint32_t word = words[(random >> 8) % (sizeof(words) / sizeof(words[0]))];

		if ((random & 7) == 0) {
			size = at + 1;
		} else if ((random & 7) == 1 && size + 2560 < sizeof(input)) {
			memset(input + size, 0, 2560);
			size += random & 16 ? 2560 : 20;
		} else if ((random & 7) < 4) {
			input[at] = (uint8_t)(random >> 16);
		} else if (at / 4 * 4 + 4 <= size) {
			memcpy(input + at / 4 * 4, &word, 4);
		}
	}
	return size;
}

int main(int argc, char **argv)
{
	long iterations = 5000;
	int first = 1;

	if (argc > 2 && !strcmp(argv[1], "-n")) {
		iterations = strtol(argv[2], NULL, 10);
		first = 3;
	}
	for (int i = first; i < argc; i++)
		LLVMFuzzerTestOneInput(input, get_file(argv[i]));
	if (first < argc)
		return 0;
	for (long i = 0; i < iterations; i++) {
		uint64_t state = (uint64_t)i * 0x9e3779b97f4a7c15u + 1;
		size_t size = seed(next_random(&state) % 300);

		LLVMFuzzerTestOneInput(input, mutate(size, &state));
	}
	printf("%ld inputs\n", iterations);
	return 0;
}
#endif
