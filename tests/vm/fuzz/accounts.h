/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A session that must add up: received = read + lost, to the last sample.
 */
#ifndef TESTS_VM_FUZZ_ACCOUNTS_H
#define TESTS_VM_FUZZ_ACCOUNTS_H

#include "operation.h"

/* Sets the profiler up as the stream says, and starts it.  Returns the opened buffer, or -1. */
int accounts_open(struct worker *worker);

void accounts_read(struct worker *worker, int buffer); /* whatever is ready */
void accounts_close(struct worker *worker, int buffer); /* stop, read all, compare */

#endif
