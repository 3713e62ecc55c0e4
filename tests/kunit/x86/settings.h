/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The entries of counters, without oprofilefs.  Shared by suites; of counter_test.c.
 */
#ifndef OPROFILE_KUNIT_SETTINGS_H
#define OPROFILE_KUNIT_SETTINGS_H

#include "x86/counter.h"

/* All zero: nothing is enabled. */
void settings_clear(void);

/* What would be written to /dev/oprofile/@number/. */
void settings_put(unsigned int number, const struct op_x86_setting *setting);

#endif
