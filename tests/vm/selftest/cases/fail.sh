#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: a case that fails, its last line being the reason
echo "the reason of the failure"
exit 1
