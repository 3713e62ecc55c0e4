#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: what is written to a session stays in it, whatever another user has put in its place; a
# covers: session that others can change is refused before anything is changed; usual ones are taken

# shellcheck source=../case.sh
. "$TESTS/native/case.sh"

# listing DIR - everything in it that a command could change
listing() { find "$1" -printf '%P %y %m %U:%G %s %T@ %l %i\n' | sort; }

work='BEGIN { for (i = 0; i < 2000000; i++); }' # some samples

# usual DIR [OPTION...] - each command that writes sessions takes this session directory
usual()
{
	_dir=$1
	shift
	for _round in 1 2; do
		need operf "$@" awk "$work" 2>/dev/null
	done
	need opdb unpack "$_dir" >/dev/null
	need opdb repair "$_dir"
	need opdb pack "$_dir" >/dev/null
	need opdb pack "$_dir/samples/previous" >/dev/null
	need opdb check "$_dir"
	need opreport --session-dir="$_dir" >/dev/null
}

# profile of a trivial program, for opimport
importable()
{
	need operf --session-dir="$scratch/from" awk "$work" 2>/dev/null
	need opexport --session-dir="$scratch/from" --to=pprof -o "$scratch/profile" >/dev/null
}

importable
(cd "$scratch" && usual "$scratch/oprofile_data") || exit 1
usual "$scratch/given" --session-dir="$scratch/given"
ln -s given "$scratch/own_link"
usual "$scratch/own_link" --session-dir="$scratch/own_link"
need opimport -o "$scratch/imported" "$scratch/profile"
shared=$(mktemp -d /tmp/trust.XXXXXX)
trap 'rm -rf "$scratch" "$shared"' EXIT
usual "$shared" --session-dir="$shared"
is_root || exit 0

command -v setpriv >/dev/null || skip "no setpriv to become another user with"
chmod 711 "$scratch"
other="setpriv --reuid=65534 --regid=65534 --clear-groups"
exchange=$scratch/exchange
cp "$own/exchange" "$exchange" # where the other user can run it
export HOME="$scratch/home"
mkdir "$HOME"
victim=$scratch/victim
theirs=$scratch/theirs

# plant - a directory of the other user, and one of root's that is to stay as it is: a session, an
# empty directory, and one with the sticky bit
plant()
{
	rm -rf "$theirs" "$victim"
	mkdir -p "$victim" "$theirs"
	cp -a "$scratch/from/samples" "$victim"
	cp -a "$scratch/from/samples/current" "$victim/live"
	mkdir -m 710 "$victim/empty"
	mkdir -m 1777 "$victim/sticky"
	mkdir -m 710 "$victim/full"
	echo secret >"$victim/full/total_samples"
	chown 65534:65534 "$theirs"
	cd "$theirs" || exit 1
}

# as_other COMMAND... - in $theirs
# shellcheck disable=SC2086 # words
as_other() { need $other "$@"; }

# attack REASON - all that writes sessions refuses ./oprofile_data, and changes nothing
attack()
{
	listing "$victim" >"$scratch/before"
	listing "$theirs" >"$scratch/before.theirs"
	refuse "$1" operf true
	refuse "$1" oprofiled --perf --session-dir="$PWD/oprofile_data"
	refuse "$1" opcontrol --session-dir="$PWD/oprofile_data" --reset
	refuse "$1" opcontrol --session-dir="$PWD/oprofile_data" --save=x
	refuse "$1" opdb pack oprofile_data
	refuse "$1" opdb unpack oprofile_data
	refuse "$1" opdb repair oprofile_data
	refuse "$1" opimport -o oprofile_data "$scratch/profile"
	listing "$victim" | diff "$scratch/before" - || fail "root's files have changed: $1"
	listing "$theirs" | diff "$scratch/before.theirs" - || fail "the session has changed: $1"
}

# the directory of root that the other user can see but not change
for target in live empty sticky full; do
	plant
	as_other mkdir -p oprofile_data/samples
	as_other ln -s "$victim/$target" oprofile_data/samples/current
	attack "oprofile_data belongs to user 65534"
done
plant
as_other ln -s "$victim" oprofile_data
attack "oprofile_data is a symbolic link of user 65534"

