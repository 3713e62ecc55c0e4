/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An allocator that fails on request: the program is linked with --wrap for its functions. */
#ifndef TESTS_UNIT_BASE_MEMORY_H
#define TESTS_UNIT_BASE_MEMORY_H

#include <stdbool.h>

/* While true, calloc() and reallocarray() return NULL. */
extern bool memory_fails;

#endif
