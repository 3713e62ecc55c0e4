// SPDX-License-Identifier: GPL-2.0-or-later
/* Maps of JIT code. */
#include "jit.h"

#include <byteswap.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/file.h"
#include "libop/base/hash.h"
#include "libop/base/number.h"
#include "libop/base/reader.h"
#include "libop/tables/ranges.h"
#include "libop/base/memory.h"
#include "libop/base/search.h"
#include "libop/foreign/door.h"
#include "libop/foreign/limits.h"

/* The functions of a file, in file order. */
struct function {
	uint64_t start, end;
	const char *name;
};

struct functions {
	struct function *items;
	size_t n, capacity;
	/* For moved code: the index of the last item of each start address, + 1. */
	struct op_hash_map by_start;
	size_t n_hashed;
	bool is_full; /* there are more than FOREIGN_JIT_FUNCTIONS_MOST */
};

char *pp_jit_map_path(const char *dir, uint32_t tgid)
{
	return pp_format("%s/perf-%" PRIu32 ".map", dir, tgid);
}

char *pp_jit_dump_path(const char *dir, uint32_t tgid)
{
	return pp_format("%s/jit-%" PRIu32 ".dump", dir, tgid);
}

char *pp_jit_dir(const char *given, const char *archive)
{
	return given ? pp_copy(given) : pp_format("%s" PP_JIT_DIR, archive ? archive : "");
}

static void add_function(struct functions *all, uint64_t start, uint64_t size, const char *name)
{
	if (!size || size > UINT64_MAX - start)
		return;
	if (all->n >= FOREIGN_JIT_FUNCTIONS_MOST) {
		all->is_full = true;
		return;
	}
	all->items = pp_grow(all->items, &all->capacity, all->n + 1, sizeof(*all->items));
	all->items[all->n++] = (struct function){.start = start, .end = start + size, .name = name};
}

/* ---- trusted files ---- */

static bool is_own_directory(const char *dir)
{
	struct stat status;

	return !stat(dir, &status) && (!status.st_uid || status.st_uid == geteuid()) &&
	       !(status.st_mode & (S_IWGRP | S_IWOTH));
}

static bool is_believed(const struct stat *file, const char *dir, uint32_t tgid)
{
	struct stat process;
	char *path;
	bool same;

	if (!file->st_uid || file->st_uid == geteuid() || is_own_directory(dir))
		return true;
	path = pp_format("/proc/%" PRIu32, tgid);
	same = !stat(path, &process) && process.st_uid == file->st_uid;
	free(path);
	return same;
}

bool pp_jit_is_believed(const char *path, const char *dir, uint32_t tgid)
{
	struct stat status;

	return !lstat(path, &status) && S_ISREG(status.st_mode) && is_believed(&status, dir, tgid);
}

static size_t limit_of(enum foreign_kind kind)
{
	return kind == FOREIGN_JIT_MAP ? FOREIGN_JIT_MAP_MOST : FOREIGN_JIT_DUMP_MOST;
}

/* Says why a file was not opened.  Return: what pp_jit_read() returns then. */
static enum pp_jit_result refuse(const char *path, enum foreign_kind kind, struct op_error *error)
{
	if (errno == ENOENT)
		return PP_JIT_NONE;
	if (errno == ELOOP)
		op_error_set(error, ELOOP, "%s: a symbolic link is not followed", path);
	else if (errno == EFBIG)
		op_error_set(error, EFBIG, "%s: larger than %zu MiB", path, limit_of(kind) >> 20);
	else
		op_error_set(error, errno, "%s: %s", path, foreign_reason(errno));
	return PP_JIT_REFUSED;
}

/* Reads the file, with a NUL at its end, into *@text. */
static enum pp_jit_result read_text(const char *path, enum foreign_kind kind, const char *dir,
				    uint32_t tgid, char **text, size_t *length,
				    struct op_error *error)
{
	int fd = foreign_open(path, kind, FOREIGN_NOT_LAST);
	struct stat status;

	if (fd < 0)
		return refuse(path, kind, error);
	if (fstat(fd, &status) || !is_believed(&status, dir, tgid))
		op_error_set(error, EPERM,
			     "%s: owned by another user (%u), so it is not trusted; give --jit-dir "
			     "a directory that only you can write to",
			     path, (unsigned int)status.st_uid);
	else if (!(*text = op_file_read_open(fd, limit_of(kind), length)))
		op_error_errno(error, "%s", path);
	close(fd);
	return *text ? PP_JIT_READ : PP_JIT_REFUSED;
}

