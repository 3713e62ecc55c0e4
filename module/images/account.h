/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shares of what is bounded, by who causes its use.
 *
 * One user can make any number of processes, mappings and files.  So each has an account, and may
 * use as much of a resource as is left free: alone half of it, two a third each, as soon as what
 * the first has had more than that has been given back.  Whoever comes new finds room.
 *
 * An account is a user of the initial user namespace, with the namespaces that this user has made,
 * whose users are that user's to choose from; or a user namespace that root has made, such as that
 * of a container, with all in it.  Accounts are counted by a keyed hash: two of a thousand may
 * count as one.
 */
#ifndef OPROFILE_ACCOUNT_H
#define OPROFILE_ACCOUNT_H

#include <linux/compiler.h>
#include <linux/types.h>

struct cred;

#define OP_ACCOUNTS_ORDER 10

/**
 * struct op_shares - who has how much of one resource
 * @total: the sum of @used
 * @used: by account
 *
 * Locked by whoever has it.
 */
struct op_shares {
	unsigned long total;
	unsigned long used[1 << OP_ACCOUNTS_ORDER];
};

/**
 * op_account_of - who is accounted for what a task causes
 * @cred: of the task, which stays for the call
 *
 * By the real user, so that a set-user-ID program counts as who has started it.  Context: any.
 * Return: an index of op_shares::used.
 */
u16 op_account_of(const struct cred *cred);

/* That of current. */
u16 op_account_of_current(void);

/**
 * op_share_limit - how much one account may have as long as others have what they have
 * @most: of all
 *
 * Context: any, @shares locked.
 */
static inline unsigned long op_share_limit(const struct op_shares *shares, u16 account,
					   unsigned long most)
{
	unsigned long others = shares->total - shares->used[account];

	return others < most ? (most - others) / 2 : 0;
}

/* May @account have @amount more, of @most in all?  Context: any, @shares locked. */
static inline bool op_share_fits(const struct op_shares *shares, u16 account,
				 unsigned long amount, unsigned long most)
{
	return shares->used[account] + amount <= op_share_limit(shares, account, most);
}

static inline void op_share_take(struct op_shares *shares, u16 account, unsigned long amount)
{
	WRITE_ONCE(shares->total, shares->total + amount);
	shares->used[account] += amount;
}

static inline void op_share_give(struct op_shares *shares, u16 account, unsigned long amount)
{
	WRITE_ONCE(shares->total, shares->total - amount);
	shares->used[account] -= amount;
}

void op_accounts_set_up(void); /* a new key; when no share is taken.  Context: process. */

#endif
