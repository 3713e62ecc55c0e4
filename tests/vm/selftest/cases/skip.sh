#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: a case that does not apply
echo "skip: the reason of the skip"
exit 77
