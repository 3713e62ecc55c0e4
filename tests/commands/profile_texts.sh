#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Inputs as people have them: odd paths, byte order marks, damaged lines, numbers of any form

# frames FRAME... - text of perf script with a sample for each frame
frames()
{
	for frame; do
		printf 'job 7/7 [000] 1.5: 1 cycles:u: \n\t    7f0000401010 %s\n\n' "$frame"
	done
}

requirement paths_in_frames_have_blanks_and_parentheses
frames 'work+0x10 (/srv/My Tools (old)/a b/tool)' 'work+0x18 (/srv/My Tools (old)/a b/tool)' \
	'work (/srv/open (paren/tool)' 'work+0x4 (/srv/close)/tool)' \
	'ns::call(int, char const*) const (/srv/tool (deleted))' \
	'(anonymous namespace)::g(void (*)(int))+0x8 (/srv/(x)/tool)' \
	'operator()(long)+0x2 (memfd:jit (deleted))' 'operator()(int) ([vdso])' \
	'f(int (*)(int)) (inlined)' 'job (/srv/(y) z)' '[unknown] ([unknown])' >made
opimport -o "$DIR/data" made 2>/dev/null
opreport --session-dir=data -l --long-filenames --no-header | sed 's/  */ /g' | sort

requirement byte_order_marks_are_no_part_of_a_text
mark=$(printf '\357\273\277')
printf '%sdemo;main;work 3\n' "$mark" >folded
{
	printf '%s' "$mark"
	frames 'work+0x10 (/srv/tool)'
} >script
printf '%s# callgrind format\nevents: Ir\nfn=main\n1 20\n' "$mark" >callgrind
printf '%sheap profile: 1: 16 [ 1: 16] @ heapprofile\n 1: 16 [ 1: 16] @ 0x10\n' "$mark" >heap
for input in folded script callgrind heap; do
	opimport --info $input | grep '^format\|^event'
	opexport --from=$input --to=speedscope 2>/dev/null | grep -c "$mark" || true
done
opexport --from=folded --to=folded
printf '\377\376d\0e\0m\0o\0 \0003\0\n\0' >utf16
try opimport utf16 | sed 's/; what can.*//'

requirement folded_stacks_of_two_profiles_are_two_events
printf '%s\n' 'demo;main;read 10 0' 'demo;main;work 5 15' 'demo;main;job 7 2 3' >made
try opimport -o "$DIR/data" made
opreport --session-dir=data -l --no-header
# the last names end in numbers, but not all
printf '%s\n' 'demo;main;worker 1 10' 'demo;main;work 5' >names
opexport --from=names --to=folded

requirement a_line_of_folded_stacks_that_is_none_is_named
printf '%s\n' '# by hand' 'demo;main;read 2' 'demo;main 1' 'a remark without a number' \
	'demo;main;work 7' >made
try opexport --from=made --to=folded
try opimport -o "$DIR/data" made
printf '%s\n' 'no number' 'none here either' >made
try opimport --from=folded -o "$DIR/none" made

requirement one_folded_line_is_recognised
for line in 'java 1' 'jq 3' 'jj;kk 12' 'ruby;(eval):1 2'; do
	echo "$line" >made
	opimport --info made | grep '^format\|^samples'
done

# v8 START END SAMPLES DELTAS
v8()
{
	cat <<-EOF
		{"nodes": [{"id": 1, "callFrame": {"functionName": "(root)", "url": ""}, "children": [2, 3]},
		 {"id": 2, "callFrame": {"functionName": "left", "url": "file:///srv/a.js", "lineNumber": 1}},
		 {"id": 3, "callFrame": {"functionName": "right", "url": "file:///srv/a.js", "lineNumber": 8}}],
		 "startTime": $1, "endTime": $2, "samples": [$3], "timeDeltas": [$4]}
	EOF
}

requirement samples_of_v8_add_up_to_what_was_recorded
v8 1000 5000 '2, 3, 2, 3, 2' '100, 900, -700, -50, 2750' >made
opimport --info made | grep 'event:\|note\|duration\|-sample'
opimport -o "$DIR/data" made 2>/dev/null
opreport --session-dir=data -l --no-header

requirement times_of_v8_are_any_numbers
v8 1700000000123456.25 1.700000000127456E15 '2.0, 3, 2e0' '1e3, 500.5, 0.25e3' >made
opimport --info made | grep 'event:\|note\|duration\|-sample'
opimport -o "$DIR/data" made
opreport --session-dir=data -l --no-header
v8 '"noon"' 5 2 1 >made
try opimport -o "$DIR/none" made

