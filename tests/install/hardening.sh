#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# covers: what an attacker of an installed program would use is not there: each one is a position
# independent executable without writable tables of relocations and without an executable stack,
# with stack protectors, checked string functions and landing pads
#
#	hardening.sh BUILD

set -euo pipefail

build=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0

fail() { printf 'NOT OK %s\n' "$*"; failures=$((failures + 1)); }

option()
{
	meson introspect "$build" --buildoptions | python3 -c '
import json, sys
print(next(o["value"] for o in json.load(sys.stdin) if o["name"] == sys.argv[1]))' "$1"
}

# has FILE PATTERN WHAT - the head of the program has a line of this pattern
has()
{
	grep -qE "$2" "$scratch/head" || fail "$1: no $3"
}

[[ $(option b_sanitize) = none ]] || { echo "a sanitised build is not for use" >&2; exit 77; }
case $(option optimization) in
0 | g | plain) echo "built without optimisation, so without checked functions" >&2; exit 77 ;;
esac
meson install -C "$build" --no-rebuild --quiet --destdir "$scratch/root" >"$scratch/log" 2>&1 ||
	{ cat "$scratch/log"; exit 1; }

programs=0 checked=0 probes=0
for file in $(find "$scratch/root" -type f -perm -100 | sort); do
	[[ $(head -c 4 "$file" | tr -d '\0') = $'\x7fELF' ]] || continue
	name=${file##*/}
	programs=$((programs + 1))
	readelf -W -h -l -d --dyn-syms "$file" >"$scratch/head" 2>&1
	objdump -d --no-show-raw-insn "$file" >"$scratch/code"
	has "$name" 'Type: +DYN' "position independent code"
	[[ $name = *.so.* || $name = *.so ]] ||
		has "$name" 'FLAGS_1.*PIE' "mark of a position independent executable"
	has "$name" 'GNU_RELRO' "RELRO"
	has "$name" 'FLAGS_1.*NOW' "BIND_NOW, so RELRO is partial"
	has "$name" 'GNU_STACK.* RW ' "stack without code"
	has "$name" '__stack_chk_fail' "stack protector"
	grep -qE 'LOAD.* RWE' "$scratch/head" && fail "$name: a segment is writable and code"
	grep -qE '\(TEXTREL\)' "$scratch/head" && fail "$name: code with relocations"
	checked=$((checked + $(grep -cE ' __[a-z]+_chk@' "$scratch/head" || true)))
	# a large frame is touched page by page, so that it cannot step over the guard page
	# shellcheck disable=SC2016 # a number, not a variable
	probes=$((probes + $(grep -cE '\bor[ql] +\$0x0,.*\(%[re]sp' "$scratch/code" || true)))
	if [[ $(uname -m) = x86_64 && $name != *.so && $name != *.so.* ]]; then
		sed -n '/<main>:$/{n;p}' "$scratch/code" | grep -q endbr64 ||
			fail "$name: main() is no target that indirect calls may have"
	fi
done
[[ $programs -ge 12 ]] || fail "only $programs programs are installed"
[[ $checked -ge $programs ]] || fail "$checked checked string functions in $programs programs"
[[ $probes -ge $programs ]] || fail "$probes probes of the stack in $programs programs"

# The compiler's best level of checks
level=2
printf '#include <string.h>\nint main(void) { return __builtin_dynamic_object_size("", 0) != 1; }' |
	${CC:-cc} -O2 -x c -Wall -Werror -o "$scratch/best" - 2>"$scratch/log" && level=3
grep -q -- "-D_FORTIFY_SOURCE=$level" "$build/compile_commands.json" ||
	fail "not built with _FORTIFY_SOURCE=$level"

printf '%d programs\n' "$programs"
[[ $failures -eq 0 ]]
