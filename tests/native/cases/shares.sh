#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: what operf finds with no option at all: programs of known shares, as one thread, threads,
# covers: 300 short processes and programs that execute programs; the head of the report says what
# covers: was sampled, and a lowered limit of samples a second is told and kept

# shellcheck source=../case.sh
. "$TESTS/native/case.sh"

limit=/proc/sys/kernel/perf_event_max_sample_rate

# number TEXT - the samples of the symbols with it in their names, of all portions
number()
{
	awk -F, -v text="$1" 'FNR > 1 && index($0, text) { n += $1 } END { printf "%d\n", n }' \
		"$scratch"/csv.*
}

# part SYMBOL OTHERS - how many samples a symbol has of all of them by its share of events; what
# weighs nearly the same is judged as the samples would be
part()
{
	awk -F, -v symbol="$1" -v others="$2" '
		function add() {
			if (events) sum += samples * own / events
			samples = events = own = 0
		}
		FNR == 1 { add(); column = $2 ~ /\(events\)/ ? 2 : 1; next }
		index($0, others) { samples += $1; events += $column }
		index($0, symbol) { own += $column }
		END { add(); printf "%.0f\n", sum }' "$scratch"/csv.*
}

# judge WHAT TRUTH SYMBOL OTHERS - the share of a symbol in all of them
judge()
{
	_all=$(number "$4")
	enough "$1: samples" "$_all" 300
	share "$1: $3" "$(part "$3" "$4")" "$_all" "$2"
}

# profile OTHERS COMMAND... - with no option but where the session goes; once more as long as there
# are too few samples to judge by, because the kernel has lowered its limit: how many there are says
# nothing of their shares
profile()
{
	_others=$1
	shift
	rm -f "$scratch"/csv.*
	_until=$(($(date +%s) + 50)) _portion=0
	while
		rm -rf "$session"
		sample "$@"
		_portion=$((_portion + 1))
		# without a sample there is no report
		opreport --session-dir="$session" --csv -l >"$scratch/csv.$_portion" || :
		[ "$(number "$_others")" -lt 300 ] && [ "$(date +%s)" -lt $_until ]
	do
		echo "$(number "$_others") samples of $_others so far"
	done
}

# period_taken - ns between samples of the last operf without an option: as it says, or the default
period_taken()
{
	_hz=$(sed -n 's/.* sampling at \([0-9]*\) Hz instead of .*/\1/p' "$scratch/said")
	if [ -n "$_hz" ]; then
		echo $((1000000000 / _hz))
	else
		echo 1171573
	fi
}

# units LEAST - so much work, or more if that gives too few samples at the rate that operf will take
units()
{
	awk -v least="$1" -v most="$(cat $limit)" 'BEGIN {
		hz = most < 2000 ? most / 2 : 1000
		units = 10000 * 1000 / hz
		printf "%d\n", (units > least ? units : least)
	}'
}

for shape in alone threads fork exec; do
	profile shares_ "$own/shares" $shape "$(units 20000)"
	judge "$shape" 0.75 shares_three shares_
done
profile split_ "$workloads/split" 1
judge split 0.7 split_seventy split_
judge split 0.2 split_twenty split_
judge split 0.1 split_ten split_

need opreport --session-dir="$session" >"$scratch/report"
head -n 6 "$scratch/report"
for line in "Session: $session" "Host: $(uname -n), $(uname -r)" \
	"Command: operf --session-dir=$session $workloads/split 1"; do
	grep -qF "$line" "$scratch/report" || fail "the head does not say: $line"
done
grep -Eq "^Time: $(date +%Y)-[^,]*, [0-9.]+ s$" "$scratch/report" || fail "the head has no time"
grep -Eq "^Counted .* (at 1000 Hz|count $(period_taken))\$" "$scratch/report" ||
	fail "the head does not say how often"

# ---- threads that end before their first sample ----

# short OPTION... - perhaps there is no sample, and then no sample file
short()
{
	rm -rf "$session"
	need operf --session-dir="$session" "$@" 2>"$scratch/said"
	cat "$scratch/said"
}

# At the default rate 300 processes give few samples, and at one a second one gives none.  Of user
# code only, that cannot be told: the clock runs in the kernel, too.
if is_root; then
	short "$own/shares" fork 30
	period=$(period_taken)
	ms=$(awk -v ns="$period" 'BEGIN { printf "%.4g", ns / 1e6 }') few=$((period / 10))
	grep -q " brought no sample, as threads ended within $ms ms; use -e cpu-clock:$few\$" \
		"$scratch/said" || fail "it is not said that most of the time is not sampled"
	if opreport --session-dir="$session" >"$scratch/report"; then
		grep -E "^Not sampled: .* threads that end within $ms ms; use a count of $few " \
			"$scratch/report" || fail "the head does not say what operf does"
	fi
	short -e cpu-clock:1000000000 "$own/shares" alone 100
	grep -q '100.0 % .* no sample, as threads ended within 1000 ms; use -e cpu-clock:100000000$' \
		"$scratch/said" || fail "it is not said that nothing was sampled"
fi

# ---- a lowered limit ----

was=$(cat $limit)
# a privilege of root's that containers may lack
if ! { echo 500 >$limit; } 2>/dev/null; then
	echo "not run: the limit of samples a second cannot be lowered here"
	exit 0
fi
trap 'echo "$was" >$limit; rm -rf "$scratch"' EXIT
rm -rf "$session"
sample "$own/shares" alone 40000
echo "$was" >$limit
grep -q 'sampling at 250 Hz instead of 1000 Hz' "$scratch/said" || fail "it is not said"
! grep paused "$scratch/said" || fail "the kernel paused what was to be below its limit"
rm -f "$scratch"/csv.*
need opreport --session-dir="$session" --csv -l >"$scratch/csv.1"
judge "250 Hz" 0.75 shares_three shares_
