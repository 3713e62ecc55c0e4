#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# ClickHouse, ZooKeeper and Java from Debian's archive, unpacked into the cache; nothing is
# installed.
#
#	servers.sh	prints the folder that has usr/sbin/clickhouse-server,
#			usr/lib/jvm/*/bin/java and usr/share/java/zookeeper.jar
#
# Exit codes: 0, 1 failed, 2 this machine has no Debian archive.

. "$(dirname "$0")/../vm/common.sh"
. "$top/tests/vm/archive.sh"

root=$cache/clickhouse
packages=(clickhouse-server libzookeeper-java default-jre-headless)
hold "$cache/clickhouse.lock"
if [[ $(cat "$root/complete" 2>/dev/null) != "${packages[*]}" ]]; then
	archive_setup
	archive_update
	list=$(archive_closure $archive_suite "${packages[@]}")
	mapfile -t files <<<"$list"
	archive_fetch $archive_suite "${packages[@]}"
	rm -rf "$root"
	mkdir -p "$root/usr"/{bin,sbin,lib}
	# as the system has them: what belongs to /lib goes to /usr/lib
	for name in bin sbin lib; do ln -s usr/$name "$root/$name"; done
	archive_unpack "$root" "${files[@]}"
	# Java's configuration is in /etc of the system that it is installed on
	find "$root" -type l -lname '/*' -printf '%p\t%l\n' |
		while IFS=$'\t' read -r link target; do ln -sfn "$root$target" "$link"; done
	echo "${packages[*]}" >"$root/complete"
fi
echo "$root"
