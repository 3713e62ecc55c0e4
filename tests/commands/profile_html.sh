#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# opexport --to=html: the page holds what the other formats hold.  html_page.py reads its data.

. "$COMMANDS/threads.sh"

page() { python3 "$COMMANDS/html_page.py" "$@"; }

requirement stacks_are_those_of_folded_stacks
recording
try opexport --from=made --to=html -o page.html
opexport --from=made --to=folded -o folded
page page.html folded >from_page
wc -l <folded
cmp folded from_page
page page.html facts

requirement time_of_each_sample_is_kept
step=1000 recording prog 9
opexport --from=made --to=html -o page.html
page page.html times

requirement samples_of_several_events_and_weights_are_told_apart
images
session <<-EOF
	cpu_type i386/core_2
	ctr_event 0x3c
	ctr_count 100000
	image prog CYCLES.100000.0.70.71.all
	0x1010 2, 0x1030 8
	image prog lib.so CYCLES.100000.0.70.71.all
	0x2010 5
	ctr_event 0xc0
	ctr_count 200000
	image prog lib.so INSTRUCTIONS.200000.0.70.71.all
	0x2010 11
EOF
try opexport "--session-dir=$DIR" --to=html -o page.html
page page.html facts
page page.html folded 0
page page.html folded 1

requirement events_are_kept_where_samples_stand_for_different_numbers
varied=1 step=1000 recording prog 9
opexport --from=made --to=html -o page.html
page page.html facts | grep event
page page.html times | cut -d' ' -f1-4 | sed -n 1,3p

requirement names_cannot_end_the_data
images
mkdir '<'
cp prog '</script><b>'
recording '<b>' 9 '</script><b>'
opexport --from=made --to=html -o page.html
grep -c '</script>' page.html
grep -c '<b>' page.html || :
page page.html folded | sed -n 1p
python3 - <<-EOF
	import sys
	sys.path.insert(0, "$COMMANDS")
	sys.argv = ["", "page.html", "none"]
	from html_page import Page
	print([image[0] for image in Page("page.html").about["images"][2:]])
EOF

requirement page_needs_no_network
recording
opexport --from=made --to=html -o page.html
sed '/id="data"/,/<.script>/d' page.html >rest
grep -Eo '(https?:)?//[a-z][^ ]*|@import|url\(|src=' rest || :
grep -o "default-src 'none'" page.html

requirement same_samples_give_the_same_page
recording
opexport --from=made --to=html -o page.html
cp page.html first.html
opexport --from=made --to=html -o page.html
cmp first.html page.html

requirement page_of_no_samples_is_refused
write samples/current/abi <<-EOF
	x
EOF
try opexport "--session-dir=$DIR" --to=html -o page.html
ls page.html 2>&1 || :
