# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
#
# Boots one guest in QEMU and judges what it left.  A run has a folder of its own:
#
#	console.log	the kernel's console, first serial port
#	verdict.log	what init says of each case, second port
#	output.log	what the cases print, third port
#	coverage.tar.gz	of a sanitised kernel: what the module executed, as gcov has it, fourth
#			port; with a PMU and no sanitisers, that is QEMU's monitor
#	command		the QEMU command, to run it again by hand
#
# Sourced after common.sh.

# seconds to get from QEMU's start to the first case, on a loaded machine
boot_limit=${VM_BOOT_LIMIT:-600}

# tsc=reliable: the emulated CPUs share the host's clock, but 6.1 believes them out of step
# and falls back to the HPET, which costs a trip into QEMU a look.  The stall and lockup
# detectors measure wall time, which a loaded host stretches: they get a minute; a guest that
# is really stuck runs into its time limit.  no_timer_check: early in a boot the kernel panics if
# it sees no timer tick in a while, which such a host may need longer for.
guest_append="console=ttyS0 panic=-1 oops=panic tsc=reliable nmi_watchdog=0 no_timer_check
watchdog_thresh=30 rcupdate.rcu_cpu_stall_timeout=60"

# Lines of the console that fail a run.  A crash of a program in the guest counts, too.
guest_bad='BUG:|WARNING:|Oops|Kernel panic|INFO: task .* blocked|hung_task|rcu: .*(stall|starved)'
guest_bad+='|soft lockup|hard LOCKUP|general protection|KASAN|UBSAN|refcount_t:|scheduling while atomic'
guest_bad+='|segfault at|trap (invalid opcode|divide error|int3|stack segment)|Out of memory'
guest_bad+='|ODEBUG|kmemleak: .*(suspected|disabled|Cannot)|unreferenced object|lockdep is turned off'
guest_bad+='|vm: broken'

# The only line that looks bad and is not: under emulation NMI handlers are slow.
guest_harmless='NMI handler \(.*\) took too long to run'

# A sanitised kernel's guest says more.
guest_sanitised_append="printk.devkmsg=on kunit.enable=1"

# Where histograms of a PMU count: a workload at its own address, and the kernel.
guest_pmu_ranges=range=10000000-11000000,range=kernel

# With a PMU addresses must be those that the histogram has, and some of its CPU models have flaws
# of which the kernel warns.
guest_pmu_append="nokaslr norandmaps mitigations=off"

# guest_pmu OPTIONS - the words of QEMU's command line that give the CPUs that PMU (see
# pmu/README.md), in the array "pmu"
guest_pmu()
{
	local model cpu

	model=$(tr , '\n' <<<"$1" | sed -n 's/^model=//p')
	cpu=$("$build/tests/vm/pmu/models" | awk -v model="$model" '$1 == model { print $2 }')
	[[ -n $cpu ]] || die "pmu: $1: there is no such model"
	pmu=(-cpu "$cpu" -plugin "$build/tests/vm/pmu/pmu.so,$1,$guest_pmu_ranges")
}

# guest_command FOLDER SERIES SMP APPEND THIRD-PORT [PMU] - fill the array "command".  The
# number of CPUs "exact" is one, whose runs are the same instruction by instruction.
guest_command()
{
	local folder=$1 series=$2 smp=$3 append=$4 third=$5 qemu
	local libraries=lib/x86_64-linux-gnu
	local memory=1024
	local -a pmu=(-cpu max) accel=(-accel "tcg,thread=multi") fourth=()

	if [[ -n ${6:-} ]]; then
		guest_pmu "$6"
		append+=" $guest_pmu_append"
		# QEMU's own monitor, for `pmu nmi`
		fourth=(-chardev "socket,id=monitor,path=$folder/monitor,server=on,wait=off"
			-mon chardev=monitor -chardev "socket,id=guest,path=$folder/monitor"
			-serial chardev:guest)
	fi
	if kernel_sanitised "$series"; then
		memory=2048
		fourth=(-serial "file:$folder/coverage.tar.gz")
		append+=" $guest_sanitised_append"
	fi
	if [[ $smp == exact ]]; then
		smp=1
		accel=(-accel "tcg,thread=single" -icount "shift=1,sleep=off"
			-rtc "base=2020-01-01,clock=vm" -seed 1) # of RDRAND
	fi

	qemu=$(readlink -f "$cache/qemu")
	command=(
		# QEMU comes with all of its libraries, down to the loader; lib64 has an absolute
		# link, to the machine's
		"$qemu/$libraries/ld-linux-x86-64.so.2"
		--library-path "$qemu/$libraries:$qemu/usr/$libraries"
		"$qemu/usr/bin/qemu-system-x86_64"
		-L "$qemu/usr/share/qemu" -L "$qemu/usr/share/seabios"
		-machine q35 "${accel[@]}" "${pmu[@]}" -smp "$smp" -m "$memory"
		-nodefaults -display none -no-reboot
		-serial "file:$folder/console.log"
		-serial "file:$folder/verdict.log"
		-serial "$third" "${fourth[@]}"
		-kernel "$(kernel_image "$series")"
		-initrd "$folder/initramfs.cpio"
		-append "${guest_append//$'\n'/ } $append"
	)
}

# guest_initramfs FOLDER SERIES [PMU] - from the parts that image.sh made
guest_initramfs()
{
	local -a parts=("$cache/root/root.cpio")

	[[ -z ${3:-} ]] || parts+=("$cache/perf/perf.cpio")
	cat "${parts[@]}" "$out/programs.cpio" "$out/$2/modules.cpio" "$1/cases.cpio" \
		>"$1/initramfs.cpio"
}

