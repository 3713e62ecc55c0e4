/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counters: how many a CPU has, and which of them each event gets.
 */
#ifndef LIBOP_COUNTERS_H
#define LIBOP_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu_id.h"
#include "error.h"

/* Counters are bits of a uint64_t here. */
#define OP_COUNTERS_LIMIT 64

/* struct op_counters - the counters of a CPU, numbered as in oprofilefs */
struct op_counters {
	unsigned int general;	/* 0 ... general - 1 take any event (that may be there) */
	unsigned int fixed;	/* general ... general + fixed - 1: Intel's fixed counter 0 ... */
	uint64_t usable;	/* bit N: counter N is free for us */
	uint32_t absent_events; /* CPUID 0xA EBX: bit N: architectural event N is not there */
};

/* The counters a type has, of which all are usable. */
struct op_counters op_counters_plain(unsigned int general, unsigned int fixed);

/**
 * op_counters_of - the counters of a CPU type
 * @cpu_type: its number
 * @cpu: the machine that is to count, if it is known and of that type; NULL: some other
 *	machine.  Never pass this machine's CPU with another one's type.
 *
 * Without @cpu this is what the type has at least, all of them general: 0 for the type
 * "i386/arch_perfmon", of which nothing is known without the CPU.
 */
struct op_counters op_counters_of(int cpu_type, const struct op_cpu_id *cpu);

/**
 * op_counters_allocate - give each event a counter of its own
 * @allowed: of each event: bit N: it may be on counter N; 0: it needs no counter
 * @n: number of events
 * @counter: set, for each event that needs one, to its number: the lowest ones, for the
 *	first event first, with which all events find a place
 *
 * Return: 0, or -1 if they do not all find a place; then @counter is untouched.
 */
int op_counters_allocate(const uint64_t *allowed, size_t n, unsigned int *counter);

#endif
