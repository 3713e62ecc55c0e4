#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The one list of packages that the build, the tests and the static checks need.
#
#	packages.sh [SET...] [--only=NAME[,NAME...]]
#					install what is missing (Debian and Ubuntu, as root), or
#					name it with the command that does (Fedora and Arch, too)
#					and stop
#	packages.sh [SET...] [--only=...] --check
#					name what is missing and stop; install nothing
#	packages.sh [SET...] [--only=...] --list
#					print the packages' names
#
# SET is --guests, --tests, --deb, --rpm, --packaging or --lint: what guests need, the tests (with
# what guests need), "make deb", "make rpm", making and testing packages of this tree, or the static
# checks, beside the build.  --only leaves just these packages of them.
#
# Releases differ: where the archive has no package of that name, what needs it is skipped by the
# tests, and the build and guests can't do without.
#
# Exit codes: 0 all there, 1 installing failed, 2 something is missing and can't be installed.

set -euo pipefail

# Names of Debian (and Ubuntu), Fedora and Arch; "-": it has none, or none that is of use.  Then how
# to see that it is there, whatever system this is: "cmd NAME", "header NAME...", of which one is
# enough, "lib NAME" (pkg-config), "python NAME" (module).
table="
gcc			gcc			gcc			cmd gcc
g++			gcc-c++			gcc			cmd g++
libc6-dev		glibc-devel		glibc			header stdio.h
make			make			make			cmd make
meson			meson			meson			cmd meson
ninja-build		ninja-build		ninja			cmd ninja
pkgconf			pkgconf-pkg-config	pkgconf			cmd pkg-config
binutils-dev		binutils-devel		binutils		header bfd.h
libiberty-dev		binutils-devel		binutils		header libiberty/demangle.h demangle.h
libpopt-dev		popt-devel		popt			lib popt
libcmocka-dev		libcmocka-devel		cmocka			lib cmocka
libdw-dev		elfutils-devel		libelf			lib libdw
libelf-dev		elfutils-libelf-devel	libelf			lib libelf
libkmod-dev		kmod-devel		kmod			lib libkmod
zlib1g-dev		zlib-devel		zlib			lib zlib
libzstd-dev		libzstd-devel		zstd			lib libzstd
libncurses-dev		ncurses-devel		ncurses			lib ncursesw
libarchive-dev		libarchive-devel	libarchive		lib libarchive
libcurl4-openssl-dev	libcurl-devel		curl			lib libcurl
libyajl-dev		yajl-devel		yajl			lib yajl
liblzma-dev		xz-devel		xz			lib liblzma
libpfm4-dev		libpfm-devel		libpfm			header perfmon/pfmlib.h
"

# The headers of Debian 12's kernels name gcc-12; those of newer kernels bring their compiler.
guests="
cpio			cpio			cpio			cmd cpio
gcc-12			-			-			cmd gcc-12
kmod			kmod			kmod			cmd depmod
xz-utils		xz			xz			cmd xz
"

tests="
libxml2-utils		libxml2			libxml2			cmd xmllint
python3-jsonschema	python3-jsonschema	python-jsonschema	python jsonschema
linux-perf		perf			perf			cmd perf
valgrind		valgrind		valgrind		cmd callgrind_annotate
google-perftools	-			-			cmd google-pprof
chromium		-			chromium		cmd chromium
chromium-driver		-			chromium		cmd chromedriver
bash-completion		bash-completion		bash-completion		lib bash-completion
nodejs			nodejs			nodejs			cmd node
strace			strace			strace			cmd strace
dwz			dwz			dwz			cmd dwz
flex			flex			flex			cmd flex
bison			bison			bison			cmd bison
bc			bc			bc			cmd bc
systemd			systemd			systemd			cmd systemd-analyze
dkms			dkms			dkms			cmd dkms
openssl			openssl			openssl			cmd openssl
protobuf-compiler	protobuf-compiler	protobuf		cmd protoc
zsh			zsh			zsh			cmd zsh
zstd			zstd			zstd			cmd zstd
tmux			tmux			tmux			cmd tmux
"

