#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# covers: a program of another user that names a private file of root's as its source: no annotated
# covers: source, no listing and no page that root makes has a line of it; of a program of root's,
# covers: all of them have
#
#	sources.sh BUILD

set -uo pipefail

build=$1
[[ $(id -u) -eq 0 ]] || { echo "skip: not root"; exit 77; }
PATH=$build/daemon/operf:$build/pp:$PATH
export LC_ALL=C
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
chmod 755 "$top"
cd "$top" || exit 1
export HOME=$top/home OPROFILE_SYMBOLS=$top/symbols
mkdir home
failures=0

"$build/utils/ocount/ocount" -e cpu-clock -f /dev/null true 2>/dev/null ||
	{ echo "skip: no perf events here"; exit 77; }

mkdir -m 700 private
yes '/* the secret of root */' | head -n 40 >private/secret.c
gcc -g -O1 -x c - -o program <<-C || exit 1
	#line 1 "$top/private/secret.c"
	int main(void)
	{
		volatile unsigned long i = 0;

		while (i < 300000000)
			i++;
	}
C

# texts - what reports of the session have of sources; a page's data is deflated
texts()
{
	opannotate --source --session-dir=session 2>/dev/null
	echo ---
	opannotate --source --assembly --session-dir=session 2>/dev/null
	echo ---
	opreport --html=page --session-dir=session >/dev/null 2>&1
	python3 -c '
import base64, re, sys, zlib
page = open("page", encoding="utf-8").read()
data = re.search(r"id=\"?data\"?[^>]*>([A-Za-z0-9+/=\s]+)<", page)[1]
sys.stdout.buffer.write(zlib.decompress(base64.b64decode(data)))'
}

# reports OWNER WANTED - how many of the three tell the secret
reports()
{
	local n

	chown "$1" program
	rm -rf session
	operf --session-dir=session ./program >/dev/null 2>said || { cat said; exit 1; }
	n=$(texts | awk -v RS='\n---\n' '/secret of root/ { n++ } END { print n + 0 }')
	[[ $n -eq $2 ]] || {
		echo "NOT OK: $n of 3 reports of a program of user $1 tell of the file, not $2"
		failures=$((failures + 1))
	}
}

reports 0 3
reports 65534 0
chmod 755 private
reports 65534 3
exit $((failures > 0))
