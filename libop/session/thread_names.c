// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of threads: see thread_names.h. */
#include "thread_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/array.h"
#include "libop/base/file.h"
#include "libop/base/number.h"
#include "small_files.h"
#include "paths.h"

/* Bytes of the file: of a list that is full of long names. */
#define FILE_MOST ((size_t)OP_THREAD_NAMES_MOST * (OP_THREAD_NAME_MOST + 32))
#define COMM_MOST 64

static uint64_t hash_thread(uint32_t tgid, uint32_t tid)
{
	return op_hash_mix(tgid, tid);
}

static struct op_thread_name *thread_names_find(const struct op_thread_names *names, uint32_t tgid,
						uint32_t tid)
{
	uint32_t i;

	op_hash_for_each_possible (&names->by_thread, hash_thread(tgid, tid), i) {
		if (names->items[i].tgid == tgid && names->items[i].tid == tid)
			return &names->items[i];
	}
	return NULL;
}

const char *op_thread_names_find(const struct op_thread_names *names, uint32_t tgid, uint32_t tid)
{
	const struct op_thread_name *found = thread_names_find(names, tgid, tid);

	return found && *found->name ? found->name : NULL;
}

/* Return: NULL when out of memory. */
static char *copy_name(const char *name)
{
	char *copy = strndup(name, OP_THREAD_NAME_MOST);

	if (!copy)
		return NULL;
	for (char *at = copy; (at = strchr(at, '\n'));)
		*at = ' ';
	return copy;
}

static int thread_names_add(struct op_thread_names *names, uint32_t tgid, uint32_t tid, char *name)
{
	if (names->n >= OP_THREAD_NAMES_MOST ||
	    op_array_fit(names->items, names->capacity, names->n + 1) ||
	    op_hash_add(&names->by_thread, hash_thread(tgid, tid), (uint32_t)names->n))
		return -1;
	names->items[names->n++] = (struct op_thread_name){tgid, tid, name};
	return 1;
}

int op_thread_names_set(struct op_thread_names *names, uint32_t tgid, uint32_t tid,
			const char *name)
{
	struct op_thread_name *found = thread_names_find(names, tgid, tid);
	char *copy = copy_name(name);
	int result;

	if (!copy)
		return -1;
	if (!found) {
		result = thread_names_add(names, tgid, tid, copy);
		if (result < 0)
			free(copy);
		return result;
	}
	result = strcmp(found->name, copy) != 0;
	free(found->name);
	found->name = copy;
	return result;
}

void op_thread_names_free(struct op_thread_names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->items[i].name);
	free(names->items);
	op_hash_free(&names->by_thread);
	*names = (struct op_thread_names){0};
}

/* TGID TID NAME */
static void thread_names_take_line(void *names, char *text)
{
	const char *line = text;
	uint64_t tgid, tid;

	if (op_number_take(&line, 10, UINT32_MAX, &tgid) && *line++ == ' ' &&
	    op_number_take(&line, 10, UINT32_MAX, &tid) && *line++ == ' ' && *line)
		op_thread_names_set(names, (uint32_t)tgid, (uint32_t)tid, line);
}

void op_thread_names_read(struct op_thread_names *names, const char *samples_dir)
{
	list_file_read(samples_dir, OP_SAMPLES_THREADS, FILE_MOST, thread_names_take_line, names);
}

static void thread_names_put_lines(FILE *out, const void *list)
{
	const struct op_thread_names *names = list;

	for (size_t i = 0; i < names->n; i++)
		if (*names->items[i].name)
			fprintf(out, "%" PRIu32 " %" PRIu32 " %s\n", names->items[i].tgid,
				names->items[i].tid, names->items[i].name);
}

int op_thread_names_save(const struct op_thread_names *names, const char *samples_dir,
			 struct op_error *error)
{
	return list_file_save(samples_dir, OP_SAMPLES_THREADS, thread_names_put_lines, names,
			      error);
}

char *op_thread_name_of(uint32_t tgid, uint32_t tid)
{
	char path[64], *text;
	size_t length;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task/%" PRIu32 "/comm", tgid, tid);
	text = op_file_read(path, COMM_MOST, &length, NULL);
	/* a name may end with a newline of its own */
	if (text && length && text[length - 1] == '\n')
		text[length - 1] = '\0';
	return text;
}
