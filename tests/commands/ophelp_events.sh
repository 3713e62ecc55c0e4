#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# ophelp: lists of a small catalogue, and answers from the catalogues that are installed

unset OPROFILE_FS_DIR
small()
{
	export OPROFILE_EVENTS_DIR="$DIR"
	mkdir -p i386/ppro
	# an event without choices, long texts, each kind of unit mask, marks and modifiers
	cat >i386/ppro/events <<-'EOF'
		event:0xc0 counters:0,1 um:zero minimum:6000 name:INST_RETIRED : Instructions retired
		event:0x10 counters:0 um:kinds minimum:500 name:KINDS : A description so long that it has to go on in the next line, which begins where the first one did
		event:0x4c1 counters:cpuid um:modes minimum:1 name:MODES : Modes with "<&>"
		event:0xff ext:ibs_op um:only minimum:50000 name:TAGGED : Operations tagged
	EOF
	sed 's/^+ /\t/' >i386/ppro/unit_masks <<-'EOF'
		name:zero type:mandatory default:0x0
		+ 0x0 No unit mask
		name:kinds type:bitmask default:0x03
		+ 0x01 First kind
		+ 0x2 Second kind, of which so much can be said that the line is full before all of it has been said
		+ 0x40 Third
		name:modes type:exclusive default:slow
		+ 0x1 extra: fast Fast mode
		+ 0x1 extra:cmask=a,inv slow Slow mode
		+ 0x2 extra:edge one_more Another
		name:only type:mandatory default:0x10
		+ 0x10 The only one
	EOF
}

installed()
{
	export OPROFILE_EVENTS_DIR="$TOP/events"
}

requirement events_are_listed_as_text_xml_and_json
small
each try ophelp -c i386/ppro <<-'EOF'

	--xml
	--json --search mode|TAGGED
EOF

requirement events_are_translated_and_checked
small
each try ophelp -c i386/ppro <<-'EOF'
	-e TAGGED:50000 KINDS:500 INST_RETIRED:6000
	-e INST_RETIRED:6000 KINDS:500
	MODES
	MODES:1:fast
	-u MODES KINDS KINDS:500:0x41 MODES:1:one_more
	-E MODES MODES:1:fast MODES:1:slow MODES:1:2 KINDS:500:1
	-E KINDS:500:cmask=16+any
	-e KINDS:499
	-e KINDS:499 -i
	-e KINDS --ignore-count
	-e KINDS:7499 --callgraph 8
	-e KINDS:7500 --callgraph=8
EOF
try ophelp -c i386/pii

requirement answers_do_not_depend_on_the_machine
installed
each try ophelp <<-'EOF'
	-c i386/core_2 -r
	-c i386/core_2 -d
	-c i386/p4-ht -d
	-c i386/skylake --get-default-event
	-c x86-64/zen5 -d
	-c timer -d
	-c timer -e TIMER:0
	-c timer -e CYCLES:1
	-c i386/core_2 CPU_CLK_UNHALTED
	-c i386/haswell -e LLC_MISSES:6000 LLC_REFS:6000 INST_RETIRED:6000 CPU_CLK_UNHALTED:6000
	-c i386/haswell --counters 8 --fixed-counters 3 -e INST_RETIRED:6000
	-c i386/haswell --counters 2 -e LLC_MISSES:6000 LLC_REFS:6000 INST_RETIRED:6000
	-c i386/haswell --counters 2 --fixed-counters 3 -e LLC_MISSES:6000 LLC_REFS:6000 INST_RETIRED:6000
	-c i386/arch_perfmon --counters 2 -e INST_RETIRED:6000
EOF

requirement wrong_specifications_are_refused
installed
each try ophelp -c i386/core_2 -e <<-'EOF'
	:5
	A.B:1
	A/B
	A:many
	A:-1
	A:4294967296
	A:1:4294967296
	A:1:0:1:
	INST_RETIRE:6000
	INST_RETIRED
	INST_RETIRED::0
	INST_RETIRED:5999
	INST_RETIRED:89999 --callgraph=1
	INST_RETIRED:6000:0:0:0
	INST_RETIRED:6000:0:2
	INST_RETIRED:6000:0:1:1:1
	INST_RETIRED:6000:cmask=256
	LOAD_BLOCK:500:0x41
	INST_RETIRED:6000 INST_RETIRED:6000
	INST_RETIRED:6000:0:1:0 INST_RETIRED:6000:0:0:1
	INST_RETIRED:6000 CPU_CLK_UNHALTED:6000 LLC_MISSES:6000
	ITLB_MISS_RETIRED:500 MEM_LOAD_RETIRED:500
	INST_RETIRED:6000 INST_RETIRED:6001
EOF
each try ophelp -c i386/ppro -e <<-'EOF'
	NOTHING_LIKE_IT:6000
	INST_RETIRED:6000:1
	INST_RETIRED:6000:zero
EOF
small
each try ophelp -c i386/ppro -e <<-'EOF'
	MODES:1:quick
	MODES:1:fast+slow
	MODES:1:fast++slow
	MODES:1:0x1
EOF

requirement wrong_calls_are_refused
installed
each try ophelp <<-'EOF'
	-c i386/none
	-c i386/core_2 --search (
	--bogus
	-e
	-e -u A
	A B
	-r A
	--counters 0
	--counters two
	--callgraph -1
	--fixed-counters 3
	--search a -r
EOF
ophelp --version | sed 's/oprofile .*/oprofile VERSION/'
{ ophelp -c i386/core_2 >/dev/full || echo "full disk: exit $?"; } 2>&1

# all words must be there, in name, description or unit masks, as regular expressions
requirement words_are_searched
small
for words in retired '^k.*s$' 'kind third' 'third fourth' one_more mask '  mode  '; do
	echo "'$words': $(ophelp -c i386/ppro --search "$words" |
		sed -n '4,$s/^\([A-Z][A-Z_]*\): .*/\1/p' | tr '\n' ' ')"
done

requirement the_driver_names_the_cpu_type
installed
export OPROFILE_FS_DIR="$DIR"
printf i386/ppro >cpu_type
try ophelp -r
try ophelp -e INST_RETIRED:6000 CPU_CLK_UNHALTED:6000
printf nmi_timer >cpu_type
try ophelp -r
try ophelp -d
printf i386/486 >cpu_type
try ophelp -r
