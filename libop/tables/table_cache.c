// SPDX-License-Identifier: GPL-2.0-or-later
/* The cache of tables on the disk. */
#include "table_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include "libop/base/file.h"
#include "libop/base/memory.h"
#include "libop/base/strings.h"
#include "libop/foreign/output.h"

/* In front of the bytes, in the byte order of the machine. */
struct head {
	char magic[8] OP_NONSTRING;
	uint64_t size;	/* of what follows */
	uint32_t crc;	/* of what follows */
	uint32_t order; /* ORDER */
};

#define MAGIC "OPTABLE\n"
#define ORDER 0x01020304

long long op_table_cache_limit = 1ll << 30;

/* A day; a file is marked as used when the mark is older. */
#define MARK_SECONDS 86400

/* ---- the directory ---- */

static bool is_own(const char *path, bool *there)
{
	struct stat status;

	*there = !lstat(path, &status);
	return *there && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
	       !(status.st_mode & (S_IWGRP | S_IWOTH));
}

/* The user's cache directory; NULL if there is none. */
static char *base_dir(void)
{
	const char *given = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	if (getuid() != geteuid())
		return NULL;
	if (given && *given == '/')
		return op_copy(given);
	return home && *home == '/' ? op_format("%s/.cache", home) : NULL;
}

/* Is @dir, or the nearest directory above it that is there, the user's own, and nobody else can
 * exchange it? */
static bool may_make(const char *dir)
{
	char *path = op_copy(dir), *slash;
	bool there, own;

	while (!(own = is_own(path, &there)) && !there && (slash = strrchr(path, '/')) != path)
		*slash = '\0';
	own = own && foreign_is_own_way(path);
	free(path);
	return own;
}

/* The path of a file of the cache; NULL if there is no cache. */
static char *cache_path(const char *name)
{
	char *base = base_dir();
	char *dir = base ? op_format("%s/oprofile/tables", base) : NULL;
	char *path = dir && may_make(dir) ? op_format("%s/%s", dir, name) : NULL;

	free(base);
	free(dir);
	return path;
}

char *op_table_cache_name(const char *build_id, const struct stat *status, const char *kind)
{
	char *path = cache_path("");
	bool usable = path != NULL;

	free(path);
	if (!usable)
		return NULL;
	return op_format("%s-%" PRIx64 "-%" PRIx64 ".%" PRIx64 "-%s", build_id,
			 (uint64_t)status->st_size, (uint64_t)status->st_mtim.tv_sec,
			 (uint64_t)status->st_mtim.tv_nsec, kind);
}

/* ---- reading ---- */

static uint32_t checksum(const void *bytes, size_t size)
{
	return (uint32_t)crc32_z(crc32_z(0, NULL, 0), bytes, size);
}

/* Whether only this user can have written the file, and its format is known. */
static bool is_good(int fd, struct stat *status, struct head *head)
{
	return !fstat(fd, status) && S_ISREG(status->st_mode) && status->st_uid == geteuid() &&
	       !(status->st_mode & (S_IWGRP | S_IWOTH)) &&
	       status->st_size <= op_table_cache_limit &&
	       read(fd, head, sizeof(*head)) == sizeof(*head) &&
	       !memcmp(head->magic, MAGIC, sizeof(head->magic)) && head->order == ORDER &&
	       head->size == (uint64_t)status->st_size - sizeof(*head);
}

static void *read_body(int fd, const struct head *head)
{
	unsigned char *bytes = op_chunk(head->size);
	size_t done = 0;
	ssize_t n = 1;

	while (done < head->size && n > 0) {
		n = read(fd, bytes + done, head->size - done);
		done += n > 0 ? (size_t)n : 0;
	}
	if (done == head->size && head->crc == checksum(bytes, done))
		return bytes;
	free(bytes);
	return NULL;
}

static void mark_as_used(int fd, const struct stat *status)
{
	struct timespec now;

	if (!clock_gettime(CLOCK_REALTIME, &now) && now.tv_sec - status->st_mtime > MARK_SECONDS)
		(void)!futimens(fd, NULL);
}

void *op_table_cache_load(const char *name, size_t *size)
{
	char *path = cache_path(name);
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW) : -1;
	void *bytes = NULL;
	struct stat status;
	struct head head;

	free(path);
	if (fd < 0)
		return NULL;
	if (is_good(fd, &status, &head))
		bytes = read_body(fd, &head);
	if (bytes) {
		mark_as_used(fd, &status);
		*size = head.size;
	}
	close(fd);
	return bytes;
}

/* ---- writing ---- */

struct kept {
	char *path;
	off_t size;
	time_t used;
};

static int compare_use(const void *a, const void *b)
{
	const struct kept *left = a, *right = b;

	return (left->used > right->used) - (left->used < right->used);
}

struct gathering {
	struct kept *files;
	size_t n, capacity;
	long long total;
};

static int gather(const char *path, const struct stat *status, void *context)
{
	struct gathering *gathering = context;

	gathering->files = op_grow(gathering->files, &gathering->capacity, gathering->n + 1,
				   sizeof(*gathering->files));
	gathering->files[gathering->n++] = (struct kept){
		.path = op_copy(path), .size = status->st_size, .used = status->st_mtime};
	gathering->total += status->st_size;
	return 0;
}

/* Removes files until @more bytes fit. */
static void table_cache_make_room(const char *path, size_t more)
{
	char *dir = op_format("%.*s", (int)(strrchr(path, '/') - path), path);
	struct gathering gathering = {.total = (long long)more};
	struct op_error ignored;

	op_walk(dir, gather, &gathering, &ignored);
	if (gathering.n)
		qsort(gathering.files, gathering.n, sizeof(*gathering.files), compare_use);
	for (size_t i = 0; i < gathering.n; i++) {
		if (gathering.total > op_table_cache_limit && !unlink(gathering.files[i].path))
			gathering.total -= gathering.files[i].size;
		free(gathering.files[i].path);
	}
	free(gathering.files);
	free(dir);
}

void op_table_cache_store(const char *name, const void *bytes, size_t size)
{
	struct head head = {.magic = MAGIC, .size = size, .order = ORDER};
	char *path = cache_path(name);
	struct op_error ignored;
	unsigned char *whole;

	if (!path || size > (uint64_t)op_table_cache_limit / 4 ||
	    op_mkdir_parents(path, 0700, &ignored)) {
		free(path);
		return;
	}
	table_cache_make_room(path, sizeof(head) + size);
	head.crc = checksum(bytes, size);
	whole = op_chunk(sizeof(head) + size);
	memcpy(whole, &head, sizeof(head));
	if (size)
		memcpy(whole + sizeof(head), bytes, size);
	op_file_replace(path, whole, sizeof(head) + size, 0600, &ignored);
	free(whole);
	free(path);
}
