#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# opcontrol --save and --reset: what is moved, what is removed, and what must not be touched
. "$COMMANDS/driver.sh"

files()
{
	find "${@:-s/samples}" | sort
}

requirement save_moves_the_live_samples
machine
put 's/samples/current/{root}/bin/ls/{dep}/{root}/bin/ls/TIMER.0.0.all.all.all' x
chmod 2750 s/samples/current
try opcontrol --save=monday
files
stat -c '%n %a' s/samples/current # empty, and like the old one

requirement what_is_saved_is_packed
for daemon in runs ended; do
	machine
	[ $daemon = ended ] || try opcontrol --start
	make_session s <<-EOF
		image /bin/ls TIMER
		0x10 7
	EOF
	try opcontrol --save=monday
	find s/samples/monday -type f | sort
	opreport --session-dir=s -n session:monday 2>/dev/null
done

requirement save_takes_no_name_twice
machine
put s/samples/current/new
put s/samples/monday/old
put s/samples/oprofiled.log
ln -s /nowhere s/samples/link
for name in monday oprofiled.log link; do
	try opcontrol --save=$name
done
files

requirement save_refuses_hostile_names
machine
put s/samples/current/new
longest=$(head -c 255 /dev/zero | tr '\0' a)
# shellcheck disable=SC2016
for name in '' . .. ../x /tmp/x a/b x/ .x current 'a b' 'a
b' a,b '*' '$x' 'ä' -rf/ 'a\b' "a$longest"; do
	opcontrol "--save=$name" 2>/dev/null && echo "taken: $name"
done
files
check opcontrol "--save=$longest"
files | tr -s a

requirement nothing_to_save_is_no_error
machine
try opcontrol --save=x
try opcontrol --reset
for name in s s/samples; do
	mkdir $name
	try opcontrol --save=x
	try opcontrol --reset
	files s
done
try opcontrol "--session-dir=$DIR/no" --reset

requirement reset_empties_the_live_samples_only
machine
put 's/samples/current/{root}/bin/ls/{dep}/{root}/bin/ls/TIMER.0.0.all.all.all'
put 's/samples/current/{kern}/ext4/{dep}/{kern}/ext4/TIMER.0.0.all.all.all'
put s/samples/current/stats/cpu0/sample_received
put s/samples/current/kallsyms
put 's/samples/monday/{root}/x'
put s/samples/oprofiled.log
put s/abi
put s/samples/.reset-0/old # left by a reset that was cut short
try opcontrol --reset
files s

requirement links_are_not_followed
machine
put precious/file
put s/samples/current/x
ln -s ../../../precious s/samples/current/dir
ln -s ../../../precious/file s/samples/current/file
ln -s ../../precious s/samples/.reset-7 # not a directory, so not left by a reset
try opcontrol --reset
files s/samples precious
rmdir s/samples/current
ln -s ../../precious s/samples/current
try opcontrol --reset
try opcontrol --save=x
put elsewhere/current/file
mkdir t
ln -s ../elsewhere t/samples
try opcontrol "--session-dir=$DIR/t" --reset
try opcontrol "--session-dir=$DIR/t" --save=x
files precious elsewhere
# a session may be reached by a link, as /var often is
put u/samples/current/x
ln -s u to_u
try opcontrol "--session-dir=$DIR/to_u" --reset
files u

requirement files_in_the_place_of_directories_are_refused
machine
put s/samples/current
try opcontrol --reset
try opcontrol --save=x
put t/samples
try opcontrol "--session-dir=$DIR/t" --reset
put f
try opcontrol "--session-dir=$DIR/f" --reset
files s t f

# deeper than PATH_MAX, and than a process may have files open; names as reset gives them
requirement deep_and_wide_trees_are_removed
machine
mkdir -p s/samples/current
python3 - <<-'EOF'
	import os
	os.chdir("s/samples/current")
	for i in range(300):
	    os.makedirs(f".flat-{i}/{i}")
	    open(f".flat-{i}/{i}/file", "w").close()
	for _ in range(1500):
	    os.mkdir("deeper")
	    os.chdir("deeper")
EOF
try opcontrol --reset
files

# saved NAME DAYS [KIB] - a saved session of so many days, and so large
saved()
{
	mkdir -p "s/samples/$1/deep"
	head -c $((${3:-4} * 1024)) /dev/zero >"s/samples/$1/deep/file"
	touch -d "$2 days ago" "s/samples/$1"
}

requirement saved_sessions_are_removed_by_age
machine
saved old 31
saved older 300
saved young 29
mkdir -p s/samples/.hidden precious
touch -d "300 days ago" s/samples/.hidden precious
ln -s ../../precious s/samples/link
touch -h -d "300 days ago" s/samples/link
put s/samples/oprofiled.log
touch -d "300 days ago" s/samples/oprofiled.log
put s/samples/current/x
try opcontrol --save=first
try opcontrol --setup --saved-days=30
touch -d "300 days ago" s/samples/current
try opcontrol --save=second
find s/samples precious | sort
put s/samples/current/x
try opcontrol --save=third # the second is as old as its saving
find s/samples -maxdepth 1 | sort
try opcontrol --setup --saved-days=0
saved old 31
put s/samples/current/x
try opcontrol --save=fourth

requirement saved_sessions_are_removed_by_size
machine
try opcontrol --setup --saved-size=1
saved c 1 400
saved b 2 400
saved a 3 400
saved busy 4 400
put s/samples/current/x
flock -s s/samples/busy opcontrol --save=first
find s/samples -maxdepth 1 | sort
head -c 2000000 /dev/zero >s/samples/current/large
try opcontrol --save=larger # than the limit, but the one that is saved
find s/samples -maxdepth 1 | sort

requirement a_session_that_is_being_read_costs_no_newer_one
machine
try opcontrol --setup --saved-size=1
saved busy 4 1000
saved newer 1 100
put s/samples/current/x
flock -s s/samples/busy opcontrol --save=first
find s/samples -maxdepth 1 | sort
put s/samples/current/x
try opcontrol --save=second # nobody reads it any more
# but readers do not fill the disk: what they hold beyond the size counts
saved busy 5 900
saved read 4 900
saved large 1 400
put s/samples/current/x
flock -s s/samples/busy flock -s s/samples/read opcontrol --save=third
find s/samples -maxdepth 1 | sort

requirement wrong_retention_is_refused
each try <<-EOF
	opcontrol --saved-days=-1
	opcontrol --saved-days=36501
	opcontrol --saved-size=lots
	opcontrol --save=x --saved-days=5
EOF
