/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What suites of CPU buffers have in common: empty buffers without traces, a task that is
 * interrupted, and nobody else who reads: kicks and marks are only counted.
 */
#ifndef OPROFILE_KUNIT_CPU_BUFFER_FIXTURE_H
#define OPROFILE_KUNIT_CPU_BUFFER_FIXTURE_H

struct kunit;

/* For struct kunit_suite; in cpu_buffer_test.c, where the seams are. */
int cpu_buffer_init(struct kunit *test);
void cpu_buffer_exit(struct kunit *test);

#endif
