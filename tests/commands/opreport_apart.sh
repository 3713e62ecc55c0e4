#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Root's reports of files that others own: what reads them is a process apart, which may die

[ "$(id -u)" = 0 ] || skip "only root has files of others read apart"

# A program of another user, with debug information
sample()
{
	images
	chown 65534:65534 prog
	session <<-EOF
		image prog TIMER
		0x1010 3
		0x1020 2
	EOF
}

requirement what_is_read_apart_is_what_root_reads_itself
sample
for options in "-l" "-l -g" "-l --inline -g" "-d -g"; do
	# shellcheck disable=SC2086 # words
	opreport --session-dir="$DIR" $options >apart 2>&1
	chown 0:0 prog
	# shellcheck disable=SC2086
	opreport --session-dir="$DIR" $options >here 2>&1
	chown 65534:65534 prog
	diff here apart
done
of_session opreport -l -g -n

# misbehaving HOW COMMAND... - libbfd and libdw die of each file, in whatever process
misbehaving()
{
	export "OP_MISBEHAVE=$1"
	echo "$1:"
	shift
	LD_PRELOAD=$BUILD/tests/commands/misbehave.so "$@" --session-dir="$DIR" 2>"$WORK/stderr" ||
		echo "exit $?"
	sed -e 's/^/! /' "$WORK/stderr"
}

# Were it read in the process of root, this would end.
requirement a_file_that_kills_its_reader_costs_its_own_names_only
sample
misbehaving crash opreport -l -n
misbehaving crash opreport -l -g -n
# How long it takes to use up the memory decides whether the owner may have another file read.
misbehaving grow opreport -l -g -n | sed -E \
	's/(lines may be missing): (reading it failed: .*|too many other files of its owner .*)/\1/'
chown 0:0 prog
misbehaving crash opreport -l -n >out 2>&1
check grep -E '^exit 134$' out

requirement many_such_files_are_counted
images
for i in 1 2 3 4 5 6 7 8 9; do
	cp prog "prog$i"
	chown 65534:65534 "prog$i"
	printf 'image prog%s TIMER\n0x1010 %s\n' "$i" "$i"
done | session
misbehaving crash opreport -l -n

requirement instructions_that_kill_their_reader_are_missing
sample
misbehaving code opannotate --assembly
chown 0:0 prog
misbehaving code opannotate --assembly >out 2>&1
check grep -E '^exit 134$' out

requirement headers_that_kill_their_reader_cost_addresses_only
sample
misbehaving elf opreport --format=dcpicat | grep -vE '^(image|epoch) '
misbehaving elf oparchive -o "$DIR/archive"
find archive -type f -path "*$DIR/prog" ! -path "*/samples/*"
chown 0:0 prog
misbehaving elf opreport --format=dcpicat >out 2>&1
check grep -E '^exit 134$' out

# So many programs that their samples are packed as they are written.
requirement profiles_of_others_are_read_when_they_are_packed
seq 300 | sed 's/.*/program&;main 1/' >others
chown 65534:65534 others
opreport -n others 2>&1 | grep -c '100.000 *program\|0.3333 *program'
check opimport --output=imported others
opreport --session-dir=imported -n 2>&1 | grep -c '0.3333 *program'
