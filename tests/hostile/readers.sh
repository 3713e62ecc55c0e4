#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# covers: no process with the rights of root reads a byte of another user's program, debug file,
# covers: JIT map, profile of any format or session: daemon, reports, imports, as strace sees them
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

PATH=$build/daemon/operf:$build/daemon:$build/pp:$build/utils/opdb:$build/tests/commands:$PATH
export HOME=$top/home OPROFILE_SYMBOLS=$top/symbols LC_ALL=C
unset DEBUGINFOD_URLS
# LeakSanitizer stops processes, as strace does: one of them can.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
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

# ---- imports ----

# What is imported is what root's own file has: the process that reads it tells all.
# import NAME FILES INPUT - root imports an input of the other user, and the same of its own
import()
{
	rm -rf mine imported own
	cp -r "$3" mine
	chown -R 0:0 mine
	traced "import $1" "$2" opimport --output=imported "$3"
	opimport --output=own mine >said 2>&1 || { wrong "import of root's own $1"; tail -n 3 said; }
	if [[ -d own ]]; then
		opreport --session-dir="$top/imported" -l >theirs.txt 2>said
		opreport --session-dir="$top/own" -l >own.txt 2>said
		diff <(grep '^[0-9]' theirs.txt) <(grep '^[0-9]' own.txt) >said || { wrong "$1 differs"; head -n 4 said; }
		grep -q '^[0-9]' own.txt || wrong "import $1: there is nothing in it"
	fi
	traced "info $1" "$2" opimport --info "$3"
}

mkdir theirs/profiles
for format in callgrind cpuprofile dcpi firefox folded html perf pprof speedscope; do
	opexport --session-dir="$top" --to=$format --output=theirs/profiles/$format >said 2>&1 ||
		{ wrong "export to $format"; tail -n 3 said; }
done
gzip -c theirs/profiles/folded >theirs/profiles/packed
gzip -c theirs/profiles/perf >theirs/profiles/perf.gz
cat >theirs/profiles/heap <<-END
	heap profile:      1:     1024 [     2:     2048] @ heapprofile
	     1:     1024 [     2:     2048] @ 0x401000 0x402000

	MAPPED_LIBRARIES:
	00400000-00500000 r-xp 00000000 08:01 123 $top/theirs/program
END
cat >theirs/profiles/perf-script <<-END
	work  100/100   [000]   1.000000:     250000 cpu-clock:
	            401000 work_one+0x10 ($top/theirs/program)
	            402000 main+0x20 ($top/theirs/program)

END
cat >theirs/profiles/v8.cpuprofile <<-END
	{"nodes":[{"id":1,"callFrame":{"functionName":"(root)","scriptId":"0","url":"","lineNumber":-1,"columnNumber":-1},"children":[2]},
	{"id":2,"callFrame":{"functionName":"work","scriptId":"1","url":"/a.js","lineNumber":1,"columnNumber":1}}],
	"startTime":0,"endTime":3000,"samples":[2,2,2],"timeDeltas":[0,1000,1000]}
END
rm -f theirs/profiles/html
chown -R 65534:65534 theirs/profiles
chmod -R a+rX theirs/profiles
for profile in theirs/profiles/*; do
	import "${profile##*/}" "profiles/${profile##*/}" "$profile"
done
# sample files, each by itself and as a tree
opexport --session-dir="$top" --to=oprofile --output=theirs/tree >said 2>&1 ||
	{ wrong "export to oprofile"; tail -n 3 said; }
chown -R 65534:65534 theirs/tree
chmod -R a+rX theirs/tree
sample=$(find theirs/tree -name 'TIMER*' | head -n 1)
rm -f converted
traced "import of a sample file" TIMER opimport --force --output=converted "$sample"
[[ -s converted ]] || wrong "no sample file was converted"
rm -rf mine
cp -r theirs/tree mine
chown -R 0:0 mine
opreport --session-dir="$top/mine" -l 2>said | grep '^[0-9]' >own.txt
# import_tree NAME FILES - root imports the tree theirs/NAME, and has what the tree has
import_tree()
{
	chown -R 65534:65534 "theirs/$1"
	chmod -R a+rX "theirs/$1"
	rm -rf converted
	traced "import of $1" "$2" opimport --force --output=converted "theirs/$1"
	opreport --session-dir="$top/converted" -l 2>said | grep '^[0-9]' >theirs.txt
	diff theirs.txt own.txt >said || { wrong "the import of $1 differs"; head -n 4 said; }
}
[[ -s own.txt ]] || wrong "nothing is in the tree"
mkdir -p theirs/tree/samples/current/stats
echo lost >theirs/tree/samples/current/stats/note
import_tree tree TIMER
judge tree stats/note
cp -r theirs/tree theirs/packed
chown -R 0:0 theirs/packed
opdb pack theirs/packed/samples/current >said 2>&1 || { wrong "opdb pack"; tail -n 3 said; }
import_tree packed current/pack
# as a daemon leaves it that is killed while it packs
cp -r theirs/tree theirs/idle
(cd theirs/idle/samples/current && mkdir idle.1 && mv "./${sample#*/current/}" idle.1/0 &&
	printf '%s\0' "${sample#*/current/}" >idle.1/names)
import_tree idle idle.1/0
# in a directory of root
cp -r theirs/packed theirs/held
import_tree held current/pack
chown 0:0 theirs/held theirs/held/samples theirs/held/samples/current
rm -rf converted
traced "import of a file in root's session" current/pack opimport --force --output=converted theirs/held

# ---- the daemon ----

# until CONDITION... - waits for it, 300 s at most
until_true()
{
	local end=$((SECONDS + 300))

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
