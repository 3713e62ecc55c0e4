#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Report tools: damage in any file of a session costs no other file's samples, and no crash.
# fuzz_libdb_open, fuzz_libop_pack and fuzz_libop_sample_name change bytes and names anywhere.

small_session()
{
	images
	cp prog other
	session <<-EOF
		image prog EV.100000.1.10.11.all
		0x1010 60, 0x1030 7
		image prog lib.so EV.100000.1.10.11.all
		0x1004 33
		image prog {kern}/kallsyms EV.100000.1.10.11.all
		0x14 5
		image prog {anon:heap}/10.0x1000.0x2000 EV.100000.1.10.11.all
		0x10 2
		arcs prog lib.so EV.100000.1.10.11.all
		0x1010>0x1004 20
		image other EV.100000.1.10.11.all
		0x1010 1234567
		stat total_samples 100
		stat lost_no_mapping 3
		stat cpu0/sample_received 99
		stat events/EV.100000.1/enabled_ns 2000
		stat events/EV.100000.1/running_ns 2000
	EOF
	write samples/current/kallsyms <<-EOF
		ffffffff81000000 T _stext
		ffffffff81000010 T first
		ffffffffc0000000 t init [demo]
	EOF
	echo 'demo ffffffffc0000000 4000 -' >samples/current/modules
	echo 'a line' >samples/oprofiled.log
}

# Status 1 says that nothing could be read; others are those of crashes.
ends()
{
	status=0
	"$@" >out 2>err || status=$?
	check test "$status" -le 1
}

# The other program is shown in full.
others_stay()
{
	ends opreport --session-dir="$DIR" -X -c
	opreport --session-dir="$DIR" -l -n --unscaled 'image:*other' >out 2>err || echo "exit $?"
	check grep -q '^1234567  *100.000  hot$' out
}

# all_tools - with the damage that is there
all_tools()
{
	ends opreport --session-dir="$DIR" -d --json
	ends opannotate --session-dir="$DIR" -a
	ends oparchive --session-dir="$DIR" -l
	ends opgprof --session-dir="$DIR" -o gmon
}

# damage FILE COMMAND - changes bytes, cuts it, empties it and fills it with junk
damage()
{
	cp "$1" "$WORK/good"
	size=$(wc -c <"$1")
	for at in $(seq 0 $((size / 24 + 1)) $((size - 1))); do
		printf '\252' | dd of="$1" bs=1 seek="$at" conv=notrunc status=none
		$2
		cp "$WORK/good" "$1"
	done
	for length in 0 1 $((size / 3)) $((size - 1)); do
		truncate -s "$length" "$1"
		$2
		all_tools
		cp "$WORK/good" "$1"
	done
	yes damage | head -c "$size" >"$1"
	$2
	all_tools
	cp "$WORK/good" "$1"
}

requirement damaged_files_leave_the_others
small_session
find samples -type f ! -path '*/other/*' >"$WORK/files"
while read -r file; do
	damage "$file" others_stay
done <"$WORK/files"
others_stay

requirement damaged_pack_ends_no_tool
small_session
make_session --pack "$DIR"
find samples -type f -size +200c >"$WORK/files"
while read -r file; do
	damage "$file" all_tools
done <"$WORK/files"
others_stay
