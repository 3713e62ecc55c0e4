#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Inputs with names and no addresses: folded stacks, text of perf script, and what viewers read

# A kernel's function, recursion, a program without frames, and names that look like numbers.
folded()
{
	cat <<-'EOF'
		busy;main;work;leaf 70
		busy;main;work 20
		busy;main;fib;fib;fib 10
		busy;main;read;ksys_read_[k];copy_[k] 5
		other program;operator()(int) const;0x12 3
		alone 2
	EOF
}

requirement names_of_folded_stacks_are_in_reports
folded >made
opimport -o "$DIR/data" made
try opreport --session-dir=data -l
try opreport --session-dir=data
try opreport --session-dir=data -l --callgraph | head -n 13

requirement names_survive_an_archive_and_a_save
folded >made
opimport -o "$DIR/data" made
try oparchive --session-dir=data -o "$DIR/archive"
opreport --session-dir=data -l | sed 1d >direct
opreport -l "archive:$DIR/archive" | sed 1d | diff direct - && echo same
mv data/samples/current data/samples/kept
opreport --session-dir=data -l session:kept | sed 1d | diff direct - && echo same

requirement folded_stacks_come_back_from_a_session
folded >made
opimport -o "$DIR/data" made
opexport --session-dir=data -t folded

requirement what_is_packed_is_read
folded >made
opexport --from=made -t folded >plain
for tool in gzip bzip2 xz zstd; do
	command -v $tool >/dev/null || continue
	$tool -c <made >"made.$tool"
	opexport --from="made.$tool" -t folded | cmp - plain && echo read
done | sort -u

requirement a_line_without_a_number_is_left_out
{
	folded
	echo 'busy;main'
	echo 'busy;main 1'
} >made
try opimport --from=folded -o "$DIR/data" made
try opreport --session-dir=data -l | tail -n 2

# $1: what stands before a frame.  A kernel's frame, an inlined one, one without a symbol, a path
# with blanks, a program's name with blanks and numbers, and records of another kind.
script()
{
	cat <<-EOF
		# captured on: today

		busy 12/13 [001] 100.000001:     250000 cycles:u:
		$1    55d4c0de1179 helper (inlined)
		$1    55d4c0de1179 leaf+0x4 (/tmp/my busy)
		$1    55d4c0de1279 main+0x14 (/tmp/my busy)

		busy 12/13 [001] 100.000002:     750000 cycles:u:
		$1ffffffff81000010 copy+0x4 ([kernel.kallsyms])
		$1    55d4c0de1279 main+0x14 (/tmp/my busy)

		job 7 of 9   12/14 [000] 100.5: cpu-clock:pppH:
		$1         7f00001 [unknown] (/usr/lib/x.so (deleted))

		busy 12/12 [000] 100.6: PERF_RECORD_MMAP2 12/12: [0x1(0x2) @ 0 08:01 5 0]: r-xp /x
		busy 12/12 [000] 100.6: PERF_RECORD_LOST lost 17
		busy 12/12 [000] 100.7: PERF_RECORD_LOST_SAMPLES lost 5
		busy 12/12 [000] 0.000000: PERF_RECORD_LOST_SAMPLES lost 12
		busy 12/12 [001] 0.000000: PERF_RECORD_LOST_SAMPLES lost 7
		job 15 [000] 100.7: sched:sched_switch: prev_comm=job prev_pid=15
		what is this
	EOF
}

requirement text_of_perf_script_is_read
script "$(printf '\t')" >made
opimport --info made
try opimport -o "$DIR/data" made
opreport --session-dir=data -l
opexport --session-dir=data -t folded event:cycles
script '        ' >blanks
opexport --from=blanks -t pprof -o blanks.pprof 2>/dev/null
opexport --from=made -t pprof -o made.pprof 2>/dev/null
show_profile pprof made.pprof >wanted
show_profile pprof blanks.pprof | diff - wanted && echo same

requirement samples_of_perf_script_may_be_lines
cat >made <<-'EOF'
	            busy  1573  1333.123154:    1001001 cpu-clock:      561ef6318158 leaf+0x1f (/tmp/busy)
	       a b 12 c  1573  1333.123155:    1001001 cpu-clock:  ffffffff81000010 copy+0x11 ([kernel.kallsyms])
EOF
opimport --info made
opexport --from=made -t folded

for form in speedscope firefox; do
	requirement "stacks_come_back_from_$form"
	folded >made
	opexport --from=made -t folded >wanted
	opexport --from=made -t $form -o written
	opexport --from=written -t folded | diff wanted - && echo same
	opimport -o "$DIR/data" written
	opexport --session-dir=data -t folded | diff wanted - && echo same
