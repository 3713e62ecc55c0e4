#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# share, near and at_most of case.sh accept a part at the bound that the head there says, and refuse
# one sample beyond.  The bounds are of Chernoff's formula, computed elsewhere.
#
# shellcheck disable=SC1091 # read where it is

. "$(dirname "$0")/case.sh"

failures=0

# judged 0|1 CHECK PART WHOLE TRUTH - the check must pass (0) or fail (1), and say what it saw
judged()
{
	wanted=$1
	shift
	said=$("$1" it "$2" "$3" "$4") && status=0 || status=1
	case $status$said in
	"${wanted}it: true share "*" $2 of $3 samples, "*) ;;
	*)
		echo "$*: status $status instead of $wanted: $said"
		failures=$((failures + 1))
		;;
	esac
}

# bounds CHECK LOW HIGH WHOLE TRUTH - least and most samples that are accepted; "-" for no such bound
bounds()
{
	[ "$2" = - ] || judged 0 "$1" "$2" "$4" "$5"
	[ "$2" = - ] || judged 1 "$1" $(($2 - 1)) "$4" "$5"
	[ "$3" = - ] || judged 0 "$1" "$3" "$4" "$5"
	[ "$3" = - ] || judged 1 "$1" $(($3 + 1)) "$4" "$5"
}

bounds share 401 599 1000 0.5
bounds share 1802 2198 4000 0.5 # one that is wrong by 0.05 is found
bounds share 125 283 1000 0.2
bounds share 233 296 300 0.9
judged 0 share 500 1000 0.5
judged 1 share 0 1000 0.5
judged 1 share 1000 1000 0.5
bounds near 258 742 1000 0.5 # 0.35 to 0.65
judged 0 near 350 1000 0.5
judged 0 near 650 1000 0.5
bounds at_most - 35 1000 0.01
judged 0 at_most 0 1000 0.01
judged 1 at_most 1000 1000 0.01

# Nothing can be judged by no samples.
for check in share near at_most; do
	if said=$($check it 0 0 0.5); then
		echo "$check: no samples are accepted: $said"
		failures=$((failures + 1))
	fi
done

[ "$failures" = 0 ] || exit 1
echo "all shares are judged by their bounds"
