#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: Linux' own perf driver comes up on each emulated PMU, with the counters that it was
# covers: given, and counts a program of known length exactly; so does RDPMC in user mode
# pmu: model=p6@6.12 model=core@6.12 model=core2@6.1 model=nehalem@6.1 model=haswell@6.12 model=skylake@6.12 model=icelake@6.12 model=k8@7.2 model=family10h@6.12 model=family15h@6.12 model=zen@7.2 model=zen4@7.2 model=clearwater@7.2 model=nehalem,counters=6,fixed=2,width=40@6.12
# sanitised: it proves the emulated counters, by the kernel's own driver; the module has no part in it
# limit: 120
# check: 6.1 7.2

# shellcheck source=../guest/pmu_case.sh
. /vm/pmu_case.sh

length=2000009 # instructions of /vm/pmu/length in user mode
branches=1000001

# driver KEY - what the driver said about the PMU when it came up
driver() { dmesg | sed -n "s/.*\] \.\.\. $1: *//p" | head -n 1; }

pmu identify
dmesg | grep 'Performance Events:'
# messages of others may be in between
dmesg | grep -q ' PMU driver\.$' || fail "the driver did not come up"
dmesg | grep -q 'Broken PMU' && fail "the driver says that the PMU is broken"
read -r _ _ _ counters _ fixed _ <<END
$(pmu identify)
END
same "number of counters" "$(driver 'generic \(registers\|counters\)')" "$counters"
same "number of fixed counters" "$(driver 'fixed-purpose \(events\|counters\)')" "$fixed"

# counted EVENT - of the last perf stat
counted() { awk -F , -v event="$1" '$3 == event { print $1 }' /tmp/stat; }

for _try in 1 2 3; do
	need perf stat -x , -o /tmp/stat -e instructions:u,branches:u /vm/pmu/length
	same "instructions:u" "$(counted instructions:u)" $length
	same "branches:u" "$(counted branches:u)" $branches
	need perf stat -x , -o /tmp/stat -e cycles:u,instructions:k /vm/pmu/length
	same "cycles:u" "$(counted cycles:u)" $length
	[ "$(counted instructions:k)" -gt 1000 ] || fail "no kernel was needed to run a program"
done

/vm/pmu/rdpmc || fail "RDPMC in user mode"

# more events than counters: they are multiplexed, which perf reports
need perf stat -x , -o /tmp/stat \
	-e "$(yes branches:u | head -n $((counters + fixed + 1)) | paste -s -d ,)" /vm/pmu/hot 20
awk -F , '$3 == "branches:u" && $5 < 100 { shared++ }
	END { printf "%d events shared a counter\n", shared; exit !shared }' /tmp/stat ||
	fail "no event had to share a counter"

# both rings together: where one register starts all counters, exactly the sum of each
case $(driver version) in
0 | 1) ;;
*)
	need perf stat -x , -o /tmp/stat \
		-e '{instructions:u,instructions:k,instructions}' /vm/pmu/length
	same "instructions" "$(counted instructions)" \
		$(($(counted instructions:u) + $(counted instructions:k)))
	;;
esac
