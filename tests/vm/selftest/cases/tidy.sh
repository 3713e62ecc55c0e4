#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: a case after one that was ended still runs, and the ended one left no process
if pidof tail; then
	echo "the case before this one left a process"
	exit 1
fi