done

requirement several_events_come_back
script "$(printf '\t')" >made
opexport --from=made -t firefox -o written 2>/dev/null
opimport --info written
opexport --from=made -t speedscope -o written 2>/dev/null
opimport --info written
opexport --from=made -t callgrind -o written 2>/dev/null
opimport --info written

requirement functions_come_back_from_callgrind
folded >made
opimport -o "$DIR/data" made
opexport --from=made -t callgrind -o written
try opimport -o "$DIR/again" written
opreport --session-dir=data -l | awk '$1 ~ /^[0-9]/ { print $1, $NF }' | sort >wanted
opreport --session-dir=again -l | awk '$1 ~ /^[0-9]/ { print $1, $NF }' | sort | diff wanted - && echo same

requirement callgrind_has_compressed_names_and_positions_calls_and_jumps
cat >made <<-'EOF'
	version: 1
	creator: callgrind-3.19.0
	cmd:  /usr/bin/demo -x
	desc: I1 cache:
	positions: instr line
	events: Ir Bc
	summary: 100 3

	ob=(1) /usr/bin/demo
	fl=(1) demo.c
	fn=(1) main
	0x1182 5 10 1
	+3 * 5
	jcnd=1/2 +3 *
	* *
	cfn=(2) work
	calls=1 -63 -2
	* * 85 2
	fi=(2) demo.h
	fe=(1)
	fn=(2)
	0x1200 +3 40
	jfi=(2)
	jump=1 +9 +1
	+1 *
	cob=(2) /usr/lib/libx.so
	cfi=(3) x.c
	cfn=(3) helper
	calls=3 0 0
	+1 -1 45 2
	ob=(2)
	fl=(3)
	fn=(3)
	* 7 45 2

	totals: 100 3
EOF
opimport --info made
opimport -o "$DIR/data" made 2>/dev/null
opreport --session-dir=data -l

requirement v8_has_the_time_to_the_next_sample
cat >made <<-'EOF'
	{"nodes": [
	 {"id": 1, "callFrame": {"functionName": "(root)", "scriptId": "0", "url": "",
	  "lineNumber": -1, "columnNumber": -1}, "hitCount": 0, "children": [2, 4]},
	 {"id": 2, "callFrame": {"functionName": "main", "url": "file:///srv/app.js", "lineNumber": 3},
	  "hitCount": 1, "children": [3]},
	 {"id": 3, "callFrame": {"functionName": "", "url": "file:///srv/app.js", "lineNumber": 9},
	  "hitCount": 2},
	 {"id": 4, "callFrame": {"functionName": "(idle)", "url": ""}, "hitCount": 1}],
	 "startTime": 1000, "endTime": 2000,
	 "samples": [2, 3, 3, 4, 9], "timeDeltas": [100, 200, 300, -50, 350]}
EOF
opimport --info made
opexport --from=made -t folded 2>/dev/null
opimport -o "$DIR/data" made 2>/dev/null
opreport --session-dir=data -l

# without samples there are hits
sed 's/"samples".*/"nothing": null}/' made >hits
opexport --from=hits -t folded 2>/dev/null

requirement speedscope_events_are_times_of_stacks
cat >made <<-'EOF'
	{"profiles": [{"type": "evented", "name": "thread 1", "unit": "milliseconds",
	  "startValue": 0, "endValue": 10, "events": [
	  {"type": "O", "frame": 0, "at": 0}, {"type": "O", "frame": 1, "at": 1.5},
	  {"type": "C", "frame": 1, "at": 4.5}, {"type": "C", "frame": 0, "at": 10}]},
	 {"type": "sampled", "name": "bytes", "unit": "bytes", "samples": [[0, 1], [1]],
	  "weights": [100, 28]}],
	 "shared": {"frames": [{"name": "main", "file": "a.c", "line": 3}, {"name": "work"}]},
	 "$schema": "https://www.speedscope.app/file-format-schema.json"}
EOF
opimport --info made
opimport -o "$DIR/data" made
opreport --session-dir=data -l
sed 's/"C", "frame": 1/"C", "frame": 0/' made >damaged
each try opimport --info <<-'EOF'
	damaged
EOF

