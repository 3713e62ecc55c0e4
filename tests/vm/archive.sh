# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
#
# Debian's archive, seen through an apt of our own in the cache: it knows one suite with what
# belongs to it (bookworm with its security updates and its backports, or unstable), takes its
# address, signing key and proxy from the machine's own apt configuration, and an empty list of
# installed packages, so that what it resolves is the same on every machine.  It can't change the
# system: packages are only downloaded (and checked by apt) and unpacked into the cache.  Sourced
# after common.sh.

archive_suite=bookworm
archive=''		# the folder of the apt in use

# The stanza of the machine's sources that names a repository, as "URI FILE:NUMBER".
archive_entry()
{
	local suite=$1

	# shellcheck disable=SC2016  # apt's own variables
	apt-get indextargets --format '$(RELEASE) $(CODENAME) $(REPO_URI) $(SOURCESENTRY)' \
		'Created-By: Packages' 2>/dev/null |
		awk -v suite="$suite" '$1 == suite || $2 == suite { print $(NF - 1), $NF; exit }'
}

# The Signed-By of an entry of the machine's sources (FILE:NUMBER), as a deb822 field, or
# nothing.  In a .sources file NUMBER counts stanzas, in a .list file lines.
archive_signed_by()
{
	local file=${1%:*} number=${1##*:}

	case $file in
	*.sources)
		awk -v number="$number" '
			/^#/ { next }
			/^[[:space:]]*$/ { inside = 0; field = 0; next }
			!inside { inside = 1; stanza++ }
			/^[^[:space:]]/ { field = tolower($0) ~ /^signed-by:/ }
			field && stanza == number' "$file"
		;;
	*)
		sed -n "${number}p" "$file" |
			sed -nE 's/^[^[]*\[[^]]*signed-by=([^] ]+).*/Signed-By: \1/p' | tr -d '"' |
			tr ',' ' '
		;;
	esac
}

archive_stanza()
{
	local uri=$1 entry=$2
	shift 2

	printf 'Types: deb\nURIs: %s\nSuites: %s\nComponents: main\nArchitectures: amd64\n' \
		"$uri" "$*"
	archive_signed_by "$entry"
	echo
}

# archive_setup [SUITE] - use the apt that knows SUITE (default: bookworm); stop if the machine has
# no Debian archive
archive_setup()
{
	local suite=${1:-$archive_suite} main='' security='' name codename names

	if ! command -v apt-get >/dev/null || ! command -v dpkg-deb >/dev/null; then
		missing "apt-get: the guest's kernels, QEMU and programs are packages of Debian" \
			"(only 'make build' and 'make unit' work on this system)"
	fi
	# The entry of another suite has the same address.
	# shellcheck disable=SC1091
	codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
	for name in "$suite" $archive_suite $codename; do
		[[ -n $main ]] || main=$(archive_entry "$name")
		[[ -n $security ]] || security=$(archive_entry "$name-security")
	done
	[[ -n $main ]] ||
		missing "an entry for Debian's archive in /etc/apt/sources.list or" \
			"/etc/apt/sources.list.d (apt-get indextargets shows those there are)"

	archive=$cache/apt
	names=("$suite" "$suite-backports")
	if [[ $suite == unstable ]]; then
		archive+=-unstable
		names=("$suite")
		security=''
	fi
	mkdir -p "$archive"/{lists,archives,none}/partial
	: >"$archive/status"
	{
		# shellcheck disable=SC2086
		archive_stanza $main "${names[@]}"
		# shellcheck disable=SC2086
		[[ -z $security ]] || archive_stanza $security "$suite-security"
	} >"$archive/oprofile.sources"

	# How to download (a proxy, say) is the machine's; all else is ours.
	{
		apt-config dump Acquire | grep -v '^Acquire::Languages'
		cat <<-CONF
		Acquire::Languages "none";
		Acquire::Retries "5";
		APT::Architecture "amd64";
		APT::Architectures { "amd64"; };
		APT::Sandbox::User "root";
		Dir::Etc::parts "/dev/null";
		Dir::Etc::main "/dev/null";
		Dir::Etc::sourcelist "$archive/oprofile.sources";
		Dir::Etc::sourceparts "/dev/null";
		Dir::Etc::preferences "/dev/null";
		Dir::Etc::preferencesparts "/dev/null";
		Dir::State "$archive";
		Dir::State::status "$archive/status";
		Dir::Cache "$archive";
		CONF
	} >"$archive/apt.conf"
}

archive_apt()
{
	local tool=$1
	shift
	APT_CONFIG=$archive/apt.conf "$tool" "$@"
}

# archive_update - learn what the archive holds now
archive_update()
{
	local try

	for try in 1 2 3; do
		archive_apt apt-get -qq update && return
		say "reading the archive's index failed (try $try of 3)"
	done
	die "could not read the index of Debian's archive; 'apt-get update' shows if the machine can"
}

# archive_has PACKAGE - can it be had?  Names that only others depend on are known, too.
archive_has()
{
	local policy # all of it is read: apt is not to be stopped in the middle
	policy=$(archive_apt apt-cache policy "$1")
	grep -q '^ *Candidate: [0-9]' <<<"$policy"
}

# archive_newest_kernel SERIES SUFFIX - the newest release of a series whose image and headers can
# be had: a new one has its headers some time before its image, which is signed in between
archive_newest_kernel()
{
	local name release
	for name in $(archive_apt apt-cache pkgnames "linux-headers-$1." |
		grep -E "^linux-headers-${1//./\\.}\.[0-9][^ ]*$2\$" | sort -rV); do
		release=${name#linux-headers-}
		if archive_has "$name" && archive_has "linux-image-$release"; then
			echo "$release"
			return
		fi
	done
}

# archive_closure SUITE PACKAGE... - "FILE" of each package that a machine with nothing on
# it would install for them, preferring the suite
archive_closure()
{
	local suite=$1 uris
	shift
	# apt leaves out what it has downloaded already, hence the empty folder
	uris=$(archive_apt apt-get install -qq --print-uris --no-install-recommends \
		-o "Dir::Cache::archives=$archive/none" -t "$suite" "$@") || die "the archive can't satisfy: $*"
	awk '{ print $2 }' <<<"$uris"
}

# archive_fetch SUITE PACKAGE... - download the closure
archive_fetch()
{
	local suite=$1 try
	shift
	for try in 1 2 3; do
		archive_apt apt-get install -qq -y --download-only --no-install-recommends \
			-t "$suite" "$@" >/dev/null && return
		say "download failed (try $try of 3)"
	done
	die "could not download: $*"
}

# archive_unpack DIR FILE... - unpack downloaded packages; where DIR has a link to a folder
# (/bin), what belongs there goes through it
archive_unpack()
{
	local dir=$1 file
	shift
	for file; do
		# print-uris spells an epoch as apt's cache does, with %3a
		dpkg-deb --fsys-tarfile "$archive/archives/$file" |
			tar -x -C "$dir" --keep-directory-symlink || die "could not unpack $file"
	done
}
