#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What "make demo" runs in the guest: profiles real programs and prints the reports.

# shellcheck source=case.sh
. /vm/case.sh

heading() { printf '\n--- %s\n\n' "$*"; }

# Real work: compression, hashing, two interpreters, and files for the kernel to move.
work()
{
	tar -cf /tmp/usr.tar /usr/lib/python3.11 /usr/lib/x86_64-linux-gnu/perl-base
	xz -1 -T 1 -k -c /tmp/usr.tar | head -c 20000000 >/tmp/usr.tar.xz &
	openssl dgst -sha256 /tmp/usr.tar /usr/bin/python3.11 /tmp/usr.tar >/dev/null
	gzip -6 </tmp/usr.tar >/tmp/usr.tar.gz
	python3 -c 'import re, zlib
archive = open("/tmp/usr.tar", "rb").read()
for turn in range(8):
	zlib.crc32(archive)
text = open("/usr/lib/python3.11/argparse.py").read()
words = {}
for turn in range(12):
	for word in re.findall(r"[a-z_]+", text):
		words[word] = words.get(word, 0) + 1
print(len(words), "words")'
	# shellcheck disable=SC2016
	perl -e 'my %seen; $seen{$_ * 7919 % 10007} .= "x" for 1 .. 300000; print scalar(keys %seen), " keys\n"'
	find / -xdev -type f -exec cat {} + >/dev/null
	dd if=/dev/zero of=/tmp/zeros bs=4k count=20000 2>/dev/null
	wait
}

set -e
heading "opcontrol --init --backend nmi_timer; opcontrol --start --separate=lib"
opcontrol --init --backend nmi_timer
opcontrol --start --separate=lib --frequency 1000
echo "cpu_type: $(cat /dev/oprofile/cpu_type)"
heading "work: tar, xz, openssl, gzip, python3, perl, find, cat, dd"
work
# The reports are of one profile: what the daemon itself does between them is not in it.
heading "opcontrol --stop; opcontrol --dump"
opcontrol --stop
opcontrol --dump
heading "opreport"
opreport
heading "opreport -l (first 40 lines)"
opreport -l >/tmp/symbols
head -n 40 /tmp/symbols
heading "opcontrol --status (settings and losses)"
opcontrol --status
opcontrol --shutdown
opcontrol --deinit
