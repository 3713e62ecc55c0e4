#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# ClickHouse from Debian's archive, unpacked into the cache; nothing is installed.
#
#	servers.sh	prints the folder that has usr/sbin/clickhouse-server and its libraries
#
# Exit codes: 0, 1 failed, 2 this machine has no Debian archive.

. "$(dirname "$0")/../vm/common.sh"
. "$top/tests/vm/archive.sh"

root=$cache/clickhouse
hold "$cache/clickhouse.lock"
if [[ ! -e $root/complete ]]; then
	archive_setup
	archive_update
	list=$(archive_closure $archive_suite clickhouse-server)
	mapfile -t files <<<"$list"
	archive_fetch $archive_suite clickhouse-server
	rm -rf "$root"
	mkdir -p "$root/usr"/{bin,sbin,lib}
	# as the system has them: what belongs to /lib goes to /usr/lib
	for name in bin sbin lib; do ln -s usr/$name "$root/$name"; done
	archive_unpack "$root" "${files[@]}"
	touch "$root/complete"
fi
echo "$root"
