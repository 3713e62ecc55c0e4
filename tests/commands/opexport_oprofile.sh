#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# opexport --to=oprofile: trees that OProfile 1.4 and 0.9.9 read.  original_tree.py reads them by
# the facts of the format; what it sums up must be what opreport says of the session.

# Exports the session for both releases; writes what is in the tree, or that it is the same in both.
exported()
{
	for release in 0.9.9 1.4; do
		format=oprofile
		[ "$release" = 1.4 ] || format=oprofile-0.9.9
		rm -rf "tree-$release"
		try opexport --session-dir="$DIR" --to="$format" --output="tree-$release" "$@"
		python3 "$COMMANDS/original_tree.py" "$release" "tree-$release" >"$release.txt" || :
	done
	cat 1.4.txt
	diff 1.4.txt 0.9.9.txt || :
}

# The report of the session, and of both trees if they differ.
reported()
{
	opreport --session-dir="$DIR" "$@" >own.txt 2>own.err || :
	cat own.txt
	for release in 0.9.9 1.4; do
		opreport --session-dir="tree-$release" "$@" >tree.txt 2>tree.err || :
		diff own.txt tree.txt || :
	done
}

kernel_symbols()
{
	write samples/current/modules <<-EOF
		kallsyms ffffffff81000000 1000000 -
		demo_x ffffffffc0000000 4000 -
	EOF
	write samples/current/kallsyms <<-EOF
		ffffffff81000000 T _stext
		ffffffff81000100 T do_work
	EOF
}

# Everything that a sample file of OProfile can have.
whole()
{
	images
	session <<-EOF
		cpu_type i386/core_2
		cpu_speed 2400
		ctr_event 0x3c
		ctr_count 100000
		mtime 1700000000
		image prog CYCLES.100000.0.70.71.all
		0x1010 2, 0x1030 8
		image prog lib.so CYCLES.100000.0.70.71.all
		0x2010 5
		mtime 0
		anon_start 0x1000
		image prog {anon:[heap]}/70.0x1000.0x3000 CYCLES.100000.0.70.71.all
		0x10 3
		anon_start 0
		is_kernel 1
		image prog {kern}/kallsyms CYCLES.100000.0.70.71.all
		0x120 7
		image prog {kern}/demo_x CYCLES.100000.0.70.71.all
		0x20 9
		is_kernel 0
		mtime 1700000000
		arcs prog prog lib.so CYCLES.100000.0.70.71.all
		0x1010>0x2010 4
		cg_to_is_kernel 1
		arcs prog prog {kern}/kallsyms CYCLES.100000.0.70.71.all
		0x1030>0x120 6
		stat total_samples 40
		stat samples_stored 34
		stat lost_no_mapping 5
		stat sample_lost_no_mm 1
	EOF
	kernel_symbols
	echo object >"samples/current/{root}$DIR/prog/{dep}/{anon:[heap]}/70.jo"
}

requirement all_that_oprofile_knows_is_written_for_both_releases
whole
exported
reported -n image:"$DIR/prog"

requirement packed_sessions_give_the_same_tree
whole
exported >loose.txt
make_session --pack "$DIR"
exported >packed.txt
diff loose.txt packed.txt

# Samples of which 3 of 4 events are in heavy code, and a doubled period.
requirement weights_become_counts
frequency 10
exported
reported --csv -l -n
session --name=doubled <<-EOF
	cpu_type i386/core_2
	image prog CYCLES.1000.0.all.all.all
	0x1010 2, 0x1030 2
	ctr_count 1
	file weights/{root}@DIR@/prog/{dep}/{root}@DIR@/prog/CYCLES.1000.0.all.all.all
	0x1010 2000
EOF
exported session:doubled

# A sample too few in one image is one more in another one: nothing is lost by rounding.
requirement rounding_loses_no_samples
images
{
	echo cpu_type i386/core_2
	for file in prog lib.so; do
		echo "image prog $file CYCLES.0.0.all.all.all"
		seq 1 300 | awk '{ print 4096 + 8 * $1, 1 + $1 % 7 }'
		echo "file weights/{root}@DIR@/prog/{dep}/{root}@DIR@/$file/CYCLES.0.0.all.all.all"
		seq 1 300 | awk '{ print 4096 + 8 * $1, 1 + $1 * $1 % 977 }'
	done
} | session
exported

requirement multiplexed_events_are_scaled
images
session <<-EOF
	cpu_type i386/core_2
	image prog LOADS.500.65.all.all.all
	0x1010 10, 0x1030 1
	arcs prog prog LOADS.500.65.all.all.all
	0x1030>0x1010 4
