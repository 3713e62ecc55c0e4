#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: a kernel in which nobody errs is not complained of, whatever races Linux has itself
grep -q '^enabled: 1' /sys/kernel/debug/kcsan
