// SPDX-License-Identifier: GPL-2.0-only
/*
 * Linked first, as suites_run.c is linked last: where the section of the suites begins.
 */
#include "section.h"

struct kunit_suite *oprofile_kunit_suites_begin[0] __used __section(OPROFILE_KUNIT_SECTION);
