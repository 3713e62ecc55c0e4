#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs a command and says last on its standard error what it and the processes that it waited for
# had of the CPUs, in seconds of user and system time: "cpu: 1.250 0.310".  unit.py wraps each test
# in it.
#
#	cpu_time.sh COMMAND [ARGUMENT...]
#
# Exit codes: COMMAND's, 128 and the signal if one ended it.

TIMEFORMAT='cpu: %U %S'
time "$@"
