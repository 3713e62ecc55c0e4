// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program that makes code at run time, as a just-in-time compiler does, and tells profilers
 * of it in /tmp/perf-PID.map: 75 % of the time in jit_hot, 25 % in jit_cold.
 *
 *	jit SECONDS		runs for that much CPU time
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

int main(int argc, char **argv)
{
	double seconds = argc == 2 ? atof(argv[1]) : 0;
	spin_function *hot, *cold;
	char *code = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (code == MAP_FAILED || seconds <= 0) {
		fputs("usage: jit SECONDS\n", stderr);
		return 2;
	}
	hot = compile(code);
	cold = compile(code + SIZE / 2);
	if (mprotect(code, SIZE, PROT_READ | PROT_EXEC)) {
		perror("mprotect");
		return 1;
	}
	tell(hot, cold);
	printf("%d\n", (int)getpid());
	srandom(75 * 25);
	while (cpu_seconds() < seconds) {
		uint64_t part = SPIN_CHUNK / 2 + (uint64_t)random() % SPIN_CHUNK;

		hot(3 * part);
		cold(part);
	}
	return 0;
}
