# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# What cases source: . /vm/case.sh
