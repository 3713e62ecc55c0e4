#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: optop in a terminal (tmux): views, keys, annotation, search, filter, freeze, save, help,
# covers: size, colours; the terminal is given back by every end; names cannot command it; pictures
# covers: of it in two sizes are kept; without a terminal: tables, errors

# shellcheck source=../case.sh
. "$TESTS/native/case.sh"

command -v tmux >/dev/null || skip "no tmux"
export XDG_RUNTIME_DIR="$scratch/run" TMPDIR="$scratch" LC_ALL=C.UTF-8 SHELL=/bin/sh
unset NO_COLOR COLORFGBG
mkdir -m 700 "$XDG_RUNTIME_DIR"
freq=$(rate 1000)

# ---- a terminal ----

# term COMMAND... - tmux, with a server of this case
term() { tmux -S "$scratch/tmux" -f /dev/null "$@"; }

finish()
{
	# shellcheck disable=SC2181 # the status of the case
	[ $? -eq 0 ] || picture 2>/dev/null
	term kill-server 2>/dev/null
	# shellcheck disable=SC2086
	kill $started 2>/dev/null
	# operf may still end
	until rm -rf "$scratch" 2>/dev/null; do usleep 50000; done
}
started=
trap finish EXIT

# end_term - a new server must not meet the one that ends
no_server() { ! term list-sessions >/dev/null 2>&1; }
end_term()
{
	term kill-server
	until_true 3 no_server
	rm -f "$scratch/tmux"
}

# shows PATTERN / hides PATTERN - wait until the screen has it, or has it no more
picture() { term capture-pane -p; }
has() { picture | grep -q -e "$1"; }
has_not() { ! has "$1"; }
shows() { until_true 3 has "$1" || fail "\"$1\" is not shown: $(picture)"; }
hides() { until_true 3 has_not "$1" || fail "\"$1\" is still shown: $(picture)"; }
keys() { term send-keys "$@"; }

# all that optop writes is in $scratch/raw; what the terminal was before and after, in before, after
cat >"$scratch/start" <<'START'
trap : INT # what the keys send is for optop
stty -a | tail -n +2 >before # without the size
sh -c 'echo $$ >pid; exec "$@"' - "$@"
echo $? >status
stty -a | tail -n +2 >after
START

# optop_on TERM COLUMNS ROWS OPTION... - start it in a terminal of this size
optop_on()
{
	rm -f "$scratch/raw" "$scratch/before" "$scratch/after" "$scratch/status"
	: >"$scratch/raw"
	type=$1 columns=$2 rows=$3
	shift 3
	term new-session -d -x "$columns" -y "$rows" /bin/sh
	term pipe-pane "cat >>'$scratch/raw'"
	keys "cd '$scratch'; PATH='$PATH'; TERM=$type sh start optop --delay=1 $*" Enter
}

# keep_picture COLUMNS ROWS - of a new one of this size, with lines that the terminal wrapped as one
keep_picture()
{
	optop_on screen-256color "$1" "$2" --call-graph=dwarf --freq="$freq" --pid=$split
	shows split_seventy
	term capture-pane -e -J -p >"$scratch/screen"
	grep -q split_seventy "$scratch/screen" || fail "the picture is empty"
	keep_screen "optop-$1x$2" "$1" "$2" <"$scratch/screen"
	keys q
	ended 0
}

is_there() { [ -s "$1" ]; }

# ended STATUS - it has ended with it, and the terminal is as it was
ended()
{
	until_true 3 is_there "$scratch/after" || fail "it does not end: $(picture)"
	same "the exit status" "$(cat "$scratch/status")" "$1"
	cmp -s "$scratch/before" "$scratch/after" ||
		fail "the terminal is not as before: $(diff "$scratch/before" "$scratch/after")"
	[ "$type" = vt100 ] || grep -q "$(printf '\033\\[?1049l')" "$scratch/raw" ||
		fail "the other screen was not left"
	end_term
	same "what is left in the runtime directory" "$(ls "$XDG_RUNTIME_DIR")" ""
}

its_pid() { cat "$scratch/pid"; }

# ---- without one ----

optop --batch -n 1 --pid=$$ >"$scratch/out" 2>&1 || fail "no table: $(cat "$scratch/out")"
grep -q 'samples/s of .*, by function, recent$' "$scratch/out" || fail "no title: $(cat "$scratch/out")"
optop </dev/null >"$scratch/out" 2>&1 && fail "it runs without a terminal"
same "the error" "$(cat "$scratch/out")" \
	"optop error: standard input and output are no terminal: use --batch"
