#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: a session that root makes by sudo is read by sudo's user, its symbols included, and by
# covers: nobody else; it stays root's, so that the next sudo operf takes it; what users put in its
# covers: place is refused, and nothing of root's changes its owner or group

# shellcheck source=../case.sh
. "$TESTS/native/case.sh"

command -v setpriv >/dev/null || skip "no setpriv to become another user with"
chmod 711 "$scratch"
theirs=$scratch/theirs
mkdir "$theirs"
chown 4711:4712 "$theirs"
cd "$theirs" || exit 1
work='BEGIN { for (i = 0; i < 2000000; i++); }'

# as USER GROUP COMMAND...
as()
{
	_user=$1 _group=$2
	shift 2
	setpriv --reuid="$_user" --regid="$_group" --clear-groups env HOME=/nonexistent "$@"
}
by_sudo() { SUDO_UID=4711 SUDO_GID=4712 operf "$@" 2>"$scratch/said"; }
owners() { find oprofile_data -printf '%U:%G\n' | sort -u; }

cp "$BUILD/pp/opreport" "$scratch/report_of_user" # where any user can run it
as 4711 4712 "$scratch/report_of_user" --version >"$scratch/report" ||
	skip "an ordinary user cannot run programs in $scratch"
for round in 1 2; do
	need by_sudo awk "$work"
	same "owners" "$(owners)" "0:4712"
	same "mode" "$(stat -c %a oprofile_data)" 2750
	need as 4711 4712 "$scratch/report_of_user" --symbols >"$scratch/report" 2>"$scratch/errors"
	grep -q awk "$scratch/report" || fail "no awk in the report of round $round"
done
[ ! -s "$scratch/errors" ] || fail "sudo's user is told: $(cat "$scratch/errors")"
need opreport >"$scratch/report"
refuse "ermission denied" as 4713 4714 "$scratch/report_of_user"
refuse "ermission denied" as 4711 4712 touch oprofile_data/samples/x
need by_sudo --append --no-pack awk "$work"
same "owners of loose files" "$(owners)" "0:4712"

# Without sudo, by root's own sudo, and with numbers that are none: as root's
for ids in "" "SUDO_UID=0 SUDO_GID=0" "SUDO_UID=4711" "SUDO_UID=x SUDO_GID=4712" \
	"SUDO_UID=4711 SUDO_GID=4294967295" "SUDO_UID=4711 SUDO_GID=-4712"; do
	rm -rf oprofile_data
	# shellcheck disable=SC2086 # none, or words
	need env $ids operf awk "$work" 2>"$scratch/said"
	owners | grep -q 4712 && fail "$ids gives the session away"
done

# What the user has put there
rm -rf oprofile_data
mkdir -m 700 "$scratch/victim" "$scratch/victim/empty"
before=$(find "$scratch/victim" -printf '%P %U:%G %m\n')
as 4711 4712 ln -s "$scratch/victim/empty" oprofile_data
refuse "symbolic link of user 4711" env SUDO_UID=4711 SUDO_GID=4712 operf true
rm oprofile_data
as 4711 4712 mkdir oprofile_data
refuse "belongs to user 4711" env SUDO_UID=4711 SUDO_GID=4712 operf true
same "root's folder" "$(find "$scratch/victim" -printf '%P %U:%G %m\n')" "$before"
