#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The pages for users name programs and options that there are.

pages="README.md doc/tutorial.md doc/from-perf.md doc/from-oprofile.md doc/oprofile.1"
top=$SOURCES/../../..

# Commands in code of Markdown and in literal text of a manual: from the name of a program to the
# end of the code, a comment or what takes the output.
commands()
{
	# shellcheck disable=SC2016 # backticks of the pages
	sed -e '/^|/s/^| *[^|]* *|//' "$top/$1" | grep -oE '(`|^ *|Ql |Li |; )op[a-z-]+( [^`#|;]*)?' |
		sed -e 's/^[` ]*//' -e 's/^\(Ql\|Li\|;\) //' -e 's/ *$//' | grep -E '^op[a-z]'
}

# options_of PROGRAM - as the help lists them, once
options_of()
{
	[ -f "$WORK/options.$1" ] ||
		"$1" --help | grep -oE -- '(^| )-(-[a-z][a-z-]*|[a-zA-Z%])' | tr -d ' ' >"$WORK/options.$1"
	cat "$WORK/options.$1"
}

requirement programs_and_options_of_the_pages_are_there
for page in $pages; do
	commands "$page" >"$WORK/commands"
	n=0
	while read -r program words; do
		command -v "$program" >/dev/null || {
			case $program in
			oprofile | oprofile-* | opjitconv) continue ;; # packages, and what is no more
			esac
			echo "$page: there is no $program: $program $words"
			continue
		}
		n=$((n + 1))
		words=${words%% -- *}
		for word in $words; do
			case $word in
			--*) option=${word%%[=.,)]*} ;;
			-[a-zA-Z]) option=$word ;;
			[a-z./]*) # perhaps a command, whose options are its own
				case $program in
				operf | ocount) break ;;
				esac
				continue
				;;
			*) continue ;;
			esac
			options_of "$program" | grep -qxF -e "$option" ||
				echo "$page: $program has no $option: $program $words"
		done
	done <"$WORK/commands"
	[ "$n" -ge 3 ] || echo "$page: only $n commands are found"
done

# Pictures are as tests/native/cases/tutorial.sh makes them.  What a page has in backquotes in the
# text of a picture is in the picture: tools/pictures.sh renews it.
requirement pictures_show_the_words_of_the_pages
cd "$top/doc" || exit 1
sed -n 's/^!\[\(.*\)](pictures\/\(.*\))$/\2 \1/p' ./*.md ../README.md >"$WORK/pictures"
while read -r name says; do
	[ -f "pictures/$name" ] || { echo "there is no $name"; continue; }
	[ "$(wc -c <"pictures/$name")" -le 60000 ] || echo "$name: more than 60 kB"
	# shellcheck disable=SC2016 # backquotes of the page
	echo "$says" | grep -o '`[^`]*`' | tr -d '`' >"$WORK/words"
	[ -s "$WORK/words" ] || echo "$name: no words to look for"
	while read -r word; do
		grep -aqF -e "$word" "pictures/$name" || echo "$name does not show: $word"
	done <"$WORK/words"
done <"$WORK/pictures"
for file in pictures/*; do
	grep -q "^${file#*/} " "$WORK/pictures" || echo "$file is in no page"
done
n=$(wc -l <"$WORK/pictures")
[ "$n" -ge 4 ] || echo "only $n pictures are found"
