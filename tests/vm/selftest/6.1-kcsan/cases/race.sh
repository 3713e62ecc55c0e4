#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: KCSAN sees two threads change a variable without a lock
# append: seeded=race
insmod /vm/modules/seeded.ko bug=race
rmmod seeded
