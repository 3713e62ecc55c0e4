#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: a guest whose only CPU is stuck is ended by the time limit
# append: selftest=stuck
# smp: 1
# limit: 2
insmod /vm/modules/fault.ko kind=stuck
echo "still here"
