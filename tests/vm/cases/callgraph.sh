#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: the arcs of a program, with frame pointers and without, are its true calls, in their true
# covers: shares
# limit: 120
# check: 6.1 6.12 7.2 6.1-kasan

# shellcheck source=../guest/case.sh
. /vm/case.sh

# "CALLER CALLEE COUNT" for each arc between functions of the workload.  A key is the offset
# of the caller in its file, shifted by 32 bits, and that of the callee.
arcs()
{
	rm -rf /tmp/tree
	need opexport --session-dir=$session --to=oprofile --output=/tmp/tree
	find /tmp/tree -type f -path '*{cg}*' -exec opdb dump {} + | awk '
		BEGIN {
			for (n = 0; (getline line <"/vm/workloads/symbols") > 0; n++) {
				split(line, field, " ")
				file[n] = field[1]; low[n] = hex(field[2])
				high[n] = low[n] + hex(field[3])
				name[n] = field[4]
			}
		}
		function hex(text,    value, i) {
			for (i = 1; i <= length(text); i++)
				value = value * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
			return value
		}
		function symbol(path, offset,    i) {
			for (i = 0; i < n; i++)
				if (path == file[i] && offset >= low[i] && offset < high[i])
					return name[i]
			return "other"
		}
		function image(part) {
			sub(/.*[{]root[}]/, "", part); sub(/\/$/, "", part)
			return part
		}
		$1 == "file:" {
			path = $2
			callee = path; sub(/.*[{]cg[}]\//, "", callee); sub(/\/[^\/]*$/, "", callee)
			caller = path; sub(/\/[{]cg[}].*/, "", caller); sub(/.*[{]dep[}]\//, "", caller)
			callee = image(callee); caller = image(caller)
			next
		}
		$1 ~ /^0x/ {
			from = symbol(caller, hex(substr($1, 3, 8)))
			to = symbol(callee, hex(substr($1, 11, 8)))
			arcs[from " " to] += $2
		}
		END { for (arc in arcs) print arc, arcs[arc] }' | sort >/tmp/arcs
}
arc() { awk -v a="$1" -v b="$2" '$1 == a && $2 == b { n += $3 } END { print n + 0 }' /tmp/arcs; }

# profile_shares PROGRAM
profile_shares()
{
	profile_begin --separate=lib --callgraph=16
	need "$workloads/$1" 6
	profile_end
	arcs
	cat /tmp/arcs
	all=$(arc main chain_top)
	enough "samples with a whole chain" "$all"
	share "chain_top to chain_often" "$(arc chain_top chain_often)" "$all" 0.8
	share "chain_top to chain_seldom" "$(arc chain_top chain_seldom)" "$all" 0.2
	share "chain_often to chain_leaf" "$(arc chain_often chain_leaf)" "$all" 0.6
	share "chain_often to chain_far" "$(arc chain_often chain_far)" "$all" 0.2
	share "chain_seldom to chain_leaf" "$(arc chain_seldom chain_leaf)" "$all" 0.2
	rm -rf $session
}

# arcs_wrong - between functions that do not call each other
arcs_wrong()
{
	awk '
	BEGIN {
		split("main chain_top,chain_top chain_often,chain_top chain_seldom," \
			"chain_often chain_leaf,chain_often chain_far,chain_seldom chain_leaf", list, ",")
		for (i in list)
			right[list[i]] = 1
	}
	$1 ~ /^chain_/ && $2 ~ /^chain_/ && !right[$1 " " $2] { n += $3 }
	END { print n + 0 }' /tmp/arcs
}

need opcontrol --init --backend nmi_timer
for program in chain chain_bare; do
	profile_shares $program
	# Before there is a table, the caller can't be seen before a function has set up its frame,
	# and after it has taken it down: the frame pointer is still that of the caller, whose
	# caller then seems to have called.
	within "arcs that are no calls of $program" "$(arcs_wrong)" 0 $((all / 200))
done