EOF
echo 3000 | write samples/current/stats/events/LOADS.500.65/enabled_ns
echo 1000 | write samples/current/stats/events/LOADS.500.65/running_ns
exported

# A code means what OProfile has for it: one that is another event in the similar CPU is not kept.
requirement cpu_types_that_oprofile_does_not_have_become_similar_ones
export OPROFILE_EVENTS_DIR="$TOP/events"
of_type()
{
	rm -rf samples prog
	images
	session <<-TYPE
		cpu_type $1
		ctr_event $2
		ctr_count 1000
		image prog $3.1000.0.all.all.all
		0x1010 1
	TYPE
	echo "# $*"
	exported
}
# 108 is the type of sessions of perf events
each of_type <<-EOF
	x86-64/zen4 0x76 CPU_CLK_UNHALTED
	x86-64/zen4 0x43 OTHER
	i386/tigerlake 0x3c CPU_CLK_UNHALTED
	i386/skylake 0xc0 inst_retired
	108 0 cycles
	108 0 cpu-clock
	108 1 page-faults
EOF

# The type that each release takes it for, by its own numbers; one if they agree.
types_of()
{
	of_type "$1" 0 TIME | sed -n -e '1s/ 0 TIME//p' -e 's/ event .*//; s/^\([<>]*\).*: type/  \1/p' \
		-e /FAULT/p
}

requirement cpu_types_are_numbered_as_in_each_release
for name in ppro pii piii athlon p4 p4-ht p6_mobile core core_2 arch_perfmon core_i7 atom nehalem \
	westmere sandybridge ivybridge haswell silvermont broadwell skylake goldmont goldmontplus \
	knightslanding tremont icelake alderlake sapphirerapids lunarlake; do
	types_of i386/$name
done
for name in hammer family10 family11h family12h family14h family15h family16h generic zen1 zen5; do
	types_of x86-64/$name
done

# OProfile ends a report if files of one image differ in this.
requirement files_of_an_image_have_one_time
images
session <<-EOF
	mtime 1700000000
	image prog TIMER.0.0.1.1.all
	0x1010 1
	mtime 0
	image prog TIMER.0.0.2.2.all
	0x1010 2
EOF
exported

requirement sessions_are_added_up
images
for name in current other; do
	session --name=$name <<-EOF
		image prog TIMER
		0x1010 1, 0x1030 2
	EOF
done
exported session:current,other

requirement counts_beyond_31_bits_are_divided
images
session <<-EOF
	cpu_type i386/core_2
	image prog CYCLES.4294967294.0.all.all.all
	0x1010 3
EOF
exported

requirement other_profilers_files_are_exported
make_profile >made <<-EOF
	pprof 6='' 6='samples' 6='count' 6='cpu' 6='nanoseconds' 6='/no/such/prog'
	pprof 1=(1=1 2=2) 1=(1=3 2=4) 11=(1=3 2=4) 12=1000000
	pprof 3=(1=1 2=0x400000 3=0x410000 5=5)
	pprof 4=(1=1 2=1 3=0x401010) 4=(1=2 2=1 3=0x401030)
	pprof 2=(1=[1 2] 2=[7 7000000]) 2=(1=[2] 2=[2 2000000])
EOF
for release in 0.9.9 1.4; do
	format=oprofile
	[ "$release" = 1.4 ] || format=oprofile-0.9.9
	try opexport --from=made --to=$format --output=tree-$release
	python3 "$COMMANDS/original_tree.py" $release tree-$release
done

# Functions by name are memory with an object, of lines too; names in a file that is not here are told.
requirement names_that_only_a_profile_has_go_along
printf 'app;main;work 70\napp;main;other 30\napp;[k] do_irq 5\n' >folded
write callgrind <<-EOF
	events: Ir
	ob=/srv/app
	fl=app.c
	fn=main
	3 10
	4 20
	cob=/srv/lib.so
	cfn=work
	calls=1 7
	5 300

	ob=/srv/lib.so
	fn=work
	7 100
	8 200
EOF
make_profile >made <<-EOF
	pprof 6='' 6='samples' 6='count' 6='main' 6='work' 6='/no/such/prog' 1=(1=1 2=2)
	pprof 3=(1=1 2=0x400000 3=0x410000 5=5) 5=(1=1 2=3) 5=(1=2 2=4)
	pprof 4=(1=1 2=1 3=0x401010 4=(1=1)) 4=(1=2 2=1 3=0x401030 4=(1=2)) 2=(1=[2 1] 2=[7])
EOF
for profile in folded callgrind made; do
	for release in 0.9.9 1.4; do
		format=oprofile
		[ "$release" = 1.4 ] || format=oprofile-0.9.9
		rm -rf "tree-$release"
		try opexport --from="$profile" --to=$format --output="tree-$release" 2>&1
		python3 "$COMMANDS/original_tree.py" $release "tree-$release" >$release.txt
	done
	cat 1.4.txt
	diff 1.4.txt 0.9.9.txt
