/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the table's reader has to know of the machine.
 */
#ifndef UTILS_SELFTEST_MACHINE_H
#define UTILS_SELFTEST_MACHINE_H

#include <stdio.h>

/**
 * machine_write - write lines on kernel, CPUs, and who may profile
 * @cpuinfo, @paranoid: texts of /proc/cpuinfo and /proc/sys/kernel/perf_event_paranoid; NULL:
 * unknown
 */
void machine_write(FILE *out, const char *cpuinfo, const char *paranoid);

#endif
