#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: a BPF program that is loaded after the start, and has gone before its samples are looked
# covers: at, is named, with none of them lost: of a command, of a process, and of the whole machine

sampling=yes
# shellcheck source=../case.sh
. "$TESTS/native/case.sh"

[ "$(cat /proc/sys/net/core/bpf_jit_enable 2>/dev/null)" != 0 ] ||
	skip "BPF programs are interpreted here (net.core.bpf_jit_enable)"
"$own/bpf" 0.001 2>"$scratch/why" || skip "$(cat "$scratch/why")"

# judge WHAT - $session: most of the workload's time is the program's, and nothing is lost for want of
# an image
judge()
{
	report --verbose=stats
	named=$(awk '$1 ~ /^[0-9]+$/ && $NF ~ /^bpf_prog_[0-9a-f]+_spin_bpf$/ { n += $1 }
		END { print n + 0 }' "$scratch/report")
	all=$(awk '$1 ~ /^[0-9]+$/ && / bpf / { n += $1 } END { print n + 0 }' "$scratch/report")
	enough "samples of the BPF program of $1" "$named" 300
	[ "$((2 * named))" -gt "$all" ] || fail "$1: only $named of $all samples are the program's"
	! grep 'kernel code in neither the kernel nor a module' "$scratch/report" ||
		fail "$1: samples of it are lost"
}

seconds=$(lasting 1 1000)
sample -e "$(clock 1000)" "$own/bpf" "$seconds"
judge "a command"

rm -rf "$session"
mkfifo "$scratch/go"
sh -c 'read -r _ <"$1"; "$2" "$3"; exit' - "$scratch/go" "$own/bpf" "$seconds" &
waiting=$!
operf --session-dir="$session" -e "$(clock 1000)" --pid=$waiting 2>"$scratch/said" &
recorder=$!
until_true 20 grep -q perf_event /proc/$recorder/maps
echo >"$scratch/go"
need wait $recorder
judge "a process"

rm -rf "$session"
sample -s -e "$(clock 1000)" "$own/bpf" "$seconds"
judge "the machine"
