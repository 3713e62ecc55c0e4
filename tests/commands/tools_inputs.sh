#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Profiles of other formats, and archives in one file, in the place of a session.
. "$COMMANDS/threads.sh"

export TMPDIR="$WORK/temporary"
mkdir -p "$TMPDIR"

# Nothing of a temporary session is left, once its process and what it left to a child have ended.
nothing_is_left()
{
	for _ in $(seq 100); do
		[ "$(ls "$TMPDIR")" ] || return 0
		sleep 0.1
	done
	echo "left: $(ls "$TMPDIR")"
}

# alike TOOL [OPTION...] - what a tool says of "made" is what it says of the session that opimport
# made of it, in "data"
alike()
{
	"$@" made >direct 2>&1 || echo "FAILED: $*"
	"$@" --session-dir=data >imported 2>&1 || echo "FAILED: $* --session-dir=data"
	sed -i "s|$DIR/data/samples/current|made|g; s|$DIR/data|made|g; s|--session-dir=data|made|g" \
		imported
	if cmp -s direct imported && [ -s direct ]; then
		echo "alike: $*"
	else
		echo "not alike: $*"
		diff direct imported
	fi
	nothing_is_left
}

requirement reports_and_code_are_those_of_the_imported_session
recording
opimport -o data made
each alike <<-END
	opreport
	opreport -l
	opreport -c
	opreport --tree
	opreport --lines --csv
	opreport --json
	opreport --xml
	opannotate -a
	opexport --to=folded
	opexport --to=callgrind
END

requirement archives_and_gmon_files_are_made_of_a_profile
recording
opimport -o data made
check opgprof --session-dir=data -o imported.out "$DIR/prog"
check opgprof -o direct.out made "$DIR/prog"
check cmp imported.out direct.out
check oparchive -o archive made
opreport archive | grep prog
nothing_is_left

requirement an_archive_in_one_file_is_a_session
recording
for name in a.tar a.tar.gz a.tar.xz a.tar.zst; do
	check oparchive --output=$name made
	opreport -l made | sed 1d >direct
	opreport -l $name >archived
	head -n 1 archived
	sed 1d archived | diff direct -
	opexport --to=folded made >direct
	opexport --to=folded archive:$name | cmp - direct
done
nothing_is_left

requirement several_profiles_are_added_up
recording
cp made again
opreport made | tail -n 1
opreport made again | sed -n '1p;$p'
opexport --to=folded made again | awk '{ n += $NF } END { print n }'

# Places without addresses are numbers, which each file begins anew; root reads others' files apart.
requirement functions_of_several_profiles_keep_their_names
printf 'app;main;work 3\n' >first
printf 'app;start;other 5\napp;start;work 2\n' >second
for number in 1 2; do
	make_profile >"go.$number" <<-EOF
		pprof 6='' 6='samples' 6='count' 6='f$number' 6='main' 1=(1=1 2=2) 5=(1=1 2=3) 5=(1=2 2=4)
		pprof 4=(1=1 4=(1=1)) 4=(1=2 4=(1=2)) 2=(1=[1 2] 2=[$number])
	EOF
done
opreport -l --no-header first second 2>/dev/null
opreport -l --no-header go.1 go.2 2>/dev/null
opexport --to=folded first second
if [ "$(id -u)" -eq 0 ]; then
	chown 65534 first second
fi
opexport --to=folded first second

requirement two_profiles_are_compared
recording
cp made old
recording prog 659
try opreport -l "{" old "}" "{" made "}" | head -n 6

requirement threads_and_processors_are_told_apart_if_they_are_asked_for
recording worker
try opreport --by=thread made | sed -n '/^samples/,$p'
try opreport --by=cpu made
try opreport -l made tid:71 | tail -n 3
try opreport made tid:99
try opexport --to=folded made tgid:80 | cut -d ';' -f 1 | sort | uniq -c

# Four samples: two of one control group, one of another, one of one that no record names.
of_cgroups()
{
	images
	make_profile >made <<-END
		event type=1 period=250000 sample_type=0x200000 id=11
		file 112
		record 3 0 d70 d70 'prog d70 d70 q1 q11
		record 1 2 d70 d70 q0x400000 q0x10000 q0 '$DIR/prog d70 d70 q2 q11
		record 19 0 q5 '/system.slice/one.service d70 d70 q3 q11
		record 19 0 q6 '/user.slice d70 d70 q4 q11
		record 9 2 q11 q0x401010 d70 d70 q5000000000 q250000 q5
		record 9 2 q11 q0x401030 d70 d70 q6000000000 q250000 q5
		record 9 2 q11 q0x401030 d70 d70 q7000000000 q250000 q6
		record 9 2 q11 q0x401030 d70 d70 q8000000000 q250000 q7
		finish
	END
}

