#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What profiling the whole system by perf events costs, side by side with perf record in the
# same run: samples lost, the daemon's share of a CPU, its memory, bytes on disk for a sample,
# and the time that a report takes right after the stop.  And what call chains cost operf, beside
# perf record, of one program at the same time.
#
#	bench.sh BUILD		BENCH_SECONDS=60 for a long run; else 6
#
# Prints one metric a line.  Needs root; without perf, only our own figures are told.

set -euo pipefail

build=$1
seconds=${BENCH_SECONDS:-6}
# The rate is lowered to what the kernel takes by now.
frequency=$(cat /proc/sys/kernel/perf_event_max_sample_rate)
[[ $frequency -lt 4000 ]] || frequency=4000
workloads=$build/tests/vm/workloads
scratch=$(mktemp -d)
started=()

# Ends what it started, and waits until that is gone.
finish()
{
	local pid

	for pid in "${started[@]}"; do
		kill "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
	rm -rf "$scratch"
}
trap finish EXIT

# until_true SECONDS WHAT PID COMMAND... - wait until the command succeeds; end the run if the
# process has ended before, or has not got there in time
until_true()
{
	local end=$((SECONDS + $1)) what=$2 pid=$3

	shift 3
	until "$@"; do
		kill -0 "$pid" 2>/dev/null || die "$what: the process has ended: $(cat "$scratch/log")"
		[[ $SECONDS -lt $end ]] || die "$what: not within the time limit"
		sleep 0.05
	done
}

die()
{
	echo "bench: error: $*" >&2
	exit 1
}

metric() { printf '%-44s %s\n' "$1" "$2"; }

if [[ $(id -u) -ne 0 ]]; then
	echo "skip: only root may profile the whole system"
	exit 0
fi

# CPU ticks of a process, user and system.
ticks() { awk '{ print $14 + $15 }' "/proc/$1/stat"; }

memory() { awk '/^VmRSS/ { print $2 }' "/proc/$1/status"; }

# Work for each CPU: deep calls, and short lives of the programs that a shell runs.
load()
{
	local cpu

	for ((cpu = 1; cpu < $(nproc); cpu++)); do
		"$workloads/chain" $((seconds * 4)) >/dev/null &
		started+=($!)
	done
	while :; do
		"$workloads/brief1" 20
		find /usr/include/linux -ls | sort | gzip
	done >/dev/null &
	started+=($!)
}

# seconds_of COMMAND... - how long it takes, and its CPU time: a busy machine makes it wait
seconds_of()
{
	local TIMEFORMAT='%R (CPU %U + %S)'

	{ time timeout 60 "$@" >/dev/null 2>&1; } 2>&1
}

per() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", b ? a / b : 0 }'; }

number() { "$build/tests/commands/show_session" stat "$session/samples/current" "$1"; }

# packing NAME SESSION SAMPLES - what the session was before it was packed, and what packing takes
packing()
{
	local current=$2/samples/current opdb=$build/utils/opdb/opdb TIMEFORMAT='%U %S' cpu

	"$opdb" unpack "$2" >/dev/null
	metric "$1:   unpacked, bytes a sample" "$(per "$(du -sb "$current" | cut -f 1)" "$3")"
	metric "$1:   unpacked, bytes of disk a sample" \
		"$(per "$(du -s --block-size=1 "$current" | cut -f 1)" "$3")"
	cpu=$({ time "$opdb" pack "$2" >/dev/null; } 2>&1)
	metric "$1:   packed, bytes of disk a sample" \
		"$(per "$(du -s --block-size=1 "$current" | cut -f 1)" "$3")"
	metric "$1: packing, CPU seconds, user and system" "$cpu"
}