# Each of these has lines of code, and not only those where functions begin.
requirement lines_that_a_format_has_are_in_reports
write speedscope <<-'EOF'
	{"$schema": "https://www.speedscope.app/file-format-schema.json",
	 "shared": {"frames": [{"name": "main", "file": "app.py", "line": 3}, {"name": "work", "file": "app.py", "line": 7},
	  {"name": "work", "file": "app.py", "line": 8}]},
	 "profiles": [{"type": "sampled", "name": "app", "unit": "none", "startValue": 0, "endValue": 5,
	  "samples": [[0, 1], [0, 2], [0]], "weights": [3, 1, 1]}]}
EOF
write firefox <<-'EOF'
	{"meta": {"preprocessedProfileVersion": 50}, "libs": [],
	 "threads": [{"name": "main", "processName": "app", "pid": 1, "tid": 1, "stringArray": ["main", "work", "app.js"],
	  "funcTable": {"name": [0, 1], "fileName": [2, 2], "lineNumber": [1, 6], "resource": [-1, -1], "length": 2},
	  "frameTable": {"func": [0, 1, 1], "line": [3, 7, null], "length": 3},
	  "stackTable": {"prefix": [null, 0, 0], "frame": [0, 1, 2], "length": 3},
	  "samples": {"stack": [1, 1, 2, 0], "weight": null, "length": 4}}]}
EOF
write gecko <<-'EOF'
	{"meta": {"version": 27, "stackwalk": 1}, "libs": [], "threads": [{"name": "main", "pid": 1, "tid": 1,
	 "samples": {"schema": {"stack": 0}, "data": [[1], [1], [2], [0]]},
	 "stackTable": {"schema": {"prefix": 0, "frame": 1}, "data": [[null, 0], [0, 1], [0, 2]]},
	 "frameTable": {"schema": {"location": 0, "line": 1}, "data": [[0, 3], [1, 7], [1]]},
	 "stringTable": ["main (app.js:1:2)", "work (app.js:6:9)"]}]}
EOF
# samples of a node, of which one has no line; and hits without samples
for samples in '"samples": [3, 2, 3, 3, 2, 3], "timeDeltas": [0, 10, 10, 10, 10, 10]' '"x": 1'; do
	write "v8.${#samples}" <<-EOF
		{"nodes": [{"id": 1, "callFrame": {"functionName": "(root)", "url": ""}, "children": [2], "hitCount": 0},
		 {"id": 2, "callFrame": {"functionName": "main", "url": "app.js", "lineNumber": 0}, "hitCount": 2,
		  "positionTicks": [{"line": 3, "ticks": 2}], "children": [3]},
		 {"id": 3, "callFrame": {"functionName": "work", "url": "app.js", "lineNumber": 5}, "hitCount": 4,
		  "positionTicks": [{"line": 7, "ticks": 2}, {"line": 8, "ticks": 1}]}],
		 "startTime": 0, "endTime": 60, $samples}
	EOF
done
write script <<-'EOF'
	app 1/1 1.000001: cycles:
	            1194 work (/srv/app)
	  app.c:7
	            11a0 main (/srv/app)
	  app.c:3 (discriminator 2)
	ffffffff81000010 entry ([kernel.kallsyms])
	  [kernel.kallsyms][ffffffff81000010]

	app 1/1 1.000002: cycles:             1195 work (/srv/app)
	  app.c:8
	app 1/1 1.000003: cycles:             1194 work (/srv/app)
	  app.c:7
EOF
for profile in speedscope firefox gecko v8.* script; do
	echo "$ $profile"
	opreport --lines "$profile" 2>&1 | grep -v '^Session:\|^CPU:\|^Counted\|^Few\|^Time:\|^$\|^Perc'
done

# Relative positions, a header's line in a function, calls of a function in another file and object.
requirement calls_of_callgrind_are_inclusive_costs
write made <<-'EOF'
	# callgrind format
	cmd: /srv/app
	positions: instr line
	events: Ir Dr
	ob=/srv/app
	fl=(1) main.c
	fn=(1) main
	0x10 3 100 1
	+4 +1 7
	cfn=(2) work
	calls=2 0x40 10
	* * 900 9
	fi=(2) list.h
	0x18 30 50
	fe=(1)
	+4 5 3
	cob=/srv/lib.so
	cfi=(3) lib.c
	cfn=(3) sort
	calls=1 0x90 -4
	* * 40 4

	fn=(2)
	0x40 10 900 9

	ob=/srv/lib.so
	fl=(3)
	fn=(3)
	0x90 1 30 4
	cfn=(4) compare
	calls=5 0xa0 20
	+2 2 10

	fn=(4)
	0xa0 20 10