requirement control_groups_of_a_recording_are_lines_and_columns
of_cgroups
try opreport --by=cgroup made
try opreport -l --by=cgroup made | sed -n '/^Samples of/,/^$/p'
try opreport --by=cgroup --csv made
opreport --by=cgroup --json made | grep -o '"label": "[^"]*"'
opexport --to=pprof made >pprof
opreport --by=cgroup pprof | sed -n '/^samples/,/^$/p'
opexport --to=perf made >perf
opreport --by=cgroup perf | sed -n '/^Time/p;/^samples/,/^$/p'
opreport perf | grep Time
opexport --to=html made >page
python3 "$COMMANDS/html_page.py" page facts | grep thread

# Lines come from sums of the values; a selection by image needs a session of each.
requirement lines_of_labels_are_those_of_sessions_of_each
of_cgroups
opexport --to=pprof made >pprof
for profile in made pprof; do
	for words in "" -f --no-header -t40 -r --max-lines=1 label:cgroup=/user*; do
		# shellcheck disable=SC2086
		opreport --by=cgroup $words $profile >sums
		# shellcheck disable=SC2086
		opreport --by=cgroup $words $profile 'image:*' >sessions
		diff sums sessions && sed -n '/^samples/,$p' sums | wc -l
	done
done

requirement a_label_may_have_thousands_of_values
{
	echo "pprof 6='' 6='cpu' 6='count' 6='main' 6='request'"
	seq -f "pprof 6='r%g'" 3000
	echo "pprof 1=(1=1 2=2) 3=(1=1 2=0x1000 3=0x2000) 4=(1=1 2=1 3=0x1010 4=(1=1 2=1)) 5=(1=1 2=3 3=3)"
	seq 3000 | awk '{ print "pprof 2=(1=1 2=" $1 " 3=(1=4 2=" $1 + 4 "))" }'
} | make_profile >many
opreport --by=request -n many | sed -n '1,3p;3000,$p'
opreport --by=request -n many | wc -l
try opreport -l --by=request many

requirement a_page_of_a_profile_has_its_times_and_labels
of_cgroups
opexport --to=html made >exported
check opreport --html=page made
for what in folded times; do
	python3 "$COMMANDS/html_page.py" exported $what >wanted
	python3 "$COMMANDS/html_page.py" page $what | diff wanted - && wc -l <wanted
done
python3 "$COMMANDS/html_page.py" page facts | grep thread
check opreport --html=page made image:prog
python3 "$COMMANDS/html_page.py" page facts | grep thread
nothing_is_left

requirement a_label_selects_samples
of_cgroups
try opreport -l made label:cgroup=/user* | tail -n 4
try opexport --to=folded made label:cgroup=/system*
try opreport made label:cgroup=/none
try opreport made label:cgroup
try opreport label:cgroup=/user.slice

# What "pprof -tags" says of the same file; and its other formats.
requirement a_sample_counts_with_each_value_of_a_label
make_profile >made <<-EOF
	pprof 6='' 6='samples' 6='count' 6='cpu' 6='nanoseconds' 6='main' 6='f' 6='region' 6='eu' 6='us'
	pprof 1=(1=1 2=2) 1=(1=3 2=4) 11=(1=3 2=4) 12=10 4=(1=1 4=(1=1)) 4=(1=2 4=(1=2)) 5=(1=1 2=5) 5=(1=2 2=6)
	pprof 2=(1=[2 1] 2=[30 300] 3=(1=7 2=8)) 2=(1=[2 1] 2=[12 120] 3=(1=7 2=9))
	pprof 2=(1=[1] 2=[25 250] 3=(1=7 2=9) 3=(1=7 2=8) 3=(1=7 2=9)) 2=(1=[1] 2=[33 330])
EOF
try opreport --by=region -n made
check opexport --from=made --to=pprof -o again
opreport --by=region -n again 2>/dev/null >again.txt
opreport --by=region -n made 2>/dev/null | diff - again.txt
opreport --by=region -l --no-header made 2>/dev/null
for value in us eu; do
	echo "$value: $(opexport --to=folded made "label:region=$value" 2>/dev/null | tr '\n' ' ')"
done
opexport --from=made --to=otlp 2>/dev/null | python3 -c '
import gzip, sys
data = gzip.decompress(sys.stdin.buffer.read())
print("a list in OTLP:", b"\x2a\x0c\x0a\x04\x0a\x02eu\x0a\x04\x0a\x02us" in data)'

