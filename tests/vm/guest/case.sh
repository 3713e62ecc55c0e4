# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2034
#
# What the cases share: . /vm/case.sh
#
# A case ends with exit status 0 (passed), 77 (skipped) or anything else (failed); the last
# line that it prints is the reason.  What it leaves behind, /vm/clean takes away.

workloads=/vm/workloads
session=/var/lib/oprofile
samples=$session/samples/current
frequency=1000 # Hz, of most cases: a sample is 1 ms

fail()
{
	echo "$*"
	exit 1
}

skip()
{
	echo "skip: $*"
	exit 77
}

# need COMMAND... - fail with its words if the command fails
need()
{
	"$@" || fail "failed with status $?: $*"
}

# refuse ERRNO-TEXT COMMAND... - fail unless the command fails for that reason
refuse()
{
	_reason=$1
	shift
	_said=$("$@" 2>&1) && fail "succeeded, but should not: $*"
	case $_said in
	*"$_reason"*) ;;
	*) fail "$*: \"$_said\" instead of \"$_reason\"" ;;
	esac
}

# write VALUE FILE - with write(2)'s errno as the reason if it fails, which dd tells, but costs a
# process
write()
{
	echo "$1" 2>/dev/null >"$2" ||
		printf '%s' "$1" | dd of="$2" conv=notrunc status=none 2>&1
}

# until_true SECONDS COMMAND... - wait until the command succeeds
until_true()
{
	_left=$(($1 * 20))
	shift
	until "$@"; do
		_left=$((_left - 1))
		[ $_left -gt 0 ] || fail "waited in vain for: $*"
		usleep 50000
	done
}

# same WHAT GOT WANTED - compare two words
same() { [ "$2" = "$3" ] || fail "$1 is $2, not $3"; }

# within WHAT GOT LOW HIGH - compare numbers, which may have fractions; whole ones cost no process
within()
{
	case $2$3$4 in
	*[!0-9-]*) awk -v got="$2" -v low="$3" -v high="$4" \
			'BEGIN { exit !(got >= low && got <= high) }' ;;
	*) [ "$2" -ge "$3" ] && [ "$2" -le "$4" ] ;;
	esac || fail "$1 is $2, not from $3 to $4"
	echo "$1 is $2, from $3 to $4"
}

# sanitised - is this a kernel with sanitisers?
sanitised()
{
	case $(uname -r) in
	*-kasan | *-kcsan) ;;
	*) return 1 ;;
	esac
}

# enough WHAT SAMPLES - are there so many that their numbers mean something?  How many there
# are in a second of work depends on how busy the host is: 1000 on an idle one, 100 at worst.
# Sanitisers leave less; if too little, what was to be done has been done, but its shares are not
# judged.
enough()
{
	echo "$1: $2"
	[ "$2" -lt "${3:-300}" ] || return 0
	! sanitised || skip "$1 are only $2 with sanitisers: too few to judge by"
	fail "$1 are only $2: too few to judge by"
}

# near WHAT SAMPLES WHOLE SHARE - are they, roughly, that share of the whole?  Remembers it in
# $shares_right: a host that stops one of the guest's CPUs for a while makes it wrong.
near()
{
	awk -v what="$1" -v n="$2" -v whole="$3" -v p="$4" 'BEGIN {
		ratio = n / whole / p
		printf "%s of %d samples: share / true share is %.3f, from 0.7 to 1.3\n", what,
			whole, ratio
		exit !(ratio >= 0.7 && ratio <= 1.3)
	}' || shares_right=false
}

# share WHAT PART WHOLE TRUTH - is PART of WHOLE samples within 3 standard errors of the true
# share?  Remembers it in $shares_right.
share()
{
	[ "$3" -gt 0 ] || fail "$1: there are no samples"
	awk -v what="$1" -v part="$2" -v whole="$3" -v p="$4" 'BEGIN {
		error = sqrt(p * (1 - p) / whole)
		distance = (part / whole - p) / error
		printf "%s: %d of %d samples, %.4f, true %.4f: %+.2f standard errors\n", what,
			part, whole, part / whole, p, distance
		exit !(distance >= -3 && distance <= 3)
	}' || shares_right=false
}

# twice COMMAND... - run a measurement, and once more if its shares are too far off: a true
# profile is 3 standard errors off once in 370 shares, and there are dozens of them in a run
# of all cases; twice in a row, once in 137000
twice()
{
	for _attempt in 1 2; do
		shares_right=true
		"$@"
		$shares_right && return
		echo "attempt $_attempt: shares are too far off"
	done
	fail "shares were twice too far off: $*"
}

# profile_begin [--backend NAME] OPTION... - start profiling with opcontrol's settings
profile_begin()
{
	if [ "${1:-}" = --backend ]; then
		need opcontrol --init --backend "$2"
		shift 2
	fi
	need opcontrol --start --frequency "$frequency" "$@"
}

