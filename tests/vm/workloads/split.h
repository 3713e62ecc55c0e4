/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of the workload "split" that is in a shared library. */
#ifndef WORKLOAD_SPLIT_H
#define WORKLOAD_SPLIT_H

#include <stdint.h>

void split_twenty(uint64_t iterations);

#endif
