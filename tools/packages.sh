#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The one list of packages that the build, the tests and the static checks need.
#
#	packages.sh [SET...] [--only=NAME[,NAME...]]
#					install what is missing (Debian, as root), or name it and
#					stop
#	packages.sh [SET...] [--only=...] --check
#					name what is missing and stop; install nothing
#	packages.sh [SET...] [--only=...] --list
#					print the packages' names
#
# SET is --guests, --tests, --packaging or --lint: what guests need, the tests (with what guests
# need), making and testing packages of this tree, or the static checks, beside the build.  --only
# leaves just these packages of them.
#
# Releases differ: where the archive has no package of that name, what needs it is skipped by the
# tests, and the build and guests can't do without.
#
# Exit codes: 0 all there, 1 installing failed, 2 something is missing and can't be installed.

set -euo pipefail

# package	how to see that it is there, whatever system this is:
#		"cmd NAME", "header NAME", "lib NAME" (pkg-config), "python NAME" (module),
#		"path NAME"
table="
gcc		cmd gcc
g++		cmd g++
libc6-dev	header stdio.h
make		cmd make
meson		cmd meson
ninja-build	cmd ninja
pkgconf		cmd pkg-config
binutils-dev	header bfd.h
libiberty-dev	header libiberty/libiberty.h
libpopt-dev	lib popt
libcmocka-dev	lib cmocka
libdw-dev	lib libdw
libelf-dev	lib libelf
libkmod-dev	lib libkmod
zlib1g-dev	lib zlib
libzstd-dev	lib libzstd
libncurses-dev	lib ncursesw
libarchive-dev	lib libarchive
libyajl-dev	lib yajl
liblzma-dev	lib liblzma
libpfm4-dev	header perfmon/pfmlib.h
"

# The headers of Debian 12's kernels name gcc-12; those of newer kernels bring their compiler.
guests="
cpio		cmd cpio
gcc-12		cmd gcc-12
kmod		cmd depmod
xz-utils	cmd xz
"

tests="
libxml2-utils	cmd xmllint
python3-jsonschema	python jsonschema
linux-perf	cmd perf
valgrind	cmd callgrind_annotate
google-perftools	cmd google-pprof
chromium	cmd chromium
chromium-driver	cmd chromedriver
bash-completion	path /usr/share/bash-completion/bash_completion
nodejs		cmd node
strace		cmd strace
flex		cmd flex
bison		cmd bison
bc		cmd bc
systemd		cmd systemd-analyze
dkms		cmd dkms
openssl		cmd openssl
zsh		cmd zsh
zstd		cmd zstd
tmux		cmd tmux
"

packaging="
debhelper		cmd dh
default-jdk-headless	cmd javac
dh-dkms			cmd dh_dkms
lintian			cmd lintian
mmdebstrap		cmd mmdebstrap
rpm			cmd rpmbuild
"

lint="
clang-tidy	cmd clang-tidy
coccinelle	cmd spatch
cppcheck	cmd cppcheck
perl		cmd perl
shellcheck	cmd shellcheck
sparse		cmd sparse
"

needed=$table$guests
while :; do
	case ${1:-} in
	--guests) table+=$guests ;;
	--tests) table+=$guests$tests ;;
	--packaging) table+=$packaging ;;
	--lint) table+=$lint ;;
	--only=*) table=$(awk -v names=",${1#*=}," 'index(names, "," $1 ",")' <<<"$table") ;;
	*) break ;;
	esac
	shift
done

say() { printf 'packages: %s\n' "$*" >&2; }

# A tool for root may be outside of PATH.
PATH=$PATH:/usr/sbin:/sbin

there()
{
	case $1 in
	cmd) command -v "$2" >/dev/null ;;
	header) echo "#include <$2>" | gcc -E -x c -DPACKAGE -DPACKAGE_VERSION - ;;
	lib) pkg-config --exists "$2" ;;
	path) [[ -e $2 ]] ;;
	python) python3 -c "import $2" ;;
	esac >/dev/null 2>&1
}

wanted() { awk 'NF && !seen[$1]++ { print $1 }' <<<"$table"; }

# The packages that are missing: dpkg says at once which may be, and what of these is there
# all the same, from another source, is not missing.
missing()
{
	local package kind name known=""

	if command -v dpkg-query >/dev/null; then
		# shellcheck disable=SC2016,SC2046
		known=$(dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' $(wanted) 2>/dev/null |
			awk '$1 == "ii" { print $2 }') || true # some are unknown to it
	fi
	while read -r package kind name; do
		[[ -z $package ]] || grep -qxF "$package" <<<"$known" || there "$kind" "$name" ||
			echo "$package"
	done < <(sort -u <<<"$table")
}

# offered PACKAGE... - those of them that apt's index has
offered()
{
	apt-cache --no-all-versions show "$@" 2>/dev/null | sed -n 's/^Package: //p' || true
}

# sort_out - leave in "packages" those that the archive has.  One that the build or guests need is
# missing then; without another, tests say that they are skipped.
sort_out()
{
	local package had absent=()

	had=$(offered "${packages[@]}")
	for package in "${packages[@]}"; do
		if grep -qxF -- "$package" <<<"$had"; then
			continue
		elif grep -q "^${package}[[:space:]]" <<<"$needed"; then
			say "error: the archive has no $package"
			exit 2
		fi
		absent+=("$package")
	done
	mapfile -t packages < <(grep . <<<"$had")
	[[ ${#absent[@]} -eq 0 ]] || say "not in the archive: ${absent[*]}"
}

install=true
case ${1:-} in
"") ;;
--check) install=false ;;
--list) wanted; exit 0 ;;
*) say "error: unknown option $1 (--guests, --tests, --packaging, --lint, then --check or --list, are known)"; exit 2 ;;
esac

mapfile -t packages < <(missing)
[[ ${#packages[@]} -gt 0 ]] || exit 0

if ! command -v apt-get >/dev/null; then
	say "missing: ${packages[*]}"
	say "this is no Debian: install what these Debian packages hold, by whatever name it has here"
	exit 2
fi
if ! $install || [[ $(id -u) -ne 0 ]]; then
	say "missing: ${packages[*]}"
	say "as root: apt-get install ${packages[*]}"
	exit 2
fi

# What the archive is known not to have is no reason to ask it again.
if [[ -n $(offered apt) && -z $(offered "${packages[@]}") ]]; then
	sort_out
	exit 0
fi
export DEBIAN_FRONTEND=noninteractive
install=(apt-get -qq -y -o DPkg::Lock::Timeout=300 -o Acquire::Retries=5
	-o Dpkg::Use-Pty=0 install --no-install-recommends)
for try in 1 2 3; do
	# The index may be empty on a new machine, or too old for the mirror.
	if apt-get -qq update; then
		sort_out
		say "installing: ${packages[*]}"
		! "${install[@]}" "${packages[@]}" >/dev/null || exit 0
	fi
	say "that failed (try $try of 3)"
done
say "error: apt-get could not install them; to see why: apt-get install ${packages[*]}"
exit 1
