/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What oprofile-selftest profiles: itself, at work whose shares it knows by the CPU clock of the
 * thread.
 */
#ifndef UTILS_SELFTEST_WORKLOADS_H
#define UTILS_SELFTEST_WORKLOADS_H

#include <stdio.h>

/* The first argument of a command line that is a workload: WORKLOAD_OPTION NAME AMOUNT. */
#define WORKLOAD_OPTION "--workload"

/*
 * Milliseconds of CPU time from which to which a process of the workload "short" works, and with
 * which period the workload "lockstep" repeats.
 */
#define WORKLOAD_SHORT_LEAST 1
#define WORKLOAD_SHORT_MOST  9
#define WORKLOAD_LOCKSTEP_MS 1

/**
 * workload_run - do the work of a name, and write what is known of it
 * @amount: seconds of the wall clock; of "fixed", turns of a loop
 * @truth: gets lines "NAME NUMBER"; what has a time has it in seconds of CPU time
 *
 * "shares": functions half, third and rest.  "lockstep": long and brief.  "short": all CPU time by
 * rusage (cpu, user), number of processes.  "chains": often and seldom, the callers of a leaf;
 * line, its line with nearly all of its time.  "skid": slow, the address in the file of
 * an instruction of selftest_skid() that has nearly all of its time, or nothing where there is no
 * such code for the CPU.  "fixed":
 * cpu.
 *
 * Return: 0, or -1: there is no such workload, or no process can be made.
 */
int workload_run(const char *name, double amount, FILE *truth);

/* Turns of "fixed" that take a second of CPU time, about. */
double workload_calibrate(void);

#endif