EOF
for options in '-l --children' --callgraph '--lines --children'; do
	echo "$ $options"
	# shellcheck disable=SC2086 # words
	opreport $options event:Ir made 2>&1 | sed -n '/warning/p; /^Call chains/p; /^incl/,/^$/p; /^---/,/^$/p'
done
opexport --from=made --to=callgrind 2>/dev/null >written
sed -n '/^ob=(.*app/,/^totals/p' written
for profile in made written; do
	opimport -o "$profile.data" "$profile" 2>/dev/null
	opreport "--session-dir=$profile.data" --csv --lines --children 2>&1 | grep -v '^#' >"$profile.csv"
done
check diff made.csv written.csv
# functions that call themselves, and each other: at least their largest call
write circle <<-'EOF'
	events: Ir
	fl=c.c
	fn=main
	1 1
	cfn=even
	calls=1 10
	2 99

	fn=even
	10 40
	cfn=odd
	calls=9 20
	11 190

	fn=odd
	20 49
	cfn=even
	calls=8 10
	21 170
	cfn=odd
	calls=3 20
	22 500
	cfn=leaf
	calls=3 30
	23 10

	fn=leaf
	30 10
EOF
opreport -l --children circle 2>&1 | sed -n '/^inclusive/,/^$/p'

requirement numbers_of_callgrind_names_come_in_any_order
cat >made <<-'EOF'
	# callgrind format
	events: Ir
	ob=(70000) /srv/demo
	fl=(4000000000) demo.c
	fn=(123456) main
	10 5
	fn=(7) work
	20 25
	ob=(3) /srv/libx.so
	fn=(123456)
	10 1
EOF
opimport --info made
opimport -o "$DIR/data" made
opreport --session-dir=data -l --no-header
printf 'events: Ir\nfn=(2)\n1 1\n' >made
try opimport --info --from=callgrind made
# what was written of many images, whose numbers are those of all images
seq 3000 | awk '{ print "p" $1 ";f" $1 " " $1 }' >many
opexport --from=many --to=callgrind -o written
opimport --info written | grep '^event'

requirement names_of_kernel_and_user_code_in_one_image_stay_apart
{
	printf 'a 10/10 1.1: 3 cycles: \n\tffffffff81000010 return_to_user ([kernel.kallsyms])\n\n'
	printf 'b 11/11 1.2: 4 cycles: \n\t    7fff00001081 enter_kernel ([kernel.kallsyms])\n\n'
	printf 'b 11/11 1.3: 5 cycles: \n\tffffffff81000020 [unknown] ([unknown])\n'
	printf '\t    7f0000002010 start+0x2 (inlined)\n\n'
} >made
opexport --from=made --to=pprof -o made.pprof 2>/dev/null
opimport -o "$DIR/data" made 2>/dev/null
opreport --session-dir=data -l --no-header
opexport --session-dir=data --to=folded
opexport --from=made --to=folded 2>/dev/null

requirement code_without_a_symbol_is_called_after_its_image
frames '[unknown] (/srv/lib/libx.so.1)' '[unknown] ([vdso])' '[unknown] ([unknown])' >made
opexport --from=made --to=folded 2>/dev/null

requirement perf_script_need_not_print_event_and_time
# -F comm,pid,tid,ip,sym,dso; -F comm,pid,ip,sym; -F comm,ip,sym,dso; -F ip,sym,dso; and without
# chains
chain=$(printf '\t    7f0000401010 work+0x10 (/srv/tool)\n\t    7f0000401020 main+0x2 (/srv/tool)')
printf 'my job   7/8 \n%s\n\nits child   12 \n\t    7f0000401010 work\n\n' "$chain" >programs
printf '%s\n\n%s\n\n' "$chain" "$chain" >chains
printf 'job   7      7f0000401010 work+0x%s (/srv/tool)\n' 10 14 >lines
printf '%s \n%s\n\n' 'my job' "$chain" 'job 2 of 3' "$chain" >names
for input in programs names chains lines; do
	opimport --info $input | grep '^format\|^samples'
	opexport --from=$input --to=folded
done
# elsewhere such a line is none
frames 'work+0x10 (/srv/tool)' >made
echo 'read all of 12' >>made
opimport --info made | grep '^samples\|^note'
