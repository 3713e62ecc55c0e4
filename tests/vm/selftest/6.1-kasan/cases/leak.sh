#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: kmemleak sees memory that nobody knows of any more
# append: seeded=leak
insmod /vm/modules/seeded.ko bug=leak
rmmod seeded
