# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
#
# Linux's source, as Debian packages it, unpacked in the cache: for kernels that are built for
# tests, and for KUnit.  Nobody writes into it: build elsewhere (make O=), change a copy (cp -al
# makes one of links, in seconds; what is written by renaming stays apart).  Sourced after
# common.sh and archive.sh.
#
#	source-6.1 -> source-6.1_VERSION	(and one for each other series)

# linux_source SERIES - print the folder of its source; fetch it if it is not there.  Needs the
# lock of the cache, so not to be called by who holds it.
linux_source()
{
	local name=source-$1 package=linux-source-$1

	if [[ ! -e $cache/$name/complete ]]; then
		(
			hold "$cache/lock"
			[[ -e $cache/$name/complete ]] || linux_source_fill "$name" "$package"
		) || return
	fi
	readlink -e "$cache/$name"
}

# linux_source_fill NAME PACKAGE
linux_source_fill()
{
	local name=$1 package=$2 new version folder file

	say "fetching $package from Debian's archive"
	archive_setup
	archive_update
	new=$(mktemp -d "$cache/.new.XXXXXX")
	(cd "$new" && archive_apt apt-get -qq download "$package" >/dev/null) ||
		die "could not download $package"
	file=$(cd "$new" && echo "$package"_*.deb)
	version=$(dpkg-deb --field "$new/$file" Version | tr ':' '.')
	folder=${name}_$version
	dpkg-deb --fsys-tarfile "$new/$file" |
		tar -x -O "./usr/src/$package.tar.xz" | xz -d -T 0 |
		tar -x -C "$new" --strip-components=1 || die "could not unpack $file"
	rm "$new/$file"
	touch "$new/complete"
	chmod 755 "$new"
	rm -rf "${cache:?}/$folder"
	mv -T "$new" "$cache/$folder"
	ln -sfn "$folder" "$cache/.$name.link"
	mv -T "$cache/.$name.link" "$cache/$name"
	say "$name is $folder"
}
