// SPDX-License-Identifier: GPL-2.0-only
/*
 * Accounts: see account.h.
 */
#include <linux/bits.h>
#include <linux/cred.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/siphash.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include "images/account.h"

#define IS_NAMESPACE BIT_ULL(63) /* the number is not that of a user */

static siphash_key_t account_secret;

static u64 account_key(const struct cred *cred)
{
	const struct user_namespace *outermost = NULL, *namespace = cred->user_ns;

	for (; namespace->parent; namespace = namespace->parent)
		outermost = namespace;
	if (!outermost)
		return __kuid_val(cred->uid);
	if (uid_eq(outermost->owner, GLOBAL_ROOT_UID))
		return IS_NAMESPACE | outermost->ns.inum;
	return __kuid_val(outermost->owner);
}

u16 op_account_of(const struct cred *cred)
{
	return siphash_1u64(account_key(cred), &account_secret) & (BIT(OP_ACCOUNTS_ORDER) - 1);
}

u16 op_account_of_current(void)
{
	u16 account;

	rcu_read_lock();
	account = op_account_of(current_cred());
	rcu_read_unlock();
	return account;
}

void op_accounts_set_up(void)
{
	get_random_bytes(&account_secret, sizeof(account_secret));
}
