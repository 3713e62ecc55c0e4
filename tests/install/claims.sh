#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# covers: each test that doc/kernel.md names for what a stranger can do is there, and each line
# covers: names one
#
#	claims.sh SOURCE

set -euo pipefail

cd "$1"
rows=$(sed -n '/^## What a stranger/,/^## /p' doc/kernel.md | grep '^| ' | grep -v '^| he |')
[[ -n $rows ]] || { echo "NOT OK: no claims in doc/kernel.md"; exit 1; }
status=0
while read -r row; do
	# shellcheck disable=SC2016 # backticks of the page
	tests=$(sed 's/ |$//; s/.*| //' <<<"$row" | grep -oE '`[a-z_]+(\.sh)?`' | tr -d '`') || true
	[[ -n $tests ]] || { echo "NOT OK: no test: $row"; status=1; }
	for name in $tests; do
		case $name in
		*.sh) [[ -f tests/vm/cases/$name ]] ;;
		*) grep -rqF "KUNIT_CASE($name)" tests/kunit ;;
		esac || { echo "NOT OK: there is no $name: $row"; status=1; }
	done
done <<<"$rows"
exit $status
