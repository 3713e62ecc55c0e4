/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A PMU that is not right is worse than none: whatever goes wrong ends QEMU, with a line on
 * standard error and exit status 1.
 */
#ifndef PMU_FAIL_H
#define PMU_FAIL_H

void pmu_fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/* calloc() that does not fail. */
void *pmu_allocate(unsigned long count, unsigned long size);

#endif
