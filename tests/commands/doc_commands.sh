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
