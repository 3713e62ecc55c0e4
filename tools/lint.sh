#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Static checks of all the code.
#
#	lint.sh [-t FILE] [-q | CHECKER...]	all checkers, or those named; each prints its
#				findings and a line: files, findings, exempt ones, seconds
#
#	-q		only those that read the sources, and take seconds
#	-t FILE		append to that tally (tests/tally.sh), as the suite "lint", a test a checker
#
# What is no finding, and why, stands in tools/lint/exempt, in .clang-tidy and in .shellcheckrc.
# Environment: BUILD, as for make; LINT_TREE: another tree than this one, in git, whose userspace
# is set up in BUILD (tools/lint/selftest.sh uses it).
#
# Exit codes: 0 no findings, 1 findings, 2 a checker could not be run.

. "$(dirname "$0")/../tests/vm/common.sh"
. "$top/tests/vm/archive.sh"
. "$top/tests/vm/source.sh"
. "$top/tests/tally.sh"

trap - ERR	# a checker that finds something fails
tree=${LINT_TREE:-$top}
exempt=$tree/tools/lint/exempt
work=$build/lint
jobs=$(nproc)

# Cheap ones first.
quick=(spdx lines names exempt python layers exported doors)
checkers=("${quick[@]}" shellcheck checkpatch sparse symbols coccinelle cppcheck clang-tidy)
tally=''

# Each checker is a function lint_NAME: it prints what it finds as "file:line: text", with files
# relative to the tree, writes how many files it has looked at to $work/NAME.files, and fails if
# it could not look.

# sources PATTERN... - files of the tree, those that git does not know yet, too
sources()
{
	git -C "$tree" ls-files --cached --others --exclude-standard -- "$@" | sort -u |
		while read -r file; do
			[[ ! -f $tree/$file || -L $tree/$file ]] || echo "$file"
		done
}

scripts()
{
	sources '*.sh'
	sources . | grep -vE '\.[a-z0-9]+$' | while read -r file; do
		[[ $(head -c 64 "$tree/$file" | head -n 1 | tr -d '\0') != '#!'*sh* ]] ||
			echo "$file"
	done
}

code()
{
	sources '*.c' '*.h' '*.cc' '*.s' '*.S' '*.py' '*.js' '*.go' '*.rs' '*.cocci' \
		'meson*' '*Makefile' '*Kbuild*'
	scripts
}

# Code of ours that runs in the kernel.
kernel_code() { sources 'module/*.[ch]' 'tests/vm/modules/*.[ch]' 'tests/kunit/*.[ch]'; }

