// SPDX-License-Identifier: GPL-2.0-only
/*
 * A kernel module is announced once, when it is in place.
 */
#include <linux/module.h>
#include <linux/notifier.h>

#include "suite.h"

#include "sync.h"

static int nr_loaded;

static void seam_module_loaded(void)
{
	nr_loaded++;
}

/* Seam. */
#define op_sync_module_loaded seam_module_loaded

#include "module_hook.c"

static void module_hook_states(struct kunit *test)
{
	nr_loaded = 0;
	KUNIT_EXPECT_EQ(test, on_module(NULL, MODULE_STATE_UNFORMED, NULL), NOTIFY_OK);
	KUNIT_EXPECT_EQ(test, nr_loaded, 0);
	KUNIT_EXPECT_EQ(test, on_module(NULL, MODULE_STATE_COMING, NULL), NOTIFY_OK);
	KUNIT_EXPECT_EQ(test, nr_loaded, 1);
	KUNIT_EXPECT_EQ(test, on_module(NULL, MODULE_STATE_LIVE, NULL), NOTIFY_OK);
	KUNIT_EXPECT_EQ(test, on_module(NULL, MODULE_STATE_GOING, NULL), NOTIFY_OK);
	KUNIT_EXPECT_EQ(test, nr_loaded, 1);
}

static void module_hook_hooked(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, op_module_hook_set_up(), 0);
	op_module_hook_tear_down();
	KUNIT_EXPECT_EQ(test, op_module_hook_set_up(), 0);
	op_module_hook_tear_down();
}

TEST_SUITE(oprofile_module_hook, NULL, NULL,
	   KUNIT_CASE(module_hook_states),
	   KUNIT_CASE(module_hook_hooked));
