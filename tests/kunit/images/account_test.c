// SPDX-License-Identifier: GPL-2.0-only
/*
 * Accounts: who is one, and what one may have.
 */
#include <linux/bits.h>
#include <linux/cred.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/siphash.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include "suite.h"

#include "images/account.c"

static struct user_namespace first_ns, inner_ns, root_ns;
static struct op_shares shares; /* large */

static u64 key_of(u32 uid, const struct user_namespace *namespace)
{
	const struct cred cred = { .uid = KUIDT_INIT(uid), .user_ns = (void *)namespace };

	return account_key(&cred);
}

static void account_of_user(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, key_of(0, &init_user_ns), 0);
	KUNIT_EXPECT_EQ(test, key_of(1000, &init_user_ns), 1000);
}

/* However deep, and whatever number a user chooses in a namespace of the user's own. */
static void account_of_namespace(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, key_of(100000, &first_ns), 1000);
	KUNIT_EXPECT_EQ(test, key_of(165535, &first_ns), 1000);
	KUNIT_EXPECT_EQ(test, key_of(100001, &inner_ns), 1000);
}

/* Those that root has made, as for a container, are one account each, and not root's. */
static void account_of_container(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, key_of(200000, &root_ns), IS_NAMESPACE | 77);
	KUNIT_EXPECT_EQ(test, key_of(200001, &root_ns), IS_NAMESPACE | 77);
}

static void account_indexed(struct kunit *test)
{
	u16 seen[64], i, same = 0;

	op_accounts_set_up();
	for (i = 0; i < ARRAY_SIZE(seen); i++) {
		const struct cred cred = { .uid = KUIDT_INIT(i), .user_ns = &init_user_ns };

		seen[i] = op_account_of(&cred);
		KUNIT_EXPECT_LT(test, seen[i], ARRAY_SIZE(shares.used));
		KUNIT_EXPECT_EQ(test, op_account_of(&cred), seen[i]);
		same += i && seen[i] == seen[i - 1];
	}
	KUNIT_EXPECT_LT(test, same, 8);
	KUNIT_EXPECT_EQ(test, op_account_of_current(), op_account_of(current_cred()));
}

/* How much is taken, one by one, before there is no more. */
static unsigned long take_all(u16 account, unsigned long most)
{
	unsigned long nr = 0;

	for (; op_share_fits(&shares, account, 1, most); nr++)
		op_share_take(&shares, account, 1);
	return nr;
}

static void shares_equal(struct kunit *test)
{
	unsigned int round;
	u16 i;

	memset(&shares, 0, sizeof(shares));
	KUNIT_EXPECT_EQ(test, take_all(1, 1000), 500);
	KUNIT_EXPECT_EQ(test, take_all(2, 1000), 250);
	KUNIT_EXPECT_EQ(test, take_all(1, 1000), 0); /* it has more than a third */
	op_share_give(&shares, 1, 500);
	KUNIT_EXPECT_EQ(test, take_all(1, 1000), 375);
	KUNIT_EXPECT_EQ(test, shares.total, 625);

	/*
	 * As what is used comes and goes, 59 that take all they get come to have a sixtieth each,
	 * and whoever comes new finds half of that at once.
	 */
	for (round = 0; round < 200; round++) {
		for (i = 1; i < 60; i++) {
			op_share_give(&shares, i, shares.used[i] / 2);
			take_all(i, 60000);
		}
	}
	for (i = 1; i < 60; i++) {
		KUNIT_EXPECT_GT(test, shares.used[i], 500);
		KUNIT_EXPECT_LT(test, shares.used[i], 1500);
	}
	KUNIT_EXPECT_GT(test, take_all(60, 60000), 400);

	/* A limit that is lowered below what there is. */
	KUNIT_EXPECT_EQ(test, op_share_limit(&shares, 1, 10), 0);
	KUNIT_EXPECT_FALSE(test, op_share_fits(&shares, 1, 1, 10));
}

static int account_init(struct kunit *test)
{
	first_ns = (struct user_namespace){ .parent = &init_user_ns, .owner = KUIDT_INIT(1000) };
	inner_ns = (struct user_namespace){ .parent = &first_ns, .owner = KUIDT_INIT(100000) };
	root_ns = (struct user_namespace){ .parent = &init_user_ns, .owner = KUIDT_INIT(0) };
	root_ns.ns.inum = 77;
	return 0;
}

TEST_SUITE(oprofile_account, account_init, NULL,
	   KUNIT_CASE(account_of_user),
	   KUNIT_CASE(account_of_namespace),
	   KUNIT_CASE(account_of_container),
	   KUNIT_CASE(account_indexed),
	   KUNIT_CASE(shares_equal));
