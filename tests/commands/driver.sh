# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# The kernel's driver as plain files in $DIR/fs, a catalogue of events for a CPU type with four
# counters, and fake_oprofiled, which writes what it is told to $DIR/journal.
#
#	machine [COUNTERS]	makes all this; without the numbers of counters, it has the timer
#	put PATH [TEXT]		makes a file and the directories above it
#	holds PATH...		writes the first lines of these files
#	journal			writes what the daemon was told since the last call
#	counters [NUMBER...]	writes the driver's counters, a line each
#	settings COMMAND...	tries it; writes how it changed daemonrc

cpu=x86-64/family10
names='enabled event count unit_mask kernel user extra'

put()
{
	mkdir -p "$(dirname "$1")"
	printf %b "${2-}" >"$1"
}

# Each daemon has written its pid.
cleanup()
{
	if [ -s "$WORK/pids" ]; then
		while read -r pid; do
			kill -9 "$pid" 2>/dev/null || :
		done <"$WORK/pids"
		rm "$WORK/pids"
	fi
}

put_counters()
{
	rm -rf fs/[0-9]
	for counter; do
		for name in $names; do
			put "fs/$counter/$name" '77777\n'
		done
	done
}

machine()
{
	cleanup
	rm -rf "${DIR:?}"/* "$DIR/.oprofile"
	export HOME="$DIR" OPROFILE_FS_DIR="$DIR/fs" FAKE_DIR="$DIR" FAKE_PIDS="$WORK/pids" FAKE_MODE=
	export OPROFILE_EVENTS_DIR="$DIR/events" OPROFILE_DAEMON="$BUILD/tests/commands/fake_oprofiled"
	mkdir -p "events/$cpu"
	cat >"events/$cpu/events" <<-'EOF'
		event:0x76 counters:0,1,2,3 um:zero minimum:3000 name:CPU_CLK_UNHALTED : Cycles
		event:0xc0 counters:0,1,2,3 um:zero minimum:3000 name:RETIRED : Instructions
		event:0x1d0 counters:0,1,2,3 um:kinds minimum:500 name:REQUESTS : Requests
		event:0x40 counters:0 um:zero minimum:500 name:ONLY0 : On counter 0 only
		event:0x41 counters:0,1 um:zero minimum:500 name:LOW : On the lower counters
		event:0x50 counters:0,1,2,3 um:modes minimum:100 name:STALLS : Stalls
		event:0xf0 ext:ibs_op um:zero minimum:50000 name:IBS_OP : Operations
	EOF
	sed 's/^+ /\t/' >"events/$cpu/unit_masks" <<-'EOF'
		name:zero type:mandatory default:0x0
		+ 0x0 No unit mask
		name:kinds type:bitmask default:0x3
		+ 0x1 extra: reads Reads of memory
		+ 0x2 extra: writes Writes to memory
		name:modes type:exclusive default:0x1
		+ 0x1 extra: cycles Cycles of stalls
		+ 0x4 extra:edge,cmask=1 starts Beginnings of stalls
		+ 0x2 extra:inv,cmask=a idle Cycles without
	EOF
	put fs/cpu_type timer
	put fs/enable '0\n'
	put fs/buffer
	for name in buffer_size buffer_watershed cpu_buffer_size backtrace_depth; do
		put fs/$name '0\n'
	done
	put fs/stats/sample_lost_no_mm '7\n'
	put fs/stats/bt_lost_no_mapping '0\n'
	put fs/stats/cpu0/sample_received '100\n'
	put fs/stats/cpu1/sample_received '23\n'
	put fs/stats/cpu0/sample_lost_overflow '5\n'
	put fs/stats/cpu1/sample_lost_overflow '6\n'
	if [ $# = 0 ]; then
		put fs/frequency '1000\n'
	else
		put fs/cpu_type $cpu
		# shellcheck disable=SC2086 # a list
		put_counters $1
	fi
	check opcontrol "--session-dir=$DIR/s" --setup
}

# What differs from run to run is hidden: numbers of processes, and who holds counters here.
try()
{
	echo "\$ $*"
	run_quietly "$@"
	written | sed -E -e 's/(pid|process) [0-9]+/\1 PID/g' \
		-e 's/\((the NMI watchdog|process PID).*\)/(HOLDERS)/'
}

holds()
{
	for path; do
		echo "$path: $(head -n 1 "$path" 2>&1)"
	done
}

journal()
{
	[ ! -f "$DIR/journal" ] || sed 's/^/daemon: /' "$DIR/journal"
	rm -f "$DIR/journal"
}

counters()
{
	[ $# != 0 ] || set -- 0 1 2 3
	for counter; do
		line="counter $counter:"
		for name in $names; do
			line="$line $name=$(head -n 1 "fs/$counter/$name")"
		done
		echo "$line"
	done
}

settings()
{
	cp .oprofile/daemonrc before
	try "$@"
	diff before .oprofile/daemonrc | grep '^[<>]' || :
}
