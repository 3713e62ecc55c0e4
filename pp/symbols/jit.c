// SPDX-License-Identifier: GPL-2.0-or-later
/* Maps and objects of JIT code. */
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
#include "libop/session/paths.h"
#include "libop/foreign/apart.h"
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

/* Opens the file into *@fd. */
static enum pp_jit_result open_believed(const char *path, enum foreign_kind kind, const char *dir,
					uint32_t tgid, int *fd, struct op_error *error)
{
	struct stat status;

	*fd = foreign_open(path, kind, FOREIGN_NOT_LAST);
	if (*fd < 0)
		return refuse(path, kind, error);
	if (!fstat(*fd, &status) && is_believed(&status, dir, tgid))
		return PP_JIT_READ;
	op_error_set(error, EPERM,
		     "%s: owned by another user (%u), so it is not trusted; give --jit-dir "
		     "a directory that only you can write to",
		     path, (unsigned int)status.st_uid);
	close(*fd);
	return PP_JIT_REFUSED;
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

static int parse_dump(const char *text, size_t length, struct functions *all,
		      struct op_error *error)
{
	struct dump dump = {.text = text, .length = length};
	size_t at, size;

	if (length >= DUMP_HEAD_SIZE)
		dump.swapped = get32(&dump, 0) == bswap_32(DUMP_MAGIC);
	if (length < DUMP_HEAD_SIZE || get32(&dump, 0) != DUMP_MAGIC ||
	    get32(&dump, 4) != DUMP_VERSION)
		return op_error_set(error, EINVAL, "not a jitdump of version %d", DUMP_VERSION);
	at = get32(&dump, DUMP_SIZE);
	if (at < DUMP_HEAD_SIZE || at > length)
		return op_error_set(error, EINVAL, "byte %d: wrong size of the head", DUMP_SIZE);
	for (; length - at >= RECORD_HEAD_SIZE; at += size) {
		uint32_t id = get32(&dump, at);

		size = get32(&dump, at + RECORD_SIZE);
		/* A process that was killed leaves its last record unfinished. */
		if (size < RECORD_HEAD_SIZE || size > length - at ||
		    !parse_record(&dump, id, at + RECORD_HEAD_SIZE, at + size, all))
			return op_error_set(error, EINVAL, "byte %zu: wrong record", at);
		if (id == RECORD_CLOSE)
			break;
	}
	return 0;
}

/* ---- answers, which may come from a process apart ---- */

/* struct part - an address range of a function; several may have one name */
struct part {
	uint64_t start, end;
	uint64_t name; /* its place among the names */
};

/* struct answer - what comes first; then the parts, the names, and the text of the error */
struct answer {
	uint64_t n_parts, names_size, error_size; /* 0: there was no error */
};

/* Puts the name of each function that has a part once. */
static void put_names(const struct functions *all, struct part *parts, size_t n,
		      struct op_buffer *names)
{
	uint64_t *places = pp_alloc(all->n, sizeof(*places)); /* + 1; 0: not put yet */

	for (size_t i = 0; i < n; i++) {
		const char *name = all->items[parts[i].name].name;
		uint64_t *place = &places[parts[i].name];

		if (!*place) {
			*place = names->used + 1;
			op_buffer_put(names, name, strnlen(name, FOREIGN_JIT_NAME_MOST));
			op_buffer_u8(names, '\0');
		}
		parts[i].name = *place - 1;
	}
	pp_buffer_check(names);
	free(places);
}

/* Assigns each address to the function written last for it.  Return: parts, which the caller
 * frees. */
static struct part *resolve(const struct functions *all, size_t *n)
{
	struct pp_interval *intervals = pp_alloc(all->n, sizeof(*intervals)), *flat;
	struct part *parts;

	for (size_t i = 0; i < all->n; i++)
		intervals[i] = (struct pp_interval){.start = all->items[i].start,
						    .end = all->items[i].end,
						    .rank = i,
						    .value = i};
	*n = pp_intervals_flatten(intervals, all->n, &flat);
	free(intervals);
	parts = pp_alloc(*n, sizeof(*parts));
	for (size_t i = 0; i < *n; i++)
		parts[i] = (struct part){flat[i].start, flat[i].end, flat[i].value};
	free(flat);
	return parts;
}

static void put_answer(const struct functions *all, const char *error, struct op_buffer *out)
{
	struct op_buffer names = {0};
	struct answer head = {.error_size = *error ? strlen(error) + 1 : 0};
	struct part *parts = resolve(all, &head.n_parts);

	put_names(all, parts, head.n_parts, &names);
	head.names_size = names.used;
	op_buffer_put(out, &head, sizeof(head));
	op_buffer_put(out, parts, head.n_parts * sizeof(*parts));
	op_buffer_put(out, names.bytes, names.used);
	op_buffer_put(out, error, head.error_size);
	op_buffer_free(&names);
	free(parts);
}

/* @names ends with a NUL.  Return: whether they are in order, with names that are not too long. */
static bool take_parts(struct pp_jit *jit, const struct part *parts, size_t n, const char *names,
		       uint64_t names_size)
{
	uint64_t last = 0;

	jit->symbols = pp_alloc(n, sizeof(*jit->symbols));
	for (size_t i = 0; i < n; i++) {
		if (parts[i].start < last || parts[i].end <= parts[i].start ||
		    parts[i].name >= names_size ||
		    !memchr(names + parts[i].name, '\0', FOREIGN_JIT_NAME_MOST + 1))
			return false;
		last = parts[i].end;
		jit->symbols[i] = (struct pp_jit_symbol){.start = parts[i].start,
							 .end = parts[i].end,
							 .name = names + parts[i].name};
	}
	jit->n = n;
	return true;
}

/* Return: what is wrong with the file, "" if nothing is; or NULL: it is no answer. */
static const char *take_answer(struct pp_jit *jit, struct op_reader *reader)
{
	const struct part *parts;
	const char *names;
	struct answer head;

	if (!op_reader_copy(reader, &head, sizeof(head)))
		return NULL;
	parts = op_reader_array(reader, head.n_parts, sizeof(*parts));
	names = op_reader_take(reader, head.names_size);
	if (!parts || !names || (head.names_size && names[head.names_size - 1]) ||
	    !take_parts(jit, parts, head.n_parts, names, head.names_size))
		return NULL;
	return head.error_size ? op_reader_text(reader, head.error_size) : "";
}

/* ---- both files, perhaps in a process apart ---- */

/* Bytes of an answer: the names, and the parts of a million functions. */
#define ANSWER_MOST (512 << 20)

static int parse(int fd, enum foreign_kind kind, char **text, struct functions *all,
		 struct op_error *error)
{
	size_t length;
	int result = 0;

	*text = op_file_read_open(fd, limit_of(kind), &length);
	if (!*text)
		return op_error_set(error, errno, "%s", strerror(errno));
	if (kind == FOREIGN_JIT_DUMP)
		result = parse_dump(*text, length, all, error);
	else
		parse_map(*text, all);
	if (!all->is_full)
		return result;
	/* half the functions would give the rest wrong names: the last one at an address counts */
	all->n = 0;
	return op_error_set(error, EFBIG, "more than %d functions", FOREIGN_JIT_FUNCTIONS_MOST);
}

/* The question is the kind of the file. */
static void work(int fd, struct op_reader *question, struct op_buffer *answer)
{
	enum foreign_kind kind = op_reader_u32(question);
	struct functions all = {0};
	struct op_error error = {0};
	char *text = NULL;

	parse(fd, kind, &text, &all, &error);
	put_answer(&all, error.text, answer);
	free(all.items);
	op_hash_map_free(&all.by_start);
	free(text);
}

static enum pp_jit_result read_functions(struct pp_jit *jit, const char *path,
					 enum foreign_kind kind, const char *dir,
					 struct op_error *error)
{
	const uint32_t what = kind;
	struct apart_question question = {.work = work,
					  .path = path,
					  .bytes = &what,
					  .length = sizeof(what),
					  .seconds = APART_SECONDS_OF_REPORT,
					  .answer_most = ANSWER_MOST};
	enum pp_jit_result result = open_believed(path, kind, dir, jit->tgid, &question.fd, error);
	struct op_error why = {0};
	struct op_reader reader;
	const char *text = NULL;
	size_t length = 0;

	if (result != PP_JIT_READ)
		return result;
	jit->answer = apart_or_here(&question, &length, &why);
	close(question.fd);
	reader = op_reader_of(jit->answer, length, false);
	if (jit->answer)
		text = take_answer(jit, &reader);
	if (text && !*text)
		return PP_JIT_READ;
	if (!text)
		text = jit->answer ? "reading it gave no functions" : why.text;
	op_error_set(error, EINVAL, "%s: %s", path, text);
	return PP_JIT_REFUSED;
}

enum pp_jit_result pp_jit_read(struct pp_jit *jit, const char *dir, uint32_t tgid,
			       struct op_error *error)
{
	char *map = pp_jit_map_path(dir, tgid), *dump = pp_jit_dump_path(dir, tgid);
	enum pp_jit_result result;

	*jit = (struct pp_jit){.tgid = tgid};
	result = read_functions(jit, dump, FOREIGN_JIT_DUMP, dir, error);
	if (result == PP_JIT_NONE)
		result = read_functions(jit, map, FOREIGN_JIT_MAP, dir, error);
	free(map);
	free(dump);
	return result;
}

void pp_jit_free(struct pp_jit *jit)
{
	free(jit->symbols);
	free(jit->answer);
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

/* ---- objects of JIT code ---- */

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), n = strlen(end);

	return length >= n && !strcmp(text + length - n, end);
}

