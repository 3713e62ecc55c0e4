/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lists of CPUs in the notation of the kernel: "0-3,8".
 */
#ifndef LIBOP_CPU_LIST_H
#define LIBOP_CPU_LIST_H

#include <stddef.h>

#include "libop/base/error.h"

/* CPU numbers are below this. */
#define OP_CPUS_MOST 65536

/**
 * op_cpu_list_parse - read a list
 * @what: what the list is, for messages
 * @cpus: set to the numbers, ascending, each once, which the caller frees
 *
 * Return: 0, or -1 with @error set.
 */
int op_cpu_list_parse(const char *text, const char *what, int **cpus, size_t *count,
		      struct op_error *error);

/*
 * The CPUs that are online, or without sysfs those on which this process may run; as
 * op_cpu_list_parse().
 */
int op_cpu_list_online(int **cpus, size_t *count, struct op_error *error);

#endif
