/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The counters of a CPU, and the allocation of events to them.
 */
#ifndef LIBOP_EVENTS_COUNTERS_H
#define LIBOP_EVENTS_COUNTERS_H

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
 * Virtual counters are numbered after the hardware's.  They form groups that are multiplexed on
 * the general counters.  With two general counters, three fixed and four virtual ones:
 *
 *	number			0 1   2 3 4   5 6   7 8
 *	hardware's counter	0 1   2 3 4   0 1   0 1
 *	group			0 0   all     1 1   2 2
 */
struct op_counters {
	unsigned int general; /* 0 ... general - 1: for any event that is allowed there */
	unsigned int fixed;   /* general ... general + fixed - 1: Intel's fixed counter 0 ... */
	unsigned int virtual_groups; /* of @general virtual counters each, numbered after these */
	uint64_t usable;	     /* bit N: counter N is free */
	uint32_t absent_events;	     /* CPUID 0xA EBX: bit N: architectural event N is not there */
};

/* The counters a type has, of which all are usable. */
struct op_counters op_counters_plain(unsigned int general, unsigned int fixed);

/* The same with @virtual_counters: those that form whole groups below OP_COUNTERS_LIMIT. */
struct op_counters op_counters_multiplexed(unsigned int general, unsigned int fixed,
					   unsigned int virtual_counters);

/* The hardware's counter behind counter @number, and its group; 0: the first one, or fixed. */
unsigned int op_counters_hardware(const struct op_counters *counters, unsigned int number);
unsigned int op_counters_group(const struct op_counters *counters, unsigned int number);

/* The usable ones of @hardware, bits of the hardware's counters, and of the virtual ones on them.
 */
uint64_t op_counters_on(const struct op_counters *counters, uint64_t hardware);

/**
 * op_counters_of - the counters of a CPU type
 * @cpu_type: its number
 * @cpu: the CPU that counts, if it is known and of that type; NULL: another machine's.  Never pass
 * this machine's CPU with another one's type.
 *
 * Without @cpu these are the counters that each CPU of the type has, all of them general: 0 for the
 * type "i386/arch_perfmon", whose counters CPUID describes.
 */
struct op_counters op_counters_of(int cpu_type, const struct op_cpu_id *cpu);

/**
 * op_counters_allocate - allocate a counter to each event
 * @allowed: for each event: bit N: counter N can count it; 0: it needs no counter
 * @n: number of events
 * @counter: set for each event that needs one: the lowest possible number, events in order
 *
 * Return: 0, or -1 if the counters do not suffice; then @counter is unchanged.
 */
int op_counters_allocate(const uint64_t *allowed, size_t n, unsigned int *counter);

/**
 * op_counters_allocate_groups - the same, with as few groups as possible
 * @counters: maps the numbers in @allowed to groups
 *
 * Events are multiplexed only if the hardware cannot count all of them at once.
 */
int op_counters_allocate_groups(const struct op_counters *counters, const uint64_t *allowed,
				size_t n, unsigned int *counter);

#endif
