#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# opreport --html: the page of a session, or of two, holds what reports say.  html_page.py reads
# its data.

page() { python3 "$COMMANDS/html_page.py" "$@"; }

# Two events, two processes, two CPUs; call chains with recursion and the kernel.
samples()
{
	images
	session <<-EOF
		cpu_type i386/core_2
		ctr_event 0x3c
		ctr_count 100000
		image prog CYCLES.100000.0.70.70.0
		0x1012 10, 0x1032 9
		image prog CYCLES.100000.0.80.81.1
		0x1012 5
		image prog lib.so CYCLES.100000.0.70.70.0
		0x2000 2
		image prog {kern}/no-vmlinux CYCLES.100000.0.70.70.0
		0x400 6
		stacks prog CYCLES.100000.0.70.70.0
		stack 10 prog+0x1012 prog+0x1015 prog+0x1015 prog+0x1005
		stack 4 prog+0x1032 prog+0x1015 prog+0x1035
		stack 6 {kern}/no-vmlinux+0x400 prog+0x1018 prog+0x1005
		ctr_event 0xc0
		ctr_count 200000
		image prog INSTRUCTIONS.200000.0.70.70.0
		0x1030 40
	EOF
}

# The stacks of the page of a selection are those of folded stacks.
same_stacks()
{
	opreport "--session-dir=$DIR" --html=page.html "$@"
	opexport "--session-dir=$DIR" --to=folded -o folded "$@"
	page page.html folded >from_page
	cmp folded from_page || return
	awk -v what="$*" '{ n += $NF } END { print what ":", NR, "stacks,", n, "samples" }' folded
}

requirement stacks_are_those_of_folded_stacks_for_each_selection
samples
same_stacks event:CYCLES
same_stacks event:INSTRUCTIONS
same_stacks event:CYCLES cpu:0
same_stacks event:CYCLES tgid:80
same_stacks event:CYCLES 'lib-image:*lib.so'
same_stacks event:CYCLES -x

requirement separations_are_kept_and_merged
samples
for merge in cpu tid tgid,cpu; do
	echo "threads with --merge=$merge"
	opreport "--session-dir=$DIR" --html=page.html --merge=$merge
	page page.html facts | grep ^thread
done
echo threads
opreport "--session-dir=$DIR" --html=page.html
page page.html facts | grep ^thread

requirement head_notes_and_account_are_those_of_the_text
samples
write samples/current/origin <<-EOF
	hostname host
	os-release 6.12
	backend timer, since there is no PMU
	command-line operf ./prog
	start-time 1700000000000000000
	duration 2500000000
EOF
write samples/current/stats/account <<-EOF
	x
EOF
opreport "--session-dir=$DIR" --children --stats --merge=cpu,tgid >text
opreport "--session-dir=$DIR" --html=page.html
python3 - "$COMMANDS" <<-EOF
	import sys
	sys.path.insert(0, sys.argv[1])
	from html_page import Page
	about = Page("page.html").about
	text = open("text").read().split("\n")
	side = about["sides"][0]
	lines = [f"Counted {value}" if name == "Event" else value if name == "Note" else
	         f"{name}: {value}" for name, value in side["facts"]]
	lines += side["notes"] + side["account"]
	print(about["title"])
	print([name for name, _ in side["facts"]], len(side["notes"]), len(side["account"]))
	print("not in the text:", [line for line in lines if line not in text])
EOF

requirement lines_and_instructions_have_their_samples
samples
opreport "--session-dir=$DIR" event:CYCLES --html=page.html
page page.html code

requirement difference_has_both_sides
samples
opreport --html=page.html "--session-dir=$DIR" '{' event:CYCLES cpu:0 '}' '{' event:CYCLES cpu:1 '}'
page page.html facts | grep -v ^sides
for side in 0 1; do
	opexport "--session-dir=$DIR" --to=folded -o folded event:CYCLES cpu:$side
	page page.html folded $side >from_page
	cmp folded from_page && wc -l <folded
done

# run NAME HOT COLD - a session of a run
run()
{
	session <<-EOF
		image prog TIMER
		0x1010 $2, 0x1030 $3
	EOF
	mv samples/current "samples/$1"
}

# "hot" has become slower, and "cold" is called by chance; and the same of one run each.
requirement verdicts_on_functions_are_those_of_text
images
run run-1 200 10 && run run-2 205 390 && run run-3 195 200
mkdir before && mv samples before/
run run-1 230 410 && run run-2 235 300 && run run-3 228 405
mkdir after && mv samples after/
for runs in 'session:run-*' session:run-1; do
	opdiff -n before after "$runs" | awk '{ print $NF, $5 ~ /[~?]/ ? $5 : "!" }' | sort
	opdiff --html=page.html before after "$runs"
	page page.html verdicts
done

# builds OLD NEW - sessions of two copies of a program
builds()
{
	images
	for build in old new; do
		mkdir $build "$build-session"
		cp prog "$build/$1"
		make_session "$DIR/$build-session" <<-EOF
			image $DIR/$build/$1 TIMER
			0x1012 10
		EOF
		shift
	done
}

