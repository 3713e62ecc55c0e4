#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Cuts the power of a guest while the daemon writes a session to its disk, and looks at the disk
# in the next boot: the session is sound, and has all that a dump has acknowledged.
#
#	power.sh [-k KERNEL] [-n CUTS] [-t FILE] [ext4|xfs]...
#
#	-k KERNEL	default: 6.12
#	-n CUTS		of each file system, default: 10
#	-t FILE		append to that tally, as the suite "power", instead of a closing line
#
# The daemon packs idle files all the time; that no cut meets any of them is an error, too, if there
# are ten cuts or more.
#
# QEMU is killed: what the guest has not written to its disk is gone.  The session is continued
# after each cut.  Needs mkfs.ext4 and mkfs.xfs (packages e2fsprogs and xfsprogs).

. "$(dirname "$0")/common.sh"
. "$vm/module.sh"
. "$vm/image.sh"
. "$vm/guest.sh"
. "$top/tests/tally.sh"

kernel=6.12 cuts=10 tally=''
while getopts k:n:t: option; do
	case $option in
	k) kernel=$OPTARG; kernel_known "$OPTARG" ;;
	n) cuts=$OPTARG; [[ $cuts =~ ^[1-9][0-9]*$ ]] || die "-n $cuts is not a number of cuts" ;;
	t) tally=$OPTARG ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))
[[ $# -gt 0 ]] || set -- ext4 xfs
for system; do
	case $system in
	ext4 | xfs) ;;
	*) die "no cuts of $system (ext4, xfs)" ;;
	esac
	command -v "mkfs.$system" >/dev/null || missing "mkfs.$system"
done

export VM_OUT=$out/power
out=$VM_OUT
image_extra="kernel/fs/xfs/xfs.ko kernel/lib/libcrc32c.ko"
image_loads=''
image_prepare "$kernel"
[[ ${#broken[@]} -eq 0 ]] || exit 1

qemu_pid=''
trap '[[ -z $qemu_pid ]] || kill -KILL "$qemu_pid" 2>/dev/null || true' EXIT

# told WORD - the last line of the guest with that first word
told() { tr -d '\r' <"$run/output.log" | awk -v word="$1" '$1 == word { line = $0 } END { print line }'; }

# is_over - has the guest ended, or found something wrong?
is_over() { ! kill -0 "$qemu_pid" 2>/dev/null || [[ -n $(told wrong) ]]; }

# boot SYSTEM ACKED LAST - a guest with that disk, whose session has so many samples at least; it
# ends by itself after it has looked, if it is the last one
boot()
{
	local -a command

	printf 'system=%s acked=%s last=%s\n' "$1" "$2" "$3" >"$run/orders"
	echo "power 600" >"$run/list"
	image_cases "$run" list="$run/list" orders="$run/orders" "$vm/guest/power.sh"
	guest_initramfs "$run" "$kernel"
	guest_command "$run" "$kernel" 2 "" "file:$run/output.log"
	command+=(-drive "file=$run/disk,if=none,id=disk,format=raw"
		-device "nvme,serial=power,drive=disk")
	printf '%q ' "${command[@]}" >"$run/command"
	rm -f "$run"/{console,verdict,output}.log
	touch "$run/output.log"
	"${command[@]}" </dev/null >"$run/qemu.log" 2>&1 &
	qemu_pid=$!
}

# wait_for SECONDS WORD - until the guest has said so, or is over
wait_for()
{
	local end=$((SECONDS + $1))

	while [[ -z $(told "$2") ]] && ! is_over; do
		[[ $SECONDS -lt $end ]] || return 1
		sleep 0.1
	done
	[[ -n $(told "$2") && -z $(told wrong) ]]
}

# cut_power MILLISECONDS - after so long
cut_power()
{
	sleep "$(awk -v ms="$1" 'BEGIN { print ms / 1000 }')"
	kill -KILL "$qemu_pid" 2>/dev/null || return 1
	wait "$qemu_pid" 2>/dev/null || true
	qemu_pid=''
}

# check_system SYSTEM - all cuts of one; false if something was wrong
check_system()
{
	local system=$1 acked=0 before cut parts idle packed=0 unfinished=0

	run=$out/run/$kernel/$system
	rm -rf "$run"
	mkdir -p "$run"
	truncate -s 512M "$run/disk"
	"mkfs.$system" -q "$run/disk"
	for ((cut = 1; cut <= cuts; cut++)); do
		boot "$system" "$acked" false
		if ! wait_for 300 acked; then
			echo "NOT OK  $system cut $cut: $(told wrong) (logs: $run)"
			return 1
		fi
		before=$acked
		read -r _ parts idle <<<"$(told parts)"
		packed=$((packed + (${parts:-0} > 0))) unfinished=$((unfinished + (${idle:-0} > 0)))
		cut_power $((RANDOM % 4000)) || { echo "NOT OK  $system cut $cut: QEMU ended"; return 1; }
		acked=$(told acked)
		acked=${acked#acked }
		echo "ok      $system cut $cut: $(told checked), ${parts:-0} parts; acknowledged $before, now $acked" \
			"in $(tr -d '\r' <"$run/output.log" | grep -c '^acked') dumps"
	done
	boot "$system" "$acked" true
	if ! wait_for 300 checked; then
		echo "NOT OK  $system after the last cut: $(told wrong) (logs: $run)"
		return 1
	fi
	if [[ $cuts -ge 10 && ($packed -eq 0 || $unfinished -eq 0) ]]; then
		echo "NOT OK  $system: $packed cuts met packed parts, $unfinished idle files"
		return 1
	fi
	echo "ok      $system: $(told checked), of $acked that were acknowledged;" \
		"$packed cuts met packed parts, $unfinished idle files"
	kill -KILL "$qemu_pid" 2>/dev/null || true
	wait "$qemu_pid" 2>/dev/null || true
	qemu_pid=''
	rm -f "$run/disk" "$run/initramfs.cpio"
}

passed=0 failed=0
for system; do
	if check_system "$system"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		[[ -z $tally ]] || tally_fail "$tally" "$kernel" power "$system" "see above"
	fi
done
if [[ -n $tally ]]; then
	tally_ran "$tally" "$kernel" power $passed $failed 0
else
	echo "$passed passed, $failed failed"
fi
[[ $failed -eq 0 ]]
