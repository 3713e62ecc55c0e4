#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: libraries that are opened, busy and closed in turn, at one address: each has its
# covers: own samples
# check: 7.2 6.1-kasan 6.1-rt

# shellcheck source=../guest/case.sh
. /vm/case.sh

measure_libraries reload
