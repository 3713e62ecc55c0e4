#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# covers: every command by which root writes a file, a directory or a session, told to write where
# covers: another user has links, FIFOs, and directories that are exchanged meanwhile: it ends soon,
# covers: and nothing of root's is changed, nor made, outside; the daemon's metrics, whose file is
# covers: written again and again, by links, hard links and FIFOs as well
#
#	writers.sh BUILD

set -uo pipefail

build=$1
source=$(cd "$(dirname "$0")/../unit/pp" && pwd)/prog.s
[[ $(id -u) -eq 0 ]] || { echo "skip: not root"; exit 77; }
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
chmod 755 "$top"
cd "$top" || exit 1

PATH=$build/daemon/operf:$build/daemon:$build/pp:$build/tests/commands:$PATH
PATH=$build/utils/ocount:$build/utils/opdb:$build/utils/opcontrol:$build/utils/oppush:$PATH
export HOME=$top/home OPROFILE_SYMBOLS=$top/symbols LC_ALL=C
mkdir home
limit=60	# seconds: far more than any of these takes, beside any load
failures=0 runs=0

wrong() { printf 'NOT OK %s\n' "$*"; failures=$((failures + 1)); }

# ---- what is root's ----

mkdir -m 700 root
mkdir root/open root/session
chmod 755 root/open
echo 'the secret of root' >root/secret
listing() { find root -printf '%p %y %m %U:%G %s %T@ %n\n' | sort; }

cp "$source" prog.s
gcc -g -nostdlib -static -Wl,-Ttext=0x401000 -o prog prog.s || exit 1
# so many and large that the other user has time while they are written
for i in $(seq 40); do
	cp prog "prog$i"
	head -c 1M /dev/zero >>"prog$i"
	printf 'image %s TIMER\n0x1004 1, 0x1010 600, 0x102f 200, 0x1030 90\n' "$top/prog$i"
done | make_session "$top/base"
[[ -n $(opreport --session-dir=base -l -n 2>/dev/null) ]] || { echo "no session"; exit 1; }
opexport --session-dir=base --to=pprof -o profile 2>/dev/null

# ---- what each of them writes to OUT ----

writes=(
	'opreport --session-dir=base -o OUT'
	'opreport --session-dir=base -l --xml -o OUT'
	'opreport --session-dir=base --html=OUT'
	'opgprof --session-dir=base -o OUT prog1'
	'opexport --session-dir=base --to=folded -o OUT'
	'opexport --session-dir=base --to=perf -o OUT'
	'opexport --session-dir=base --to=oprofile -o OUT'
	'opexport --session-dir=base --to=dcpi -o OUT'
	'oparchive --session-dir=base -o OUT'
	'oparchive --session-dir=base --output=OUT.tar'
	'opannotate --session-dir=base -s --output-dir=OUT'
	'opimport -o OUT profile'
	'ocount -e cpu-clock -f OUT true'
	'operf --session-dir=OUT true'
	'opcontrol --session-dir=OUT --reset'
	'opcontrol --session-dir=OUT --save=kept'
	'oprofiled --perf --foreground --session-dir=OUT/deep'
)

# lay TRAP - in theirs/, "out" and "out.tar" are what another user had there before
lay()
{
	rm -rf theirs
	mkdir theirs
	case $1 in
	file) ln -s "$top/root/secret" theirs/out; ln -s "$top/root/secret" theirs/out.tar ;;
	new) ln -s "$top/root/new" theirs/out; ln -s "$top/root/new" theirs/out.tar ;;
	private) ln -s "$top/root/session" theirs/out ;;
	open) ln -s "$top/root/open" theirs/out ;;
	fifo) mkfifo theirs/out theirs/out.tar ;;
	esac
	[[ $1 != above ]] || ln -s "$top/root/open" theirs/above
	chown -hR 65534:65534 theirs
}

# try WORDS OUT
try()
{
	local words status=0
	read -ra words <<<"${1//OUT/$2}"

	runs=$((runs + 1))
	timeout --kill-after=1 $limit "${words[@]}" </dev/null >said 2>&1 || status=$?
	case $status in
	[0-3]) ;;
	124 | 137) wrong "does not end: ${words[*]}" ;;
	*) wrong "ended with $status: ${words[*]}: $(tail -n 1 said)" ;;
	esac
}

