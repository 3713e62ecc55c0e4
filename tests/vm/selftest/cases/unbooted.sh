#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: a guest that never gets as far as init is booted once more, and that is said
# append: rdinit=/nonexistent

exit 0
