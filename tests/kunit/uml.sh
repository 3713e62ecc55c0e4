#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs the KUnit suites of what is free of x86 with the kernel's own kunit.py, on user-mode
# Linux: an unmodified kernel and framework, but for our folder in drivers/misc.
#
#	uml.sh [-t FILE] [SUITE]
#
#	-t FILE		note down results in FILE, see tests/tally.sh
#	SUITE		only this one, as kunit.py filters (oprofile_core, say)
#
# The kernel is built once, in the cache, and used by one run at a time, whatever checkout it
# comes from; later only our files are compiled:
#
#	kunit-VERSION_RECIPE/source	linked copy of source-6.1, with our folder
#	kunit-VERSION_RECIPE/build	O= of it
#	kunit-VERSION_RECIPE/dirty	make is at work there, or was when it was killed

. "$(dirname "$0")/../vm/common.sh"
# shellcheck source=../vm/archive.sh
. "$vm/archive.sh"
# shellcheck source=../vm/source.sh
. "$vm/source.sh"

series=6.1
kunit=$top/tests/kunit
folder=$build/kunit/uml		# of this checkout: logs and results

tally=
while getopts t: option; do
	case $option in
	t) tally=$OPTARG ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))
suite=${1:-}

# tree_make FOLDER - a copy of the source, with a place for us
tree_make()
{
	local tree=$1 misc

	cp -al "$linux" "$tree"
	misc=$tree/drivers/misc
	mkdir "$misc/oprofile"
	# sed -i and ln -sf write new files, so the original is not touched through the links.
	# shellcheck disable=SC2016  # make's own variable
	sed -i '$a obj-$(CONFIG_OPROFILE_KUNIT_TEST) += oprofile/' "$misc/Makefile"
	sed -i '$i source "drivers/misc/oprofile/Kconfig"' "$misc/Kconfig"
	tail -n 2 "$misc/Kconfig" | head -n 1 | grep -q oprofile ||
		die "drivers/misc/Kconfig does not end as it did"
}

# tree_settle - the tree that is there, or a new one; what a run left unfinished is not trusted
tree_settle()
{
	local new

	rm -rf "$cache"/.kunit.*
	if [[ ! -e $tree/complete ]]; then
		new=$(mktemp -d "$cache/.kunit.XXXXXX")
		tree_make "$new/source"
		touch "$new/complete"
		rm -rf "$tree"
		mv -T "$new" "$tree"
	fi
	[[ ! -e $tree/dirty ]] || rm -rf "$tree/build"
	mkdir -p "$tree/build"
}

# tree_link - put this checkout's files into the tree.  make goes by time stamps, which say
# nothing when the files are of another checkout.
tree_link()
{
	local place=$tree/source/drivers/misc/oprofile

	[[ $(readlink "$place/module") = "$top/module" ]] ||
		rm -rf "$tree/build/drivers/misc/oprofile"
	ln -sfn "$top/module" "$place/module"
	ln -sfn "$kunit" "$place/kunit"
	ln -sfn "$kunit/Kbuild" "$place/Kbuild"
	ln -sfn "$kunit/Kconfig" "$place/Kconfig"
}

kunit_py()
{
	(cd "$tree/source" && tools/testing/kunit/kunit.py "$@")
}

# tree_build - into build.log; once more after the one failure that comes and goes with parallel
# make
tree_build()
{
	local try status options=(--build_dir="$tree/build" --kunitconfig="$kunit/kunitconfig")

	for try in 1 2; do
		status=0
		touch "$tree/dirty"
		{
			kunit_py config "${options[@]}" &&
				kunit_py build "${options[@]}" --jobs=2
		} >"$folder/build.log" 2>&1 || status=$?
		rm "$tree/dirty"
		[[ $status -ne 0 ]] || return 0
		grep -q 'check-local-export: .*nm failed' "$folder/build.log" || break
		say "nm failed in the build (try $try of 2)"
	done
	tail -n 40 "$folder/build.log" >&2
	die "the suites do not compile for user-mode Linux (log: $folder/build.log)"
}

# What the console must not have from the first suite to the end, be the results as they may.
# (Before that, um_pci_init() warns of a device that kunit.py configures without its number.)
complaints()
{
	sed -n '/TAP version/,$p' "$folder/console.log" |
		grep -aE 'BUG[ :]|WARNING:|Kernel panic|Oops|INFO: ' | head -n 3 | tr '\n' ';' || true
}

hold "$cache/kunit.lock"
mkdir -p "$folder"
linux=$(linux_source $series)
recipe=$({ declare -f tree_make; cat "$kunit/kunitconfig"; gcc --version; } | sha256sum)
tree=$cache/kunit-$(basename "$linux")_${recipe:0:16}
tree_settle
tree_link
tree_build

rm -f "$tree/build/test.log" "$folder"/{console.log,results.json}
complaint=
kunit_py exec --build_dir="$tree/build" --timeout=300 --json="$folder/results.json" \
	${suite:+"$suite"} >"$folder/kunit.log" 2>&1 || complaint="kunit.py is not content. "
cp "$tree/build/test.log" "$folder/console.log"
complaint+=$(complaints)

# What tests/kunit/Kbuild builds without an x86.
sources=("$kunit"/*_test.c "$kunit"/images/*_test.c "$kunit"/unwind/{map,table}_test.c
	"$kunit"/backends/{ticker,timer}_test.c)
[[ -z $suite ]] || mapfile -t sources < <(grep -lE "TEST_SUITE(_AT)?\($suite," "${sources[@]}")
status=0
"$kunit/results.py" -k uml -t "${tally:-/dev/null}" ${complaint:+-c "$complaint"} \
	"$folder/results.json" "${sources[@]}" || status=$?
[[ $status -eq 0 ]] || echo "logs:   $folder/{build,kunit,console}.log"
exit $status
