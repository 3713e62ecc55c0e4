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
