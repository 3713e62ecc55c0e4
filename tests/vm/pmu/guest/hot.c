// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program with hot and less hot functions, linked static at an address that nothing else has,
 * so that the PMU's histogram of that range is of this program alone.
 *
 *	hot ROUNDS	runs that many rounds of about 200,000 instructions
 *	hot symbols	prints its functions, "ADDRESS TYPE NAME", with an end mark
 *
 * What share of instructions each function has doesn't matter: the histogram knows.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/vm/workloads/function.h"

/* Kept as written, and all in one section, of which the linker knows the end. */
#define FUNCTION WORKLOAD_FUNCTION __attribute__((section("hot_text")))

extern const char __stop_hot_text[];

static volatile uint32_t sink;

FUNCTION static void heavy(void)
{
	uint32_t x = 1;

	for (int i = 0; i < 20000; i++)
		x = x * 1664525 + 1013904223;
	sink = x;
}

FUNCTION static void light(void)
{
	uint32_t x = 1;

	for (int i = 0; i < 2000; i++)
		x ^= x << 5 | x >> 3;
	sink = x;
}

FUNCTION static uint32_t leaf(uint32_t x)
{
	return x * 3 + 1;
}

FUNCTION static void caller(void)
{
	uint32_t x = 1;

	for (int i = 0; i < 3000; i++)
		x = leaf(x);
	sink = x;
}

FUNCTION static void branchy(void)
{
	uint32_t x = 12345;

	for (int i = 0; i < 2000; i++) {
		x = x * 1103515245 + 12345;
		if (x >> 30 == 0)
			sink = x;
		else if (x & 0x1000)
			sink = i;
	}
}

/* a system call now and then, so that the kernel runs too */
FUNCTION static void asking(void)
{
	static char nothing[1];
	FILE *file = fopen("/dev/null", "w");

	if (!file || fwrite(nothing, 1, 1, file) != 1 || fclose(file))
		abort();
}

static const struct {
	const void *address;
	const char *name;
} functions[] = {
	{ heavy, "heavy" },	    { light, "light" },	    { leaf, "leaf" },
	{ caller, "caller" },	    { branchy, "branchy" }, { asking, "asking" },
	{ __stop_hot_text, "end" },
};

int main(int argc, char **argv)
{
	unsigned long rounds;

	if (argc != 2)
		return 2;
	if (!strcmp(argv[1], "symbols")) {
		for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
			printf("%lx T %s\n", (unsigned long)functions[i].address,
			       functions[i].name);
		return 0;
	}
	rounds = strtoul(argv[1], NULL, 10);
	while (rounds--) {
		heavy();
		light();
		caller();
		branchy();
		asking();
	}
	return 0;
}
