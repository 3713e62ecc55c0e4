#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The one list of packages that the build, the tests and the static checks need.
#
#	packages.sh [SET...]		install what is missing (Debian, as root), or name it and
#					stop
#	packages.sh [SET...] --check	name what is missing and stop; install nothing
#	packages.sh [SET...] --list	print the packages' names
#
# SET is --tests, --packaging or --lint: what the tests need, making and testing packages of this
# tree, or the static checks, beside the build.
#
# Exit codes: 0 all there, 1 installing failed, 2 something is missing and can't be installed.

set -euo pipefail

# package	how to see that it is there, whatever system this is:
#		"cmd NAME", "header NAME", "lib NAME" (pkg-config), "python NAME" (module),
#		"file PATH"
table="
gcc		cmd gcc
gcc-12		cmd gcc-12
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
cpio		cmd cpio
kmod		cmd depmod
xz-utils	cmd xz
zstd		cmd zstd
"

tests="
libxml2-utils	cmd xmllint
python3-jsonschema	python jsonschema
linux-perf	cmd perf
valgrind	cmd callgrind_annotate
google-perftools	cmd google-pprof
chromium	cmd chromium
chromium-driver	cmd chromedriver
flex		cmd flex
bison		cmd bison
bc		cmd bc
systemd		cmd systemd-analyze
dkms		cmd dkms
openssl		cmd openssl
bash-completion	file /usr/share/bash-completion/bash_completion
zsh		cmd zsh
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

while :; do
	case ${1:-} in
	--tests) table+=$tests ;;
	--packaging) table+=$packaging ;;
	--lint) table+=$lint ;;
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
	python) python3 -c "import $2" ;;
	file) [[ -e $2 ]] ;;
	esac >/dev/null 2>&1
}

wanted() { awk 'NF { print $1 }' <<<"$table"; }

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
	done <<<"$table"
}

install=true
case ${1:-} in
"") ;;
--check) install=false ;;
--list) wanted; exit 0 ;;
*) say "error: unknown option $1 (--tests, --packaging, --lint, then --check or --list, are known)"; exit 2 ;;
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

say "installing: ${packages[*]}"
export DEBIAN_FRONTEND=noninteractive
install=(apt-get -qq -y -o DPkg::Lock::Timeout=300 -o Acquire::Retries=5
	-o Dpkg::Use-Pty=0 install --no-install-recommends "${packages[@]}")
for try in 1 2 3; do
	# The index may be empty on a new machine, or too old for the mirror.
	if apt-get -qq update && "${install[@]}" >/dev/null; then
		exit 0
	fi
	say "that failed (try $try of 3)"
done
say "error: apt-get could not install them; to see why: apt-get install ${packages[*]}"
exit 1
