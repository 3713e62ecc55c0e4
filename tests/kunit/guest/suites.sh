#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# In the guest: loading the module runs the suites.  What they found is in the console; here
# only that the modules can be loaded, and unloaded afterwards.

set -e
if [ -e /vm/kunit.ko ]; then
	insmod /vm/kunit.ko
else
	# A KUnit that is built in runs a module's suites without saying what they are parts of.
	printf 'KTAP version 1\n' >/dev/kmsg
	printf '1..%s\n' "$(cat /vm/count)" >/dev/kmsg
fi
insmod /vm/oprofile_kunit.ko
rmmod oprofile_kunit
[ ! -e /vm/kunit.ko ] || rmmod kunit
