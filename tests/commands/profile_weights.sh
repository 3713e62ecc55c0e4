#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Exports with one number for each stack: events where samples weigh differently, else samples

# In milliseconds: idle 1, work 1200, tail 4; both entries of idle are as many as work's
durations()
{
	cat <<-'EOF'
		{"$schema": "https://www.speedscope.app/file-format-schema.json",
		 "shared": {"frames": [{"name": "idle"}, {"name": "work"}, {"name": "tail"}]},
		 "profiles": [{"type": "sampled", "name": "one", "unit": "milliseconds",
		  "samples": [[0], [1], [0], [1, 2]], "weights": [0.25, 1200, 0.75, 4]}]}
	EOF
}

heap()
{
	cat <<-'EOF'
		heap profile:  101: 1000100 [  101: 1000100] @ heapprofile
		     1: 1000000 [    1: 1000000] @ 0x1010
		   100: 100 [  100: 100] @ 0x2010
	EOF
}

# Numbers of an export to folded, callgrind, firefox, of functions in the order of their names
numbers()
{
	opexport --to=folded "$@" -o folded
	cat folded
	opexport --to=callgrind "$@" -o callgrind
	grep '^events\|^summary\|^[0-9]' callgrind
	opexport --to=firefox "$@" -o firefox
	grep -o '"weightType":"[^"]*"\|"weight":[^]]*]' firefox
}

requirement times_are_exported_as_times
durations >made
numbers --from=made
opimport -o "$DIR/data" made
numbers --session-dir=data
opexport --from=firefox --to=folded | diff - folded && echo same

requirement samples_are_exported_if_they_are_wanted
durations >made
numbers --from=made --value=samples

requirement bytes_are_exported_as_bytes
heap >made
opimport -o "$DIR/data" made 2>/dev/null
numbers --session-dir=data event:inuse_space
numbers --session-dir=data event:inuse_space --value=samples

requirement samples_of_one_period_are_exported_as_samples
printf 'job 7/7 [000] 1.%s: 250000 cpu-clock:u: \n\t 7f0000401010 work+0x1 (/srv/tool)\n\n' 1 2 3 >made
numbers --from=made

requirement two_columns_are_written_again
printf '%s\n' 'demo;main;read 10 0' 'demo;main;work 5 15' >made
opexport --from=made --to=folded 2>/dev/null | diff made - && echo same

requirement values_are_chosen_where_a_format_has_one
durations >made
each try opexport --from=made <<-EOF
	--to=pprof --value=samples
	--to=folded --value=bytes
EOF