requirement functions_of_two_builds_are_one
builds prog prog
opreport --html=page.html '{' "$DIR/old-session" '}' '{' "$DIR/new-session" '}'
page page.html folded 0
page page.html folded 1
python3 - "$COMMANDS" <<-EOF
	import sys
	sys.path.insert(0, sys.argv[1])
	from html_page import Page
	page = Page("page.html")
	print([page.about["functions"][i][0] for i in page.functions])
EOF

# The same as text: the note says so, and --map, if they are no such pair.
requirement functions_of_renamed_builds_are_one
builds before after
for map in "" --map=before=after; do
	opreport --html=page.html $map '{' "$DIR/old-session" '}' '{' "$DIR/new-session" '}'
	page page.html folded 0
	page page.html folded 1
	page page.html facts | sed -n 's,.*\(Compared as[^"]*\).*,\1,p'
done

# Programs of one name in several directories: two stay, one was moved, and one was renamed.
requirement images_are_paired_as_in_text
images
mkdir -p here there new
for place in here/prog there/prog here/tool there/tool new/tool here/oldname there/newname; do
	cp prog $place
done
# known DIR [BUILD-ID IMAGE]... - has the session that was made, whose images have these build-ids
known()
{
	mkdir "$1" && mv samples "$1/"
	known=$1
	shift
	while [ $# -gt 0 ]; do
		printf '%s%039d 1 1 1 0 0 {root}%s\n' "$1" 0 "$DIR/$2"
		shift 2
	done >"$known/samples/current/images"
}
session <<-EOF
	image here/prog TIMER
	0x1010 10
	image there/prog TIMER
	0x1010 20
	image here/tool TIMER
	0x1010 60, 0x1030 40
	image here/oldname TIMER
	0x1010 500
EOF
known before 1 here/tool 2 here/oldname
session <<-EOF
	image there/prog TIMER
	0x1010 21
	image here/prog TIMER
	0x1010 12
	image new/tool TIMER
	0x1010 7
	image there/tool TIMER
	0x1010 30, 0x1030 40
	image there/newname TIMER
	0x1010 400
EOF
known after 1 there/tool 2 there/newname 3 new/tool
for map in "" "--map=$DIR/here/tool=$DIR/new/tool"; do
	opreport --html=page.html ${map:+"$map"} '{' before '}' '{' after '}'
	page page.html images >of_page
	opdiff -n -f --no-symbols ${map:+"$map"} before after |
		awk '/^[0-9]/ { sub(".*/", "", $NF); print $1, $2, $NF }' | sort >of_text
	cmp of_text of_page && cat of_page
done

requirement other_reports_are_refused
samples
for option in --symbols --callgraph --tree --xml --output-file=x --include-symbols=hot \
	--merge=lib --threshold=1 --no-header; do
	try opreport "--session-dir=$DIR" --html=page.html $option
done
try opreport "--session-dir=$DIR" --open
try opreport "--session-dir=$DIR" --open --html=-
ls page.html 2>&1 || :

requirement error_keeps_the_page_that_was_there
samples
echo old >page.html
try full_disk opreport "--session-dir=$DIR" --html=page.html
cat page.html
try opreport "--session-dir=$DIR" --html=page.html event:NONE
cat page.html
try opreport "--session-dir=$DIR" --html=missing/page.html
ls

requirement page_is_for_user_and_group_and_goes_to_standard_output
samples
umask 022
opreport "--session-dir=$DIR" --html=page.html
stat -c %A page.html
opreport "--session-dir=$DIR" --html=- >other.html
cmp page.html other.html && echo same

# What xdg-open(1) would do, by a script in its place.
opener()
{
	mkdir -p bin
	printf '#!/bin/sh\n%s\n' "$1" >bin/xdg-open
	chmod +x bin/xdg-open
}

requirement open_shows_the_page_or_says_why_not
samples
path=$PATH
PATH=$DIR/bin:$PATH
# shellcheck disable=SC2016 # of the opener
opener 'echo "$1" >opened'
try opreport "--session-dir=$DIR" --html=page.html --open
cat opened
for status in 3 4; do
	opener "exit $status"
	try opreport "--session-dir=$DIR" --html=page.html --open
done
# with root's rights, which sudo lent to a user
opener 'echo started'
if [ "$(id -u)" = 0 ]; then
	for lent in SUDO_UID=1000 PKEXEC_UID=1000 DOAS_USER=someone; do
		env $lent opreport "--session-dir=$DIR" --html=page.html --open >out 2>&1 &&
			echo "$lent: it is no error"
		check grep -q "no browser is started with root's rights.*$DIR/page.html" out
		check test -z "$(grep started out | grep -v rights)"
	done
fi
check env SUDO_UID=0 opreport "--session-dir=$DIR" --html=page.html --open
PATH=$path
mkdir empty
program=$(command -v opreport)
rm page.html
PATH=$DIR/empty "$program" "--session-dir=$DIR" --html=page.html --open 2>&1 || echo "exit $?"
ls page.html
