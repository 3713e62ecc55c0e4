// SPDX-License-Identifier: GPL-2.0-or-later
#include "jit_functions.h"

#include <byteswap.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "jitdump.h"
#include "libop/base/memory.h"
#include "libop/base/number.h"
#include "libop/base/reader.h"
#include "libop/foreign/limits.h"

static bool add_function(struct jit_functions *all, uint64_t start, uint64_t size, const char *name)
{
	if (!size || size > UINT64_MAX - start)
		return false;
	if (all->n >= FOREIGN_JIT_FUNCTIONS_MOST) {
		all->is_full = true;
		return false;
	}
	all->items = op_grow(all->items, &all->capacity, all->n + 1, sizeof(*all->items));
	all->items[all->n++] =
		(struct jit_function){.start = start, .end = start + size, .name = name};
	return true;
}

void jit_functions_free(struct jit_functions *all)
{
	free(all->items);
	free(all->lines);
	op_hash_map_free(&all->by_start);
	*all = (struct jit_functions){0};
}

/* ---- perf-TGID.map ---- */

/* Takes a number and the blanks behind it.  Java and Erlang write "0x" before it. */
static bool take_hex(char **line, uint64_t *out)
{
	const char *end = *line;

	if (end[0] == '0' && (end[1] == 'x' || end[1] == 'X'))
		end += 2;
	if (!op_number_take(&end, 16, UINT64_MAX, out) || *end != ' ')
		return false;
	*line += end - *line;
	*line += strspn(*line, " ");
	return true;
}

/* "7f0010a04000 1c0 LazyCompile:~add /srv/app.js:3": names may have blanks. */
void jit_functions_parse_map(struct jit_functions *all, char *text)
{
	char *line;

	while ((line = strsep(&text, "\n")) != NULL) {
		uint64_t start, size;

		if (take_hex(&line, &start) && take_hex(&line, &size) && *line)
			add_function(all, start, size, line);
	}
}

/* ---- jit-TGID.dump ---- */

/* Lines that were read and are not yet those of a function. */
struct waiting {
	bool is_there;
	uint64_t address; /* of the function */
	uint32_t first, n;
};

struct dump {
	struct jit_functions *all;
	const char *text;
	size_t length;
	bool swapped;
	struct waiting waiting;
};

static uint32_t get32(const struct dump *dump, size_t at)
{
	return op_load_u32(dump->text + at, dump->swapped);
}

static uint64_t get64(const struct dump *dump, size_t at)
{
	return op_load_u64(dump->text + at, dump->swapped);
}

/* A field of the record at @at. */
#define GET32(dump, at, type, field) get32(dump, (at) + offsetof(struct type, field))
#define GET64(dump, at, type, field) get64(dump, (at) + offsetof(struct type, field))

/* The function written last for @start, or NULL. */
static struct jit_function *find_function(struct jit_functions *all, uint64_t start)
{
	uintptr_t found;

	while (all->n_hashed < all->n) {
		uint64_t key = all->items[all->n_hashed++].start;

		if (op_hash_map_set(&all->by_start, key, (void *)(uintptr_t)all->n_hashed))
			op_out_of_memory();
	}
	found = (uintptr_t)op_hash_map_find(&all->by_start, start);
	return found ? &all->items[found - 1] : NULL;
}

static void give_lines(struct dump *dump, struct jit_function *function)
{
	if (function) {
		function->first_line = dump->waiting.first;
		function->n_lines = dump->waiting.n;
	}
	dump->waiting.is_there = false;
}

/* The lines before a function are its own, if they are of its address; perf has no other order. */
static void jit_functions_load(struct dump *dump, size_t at)
{
	struct jit_functions *all = dump->all;
	uint64_t start = GET64(dump, at, jitdump_load, code_address);

	if (dump->waiting.is_there && dump->waiting.address != start)
		give_lines(dump, find_function(all, dump->waiting.address));
	if (add_function(all, start, GET64(dump, at, jitdump_load, code_size),
			 dump->text + at + sizeof(struct jitdump_load)) &&
	    dump->waiting.is_there)
		give_lines(dump, &all->items[all->n - 1]);
}

/* Code that was moved keeps its name; its lines are at the old addresses. */
static void move(struct dump *dump, size_t at)
{
	const struct jit_function *moved =
		find_function(dump->all, GET64(dump, at, jitdump_move, old_address));

	if (moved)
		add_function(dump->all, GET64(dump, at, jitdump_move, new_address),
			     GET64(dump, at, jitdump_move, code_size), moved->name);
}

