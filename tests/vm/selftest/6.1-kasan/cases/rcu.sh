#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: lockdep sees RCU data used without its lock
# append: seeded=rcu
insmod /vm/modules/seeded.ko bug=rcu
rmmod seeded
