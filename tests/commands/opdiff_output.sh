#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# opdiff: how two profiles differ, given as two words

# before_and_after IMAGE IMAGE - sessions of programs: directories of their own, and saved ones
before_and_after()
{
	session <<-EOF
		image $1 TIMER
		0x1010 60, 0x1030 40
	EOF
	mkdir before && mv samples before/
	session <<-EOF
		image $2 TIMER
		0x1010 600, 0x1040 40
	EOF
	mkdir after && cp -r samples after/
	mv samples/current samples/faster
	cp -r before/samples/current samples/slower
}

requirement two_words_are_the_old_and_the_new_profile
images
before_and_after prog prog
each try <<-EOF
	opdiff before after
	opdiff -n after before
	opdiff -n before after image:prog
	opdiff -n --no-symbols before after
	opdiff -n -t 901% before after
	opdiff -n -t 95% before after
	opdiff -n { before } { after }
	opdiff
	opdiff before
	opdiff before after image:gone
	opdiff before nowhere
	opdiff before ./nowhere
	opdiff before no/where
	opdiff before prog
	opdiff -c before after
	opdiff --symbols --no-symbols before after
	opdiff --html=x.html --no-symbols before after
	opreport before after
EOF

# run NAME HOT COLD - a session of a run
run()
{
	session <<-EOF
		image prog TIMER
		0x1010 $2, 0x1030 $3
	EOF
	mv samples/current "samples/$1"
}

# What is called by chance differs from run to run; "hot" has become slower.  Of one run each, no row
# is called a change.
requirement what_is_chance_is_known_from_runs
images
run run-1 200 10 && run run-2 205 390 && run run-3 195 200
cp -r samples/run-1 samples/one
mkdir before && mv samples before/
run run-1 230 410 && run run-2 235 300 && run run-3 228 405
run one 300 100
mkdir after && mv samples after/
each try <<-EOF
	opdiff before after session:run-*
	opdiff -n --no-symbols before after session:run-*
	opdiff -n before after session:one
	opreport -l { before session:run-* } { after session:one }
	opreport -l -n { before session:one } { after session:run-* }
EOF

requirement sessions_of_a_directory_are_compared_by_name
images
before_and_after prog prog
each of_session opdiff <<-EOF
	-n slower faster
	-n session:slower session:faster
	-n $DIR/samples/slower ./samples/faster
	-n samples/slower faster
	-n slower fastr
EOF

requirement archives_and_files_of_other_profilers_are_compared
images
before_and_after prog prog
oparchive --session-dir=before --output=before.tar.gz 2>/dev/null
oparchive --session-dir=after -o arch 2>/dev/null
printf 'main;hot 60\nmain;cold 40\n' >before.folded
printf 'main;hot 600\nmain;cold 40\n' >after.folded
try opdiff -n before.tar.gz arch
try opdiff -n before.folded after.folded

# A program that was moved, beside another one of its name; and one that was renamed.
requirement moved_binaries_are_found_by_build_id
images
mkdir -p here there new
for place in here/tool there/tool new/tool here/oldname there/newname; do
	cp prog $place
done
session <<-EOF
	image here/tool TIMER
	0x1010 60, 0x1030 40
	image here/oldname TIMER
	0x1010 500
EOF
printf '%s 1 1 1 0 0 {root}%s\n' 1111111111111111111111111111111111111111 "$DIR/here/tool" \
	2222222222222222222222222222222222222222 "$DIR/here/oldname" >samples/current/images
mkdir before && mv samples before/
session <<-EOF
	image new/tool TIMER
	0x1010 7
	image there/tool TIMER
	0x1010 30, 0x1030 40
	image there/newname TIMER
	0x1010 400
EOF
printf '%s 1 1 1 0 0 {root}%s\n' 1111111111111111111111111111111111111111 "$DIR/there/tool" \
	2222222222222222222222222222222222222222 "$DIR/there/newname" \
	3333333333333333333333333333333333333333 "$DIR/new/tool" >samples/current/images
mkdir after && mv samples after/
each try <<-EOF
	opdiff -f --no-symbols before after
	opdiff -n -f --no-symbols --map=$DIR/here/tool=$DIR/new/tool before after
EOF
