#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tries this tree on other releases of Debian, each in a minimal root file system of its own: the
# two commands of README.md on one that has nothing installed, and builds with other compilers, for
# which warnings are errors.
#
#	platforms.sh [-t FILE] [TRIAL...]
#
#	-t FILE		append to that tally (see tally.sh), as the suite "platforms"
#	TRIAL		SUITE:demo, SUITE:check, or SUITE:COMPILER; default: those below
#
# The root file systems are made by the machine's own apt configuration; what is tried in them is
# what git knows of this tree.  Each of them is removed at the end, and takes up to 6 GB.  Logs are
# in build/platforms.

. "$(dirname "$0")/vm/common.sh"
. "$top/tests/vm/archive.sh"
. "$top/tests/tally.sh"

# The stable release after the one that CI runs on, whole; and compilers where they are packaged.
# A release that is not out yet has whatever is newest.
trials="trixie:demo trixie:check
bookworm:gcc-12 bookworm:clang-14 bookworm:clang-16
trixie:gcc-13 trixie:gcc-14 trixie:clang-17 trixie:clang-19
unstable:gcc-15 unstable:gcc unstable:clang"

tally=''
if [[ ${1:-} == -t ]]; then
	tally=$2
	shift 2
fi
# shellcheck disable=SC2086
[[ $# -gt 0 ]] || set -- $trials
logs=$build/platforms
mkdir -p "$logs"
"$top/tools/packages.sh" --packaging --only=mmdebstrap
scratch=$(mktemp -d "${TMPDIR:-/tmp}/platforms.XXXXXX")
# in the mount namespaces of what ran in there, which have ended, other things were mounted
trap 'rm -rf --one-file-system "$scratch"' EXIT
passed=0 failed=0

# root_make SUITE - a root file system with git and make, and what git knows of this tree
root_make()
{
	local root=$scratch/$1

	archive_setup "$1"
	apt-config dump Acquire >"$scratch/acquire"
	mmdebstrap --variant=minbase --mode=root --aptopt="$scratch/acquire" \
		--include=ca-certificates,git,make "$1" "$root" "$archive/oprofile.sources"
	cp -L /etc/resolv.conf "$root/etc/" 2>/dev/null || true
	mkdir "$root/root/tree"
	git -C "$top" ls-files -z | tar -C "$top" --null -T - -c | tar -C "$root/root/tree" -x
	git -C "$root/root/tree" init -q
	git -C "$root/root/tree" add -A
}

# root_run SUITE COMMAND... - in the tree there, with mount and process namespaces of its own
root_run()
{
	local root=$scratch/$1
	shift

	# as the root of all mounts, or namespaces made in there would be others than on a machine
	# shellcheck disable=SC2016 # of the bash below
	unshare --mount --pid --fork --propagation private bash -euc '
		mount --bind "$1" "$1"
		mount -t proc proc "$1/proc"
		mount --rbind /sys "$1/sys"
		mount --rbind /dev "$1/dev"
		cd "$1"
		pivot_root . .
		umount -l .
		exec /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
			LANG=C.UTF-8 TERM=dumb DEBIAN_FRONTEND=noninteractive \
			/bin/bash -euc "cd /root/tree && \"\$@\"" bash "${@:2}"' \
		bash "$root" "$@"
}

# compiler_try SUITE COMPILER - build userspace with it
compiler_try()
{
	local cxx=${2/gcc/g++}

	cxx=${cxx/clang/clang++}
	# shellcheck disable=SC2016 # of the bash in there
	root_run "$1" bash -euc '
		apt-get -qq update
		apt-get -qq install -y --no-install-recommends $(tools/packages.sh --list) "$1" $4
		export CC="$1" CXX="$2" WERROR=1 BUILD="build-$3"
		tools/build.sh
		"$1" --version | head -n 1' \
		bash "$2" "$cxx" "$2" "$([[ $2 == clang* ]] || echo "$cxx")"
}

# trial SUITE WHAT
trial()
{
	[[ -d $scratch/$1 ]] || root_make "$1"
	case $2 in
	demo | check) root_run "$1" make "$2" ;;
	*) compiler_try "$1" "$2" ;;
	esac
}

for each; do
	suite=${each%%:*} what=${each#*:} begin=$SECONDS
	log=$logs/$suite-$what.log
	if (trial "$suite" "$what") >"$log" 2>&1; then
		passed=$((passed + 1))
		printf 'ok      %-10s %-10s %4d s: %s\n' "$suite" "$what" $((SECONDS - begin)) \
			"$(tail -n 1 "$log")"
		tally_ran "$tally" host platforms 1 0 0
	else
		failed=$((failed + 1))
		printf 'NOT OK  %-10s %s: %s\n' "$suite" "$what" "$(tail -n 1 "$log")"
		tally_ran "$tally" host platforms 0 1 0
		tally_fail "$tally" host platforms "$each" "$(tail -n 1 "$log")"
	fi
	tally_took "$tally" host platforms "$each" $((SECONDS - begin))
done
echo "logs:   $logs"
echo "$passed passed, $failed failed"
[[ $failed -eq 0 ]]
