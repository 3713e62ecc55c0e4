// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rates of libdb, one metric a line: "NAME: VALUE UNIT"; each is the median of several runs.
 *
 * The same work is done by "plain chains", which is the format at its simplest: a mapped
 * file whose own hash chains are walked for each key, with no regard to kills, full disks or
 * full counts.  It stands for what the format itself costs on this machine.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "libdb/odb/odb.h"

#define RUNS_MAX 99

static int runs = 5;
static char path[4096];

static void die(const char *what)
{
	fprintf(stderr, "bench_libdb error: %s\n", what);
	exit(1);
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* xorshift64*: the same keys in each run on each machine. */
static uint64_t next_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1du;
}

static int by_value(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

static double median(double *values, int count)
{
	qsort(values, (size_t)count, sizeof(*values), by_value);
	return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* Keys that have been made beforehand, so that only updates are timed. */
static uint64_t *random_keys(size_t count, uint64_t range)
{
	uint64_t *keys = malloc(count * sizeof(*keys));
	uint64_t state = 88172645463325252u;

	if (!keys)
		die("out of memory");
	for (size_t i = 0; i < count; i++)
		keys[i] = range ? next_random(&state) % range : next_random(&state) >> 20;
	return keys;
}

static struct odb *create(void)
{
	struct odb_header header = {.cpu_type = 4};
	struct odb_error error;
	struct odb *db;

	unlink(path);
	if (odb_open(&db, path, ODB_CREATE, &header, &error))
		die(error.text);
	return db;
}

static double seconds_of_adds(const uint64_t *keys, size_t count, uint64_t *disk)
{
	struct odb_error error;
	struct odb *db = create();
	double start = now(), end;
	struct stat status;

	for (size_t i = 0; i < count; i++) {
		if (odb_add(db, keys[i], 1, &error))
			die(error.text);
	}
	end = now();
	if (disk && (odb_sync(db, &error) || stat(path, &status)))
		die("cannot tell the size of the file");
	if (disk)
		*disk = (uint64_t)status.st_blocks * 512;
	odb_close(db);
	unlink(path);
	return end - start;
}

/* The format at its simplest, see the head of this file. */
struct plain_node {
	uint64_t key;
	uint32_t value, next;
};

struct plain {
	int fd;
	uint8_t *map;
	size_t length;
	uint32_t size, used;
	struct plain_node *nodes;
	uint32_t *buckets;
};

#define PLAIN_HEAD 104

static uint32_t plain_bucket(const struct plain *db, uint64_t key)
{
	uint32_t folded = (uint32_t)(key >> 32 ^ key);

	return (folded ^ folded >> 8) & (db->size - 1);
}

static void plain_resize(struct plain *db, uint32_t size)
{
	size_t length = PLAIN_HEAD + (size_t)size * 20;

	if (ftruncate(db->fd, (off_t)length))
		die("cannot grow");
	db->map = db->map ? mremap(db->map, db->length, length, MREMAP_MAYMOVE)
			  : mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, db->fd, 0);
	if (db->map == MAP_FAILED)
		die("cannot map");
	db->length = length;
	db->size = size;
	db->nodes = (struct plain_node *)(db->map + PLAIN_HEAD);
	db->buckets = (uint32_t *)(db->nodes + size);
	for (uint32_t node = 1; node < db->used; node++) {
		uint32_t *bucket = &db->buckets[plain_bucket(db, db->nodes[node].key)];

		db->nodes[node].next = *bucket;
		*bucket = node;
	}
}

static double seconds_of_plain_adds(const uint64_t *keys, size_t count, uint64_t *disk)
{
	struct plain db = {.used = 1};
	struct stat status;
	double start, end;

	unlink(path);
	db.fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0644);
	if (db.fd < 0)
		die("cannot create");
	plain_resize(&db, 128);
	start = now();
	for (size_t i = 0; i < count; i++) {
		uint32_t *bucket = &db.buckets[plain_bucket(&db, keys[i])], node = *bucket;

		while (node && db.nodes[node].key != keys[i])
			node = db.nodes[node].next;
		if (node) {
			db.nodes[node].value++;
			continue;
		}
		if (db.used >= db.size) {
			plain_resize(&db, db.size * 2);
			bucket = &db.buckets[plain_bucket(&db, keys[i])];
		}
		db.nodes[db.used] = (struct plain_node){keys[i], 1, *bucket};
		*bucket = db.used++;
	}
	end = now();
	if (disk && (msync(db.map, db.length, MS_SYNC) || fstat(db.fd, &status)))
		die("cannot tell the size of the file");
	if (disk)
		*disk = (uint64_t)status.st_blocks * 512;
	munmap(db.map, db.length);
	close(db.fd);
	unlink(path);
	return end - start;
}

static void print(const char *name, double value, const char *unit)
{
	printf("%s: %.4g %s\n", name, value, unit);
	fflush(stdout);
}

/*
 * Rates of one set of keys, of libdb and of plain chains, in millions a second.  The two
 * take turns, so that what else the machine does meets both.
 */
