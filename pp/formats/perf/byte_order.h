/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The byte order of perf.data: that of the machine that recorded it.
 */
#ifndef PP_FORMATS_PERF_BYTE_ORDER_H
#define PP_FORMATS_PERF_BYTE_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "libop/base/reader.h"

/* "PERFILE2" as a number of the machine that wrote it. */
#define PERF_MAGIC_2 UINT64_C(0x32454c4946524550)

/**
 * perf_is_swapped - whether numbers of a file have the other byte order than those of this machine
 * @header: its first 16 bytes: magic, and the size of the header
 * @is_first_version: the magic is "PERFFILE", text that is the same in both orders; then the size
 *	tells, which is small
 */
static inline bool perf_is_swapped(const uint8_t *header, bool is_first_version)
{
	if (is_first_version)
		return op_load_u64(header + 8, false) > UINT32_MAX;
	return op_load_u64(header, false) != PERF_MAGIC_2;
}

#endif
