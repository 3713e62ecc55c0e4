// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program that makes code at run time, as a just-in-time compiler does, and tells profilers
 * of it in /tmp/perf-PID.map: 75 % of the time in jit_hot, 25 % in jit_cold.
 *
 *	jit SECONDS		runs for that much CPU time
 *	jit SECONDS DIRECTORY	and tells in DIRECTORY/jit-PID.dump, perf's jitdump, of which it
 *				maps a page to be found by, as compilers do
 *	jit SECONDS "" IDLE	sleeps for IDLE seconds before it ends
 *	jit SECONDS "" IDLE 1	and unmaps the code before that
 *
 * prints its pid.  The memory is executable from mprotect(2) on, not from mmap(2).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/vm/workloads/spin.h"

#define SIZE 4096

/* The code of a function that spins %rdi times, to be copied anywhere. */
extern const char template_begin[], template_end[];
__asm__(".text\n"
	".balign 64\n"
	"template_begin:\n"
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"1:	sqrtsd %xmm0, %xmm1\n"
	"	sqrtsd %xmm1, %xmm1\n"
	"	sqrtsd %xmm1, %xmm1\n"
	"	sqrtsd %xmm1, %xmm1\n"
	"	dec %rdi\n"
	"	jnz 1b\n"
	"	pop %rbp\n"
	"	ret\n"
	"template_end:\n");

typedef void spin_function(uint64_t);

static spin_function *compile(char *where)
{
	memcpy(where, template_begin, (size_t)(template_end - template_begin));
	return (spin_function *)where;
}

static void tell(spin_function *hot, spin_function *cold)
{
	size_t size = (size_t)(template_end - template_begin);
	char path[64];
	FILE *map;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	map = fopen(path, "w");
	if (!map) {
		perror(path);
		exit(1);
	}
	fprintf(map, "%lx %zx jit_hot\n%lx %zx jit_cold\n", (unsigned long)hot, size,
		(unsigned long)cold, size);
	fclose(map);
}

/* The record of a function: where its code is, its name, and the code. */
static void dump_load(FILE *dump, spin_function *code, uint64_t number, const char *name)
{
	uint64_t size = (uint64_t)(template_end - template_begin), address = (uintptr_t)code;
	const uint32_t process = (uint32_t)getpid();
	const uint32_t ids[] = {process, process};
	const uint64_t body[] = {address, address, size, number};
	uint32_t head[] = {0, 0}; /* the kind, and the size of all */

	head[1] = (uint32_t)(sizeof(head) + sizeof(number) + sizeof(ids) + sizeof(body) +
			     strlen(name) + 1 + size);
	fwrite(head, sizeof(head), 1, dump);
	fwrite(&number, sizeof(number), 1, dump); /* in place of the time */
	fwrite(ids, sizeof(ids), 1, dump);
	fwrite(body, sizeof(body), 1, dump);
	fwrite(name, strlen(name) + 1, 1, dump);
	fwrite(template_begin, size, 1, dump);
}

static void tell_dump(const char *directory, spin_function *hot, spin_function *cold)
{
	const uint32_t head[] = {0x4a695444, 1, 40, 62 /* x86-64 */, 0, (uint32_t)getpid(), 0,
				 0,	     0, 0};
	char path[256];
	FILE *dump;

	snprintf(path, sizeof(path), "%s/jit-%d.dump", directory, (int)getpid());
	dump = fopen(path, "w+");
	if (!dump) {
		perror(path);
		exit(1);
	}
	fwrite(head, sizeof(head), 1, dump);
	if (mmap(NULL, SIZE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(dump), 0) == MAP_FAILED) {
		perror(path);
		exit(1);
	}
	dump_load(dump, hot, 0, "dumped_hot");
	dump_load(dump, cold, 1, "dumped_cold");
	fclose(dump);
}

int main(int argc, char **argv)
{
	double seconds = argc >= 2 && argc <= 5 ? atof(argv[1]) : 0;
	spin_function *hot, *cold;
	char *code = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (code == MAP_FAILED || seconds <= 0) {
		fputs("usage: jit SECONDS [DIRECTORY [IDLE [1]]]\n", stderr);
		return 2;
	}
	hot = compile(code);
	cold = compile(code + SIZE / 2);
	if (mprotect(code, SIZE, PROT_READ | PROT_EXEC)) {
		perror("mprotect");
		return 1;
	}
	if (argc >= 3 && *argv[2])
		tell_dump(argv[2], hot, cold);
	else
		tell(hot, cold);
	printf("%d\n", (int)getpid());
	fflush(stdout);
	srandom(75 * 25);
	while (cpu_seconds() < seconds) {
		uint64_t part = SPIN_CHUNK / 2 + (uint64_t)random() % SPIN_CHUNK;

		hot(3 * part);
		cold(part);
	}
	if (argc == 5 && munmap(code, SIZE)) {
		perror("munmap");
		return 1;
	}
	if (argc >= 4)
		sleep((unsigned int)atoi(argv[3]));
	return 0;
}
