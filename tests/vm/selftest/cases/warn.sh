#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: a WARNING of the kernel fails the run, though the case itself succeeds
# append: selftest=warn
insmod /vm/modules/fault.ko kind=warn
rmmod fault