/* ---- perf-TGID.map ---- */

/* Takes a number and the blanks behind it. */
static bool take_hex(char **line, uint64_t *out)
{
	const char *end = *line;

	if (!op_number_take(&end, 16, UINT64_MAX, out) || *end != ' ')
		return false;
	*line += end - *line;
	*line += strspn(*line, " ");
	return true;
}

/* "7f0010a04000 1c0 LazyCompile:~add /srv/app.js:3": names may have blanks. */
static void parse_map(char *text, struct functions *all)
{
	char *line;

	while ((line = strsep(&text, "\n")) != NULL) {
		uint64_t start, size;

		if (take_hex(&line, &start) && take_hex(&line, &size) && *line)
			add_function(all, start, size, line);
	}
}

/* ---- jit-TGID.dump ---- */

#define DUMP_MAGIC   0x4a695444
#define DUMP_VERSION 1

/* Offsets in the headers of the file and of a record; numbers are in the writer's byte order. */
enum { DUMP_HEAD_SIZE = 40, DUMP_SIZE = 8 };
enum { RECORD_SIZE = 4, RECORD_HEAD_SIZE = 16 };
enum { RECORD_LOAD = 0, RECORD_MOVE = 1, RECORD_CLOSE = 3 };
/* After the header of a record. */
enum { LOAD_ADDRESS = 16, LOAD_CODE_SIZE = 24, LOAD_NAME = 40 };
enum { MOVE_OLD = 16, MOVE_NEW = 24, MOVE_CODE_SIZE = 32, MOVE_BODY_SIZE = 48 };

struct dump {
	const char *text;
	size_t length;
	bool swapped;
};

static uint32_t get32(const struct dump *dump, size_t at)
{
	return op_load_u32(dump->text + at, dump->swapped);
}

static uint64_t get64(const struct dump *dump, size_t at)
{
	return op_load_u64(dump->text + at, dump->swapped);
}

/* The function written last for @start, or NULL. */
static const struct function *find_function(struct functions *all, uint64_t start)
{
	uintptr_t found;

	while (all->n_hashed < all->n) {
		uint64_t key = all->items[all->n_hashed++].start;

		if (op_hash_map_set(&all->by_start, key, (void *)(uintptr_t)all->n_hashed))
			pp_out_of_memory();
	}
	found = (uintptr_t)op_hash_map_find(&all->by_start, start);
	return found ? &all->items[found - 1] : NULL;
}

/* Code that was moved keeps its name. */
static void move(struct functions *all, uint64_t from, uint64_t to, uint64_t size)
{
	const struct function *moved = find_function(all, from);

	if (moved)
		add_function(all, to, size, moved->name);
}

/* @at is after the header, @end after the record.  Return: false if the record is invalid. */
static bool parse_record(const struct dump *dump, uint32_t id, size_t at, size_t end,
			 struct functions *all)
{
	if (id == RECORD_LOAD) {
		const char *name = dump->text + at + LOAD_NAME;

		if (end - at <= LOAD_NAME || !memchr(name, '\0', end - at - LOAD_NAME))
			return false;
		add_function(all, get64(dump, at + LOAD_ADDRESS), get64(dump, at + LOAD_CODE_SIZE),
			     name);
	} else if (id == RECORD_MOVE) {
		if (end - at < MOVE_BODY_SIZE)
			return false;
		move(all, get64(dump, at + MOVE_OLD), get64(dump, at + MOVE_NEW),
		     get64(dump, at + MOVE_CODE_SIZE));
	}
	return true;
}

static int parse_dump(const char *path, const char *text, size_t length, struct functions *all,
		      struct op_error *error)
{
	struct dump dump = {.text = text, .length = length};
	size_t at, size;

