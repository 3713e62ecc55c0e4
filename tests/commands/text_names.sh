#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Text of all commands: names of every byte, which other users choose, are escaped once
. "$COMMANDS/daemon.sh"

names()
{
	python3 "$COMMANDS/hostile_names.py" "$@"
}

PATHS=$(names word path)
LOW=$(names word low)
EVENT=$(names word event)
SYMBOL=$(names word symbol)
LINE=$(names word line)

# Runs the commands of stdin, and says of each whether what it writes is text.
clean()
{
	names each
}

# The same, but says only what is wrong.
clean_if_there()
{
	clean | grep -v '^  escaped$\|^  no name$\|^exit 127$'
}

# A program in a folder, of a source file, with symbols, which all have names of every byte.
program()
{
	mkdir -p "$LOW"
	cat >"$LOW/$PATHS.c" <<-EOF
		/* $SYMBOL */
		static volatile int sum;
		__attribute__((noinline)) void ${SYMBOL}(void)
		{
			sum += 1; /* tab:	$LINE */
		}
		void _start(void)
		{
			$SYMBOL();
		}
	EOF
	(cd "$LOW" && gcc -g -O1 -nostdlib -static -Wl,-Ttext=0x401000 -o "$PATHS" "$PATHS.c")
	cp "$LOW/$PATHS" "$LOW/$PATHS-2"
}

program_session()
{
	session "$@" <<-EOF
		image $LOW/$PATHS TIMER
		0x1000 10, 0x1004 20, 0x100c 7, 0x1010 3, 0x1012 2
		image $LOW/$PATHS $LOW/$PATHS-2 TIMER
		0x1000 5
		image /no/$PATHS TIMER
		0x1000 15
		arcs $LOW/$PATHS $LOW/$PATHS TIMER
		0x1012>0x1000 4
		image $LOW/$PATHS {anon:$PATHS}/77.0x7f0000000000.0x7f0000010000 TIMER
		0x100 1, 0x300 2, 0x900 3
		image $LOW/$PATHS {anon:anon}/78.0x7f0000000000.0x7f0000010000 TIMER
		0x100 1, 0x300 2
	EOF
}

