#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: oprofile-selftest finds this machine's profiles right; wrong reports are off, and its
# covers: temporary sessions go, by a signal, too

sampling=yes
# shellcheck source=../case.sh
. "$TESTS/native/case.sh"

# run STATUSES COMMAND... - the table goes to $scratch/table
run()
{
	_wanted=$1
	shift
	_got=0
	TMPDIR=$scratch "$@" >"$scratch/table" 2>&1 || _got=$?
	cat "$scratch/table"
	case " $_wanted " in
	*" $_got "*) ;;
	*) fail "the status of $* is $_got, not $_wanted" ;;
	esac
}

# row CHECK - "TRUE MEASURED WITHIN VERDICT" of its rows, without units
row()
{
	awk -v check="$1" 'index($0, check) == 1 {
		rest = substr($0, 41)
		gsub(/ (%|ms|B) /, " ", rest)
		split(rest, field)
		sub(":", "", field[4])
		print field[1], field[2], field[3], field[4]
	}' "$scratch/table"
}

# By chance, one table in 30 has a row beyond three standard errors, which its verdict is about; in
# none of 10^7 is one beyond six.  What sampling costs is for the verdict, too: other load on this
# machine changes what the CPU does in the same time.
may_be_true()
{
	row "$1" >"$scratch/rows"
	same "rows of $1" "$(wc -l <"$scratch/rows")" "$2"
	awk -v check="$1" '
		$4 == "skipped" { exit 1 }
		{ off = $2 - $1; off = off < 0 ? -off : off }
		off > 2 * $3 || $2 == "-" { exit 1 }
		$4 == "ok" && off > $3 + 0.2 || $4 == "off" && off < $3 - 0.2 { exit 1 }
	' "$scratch/rows" || fail "rows of $1 are beyond what chance makes"
}

leaves_nothing()
{
	! ls -d "$scratch"/oprofile-selftest-* 2>/dev/null || fail "the sessions are left"
}

status="0 1" # by chance, as above
run "$status" oprofile-selftest
for check in shares:3 lockstep:1 short:1 "call chains:2" lines:1 skid:2 lost:2; do
	may_be_true "${check%:*}" "${check#*:}"
done
same "rows of cost" "$(row cost | wc -l)" 1
same "what is skipped" "$(tail -n 1 "$scratch/table" | sed 's/.*, //')" "0 skipped"
leaves_nothing

# the programs beside it come first: here, a report that takes one function for another
mkdir "$scratch/bin"
cp "$(command -v oprofile-selftest)" "$scratch/bin"
cat >"$scratch/bin/opreport" <<END
#!/bin/sh
$(command -v opreport) "\$@" | sed 's/selftest_half/selftest_@/; s/selftest_rest/selftest_half/; s/@/rest/'
END
chmod +x "$scratch/bin/opreport"
run 1 "$scratch/bin/oprofile-selftest" --seconds=1
same "verdicts on the shares" "$(row shares | cut -d ' ' -f 4 | xargs)" "off ok off"

run 1 oprofile-selftest -e page-faults:100000
grep -q 'oprofile-selftest error: opreport ended with status 1: no samples' "$scratch/table" ||
	fail "an event without samples is not told"
run 1 timeout -s TERM --preserve-status 1 oprofile-selftest
leaves_nothing
run "$status" oprofile-selftest --seconds=1 --keep
[ -d "$(sed -n 's/^sessions: //p' "$scratch/table")/chains/samples/current" ] ||
	fail "the sessions are not kept"
