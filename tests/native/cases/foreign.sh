#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: root's reports of sessions that others can change: refused, or, with --trust-session,
# covers: made of what the owner of the session may read

sampling=yes
# shellcheck source=../case.sh
. "$TESTS/native/case.sh"

is_root || skip "root's reports of the sessions of others"
chmod 755 "$scratch"
mkdir -m 700 secret
cp "$own/storm" secret/secret_program
cp "$own/storm" public_program
chmod 755 public_program
for program in secret/secret_program public_program; do
	need operf --append -e "$(clock 4000)" "$scratch/$program" threads 20 "$(periods 10 4000 5)" 2>/dev/null
done

# symbols PROGRAM OPTION... - how many samples its function has in a report
symbols()
{
	_program=$1
	shift
	opreport --session-dir="$session" -l "$@" "image:*$_program" \
		>"$scratch/report" 2>"$scratch/errors"
	awk '$NF == "storm_spin" { n += $1 } END { print n + 0 }' "$scratch/report"
}

enough "samples of the program that is root's" "$(symbols secret_program)" 100
enough "samples of the program" "$(symbols public_program)" 100

# refused REASON - no command reads the session
refused()
{
	for command in opreport "opexport --to=folded -o $scratch/out" "oparchive -o $scratch/archive"; do
		# shellcheck disable=SC2086 # words
		if $command --session-dir="$session" >"$scratch/said" 2>&1; then
			fail "$command reads the session: $1"
		fi
		same "lines" "$(wc -l <"$scratch/said")" 1
		grep -q "not safe to read without --trust-session: .*$1" "$scratch/said" ||
			{ cat "$scratch/said"; fail "not refused because of: $1"; }
	done
}

chown -R 65534:65534 "$session"
refused "belongs to user 65534"
enough "samples of the program, for who looks at the session" \
	"$(symbols public_program --trust-session)" 100
same "samples at names that the owner may not read" "$(symbols secret_program --trust-session)" 0
grep -q "secret_program.*Permission denied" "$scratch/report" ||
	{ cat "$scratch/report"; fail "no note of the file"; }

chown -R root:root "$session"
enough "samples of the program that is root's" "$(symbols secret_program)" 100
for directory in "$session" "$session/samples" "$samples"; do
	chmod 777 "$directory"
	refused "writable by others (mode 0777)"
	chmod 750 "$directory"
done
chown 65534 "$samples"
refused "samples/current belongs to user 65534"