static void bench_rate(const char *name, const uint64_t *keys, size_t count)
{
	double ours[RUNS_MAX], plain[RUNS_MAX], ratio[RUNS_MAX];
	char line[128];

	for (int run = 0; run < runs; run++) {
		ours[run] = (double)count / seconds_of_adds(keys, count, NULL) / 1e6;
		plain[run] = (double)count / seconds_of_plain_adds(keys, count, NULL) / 1e6;
		ratio[run] = ours[run] / plain[run];
	}
	snprintf(line, sizeof(line), "libdb %s", name);
	print(line, median(ours, runs), "M/s");
	snprintf(line, sizeof(line), "plain chains %s", name);
	print(line, median(plain, runs), "M/s");
	snprintf(line, sizeof(line), "libdb to plain chains %s", name);
	print(line, median(ratio, runs), "x");
}

/* 10 M updates of 100 k keys: random offsets of an image of 4 MiB, and in a run. */
static void bench_updates(void)
{
	size_t count = 10000000, distinct = 100000;
	uint64_t *pick = random_keys(count, distinct), *offsets = random_keys(distinct, 4 << 20);

	for (size_t i = 0; i < count; i++)
		pick[i] = offsets[pick[i]];
	bench_rate("update 10M/100k keys", pick, count);
	for (size_t i = 0; i < count; i++)
		pick[i] = i / 16 * 7919 % distinct * 4;
	bench_rate("update 10M/100k keys, 16 in a row", pick, count);
	free(pick);
	free(offsets);
}

static void bench_inserts(void)
{
	size_t count = 5000000;
	uint64_t *keys = random_keys(count, 0);
	uint64_t disk;

	bench_rate("insert 5M random keys", keys, count);
	for (size_t i = 0; i < count; i++)
		keys[i] = i * 4;
	bench_rate("insert 5M keys in order", keys, count);
	free(keys);
	keys = random_keys(2000, 1 << 20);
	seconds_of_adds(keys, 2000, &disk);
	print("libdb disk 2000 keys", (double)disk / 2000, "bytes/key");
	seconds_of_plain_adds(keys, 2000, &disk);
	print("plain chains disk 2000 keys", (double)disk / 2000, "bytes/key");
	free(keys);
	keys = random_keys(count, 0);
	seconds_of_adds(keys, count, &disk);
	print("libdb disk 5M keys", (double)disk / (double)count, "bytes/key");
	seconds_of_plain_adds(keys, count, &disk);
	print("plain chains disk 5M keys", (double)disk / (double)count, "bytes/key");
	free(keys);
}

static void bench_recursive_arcs(void)
{
	size_t count = 120000;
	uint64_t *keys = random_keys(count, 40000);
	double seconds[RUNS_MAX];

	for (size_t i = 0; i < count; i++)
		keys[i] = keys[i] << 32 | keys[i];
	for (int run = 0; run < runs; run++)
		seconds[run] = seconds_of_adds(keys, count, NULL);
	print("libdb recursive arc 120k/40k keys", median(seconds, runs) / (double)count * 1e9,
	      "ns");
	/* Once: it takes seconds. */
	print("plain chains recursive arc 120k/40k keys",
	      seconds_of_plain_adds(keys, count, NULL) / (double)count * 1e9, "ns");
	free(keys);
}

static void bench_reading(void)
{
	size_t count = 400000;
	uint64_t *keys = random_keys(count, 16 << 20);
	struct odb *db = create();
	double seconds[RUNS_MAX];

	for (size_t i = 0; i < count; i++)
		odb_add(db, keys[i], 1, NULL);
	odb_close(db);
	for (int run = 0; run < runs; run++) {
		double start = now();
		struct odb_entry *entries = NULL;
		struct odb_error error;

		if (odb_open(&db, path, ODB_READ, NULL, &error) ||
		    odb_entries_by_key(db, &entries, &error) < 0)
			die(error.text);
		free(entries);
		odb_close(db);
		seconds[run] = now() - start;
	}
	print("libdb read sorted 400k keys", (double)count / median(seconds, runs) / 1e6, "M/s");
	unlink(path);
	free(keys);
}

static void bench_open(void)
{
	double seconds[RUNS_MAX];
	int count = 2000;

	for (int run = 0; run < runs; run++) {
		double start = now();

		for (int i = 0; i < count; i++) {
			struct odb *db = create();

			odb_add(db, 1, 1, NULL);
			odb_close(db);
		}
		seconds[run] = now() - start;
	}
	print("libdb create, add, close", median(seconds, runs) / count * 1e6, "us");
	unlink(path);
}

int main(int argc, char **argv)
{
	const char *directory = argc > 1 ? argv[1] : getenv("TMPDIR");

	if (argc > 3 || (argc > 1 && argv[1][0] == '-')) {
		fprintf(stderr, "usage: bench_libdb [DIRECTORY [RUNS]]\n");
		return 2;
	}
	if (argc > 2)
		runs = atoi(argv[2]);
	if (runs < 1 || runs > RUNS_MAX)
		die("RUNS is not between 1 and 99");
	snprintf(path, sizeof(path), "%s/bench_libdb.%d", directory ? directory : "/tmp", getpid());
	bench_updates();
	bench_inserts();
	bench_recursive_arcs();
	bench_reading();
	bench_open();
	return 0;
}
