#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# covers: no process with the rights of root reads a byte of another user's program, debug file or
# covers: JIT map: daemon and reports, as strace sees them
#
#	readers.sh BUILD

set -uo pipefail

build=$1
here=$(cd "$(dirname "$0")" && pwd)
[[ $(id -u) -eq 0 ]] || { echo "skip: not root"; exit 77; }
top=$(mktemp -d /tmp/hostile-readers-XXXXXX)
trap 'rm -rf "$top"' EXIT
chmod 755 "$top"
cd "$top" || exit 1
strace -o tried true 2>/dev/null || { echo "skip: no strace, or it may not trace"; exit 77; }

PATH=$build/daemon/operf:$build/daemon:$build/pp:$build/tests/commands:$PATH
export HOME=$top/home OPROFILE_SYMBOLS=$top/symbols LC_ALL=C
unset DEBUGINFOD_URLS
other="setpriv --reuid=65534 --regid=65534 --clear-groups"
calls=read,readv,pread64,preadv,preadv2,mmap,lseek,openat,open,dup,fcntl,recvmsg
calls+=,sendfile,copy_file_range,splice,setresuid,setuid
failures=0

wrong() { printf 'NOT OK %s\n' "$*"; failures=$((failures + 1)); }

# traced NAME FILES COMMAND... - root runs a command, which reads FILES (a pattern), but not as root
traced()
{
	local name=$1 files=$2
	shift 2

	rm -f trace
	strace -f -y -qq -o trace -e trace="$calls" "$@" >said 2>&1 || { wrong "$name ended with $?"; tail -n 3 said; }
	judge "$name" "$files"
}

judge()
{
	"$here/read_bytes.py" "$top/theirs/" trace >numbers ||
		wrong "$1: root read files of others"
	sed "s/^/$1: /" numbers
	awk -v files="$2" '$1 ~ files && $3 { n++ } END { exit !n }' numbers ||
		wrong "$1: nobody read $2"
}

# ---- files of the other user ----

mkdir -p theirs/jit home
cp "$build/tests/native/workloads/storm" theirs/program
objcopy --only-keep-debug theirs/program theirs/linked.debug
cp theirs/program theirs/linked
objcopy --remove-section=.note.gnu.build-id --strip-all theirs/linked
(cd theirs && objcopy --add-gnu-debuglink=linked.debug linked)
for i in $(seq 20000); do printf '%x 10 function_%d\n' $((0x7f0000000000 + 16 * i)) "$i"; done \
	>theirs/jit/perf-77.map
chown -R 65534:65534 theirs
chown 0:0 theirs/jit # or its files were refused
chmod -R a+rX theirs
chmod 755 theirs theirs/program theirs/linked

# hot FILE - the offset of its code
hot()
{
	readelf -lW "$1" | awk '$1 == "LOAD" && /R E/ { print $2; exit }'
}
make_session . <<END
image $top/theirs/program TIMER
$(hot theirs/program) 3
image $top/theirs/linked TIMER
$(hot theirs/linked) 4
image /usr/bin/node {anon:anon}/77.0x7f0000000000.0x7f0000100000 TIMER
0x100 1
END
[[ -d samples ]] || { echo "no session"; exit 1; }

# ---- reports ----

report="--session-dir=$top --jit-dir=$top/theirs/jit"
# shellcheck disable=SC2086 # words
{
	traced symbols program opreport $report -l
	grep -q function_ said || wrong "no name of JIT code"
	judge jit jit
	traced lines program opreport $report -l -g --inline
	traced linked linked.debug opreport $report -l -g
	traced code program opannotate $report --assembly
	traced dcpi program opreport $report --format=dcpicat
	traced callgrind program opexport --session-dir="$top" --to=callgrind -o out.callgrind
	traced pprof program opexport --session-dir="$top" --to=pprof -o out.prof
}

# ---- the daemon ----

# until CONDITION... - waits for it, 30 s at most
until_true()
{
	local end=$((SECONDS + 30))

	until "$@" 2>/dev/null; do
		[[ $SECONDS -lt $end ]] || return 1
		sleep 0.1
	done
}

rm -rf samples
strace -D -f -y -q -o trace -e trace="$calls" oprofiled --perf --foreground --freq=500 \
	--callgraph=dwarf --session-dir="$top" >said 2>&1 &
daemon=$!
until_true grep -q 'is ready' said || { cat said; wrong "the daemon does not start"; }
# one in a copy that is gone when its samples are counted
cp -p theirs/program theirs/gone
$other theirs/program threads 32 40 >/dev/null &
$other theirs/linked threads 32 40 >/dev/null &
$other theirs/gone threads 16 30 >/dev/null && rm -f theirs/gone
wait %2 %3
kill $daemon
wait $daemon || { tail said; wrong "the daemon failed"; }
until_true grep -q "^$daemon .*exited with" trace || wrong "no end of the trace"
judge daemon program
opreport --session-dir="$top" -l "image:$top/theirs/*" >said 2>&1
grep -q storm_ said || { tail -n 5 said; wrong "no sample of the program"; }

[[ $failures -eq 0 ]]
