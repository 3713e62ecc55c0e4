#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: a profile of Python known by construction, whose functions are found in call chains and
# covers: named by the interpreter's /tmp/perf-PID.map; chains go on through them to the module, and
# covers: the first look names them

# shellcheck source=../case.sh
. "$TESTS/native/case.sh"

[ "$(uname -m)" = x86_64 ] || skip "call frame information is unwound on x86-64 only"
# The first interpreter that can tell profilers of its functions: Python 3.12 or later.
for python in python3 python3.14 python3.13 python3.12 none; do
	"$python" -c 'if True:
		import os, pathlib, sys
		sys.activate_stack_trampoline("perf")
		pathlib.Path(f"/tmp/perf-{os.getpid()}.map").unlink(missing_ok=True)' \
		>/dev/null 2>&1 && break
done
[ "$python" != none ] || skip "no Python that has -X perf: 3.12 or later"

# The samples themselves are in the interpreter, which each function is a caller of.
python_shares()
{
	script=$TESTS/native/workloads/split.py
	sample -e "$(clock 1000)" --call-graph=dwarf "$python" -X perf "$script" 2 >"$scratch/pid"
	map=/tmp/perf-$(grep -x '[0-9]*' "$scratch/pid").map
	[ -s "$map" ] || fail "$python has left no $map"
	need opreport --session-dir="$session" -c >"$scratch/graph"
	need opreport --session-dir="$session" --children -n >"$scratch/children"
	need opreport --session-dir="$session" --hottest -n >"$scratch/hottest"
	rm -f "$map"
	heavy=$(calls_by "py::heavy:$script" _PyEval_EvalFrameDefault)
	light=$(calls_by "py::light:$script" _PyEval_EvalFrameDefault)
	all=$((heavy + light))
	enough "samples below the functions" $all 1000
	share heavy "$heavy" $all 0.6
	share light "$light" $all 0.4
	module=$(awk -v name="py::<module>:$script" '$NF == name { print $1 }' "$scratch/children")
	within "samples below the module, of 1000 below heavy and light" \
		$((1000 * ${module:-0} / all)) 995 1050
	cat "$scratch/hottest"
	grep -q '^ *[0-9.]* *[0-9.]* py::heavy:.*python' "$scratch/hottest" ||
		fail "the first look does not name py::heavy"
}

python_shares