# What was root's own once: each component is another user's, a link, or writable.
for component in '' /samples /samples/current /samples/current/stats; do
	for what in link theirs group world; do
		[ "$component:$what" != :link ] || continue
		plant
		cp -a "$scratch/from" oprofile_data
		rm -f oprofile_data/samples/current/pack
		path=oprofile_data$component
		case $what in
		link)
			mv "$path" "$victim/moved"
			ln -s "$victim/moved" "$path"
			reason="$path is a symbolic link"
			;;
		theirs) chown 65534 "$path"; reason="$path belongs to user 65534" ;;
		group) chmod 770 "$path"; reason="$path is writable by others (mode 0770)" ;;
		world) chmod 1777 "$path"; reason="$path is writable by others (mode 1777)" ;;
		esac
		listing "$victim" >"$scratch/before"
		refuse "$reason" operf true
		refuse "$reason" oprofiled --perf --session-dir="$PWD/oprofile_data"
		listing "$victim" | diff "$scratch/before" - || fail "root's files changed: $reason"
		case $component in
		*/stats) ;;
		*)
			refuse "$reason" opcontrol --session-dir="$PWD/oprofile_data" --reset
			refuse "$reason" opimport -o oprofile_data "$scratch/profile"
			refuse "$reason" opdb pack oprofile_data
			;;
		esac
		listing "$victim" | diff "$scratch/before" - || fail "root's files changed: $reason"
	done
done

# a session that root has made there is root's, and its name may be exchanged at any time
plant
need operf true 2>/dev/null
as_other ln -s "$victim" trap
listing "$victim" >"$scratch/before"
# shellcheck disable=SC2086 # words
$other "$exchange" oprofile_data trap >"$scratch/exchanged" &
exchanger=$!
tries=0 taken=0 refused=0 end=$(($(date +%s) + 20))
while [ $tries -lt 1000 ] && [ "$(date +%s)" -lt $end ]; do
	case $((tries % 40)) in
	0) operf awk "$work" ;;
	1) opcontrol --session-dir="$PWD/oprofile_data" --save="save$tries" ;;
	2) opcontrol --session-dir="$PWD/oprofile_data" --reset ;;
	3) opimport -o oprofile_data "$scratch/profile" ;;
	4 | 5 | 6 | 7 | 8 | 9) opdb unpack oprofile_data ;;
	1*) opdb repair oprofile_data ;;
	*) opdb pack oprofile_data ;;
	esac >"$scratch/said" 2>&1 || :
	# other failures are of a session that has no samples, or no packed ones
	if grep -q 'not safe to write' "$scratch/said"; then
		refused=$((refused + 1))
	else
		taken=$((taken + 1))
	fi
	tries=$((tries + 1))
done
kill "$exchanger"
wait "$exchanger" 2>/dev/null || :
listing "$victim" | diff "$scratch/before" - || fail "root's files have changed in a race"
echo "raced $taken times to the end, $refused times refused"
if [ "$taken" -le 20 ] || [ "$refused" -le 20 ]; then
	fail "that was no race"
fi

# the default directory, with the group
mkdir "$scratch/lib"
cp /etc/group "$scratch/group"
grep -q '^oprofile:' "$scratch/group" || echo 'oprofile:x:4242:' >>"$scratch/group"
cat >"$scratch/default.sh" <<-'END'
	set -e
	mount --bind "$1/group" /etc/group
	mount --bind "$1/lib" /var/lib
	cd /
	for round in 1 2; do
		operf --session-dir=/var/lib/oprofile awk 'BEGIN { for (i = 0; i < 2000000; i++); }'
	done
	opdb unpack /var/lib/oprofile
	opdb pack /var/lib/oprofile
	opcontrol --session-dir=/var/lib/oprofile --save=kept
	stat -c '%a %G' /var/lib/oprofile /var/lib/oprofile/samples/current \
		/var/lib/oprofile/samples/kept | sort -u
END
unshare --mount sh "$scratch/default.sh" "$scratch" >"$scratch/out" 2>&1 ||
	fail "the default directory is refused: $(cat "$scratch/out")"
same "mode and group" "$(tail -n 1 "$scratch/out")" "2750 oprofile"
