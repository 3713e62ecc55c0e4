#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: a recording of all processors: programs that ran before it, and their forks, have the
# covers: samples of their own processes, as perf counts them; callers of execve are known; names
# covers: are the same by way of a session and without one

sampling=yes
# shellcheck source=../case.sh
. "$TESTS/native/case.sh"

# What ran before: two programs, one of them started by a third that works, too.
for name in first second; do
	cp "$own/no_frames" $name
done
cat >both.sh <<'SCRIPT'
./second "$1" >/dev/null &
echo $! >second.pid
./first "$1" >/dev/null &
echo $! >first.pid
while [ ! -e stop ]; do :; done
SCRIPT
cp /bin/sh shell
./shell both.sh 60 &
shell=$!
is_begun() { [ -s first.pid ]; }
until_true 10 is_begun
first=$(cat first.pid) second=$(cat second.pid)
trap 'kill $first $second $shell 2>/dev/null; rm -rf "$scratch"' EXIT

# many programs, one after another
cat >executes.sh <<'SCRIPT'
for _ in $(seq "$1"); do /bin/true; done
SCRIPT
perf record -q -a -g -N -B -e cpu-clock -F "$(rate 1999)" -o "$scratch/data" sh executes.sh \
	"$(as_often 300 1999)" >"$scratch/said" 2>&1 || {
	cat "$scratch/said"
	skip "perf record -a does not work here"
}
touch stop
kill "$first" "$second"
need opimport -o "$session" "$scratch/data"
perf script -i "$scratch/data" -F pid 2>/dev/null | sort | uniq -c >"$scratch/pids"
[ -s "$scratch/pids" ] || skip "perf script fails on what perf record made"

# credited PROGRAM PID - the program has as many samples as perf says that its process had
credited()
{
	theirs=$(awk -v pid="$2" '$2 == pid { print $1 }' "$scratch/pids")
	list
	ours=$(matching "*/$1/{dep}/*" | awk '{ n += $1 } END { print n + 0 }')
	enough "perf's samples of $1" "${theirs:-0}" 50
	same "samples of $1" "$ours" "$theirs"
}

credited first "$first"
credited second "$second"
credited shell $shell

need opexport --session-dir="$session" --to=folded --value=samples -o "$scratch/folded" 2>"$scratch/said"
awk -F';' '
	/;__x64_sys_execve;/ {
		n = $NF
		sub(".* ", "", n)
		for (i = 2; $i !~ /^(do_syscall|entry_SYSCALL|x64_sys_call|__x64_sys_execve)/; i++)
			;
		if (i == 2 || $(i - 1) ~ /^\[unknown\]/) unknown += n
		else known += n
	}
	END { print known + 0, unknown + 0 }' "$scratch/folded" >"$scratch/execve"
read -r known unknown <"$scratch/execve"
enough "callers of execve that are known" "$known" 20
same "callers of execve that are not" "$unknown" 0

# leaves OPTION - samples by the name of the leaf, of the kernel, too
leaves()
{
	opexport "$1" --to=folded --value=samples 2>/dev/null | sed 's/.*;//' |
		awk '{ n = $NF; $NF = ""; sum[$0] += n } END { for (name in sum) print sum[name], name }' |
		sort
}

leaves --from="$scratch/data" >"$scratch/converted"
leaves --session-dir="$session" >"$scratch/imported"
need cmp "$scratch/converted" "$scratch/imported"
same "names of leaves are known" "$(awk 'END { print (NR > 20) }' "$scratch/imported")" 1