"$workloads/split" 100 >/dev/null &
split=$!
started=$split
table() { optop --batch -n 2 --delay=1 --pid=$split "$@" 2>&1 | grep -c 'SELF  *TOTAL'; }
enough "tables with inclusive shares by default" "$(table)" 1
same "tables with them without call chains" "$(table --no-call-graph)" 0
kill $split
refuse "--no-call-graph excludes" optop --no-call-graph -g
optop --batch --pid=999999999 >"$scratch/out" 2>&1 && fail "it profiles what is not there"
same "lines of the error" "$(wc -l <"$scratch/out")" 1
optop --source=daemon --session-dir="$scratch" --batch >"$scratch/out" 2>&1 && fail "no daemon is one"
grep -q "no daemon serves" "$scratch/out" || fail "$(cat "$scratch/out")"
optop --by=functoin >/dev/null 2>&1
same "exit status of a wrong option" $? 2

# ---- what is profiled ----

"$workloads/split" 100000 >/dev/null &
split=$!
started="$started $split"
# a program and a thread whose names are commands to terminals
mkdir "$scratch/$(printf 'a\033[31mred\233')"
evil="$scratch/$(printf 'a\033[31mred\233')/$(printf 'x\033]0;owned\007\033[2J')"
cp "$workloads/split" "$evil"
cp "$workloads"/libsplit* "$scratch" 2>/dev/null
LD_LIBRARY_PATH=$workloads "$evil" 100000 >/dev/null &
evil=$!
started="$started $evil"
printf '\033[32mgreen\033[2J' >"/proc/$evil/comm" 2>/dev/null || true

# ---- views, keys ----

optop_on screen-256color 100 24 --call-graph=dwarf --freq="$freq" --pid=$split
shows 'by function'
shows 'split_seventy'
shows 'SELF    TOTAL SAMPLES/S IMAGE'
shows ' main$'
keys 1
shows 'by application'
shows "/split$"
keys Enter
shows '; only .*split'
keys 5
shows "split $split"
keys Tab
shows 'by cgroup'
keys Tab
shows 'CPU [0-9]'
keys 8
shows 'by event'
keys BTab
shows 'by cpu'
keys 2 Escape
shows 'by function'
hides '; only'
keys s
shows 'sorted by total'
keys r
shows 'sorted by total upwards'
keys r s s s
hides 'sorted by'
keys c
shows 'since the start'
keys c
shows 'of the last interval'
keys c '?'
shows 'Keys (any key goes back)'
keys x
shows 'split_ten'

keys f split_t
shows 'Filter: split_t'
keys Enter
hides split_seventy
shows split_ten
keys Escape
shows split_seventy
keys / split_ten Enter
hides 'Search:'
keys a
shows 'LINE .*split_ten'
shows '[0-9]%  .*[a-z]'
shows 'spin.h:[0-9]'
keys q
shows 'SAMPLES/S IMAGE'
keys / nonesuch Enter
shows 'not found: nonesuch'

keys Space
shows FROZEN
frozen=$(picture | sed -n '4,10p')
until_true 3 has '[1-9][0-9]* while frozen' || fail "samples are not passed over: $(picture)"
same "the frozen rows" "$(picture | sed -n '4,10p')" "$frozen"
keys Space
hides FROZEN

term resize-window -x 60 -y 12
shows '^F1 help  F2 save .*…'
until_true 3 has_not ' IMAGE ' || fail "places have no room: $(picture)"
within "columns of the longest line" "$(picture | wc -L)" 20 60
term resize-window -x 10 -y 3
shows 'optop:'
term resize-window -x 120 -y 30
shows ' IMAGE '

keys F2
shows 'Save as: optop.txt'
keys C-u calls.folded Enter
shows 'saved as calls.folded'
keys w Enter
shows 'saved as optop.txt'
keys w Enter
shows 'cannot make optop.txt: File exists'
grep -q split_seventy "$scratch/optop.txt" || fail "the table was not saved"

# stopped and continued from elsewhere
pid=$(its_pid)
kill -STOP "$pid"
kill -CONT "$pid"
keys 1
shows 'by application'
keys q
ended 0

