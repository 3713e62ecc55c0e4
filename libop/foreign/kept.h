/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory that this process keeps of files that others own, such as their symbols, by account
 * (account.h), so that nobody's files push out those of others, or end the process.
 */
#ifndef LIBOP_FOREIGN_KEPT_H
#define LIBOP_FOREIGN_KEPT_H

#include <stdbool.h>
#include <stdint.h>

/* What all accounts together may have of the memory of this process; each may have half of what the
 * others leave of that, so that there is some for one more. */
#define FOREIGN_KEPT_PART 4

/* Instead of what the system says, in tests; 0: that. */
extern uint64_t foreign_memory_given;

/**
 * foreign_memory_most - how many bytes of memory this process may have
 * @is_limited: set to whether that is less than the machine has, by a control group or a limit of
 *	the process (RLIMIT_AS); may be NULL
 *
 * It is looked up once.
 */
uint64_t foreign_memory_most(bool *is_limited);

/* struct foreign_kept - what is kept of one thing; all zero at first */
struct foreign_kept {
	uint64_t account, bytes;
};

/* How many bytes more may be kept for an account.  Any thread may call these. */
uint64_t foreign_kept_left(uint64_t account);

/**
 * foreign_kept_add - count bytes that are kept for an account
 * @kept: of that account, or all zero
 *
 * Return: false if they are too many: then they are not counted, and must not be kept.
 */
bool foreign_kept_add(struct foreign_kept *kept, uint64_t account, uint64_t bytes);

/* They are kept no longer. */
void foreign_kept_free(struct foreign_kept *kept);

#endif
