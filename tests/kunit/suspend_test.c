// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sampling pauses for suspend and hibernation, and goes on afterwards.
 */
#include <linux/notifier.h>
#include <linux/reboot.h>
#include <linux/suspend.h>

#include "suite.h"

#include "core.h"

static int nr_pauses, nr_resumes;

static void seam_pause(void)
{
	nr_pauses++;
}

static void seam_resume(void)
{
	nr_resumes++;
}

/* Seams. */
#define oprofile_pause seam_pause
#define oprofile_resume seam_resume

#include "suspend.c"

static void reboot_pauses(struct kunit *test)
{
	nr_pauses = 0;
	KUNIT_EXPECT_EQ(test, on_reboot(NULL, SYS_RESTART, NULL), NOTIFY_DONE);
	KUNIT_EXPECT_EQ(test, nr_pauses, 1);
}

static const struct {
	unsigned long event;
	int pauses, resumes;
} events[] = {
	{ PM_SUSPEND_PREPARE, 1, 0 },
	{ PM_POST_SUSPEND, 0, 1 },
	{ PM_HIBERNATION_PREPARE, 1, 0 },
	{ PM_POST_HIBERNATION, 0, 1 },
	{ PM_RESTORE_PREPARE, 0, 0 },
	{ PM_POST_RESTORE, 0, 0 },
};

static void suspend_events(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(events); i++) {
		nr_pauses = 0;
		nr_resumes = 0;
		KUNIT_EXPECT_EQ(test, on_suspend(NULL, events[i].event, NULL), NOTIFY_DONE);
		KUNIT_EXPECT_EQ(test, nr_pauses, events[i].pauses);
		KUNIT_EXPECT_EQ(test, nr_resumes, events[i].resumes);
	}
}

static void suspend_hooked(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, op_suspend_hook_set_up(), 0);
	op_suspend_hook_tear_down();
	KUNIT_EXPECT_EQ(test, op_suspend_hook_set_up(), 0);
	op_suspend_hook_tear_down();
}

TEST_SUITE(oprofile_suspend, NULL, NULL,
	   KUNIT_CASE(suspend_events),
	   KUNIT_CASE(reboot_pauses),
	   KUNIT_CASE(suspend_hooked));
