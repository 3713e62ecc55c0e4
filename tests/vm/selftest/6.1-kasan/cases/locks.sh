#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: lockdep sees two locks taken in both orders, though nothing hangs
# append: seeded=locks
insmod /vm/modules/seeded.ko bug=locks
rmmod seeded
