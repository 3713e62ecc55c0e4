#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# covers: a profile of another user that names a private program of root's: nothing that root makes
# covers: of it, exported, imported, reported, archived, or imported again from a tree, has the
# covers: program's functions or bytes, or the lines of a private file that it names as a source; of
# covers: a profile of root's own, all have them; archives say whose names they have
#
#	supplied.sh BUILD

set -uo pipefail

build=$1
[[ $(id -u) -eq 0 ]] || { echo "skip: not root"; exit 77; }
PATH=$build/pp:$build/utils/opdb:$build/tests/commands:$PATH
export LC_ALL=C
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
chmod 755 "$top"
cd "$top" || exit 1
export HOME=$top/home OPROFILE_SYMBOLS=$top/symbols
mkdir home
failures=0

mkdir -m 700 private
id=0123456789abcdef0123456789abcdef01234567
cat >secret.s <<-ASM
	.globl secret_function
	.type secret_function, @function
	secret_function:
		.rept 64
		nop
		.endr
	.section .rodata, "a"
		.ascii "the secret of root"
ASM
gcc -nostdlib -static -Wl,-Ttext=0x401000 -Wl,-esecret_function -Wl,--build-id=0x$id \
	-o private/program secret.s || exit 1
echo 'the source of root' >private/source.c
make_profile >profile <<-PPROF || exit 1
	pprof 6='' 6='samples' 6='count' 6='$top/private/program' 6='$id' 1=(1=1 2=2)
	pprof 6='main' 6='$top/private/source.c' 5=(1=1 2=5 4=6) 4=(1=2 4=(1=1 2=1)) 2=(1=2 2=1)
	pprof 3=(1=1 2=0x401000 3=0x402000 4=0x1000 5=3 6=4) 4=(1=1 2=1 3=0x401010) 2=(1=1 2=100)
PPROF

# archived - what an archive has of the program
archived()
{
	rm -rf archive
	oparchive --session-dir="$1" -o archive 2>/dev/null
	grep -rl 'the secret of root' archive
}

# telling - which of all that root makes of the profile tell the secret
telling()
{
	rm -rf imported again packed
	opexport --from=profile --to=folded 2>/dev/null | grep -q secret_function && echo export
	opreport -l profile 2>/dev/null | grep -q secret_function && echo word
	opannotate -a profile 2>/dev/null | grep -q secret_function && echo listing
	opannotate --source profile 2>/dev/null | grep -q 'the source of root' && echo lines
	opimport -o imported profile >/dev/null 2>&1
	opreport --session-dir=imported -l 2>/dev/null | grep -q secret_function && echo report
	opannotate --session-dir=imported -a 2>/dev/null | grep -q secret_function && echo code
	opannotate --session-dir=imported --source 2>/dev/null |
		grep -q 'the source of root' && echo source
	opexport --session-dir=imported --to=folded 2>/dev/null | grep -q secret_function &&
		echo session
	[[ -n $(archived imported) ]] && echo archive
	opdb pack imported/samples/current >/dev/null 2>&1
	opreport --session-dir=imported -l 2>/dev/null | grep -q secret_function && echo packed
	opimport -o again imported >/dev/null 2>&1
	opreport --session-dir=again -l 2>/dev/null | grep -q secret_function && echo tree
}

# owned USER WANTED
owned()
{
	local told

	chown "$1" profile
	told=$(telling | tr '\n' ' ')
	[[ ${told% } == "$2" ]] || {
		echo "NOT OK: of a profile of user $1, these tell of the program: $told, not: $2"
		failures=$((failures + 1))
	}
}

all='export word listing lines report code source session archive packed tree'
owned 0 "$all"
owned 65534 ''
# it names what that user may read
chmod 755 private
owned 65534 "$all"

# what comes by a pipe is nobody's, also of root's own; a file as stdin has its owner
# tells: whether the report of the session tells of the program
tells() { opreport --session-dir=imported -l 2>/dev/null | grep -q secret_function; }
chmod 700 private
chown 0 profile
rm -rf imported
# shellcheck disable=SC2002 # a pipe is meant
cat profile | opimport -o imported - >/dev/null 2>&1
[[ -n $(opreport --session-dir=imported -n 2>/dev/null) ]] ||
	{ echo "NOT OK: no samples by a pipe"; failures=$((failures + 1)); }
! tells || { echo "NOT OK: a profile by a pipe tells of the program"; failures=$((failures + 1)); }
# shellcheck disable=SC2002
! cat profile | opreport -l - 2>/dev/null | grep -q secret_function ||
	{ echo "NOT OK: a report of a pipe tells of the program"; failures=$((failures + 1)); }
rm -rf imported
opimport -o imported - <profile >/dev/null 2>&1
tells || { echo "NOT OK: root's own file as stdin has no names"; failures=$((failures + 1)); }
rm -rf imported
opimport -o imported <(cat profile) >/dev/null 2>&1
if [[ -z $(opreport --session-dir=imported -n 2>/dev/null) ]] || tells; then
	echo "NOT OK: a profile by <(...) tells of the program, or there is none"
	failures=$((failures + 1))
fi
rm -rf imported
chown 65534 profile
opimport -o imported /dev/stdin <profile >/dev/null 2>&1
! tells || { echo "NOT OK: another user's file as stdin tells"; failures=$((failures + 1)); }
rm -rf imported
mkfifo fifo
chown 65534 fifo
timeout 10 opimport -o imported fifo >log 2>&1
[[ $? -eq 1 && $(<log) == *': a FIFO of user 65534'* ]] ||
	{ echo "NOT OK: another user's FIFO: $(<log)"; failures=$((failures + 1)); }

# a tree of that user, of which no import was made
chmod 700 private
chown 0 profile
rm -rf imported again
opimport -o imported profile >/dev/null 2>&1
chown -R 65534 imported
opimport -o again imported >/dev/null 2>&1
[[ -n $(opreport --session-dir=again -n 2>/dev/null) ]] || { echo "NOT OK: no samples"; failures=1; }
! opreport --session-dir=again -l 2>/dev/null | grep -q secret_function ||
	{ echo "NOT OK: an imported tree tells of the program"; failures=1; }
# supplier_of WHAT SESSION [OPTION]: an archive says whose choice the names in it were
supplier_of()
{
	rm -rf archive
	oparchive --session-dir="$2" "${@:3}" -o archive 2>/dev/null
	[[ $(cat "archive$(<archive/oprofile-session-dir)/supplier") == 65534 ]] || {
		echo "NOT OK: the archive of $1 does not say whose names it has"
		failures=$((failures + 1))
	}
}

# a directory of that user is no place for what root unpacks, as after sudo -E
mkdir theirs
chown 65534 theirs
if strace -f -qq -e trace=mkdir -o calls env TMPDIR="$top/theirs" opreport profile >log 2>&1 &&
	grep -q "\"$top/theirs/oprofile-" calls; then
	echo "NOT OK: a temporary session is in another user's directory"
	failures=$((failures + 1))
fi

supplier_of 'an imported tree' again
supplier_of "another user's session" imported --trust-session
rm -rf imported
chown 65534 profile
opimport -o imported profile >/dev/null 2>&1
supplier_of 'an imported profile' imported
exit $((failures > 0))
