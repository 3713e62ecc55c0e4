/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counters: how many a CPU has, and which of them each event gets.
 */
#ifndef LIBOP_COUNTERS_H
#define LIBOP_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/cpu/detect.h"
#include "libop/base/error.h"

/* Counters are bits of a uint64_t here. */
#define OP_COUNTERS_LIMIT 64

/*
 * struct op_counters - the counters of a CPU, numbered as in oprofilefs
 *
 * Behind the hardware's counters there may be virtual ones, which take turns on the general
 * counters.  With two general counters, three fixed and four virtual ones:
 *
 *	number			0 1   2 3 4   5 6   7 8
 *	hardware's counter	0 1   2 3 4   0 1   0 1
 *	turn			0 0   all     1 1   2 2
 */
struct op_counters {
	unsigned int general;	/* 0 ... general - 1 take any event (that may be there) */
	unsigned int fixed;	/* general ... general + fixed - 1: Intel's fixed counter 0 ... */
	unsigned int turns;	/* more turns that virtual counters give, in numbers behind these */
	uint64_t usable;	/* bit N: counter N is free for us */
	uint32_t absent_events; /* CPUID 0xA EBX: bit N: architectural event N is not there */
};

/* The counters a type has, of which all are usable. */
struct op_counters op_counters_plain(unsigned int general, unsigned int fixed);

/* The same with @virtual_counters, of which those make whole turns that there are numbers for. */
struct op_counters op_counters_multiplexed(unsigned int general, unsigned int fixed,
					   unsigned int virtual_counters);

/* The hardware's counter that counter @number is on, and when: 0 is the first turn, or all. */
unsigned int op_counters_hardware(const struct op_counters *counters, unsigned int number);
unsigned int op_counters_turn(const struct op_counters *counters, unsigned int number);

/* @hardware, bits of the hardware's counters, and the virtual counters on those; all usable. */
uint64_t op_counters_on(const struct op_counters *counters, uint64_t hardware);

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

/**
 * op_counters_allocate_turns - the same, with as few turns as possible
 * @counters: which of the numbers in @allowed are of which turn
 *
 * Events take turns only if they cannot all be counted at once.
 */
int op_counters_allocate_turns(const struct op_counters *counters, const uint64_t *allowed,
			       size_t n, unsigned int *counter);

#endif
