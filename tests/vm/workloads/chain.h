/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the two parts of the workload "chain" share. */
#ifndef WORKLOAD_CHAIN_H
#define WORKLOAD_CHAIN_H

#include <stdint.h>

/*
 * Ends each function: asks for the frame pointer, which gcc leaves out of functions that
 * call nothing whatever its options say, and keeps a last call from becoming a jump.
 */
#define CHAIN_FRAME __asm__ volatile("" : : "r"(__builtin_frame_address(0)))

void chain_far(uint64_t iterations);

#endif
