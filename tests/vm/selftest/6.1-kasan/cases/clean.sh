#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: a kernel in which nobody errs is not complained of
grep -q '^ debug_locks: *1$' /proc/lockdep_stats && [ -e /sys/kernel/debug/kmemleak ]