# guest_is_stale CONSOLE - did a CPU meet a breakpoint that was not in memory any more?  The kernel
# changes code that runs: it writes a breakpoint, waits until all CPUs have seen it, and writes the
# rest.  With several CPUs, QEMU may still execute what it had translated in between.  The kernel
# prints what memory holds, and the byte that is next in angles; the one before is no breakpoint
# then.  Whatever the kernel complained of before, or in code of a module, is judged as it stands.
guest_is_stale()
{
	[[ $(guest_complaint "$1") == *"Oops: int3"* ]] || return 1
	awk '
		/Oops: int3/ { oops = 1 }
		oops && / RIP: .*\[/ { exit }
		oops && / Code: / {
			for (i = 2; i <= NF && $i !~ /^</; i++)
				;
			stale = i <= NF && $(i - 1) ~ /^[0-9a-f][0-9a-f]$/ && $(i - 1) != "cc"
			exit
		}
		END { exit !stale }' "$1"
}

# guest_boot FOLDER SERIES SMP APPEND LIMIT [PMU] - run a guest to its end, or for LIMIT seconds
# after boot.  Tried twice if, and only if, it never got as far as init, or guest_is_stale and no
# case had failed before: then the reason is in the file "again".
guest_boot()
{
	local folder=$1 limit=$(($5 + $(kernel_slowness "$2") * boot_limit)) try status why
	local -a command

	guest_initramfs "$folder" "$2" "${6:-}"
	guest_command "$folder" "$2" "$3" "$4" "file:$folder/output.log" "${6:-}"
	printf '%q ' "${command[@]}" >"$folder/command"
	rm -f "$folder/again"
	for try in 1 2; do
		rm -f "$folder"/{console,verdict,output}.log "$folder/coverage.tar.gz"
		status=0
		timeout --kill-after=5 "$limit" "${command[@]}" \
			</dev/null >"$folder/qemu.log" 2>&1 || status=$?
		echo "$status" >"$folder/status"
		if ! grep -qsx booted "$folder/verdict.log"; then
			why="did not boot"
		elif ! grep -q '^not ok' "$folder/verdict.log" &&
			guest_is_stale "$folder/console.log"; then
			why="met a breakpoint that was not in memory any more"
		else
			break
		fi
		if [[ $try -eq 1 ]]; then
			for log in console qemu; do
				cp -f "$folder/$log.log" "$folder/$log.first.log" 2>/dev/null || true
			done
			echo "$why" >"$folder/again"
			say "the guest $why, trying once more" \
				"(log of the first try: $folder/console.first.log)"
		fi
	done
	rm -f "$folder/initramfs.cpio"
}

# guest_complaint CONSOLE - the first bad line of a console, after "CASE: "; nothing if clean.
# KCSAN watches the whole kernel, which has data races of its own: a report of which no line is
# in a module is not ours, and counts for nothing.
guest_complaint()
{
	grep -avE "$guest_harmless" "$1" | awk -v bad="$guest_bad" '
		function complain(line) {
			print (running == "" ? "outside of cases" : "in " running) ": " line
			race = ""
			found = 1
		}
		found { next } # and read on: grep would fail if nobody read its lines
		{ sub(/\r$/, "") }
		race != "" && / \[[a-z0-9_]+\]$/ { complain(race); next }
		race != "" && /\] ==========+$/ { race = ""; next }
		/\] vm: case .* begins$/ { running = $(NF - 1); next }
		/\] vm: case .* ends$/ { running = ""; next }
		/BUG: KCSAN: / && race == "" { race = $0; next }
		$0 ~ bad { complain($0) }
		END { if (race != "") complain(race) }'
}

# guest_judge FOLDER CASE... - one line for each case and one for the kernel log:
# "ok NAME SECONDS", "skip NAME SECONDS REASON", "not ok NAME SECONDS REASON"
guest_judge()
{
	local folder=$1 name verdict end status complaint
	shift

	status=$(cat "$folder/status")
	if [[ $status -eq 124 || $status -eq 137 ]]; then
		end="the guest's time limit ended it"
	elif grep -qs 'Kernel panic' "$folder/console.log"; then
		end="the kernel panicked"
	elif [[ $status -ne 0 ]]; then
		end="QEMU ended with status $status: $(tail -n 1 "$folder/qemu.log")"
	elif ! grep -qsx booted "$folder/verdict.log"; then
		end="the guest never booted"
	else
		end="the guest ended early"
	fi
	for name; do
		verdict=$(awk -v name="$name" '
			{ sub(/\r$/, "") }
			($1 == "ok" || $1 == "skip") && $2 == name { print; exit }
			$1 == "not" && $2 == "ok" && $3 == name { print; exit }' \
			"$folder/verdict.log" 2>/dev/null || true)
		if [[ -n $verdict ]]; then
			echo "$verdict"
		elif grep -qsx "begin $name" "$folder/verdict.log"; then
			echo "not ok $name 0 no verdict: $end while it ran"
		else
			echo "not ok $name 0 no verdict: $end before its turn"
		fi
	done
	if [[ ! -s $folder/console.log ]]; then
		echo "not ok kernel-log 0 there is none"
		return
	fi
	complaint=$(guest_complaint "$folder/console.log")
	if [[ -n $complaint ]]; then
		echo "not ok kernel-log 0 $complaint"
	elif ! grep -qsx "done" "$folder/verdict.log"; then
		echo "not ok kernel-log 0 $end"
	else
		echo "ok kernel-log 0"
	fi
}
