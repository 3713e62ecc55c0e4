# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
#
# The tree as packages have it.  Sourced; $top is the tree.

project_version() { sed -n "s/^ *version: '\(.*\)',$/\1/p" "$top/meson.build"; }

# copy_sources FOLDER - what git knows or would add; without git, all but what was built
copy_sources()
{
	(
		cd "$top" || exit
		if git rev-parse --git-dir >/dev/null 2>&1; then
			git ls-files -z --cached --others --exclude-standard
		else
			find . \( -path './build*' -o -path ./.git \) -prune -o ! -type d -print0
		fi
	) | while IFS= read -r -d '' file; do
		[[ ! -e $top/$file && ! -L $top/$file ]] || printf '%s\0' "$file"
	done | tar -C "$top" -c --no-recursion --null -T - | tar -C "$1" -x
}
