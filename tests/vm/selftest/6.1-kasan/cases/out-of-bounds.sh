#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: KASAN sees a read behind an object
# append: seeded=out-of-bounds
insmod /vm/modules/seeded.ko bug=out-of-bounds
rmmod seeded
