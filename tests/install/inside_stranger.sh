#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run by packages.sh in a root file system of its own, before anything of ours is there: the path of
# somebody who has a slow program and has never seen this profiler.  Commands that they type are
# those behind "step"; the page that they look at is /page.html.

set -euo pipefail

export DEBIAN_FRONTEND=noninteractive LC_ALL=C HOME=/root
cd /root

fail() { echo "NOT OK: $*"; exit 1; }
step() { "$@" >/log 2>&1 || { cat /log; fail "$*"; }; }

# Half of the time of each round is in the loop of a template that is inlined: its line is "HOT".
cat >slow.cc <<'CPP'
#include <cstdint>
#include <cstdio>

template <typename T>
static inline T mixed(T value)
{
	for (int i = 0; i < 64; i++)
		value = value / 3 + value * 7; // HOT
	return value;
}

int main()
{
	std::uint64_t sum = 1;

	for (int i = 0; i < 6000000; i++)
		sum = mixed<std::uint64_t>(sum + i);
	std::printf("%llu\n", (unsigned long long)sum);
}
CPP

step apt-get -qq -y --no-install-recommends install /debs/oprofile_*.deb
step g++-12 -O2 -g -fno-unroll-loops slow.cc -o slow
step operf --html=/page.html ./slow
[[ -s /page.html ]] || fail "operf has made no page"
# what operf ends with on a terminal, of which there is none here
hot=slow.cc:$(grep -n '// HOT' slow.cc | cut -d: -f1)
opreport --hottest >/log 2>&1 || fail "opreport: $(cat /log)"
cat /log
grep -qE "^ +[0-9.]+ .* $hot\$" /log || fail "the hot line, $hot, is not named"
opreport --symbols >/log 2>&1 || fail "opreport: $(cat /log)"
cat /log

# Programs of the distribution have no frame pointers; their chains are whole all the same.
# shellcheck disable=SC2016 # perl's variables
step operf --session-dir=/stock perl -e 'my %h; $h{$_ % 999} .= $_ for 1 .. 9000000'
! grep 'end early' /log || fail "call chains of perl end early"
opexport --session-dir=/stock --to=folded --output=/folded
read -r whole all < <(awk '/^perl;/ { all += $NF } /^perl;(_start|__libc_start)/ { whole += $NF }
	END { print whole + 0, all + 0 }' /folded)
[[ $all -ge 100 && $((100 * whole)) -ge $((98 * all)) ]] ||
	fail "$whole of $all call chains of perl reach the start"

# What comes next begins without it.
apt-get -qq -y purge oprofile >/log 2>&1 || { cat /log; fail "purging"; }
