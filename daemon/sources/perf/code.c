// SPDX-License-Identifier: GPL-2.0-or-later
/* Code in the memory of live processes: see code.h. */
#include "code.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "daemon/live/machine.h"
#include "libop/foreign/door.h"
#include "module/uapi/oprofile.h"

/* Compilers put other code into the same memory: what is older than this, in ns, is read again. */
#define CODE_FRESH UINT64_C(1000000000)

/* Seconds a second that are spent on the memory of the processes of one account, and of all. */
#define READING_EACH 0.05
#define READING_ALL  0.15

void perf_code_init(struct perf_code *code)
{
	*code = (struct perf_code){
		.reading = {.each = READING_EACH, .all = READING_ALL, .seconds = 1}};
}

static void perf_code_close(struct perf_code_memory *memory)
{
	if (memory->number && memory->fd >= 0)
		close(memory->fd);
	*memory = (struct perf_code_memory){.fd = -1};
}

void perf_code_free(struct perf_code *code)
{
	for (size_t i = 0; i < PERF_CODE_OPEN; i++)
		perf_code_close(&code->memory[i]);
	code_cache_free(&code->cache);
	foreign_limit_reset(&code->reading);
}

/* ---- processes ---- */

static void perf_code_open(struct perf_code_memory *memory, const struct perf_processes *processes,
			   const struct perf_process *process)
{
	uint32_t thread = machine_thread((uint32_t)process->task.pid);
	char path[32];
	uid_t user;

	snprintf(path, sizeof(path), "/proc/%u/mem", (unsigned int)thread);
	if (!machine_user(thread, &user))
		return;
	memory->fd = foreign_open(path, FOREIGN_ANY, FOREIGN_NONE);
	memory->account = foreign_account(user);
	memory->is_apart =
		!geteuid() && (user || (process->mount && process->mount != processes->mount));
}

/* Return: NULL if its memory is not open, and can't be any more. */
static struct perf_code_memory *perf_code_memory_of(struct perf_code *code,
						    const struct perf_processes *processes,
						    const struct perf_process *process)
{
	struct perf_code_memory *oldest = code->memory;

	for (size_t i = 0; i < PERF_CODE_OPEN; i++) {
		struct perf_code_memory *memory = &code->memory[i];

		if (memory->number == process->task.number) {
			memory->used = ++code->uses;
			return memory;
		}
		if (memory->used < oldest->used)
			oldest = memory;
	}
	if (process->task.ended)
		return NULL;
	perf_code_close(oldest);
	oldest->number = process->task.number;
	oldest->used = ++code->uses;
	perf_code_open(oldest, processes, process);
	return oldest;
}

/* ---- code ---- */

static double perf_code_clock(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Reads what is not known, or old, if the account has time left.  Return: bytes. */
static size_t perf_code_ask(struct perf_code *code, struct perf_code_memory *memory,
			    struct code_source source, uint64_t address, uint8_t *bytes,
			    size_t most)
{
	double begun = perf_code_clock();
	size_t n;

	if (memory->fd < 0 || foreign_limit_left(&code->reading, memory->account) <= 0)
		return 0;
	source.fd = memory->fd;
	source.is_apart = memory->is_apart;
	n = code_cache_read(&code->cache, &source, address, bytes, most);
	foreign_limit_use(&code->reading, memory->account, perf_code_clock() - begun);
	return n;
}

size_t perf_code_read(struct perf_code *code, const struct perf_processes *processes,
		      struct perf_process *process, uint64_t address, uint8_t *bytes, size_t most)
{
	const struct space_mapping *mapping = perf_process_known(process, address);
	struct perf_code_memory *memory = NULL;
	struct code_source source = {.number = process->task.number, .fd = -1};
	size_t n;

	if (!mapping || mapping->image != OPROFILE_NO_COOKIE)
		return 0;
	source.start = mapping->start;
	source.end = mapping->end;
	source.now = processes->now;
	if (!process->task.ended && source.now > CODE_FRESH)
		source.until = source.now - CODE_FRESH;
	n = code_cache_read(&code->cache, &source, address, bytes, most);
	if (n == most || (n && n == source.end - address))
		return n;
	memory = perf_code_memory_of(code, processes, process);
	if (memory)
		n = perf_code_ask(code, memory, source, address, bytes, most);
	/* rather old code than none */
	source.until = 0;
	return n ? n : code_cache_read(&code->cache, &source, address, bytes, most);
}
