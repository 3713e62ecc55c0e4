# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2154,SC2153
# (run.sh and lib.sh set $status and $COMMANDS.)
# Options of all commands: names, letters and forms of arguments, which scripts of users rely on.

commands="oprofiled operf ocount ophelp opdb opcontrol opreport opannotate oparchive opgprof
	opimport opexport"

# accepts COMMAND ARGUMENT... - --usage ends the command before it does anything
accepts()
{
	run_quietly "$@" --usage
	[ "$status" = 0 ] || echo "$*: refused: $(cat "$WORK/stderr")"
}

# refuses REASON COMMAND ARGUMENT...
refuses()
{
	reason=$1
	shift
	run_quietly "$@"
	case $status:$(cat "$WORK/stderr") in
	"2:$1 error: "*": $reason"*) ;;
	*) echo "$*: status $status instead of \"$reason\": $(cat "$WORK/stderr")" ;;
	esac
}

# takes COMMAND LETTER NAME [VALUE] - "-" for no letter or name; a value in [] may be missing
takes()
{
	value=${4-}
	case $value in
	\[*)
		[ "$3" = - ] || accepts "$1" "--$3"
		value=${value#\[}
		value=${value%\]}
		;;
	?*) [ "$3" = - ] || refuses "missing argument" "$1" "--$3" ;;
	esac
	[ "$3" = - ] || accepts "$1" "--$3${value:+=$value}"
	[ "$2" = - ] || accepts "$1" "-$2$value"
	[ "$2" = - ] || [ -z "$value" ] || accepts "$1" "-$2" "$value"
	echo "$1 $2 $3 ${4-}"
}

requirement options_letters_and_arguments_are_accepted
each takes <<-ROWS
	oprofiled - session-dir dir
	oprofiled e events A:1:0:1000:0:1:1
	oprofiled k vmlinux /dev/null
	oprofiled r kernel-range 1,2
	oprofiled - no-vmlinux
	oprofiled - image all
	oprofiled - separate-lib 1
	oprofiled - separate-kernel 1
	oprofiled - separate-thread 1
	oprofiled - separate-cpu 1
	oprofiled - perf
	oprofiled - freq 99
	oprofiled - callgraph 8
	oprofiled - stopped
	oprofiled - no-pack
	oprofiled - record new
	oprofiled - replay old
	oprofiled - oprofilefs dir
	oprofiled - foreground
	oprofiled V verbose all
	oprofiled v -
	oprofiled - version
	operf e events cpu-clock:100000
	operf F freq 99
	operf g callgraph
	operf - call-graph dwarf
	operf p pid 1,2
	operf s system-wide
	operf d session-dir dir
	operf a append
	operf t separate-thread
	operf c separate-cpu
	operf k vmlinux /dev/null
	operf l lazy-conversion
	operf - no-pack
	operf V verbose all
	operf v version
	ocount e events cpu-clock,page-faults
	ocount s system-wide
	ocount C cpu-list 0
	ocount p process-list 1,2
	ocount r thread-list 1
	ocount c separate-cpu
	ocount t separate-thread
	ocount i time-interval 100:2
	ocount b brief-format
	ocount j json
	ocount f output-file new
	ocount l list
	ocount v version
	ophelp s search a
	ophelp X xml
	ophelp J json
	ophelp c cpu-type i386/core_2
	ophelp - counters 2
	ophelp - fixed-counters 3
	ophelp - list-cpu-types
	ophelp r get-cpu-type
	ophelp d get-default-event
	ophelp e check-events
	ophelp - callgraph 8
	ophelp i ignore-count
	ophelp u unit-mask
	ophelp E extra-mask
	ophelp v version
	opdb j json
	opdb m merged
	opdb v version
	opcontrol - init
	opcontrol - start-daemon
	opcontrol s start
	opcontrol d dump
	opcontrol t stop
	opcontrol h shutdown
	opcontrol - reset
	opcontrol - save name
	opcontrol - deinit
	opcontrol l list-events
	opcontrol - status
	opcontrol - setup
	opcontrol V verbose [all]
	opcontrol - backend timer
	opcontrol - module x.ko
	opcontrol - session-dir dir
	opcontrol v version
	opcontrol e event default
	opcontrol p separate lib,cpu
	opcontrol c callgraph 8
	opcontrol - vmlinux /dev/null
	opcontrol - no-vmlinux
	opcontrol - kernel-range 1,2
	opcontrol i image all
	opcontrol - buffer-size 4096
	opcontrol - buffer-watershed 1024
	opcontrol - cpu-buffer-size 512
	opcontrol - perf
	opcontrol - no-perf
	opcontrol - frequency 99
	opcontrol - time-slice 7
	opreport l symbols
	opreport d details
	opreport c callgraph
	opreport g debug-info
	opreport - inline
	opreport w show-address
	opreport f long-filenames
	opreport a accumulated
	opreport % global-percent
	opreport t threshold 1.5
	opreport s sort vma,image
	opreport r reverse-sort
	opreport m merge cpu,lib
	opreport - unscaled
	opreport x exclude-dependent
	opreport e exclude-symbols a,b
	opreport i include-symbols a,b
	opreport D demangle smart
	opreport n no-header
	opreport o output-file new
	opreport - stats
	opreport X xml
	opreport - json
	opreport - csv
	opreport - format csv
	opreport V verbose all
	opreport v version
	opreport - session-dir dir
	opreport p image-path a,b
	opreport R root dir
	opreport - jit-dir dir
	opreport - color never
	opreport - no-pager
	opannotate s source
	opannotate a assembly
	opannotate o output-dir dir
	opannotate d search-dirs a,b
	opannotate b base-dirs a
	opannotate - include-file *.c
	opannotate - exclude-file *.c
	opannotate i include-symbols a,b
	opannotate e exclude-symbols a,b
	opannotate - disassembler-options intel
	opannotate - objdump-params -Mintel
	opannotate x exclude-dependent
	opannotate m merge cpu,lib
	opannotate - unscaled
	opannotate D demangle smart
	opannotate t threshold 1.5
	opannotate V verbose all
	opannotate v version
	opannotate - session-dir dir
	opannotate p image-path a,b
	opannotate R root dir
	opannotate - jit-dir dir
	opannotate - color never
	opannotate - no-pager
	oparchive o output-directory dir
	oparchive - output new
	oparchive l list-files
	oparchive x exclude-dependent
	oparchive V verbose all
	oparchive v version
	oparchive - session-dir dir
	oparchive p image-path a,b
	oparchive R root dir
	oparchive - jit-dir dir
	opgprof o output-filename new
	opgprof t threshold 1.5
	opgprof V verbose all
	opgprof v version
	opgprof - session-dir dir
	opgprof p image-path a,b
	opgprof R root dir
	opgprof - jit-dir dir
	opimport - from pprof
	opimport o output new
	opimport i info
	opimport s separate lib,cpu
	opimport a abi file
	opimport - cpu-type i386/core_2
	opimport f force
	opimport V verbose all
	opimport v version
	opexport t to folded
	opexport o output new
	opexport - list-formats
	opexport - from x
	opexport - from-format pprof
	opexport D demangle smart
	opexport x exclude-dependent
	opexport V verbose all
	opexport v version
	opexport - session-dir dir
	opexport p image-path a,b
	opexport R root dir
	opexport - jit-dir dir
