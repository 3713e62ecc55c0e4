#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Prints where tests put their files: $TMPDIR if that is set, else in memory, since a disk that
# others use takes long for each sync; or else /tmp.  There must be room for the largest, and
# programs must run from there.
dir=/dev/shm
if [ -n "${TMPDIR:-}" ]; then
	dir=$TMPDIR
elif ! file=$(mktemp "$dir/oprofile-XXXXXX" 2>/dev/null); then
	dir=/tmp
else
	printf '#!/bin/sh\n' >"$file" && chmod 700 "$file" && "$file" 2>/dev/null &&
		[ "$(df -Pm "$dir" | awk 'END { print $4 }')" -ge 1024 ] || dir=/tmp
	rm -f "$file"
fi
echo "$dir"
