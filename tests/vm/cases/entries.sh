#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: oprofilefs: entries, defaults and modes; nonsense is EINVAL and changes nothing;
# covers: settings are EBUSY while profiling is started
# check: 6.1 6.12 7.2 6.1-kasan 6.1-rt

# shellcheck source=../guest/case.sh
. /vm/case.sh

need opcontrol --init --backend timer
cd /dev/oprofile || fail "cannot enter /dev/oprofile"

while read -r name mode value; do
	[ -e "$name" ] || fail "$name is missing"
	same "mode of $name" "$(stat -c %a "$name")" "$mode"
	[ "$value" = - ] || same "$name" "$(cat "$name")" "$value"
done <<-END
	enable 600 0
	dump 200 -
	buffer 400 -
	buffer_size 600 131072
	buffer_watershed 600 32768
	cpu_buffer_size 600 8192
	backtrace_depth 600 0
	frequency 600 -
	cpu_type 400 timer
	pointer_size 400 8
	stats 700 -
	stats/sample_lost_no_mm 400 0
	stats/sample_lost_no_mapping 400 0
	stats/sample_lost_busy 400 0
	stats/event_lost_overflow 400 0
	stats/bt_lost_no_mapping 400 0
	stats/cpu0/sample_received 400 0
	stats/cpu0/sample_lost_overflow 400 0
	stats/cpu0/backtrace_aborted 400 0
	stats/cpu0/sample_invalid_eip 400 0
END

long=$(printf '%060d' 1)
for name in buffer_size buffer_watershed cpu_buffer_size backtrace_depth frequency; do
	before=$(cat $name)
	for nonsense in "" " " x 12x -1 0x 1.5 1e3 "1 2" 99999999999999999999 "$long"; do
		[ -n "$nonsense" ] || continue # writing nothing is no write
		refuse "Invalid argument" write "$nonsense" $name
		same "$name after \"$nonsense\"" "$(cat $name)" "$before"
	done
done
for value in 0 20001; do
	refuse "Invalid argument" write $value frequency
done
for value in 1 20000 0x3e8 01750; do
	need write $value frequency
	same "frequency written as $value" "$(cat frequency)" $((value))
done
refuse "Invalid argument" write 1 enable # nobody has opened the buffer
same enable "$(cat enable)" 0

exec 4<buffer
need write 1 enable
same enable "$(cat enable)" 1
for name in buffer_size buffer_watershed cpu_buffer_size backtrace_depth frequency; do
	before=$(cat $name)
	refuse "Device or resource busy" write "$before" $name
done
need write 1 enable # a second start is no error
need write 0 enable
same enable "$(cat enable)" 0
exec 4<&-
