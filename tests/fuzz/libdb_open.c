// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes as a sample file: reading, checking, repairing and adding must end, without a
 * signal, and agree with each other.  See driver.h.
 */
#include "driver.h"
#include "libdb/odb/odb.h"

#define LARGEST (1 << 20) /* bytes of an input */

const unsigned int fuzz_iterations = 5000;

/* Sound files of some keys, made when the program starts. */
#define SEED_SIZE 2664
static uint8_t seeds[3][SEED_SIZE];
static uint8_t grown[8192];
const struct fuzz_seed fuzz_seeds[] = {
	{seeds[0], SEED_SIZE},
	{seeds[1], SEED_SIZE},
	{seeds[2], SEED_SIZE},
	{grown, sizeof(grown)},
	{NULL, 0},
};

static const char *path;

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
		fuzz_must(strstr(error.text, path) != NULL, error.text);
		return -1;
	}
	count = odb_entries(db, &entries, &error);
	fuzz_must(count >= 0, error.text);
	merged_count = odb_entries_by_key(db, &merged, &error);
	fuzz_must(merged_count >= 0 && merged_count <= count, error.text);
	for (ptrdiff_t i = 0; i < count; i++)
		*sum += entries[i].count;
	for (ptrdiff_t i = 0; i < merged_count; i++) {
		fuzz_must(!i || merged[i - 1].key < merged[i].key, "not sorted");
		merged_sum += merged[i].count;
	}
	fuzz_must(*sum == merged_sum, "sums differ");
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
		fuzz_must(!odb_add(db, key << 32 | key, key & 1 ? 0xffffffff : 1, &error),
			  error.text);
	odb_close(db);
	fuzz_must(!sum_of(&after) && after - before == 150 * (uint64_t)0x100000000,
		  "sum after adding");
}

static void count_one(void *context, const struct odb_problem *problem)
{
	size_t *n = context;

	(void)problem;
	(*n)++;
}

/* How many problems a file has, with those that are harmless; @damage: without. */
static size_t check(ptrdiff_t *damage)
{
	struct odb_error error;
	size_t all = 0;

	*damage = odb_check(path, count_one, &all, NULL, &error);
	fuzz_must(*damage >= 0, error.text);
	fuzz_must(*damage <= (ptrdiff_t)all, "problems that were not told");
	return all;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct odb_repair repair;
	struct odb_error error;
	ptrdiff_t damage;
	size_t problems;
	uint64_t sum;

	if (size > LARGEST)
		return 0;
	path = fuzz_file(data, size);
	problems = check(&damage);
	fuzz_must(!sum_of(&sum) || problems, "a file that cannot be read has no problem");
	add_some();
	path = fuzz_file(data, size);
	if (odb_repair(path, &repair, &error)) {
		fuzz_must(problems > 0, error.text);
	} else {
		fuzz_must(repair.changed == (problems > 0), "check and repair disagree");
		fuzz_must(!check(&damage), "repaired, and not sound");
		fuzz_must(!sum_of(&sum) && sum == repair.sum, "repaired, and another sum");
		add_some();
	}
	return 0;
}

static void make_seed(uint8_t *bytes, size_t size, uint64_t keys)
{
	const struct odb_header header = {.cpu_type = 4, .cpu_speed = 1000};
	struct odb_error error;
	struct odb *db;
	FILE *file;

	fuzz_must(!odb_open(&db, path, ODB_CREATE, &header, &error), error.text);
	for (uint64_t key = 1; key <= keys; key++)
		fuzz_must(!odb_add(db, key % 3 ? key * 6 : key << 32 | key, key, &error),
			  error.text);
	odb_close(db);
	file = fopen(path, "rb");
	fuzz_must(file && fread(bytes, 1, size, file) >= SEED_SIZE, "no seed");
	fclose(file);
	unlink(path);
}

static void __attribute__((constructor)) make_seeds(void)
{
	static const uint64_t keys[] = {0, 20, 110};

	path = fuzz_file("", 0);
	for (size_t i = 0; i < 3; i++)
		make_seed(seeds[i], SEED_SIZE, keys[i]);
	make_seed(grown, sizeof(grown), 290);
}
