/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef WORKLOAD_FUNCTION_H
#define WORKLOAD_FUNCTION_H

/* Keeps a function as it is written: not inlined, not cloned, not called by a jump. */
#if __has_attribute(noipa)
#define WORKLOAD_FUNCTION __attribute__((noipa, noinline))
#else /* clang has no such attribute */
#define WORKLOAD_FUNCTION __attribute__((noinline, disable_tail_calls))
#endif

#endif