done
opreport --session-dir=tree-1.4 -l --no-header 2>/dev/null | head -n 3
for format in perf cpuprofile dcpi pprof; do
	try opexport --from=folded --to=$format --output="written-$format"
done

# OProfile looks for DIR/PATH of the session and DIR/PATH of each image.
requirement an_archive_of_the_tree_is_one_for_oprofile
whole
exported >/dev/null
try oparchive --session-dir=tree-1.4 --output-directory=archive
python3 "$COMMANDS/original_tree.py" 1.4 "archive$DIR/tree-1.4" >archive.txt
diff 1.4.txt archive.txt
cmp prog "archive$DIR/prog"
cmp lib.so "archive$DIR/lib.so"

# A map, memory that grew, code that no line covers, and a process without a map: its memory keeps its
# name, as that of OProfile.
requirement jit_code_has_objects
images
jit_samples()
{
	session <<-EOF
		anon_start 0x7f0000000000
		image prog {anon:anon}/77.0x7f0000000000.0x7f0000010000 TIMER
		0x100 1, 0x1ff 2, 0x200 4, 0x300 8, 0x8000 16
		image prog {anon:anon}/77.0x7f0000000000.0x7f0040000000 TIMER
		0x110 32, 0x30000000 64
		anon_start 0x1000000
		image prog {anon:[heap]}/77.0x1000000.0x1001000 TIMER
		0x10 128
		anon_start 0x7f0000000000
		image prog {anon:anon}/78.0x7f0000000000.0x7f0000010000 TIMER
		0x100 256
	EOF
}
jit_samples
write jit/perf-77.map <<-EOF
	7f0000000100 100 LazyCompile:~add /srv/app.js:3
	7f0000000280 100 _Z3addii
	7f0030000000 10 far
	7f0000009000 10 without_samples
EOF
exported --jit-dir="$DIR/jit"
find tree-1.4 -name '*.jo' | sort | while read -r object; do
	nm "$object" >symbols
	sort symbols
	[ "$(du -k "$object" | cut -f 1)" -lt 100 ] || echo "it is large"
done
opreport --session-dir="$DIR" --jit-dir="$DIR/jit" -l -n -w >own.txt
opreport --session-dir=tree-1.4 -l -n -w | diff own.txt - || :

# The names of an import are in its session.
requirement jit_code_of_imports_has_objects
make_profile >made <<-EOF
	pprof 6='' 6='samples' 6='count' 6='cpu' 6='nanoseconds' 6='[anon:jit]' 6='compiled'
	pprof 1=(1=1 2=2) 1=(1=3 2=4) 11=(1=3 2=4) 12=1000000
	pprof 3=(1=1 2=0x400000 3=0x410000 5=5)
	pprof 5=(1=1 2=6)
	pprof 4=(1=1 2=1 3=0x401010 4=(1=1)) 4=(1=2 2=1 3=0x401030)
	pprof 2=(1=[1] 2=[7 7000000]) 2=(1=[2] 2=[2 2000000])
EOF
try opexport --from=made --to=oprofile --output=tree-1.4
python3 "$COMMANDS/original_tree.py" 1.4 tree-1.4

requirement statistics_without_a_loss_of_samples_are_left_out
images
session <<-EOF
	image prog TIMER
	0x1010 7
	stat total_samples 7
	stat samples_stored 7
	stat lost_bt_no_mapping 3
EOF
exported
session <<-EOF
	stat lost_bt_no_mapping 3
	stat lost_records_by_kernel 2
EOF
exported

requirement errors_are_said
whole
try opexport --session-dir="$DIR" --to=oprofile
mkdir there
try opexport --session-dir="$DIR" --to=oprofile --output=there
try opexport --session-dir="$DIR" --to=oprofile --output=new event:NONE
[ ! -e new ]

# Three samples: 5/8, 2/8 and 1/8 of 16 billion events
requirement shares_of_few_heavy_samples_are_kept
cat >made <<-'EOF'
	{"$schema": "https://www.speedscope.app/file-format-schema.json",
	 "shared": {"frames": [{"name": "a", "file": "/a"}, {"name": "b"}, {"name": "c"}]},
	 "profiles": [{"type": "sampled", "name": "one", "unit": "seconds",
	  "samples": [[0], [1], [2]], "weights": [10, 4, 2]}]}
EOF
opimport -o "$DIR" made
exported
find tree-1.4 -name 'time.*' -exec opdb dump -m {} + | grep '^ *0x\|^ *[0-9]'
