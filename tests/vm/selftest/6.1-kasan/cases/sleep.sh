#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: a sleep with a spinlock held is seen
# append: seeded=sleep
insmod /vm/modules/seeded.ko bug=sleep
rmmod seeded
