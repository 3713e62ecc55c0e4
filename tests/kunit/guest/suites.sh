#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# In the guest: loading the module runs the suites.  What they found is in the console; here
# only that the modules can be loaded, and unloaded afterwards.  A kernel with a KUnit of its own
# needs no kunit.ko.

set -e
[ ! -e /vm/kunit.ko ] || insmod /vm/kunit.ko
insmod /vm/oprofile_kunit.ko
rmmod oprofile_kunit
[ ! -e /vm/kunit.ko ] || rmmod kunit
