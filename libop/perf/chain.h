/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The user code of a call chain, of what unwinding and frame pointers found.
 */
#ifndef LIBOP_PERF_CHAIN_H
#define LIBOP_PERF_CHAIN_H

#include <stddef.h>
#include <stdint.h>

#include "sample.h"
#include "unwind.h"

/**
 * perf_chain_by_fp - what the kernel found by frame pointers
 * @address: filled in: where user code was, and return addresses
 *
 * Return: their number; 0 if it did not look.
 */
size_t perf_chain_by_fp(const struct perf_sample *sample,
			uint64_t address[static PERF_UNWIND_FRAMES_MOST]);

/**
 * perf_chain_join - go on by frame pointers where unwinding has ended
 * @frame: @count addresses as of perf_unwind_stack(); gets more of them
 * @by_fp: @n addresses of the same stack, as of perf_chain_by_fp()
 *
 * They join where two callers one after the other are the same, or only one is known by unwinding.
 * If unwinding found none, they are all by frame pointers.
 *
 * Return: the number of addresses, @count if they do not join.
 */
size_t perf_chain_join(uint64_t frame[static PERF_UNWIND_FRAMES_MOST], size_t count,
		       const uint64_t *by_fp, size_t n);

#endif
