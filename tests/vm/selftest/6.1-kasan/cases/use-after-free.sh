#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: KASAN sees a read of an object that was freed
# append: seeded=use-after-free
insmod /vm/modules/seeded.ko bug=use-after-free
rmmod seeded
