#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# covers: what is installed is where it belongs, the system's own tools take it, and the versions
# that stand in several places are one
#
#	install.sh SOURCE BUILD VERSION

set -euo pipefail

source=$1 build=$2 version=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0

fail() { printf 'NOT OK %s\n' "$*"; failures=$((failures + 1)); }
same() { [[ "$2" = "$3" ]] || fail "$1: $2, not $3"; }

prefix=$(meson introspect "$build" --buildoptions | python3 -c '
import json, sys
print(next(o["value"] for o in json.load(sys.stdin) if o["name"] == "prefix"))')
root=$scratch/root
usr=$root$prefix
meson install -C "$build" --no-rebuild --quiet --destdir "$root" >"$scratch/log" 2>&1 ||
	{ cat "$scratch/log"; exit 1; }
find "$root" ! -type d | sort >"$scratch/installed"

for file in bin/opcontrol bin/oprofiled share/man/man1/opcontrol.1 \
	lib/modprobe.d/oprofile.conf lib/sysusers.d/oprofile.conf \
	lib/tmpfiles.d/oprofile.conf lib/systemd/system/oprofile.service \
	"src/oprofile-$version/dkms.conf" "src/oprofile-$version/Kbuild" \
	"src/oprofile-$version/module/core.c" "src/oprofile-$version/module/x86/pmu.c"; do
	[[ -f $usr/$file ]] || fail "$prefix/$file is not installed"
done
[[ $failures -eq 0 ]] || exit 1

# One version.
same "dkms.conf's version" "$(sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' "$source/dkms.conf")" \
	"$version"
for file in system/debian/changelog system/rpm/oprofile.spec; do
	grep -qE "^(oprofile \($version\)|Version:[[:space:]]*$version\$)" "$source/$file" ||
		fail "$file has another version than $version"
done
same "the module's version" \
	"$(sed -n 's/^MODULE_VERSION("\(.*\)");/\1/p' "$source/module/init.c")" "$version"

# sysusers.d: the group that libop/session/paths.h names
group=$(sed -n 's/^#define OP_SESSION_GROUP *"\(.*\)"/\1/p' "$source/libop/session/paths.h")
mkdir -p "$root/etc"
systemd-sysusers --root="$root" "$usr/lib/sysusers.d/oprofile.conf" >"$scratch/log" 2>&1 ||
	fail "systemd-sysusers: $(cat "$scratch/log")"
grep -q "^$group:" "$root/etc/group" || fail "systemd-sysusers made no group $group"

# tmpfiles.d: the folder that libop/session/paths.h names, with its mode and set-group-ID
folder=$(sed -n 's/^#define OP_SESSION_DEFAULT_DIR "\(.*\)"/\1/p' "$source/libop/session/paths.h")
mode=$(sed -n 's/^#define OP_SESSION_DIR_MODE  0\([0-7]*\).*/\1/p' "$source/libop/session/paths.h")
echo root:x:0:0:root:/root:/bin/sh >"$root/etc/passwd"
# Who is not root cannot give folders away: then only what would be done is looked at.
if [[ $(id -u) -eq 0 ]]; then
	systemd-tmpfiles --root="$root" --create "$usr/lib/tmpfiles.d/oprofile.conf" \
		>"$scratch/log" 2>&1 || fail "systemd-tmpfiles: $(cat "$scratch/log")"
	same "$folder's mode" "$(stat -c %a "$root$folder" 2>&1)" "2$mode"
	same "$folder's group" "$(stat -c %g "$root$folder" 2>&1)" \
		"$(awk -F: -v group="$group" '$1 == group { print $3 }' "$root/etc/group")"
	folder_of_symbols=$(sed -n 's/^#define SAVED_DIR "\(.*\)"/\1/p' "$source/libop/saved/store.h")
	same "$folder_of_symbols' mode and group" \
		"$(stat -c '%a %g' "$root$folder_of_symbols" 2>&1)" \
		"$(stat -c '%a %g' "$root$folder")"
fi
same "tmpfiles.d's line" "$(grep "^d $folder " "$usr/lib/tmpfiles.d/oprofile.conf")" \
	"d $folder 2$mode root $group -"

# modprobe.d: each option that can be uncommented is a parameter, and modprobe reads it
sed 's/^#options/options/' "$usr/lib/modprobe.d/oprofile.conf" >"$scratch/options.conf"
modprobe -C "$scratch/options.conf" -c 2>"$scratch/log" | grep '^options oprofile ' \
	>"$scratch/options" || fail "modprobe finds no options: $(cat "$scratch/log")"
[[ ! -s $scratch/log ]] || fail "modprobe: $(cat "$scratch/log")"
sed -nE 's/^module_param(_cb|_named)?\(([a-z_]*),.*/\2/p' "$source"/module/*.c "$source"/module/*/*.c |
	sort >"$scratch/parameters"
same "the parameters in modprobe.d" \
	"$(tr " " "\n" <"$scratch/options" | sed -n "s/=.*//p" | sort)" \
	"$(cat "$scratch/parameters")"
modprobe -C "$usr/lib/modprobe.d/oprofile.conf" -c 2>&1 | grep '^options oprofile' &&
	fail "an option is set by default"

# The service
systemd-analyze verify --man=no --root="$root" --recursive-errors=no \
	"$usr/lib/systemd/system/oprofile.service" >"$scratch/log" 2>&1 ||
	fail "systemd-analyze: $(cat "$scratch/log")"
grep -q oprofile.service "$scratch/log" && fail "systemd-analyze: $(cat "$scratch/log")"

# Uninstalling leaves nothing of what was installed, no folder of ours, and all that others have.
mkdir -p "$usr/bin" && touch "$usr/bin/other"
"$source/tools/uninstall.sh" "$build" "$root" >"$scratch/log" 2>&1 ||
	fail "uninstalling: $(cat "$scratch/log")"
while read -r file; do
	[[ ! -e $file && ! -L $file ]] || fail "${file#"$root"} is left by uninstalling"
done <"$scratch/installed"
find "$usr" -path '*oprofile*' | grep . && fail "folders are left by uninstalling"
[[ -f $usr/bin/other ]] || fail "uninstalling removed another program's file"

[[ $failures -eq 0 ]]
