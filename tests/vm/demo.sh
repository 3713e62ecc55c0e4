#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Shows the profiler at work: installs what that needs, builds the programs while a kernel and QEMU
# are fetched, boots a guest, profiles real programs in it and prints the reports.
#
#	demo.sh [-k SERIES] [-s SMP]

. "$(dirname "$0")/common.sh"
. "$vm/module.sh"
. "$vm/image.sh"
. "$vm/guest.sh"

series=${kernels_stock%% *} smp=2
while getopts k:s: option; do
	case $option in
	k) series=$OPTARG; kernel_known "$OPTARG" ;;
	s) smp=$OPTARG; smp_known "$OPTARG" ;;
	*) exit 2 ;;
	esac
done

"$top/tools/packages.sh" --guests
cache_options=(--no-perf)
kernel_fill "$series" &		# image_prepare tells if that failed
TARGETS=programs "$top/tools/build.sh"
wait
image_loads=profiler image_tests=false
module_options=(-j "$(nproc)")
image_prepare "$series"
[[ ${#broken[@]} -eq 0 ]] || exit 1
run=$out/demo/$series
rm -rf "$run"
mkdir -p "$run"
limit=300
echo "demo $limit" >"$run/list"
image_cases "$run" list="$run/list" "$vm/guest/demo.sh"
say "booting Linux $(kernel_release "$series") with $smp emulated CPUs"
# The output as it comes, up to what the guest says of each case at its end.
tail -n +1 -F --pid=$$ "$run/output.log" 2>/dev/null 9>&- | sed -u '/^==== /Q' 9>&- &
shown=$!
guest_boot "$run" "$series" "$smp" "" $limit
grep -qs '^==== ' "$run/output.log" || kill $shown
wait $shown 2>/dev/null || true

verdicts=$(guest_judge "$run" demo)
if grep -q '^not ok' <<<"$verdicts"; then
	grep '^not ok' <<<"$verdicts" | sed 's/^not ok \([^ ]*\) [^ ]*/demo: error: \1:/' >&2
	die "the demo failed; logs: $run/{console,output}.log"
fi
cat <<-END

	These CPUs were emulated, and slower by far than yours.  On this machine:

	    make install                # or make deb, make rpm: packages
	    operf ./program             # of your own: needs neither root nor the module
	    opreport                    # by program; opreport --symbols: by function
	    opreport --html=page.html   # flame graph, tables and code, in one file
	    optop                       # live, as root

	README.md says how the module profiles the whole system, as above.  Logs of this run:
	$run/{console,output}.log
END
