/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The bounds of the section in which kunit_test_suites() puts suites.  A stock kernel does not
 * look for it, so the module does.  Objects are linked in the order in which Kbuild names them.
 */
#ifndef OPROFILE_KUNIT_SECTION_H
#define OPROFILE_KUNIT_SECTION_H

struct kunit_suite;

extern struct kunit_suite *oprofile_kunit_suites_begin[];
extern struct kunit_suite *oprofile_kunit_suites_end[];

#endif
