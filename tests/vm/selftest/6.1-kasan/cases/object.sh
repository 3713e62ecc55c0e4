#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: a running timer's memory must not be freed
# append: seeded=object
insmod /vm/modules/seeded.ko bug=object
rmmod seeded
