#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: an oops ends the guest, and the case has no verdict
# append: selftest=oops
insmod /vm/modules/fault.ko kind=oops
echo "still here"
