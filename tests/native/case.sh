# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2034,SC1091
#
# What the native cases share: . "$TESTS/native/case.sh"
#
# They run on this machine, by perf events, as root and as an ordinary user (run.sh).  The
# judging is that of the guests' cases.

# shellcheck source=../vm/guest/case.sh
. "$TESTS/vm/guest/case.sh"

workloads=$BUILD/tests/vm/workloads
own=$BUILD/tests/native/workloads

# holds_programs DIR - may files there be executed?
holds_programs()
{
	_program=$(mktemp "$1/native.XXXXXX") && cp /bin/true "$_program" &&
		chmod 755 "$_program" && "$_program"
	_holds=$?
	rm -f "$_program"
	return $_holds
}

# room DIR - has its file system room for a case?
room() { [ "$(df -k --output=avail "$1" 2>/dev/null | tail -n 1)" -ge 300000 ]; }

# A case that writes sessions of many files sets in_memory first: a disk takes a minute for them.
[ -z "${in_memory:-}" ] || [ -n "${TMPDIR:-}" ] || ! room /dev/shm ||
	! holds_programs /dev/shm 2>/dev/null || TMPDIR=/dev/shm
scratch=$(mktemp -d "${TMPDIR:-/tmp}/native.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
session=$scratch/oprofile_data
samples=$session/samples/current
# where sessions keep the symbols that they share
export OPROFILE_SYMBOLS="$scratch/symbols"
PATH=$BUILD/daemon/operf:$BUILD/utils/ocount:$BUILD/utils/opdb:$BUILD/utils/opcontrol:$PATH
PATH=$BUILD/daemon:$BUILD/pp:$BUILD/utils/optop:$BUILD/utils/selftest:$PATH
cd "$scratch" || exit 1

is_root() { [ "$(id -u)" -eq 0 ]; }

# A case that judges numbers of samples sets sampling first.  Where the kernel's limit has come down
# to one sample a tick, it pauses each event after each sample, and numbers are as they come.
pauses_all()
{
	[ "$(cat /proc/sys/kernel/perf_event_max_sample_rate)" -lt 2000 ] || return 1
	operf --session-dir="$scratch/paused" -e cpu-clock:20000000:0:0:1 "$workloads/brief1" 300 \
		2>"$scratch/said"
	rm -rf "$scratch/paused"
	grep -q ', throttled [0-9]' "$scratch/said"
}

# As the guests' usleep.
usleep() { sleep "$(awk -v us="$1" 'BEGIN { print us / 1e6 }')"; }

# on_terminal WORD... - runs it on one of $columns; what is shown is in $scratch/shown, and with its
# colours in $scratch/screen
columns=80
on_terminal()
{
	TERM=xterm PAGER=cat COLUMNS=$columns python3 - "$@" >"$scratch/shown" <<-'END'
		import fcntl, os, pty, struct, sys, termios
		pid, terminal = pty.fork()
		if not pid:
		    columns = int(os.environ.pop("COLUMNS"))
		    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
		    os.execvp(sys.argv[1], sys.argv[1:])
		while True:
		    try:
		        shown = os.read(terminal, 65536)
		    except OSError:
		        break
		    if not shown:
		        break
		    sys.stdout.buffer.write(shown)
		    sys.stdout.flush()
		sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
	END
	_got=$?
	sed "s/\r\$//" "$scratch/shown" >"$scratch/screen"
	sed "s/\x1b\[[0-9;]*m//g" "$scratch/screen" >"$scratch/shown"
	cat "$scratch/shown"
	return $_got
}

# keep_screen NAME COLUMNS [ROWS] <TEXT - does the text fit into a terminal of this size?  Its
# picture is kept as screens/NAME.svg in the build folder, of those who may write there
keep_screen()
{
	_picture=$1.svg
	shift
	python3 "$TESTS/native/screen.py" "$@" >"$scratch/$_picture" || fail "no picture $_picture"
	mkdir -p "$BUILD/screens" 2>/dev/null
	[ ! -w "$BUILD/screens" ] || need cp "$scratch/$_picture" "$BUILD/screens"
}

# rate HZ - that many samples a second, or half the kernel's limit, near which it pauses events; it
# lowers that limit where its interrupts take long
rate()
{
	_most=$(($(cat /proc/sys/kernel/perf_event_max_sample_rate) / 2))
	if [ "$_most" -lt "$1" ]; then echo "$_most"; else echo "$1"; fi
}

# clock HZ - the event that samples so often, on each kind of host: by the time that a CPU spends
clock() { echo "cpu-clock:$((1000000000 / $(rate "$1")))"; }

# lasting SECONDS HZ - how long it takes to get the samples of SECONDS at HZ, or enough of them
lasting()
{
	awk -v s="$1" -v hz="$2" -v rate="$(rate "$2")" 'BEGIN {
		factor = hz / rate
		print s * (factor < 6 ? factor : 6)
	}'
}