# bench NAME OURS THEIRS - one run with these options of oprofiled and of perf record
bench()
{
	local name=$1 session=$scratch/$1 data=$scratch/$1.data daemon perf='' begin first middle last
	local samples bytes theirs elapsed

	# shellcheck disable=SC2086 # options are words, and there may be none
	"$build/daemon/oprofiled" --perf --freq=$frequency --foreground \
		--session-dir="$session" $2 2>"$scratch/log" &
	daemon=$!
	started+=("$daemon")
	until_true 60 "oprofiled is ready" "$daemon" test -S "$session/control"
	if command -v perf >/dev/null; then
		# shellcheck disable=SC2086
		perf record -q -N -B -a -F $frequency -e cpu-clock $3 -o "$data" >"$scratch/log" 2>&1 &
		perf=$!
		started+=("$perf")
		until_true 60 "perf record writes" "$perf" test -s "$data"
	fi
	begin=$(date +%s%N)
	first=$(ticks "$daemon")
	sleep $((seconds / 2))
	middle=$(memory "$daemon")
	sleep $((seconds - seconds / 2))
	elapsed=$(($(date +%s%N) - begin))
	last=$(memory "$daemon")
	metric "$name: oprofiled, % of a CPU" "$(awk -v t=$(($(ticks "$daemon") - first)) \
		-v hz="$(getconf CLK_TCK)" -v ns=$elapsed \
		'BEGIN { printf "%.2f", 100 * t / hz / (ns / 1e9) }')"
	metric "$name: memory half-way, at the end, KiB" "$middle $last"
	if [[ -n $perf ]]; then
		kill -INT "$perf"
		timeout 60 tail --pid="$perf" -f /dev/null || die "perf record does not end"
		wait "$perf" || true
	fi
	begin=$(date +%s%N)
	kill -TERM "$daemon"
	timeout 120 tail --pid="$daemon" -f /dev/null || die "oprofiled does not end"
	wait "$daemon" || die "oprofiled ended with $?: $(cat "$scratch/log")"
	metric "$name: the stop, with packing, seconds" \
		"$(awk -v ns=$(($(date +%s%N) - begin)) 'BEGIN { printf "%.3f", ns / 1e9 }')"
	samples=$(number samples_stored)
	bytes=$(du -sb "$session/samples/current" | cut -f 1)
	metric "$name: samples, lost in rings, by the daemon" "$samples \
$(number sample_lost_overflow) $(($(number total_samples) - samples))"
	metric "$name: session, bytes a sample" "$(per "$bytes" "$samples")"
	metric "$name:   without kallsyms" \
		"$(per $((bytes - $(stat -c %s "$session/samples/current/kallsyms"))) "$samples")"
	metric "$name: opreport -l, seconds" \
		"$(seconds_of "$build/pp/opreport" --session-dir="$session" -l)"
	packing "$name" "$session" "$samples"
	[[ -n $perf ]] || return 0
	theirs=$(timeout 60 perf script -i "$data" -F time 2>/dev/null | grep -c . || true)
	metric "$name: perf record: samples" "$theirs"
	metric "$name: perf.data, bytes a sample" "$(per "$(stat -c %s "$data")" "$theirs")"
	metric "$name: perf report, seconds" \
		"$(seconds_of perf report -i "$data" --stdio --no-children --no-inline)"
	rm -f "$data"
}

# cpu_ns PID - CPU time of its threads; ticks are too coarse for it
cpu_ns() { cat /proc/"$1"/task/*/schedstat | awk '{ n += $1 } END { printf "%d", n }'; }

# chains - operf and perf record, each with call chains and without, of one program at the same time
chains()
{
	local hz=$((frequency / 4)) name target
	local -A pids=() before=() share=()

	"$workloads/chain" $((seconds * 8)) >/dev/null &
	target=$!
	started+=("$target")
	"$build/daemon/operf/operf" --quiet -F $hz --no-call-graph --pid="$target" \
		--session-dir="$scratch/flat.operf" 2>"$scratch/log" &
	pids[operf-flat]=$!
	"$build/daemon/operf/operf" --quiet -F $hz --pid="$target" \
		--session-dir="$scratch/chains.operf" 2>"$scratch/log" &
	pids[operf-chains]=$!
	if command -v perf >/dev/null; then
		perf record -q -N -B -F $hz -e cpu-clock -p "$target" -o "$scratch/flat.perf" &
		pids[perf-flat]=$!
		perf record -q -N -B -F $hz -e cpu-clock -g -p "$target" \
			-o "$scratch/chains.perf" &
		pids[perf-chains]=$!
	fi >"$scratch/log" 2>&1
	started+=("${pids[@]}")
	sleep 2 # what runs is looked at once
	for name in "${!pids[@]}"; do before[$name]=$(cpu_ns "${pids[$name]}"); done
	sleep $((seconds * 2))
	for name in "${!pids[@]}"; do
		share[$name]=$(awk -v ns=$(($(cpu_ns "${pids[$name]}") - before[$name])) \
			-v s=$((seconds * 2)) -v hz=$hz 'BEGIN { printf "%.2f", ns / s / hz / 1000 }')
	done
	kill -INT "${pids[@]}"
	for name in operf perf; do
		[[ -n ${pids[$name-flat]:-} ]] || continue
		metric "$name: microseconds of CPU a sample, flat, chains" \
			"${share[$name-flat]} ${share[$name-chains]}, ratio $(per \
			"${share[$name-chains]}" "${share[$name-flat]}")"
	done
	kill "$target"
}

chains
load
bench flat "" ""
bench callgraph --callgraph=127 -g