# the terminal's stop key, and back; ended while it is stopped
term new-session -d -x 100 -y 24 /bin/sh
keys "cd '$scratch'; PATH='$PATH'; TERM=screen-256color optop --delay=1 --pid=$split" Enter
shows split_seventy
keys C-z
shows Stopped
keys fg Enter
shows split_seventy
keys C-z
shows Stopped
# shellcheck disable=SC2016 # for the shell in the terminal
keys 'kill %1; kill -CONT %1; wait %1; stty -a | grep -c " echo " >echoes' Enter
until_true 3 is_there "$scratch/echoes"
same "the terminal echoes" "$(cat "$scratch/echoes")" 1
removed() { [ -z "$(ls "$XDG_RUNTIME_DIR")" ]; }
until_true 3 removed
end_term

# the shares are those of the program
part() { awk -v name="$1" '$1 ~ name "$" { n += $NF } END { print n + 0 }' "$scratch/calls.folded"; }
all=$(awk '{ n += $NF } END { print n + 0 }' "$scratch/calls.folded")
share "split_seventy in the saved call chains" "$(part split_seventy)" "$all" 0.7
at_most "chains that do not come from main" \
	"$(grep -v ';main;' "$scratch/calls.folded" | awk '{ n += $NF } END { print n + 0 }')" "$all" 0.1
need opimport --output="$scratch/imported" "$scratch/calls.folded" >/dev/null

# ---- names that are commands ----

optop_on screen-256color 150 24 --freq="$freq" --pid=$evil,$split
shows split_seventy
keys 1
shows 'x\\x1b\]0;owned'
keys 5
if grep -q green "/proc/$evil/comm"; then shows '\\x1b\[32mgreen'; fi
keys / x Enter 4 3 1
shows 'by application'
keys / owned Enter
hides 'Search:'
keys Enter
shows 'only .*owned'
keys q
ended 0
if grep -q "$(printf '\033]0;owned')" "$scratch/raw" || grep -q "$(printf '\033\\[2J')x" "$scratch/raw" ||
	grep -q "$(printf '\033\\[31mred')" "$scratch/raw"; then
	fail "a name reached the terminal as it is"
fi

# ---- pictures ----

keep_picture 80 24
keep_picture 200 50

# ---- colours ----

optop_on screen-256color 100 24 --pid=$split
shows split_seventy
keys q
ended 0
grep -q "$(printf '\033\\[[0-9;]*3[1-6]m')" "$scratch/raw" || fail "no colours on a terminal that has them"
export NO_COLOR=1
optop_on screen-256color 100 24 --pid=$split
shows split_seventy
keys q
ended 0
if grep -q "$(printf '\033\\[[0-9;]*3[1-6]m')" "$scratch/raw"; then fail "colours with NO_COLOR"; fi
unset NO_COLOR
optop_on vt100 100 24 --pid=$split
shows split_seventy
keys q
ended 0
if grep -q "$(printf '\033\\[[0-9;]*3[1-6]m')" "$scratch/raw"; then fail "colours on a vt100"; fi
term new-session -d -x 80 -y 24 /bin/sh
keys "cd '$scratch'; PATH='$PATH'; TERM=nonesuch optop --pid=$split" Enter
shows 'optop error: cannot use a terminal of type nonesuch'
end_term

# ---- ends ----

for signal in TERM:143 INT:130 HUP:129; do
	optop_on screen-256color 100 24 --pid=$split
	shows split_seventy
	kill -${signal%:*} "$(its_pid)"
	ended ${signal#*:}
done
optop_on screen-256color 100 24 --pid=$split
shows split_seventy
keys C-c
ended 130

# what ends it without asking gives the terminal back, too
optop_on screen-256color 100 24 --pid=$split
shows split_seventy
kill -SEGV "$(its_pid)"
until_true 3 is_there "$scratch/after" || fail "it does not end: $(picture)"
cmp -s "$scratch/before" "$scratch/after" || fail "the terminal is not as before a crash"
same "the status of a crash" "$(cat "$scratch/status")" 139
grep -q "$(printf '\033\\[?1049l')" "$scratch/raw" || fail "a crash leaves the other screen"
end_term
rm -rf "${XDG_RUNTIME_DIR:?}"/*

# what it profiles ends: the picture stays
optop_on screen-256color 100 24 --pid=$split
shows split_seventy
kill $split
shows ENDED
shows 'no more samples come'
shows split_seventy
keys q
ended 0
