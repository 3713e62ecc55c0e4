#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: code that another thread unmaps right after it ran, and replaces: the samples are
# covers: on the file that was there
# smp: 2@6.1,7.2 4@6.12
# check: 6.12 7.2 6.1-kasan 6.1-kcsan 6.1-rt

# shellcheck source=../guest/case.sh
. /vm/case.sh

measure_libraries remap