requirement firefox_tables_may_be_shared
cat >made <<-'EOF'
	{"meta": {"preprocessedProfileVersion": 57, "startTime": 1000.5, "interval": 1},
	 "threads": [{"name": "GeckoMain", "processName": "app", "pid": "12", "tid": 13,
	  "samples": {"length": 3, "stack": [1, 0, null], "timeDeltas": [1, 2, 3], "weight": null,
	   "weightType": "samples"}}],
	 "libs": [{"name": "libx.so", "path": "/usr/lib/libx.so"}],
	 "shared": {"stringArray": ["main", "work", "libx.so"],
	  "funcTable": {"name": [0, 1], "resource": [-1, 0]},
	  "resourceTable": {"lib": [0], "name": [2]}, "frameTable": {"func": [0, 1]},
	  "stackTable": {"prefix": [null, 0], "frame": [0, 1]}}}
EOF
opimport --info made
opexport --from=made -t folded
show_profile firefox made

maps='MAPPED_LIBRARIES:
00400000-00410000 r-xp 00000000 08:01 5 /no/such/prog
7f0000000000-7f0000010000 r-xp 00001000 08:01 6 /no/such/lib.so'

requirement heap_profiles_have_what_is_in_use_and_all
{
	cat <<-'EOF'
		heap profile:     14: 9000 [   30: 20000] @ heapprofile
		     4: 2000 [    8: 4000] @ 0x401010 0x401110 0x7f0000000100
		    10: 7000 [   20: 15000] @ 0x7f0000000200 0x401110
		     0: 0 [    2: 1000] @ 0x401030
	EOF
	echo "$maps"
} >made
opimport --info made
show_profile heap made

# 1 - exp(-500 / 1000) of the blocks of 500 bytes are sampled: 4 stand for 10.17
requirement sampled_heaps_are_scaled
{
	cat <<-'EOF'
		heap profile:     4: 2000 [    4: 2000] @ heap_v2/1000
		     4: 2000 [    4: 2000] @ 0x401010 0x401110
	EOF
	echo "$maps"
} >made
show_profile heap made
sed 's,heap_v2/1000,heap/2000,' made >doubled
show_profile heap doubled
sed 's,heap_v2/1000,growthz,' made >growth
opimport --info growth

requirement contention_is_in_time
{
	cat <<-'EOF'
		--- contentionz 1 ---
		cycles/second = 2000000000
		sampling period = 100
		ms since reset = 16502830
		discarded samples = 7
		  19490304       27 @ 0x401010 0x401110
		       768        1 @ 0x401030
	EOF
	echo "$maps"
} >made
opimport --info made
show_profile heap made

requirement threads_have_stacks
{
	cat <<-'EOF'
		--- threadz 1 ---

		--- Thread 7f00 (name: main/14748) stack: ---
		  PC: 0x401010 0x401110
		  0x401210
		--- Thread 7f01 (name: pool/14749) stack: ---
		    [same as previous thread]
		--- Memory map: ---
	EOF
	echo "$maps" | sed 1d
} >made
opimport --info made
show_profile heap made

requirement a_damaged_heap_is_an_error_with_its_place
printf 'heap profile: 1: 2 [ 1: 2] @ heapprofile\n 1: 2 [ 1: 2] @ 0x10\n 1: 2 [ 1: 2 @ 0x1\n' >made
each try opimport --info <<-'EOF'
	made
EOF

requirement damaged_json_is_an_error_with_its_place
printf '{"nodes": [{"callFrame": {}, "id": 1},, ' >comma
printf '{"nodes": [{"callFrame": {}, "id": 1}, {"callFrame": {}, "id": 1}]}' >twice
printf '{"nodes": [{"callFrame": {}, "id": 1}], "samples": [1], "timeDeltas": [1, 2]}' >counts
{
	printf '{"nodes": [{"callFrame": '
	yes '[' | head -n 1000 | tr -d '\n'
} >deep
each try opimport --from=v8 <<-'EOF'
	comma
	twice
	counts
	deep
EOF

# Each program is 26 kB of directories and files.
requirement ten_thousand_programs_become_a_small_session
seq 10000 | awk '{ print "p" $1 ";f 1" }' >made
opimport -o "$DIR/data" made 2>/dev/null
du -sm data | awk '{ print ($1 <= 7 ? "small" : $1 " MB") }'
opreport --session-dir=data -l 2>&1 | grep -o '[0-9]* stored'

requirement unknown_files_are_told_what_they_look_like
printf '\177ELF\2\1\1' >program
printf '{"a": [1, 2]}' >some.json
echo hello >text
each try opimport <<-'EOF' | sed 's/\(can be read\): .*/\1: .../'
	program
	some.json
	text
EOF
