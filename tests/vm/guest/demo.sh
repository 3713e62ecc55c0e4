#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What "make demo" runs in the guest: profiles real programs and prints the reports.  Their stdout
# is a terminal, so that they look as a user sees them.

# shellcheck source=case.sh
. /vm/case.sh

exec 4>&1 >/dev/ttyS2 2>/tmp/errors
stty -F /dev/ttyS2 cols 96 rows 50
export TERM=dumb PAGER=
set -eE
trap 'cat /tmp/errors >&4; echo "failed: $BASH_COMMAND" >&4' ERR

# run COMMAND - show it as it is typed, and run it
run()
{
	printf '\n$ %s\n' "$1"
	eval "$1"
}

# Real work: files for the kernel to move, and interpreters, whose functions have names in Debian's
# binaries; those of gzip have none.
work()
{
	tar -cf /tmp/usr.tar -C / usr/lib/python3.11 usr/lib/x86_64-linux-gnu/perl-base
	gzip -1 </tmp/usr.tar >/tmp/usr.tar.gz &
	python3 -c '
inside = 0
for y in range(-15, 16):
	for x in range(-30, 16):
		c = complex(x / 15, y / 12)
		z = c
		n = 0
		while n < 200 and z.real * z.real + z.imag * z.imag < 4:
			z = z * z + c
			n += 1
		inside += n == 200'
	perl -e 'my %seen; $seen{$_ * 7919 % 10007} .= "x" for 1 .. 900000'
	find / -xdev -type f -exec cat {} + >/dev/null
	dd if=/dev/zero of=/tmp/zeros bs=4k count=20000
	wait
}

run 'opcontrol --start'
printf '\n%s\n' '$ ...    # tar, gzip, python3, perl, find, cat and dd work'
work
# The reports are of one profile: what the daemon does between them is not in it.
run 'opcontrol --stop && opcontrol --dump'
run 'opreport'
run 'opreport --symbols --no-header --max-lines=20    # a path: code without symbols'

printf '\n%s\n' '$ ...    # with "opcontrol --start --callgraph=16": files are copied'
opcontrol --shutdown >/dev/null
opcontrol --reset >/dev/null
opcontrol --start --callgraph=16 >/dev/null
cat /tmp/usr.tar /tmp/usr.tar >/tmp/copy
find / -xdev -type f -exec cat {} + >/dev/null
opcontrol --stop >/dev/null
run 'opcontrol --dump'
run 'opreport --inverted --no-header --max-lines=10    # who calls where the time goes'
opcontrol --shutdown >/dev/null
opcontrol --deinit >/dev/null
