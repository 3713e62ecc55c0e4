#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: a case that ignores signals and does not end is ended, with its children
# limit: 3
trap '' TERM INT HUP
tail -f /dev/null &
while :; do
	wait
done
