#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: only one process, and only a privileged one, has the event buffer
# check: 6.12 6.1-kasan 6.1-kcsan

# shellcheck source=../guest/case.sh
. /vm/case.sh

need opcontrol --init --backend timer
as_nobody() { su -s /bin/sh nobody -c "$1"; }

exec 4</dev/oprofile/buffer
refuse "Device or resource busy" cat /dev/oprofile/buffer
refuse " " opcontrol --start	# and says who has it
echo "$_said" | grep -q "$$" || fail "opcontrol does not name the holder $$: $_said"
exec 4<&-
exec 4</dev/oprofile/buffer	# free again
exec 4<&-

same "user of the test" "$(as_nobody 'id -u')" 65534
for file in buffer enable dump buffer_size stats/cpu0/sample_received; do
	refuse "Permission denied" as_nobody "cat /dev/oprofile/$file"
done
refuse "Permission denied" as_nobody "echo 1 >/dev/oprofile/enable"
refuse "root" as_nobody "PATH=$PATH opcontrol --start"

# A file descriptor alone gives no right: the capability is asked for at open, by whom.
chmod 755 /dev/oprofile
chmod 444 /dev/oprofile/buffer
refuse "Operation not permitted" as_nobody "cat /dev/oprofile/buffer"
