#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Removes the files that "meson install" of a build folder installs, and the folders that are empty
# then and that only this project has.  It asks Meson what these files are, so that it needs no log
# of the installation.
#
#	uninstall.sh BUILD [DESTDIR]

set -euo pipefail

build=$1 destination=${2:-}

# Files first, then their folders, deepest first.
removed=0
while read -r file; do
	[[ -e $destination$file || -L $destination$file ]] || continue
	if [[ -d $destination$file && ! -L $destination$file ]]; then
		rm -rf "${destination:?}$file" # a folder that is installed as a whole
	else
		rm -f "$destination$file"
	fi
	removed=$((removed + 1))
done < <(meson introspect --installed "$build" | python3 -c '
import json, sys
print(*json.load(sys.stdin).values(), sep="\n")')

meson introspect --installed "$build" | python3 -c '
import json, os, sys
own = set()
for path in json.load(sys.stdin).values():
    folder = os.path.dirname(path)
    while "oprofile" in folder:
        own.add(folder)
        folder = os.path.dirname(folder)
print(*sorted(own, key=len, reverse=True), sep="\n")' | while read -r folder; do
	[[ -z $folder || ! -d $destination$folder ]] ||
		rmdir --ignore-fail-on-non-empty "$destination$folder"
done

echo "uninstall: $removed files and folders removed"