requirement labels_that_are_not_there_or_lost_are_told
of_cgroups
try opreport --by=request made
try opreport -l --intervals --by=cgroup made
try opimport -o data made
try opreport --session-dir=data --by=cgroup
try opexport --to=folded made

requirement a_profile_is_selected_from
recording
try opreport made image:lib.so | tail -n 4
try opreport made event:other

requirement the_standard_input_is_a_profile
recording
opreport -l made | sed 1d >direct
opreport -l - <made | sed 1d | diff direct -
opexport --to=folded - <made | wc -l

requirement what_precedes_damage_is_reported
recording
head -c 12000 made >damaged
try opreport damaged | tail -n 5

requirement a_profile_is_no_part_of_a_session
recording
opimport -o data made
each try <<-END
	opreport --session-dir=data made
	opreport session-dir:data made
	opreport session:current made
END

requirement what_is_no_profile_is_told
recording
opimport -o data made
echo text >text
: >empty
: | gzip >nothing.gz
try opreport --session-dir=data text 2>&1 | sed 's/; what can be read: .*//'
try opreport --session-dir=data empty
try opreport --session-dir=data nothing.gz
try opreport --session-dir=data prog | tail -n 1

requirement what_is_nothing_is_named_with_a_cure
images
recording
opimport -o data made
echo text >text
for tool in opreport 'opannotate -a' 'opexport --to=folded' opgprof 'oparchive -l'; do
	for words in '--session-dir=data typo.data' 'archive:typo' '--session-dir=none typo.data' \
		'--session-dir=data text'; do
		# shellcheck disable=SC2086 # words
		try $tool $words 2>&1 | sed 's/; what can be read: .*//'
	done
done
for words in 'typo.data made' 'made typo.data' 'text made' 'made ./typo/data'; do
	# shellcheck disable=SC2086 # words
	try opdiff --session-dir=data $words 2>&1 | sed 's/; what can be read: .*//'
done
try opreport --session-dir=data maed
try opreport --session-dir=none ./maed
try opimport -o fresh typo.data
try opreport --session-dir=data prog typo.data | grep '^!'
try opreport --session-dir=data image:prog,typo event:cpu-clock,other | grep '^!'
try opreport --session-dir=data session:typo
try opreport --session-dir=data prog event:typo
rm prog
try opreport --session-dir=data prog event:typo
echo file >oprofile_data
try opimport made
rm oprofile_data

requirement values_below_0_are_refused
make_profile >made <<-END
	pprof 6='' 6='s' 6='n' 6='f' 1=(1=1 2=2) 4=(1=1 4=(1=1)) 5=(1=1 2=3) 2=(1=1 2=-3)
END
try opreport made

requirement archives_that_lead_elsewhere_are_refused
python3 - <<-END
	import io, tarfile
	for number, (name, kind) in enumerate((("../evil", b"0"), ("/evil", b"0"), ("x", b"2"), ("x", b"1"))):
	    with tarfile.open(f"evil{number}.tar", "w") as tar:
	        for path, of in (("./oprofile-session-dir", b"0"), (name, kind)):
	            entry = tarfile.TarInfo(path)
	            entry.type, entry.linkname = of, "/etc/passwd"
	            entry.size = 3 if of == b"0" else 0
	            tar.addfile(entry, io.BytesIO(b"/x\n"))
END
for number in 0 1 2 3; do
	try opreport evil$number.tar
done
# 40,000 empty files in a small archive
python3 - <<-END
	import gzip, tarfile
	with gzip.open("many.tar.gz", "wb", 9) as packed, tarfile.open(fileobj=packed, mode="w") as tar:
	    entry = tarfile.TarInfo("./oprofile-session-dir")
	    for number in range(40000):
	        tar.addfile(entry)
	        entry = tarfile.TarInfo(f"./{number}")
END
try opreport many.tar.gz
recording
oparchive --output=a.tar made
head -c 9000 a.tar >cut.tar
try opreport cut.tar
nothing_is_left
find "$WORK" -name evil

requirement messages_have_the_name_that_was_given
echo /var/lib/oprofile >oprofile-session-dir
tar cf none.tar ./oprofile-session-dir
try opreport none.tar

requirement nothing_is_left_of_a_report_that_is_killed
recording
mkfifo pipe
exec 3<>pipe
head -c 65536 /dev/zero >&3 # it is full
opreport made >pipe &
report=$!
for _ in $(seq 100); do
	[ -z "$(ls "$TMPDIR")" ] || break
	sleep 0.1
done
kill -KILL $report
exec 3>&-
nothing_is_left