static int compare_lines(const void *a, const void *b)
{
	const struct jit_line *left = a, *right = b;

	if (left->address != right->address)
		return left->address < right->address ? -1 : 1;
	return op_compare_u64(left->order, right->order);
}

/* Return: false if a line is invalid. */
static bool jit_functions_read_lines(struct dump *dump, size_t at, size_t end)
{
	struct jit_functions *all = dump->all;
	uint64_t n = GET64(dump, at, jitdump_lines, n);
	size_t first = all->n_lines;

	if (dump->waiting.is_there)
		give_lines(dump, find_function(all, dump->waiting.address));
	dump->waiting = (struct waiting){.address = GET64(dump, at, jitdump_lines, code_address)};
	at += sizeof(struct jitdump_lines);
	for (uint64_t i = 0; i < n; i++) {
		const char *file = dump->text + at + sizeof(struct jitdump_line);
		const char *file_end = end - at > sizeof(struct jitdump_line)
					       ? memchr(file, '\0', dump->text + end - file)
					       : NULL;

		if (!file_end)
			return false;
		if (all->n_lines >= FOREIGN_JIT_LINES_MOST) {
			all->is_full = true;
			return true;
		}
		all->lines = op_grow(all->lines, &all->lines_capacity, all->n_lines + 1,
				     sizeof(*all->lines));
		all->lines[all->n_lines++] = (struct jit_line){
			.address = GET64(dump, at, jitdump_line, address),
			.number = GET32(dump, at, jitdump_line, line),
			.file = file,
			.order = (uint32_t)i,
		};
		at = (size_t)(file_end - dump->text) + 1;
	}
	if (all->n_lines > first)
		qsort(all->lines + first, all->n_lines - first, sizeof(*all->lines), compare_lines);
	dump->waiting.is_there = true;
	dump->waiting.first = (uint32_t)first;
	dump->waiting.n = (uint32_t)(all->n_lines - first);
	return true;
}

/* @end: after the record.  Return: false if the record is invalid. */
static bool parse_record(struct dump *dump, uint32_t id, size_t at, size_t end)
{
	size_t size = end - at;

	switch (id) {
	case JITDUMP_LOAD:
		if (size <= sizeof(struct jitdump_load) ||
		    !memchr(dump->text + at + sizeof(struct jitdump_load), '\0',
			    size - sizeof(struct jitdump_load)))
			return false;
		jit_functions_load(dump, at);
		return true;
	case JITDUMP_MOVE:
		if (size < sizeof(struct jitdump_move))
			return false;
		move(dump, at);
		return true;
	case JITDUMP_LINES:
		return size >= sizeof(struct jitdump_lines) &&
		       jit_functions_read_lines(dump, at, end);
	default:
		return true;
	}
}

static int parse_records(struct dump *dump, size_t at, struct op_error *error)
{
	for (size_t size; dump->length - at >= sizeof(struct jitdump_record); at += size) {
		uint32_t id = GET32(dump, at, jitdump_record, id);

		size = GET32(dump, at, jitdump_record, size);
		/* A process that was killed leaves its last record unfinished. */
		if (size < sizeof(struct jitdump_record) || size > dump->length - at ||
		    !parse_record(dump, id, at, at + size))
			return op_error_set(error, EINVAL, "byte %zu: wrong record", at);
		if (id == JITDUMP_CLOSE)
			break;
	}
	return 0;
}

int jit_functions_parse_dump(struct jit_functions *all, const char *text, size_t length,
			     struct op_error *error)
{
	struct dump dump = {.all = all, .text = text, .length = length};
	size_t head;
	int result;

	if (length >= sizeof(struct jitdump_head))
		dump.swapped = get32(&dump, 0) == bswap_32(JITDUMP_MAGIC);
	if (length < sizeof(struct jitdump_head) || get32(&dump, 0) != JITDUMP_MAGIC ||
	    GET32(&dump, 0, jitdump_head, version) != JITDUMP_VERSION)
		return op_error_set(error, EINVAL, "not a jitdump of version %d", JITDUMP_VERSION);
	head = GET32(&dump, 0, jitdump_head, size);
	if (head < sizeof(struct jitdump_head) || head > length)
		return op_error_set(error, EINVAL, "byte %zu: wrong size of the head",
				    offsetof(struct jitdump_head, size));
	result = parse_records(&dump, head, error);
	if (dump.waiting.is_there)
		give_lines(&dump, find_function(all, dump.waiting.address));
	return result;
}