	if (length >= DUMP_HEAD_SIZE)
		dump.swapped = get32(&dump, 0) == bswap_32(DUMP_MAGIC);
	if (length < DUMP_HEAD_SIZE || get32(&dump, 0) != DUMP_MAGIC ||
	    get32(&dump, 4) != DUMP_VERSION)
		return op_error_set(error, EINVAL, "%s: not a jitdump of version %d", path,
				    DUMP_VERSION);
	at = get32(&dump, DUMP_SIZE);
	if (at < DUMP_HEAD_SIZE || at > length)
		return op_error_set(error, EINVAL, "%s: byte %d: wrong size of the head", path,
				    DUMP_SIZE);
	for (; length - at >= RECORD_HEAD_SIZE; at += size) {
		uint32_t id = get32(&dump, at);

		size = get32(&dump, at + RECORD_SIZE);
		/* A process that was killed leaves its last record unfinished. */
		if (size < RECORD_HEAD_SIZE || size > length - at ||
		    !parse_record(&dump, id, at + RECORD_HEAD_SIZE, at + size, all))
			return op_error_set(error, EINVAL, "%s: byte %zu: wrong record", path, at);
		if (id == RECORD_CLOSE)
			break;
	}
	return 0;
}

/* Assigns each address to the function written last for it. */
static void resolve(struct pp_jit *jit, const struct functions *all)
{
	struct pp_interval *intervals = pp_alloc(all->n, sizeof(*intervals)), *flat;

	for (size_t i = 0; i < all->n; i++)
		intervals[i] = (struct pp_interval){.start = all->items[i].start,
						    .end = all->items[i].end,
						    .rank = i,
						    .value = i};
	jit->n = pp_intervals_flatten(intervals, all->n, &flat);
	free(intervals);
	jit->symbols = pp_alloc(jit->n, sizeof(*jit->symbols));
	for (size_t i = 0; i < jit->n; i++)
		jit->symbols[i] = (struct pp_jit_symbol){.start = flat[i].start,
							 .end = flat[i].end,
							 .name = all->items[flat[i].value].name};
	free(flat);
}

/* ---- both files ---- */

/* Half the functions would give the rest wrong names: the last one at an address counts. */
static enum pp_jit_result refuse_full(const char *path, struct functions *all,
				      struct op_error *error)
{
	all->n = 0;
	op_error_set(error, EFBIG, "%s: more than %d functions", path, FOREIGN_JIT_FUNCTIONS_MOST);
	return PP_JIT_REFUSED;
}

enum pp_jit_result pp_jit_read(struct pp_jit *jit, const char *dir, uint32_t tgid,
			       struct op_error *error)
{
	char *map = pp_jit_map_path(dir, tgid), *dump = pp_jit_dump_path(dir, tgid);
	struct functions all = {0};
	enum pp_jit_result result;
	bool is_map = false;
	size_t length = 0;

	*jit = (struct pp_jit){.tgid = tgid};
	result = read_text(dump, FOREIGN_JIT_DUMP, dir, tgid, &jit->text, &length, error);
	if (result == PP_JIT_READ) {
		if (parse_dump(dump, jit->text, length, &all, error))
			result = PP_JIT_REFUSED;
	} else if (result == PP_JIT_NONE) {
		result = read_text(map, FOREIGN_JIT_MAP, dir, tgid, &jit->text, &length, error);
		is_map = true;
		if (result == PP_JIT_READ)
			parse_map(jit->text, &all);
	}
	if (all.is_full)
		result = refuse_full(is_map ? map : dump, &all, error);
	resolve(jit, &all);
	free(all.items);
	op_hash_map_free(&all.by_start);
	free(map);
	free(dump);
	return result;
}

void pp_jit_free(struct pp_jit *jit)
{
	free(jit->symbols);
	free(jit->text);
	*jit = (struct pp_jit){0};
}

void pp_jit_symbols(const struct pp_jit *jit, uint64_t start, uint64_t end,
		    struct pp_symbols *symbols)
{
	size_t capacity = symbols->n, i = op_first_above(jit->symbols, jit->n, end, start);

	for (; i < jit->n && jit->symbols[i].start < end; i++) {
		const struct pp_jit_symbol *symbol = &jit->symbols[i];
		uint64_t from = symbol->start > start ? symbol->start : start;
		uint64_t to = symbol->end < end ? symbol->end : end;

		symbols->items =
			pp_grow(symbols->items, &capacity, symbols->n + 1, sizeof(*symbols->items));
		symbols->items[symbols->n++] = (struct pp_symbol){.start = from - start,
								  .end = to - start,
								  .vma = from,
								  .name = symbol->name};
	}
}
