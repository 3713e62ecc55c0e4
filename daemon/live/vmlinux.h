/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the code of a vmlinux file is in the running kernel.
 */
#ifndef DAEMON_LIVE_VMLINUX_H
#define DAEMON_LIVE_VMLINUX_H

#include <stdint.h>

#include "libop/base/error.h"

/**
 * vmlinux_range - the addresses of a kernel's code
 * @path: the ELF file
 * @kallsyms: symbols of the running kernel, which may have been moved at boot; may be NULL
 * @start: set to the address of the first byte of .text
 * @end: set to the address behind the code: of _etext, else the end of .text
 *
 * Without @kallsyms the addresses are those of the file.
 *
 * Return: 0, or -1 with @error set.
 */
int vmlinux_range(const char *path, const char *kallsyms, uint64_t *start, uint64_t *end,
		  struct op_error *error);

#endif
