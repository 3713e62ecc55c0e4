#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: a case that succeeds
echo "WARNING: and BUG: in what a case prints are no matter"