deb="
debhelper		debhelper		-			cmd dh
default-jdk-headless	java-devel		jdk-openjdk		cmd javac
dh-dkms			-			-			cmd dh_dkms
"

rpm="
default-jdk-headless	java-devel		jdk-openjdk		cmd javac
rpm			rpm-build		rpm-tools		cmd rpmbuild
"

packaging="$deb$rpm
lintian			-			-			cmd lintian
mmdebstrap		-			-			cmd mmdebstrap
"

lint="
clang-tidy		clang-tools-extra	clang			cmd clang-tidy
coccinelle		coccinelle		-			cmd spatch
cppcheck		cppcheck		cppcheck		cmd cppcheck
perl			perl			perl			cmd perl
shellcheck		ShellCheck		shellcheck		cmd shellcheck
sparse			sparse			sparse			cmd sparse
"

needed=$table$guests
while :; do
	case ${1:-} in
	--guests) table+=$guests ;;
	--tests) table+=$guests$tests ;;
	--deb) table+=$deb ;;
	--rpm) table+=$rpm ;;
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
	header)
		for name in "${@:2}"; do
			echo "#include <$name>" | gcc -E -x c -DPACKAGE -DPACKAGE_VERSION - &&
				return
		done
		return 1
		;;
	lib) pkg-config --exists "$2" ;;
	python) python3 -c "import $2" ;;
	esac >/dev/null 2>&1
}

# The column of the table with the names of this system, and what installs them.
like=" $(. /etc/os-release && echo "$ID ${ID_LIKE:-}") "
column=1 installs=''
case $like in
*" debian "* | *" ubuntu "*) installs="apt-get install" ;;
*" fedora "* | *" rhel "*) column=2 installs="dnf install" ;;
*" arch "*) column=3 installs="pacman -S --needed" ;;
esac

# named COLUMN - the lines of the table with that name first, and what to look for
named() { awk -v name="$1" '$name && $name != "-" { print $name, $4, $5, $6 }' <<<"$table"; }

wanted() { named $column | awk '!seen[$1]++ { print $1 }'; }

# The packages that are missing: dpkg says at once which may be, and what of these is there
# all the same, from another source, is not missing.
missing()
{
	local package kind names known=""

	if command -v dpkg-query >/dev/null; then
		# shellcheck disable=SC2016,SC2046
		known=$(dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' $(wanted) 2>/dev/null |
			awk '$1 == "ii" { print $2 }') || true # some are unknown to it
	fi
	while read -r package kind names; do
		# shellcheck disable=SC2086
		grep -qxF "$package" <<<"$known" || there "$kind" $names || echo "$package"
	done < <(named $column) | awk '!seen[$0]++'
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
		elif [[ $package == linux-perf && -n $(offered linux-tools-generic) ]]; then
			had+=$'\n'linux-tools-generic	# as Ubuntu calls it
		else
			absent+=("$package")
		fi
	done
	mapfile -t packages < <(grep . <<<"$had")
	[[ ${#absent[@]} -eq 0 ]] || say "not in the archive: ${absent[*]}"
}

install=true
case ${1:-} in
"") ;;
--check) install=false ;;
--list) wanted; exit 0 ;;
*) say "error: unknown option $1 (see the head of this script)"; exit 2 ;;
esac

mapfile -t packages < <(missing)
[[ ${#packages[@]} -gt 0 ]] || exit 0

if [[ $installs != apt-get* || $(id -u) -ne 0 ]] || ! $install; then
	say "missing: ${packages[*]}"
	if [[ -n $installs ]]; then
		say "as root: $installs ${packages[*]}"
	else
		say "these are Debian's names: install what they hold, by whatever name it has here"
	fi
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
