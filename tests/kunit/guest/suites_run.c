// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs all suites when the module is loaded.  The result is in the kernel log.
 */
#include <linux/module.h>

#include <kunit/test.h>

#include "section.h"

#undef pr_fmt
#define pr_fmt(fmt) fmt /* kunit.py knows KTAP by how a line begins */

struct kunit_suite *oprofile_kunit_suites_end[0] __used __section(OPROFILE_KUNIT_SECTION);

static int nr_suites(void)
{
	return oprofile_kunit_suites_end - oprofile_kunit_suites_begin;
}

static int __init run_suites(void)
{
	pr_info("KTAP version 1\n1..%d\n", nr_suites());
	return __kunit_test_suites_init(oprofile_kunit_suites_begin, nr_suites());
}
module_init(run_suites);

static void __exit forget_suites(void)
{
	__kunit_test_suites_exit(oprofile_kunit_suites_begin, nr_suites());
}
module_exit(forget_suites);
