#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: chains of stock programs, which have no frame pointers, reach the code without a caller in
# covers: at least 99 % of the samples, but for those of xz in which the stack cannot be read: 5 %
# limit: 120
# check: 6.1 6.12 7.2 6.1-kasan 6.1-rt

# shellcheck source=../guest/case.sh
. /vm/case.sh

ends="root depth no_table no_rule unreadable bad_frame"

# count_ends PREFIX - how many chains have ended in each way so far, into variables; without a
# process
count_ends()
{
	for _end in $ends; do
		_sum=0
		for _file in /dev/oprofile/stats/cpu*/chain_"$_end"; do
			read -r _n <"$_file" || [ -n "$_n" ]
			_sum=$((_sum + _n))
		done
		eval "$1_$_end=$_sum"
	done
}

# difference - how chains have ended between the two counts, into more_END, and how many, into $all
difference()
{
	all=0
	for end in $ends; do
		eval "more_$end=\$((after_$end - before_$end)) all=\$((all + after_$end - before_$end))"
	done
}

# walk NAME WORK - how the chains of a program end
walk()
{
	count_ends before
	need "run_$1" "$2" >/dev/null
	count_ends after
	difference
}

# walk_on NAME WORK - the same, but for the first samples, which are taken in exec and the dynamic
# linker: there is no map of its address space yet
walk_on()
{
	count_ends before
	# shellcheck disable=SC2154 # of eval
	begin=$before_root
	"run_$1" "$2" >/dev/null &
	program=$!
	until_true 30 is_walked
	wait $program || fail "$1 ended with $?"
	count_ends after
	difference
}
is_walked()
{
	count_ends before
	[ $((before_root - begin)) -ge 20 ] || ! kill -0 $program 2>/dev/null
}

# has_tables NAME LITTLE - does a little work show that the daemon has given the tables?
has_tables()
{
	walk "$1" "$2"
	opcontrol --dump
	# shellcheck disable=SC2154 # of eval
	[ "$more_root" -gt $((all * 8 / 10)) ]
}

# reach_root NAME LITTLE MUCH [UNREADABLE] - do chains of a program reach the root, once there are
# tables?  Of 1,000, so many may meet what cannot be read; $least of 1,000 others have to.
reach_root()
{
	turns=10
	until has_tables "$1" "$2"; do
		turns=$((turns - 1))
		[ $turns -gt 0 ] || fail "$1: $more_root of $all chains reach the root: no tables"
	done
	walk_on "$1" "$3"
	for end in $ends; do
		eval "echo \"$1: $end \$more_$end\""
	done
	sanitised && [ $all -lt 300 ] && return
	enough "$1: chains" "$all"
	# shellcheck disable=SC2154 # of eval
	if [ $((more_unreadable * 1000 / all)) -gt "${4:-10}" ] ||
		[ $((more_root * 1000 / (all - more_unreadable))) -lt $least ]; then
		bad="$bad $1"
	fi
}

# run_NAME WORK
run_mawk() { mawk "BEGIN { for (i = 0; i < $1; i++) n += length(i \"x\") }"; }
run_dash() { dash -c "i=0; while [ \$i -lt $1 ]; do i=\$((i + 1)); done"; }
run_perl() { perl -e "for (1 .. $1) { \$n += length(\"x\$_\"); \$h{\$_ % 100} = \$n }"; }
run_python3()
{
	python3 -S -c "
def f(n): return sum(i * i for i in range(n))
for i in range($1): f(1000)"
}
run_openssl() { openssl speed -seconds "$1" -bytes 1024 sha256; }
run_xz() { xz -6 -k -c "/tmp/some.$1"; }

bad='' least=990
! sanitised || least=950 # exec takes longer there
need opcontrol --init --backend nmi_timer
profile_begin --callgraph=127
reach_root mawk 100000 1200000
reach_root dash 10000 80000
reach_root perl 100000 1000000
reach_root python3 400 4000
reach_root openssl 1 3
for size in 50000 1000000; do
	head -c $size /usr/bin/perl >/tmp/some.$size
done
# Of its samples one to three of 100 are in the kernel's entry for page faults, where the registers
# of the program are not saved yet; if it is three, more than five are so by chance once in a million
# runs of 2,000 chains.
reach_root xz 50000 1000000 50
[ -z "$bad" ] || fail "too few chains reach the root:$bad"
grep . /dev/oprofile/stats/unwind_*
same "tables refused" "$(cat /dev/oprofile/stats/unwind_refused)" 0
profile_end
