// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rates of event catalogues, one metric a line: "NAME: VALUE UNIT"; each is the median of
 * several runs.
 *
 *	OPROFILE_EVENTS_DIR: the catalogues
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libop/events/catalogue.h"
#include "libop/events/resolved_event.h"
#include "libop/cpu/type_names.h"

#define RUNS 9

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static int by_value(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

static void die(const char *what)
{
	fprintf(stderr, "bench_events error: %s\n", what);
	exit(1);
}

static void load(const char *cpu_name, bool with_pfm, struct op_catalogue *catalogue)
{
	struct op_counters counters = op_counters_plain(8, 3);
	struct op_error error;

	if (op_catalogue_load(cpu_name, &counters, with_pfm, catalogue, &error))
		die(error.text);
}

/* Reads a catalogue @rounds times a run. */
static void bench_load(const char *what, const char *cpu_name, bool with_pfm, int rounds)
{
	struct op_catalogue catalogue;
	double times[RUNS];
	size_t events = 0;

	for (int run = 0; run < RUNS; run++) {
		double start = now();

		for (int i = 0; i < rounds; i++) {
			load(cpu_name, with_pfm, &catalogue);
			events = catalogue.count;
			op_catalogue_free(&catalogue);
		}
		times[run] = (now() - start) / rounds;
	}
	qsort(times, RUNS, sizeof(times[0]), by_value);
	printf("%s %s (%zu events): %.4g ms\n", what, cpu_name, events, times[RUNS / 2] * 1e3);
}

static void bench_choose(void)
{
	static char *specs[] = {(char *)"INST_RETIRED:6000", (char *)"CPU_CLK_UNHALTED:6000",
				(char *)"LLC_MISSES:6000", (char *)"uops_issued:2000003:any"};
	const struct op_resolve_options how = {0};
	struct op_catalogue catalogue;
	struct op_resolved_event choices[4];
	struct op_error error;
	double times[RUNS];
	int rounds = 20000;

	load("i386/haswell", false, &catalogue);
	for (int run = 0; run < RUNS; run++) {
		double start = now();

		for (int i = 0; i < rounds; i++) {
			if (op_events_resolve(&catalogue, specs, 4, &how, choices, &error))
				die(error.text);
		}
		times[run] = (now() - start) / rounds;
	}
	qsort(times, RUNS, sizeof(times[0]), by_value);
	printf("look up and place 4 events: %.4g us\n", times[RUNS / 2] * 1e6);
	op_catalogue_free(&catalogue);
}

/* The worst case of counters: as many events as counters, each on few of them. */
static void bench_allocate(void)
{
	unsigned int counter[OP_COUNTERS_LIMIT];
	uint64_t allowed[OP_COUNTERS_LIMIT];
	double times[RUNS];

	for (int i = 0; i < OP_COUNTERS_LIMIT; i++)
		allowed[i] = UINT64_MAX >> i;
	for (int run = 0; run < RUNS; run++) {
		double start = now();

		if (op_counters_allocate(allowed, OP_COUNTERS_LIMIT, counter))
			die("no place");
		times[run] = now() - start;
	}
	qsort(times, RUNS, sizeof(times[0]), by_value);
	printf("place 64 events on 64 counters: %.4g us\n", times[RUNS / 2] * 1e6);
}

int main(void)
{
	bench_load("load", "i386/haswell", false, 100);
	bench_load("load", "i386/core_2", false, 100);
	bench_load("load", "i386/sapphirerapids", true, 5);
	bench_load("load", "x86-64/zen4", true, 5);
	bench_choose();
	bench_allocate();
	return 0;
}
