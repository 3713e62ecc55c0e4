// SPDX-License-Identifier: GPL-2.0-only
/*
 * The suites as a module, instead of module/init.c: nothing is registered with the kernel when
 * this is loaded, so a suite may set up and tear down any part of the profiler.
 */
#include <linux/module.h>

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("KUnit tests of the system profiler");
