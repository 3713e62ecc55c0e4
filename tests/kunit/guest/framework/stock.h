/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Included before every file of the test modules on a kernel without CONFIG_KUNIT.  The structures
 * of the kernel must be those of the running one, so their headers are read before the headers
 * learn that there is KUnit.
 */
#ifndef OPROFILE_KUNIT_STOCK_H
#define OPROFILE_KUNIT_STOCK_H

#include <linux/device.h>
#include <linux/mm_types.h>
#include <linux/module.h>
#include <linux/sched.h>

#define CONFIG_KUNIT_MODULE 1
#define CONFIG_KUNIT_DEFAULT_ENABLED 1

struct kunit;

/* The running test: in task_struct of a kernel with CONFIG_KUNIT.  Tests run one by one. */
extern struct kunit *kunit_stock_current_test;

#endif
