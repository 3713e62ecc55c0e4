/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who answers for a user id, and how much of something each of them may use.
 *
 * A user with subordinate ids (subuid(5)) owns files by 65,536 of them: a limit for each id would
 * be none.  So limits are by account: a user and the subordinate ids of that user.
 */
#ifndef LIBOP_FOREIGN_ACCOUNT_H
#define LIBOP_FOREIGN_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "libop/base/hash.h"

/* Where subordinate ids are; tests have another one. */
extern const char *foreign_subuid_file;

/**
 * foreign_account - who answers for a user id
 *
 * The file of subordinate ids is read again when it has changed.  Users whom directory services
 * have, and not /etc/passwd, have an account of their own for their subordinate ids.
 *
 * Return: a number for foreign_limit_left(): of a user, the id; the same for all subordinate ids
 * of one user.  It holds in this process only.  Any thread may call it.
 */
uint64_t foreign_account(uid_t user);

/* Whether a user has been given the id as a subordinate one. */
bool foreign_is_subordinate(uid_t user);

/**
 * struct foreign_limit - how much of something accounts may use
 * @each: that one account may use
 * @all: that all may use together; INFINITY: there is no such limit
 * @seconds: what was used is forgotten little by little, @each or @all in this time
 *
 * What follows is private.  One thread at a time may use it.
 */
struct foreign_limit {
	double each, all, seconds;
	struct foreign_use {
		double amount, when;
	} total;
	struct op_hash_map by_account;
};

/* How much more an account may use now; 0 if it is nothing. */
double foreign_limit_left(struct foreign_limit *limit, uint64_t account);

/**
 * foreign_limit_use - count what an account has used
 * @amount: also more than was left
 *
 * Without memory for a new account, only all together have used it.
 */
void foreign_limit_use(struct foreign_limit *limit, uint64_t account, double amount);

/* Nobody has used anything then. */
void foreign_limit_reset(struct foreign_limit *limit);

#endif
