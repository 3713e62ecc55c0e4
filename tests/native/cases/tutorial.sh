#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: the commands of doc/tutorial.md, in their order, and what it says of what they print: the
# covers: line at fault has most of the samples below it, and the change is seen; its pictures are
# covers: made anew, and show what it says of them (tools/pictures.sh takes them into doc/)

sampling=yes
# shellcheck source=../case.sh
. "$TESTS/native/case.sh"

command -v g++ >/dev/null || skip "no g++"
page=$TESTS/../doc/tutorial.md
[ -r "$page" ] || skip "no doc/tutorial.md here"
cd "$scratch" || exit 1
unset NO_COLOR

# blocks INFO - the lines of the page's blocks that begin with ```INFO
blocks()
{
	awk -v info="$1" '
		/^```/ { inside = !inside && $0 == "```" info; next }
		inside' "$page"
}

# keep_command NAME COMMAND - the picture of what it shows on a terminal
keep_command()
{
	on_terminal sh -c "$2" || fail "it failed: $2"
	printf '\033[1m$ %s\033[m\n' "$2" | cat - screen >with_command
	keep_screen "$1" $columns <with_command
}

# keep_page NAME - the picture of slow.html
keep_page()
{
	if ! command -v chromedriver >/dev/null || ! command -v chromium >/dev/null; then
		echo "no picture of the page: there is no Chromium"
		return
	fi
	need python3 "$TESTS/browser/tutorial_page.py" slow.html "$1.png" </dev/null
	[ ! -w "$BUILD/screens" ] || need cp "$1.png" "$BUILD/screens"
}

blocks 'c++ slow.cpp' >slow.cpp
[ -s slow.cpp ] || fail "the page has no program"
blocks sh >commands
enough "commands of the page" "$(grep -c '^[a-z]' commands)" 10
while read -r line; do
	echo "\$ $line"
	case $line in
	"operf ./slow")
		keep_command tutorial-operf "$line"
		continue
		;;
	esac
	need sh -c "$line" >out 2>&1 </dev/null
	case $line in
	"opreport --lines --children")
		keep_command tutorial-opreport "$line"
		calls=$(grep -n 'contains(items,' slow.cpp | cut -d: -f1)
		share=$(awk -v at="slow.cpp:$calls" '$5 == at { printf "%d\n", $2; exit }' out)
		enough "the percentage of the line at fault" "${share:-0}" 30
		;;
	"opreport --html=slow.html")
		[ -s slow.html ] || fail "no page"
		keep_page tutorial-page
		;;
	opdiff*)
		keep_command tutorial-opdiff "$line"
		grep -q '^Samples: .*(-' out || { cat out; fail "no difference"; }
		;;
	esac
done <commands

# "![a picture with `words`](pictures/NAME)": they are in those that were made now
pictures=0
sed -n 's/^!\[\(.*\)](pictures\/\(.*\))$/\2 \1/p' "$page" >pictures
while read -r name says; do
	[ -s "$name" ] || [ "$name" = tutorial-page.png ] || fail "no picture $name is made"
	[ -s "$name" ] || continue # no Chromium
	pictures=$((pictures + 1))
	# shellcheck disable=SC2016 # backquotes of the page
	enough "words of $name" "$(echo "$says" | grep -o '`[^`]*`' | tr -d '`' | tee words | wc -l)" 2
	while read -r word; do
		grep -aqF -e "$word" "$name" || fail "$name does not show $word"
	done <words
done <pictures
enough "pictures" $pictures 3

is_root || exit 0
rm -rf oprofile_data
blocks 'sh root' >commands
enough "commands of root" "$(grep -c '^[a-z]' commands)" 4
while read -r line; do
	echo "\$ $line"
	need sh -c "$line" >out 2>&1 </dev/null
done <commands
