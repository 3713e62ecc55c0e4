#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: the commands of doc/tutorial.md, in their order, and what it says of what they print: the
# covers: line at fault has most of the samples below it, and the change is seen

sampling=yes
# shellcheck source=../case.sh
. "$TESTS/native/case.sh"

command -v g++ >/dev/null || skip "no g++"
page=$TESTS/../doc/tutorial.md
[ -r "$page" ] || skip "no doc/tutorial.md here"
cd "$scratch" || exit 1

# blocks INFO - the lines of the page's blocks that begin with ```INFO
blocks()
{
	awk -v info="$1" '
		/^```/ { inside = !inside && $0 == "```" info; next }
		inside' "$page"
}

blocks 'c++ slow.cpp' >slow.cpp
[ -s slow.cpp ] || fail "the page has no program"
blocks sh >commands
enough "commands of the page" "$(grep -c '^[a-z]' commands)" 10
while read -r line; do
	echo "\$ $line"
	need sh -c "$line" >out 2>&1 </dev/null
	case $line in
	"opreport --lines --children")
		calls=$(grep -n 'contains(items,' slow.cpp | cut -d: -f1)
		share=$(awk -v at="slow.cpp:$calls" '$5 == at { printf "%d\n", $2; exit }' out)
		enough "the percentage of the line at fault" "${share:-0}" 30
		;;
	opdiff*)
		grep -q '^Samples: .*(-' out || { cat out; fail "no difference"; }
		;;
	esac
done <commands
[ -s slow.html ] || fail "no page"

is_root || exit 0
rm -rf oprofile_data
blocks 'sh root' >commands
enough "commands of root" "$(grep -c '^[a-z]' commands)" 4
while read -r line; do
	echo "\$ $line"
	need sh -c "$line" >out 2>&1 </dev/null
done <commands
