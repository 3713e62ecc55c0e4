#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# opdb: check, repair, dump, pack and unpack of files and sessions
. "$COMMANDS/daemon.sh"

# sample PATH [BYTE VALUE] - a sample file of three nodes, whose byte has another value
sample()
{
	make_session made <<-'EOF'
		cpu_type 4
		ctr_event 0x3c
		ctr_um 1
		ctr_count 100000
		is_kernel 1
		cpu_speed 2200
		mtime 1600000000
		cg_to_is_kernel 1
		anon_start 0x7fbb26d42000
		cg_to_anon_start 0x1000
		file file
		0x1234 7, 0x24 0x100000001
	EOF
	mkdir -p "$(dirname "$1")"
	mv made/samples/current/file "$1"
	[ $# = 1 ] || damage "$@"
}

# damage PATH BYTE VALUE
damage()
{
	printf %b "\\0$(printf %o "$3")" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

requirement wrong_usage_is_refused
each try opdb <<-'EOF'

	mend x
	pack
	pack --json x
	check
	check --json x
	--jason
	check none
	pack nowhere
EOF
opdb --version | sed 's/oprofile .*/oprofile VERSION/'

requirement problems_are_reported_and_repaired
sample good
sample bad 72 100
sample worse 132 9
try opdb check good
try opdb check bad good
try opdb check worse
try opdb repair bad good
try opdb check bad
try opdb repair bad
echo 'hello, world' >text
try opdb repair text

requirement all_of_a_sample_file_is_shown
sample good
try opdb dump good
mv good "$(printf 'a"b\n\377')"
try opdb dump --json --merged a*b*
sample bad 72 100
try opdb dump bad

requirement stack_files_are_checked_and_shown
count start trace kernel 0xffffffffc0100020 0 0xffffffffc0100010 0 user cookie 0x10 0x30 0 >/dev/null
find session/samples/current/stacks -type f -exec mv {} stacks ';'
try opdb check stacks
try opdb dump stacks
try opdb dump --json stacks
head -c "$(($(wc -c <stacks) - 1))" stacks >short
try opdb check short
try opdb dump short
try opdb repair short
try opdb check short

requirement directories_are_walked
a='s/{root}/bin/a/{dep}'
sample "$a/{root}/bin/a/TIMER.0.0.all.all.all"
sample "$a/{root}/bin/a/TIMER.0.0.12.13.1" 72 100
# all of these are something else
mkdir -p s/stats/cpu0 e
for file in stats/cpu0/sample_received kallsyms modules '{root}/bin/a/{dep}/12.jo' \
	'{root}/bin/a/b.0.0.all.all' '{root}/bin/a/b.0.0.all.all.x' '{root}/bin/a/b.0.x.all.all.all'; do
	echo x >"s/$file"
done
printf DAE >'s/{root}/.odb-0011223344556677'
try opdb check s
try opdb repair s
try opdb check s
try opdb check e

requirement sessions_are_packed_and_unpacked
sample "$a/{root}/bin/a/TIMER.0.0.all.all.all"
sample "$a/{root}/bin/a/TIMER.0.0.12.13.1"
mkdir e
each try opdb <<-'EOF'
	unpack s
	pack e
	pack s
	pack s
	check s
	repair s
	dump --json s
	unpack s
	check s
	pack s
EOF
damage s/pack 80 85 # within the only block
try opdb check s
try opdb repair s
try opdb check s