chmod 711 root # a link may lead into it, and a user may find what is in there by name
listing >before
for trap in file new private open fifo above; do
	for write in "${writes[@]}"; do
		# a daemon that is let in does not end
		[[ $write != oprofiled* || $trap == above || $trap == private ]] || continue
		lay $trap
		out=theirs/out
		[[ $trap != above ]] || out=theirs/above/out
		try "$write" "$out"
		listing >after
		cmp -s before after || {
			wrong "$trap: changed what is root's: $write"
			diff before after | head -n 5
			rm -rf root/new root/open/* root/session/*
			listing >before
		}
	done
done

# ---- directories that are exchanged while they are written ----

# As another user: whatever appears in there gets another name, and a link to root's takes its own.
cat >exchange.py <<-'PYTHON'
	import os, sys, time
	where, target = sys.argv[1:]
	end = time.monotonic() + 60
	open(where + ".ready", "w").close()
	while time.monotonic() < end and not os.path.exists(where + ".done"):
	    for base, names, files in os.walk(where):
	        for name in names + files:
	            path = os.path.join(base, name)
	            try:
	                if not os.path.islink(path) and not path.endswith(".moved"):
	                    os.rename(path, path + ".moved")
	                    os.symlink(target, path)
	            except OSError:
	                pass
PYTHON
chmod 644 exchange.py
exchanged=0
for round in 1 2 3 4 5 6; do
	for write in 'oparchive --session-dir=base -o OUT' \
		'opannotate --session-dir=base -s --output-dir=OUT'; do
		rm -rf theirs
		mkdir -p theirs/out
		chown -R 65534:65534 theirs
		until=$((SECONDS + limit))
		setpriv --reuid=65534 --regid=65534 --clear-groups \
			/usr/bin/python3 exchange.py theirs/out "$top/root/open" &
		exchanger=$!
		until [[ -e theirs/out.ready || $SECONDS -ge $until ]]; do sleep 0.01; done
		try "$write" theirs/out
		touch theirs/out.done
		wait $exchanger
		[[ -z $(find theirs -name '*.moved' -type d) ]] || exchanged=$((exchanged + 1))
		listing >after
		cmp -s before after || {
			wrong "round $round: written outside: $write"
			diff before after | head -n 5
			rm -rf root/open/*
			listing >before
		}
	done
done

# ---- metrics of the daemon ----

printf '%s\n' 'facts pointer_size 8\ncpu_type timer\ncpu_mhz 2000.000\n' \
	'image 0x10 0 1000 /usr/bin/true' \
	'words cpu 0 context 501 500 0x10 user cookie 0x10 0x100 0' | make_recording >recording
mkdir -m 711 root/folder # whose names can be used, and nothing else
echo shadow >root/folder/shadow
chmod 600 root/folder/shadow
echo shadow >root/linked
listing >before

# lay_metrics KIND - in theirs/, "oprofile.prom", or where it is to be written
lay_metrics()
{
	rm -rf theirs
	mkdir theirs
	case $1 in
	link) ln -s "$top/root/folder/shadow" theirs/oprofile.prom ;;
	dangling) ln -s "$top/root/folder/new" theirs/oprofile.prom ;;
	above) ln -s "$top/root/folder" theirs/above ;;
	hard) ln root/linked theirs/oprofile.prom ;;
	fifo) mkfifo theirs/oprofile.prom ;;
	folder) mkdir theirs/oprofile.prom ;;
	esac
	chown -h 65534:65534 theirs
	[[ $1 == hard ]] || chown -hR 65534:65534 theirs
}

# replay_to KIND FILE STATUS - the daemon's metrics to FILE: the errors that it says
replay_to()
{
	local status=0

	runs=$((runs + 1))
	timeout --kill-after=1 $limit oprofiled --replay=recording --no-vmlinux \
		--session-dir=metrics_session --metrics="$2" </dev/null >said 2>&1 || status=$?
	[[ $status -eq 0 ]] || wrong "$1: ended with $status: $(tail -n 1 said)"
	grep -v '^2.* oprofiled .* is ready' said | grep -o 'cannot write .*' | sort -u >errors
	[[ $(wc -l <errors) -eq $3 ]] || wrong "$1: $3 errors expected: $(cat errors)"
	[[ $3 -eq 0 ]] || grep -qF "$2" errors || wrong "$1: the file is not named: $(cat errors)"
	listing >after
	# a hard link fewer is no change of what is root's
	sed -i '/linked/s/ [0-9]*$//' before after
	cat root/folder/shadow root/linked >>after
	{ cat before; printf 'shadow\nshadow\n'; } | cmp -s - after || {
		wrong "$1: metrics changed what is root's"
		diff before after | head -n 5
	}
}

# where it cannot be written, that is said, and samples are counted all the same
for kind in above folder; do
	lay_metrics $kind
	file=theirs/oprofile.prom
	[[ $kind != above ]] || file=theirs/above/oprofile.prom
	replay_to $kind "$PWD/$file" 1
	replay_to "$kind, relative" $file 1
done
# what is in the place of the file is replaced, as its owner may do
for kind in link dangling hard fifo; do
	lay_metrics $kind
	replay_to $kind theirs/oprofile.prom 0
	[[ $(stat -c %F:%u theirs/oprofile.prom) == 'regular file:65534' ]] ||
		wrong "$kind: no metrics of user 65534 in its place"
done

# the name becomes a link, and a file again, at any time
lay_metrics file
cat >flicker.py <<-'PYTHON'
	import os, sys, time
	name, target = sys.argv[1:]
	end = time.monotonic() + 60
	while time.monotonic() < end and not os.path.exists(name + ".done"):
	    for make in (lambda: os.symlink(target, name + ".next"),
	                 lambda: open(name + ".next", "w").close()):
	        make()
	        os.rename(name + ".next", name)
PYTHON
setpriv --reuid=65534 --regid=65534 --clear-groups \
	/usr/bin/python3 flicker.py theirs/oprofile.prom "$top/root/folder/shadow" &
exchanger=$!
until=$((SECONDS + limit))
until [[ -L theirs/oprofile.prom || $SECONDS -ge $until ]]; do sleep 0.01; done
for round in 1 2 3 4 5 6 7 8; do
	timeout --kill-after=1 $limit oprofiled --replay=recording --no-vmlinux \
		--session-dir=metrics_session --metrics=theirs/oprofile.prom >/dev/null 2>&1 ||
		wrong "metrics in round $round: ended with $?"
done
touch theirs/oprofile.prom.done
wait $exchanger
listing | sed '/linked/s/ [0-9]*$//' >after
cmp -s before after || wrong "metrics, exchanged: changed what is root's"

# recordings of others are not parsed by root, nor are their FIFOs waited for
for kind in file fifo; do
	rm -f theirs/recording
	if [[ $kind == file ]]; then cp recording theirs/recording; else mkfifo theirs/recording; fi
	chown 65534 theirs/recording
	try 'oprofiled --replay=OUT --no-vmlinux --session-dir=metrics_session' theirs/recording
	grep -q ': a recording of user 65534' said || wrong "replay of a $kind: $(cat said)"
done

# ---- what the environment names, as under "sudo -E" ----

rm -rf theirs
mkdir -p theirs/home root/cache/tables
chown -R 65534:65534 theirs
ln -s "$top/root/cache" theirs/home/oprofile
ln -s "$top/root/open" theirs/tmp
chown -h 65534:65534 theirs/home/oprofile theirs/tmp
listing >before
for read in 'opreport profile' 'opannotate --session-dir=base -s'; do
	XDG_CACHE_HOME=$PWD/theirs/home TMPDIR=$PWD/theirs/tmp try "$read" ''
	listing >after
	cmp -s before after || {
		wrong "$read, of what root makes for itself: changed by another user's links"
		diff before after | head -n 5
		listing >before
	}
done
try 'oppush --once --to=http://127.0.0.1:9/ --session-dir=base --spool=OUT' theirs/home/spool
[[ ! -e theirs/home/spool ]] || wrong "a spool is made where another user can exchange it"
grep -q 'another user can exchange' said || wrong "a spool: $(cat said)"
try 'opdb repair OUT' theirs/tmp/file
grep -q 'of user 65534' said || wrong "opdb repair by a link: $(cat said)"

echo "$runs runs, $exchanged with directories exchanged, $failures failures"
[[ $failures -eq 0 ]]
