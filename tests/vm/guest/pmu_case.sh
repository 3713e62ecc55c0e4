# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154
#
# What the cases with "# pmu:" in their heads share: . /vm/pmu_case.sh
#
# They ask the emulated PMU for the truth, which the profile is then held against.

# shellcheck source=case.sh
. /vm/case.sh

hot=/vm/pmu/hot

pmu() { /vm/pmu/pmu "$@" || fail "failed: pmu $*"; }

# unlimited - no sample is to be withheld because the host is slow; perf record's buffer should
# have room for all (-m PAGES), and so have ours
unlimited()
{
	if [ "$(cat /proc/sys/kernel/perf_cpu_time_max_percent)" != 0 ]; then
		need write 1000000 /proc/sys/kernel/perf_event_max_sample_rate
		need write 0 /proc/sys/kernel/perf_cpu_time_max_percent
	fi
	[ ! -e /sys/module/oprofile ] ||
		write 0 /sys/module/oprofile/parameters/cpu_time_max_percent
}

# profile_exactly COMMAND... - profile it with opcontrol's settings, between snapshots 0 and 1,
# and have all samples on disk.  The daemon stands still meanwhile: what runs is the command.
profile_exactly()
{
	need opcontrol --start-daemon --buffer-size=2000000 --buffer-watershed=500000 \
		--cpu-buffer-size=100000
	_daemon=$(cat $session/lock)
	need kill -STOP "$_daemon"
	pmu profile 0 1 "$@"
	need kill -CONT "$_daemon"
	profile_end
}

# event_samples EVENT [TEXT] - samples of an event, of images whose path has this text in it
event_samples() { samples_below "${2:-}" -name "$1.*"; }

# cpu_totals RING - "CPU INSTRUCTIONS" for each CPU, between snapshots 0 and 1
cpu_totals() { pmu cpus 0 1 | sed -n "s/^cpu\([0-9]*\) $1 instructions \([0-9]*\) .*/\1 \2/p"; }

# one_each_period PERIOD - has each CPU as many samples of the user's code as it has periods?
one_each_period()
{
	cpu_totals user >/tmp/cpus
	while read -r _cpu _instructions; do
		within "samples of $_instructions instructions of CPU $_cpu" \
			"$(cat "$samples/stats/cpu$_cpu/sample_received")" \
			$((_instructions / $1 - 1)) $((_instructions / $1 + 1))
	done </tmp/cpus
}

# judge NAME LEAST - compare a profile, of lines "SYMBOL SAMPLES" on the standard input, with the
# exact one in /tmp/NAME.exact, of lines "SYMBOL NUMBER", each share as share() does.  Symbols
# that the latter lacks are of its symbol "others", or of no interest if there is none.  All
# together must be LEAST samples or more.  Writes the profile to /tmp/NAME.
judge()
{
	awk '
		FNR == NR { exact[$1]; order[++n] = $1; next }
		{ samples[$1 in exact ? $1 : "others"] += $2 }
		END { for (i = 1; i <= n; i++) print order[i], samples[order[i]] + 0 }
	' "/tmp/$1.exact" - >"/tmp/$1"
	enough "samples of $1" "$(awk '{ n += $2 } END { print n + 0 }' "/tmp/$1")" "$2"
	awk '
		FNR == NR { exact[$1] = $2; all += $2; next }
		{ order[++n] = $1; samples[$1] = $2; whole += $2 }
		END {
			for (i = 1; i <= n; i++)
				print order[i], samples[order[i]], whole, exact[order[i]] / all
		}
	' "/tmp/$1.exact" "/tmp/$1" >"/tmp/$1.shares"
	while read -r _symbol _part _whole _truth; do
		share "$1: $_symbol" "$_part" "$_whole" "$_truth"
	done <"/tmp/$1.shares"
}

# opreport_profile OPTION... - "SYMBOL SAMPLES", for judge
opreport_profile()
{
	report "$@"
	awk '$1 ~ /^[0-9]+$/ { print $NF, $1 }' /tmp/report
}

# perf_profile DATA - the same of perf record's
perf_profile()
{
	perf report -i "$1" --stdio -F sample,sym 2>/tmp/said >/tmp/perf_report ||
		fail "perf report: $(cat /tmp/said)"
	awk '$1 ~ /^[0-9]+$/ { print $3, $1 }' /tmp/perf_report
}

# distance NAME - of the profile in /tmp/NAME from the truth in /tmp/NAME.exact, both lines
# "SYMBOL NUMBER" of all symbols: half the sum of the shares' differences, and what chance may
# make of it (three standard errors); says so, and chi square, on the standard error
distance()
{
	awk -v name="$1" '
		FNR == NR { exact[$1] = $2; all += $2; next }
		{ sampled[$1] = $2; n += $2 }
		END {
			for (symbol in exact) {
				p = exact[symbol] / all
				off = sampled[symbol] / n - p
				sum += (off < 0 ? -off : off) / 2
				square += off * off * n / p
				error += p * (1 - p) / n
				symbols++
			}
			printf "%.6f %.6f\n", sum, 1.5 * sqrt(error)
			printf "%s: distance %.6f, chi square %.2f (%d degrees of freedom)\n", name,
				sum, square, symbols - 1 >"/dev/stderr"
		}' "/tmp/$1.exact" "/tmp/$1"
}

# not_worse OURS THEIRS - is our profile as near to its truth as theirs, but for chance?
not_worse()
{
	read -r _ours _bound <<-END
		$(distance "$1")
	END
	read -r _theirs _ <<-END
		$(distance "$2")
	END
	within "distance of $1" "$_ours" 0 \
		"$(awk -v a="$_theirs" -v b="$_bound" 'BEGIN { print a + b }')"
}

# exact_count START END - executions of instructions at [START, END) between snapshots 0 and 1
exact_count() { pmu count 0 1 "$1" "$2"; }

# measure NAME COMMAND... - run it between two snapshots, and print what all CPUs retired
measure()
{
	_name=$1
	shift
	pmu snapshot 60
	need "$@"
	pmu snapshot 61
	pmu totals 60 61 | awk -v name="$_name" '{ n[$1] = $3 }
		END { printf "measured: %s user %.0f kernel %.0f\n", name, n["user"], n["kernel"] }'
}
