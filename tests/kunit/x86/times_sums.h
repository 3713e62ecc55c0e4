/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The times of one CPU.  Shared by suites; of times_test.c.
 */
#ifndef OPROFILE_KUNIT_TIMES_SUMS_H
#define OPROFILE_KUNIT_TIMES_SUMS_H

#include <linux/types.h>

u64 times_enabled(unsigned int cpu, unsigned int number);
u64 times_running(unsigned int cpu, unsigned int number);

#endif
