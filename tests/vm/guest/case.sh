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

# until_true SECONDS COMMAND... - wait until the command succeeds; ten times as long at most as it
# takes on a host that does nothing else
until_true()
{
	_left=$(($1 * 20 * 10))
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

# How shares are judged.  The samples of a function among those of a program are binomial;
# samplers that tick regularly vary less.  A check fails if what it sees is less likely than 5e-9
# by Chernoff's bound, which holds exactly: of n samples, k or more (or fewer) of a share p have at
# most the probability exp(-n D), D = (k/n) ln(k/(n p)) + (1 - k/n) ln((1 - k/n) / (1 - p)).  A
# suite has fewer than 200 checks, so that it fails by chance less than once in 10^6 runs, without
# retries.
#
# What a check finds: of 4000 samples, a share that is wrong by 0.05; of 1000, by 0.1.

# off_chance LOW HIGH PART WHOLE - fail if PART of WHOLE samples is too unlikely for any true share
# from LOW to HIGH; prints the share and the bound of its probability
off_chance()
{
	[ "$4" -gt 0 ] || fail "there are no samples"
	awk -v low="$1" -v high="$2" -v part="$3" -v whole="$4" '
		function term(q, p) { return q > 0 ? q * log(q / p) : 0 }
		BEGIN {
			q = part / whole
			p = q < low ? low : q > high ? high : q
			bound = exp(-whole * (term(q, p) + term(1 - q, 1 - p)))
			printf "%d of %d samples, %.4f, chance %.1e or less\n", part, whole, q, bound
			exit !(bound >= 2.5e-9) # either side
		}'
}

# share WHAT PART WHOLE TRUTH - may PART of WHOLE samples have the true share?
share()
{
	_said=$(off_chance "$4" "$4" "$2" "$3") || fail "$1: true share $4: $_said"
	echo "$1: true share $4: $_said"
}

# near WHAT PART WHOLE TRUTH - may PART of WHOLE samples have a true share within 30 % of TRUTH?
near()
{
	_low=$(awk -v p="$4" 'BEGIN { print 0.7 * p }')
	_high=$(awk -v p="$4" 'BEGIN { print 1.3 * p }')
	_said=$(off_chance "$_low" "$_high" "$2" "$3") ||
		fail "$1: true share from $_low to $_high: $_said"
	echo "$1: true share from $_low to $_high: $_said"
}

# at_most WHAT PART WHOLE SHARE - may PART of WHOLE samples have a true share of at most SHARE?
at_most()
{
	_said=$(off_chance 0 "$4" "$2" "$3") || fail "$1: true share at most $4: $_said"
	echo "$1: true share at most $4: $_said"
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

# stat_sums - "NAME SUM" of each statistic of the session that is not 0, of all CPUs: the lines of the
# slot of its account that has the greater sequence number (oprofile-session(5))
stat_sums()
{
	tr -d '\000' <"$samples/account" | awk '
		$1 == "oprofile-account" { slot = $3 ""; if (slot > last "") last = slot; next }
		$2 { text[slot] = text[slot] $1 " " $2 "\n" }
		END { printf "%s", text[last] }'
}

# sum_of NAME... - of those of stat_sums' lines, on the standard input
sum_of()
{
	awk -v wanted=" $* " 'index(wanted, " " $1 " ") { sum += $2 } END { printf "%d\n", sum }'
}

# stat_sum NAME... - the sum of all statistics of these names, of all CPUs
stat_sum() { stat_sums | sum_of "$@"; }

kernel_losses="sample_lost_overflow sample_lost_nested sample_invalid_eip sample_lost_no_mm
sample_lost_no_mapping sample_lost_busy sample_lost_no_room"
daemon_losses="lost_invalid_domain lost_kernel lost_no_mapping lost_samplefile lost_no_event
lost_no_app_for_user_sample lost_no_space lost_no_descriptor lost_no_memory lost_io_error
lost_file_limit lost_long_name lost_file_cut"

# lost - samples that the module or the daemon counted as lost
lost()
{
	# shellcheck disable=SC2086
	stat_sum $kernel_losses $daemon_losses
}

# daemon_lost - of these, the daemon's
daemon_lost()
{
	# shellcheck disable=SC2086
	stat_sum $daemon_losses
}

# samples_below TEXT [CONDITION...] - samples, as opdb reads them, in the sample files whose
# name has this text in what is after {dep} (and that find's conditions are true of); arcs do
# not count
samples_below()
{
	_text=$1
	shift
	find "$samples" -type f -path "*{dep}*$_text*" ! -path '*{cg}*' \
		! -path '*/weights/*' "$@" -exec opdb dump {} + | awk '$1 == "samples:" { n += $2 } END { printf "%d\n", n }'
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

# library_shares TRUTH - of libraries that run one after the other at one address: are the samples
# of reload_spin() in /tmp/report on the one that ran?  TRUTH has a line "LIBRARY ITERATIONS" for
# each of four.
library_shares()
{
	same "libraries that ran" "$(grep -c '^/.*so [0-9]' "$1")" 4
	_iterations=$(awk '/^\// { n += $2 } END { printf "%d\n", n }' "$1")
	same "samples in code that never runs" "$(symbol_samples pad_never_run)" 0
	_all=$(symbol_samples reload_spin)
	enough "samples in the libraries" "$_all"
	at_most "samples in other code of the libraries" \
		$(($(line_samples "$workloads/libreload") - _all)) "$_all" 0.01
	while read -r _library _number; do
		case $_library in
		/*) ;;
		*) continue ;;
		esac
		near "$_library" "$(symbol_samples reload_spin "$_library")" "$_all" \
			"$(awk -v n="$_number" -v all="$_iterations" 'BEGIN { print n / all }')"
	done <"$1"
	_lost=$(lost)
	at_most "samples lost" "$_lost" $((_all + _lost)) 0.01
}

# measure_libraries WORKLOAD - profile it while four libraries run one after the other, and judge by
# library_shares()
measure_libraries()
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
