/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What all processes of the fuzzer write on, in shared memory, so that it survives them: how each
 * kind of operation went, each process's last operations, and the first thing that was wrong.
 */
#ifndef TESTS_VM_FUZZ_BOARD_H
#define TESTS_VM_FUZZ_BOARD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define OPERATIONS_MAX 80 /* kinds */
#define ERRNOS_MAX 136
#define PROCESSES_MAX 16
#define HISTORY 24 /* operations of a process that are remembered */

struct past {
	unsigned int number;
	int error; /* -1: it has not returned */
	char text[88];
};

struct process {
	_Atomic int pid;
	_Atomic unsigned int done; /* operations, in this round */
	const char *who;
	struct past past[HISTORY];
};

struct board {
	uint64_t seed;
	_Atomic unsigned int round;
	_Atomic bool stop; /* something is wrong: all end */
	_Atomic unsigned long done;
	_Atomic unsigned long results[OPERATIONS_MAX][ERRNOS_MAX]; /* 0: succeeded */
	_Atomic unsigned long nanoseconds[OPERATIONS_MAX];
	_Atomic unsigned long samples; /* in event buffers that were read */
	_Atomic unsigned long buffers;
	struct process processes[PROCESSES_MAX];
	char wrong[256];
};

extern struct board *board;

void board_open(uint64_t seed);

/* Says what is wrong, if nobody has before, and has all processes end. */
void board_wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* To the standard output and the kernel's log, which outlives a panic. */
void board_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

void board_print_results(void);
void board_print_history(void);

#endif
