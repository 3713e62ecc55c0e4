#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What else Node, Chrome and Firefox save: sampled allocations, traces, profiles as they are recorded

requirement allocations_of_v8_are_bytes_of_stacks
cat >made <<-'EOF'
	{"head": {"callFrame": {"functionName": "(root)", "url": "", "lineNumber": -1}, "selfSize": 0,
	  "id": 1, "children": [
	  {"callFrame": {"functionName": "main", "url": "file:///srv/app.js", "lineNumber": 3},
	   "selfSize": 100, "id": 5, "children": [
	   {"callFrame": {"functionName": "grow", "url": "file:///srv/app.js", "lineNumber": 9},
	    "selfSize": 64000, "id": 7, "children": []}]},
	  {"callFrame": {"functionName": "(BYTECODE)", "url": ""}, "selfSize": 2048, "id": 6,
	   "children": []}]},
	 "samples": [{"size": 32000, "nodeId": 7, "ordinal": 1}, {"size": 32000, "nodeId": 7, "ordinal": 2},
	  {"size": 100, "nodeId": 5, "ordinal": 3}, {"size": 8, "nodeId": 99, "ordinal": 4}]}
EOF
opimport --info made
opexport --from=made --to=folded 2>/dev/null
opimport -o "$DIR/data" made 2>/dev/null
opexport --session-dir=data --to=folded

# Two threads; the pieces of the first are written by the sampler's thread.  Keys in any order.
events()
{
	cat <<-'EOF'
		[{"args": {"data": {"startTime": 1000}}, "name": "Profile", "ph": "P", "id": "0x1", "pid": 40, "tid": 41},
		{"name": "other", "ph": "X", "pid": 40, "tid": 41, "args": {"data": {"nodes": [1, {"a": 2}]}}},
		{"name": "ProfileChunk", "ph": "P", "id": "0x1", "pid": 40, "tid": 49, "args": {"data": {
		 "cpuProfile": {"nodes": [{"id": 1, "callFrame": {"functionName": "(root)"}},
		  {"id": 2, "parent": 1, "callFrame": {"functionName": "main", "url": "https://x.org/a.js"}}],
		  "samples": [2, 2]}, "timeDeltas": [100, 50]}}},
		{"name": "ProfileChunk", "ph": "P", "id": "0x1", "pid": 40, "tid": 49, "args": {"data": {
		 "timeDeltas": [20, 30], "cpuProfile": {"samples": [3, 2], "nodes": [
		  {"id": 3, "parent": 2, "callFrame": {"functionName": "work", "url": "https://x.org/a.js"}}]}}}},
		{"name": "ProfileChunk", "ph": "P", "id": "0x1", "pid": 40, "tid": 49,
		 "args": {"data": {"endTime": 1300}}},
		{"name": "CpuProfile", "ph": "I", "pid": 40, "tid": 42, "args": {"data": {"cpuProfile": {
		 "startTime": 1000, "endTime": 1500, "nodes": [{"id": 1, "callFrame": {"functionName": "(root)"},
		  "children": [2]}, {"id": 2, "callFrame": {"functionName": "task", "url": "/w.js"}}],
		 "samples": [2], "timeDeltas": [100]}}}},
		{"name": "thread_name", "ph": "M", "pid": 40, "tid": 41, "args": {"name": "CrRendererMain"}},
		{"name": "process_name", "ph": "M", "pid": 40, "tid": 0, "args": {"name": "Renderer"}}]
	EOF
}

requirement traces_of_chrome_have_the_profiles_of_their_threads
events >made
opexport --from=made --to=folded -o folded
opimport --info made
opexport --from=made --to=folded
show_profile -v chrome-trace made | tail -n 4
{
	printf '{"metadata": {"product": "Chrome"}, "traceEvents": '
	events
	echo '}'
} >object
opexport --from=object --to=folded | cmp - folded
opimport --info object | grep '^format'
sed 's/"id": "0x1", "pid": 40, "tid": 41}/"id": "0x9", "pid": 40, "tid": 42}/' made >twice
opimport --info twice | grep '^note'
echo '{"traceEvents": [{"name": "x", "ph": "X", "pid": 1, "tid": 1}]}' >none
try opimport --info none

# A process and its child, whose tables have their columns in other places; a row that is cut short
# and one with an array; an address in a library, one in none, and a function in a file
requirement recordings_of_firefox_have_the_threads_of_all_processes
cat >made <<-'EOF'
	{"meta": {"version": 27, "startTime": 1000000.5, "stackwalk": 1, "interval": 1},
	 "libs": [{"start": 65536, "end": 131072, "path": "/usr/lib/libxul.so", "name": "libxul.so"},
	  {"start": 4096, "end": 8192, "path": "/usr/lib/libc.so"}],
	 "threads": [{"name": "GeckoMain", "processName": "firefox", "pid": 12, "tid": 12,
	  "samples": {"schema": {"stack": 0, "time": 1, "eventDelay": 2},
	   "data": [[2, 1.25, 0], [2, 2.25], [0, 3.25, 0], [null, 4]]},
	  "stackTable": {"schema": {"prefix": 0, "frame": 1}, "data": [[null, 0], [0, 1], [1, 2]]},
	  "frameTable": {"schema": {"location": 0, "relevantForJS": 1, "line": 2},
	   "data": [[0, false], [1, [1, 2], 3], [2]]},
	  "markers": {"schema": {"name": 0}, "data": [[0, {"type": "x"}]]},
	  "stringTable": ["(root)", "0x10010", "tick(int) (resource://app/loop.js:3:14)"]}],
	 "processes": [{"meta": {"version": 27, "startTime": 1000100, "stackwalk": 1},
	  "libs": [], "processes": [],
	  "threads": [{"tid": "14", "pid": "13", "name": "DOM Worker", "processName": "Web Content",
	   "stringTable": ["0x10010", "GC (minor)"],
	   "frameTable": {"schema": {"line": 0, "location": 1}, "data": [[null, 0], [5, 1]]},
	   "stackTable": {"schema": {"frame": 0, "prefix": 1}, "data": [[0, null], [1, 0]]},
	   "samples": {"schema": {"time": 0, "stack": 1}, "data": [[0.5, 1], [1.5, 7]]}}]}]}
EOF
opimport --info made
show_profile -v gecko made | grep '^[0-9]'
opexport --from=made --to=folded 2>/dev/null
opimport -o "$DIR/data" made 2>/dev/null
opreport --session-dir=data -l --no-header