static int add_object(const char *path, const struct stat *status, void *context)
{
	if (S_ISREG(status->st_mode) && ends_with(path, ".jo") && op_strings_add(context, path))
		pp_out_of_memory();
	return 0;
}

void pp_jit_objects_find(struct op_strings *objects, char *const *samples_dirs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char *source = pp_format("%s/" OP_SAMPLES_SOURCE, samples_dirs[i]);
		struct op_error ignored;

		if (access(source, F_OK))
			op_walk(samples_dirs[i], add_object, objects, &ignored);
		free(source);
	}
}

const char *pp_jit_object_of(const struct op_strings *objects, const struct op_image_name *image)
{
	char *end = pp_format("/{anon:%s}/%u.jo", image->name, image->tgid);
	const char *found = NULL;

	for (size_t i = 0; !found && i < objects->count; i++)
		if (ends_with(objects->item[i], end))
			found = objects->item[i];
	free(end);
	return found;
}

/* Moves symbols to the keys that their addresses have in @image; drops those that are not in it. */
static void move_symbols(struct pp_symbols *symbols, const struct op_image_name *image)
{
	size_t n = 0;

	for (size_t i = 0; i < symbols->n; i++) {
		struct pp_symbol symbol = symbols->items[i];
		uint64_t size = symbol.end - symbol.start;

		if (symbol.vma < image->start || symbol.vma >= image->end)
			continue;
		if (size > image->end - symbol.vma)
			size = image->end - symbol.vma;
		symbol.start = symbol.vma - image->start;
		symbol.end = symbol.start + size;
		symbols->items[n++] = symbol;
	}
	symbols->n = n;
}

static int compare_symbols(const void *a, const void *b)
{
	const struct pp_symbol *left = a, *right = b;

	return (left->start > right->start) - (left->start < right->start);
}

/* Sections may lie in memory in another order than in the file, and overlap. */
static void order_symbols(struct pp_symbols *symbols)
{
	if (symbols->n)
		qsort(symbols->items, symbols->n, sizeof(*symbols->items), compare_symbols);
	for (size_t i = 1; i < symbols->n; i++)
		if (symbols->items[i - 1].end > symbols->items[i].start)
			symbols->items[i - 1].end = symbols->items[i].start;
}

int pp_jit_object_read(struct pp_symbols *symbols, const char *path,
		       const struct op_image_name *image, struct op_error *error)
{
	enum pp_symbols_status status = pp_symbols_read_file(symbols, path, "", false, error);

	move_symbols(symbols, image);
	order_symbols(symbols);
	/* keys of aliases and code are offsets in the file */
	symbols->n_aliases = 0;
	symbols->n_code = 0;
	return status == PP_SYMBOLS_OK ? 0 : -1;
}
