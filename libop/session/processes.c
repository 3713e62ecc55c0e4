// SPDX-License-Identifier: GPL-2.0-or-later
/* The processes of a session that had samples in memory without a file: see processes.h. */
#include "processes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "libop/base/array.h"
#include "libop/base/file.h"
#include "libop/base/number.h"
#include "small_files.h"
#include "paths.h"

/* Bytes of the path of a jitdump, and of the file. */
#define DUMP_MOST     1024
#define FILE_MOST     (64 << 20)
#define STAT_MOST     4096
#define SECOND	      UINT64_C(1000000000)
#define STAT_STARTED  22 /* the field of /proc/PID/stat with the start, in ticks since boot */
#define SAME_START_NS (2 * SECOND)

/* ---- the list ---- */

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

bool op_process_is_same(const struct op_process *process, const struct op_process *other)
{
	return process->tgid == other->tgid &&
	       distance(process->started, other->started) < SAME_START_NS;
}

size_t op_process_list_find(const struct op_process_list *list, uint32_t tgid,
			    struct op_process *found)
{
	size_t n = 0;
	uint32_t i;

	op_hash_for_each_possible (&list->by_tgid, op_hash_mix(0, tgid), i) {
		if (list->items[i].tgid == tgid && !n++)
			*found = list->items[i];
	}
	return n;
}

static bool has_process(const struct op_process_list *list, const struct op_process *process)
{
	uint32_t i;

	op_hash_for_each_possible (&list->by_tgid, op_hash_mix(0, process->tgid), i) {
		if (op_process_is_same(&list->items[i], process) &&
		    list->items[i].owner == process->owner)
			return true;
	}
	return false;
}

int op_process_list_add(struct op_process_list *list, const struct op_process *process)
{
	if (has_process(list, process))
		return 0;
	if (list->n >= OP_PROCESSES_MOST ||
	    op_array_fit(list->items, list->capacity, list->n + 1) ||
	    op_hash_add(&list->by_tgid, op_hash_mix(0, process->tgid), (uint32_t)list->n))
		return -1;
	list->items[list->n] = *process;
	list->items[list->n++].dump = process->dump ? strdup(process->dump) : NULL;
	return 1;
}

void op_process_list_set_dump(struct op_process_list *list, uint32_t tgid, const char *path)
{
	struct op_process *last = NULL;
	uint32_t i;

	op_hash_for_each_possible (&list->by_tgid, op_hash_mix(0, tgid), i) {
		if (list->items[i].tgid == tgid)
			last = &list->items[i];
	}
	if (!last || strlen(path) > DUMP_MOST || strchr(path, '\n'))
		return;
	free(last->dump);
	last->dump = strdup(path);
}

void op_process_list_free(struct op_process_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->items[i].dump);
	free(list->items);
	op_hash_free(&list->by_tgid);
	*list = (struct op_process_list){0};
}

/* ---- its file ---- */

static bool processes_take(const char **at, uint64_t most, char end, uint64_t *number)
{
	return op_number_take(at, 10, most, number) && *(*at)++ == end;
}

/* TGID OWNER STARTED INNER DUMP; the last may be empty */
static void processes_take_line(void *list, char *line)
{
	uint64_t tgid, owner, started, inner;
	const char *at = line;

	if (processes_take(&at, UINT32_MAX, ' ', &tgid) &&
	    processes_take(&at, UINT32_MAX, ' ', &owner) &&
	    processes_take(&at, UINT64_MAX, ' ', &started) &&
	    processes_take(&at, UINT32_MAX, ' ', &inner))
		op_process_list_add(list,
				    &(struct op_process){.tgid = (uint32_t)tgid,
							 .owner = (uint32_t)owner,
							 .started = started,
							 .inner = (uint32_t)inner,
							 .dump = *at ? line + (at - line) : NULL});
}

void op_process_list_read(struct op_process_list *list, const char *samples_dir)
{
	list_file_read(samples_dir, OP_SAMPLES_PROCESSES, FILE_MOST, processes_take_line, list);
}

static void processes_put_lines(FILE *out, const void *context)
{
	const struct op_process_list *list = context;

	for (size_t i = 0; i < list->n; i++)
		fprintf(out, "%" PRIu32 " %" PRIu32 " %" PRIu64 " %" PRIu32 " %s\n",
			list->items[i].tgid, list->items[i].owner, list->items[i].started,
			list->items[i].inner, list->items[i].dump ? list->items[i].dump : "");
}

int op_process_list_save(const struct op_process_list *list, const char *samples_dir,
			 struct op_error *error)
{
	return list_file_save(samples_dir, OP_SAMPLES_PROCESSES, processes_put_lines, list, error);
}

/* ---- running processes ---- */

/* Finds a field of the text of /proc/PID/stat, of those behind the name, which has any bytes. */
static bool find_field(const char *text, int number, uint64_t *value)
{
	const char *at = strrchr(text, ')');

	for (int i = 2; at && i < number; i++) {
		at = strchr(at, ' ');
		at += at != NULL;
	}
	return at && op_number_take(&at, 10, UINT64_MAX, value);
}

static uint64_t nanoseconds(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}

/* The last of the pids that /proc/PID/status has after "NSpid:", or 0. */
static uint32_t inner_pid(uint32_t tgid)
{
	char path[64], *text;
	uint64_t pid = 0;
	const char *at;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/status", tgid);
	text = op_file_read(path, STAT_MOST, NULL, NULL);
	at = text ? strstr(text, "\nNSpid:") : NULL;
	at = at ? at + strlen("\nNSpid:") : NULL;
	while (at && *(at += strspn(at, "\t ")) && op_number_take(&at, 10, UINT32_MAX, &pid))
		;
	free(text);
	return (uint32_t)pid;
}

int op_process_of(uint32_t tgid, struct op_process *process)
{
	uint64_t ticks, rate = (uint64_t)sysconf(_SC_CLK_TCK);
	struct stat status;
	char path[64], *text;
	bool found;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/stat", tgid);
	text = op_file_read(path, STAT_MOST, NULL, NULL);
	found = text && find_field(text, STAT_STARTED, &ticks);
	free(text);
	*strrchr(path, '/') = '\0';
	if (!found || stat(path, &status))
		return -1;
	*process = (struct op_process){
		.tgid = tgid,
		.owner = status.st_uid,
		.started = nanoseconds(CLOCK_REALTIME) - nanoseconds(CLOCK_BOOTTIME) +
			   ticks * (SECOND / rate),
		.inner = inner_pid(tgid),
	};
	return 0;
}