ROWS

requirement no_command_accepts_unknown_options
for command in $commands; do
	refuses "unknown option" "$command" --nonsense
	refuses "unknown option" "$command" -Z
done

# listed COMMAND - the options that its help lists, as the rows above write them
listed()
{
	"$1" --help | sed -n -e 's/^  -\(.\) .*/'"$1"' \1 -/p' \
		-e 's/^  \(-.,\|   \) --\([a-z-]*\).*/'"$1"' \1 \2/p' |
		sed -e 's/ -\(.\), / \1 /' -e 's/     / - /' | grep -vE ' (help|usage)$'
}

requirement help_lists_these_options_and_no_others
for command in $commands; do
	listed "$command"
done | cut -d' ' -f1-3 | sort >"$WORK/listed"
cut -d' ' -f1-3 "$COMMANDS/command_options.txt" |
	grep -E '^op|^ocount' | sort | diff - "$WORK/listed" && echo same

requirement help_fits_80_columns_and_names_arguments_in_upper_case
for command in $commands; do
	check "$command" '-?'
	"$command" --help | grep -nE '^.{81}|^  .{0,6}--[a-z-]*\[?=[^] ]*[a-z]' | sed "s/^/$command: /"
done

requirement errors_name_option_and_value
each try <<-EOF
	oprofiled --perf --freq=0
	oprofiled --separate-lib=2
	oprofiled --kernel-range=2,1
	oprofiled --verbose=loud
	oprofiled --events=A:1
	oprofiled word
	operf --freq 1e6 true
	operf --pid=1,x
	operf --call-graph=bp true
	operf --vmlinux=/nonexistent true
	ocount --time-interval=0 true
	ocount --time-interval=1:0 true
	ocount -C 3-1
	ocount -p 0
	ophelp --counters=65
	ophelp -X -J
	ophelp --cpu-type=
	opcontrol --start --stop
	opcontrol --start --verbose=loud
	opcontrol --save=../x
	opcontrol word
	opreport --threshold=101
	opreport --demangle=fancy
	opreport --format=pdf
	opreport --color=red
	opreport -e a,,b
	opreport --merge=core
	opreport --verbose=loud
	oparchive --output=
EOF

requirement a_command_to_run_keeps_its_options
each try <<-EOF
	operf --append nonesuch --version
	ocount -c -s -- --version
	ocount -- nonesuch --help
EOF