# damage FILE BYTE VALUE
damage()
{
	printf %b "\\0$(printf %o "$3")" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

jit()
{
	write jit/perf-77.map <<-EOF
		7f0000000100 100 $LINE
		7f0000000300 100 other $LINE
		not a line $LINE
	EOF
	python3 - "$SYMBOL" >jit/jit-78.dump <<-EOF
		import struct, sys
		name = sys.argv[1].encode() + b"\\0"
		out = sys.stdout.buffer
		out.write(struct.pack("<IIIIIIQQ", 0x4a695444, 1, 40, 62, 0, 78, 1, 0))
		out.write(struct.pack("<IIQIIQQQQ", 0, 16 + 40 + len(name) + 4, 2, 78, 78,
				      0x7f0000000100, 0x7f0000000100, 0x100, 1) + name + b"\\x90" * 4)
	EOF
}

requirement reports_are_text
program
program_session
jit
names fill "$DIR"
clean <<-EOF
	opreport --session-dir=$DIR
	opreport --session-dir=$DIR --long-filenames
	opreport --session-dir=$DIR -l -f -V all
	opreport --session-dir=$DIR -l --jit-dir=$DIR/jit
	opreport --session-dir=$DIR -l -f -g --inline
	opreport --session-dir=$DIR -d -g
	opreport --session-dir=$DIR -c -f
	opreport --session-dir=$DIR --csv
	opreport --session-dir=$DIR --csv -l -g --jit-dir=$DIR/jit
	opreport --session-dir=$DIR --csv -d --inline -g
	opreport --session-dir=$DIR --csv -c
	opreport --session-dir=$DIR --json -d -g --jit-dir=$DIR/jit
	opreport --session-dir=$DIR --xml -d -g --jit-dir=$DIR/jit
	opreport --session-dir=$DIR --format=dcpicat
	opreport --session-dir=$DIR --format=dcpiprof
	opreport --session-dir=$DIR --format=dcpiprof -l --jit-dir=$DIR/jit
	opannotate --session-dir=$DIR -s
	opannotate --session-dir=$DIR -a
	opannotate --session-dir=$DIR -a -s
	opannotate --session-dir=$DIR -s -o $DIR/annotated
	oparchive --session-dir=$DIR -l
	oparchive --session-dir=$DIR -o $DIR/archive
	opgprof --session-dir=$DIR -o $DIR/$PATHS/gmon
	opexport --session-dir=$DIR --to=folded
	opexport --session-dir=$DIR --to=callgrind
	opexport --session-dir=$DIR --to=speedscope
	opexport --session-dir=$DIR --to=firefox
	opdb check samples
	opdb dump samples
	opdb dump --json samples
	opdb pack .
	opdb dump samples
EOF
find annotated -type f -exec cat {} + >sources
echo sources annotated in a folder
names check sources

# XML and JSON have rules of their own; a reader of JSON gets a name of UTF-8 as it was.
requirement structured_formats_are_what_they_claim_to_be
program
program_session
jit
names fill "$DIR"
opreport --session-dir="$DIR" --json -d -g --jit-dir="$DIR/jit" >json 2>/dev/null
opreport --session-dir="$DIR" --xml -d -g --jit-dir="$DIR/jit" >xml 2>/dev/null
opreport --session-dir="$DIR" --csv -d -g --jit-dir="$DIR/jit" >csv 2>/dev/null
opdb dump --json samples >dumped
opexport --session-dir="$DIR" --to=pprof -o pprof 2>/dev/null
python3 - <<-'EOF'
	import csv, gzip, json, xml.dom.minidom
	controls = "".join(chr(code) for code in range(0x80, 0xa0))
	for name, texts in {"json": [json.load(open("json"))],
			    "dump": [json.loads(line) for line in open("dumped")]}.items():
	    print(name, controls in json.dumps(texts, ensure_ascii=False))
	text = xml.dom.minidom.parse("xml").toxml()
	print("xml", controls in text)
	lines = [line for line in open("csv", newline="") if not line.startswith("#")]
	def number(at):
	    value = shift = 0
	    while True:
	        value |= (profile[at] & 127) << shift
	        at, shift = at + 1, shift + 7
	        if profile[at - 1] < 128:
	            return value, at
	profile, at, strings = gzip.open("pprof").read(), 0, []
	while at < len(profile):
	    key, at = number(at)
	    value, at = number(at)
	    if key & 7 == 2:
	        if key >> 3 == 6:
	            strings.append(profile[at:at + value].decode())
	        at += value
	print("pprof", len(strings) > 10)
	print("csv", {len(row) for row in csv.reader(lines)}, len(lines) > 3)
EOF

requirement events_are_text
program
session <<-EOF
	cpu_type i386/core_2
	image $LOW/$PATHS $EVENT.100000.1.all.all.all
	0x1000 10, 0x1004 20
	image $LOW/$PATHS OTHER.100000.1.all.all.all
	0x1000 10, 0x1004 20
EOF
names fill "$DIR"
clean <<-EOF
	opreport --session-dir=$DIR
	opreport --session-dir=$DIR -l
	opreport --session-dir=$DIR --csv -l
	opreport --session-dir=$DIR --json
	opreport --session-dir=$DIR --xml
	opreport --session-dir=$DIR --format=dcpicat
	opreport --session-dir=$DIR --format=dcpiprof -l
	opannotate --session-dir=$DIR -a
	opgprof --session-dir=$DIR
	opexport --session-dir=$DIR --to=callgrind
	opexport --session-dir=$DIR --to=folded
EOF

requirement damage_is_reported_as_text
program
program_session
find samples -type f -name 'TIMER*' | while read -r file; do
	damage "$file" 17 255
done
write "samples/current/{root}/$PATHS/{dep}/{root}/$PATHS/TIMER.0.0.all.all.all" <<-EOF
	$LINE
EOF
: >"samples/current/$PATHS"
names fill "$DIR"
clean <<-EOF
	opreport --session-dir=$DIR -l
	opdb check samples
	opdb repair samples
	opdb pack .
	opdb unpack .
	opdb check $PATHS
	opdb dump $PATHS
	opdb pack $PATHS
	opdb $LOW
EOF

requirement arguments_are_reported_as_text
clean <<-EOF
	opreport --session-dir=$PATHS
	opreport --$LINE
	opreport -t $LINE
	opreport --sort=$LINE
	opannotate -s --session-dir=$PATHS
	oparchive -o $PATHS --session-dir=$PATHS
	opexport --to=$LINE
	opexport --from=$PATHS --to=folded
	opimport $PATHS
	opimport --from=$LINE $PATHS
	ophelp -c $LINE
	ophelp -c i386/core_2 -e $LINE:1000
	ocount -e $LINE true
	operf -e $LINE true
	oprofiled --image=$PATHS --replay=$PATHS --session-dir=$DIR/$PATHS
	oprofiled -V $LINE
	opcontrol --session-dir=$DIR/$PATHS --save=$LINE
	opcontrol $LINE
EOF

# What these say depends on the perf events that the machine has.
requirement counted_programs_are_named_as_text
clean_if_there <<-EOF
	ocount -e cpu-clock true $LINE
	ocount -e cpu-clock -b true $LINE
	ocount -e cpu-clock -j true $LINE
	ocount -e cpu-clock $PATHS
	operf -e cpu-clock:1000000 -d $DIR/$PATHS true
	operf -e cpu-clock:1000000 -d $DIR/$PATHS $PATHS
	cat $DIR/$PATHS/samples/operf.log
EOF

# A profile of pprof, in which all strings have every byte.
profile()
{
	make_profile <<-EOF
		pprof 6='' 6='${EVENT}_sample' 6='count' 6='${EVENT}_event' 6='$LINE'
		pprof 6='$SYMBOL' 6='$SYMBOL.c' 6='/no/such/$PATHS' 6='thread' 6='$SYMBOL'
		pprof 1=(1=1 2=2) 1=(1=3 2=4) 11=(1=3 2=4) 12=1000 13=4
		pprof 3=(1=1 2=0x1000 3=0x2000 5=7)
		pprof 4=(1=1 2=1 3=0x1010 4=(1=1 2=10))
		pprof 4=(1=2 2=1 3=0x1020 4=(1=1 2=12))
		pprof 5=(1=1 2=5 3=5 4=6)
		pprof 2=(1=[1 2] 2=[1 1000] 3=(1=8 2=9))
	EOF
}

requirement profiles_of_others_become_text
mkdir made
profile >made/profile
names fill made
clean <<-EOF
	opimport -i made/profile
	opexport --from=made/profile --to=folded
	opexport --from=made/profile --to=callgrind
	opexport --from=made/profile --to=speedscope
	opexport --from=made/profile --to=firefox
	opimport -o imported made/profile
	opreport --session-dir=imported -l -f
	opreport --session-dir=imported --csv -l -f
	opexport --session-dir=imported --to=folded
	opexport --session-dir=imported --to=callgrind
EOF

# The log names what it counts.
requirement logs_are_text
mkdir replayed
{
	machine | sed "s|/usr/bin/bash|/usr/bin/$PATHS|; s|anon:a/b|anon:$LINE|"
	echo "words cpu 0 context 501 500 0x10 user cookie 0x10 0x100 0 trace 0x100 0 0x200 0" \
		"cookie 0x11 0x300 0 anon 0x7f0000002000 0"
} | make_recording >replayed/recording
names fill replayed
clean <<-EOF
	oprofiled --replay=replayed/recording --foreground -V all --session-dir=$DIR/$PATHS
	opreport --session-dir=$DIR/$PATHS -l -f -c
	opdb dump $PATHS/samples
	opdb dump --json $PATHS/samples
EOF