# as_often N HZ - N things that are sampled at HZ, or as many more as have the same samples
as_often() { echo $(($1 * $2 / $(rate "$2"))); }

# periods N HZ LEAST - how many ms N periods at HZ take, rounded up; LEAST at least
periods()
{
	_ms=$((($1 * 1000 + $(rate "$2") - 1) / $(rate "$2")))
	echo $((_ms > $3 ? _ms : $3))
}

# sample OPTION... - profile with operf into $session; its words go to $scratch/said
sample()
{
	operf --session-dir="$session" "$@" 2>"$scratch/said" || {
		_status=$?
		cat "$scratch/said"
		fail "operf ended with $_status: $*"
	}
	cat "$scratch/said"
	need opdb check "$samples"
	accounts
}

# list - the sample files of the session, also those in a pack or a journal, into $scratch/list:
# "SAMPLES PATH" each; once, unless they have changed
list()
{
	find "$samples" -type f -printf '%p %i %s %T@\n' | sort >"$scratch/now"
	! cmp -s "$scratch/now" "$scratch/list.of" || return 0
	need opdb dump "$samples" >"$scratch/dump"
	awk '
		/^file: / { path = substr($0, 7); sub("^[^{]*: ", "", path) }
		$1 == "samples:" { print $2, "/" path }' "$scratch/dump" >"$scratch/list"
	mv "$scratch/now" "$scratch/list.of"
}

# matching GLOB [GLOB] - the lines of the list whose paths match, but not the second one; arcs and
# weights don't count
matching()
{
	while read -r _n _path; do
		# shellcheck disable=SC2254 # patterns
		case $_path in
		*"{cg}"* | */weights/* | ${2:-}) ;;
		$1) echo "$_n $_path" ;;
		esac
	done <"$scratch/list"
}

# samples_below GLOB [GLOB] - as the guests', of a session that was packed; without those whose path
# is like the second one
samples_below()
{
	list
	matching "*{dep}*$1*" "${2:-}" | awk '{ n += $1 } END { printf "%d\n", n }'
}

# status WANTED COMMAND... - does it end with this status?  What it prints is in $scratch/out, too
status()
{
	_wanted=$1
	shift
	_got=0
	"$@" >"$scratch/out" 2>&1 || _got=$?
	cat "$scratch/out"
	same "the status of $*" $_got "$_wanted"
}

report() { need opreport --session-dir="$session" -l -f "$@" >"$scratch/report"; }

# report_by_map WHO - a report with the names of the map that the process left whose id is the only
# line of digits in $scratch/pid; the map goes
report_by_map()
{
	_map=/tmp/perf-$(grep -x '[0-9]*' "$scratch/pid").map
	[ -s "$_map" ] || fail "$1 has left no $_map"
	report
	rm -f "$_map"
}

# As the guests', of $scratch/report.
symbol_samples()
{
	awk -v symbol="$1" -v text="${2:-}" '
		$1 ~ /^[0-9]+$/ && index($0, symbol) && $NF == symbol &&
			(text == "" || index($0, text)) { sum += $1 }
		END { printf "%d\n", sum }' "$scratch/report"
}

line_samples()
{
	awk -v text="$1" '
		$1 ~ /^[0-9]+$/ && index($0, text) { sum += $1 }
		END { printf "%d\n", sum }' "$scratch/report"
}

# calls_by CALLER CALLEE - samples of CALLEE that CALLER called, of $scratch/graph (opreport -c)
calls_by()
{
	awk -v caller="$1" -v callee="$2" '
		/^---/ { n = 0; next }
		/^  / { if ($NF == caller) n = $1; next }
		$NF == callee { print n + 0; found = 1; exit }
		END { if (!found) print 0 }' "$scratch/graph"
}

[ -z "${sampling:-}" ] || ! pauses_all ||
	skip "the kernel pauses events after each sample (perf_event_max_sample_rate is" \
		"$(cat /proc/sys/kernel/perf_event_max_sample_rate))"
