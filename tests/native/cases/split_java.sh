#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: a profile of Java known by construction, with the methods, lines and callers that the
# covers: agent for Java writes into /tmp/jit-PID.dump; its methods by the map that the JVM writes

sampling=yes
# shellcheck source=../case.sh
. "$TESTS/native/case.sh"

agent=$BUILD/libop/agent/libjvmti_oprofile.so
[ -e "$agent" ] || skip "the agent for Java was not built: no JDK"
java -version >/dev/null 2>&1 || skip "no java"

# where the session's user, whoever that is, may read it
source=$scratch/Split.java
cp "$TESTS/native/workloads/Split.java" "$source"
chmod 711 "$scratch"

# at_line TEXT - samples of the line of the source that has it, in $scratch/annotated
at_line()
{
	awk -v text="$1" '
		index($0, text) { sum += $1 }
		END { printf "%d\n", sum }' "$scratch/annotated"
}

java_shares()
{
	sample -g -e "$(clock 2000)" java -agentpath:"$agent" -XX:+PreserveFramePointer \
		-XX:CompileCommand=quiet '-XX:CompileCommand=dontinline,Split::*' \
		"$source" "$(lasting 2 2000)" >"$scratch/pid"
	dump=/tmp/jit-$(grep -x '[0-9]*' "$scratch/pid").dump
	[ -s "$dump" ] || fail "the agent has left no $dump"
	report
	need opexport --session-dir="$session" --to=folded --value=samples --output="$scratch/folded"
	need opannotate --session-dir="$session" --source --search-dirs="${source%/*}" \
		--include-file=Split.java >"$scratch/annotated"
	rm -f "$dump"
	heavy=$(at_line "heavy's line")
	light=$(at_line "light's line")
	all=$((heavy + light))
	enough "samples of the lines" $all 1000
	share heavy "$heavy" $all 0.6
	share light "$light" $all 0.4
	at_most "samples of the methods in other lines" \
		$(($(symbol_samples 'Split.heavy(int)') + $(symbol_samples 'Split.light(int)') - all)) \
		$all 0.05
}

# The caller is main(), compiled while it runs, or the interpreter.
java_callers()
{
	heavy=$(awk '/;Split\.heavy\(int\)[^;]*$/ { sum += $NF } END { print sum + 0 }' \
		"$scratch/folded")
	called=$(awk '/;(Interpreter|Split\.main\(String\[\]\));Split\.heavy\(int\)[^;]*$/ {
		sum += $NF } END { print sum + 0 }' "$scratch/folded")
	at_most "samples of heavy() without its caller" $((heavy - called)) "$heavy" 0.02
}

# Without the agent, the JVM says at its end what it has compiled.
java_map()
{
	sample -e "$(clock 2000)" java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit \
		-XX:CompileCommand=quiet '-XX:CompileCommand=dontinline,Split::*' \
		"$source" "$(lasting 2 2000)" >"$scratch/pid"
	report_by_map "the JVM"
	heavy=$(line_samples 'Split.heavy(int)')
	light=$(line_samples 'Split.light(int)')
	enough "samples of the methods" $((heavy + light)) 1000
	share "heavy by the JVM's map" "$heavy" $((heavy + light)) 0.6
}

java_shares
java_callers
java_map
