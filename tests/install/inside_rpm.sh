#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run by packages.sh in a root file system of its own, after what rpm has installed there.
#
#	inside_rpm.sh VERSION

set -euo pipefail

version=$1
export LC_ALL=C HOME=/root

fail() { echo "NOT OK: $*"; exit 1; }
same() { [[ "$2" = "$3" ]] || fail "$1: \"$2\", not \"$3\""; }

same "mode of /var/lib/oprofile" "$(stat -c '%a %U:%G' /var/lib/oprofile)" "2750 root:oprofile"
same "the service" "$(systemctl is-enabled oprofile.service)" disabled
[[ -f /usr/src/oprofile-$version/module/core.c && -f /usr/src/oprofile-$version/dkms.conf ]] ||
	fail "the module's source is not there"
cd /root
operf awk 'BEGIN { for (i = 0; i < 3000000; i++); }' 2>/said || fail "operf: $(cat /said)"
opreport --symbols >/report 2>/said || fail "opreport: $(cat /said)"
grep -q awk /report || fail "no awk in the report: $(cat /report)"
