#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: one user makes storms of each kind, another runs programs of known shares: whatever the
# covers: storm, the shares are right, at most 1 % of all samples are lost, and a short program has
# covers: as many as without it
# smp: exact
# limit: 600
# sanitised: judged by what a stock kernel can do in time
# check: 6.1 6.12 7.2

# shellcheck source=../guest/fuzz_case.sh
. /vm/fuzz_case.sh

modprobe fuse 2>/dev/null && chmod 666 /dev/fuse
folder=/tmp/two_users
mkdir -p $folder/renamed
chmod 777 $folder/renamed
storm=
trap 'kill $storm 2>/dev/null; rm -rf $folder' EXIT

as_nobody() { exec nice su -s /bin/sh nobody -c "exec $*"; }

# begin NAME - a storm, as nobody
begin()
{
	case $1 in
	none) sleep 1000000 & ;;
	images) as_nobody "$workloads/rename_storm" $folder/renamed 1000000 & ;;
	fuse) as_nobody "$workloads/silent_fuse" 3 & ;;
	exec | map | thread | library)
		as_nobody "$fuzz/storm" "$1" 0 "$workloads"/libreload*.so & ;;
	*) nice "$fuzz/hostile" "$1" 0 & ;;
	esac >/dev/null
	storm=$!
}

# profile_beside STORM - the other user's programs, long ones and short ones
profile_beside()
{
	need opcontrol --reset
	begin "$1"
	profile_begin --separate=lib --callgraph 64
	need "$workloads/split" 3 >/dev/null
	need "$workloads/spawn" 40 20 $folder "$workloads/brief2" >/dev/null
	need opcontrol --shutdown # not profile_end: what is in a journal, accounts does not see
	kill $storm
	wait $storm
	report
	same "beside $1: stored + lost" $(($(stat_sum samples_stored) + $(lost))) \
		"$(stat_sum sample_received)"
	seventy=$(symbol_samples split_seventy "$workloads/split")
	twenty=$(symbol_samples split_twenty "$workloads/libsplit.so")
	ten=$(symbol_samples split_ten "$workloads/split")
	brief=$(symbol_samples brief_spin)
	all=$((seventy + twenty + ten))
	share "beside $1: split_seventy" "$seventy" $all 0.7
	share "beside $1: split_twenty in the library" "$twenty" $all 0.2
	share "beside $1: split_ten" "$ten" $all 0.1
}

need opcontrol --init --backend timer
profile_beside none
long=$all short=$brief
echo "without a storm: $long samples of the long one, $short of the short ones"
for kind in images fuse fork protect userfault chain exec map thread library; do
	profile_beside $kind
	lost=$(lost) received=$(stat_sum sample_received)
	within "beside $kind: thousandths of samples that are lost, of both users" \
		$((lost * 1000 / received)) 0 10
	# What it does itself, not what the kernel does for it, which is more beside a storm.
	within "beside $kind: thousandths of the long one's samples" $((all * 1000 / long)) 950 1050
	noise=$(awk -v a="$brief" -v b="$short" 'BEGIN { printf "%d", 3 * sqrt(a + b) }')
	within "beside $kind: samples of the short ones" "$brief" $((short - noise)) $((short + noise))
done
need opcontrol --deinit
