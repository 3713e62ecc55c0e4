#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: operf --html writes the page of what it has profiled, with the samples of the session; the
# covers: command's exit status stays, and a page that cannot be written is an error

# shellcheck source=../case.sh
. "$TESTS/native/case.sh"

work='BEGIN { for (i = 0; i < 3000000; i++); exit status }' # some samples, and a status

cd "$scratch" || exit 1
operf --html=page.html awk -v status=3 "$work" 2>said
same "exit status of the command" $? 3
need opexport --session-dir=oprofile_data --to=folded --value=samples -o folded
need python3 "$TESTS/commands/html_page.py" page.html folded >from_page
need cmp folded from_page
same "there are samples" "$(test -s folded && echo yes)" yes

operf --html=missing/page.html awk -v status=0 "$work" 2>said
same "exit status without a page" $? 1
need grep -q "missing/page.html: No such file or directory" said
need grep -q "opreport failed: see its message above" said

operf --open true 2>said
same "--open without --html" $? 2
need grep -q -e "--open needs --html" said
