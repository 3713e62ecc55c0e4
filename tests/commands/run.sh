#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests of commands: a script NAME.sh runs programs, and what they write is compared with NAME.txt.
#
#	run.sh [--renew] [NAME...]
#
# Without a name all tests run.  By hand, after "ninja -C build":
#
#	tests/commands/run.sh opreport_callgraph	# one test; prints the differences
#	BUILD=other tests/commands/run.sh		# all, with the programs below other/
#	make renew TEST=opreport_callgraph		# writes the .txt; then: git diff
#
# A script runs in an empty directory with the built programs in PATH, after lib.sh, whose head
# says what it offers.  The exit status is 0 if nothing differs, 77 if all tests were skipped.

set -u

top=$(cd "$(dirname "$0")/../.." && pwd)
BUILD=$(realpath "${BUILD:-$top/build}")
commands=$top/tests/commands
seconds=${TEST_SECONDS:-600}

case ${1-} in
--renew) renew=1; shift ;;
*) renew= ;;
esac

# A python3 that is a script (pyenv's) takes ten times as long to start as the one that it finds.
PATH=$(python3 -c 'import os, sys; print(os.path.dirname(sys.executable))'):$PATH
for folder in "$BUILD"/pp "$BUILD"/daemon "$BUILD"/daemon/operf "$BUILD"/utils/*/ \
	"$BUILD"/tests/commands; do
	PATH=${folder%/}:$PATH
done
export PATH BUILD LC_ALL=C TZ=UTC TERM=dumb TOP=$top COMMANDS=$commands
export SOURCES=$top/tests/unit/pp
unset DEBUGINFOD_URLS PAGER LESS NO_COLOR COLUMNS OPROFILE_EVENTS_DIR

# Where that is allowed, its files are in memory: a disk that others use takes long for thousands of
# syncs.  The path stays one in /tmp, whose length and place in an order the expected output has.
work=${OP_TEST_WORK:-$(mktemp -d /tmp/op-XXXXXX)}
if [[ -z ${OP_TEST_WORK:-} ]]; then
	trap 'rm -rf "$work"' EXIT
	export OP_TEST_WORK=$work
	memory=(mount -t tmpfs -o mode=700 op-test "$work")
	if unshare --mount "${memory[@]}" 2>/dev/null; then
		# shellcheck disable=SC2016 # expanded by the inner shell
		unshare --mount bash -c '"${@:2:$1}" && exec "${@:2+$1}"' memory ${#memory[@]} \
			"${memory[@]}" "$0" ${renew:+--renew} "$@"
		exit
	fi
fi
unset OP_TEST_WORK

# The path of the directory is not the same in two runs.
settled()
{
	sed -e "s#$work/s#@DIR@#g" -e "s#$work#@WORK@#g"
}

# run NAME - 0: as expected; 77: skipped
run()
{
	local name=$1 status
	local script=$commands/$name.sh expected=$commands/$name.txt

	if [[ ! -f $script ]]; then
		echo "run.sh: error: there is no test $name" >&2
		return 2
	fi
	rm -rf "${work:?}"/*
	mkdir "$work/s"
	(
		cd "$work/s" || exit
		export WORK=$work DIR=$work/s HOME=$work/home XDG_CACHE_HOME=$work/home/cache
		export OPROFILE_SYMBOLS=$work/home/symbols
		# shellcheck disable=SC2016 # expanded by the inner shell
		exec timeout -k 5 "$seconds" sh -eu -c '. "$COMMANDS/lib.sh"; . "$1"' sh "$script"
	) >"$work/out" 2>"$work/log" </dev/null
	status=$?
	if [[ $status = 77 ]]; then
		echo "skipped: $name: $(tail -n 1 "$work/log")"
		return 77
	fi
	if [[ $status != 0 || -s $work/log ]]; then
		settled <"$work/out" | tail -n 20
		echo "$name: status $status: $(settled <"$work/log")"
		return 1
	fi
	settled <"$work/out" >"$work/settled"
	if [[ $renew ]]; then
		cp "$work/settled" "$expected"
	else
		diff -u --label "$name.txt" --label "$name" "$expected" "$work/settled"
	fi
}

names=("$@")
if [[ $# = 0 ]]; then
	for script in "$commands"/*_*.sh; do
		names+=("$(basename "$script" .sh)")
	done
fi

result=77
for name in "${names[@]}"; do
	run "$name"
	case $?:$result in
	0:77) result=0 ;;
	77:* | 0:*) ;;
	*) result=1 ;;
	esac
done
exit $result
