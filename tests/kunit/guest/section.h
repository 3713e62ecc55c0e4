/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where kunit_test_suite() puts suites: included before every file of the test module.
 *
 * Not in KUnit's own section.  A stock kernel does not look for that; and a kernel that has KUnit
 * runs what it finds there from a module notifier, in which suites that register such notifiers
 * themselves would wait for ever.  So the module knows the bounds of a section of its own:
 * objects are linked in the order in which Kbuild names them.
 */
#ifndef OPROFILE_KUNIT_SECTION_H
#define OPROFILE_KUNIT_SECTION_H

#include <kunit/test.h>

#define OPROFILE_KUNIT_SECTION ".oprofile_kunit_suites"

#undef __kunit_test_suites
#define __kunit_test_suites(unique_array, ...)				\
	static struct kunit_suite *unique_array[]			\
	__aligned(sizeof(struct kunit_suite *))				\
	__used __section(OPROFILE_KUNIT_SECTION) = { __VA_ARGS__ }

extern struct kunit_suite *oprofile_kunit_suites_begin[];
extern struct kunit_suite *oprofile_kunit_suites_end[];

#endif
