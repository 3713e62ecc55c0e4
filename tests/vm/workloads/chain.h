/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of the workload "chain" that is in a shared library. */
#ifndef WORKLOAD_CHAIN_H
#define WORKLOAD_CHAIN_H

#include <stdint.h>

void chain_far(uint64_t iterations);

#endif