# profile_end - stop, with all samples on disk, and check that every number adds up
profile_end()
{
	need opcontrol --shutdown
	need opdb check "$samples"
	accounts
}

# stat_sums - "NAME SUM" of each statistic of the session that is not 0, of all CPUs
stat_sums()
{
	find "$samples/stats" -type f -exec awk '
		{ name = FILENAME; sub(/.*\//, "", name); sum[name] += $1 }
		END { for (name in sum) if (sum[name]) printf "%s %d\n", name, sum[name] }' {} +
}

# sum_of NAME... - of those of stat_sums' lines, on the standard input
sum_of()
{
	awk -v wanted=" $* " 'index(wanted, " " $1 " ") { sum += $2 } END { printf "%d\n", sum }'
}

# stat_sum NAME... - the sum of all statistics of these names, of all CPUs
stat_sum() { stat_sums | sum_of "$@"; }

kernel_losses="sample_lost_overflow sample_lost_nested sample_invalid_eip sample_lost_no_mm
sample_lost_no_mapping sample_lost_no_room"
daemon_losses="lost_invalid_domain lost_kernel lost_no_mapping lost_samplefile lost_no_event
lost_no_app_for_user_sample"

# lost - samples that the module or the daemon counted as lost
lost()
{
	# shellcheck disable=SC2086
	stat_sum $kernel_losses $daemon_losses
}

# samples_below TEXT [CONDITION...] - samples, as opdb reads them, in the sample files whose
# name has this text in what is after {dep} (and that find's conditions are true of); arcs do
# not count
samples_below()
{
	_text=$1
	shift
	find "$samples" -type f -path "*{dep}*$_text*" ! -path '*{cg}*' "$@" \
		-exec opdb dump {} + | awk '$1 == "samples:" { n += $2 } END { printf "%d\n", n }'
}

# stored - samples in all sample files
stored() { samples_below ""; }

# accounts - received = stored + lost, exactly
accounts()
{
	_sums=$(stat_sums)
	# shellcheck disable=SC2086
	_lost=$(echo "$_sums" | sum_of $kernel_losses $daemon_losses)
	_received=$(echo "$_sums" | sum_of sample_received)
	_stored=$(stored)
	echo "received $_received = stored $_stored + lost $_lost"
	echo "$_sums" | grep lost
	[ "$_received" -gt 0 ] || fail "no samples were received"
	same "stored + lost" $((_stored + _lost)) "$_received"
}

# report OPTION... - symbols with their samples into /tmp/report, for symbol_samples
report() { need opreport -l -f "$@" >/tmp/report; }

# symbol_samples SYMBOL [TEXT] - samples of the symbol in /tmp/report; with TEXT, of lines
# that have this text in them
symbol_samples()
{
	awk -v symbol="$1" -v text="${2:-}" '
		$1 ~ /^[0-9]+$/ && $NF == symbol && (text == "" || index($0, text)) { sum += $1 }
		END { printf "%d\n", sum }' /tmp/report
}

# line_samples TEXT - samples of all lines of /tmp/report that have this text in them
line_samples()
{
	awk -v text="$1" '
		$1 ~ /^[0-9]+$/ && index($0, text) { sum += $1 }
		END { printf "%d\n", sum }' /tmp/report
}

# library_shares TRUTH - of libraries that take turns at one address: are the samples of
# reload_spin() in /tmp/report on the one that was busy?  TRUTH has a line "LIBRARY SECONDS" for
# each of four.
library_shares()
{
	same "libraries told of" "$(grep -c '^/.*so [0-9]' "$1")" 4
	same "samples in code that never runs" "$(symbol_samples pad_never_run)" 0
	_all=$(symbol_samples reload_spin)
	enough "samples in the libraries" "$_all"
	within "samples in other code of the libraries" \
		$(($(line_samples "$workloads/libreload") - _all)) 0 $((_all / 100))
	while read -r _library _seconds; do
		case $_library in
		/*) ;;
		*) continue ;;
		esac
		near "$_library, busy for $_seconds s," \
			"$(symbol_samples reload_spin "$_library")" "$_all" 0.25
	done <"$1"
	within "lost of 1000" $((1000 * $(lost) / (_all + 1))) 0 10
}

# measure_turns WORKLOAD - profile it while four libraries take turns, and judge by library_shares()
measure_turns()
{
	profile_begin --backend nmi_timer --separate=lib
	need "$workloads/$1" 200 20 "$workloads"/libreload?.so >/tmp/truth
	profile_end
	report
	library_shares /tmp/truth
	rm -rf $session
}

# sample_file APP DEP [TGID.TID.CPU] - the sample file of an image in an application
sample_file() { echo "$samples/$1/{dep}/$2/TIMER.0.0.${3:-all.all.all}"; }
