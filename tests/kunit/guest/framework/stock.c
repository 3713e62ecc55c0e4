// SPDX-License-Identifier: GPL-2.0-only
/*
 * What kunit.ko has of its own on a kernel without CONFIG_KUNIT.
 */
#include <linux/export.h>

struct kunit *kunit_stock_current_test;
EXPORT_SYMBOL_GPL(kunit_stock_current_test);