# each CHECKER LIST COMMAND... - count the list's files, and give them to the command
each()
{
	local name=$1 list=$2
	shift 2

	mapfile -t files < <($list)
	echo "${#files[@]}" >"$work/$name.files"
	[[ ${#files[@]} -eq 0 ]] || (cd "$tree" && "$@" "${files[@]}")
}

python_files() { sources '*.py'; }
exempt_table() { sources tools/lint/exempt; }

lint_spdx() { each spdx code "$top/tools/lint/text.py" spdx; }
lint_lines() { each lines code "$top/tools/lint/text.py" lines; }
named_files() { sources '*.c' '*.h' 'doc/*.md' HACKING.md; }

lint_names() { each names named_files "$top/tools/lint/text.py" names; }
lint_exempt() { each exempt exempt_table "$top/tools/lint/text.py" exempt; }
lint_python() { each python python_files "$top/tools/lint/text.py" python; }

# Layers: the includes, beside the drawing in doc/internals.md.
lint_layers()
{
	local status=0

	python3 "$top/tools/lint/layers.py" --files "$tree" >"$work/layers.files" || return
	python3 "$top/tools/lint/layers.py" "$tree" || status=$?
	[[ $status -le 1 ]]	# 1: findings
}

# Functions that headers declare, and what may name them.
users() { readers; sources 'tests/*.[ch]' 'tests/*.cc' 'module/uapi/*.h'; }

# Functions of headers that only their own file uses.
lint_exported()
{
	local status=0

	each exported users "$top/tools/lint/exported.py" || status=$?
	[[ $status -le 1 ]]	# 1: findings
}

# What may be a file of somebody else.
readers() { sources 'libop/*.[ch]' 'libdb/*.[ch]' 'daemon/*.[ch]' 'pp/*.[ch]' 'utils/*.[ch]'; }

# Files that are opened beside the door for foreign files.
lint_doors()
{
	local status=0

	each doors readers "$top/tools/lint/doors.py" || status=$?
	[[ $status -le 1 ]]	# 1: findings
}

lint_shellcheck()
{
	local status=0

	each shellcheck scripts shellcheck -x -f gcc || status=$?
	[[ $status -le 1 ]]	# 1: findings
}

# The kernel's own judge of style.  It leaves a file of names where it stands.
lint_checkpatch()
{
	local file status=0 log=$work/checkpatch.log

	kernel_code >"$work/checkpatch.list"
	wc -l <"$work/checkpatch.list" >"$work/checkpatch.files"
	while read -r file; do
		(cd "$work" && "$linux/scripts/checkpatch.pl" --no-tree -f --strict --terse \
			--show-types --max-line-length=100 "$tree/$file") || status=$?
	done <"$work/checkpatch.list" >"$log" 2>&1
	[[ $status -le 1 ]] || { cat "$log" >&2; return 1; }
	sed -n "s|^$tree/||p" "$log"
}

# sparse FOLDER ENTRY... - the module whose Kbuild is in a folder of the tree
sparse()
{
	local folder=$1 copy=$work/sparse/tree/$1 log=$work/sparse.log entry
	shift

	copy=${copy%/.}
	rm -rf "$copy"
	mkdir -p "$copy"
	for entry in Kbuild "$@"; do
		cp -rL "$tree/$folder/$entry" "$copy/"
	done
	# Kbuilds of tests look there for what the module knows of older kernels.
	[[ -e $copy/module ]] || ln -s "$tree/module" "$copy/module"
	kernel_make 6.1 M="$copy" -j "$jobs" C=2 modules >"$log" 2>&1 || {
		cat "$log" >&2
		return 1
	}
	grep -c '^  CHECK ' "$log" >>"$work/sparse.count"
	# What it says of the kernel's headers is not ours.
	sed -nE "s#^($copy/)([^:]+:[0-9]+:[0-9]+: (warning|error):.*)#${folder#.}/\2#p" "$log" |
		sed 's|^/||'
}

lint_sparse()
{
	local modules=("$tree"/tests/vm/modules/*.c)

	: >"$work/sparse.count"
	sparse . module || return
	if [[ -f $tree/tests/vm/modules/Kbuild ]]; then # not in selftest.sh's tree
		sparse tests/vm/modules "${modules[@]##*/}" || return
	fi
	awk '{ files += $1 } END { print files + 0 }' "$work/sparse.count" >"$work/sparse.files"
}

# The kernel's own rules for coccinelle; those that are scripted in OCaml are left out, as
# Debian's spatch has Python only.
# What the module is compiled to: names, and what NMIs reach.
lint_symbols()
{
	local copy=$work/symbols

	rm -rf "$copy"
	mkdir -p "$copy"
	cp -rL "$tree/Kbuild" "$tree/module" "$copy/"
	kernel_make 6.1 M="$copy" -j "$jobs" modules >"$work/symbols.log" 2>&1 || {
		cat "$work/symbols.log" >&2
		return 1
	}
	find "$copy/module" -name '*.o' | wc -l >"$work/symbols.files"
	"$top/tools/lint/symbols.py" "$copy"/*.ko "$tree"
}

lint_coccinelle()
{
	local log=$work/coccinelle

	kernel_code | grep '\.c$' >"$work/coccinelle.list"
	wc -l <"$work/coccinelle.list" >"$work/coccinelle.files"
	mapfile -t files <"$work/coccinelle.list"
	grep -rlE '^virtual .*report' --include='*.cocci' "$linux/scripts/coccinelle" |
		xargs grep -LE 'ocaml' | sort >"$work/coccinelle.rules"
	rm -rf "$log"
	mkdir -p "$log"
	# shellcheck disable=SC2016
	(cd "$tree" && xargs -a "$work/coccinelle.rules" -P "$jobs" -I RULE bash -c '
		rule=$1 log=$2
		shift 2
		name=$(basename "$rule" .cocci)
		spatch --very-quiet -D report --no-includes --include-headers \
			--cocci-file "$rule" "$@" >"$log/$name.out" 2>"$log/$name.err" || {
				cat "$log/$name.err" >&2
				exit 1
			}
		sed -nE "s|^([^ :]+:[0-9]+).*|& [$name]|p" "$log/$name.out"
		' spatch RULE "$log" "${files[@]}")
}

# commands - userspace's C files, as Meson compiles them, in $work/compile_commands.json and
# $work/userspace
commands()
{
	[[ -f $build/compile_commands.json ]] || return
	"$top/tools/lint/commands.py" "$build/compile_commands.json" "$tree" \
		"$work/compile_commands.json" >"$work/userspace"
}

# A file that is not compiled is not looked at; that must not go unnoticed.
uncompiled()
{
	comm -13 <(sort "$work/userspace") <(comm -23 <(sources '*.c') <(kernel_code | sort)) |
		sed 's|$|:1: not in compile_commands.json, so not looked at [uncompiled]|'
}

lint_cppcheck()
{
	commands || return
	wc -l <"$work/userspace" >"$work/cppcheck.files"
	(cd "$tree" && cppcheck --project="$work/compile_commands.json" --quiet -j "$jobs" \
		--enable=warning,performance,portability --inline-suppr \
		--library=posix,gnu --template='{file}:{line}: {message} [{id}]' \
		>"$work/cppcheck.log" 2>&1) || { cat "$work/cppcheck.log" >&2; return 1; }
	sed -nE "s#^($tree/)?([^ :]+:[0-9]+: )#\2#p" "$work/cppcheck.log"
}

lint_clang-tidy()
{
	commands || return
	wc -l <"$work/userspace" >"$work/clang-tidy.files"
	# One file at a time: the analyzer of clang 14 mixes va_lists up in longer runs.
	(cd "$tree" && xargs -a "$work/userspace" -P "$jobs" -n 1 clang-tidy --quiet \
		-p "$work" >"$work/clang-tidy.log" 2>"$work/clang-tidy.err") ||
		grep -q ': error: ' "$work/clang-tidy.log" || {
			cat "$work/clang-tidy.err" >&2
			return 1
		}
	# Meson names files by way of the build folder, if that is in the tree.
	sed -nE -e "s#^$tree/##" -e 's#^[^ :]*\.\./##' \
		-e '/^[^ :]+:[0-9]+:[0-9]+: (warning|error): /p' "$work/clang-tidy.log"
	uncompiled
}

packages() { "$top/tools/packages.sh" "$@"; }

# prepare CHECKER - what it needs, and no more; userspace is set up for those that ask how it is
# compiled
prepare()
{
	mkdir -p "$work"
	case $1 in
	shellcheck) packages --lint --only=shellcheck ;;
	symbols) packages --guests && "$vm/cache.sh" ;;
	sparse) packages --guests && packages --lint --only=sparse && "$vm/cache.sh" ;;
	checkpatch) packages --lint --only=perl && linux=$(linux_source 6.1) ;;
	coccinelle) packages --lint --only=coccinelle && linux=$(linux_source 6.1) ;;
	cppcheck | clang-tidy)
		packages && packages --lint --only="$1" &&
			{ [[ $tree != "$top" ]] || "$top/tools/build.sh"; }
		;;
	esac
}

failed=false
unable=false

# note CHECKER [REASON] - the verdict in the tally; with a reason, it failed
note()
{
	if [[ $# -eq 1 ]]; then
		tally_ran "$tally" host lint 1 0 0
	else
		tally_ran "$tally" host lint 0 1 0
		tally_fail "$tally" host lint "$1" "$2"
	fi
}

# could_not CHECKER WHAT
could_not()
{
	unable=true
	printf 'NOT OK  %-11s %s\n' "$1" "$2"
	note "$1" "$2"
}

judge()
{
	local name=$1 began=$SECONDS findings=$work/$1.findings left exempted

	prepare "$name" || { could_not "$name" "what it needs could not be had"; return; }
	"lint_$name" >"$findings" || { could_not "$name" "could not be run"; return; }
	"$top/tools/lint/judge.py" "$name" "$exempt" <"$findings" >"$work/$name.judged" ||
		{ could_not "$name" "could not be judged"; return; }
	read -r left exempted < <(tail -n 1 "$work/$name.judged")
	head -n -1 "$work/$name.judged"
	printf '%-7s %-11s %s files, %s findings, %s exempt, %s s\n' \
		"$([[ $left -eq 0 ]] && echo ok || echo 'NOT OK')" "$name" \
		"$(cat "$work/$name.files")" "$left" "$exempted" $((SECONDS - began))
	tally_took "$tally" host lint "$name" $((SECONDS - began))
	if [[ $left -eq 0 ]]; then
		note "$name"
	else
		failed=true
		note "$name" "$left findings, first $(head -n 1 "$work/$name.judged")"
	fi
}

while getopts qt: option; do
	case $option in
	q) checkers=("${quick[@]}") ;;
	t) tally=$OPTARG ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))
[[ $# -gt 0 ]] || set -- "${checkers[@]}"
for name; do
	declare -F "lint_$name" >/dev/null || {
		say "error: no checker $name (${checkers[*]})"
		exit 2
	}
done
for name; do
	judge "$name"
done
echo "logs:   $work; $SECONDS s in all"
! $unable || exit 2
! $failed
