// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Functions in anonymous memory that have no call frame information, no frame pointers, and do
 * nothing but call what does the work, as those that interpreters make for profilers; and tells
 * of them in /tmp/perf-PID.map:
 *
 *	main ── called_outer ── interpreted ─┬─ called_heavy ── trampoline_leaf	60 %
 *	                                     └─ called_light ── trampoline_leaf	40 %
 *
 *	trampoline SECONDS	runs for that much CPU time
 *
 * prints its pid.  Each trampoline has another frame.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/vm/workloads/spin.h"

/* Bytes of the memory, and from one trampoline to the next. */
#define SIZE 4096
#define STEP 64

typedef void worker(uint64_t iterations);
/* Calls @work with @iterations. */
typedef void trampoline(uint64_t iterations, worker *work);

/* To be copied anywhere. */
extern const char outer_begin[], heavy_begin[], light_begin[], all_end[];
__asm__(".text\n"
	"outer_begin:\n"
	"	endbr64\n"
	"	sub $8, %rsp\n"
	"	call *%rsi\n"
	"	add $8, %rsp\n"
	"	ret\n"
	"heavy_begin:\n"
	"	push %rbx\n"
	"	sub $0x120, %rsp\n"
	"	mov %rdi, %rbx\n"
	"	call *%rsi\n"
	"	xor %eax, %eax\n"
	"	add $0x120, %rsp\n"
	"	pop %rbx\n"
	"	ret\n"
	"light_begin:\n"
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	call *%rsi\n"
	"	pop %rbp\n"
	"	ret\n"
	"all_end:\n");

static const struct {
	const char *name, *begin, *end;
} templates[] = {
	{"called_outer", outer_begin, heavy_begin},
	{"called_heavy", heavy_begin, light_begin},
	{"called_light", light_begin, all_end},
};

static trampoline *called_outer, *called_heavy, *called_light;
static volatile uint64_t kept;

static trampoline *make(char *memory, size_t i, FILE *map)
{
	size_t size = (size_t)(templates[i].end - templates[i].begin);
	char *code = memory + i * STEP;

	memcpy(code, templates[i].begin, size);
	fprintf(map, "%lx %zx %s\n", (unsigned long)code, size, templates[i].name);
	return (trampoline *)code;
}

WORKLOAD_FUNCTION static void trampoline_leaf(uint64_t iterations)
{
	spin(iterations);
	kept++;
}

WORKLOAD_FUNCTION static void interpreted(uint64_t part)
{
	called_heavy(6 * part, trampoline_leaf);
	called_light(4 * part, trampoline_leaf);
	kept++; /* no jump instead of a call */
}

/* Not as long as a period each time. */
static uint64_t random_part(void)
{
	static uint64_t random = 88172645463325252u;

	random ^= random << 13;
	random ^= random >> 7;
	random ^= random << 17;
	return 500 + random % 1000;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 1;
	char path[64];
	char *memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	FILE *map;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	map = fopen(path, "w");
	if (memory == MAP_FAILED || !map) {
		perror(path);
		return 1;
	}
	called_outer = make(memory, 0, map);
	called_heavy = make(memory, 1, map);
	called_light = make(memory, 2, map);
	fclose(map);
	if (mprotect(memory, SIZE, PROT_READ | PROT_EXEC)) {
		perror("mprotect");
		return 1;
	}
	printf("%d\n", (int)getpid());
	fflush(stdout);
	while (cpu_seconds() < seconds)
		called_outer(random_part(), interpreted);
	return 0;
}
