#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# covers: every command, run by root, against files of another user: links, hard links, FIFOs,
# covers: devices, sparse, growing and truncated files, names of every byte, deep trees; it ends
# covers: soon, by an exit status of its own, writes and tells nothing of root's, prints no control
# covers: byte
#
#	commands.sh BUILD
#
# In a mount namespace of its own, with a memory file system; the machine's other files are
# read-only there.

set -uo pipefail

build=$1
[[ $(id -u) -eq 0 ]] || { echo "skip: not root"; exit 77; }
if [[ -z ${OP_HOSTILE:-} ]]; then
	scratch=$(mktemp -d)
	trap 'rmdir "$scratch"' EXIT
	OP_HOSTILE=$scratch unshare --mount "$0" "$@"
	exit $?
fi
top=$OP_HOSTILE
mount -t tmpfs -o mode=755 hostile "$top" || { echo "skip: no mount namespace"; exit 77; }
cd "$top" || exit 1

PATH=$build/daemon/operf:$build/daemon:$build/pp:$build/tests/commands:$PATH
PATH=$build/utils/ocount:$build/utils/opdb:$build/utils/opcontrol:$build/utils/ophelp:$PATH
export HOME=$top/home OPROFILE_SYMBOLS=$top/symbols LC_ALL=C
mkdir home
other="setpriv --reuid=65534 --regid=65534 --clear-groups"
limit=100	# seconds: far more than any of these takes, beside any load
secret='the secret of root'
failures=0 runs=0

wrong() { printf 'NOT OK %s\n' "$*"; failures=$((failures + 1)); }

ocount -e cpu-clock -f /dev/null true 2>/dev/null || { echo "skip: no perf events here"; exit 77; }

# ---- what is root's ----

mkdir -m 700 root
printf '%s\n' "$secret" >root/secret
chmod 600 root/secret
mkdir root/empty
listing() { find root -printf '%p %y %m %U:%G %s %T@ %n\n' | sort; }

# ---- what is of the other user ----

cp "$build/tests/native/workloads/churn" program
event=cpu-clock:250000
operf --no-pack --session-dir=base -e $event ./program spin 60 2>said || { cat said; exit 1; }
perf_data=''
if command -v perf >/dev/null && perf record -q -B -N -e cpu-clock -o data ./program spin 30 \
	>/dev/null 2>&1; then
	perf_data=data
fi

# bad FILE KIND - put something else in its place
bad()
{
	case $2 in
	link) ln -sf "$top/root/secret" "$1" ;;
	hardlink) ln -f "$top/root/secret" "$1" ;;
	fifo) rm -f "$1"; mkfifo "$1" ;;
	device) rm -f "$1"; mknod "$1" c 1 5 ;; # endless zeros
	sparse) truncate -s 40G "$1" ;;
	short) truncate -s 7 "$1" ;;
	folder) rm -f "$1"; mkdir "$1" ;;
	esac
	[[ $2 == hardlink || $2 == link ]] || chown 65534:65534 "$1"
}

# tame NAME COMMAND... - a command ends in time, by a status of its own, and tells no secret
tame()
{
	local name=$1 status=0
	shift

	runs=$((runs + 1))
	timeout --kill-after=1 $limit "$@" </dev/null >out 2>err || status=$?
	case $status in
	[0-3]) ;;
	124 | 137) wrong "$name: does not end: $*" ;;
	*) wrong "$name: ended with $status: $*: $(tail -n 1 err)" ;;
	esac
	! grep -q "$secret" out err || wrong "$name: tells a secret: $*"
	if LC_ALL=C grep -qaP '[\x00-\x08\x0b-\x1f\x7f]' out err; then
		wrong "$name: a control byte in the output of: $*"
	fi
}

# reading NAME DIR - all commands that read sessions
reading()
{
	local trust

	for trust in '' --trust-session; do
		# shellcheck disable=SC2086 # no word or one
		tame "$1" opreport -l --session-dir="$2" $trust
		[[ -n $trust ]] || continue
		tame "$1" opannotate --assembly --session-dir="$2" $trust
		tame "$1" oparchive --session-dir="$2" $trust -o archive
		! grep -rq "$secret" archive 2>/dev/null || wrong "$1: oparchive copied a secret"
		rm -rf archive
		tame "$1" opexport --to=folded --session-dir="$2" $trust -o exported
	done
	tame "$1" opdb check "$2/samples/current"
	find "$2/samples/current" -type f -path '*{dep}*' ! -path '*{cg}*' -print -quit >one
	tame "$1" opdb dump "$(cat one)"
}

# writing NAME DIR refused|taken - all commands that write sessions; a daemon takes some of them
writing()
{
	tame "$1" operf --append --session-dir="$2" true
	tame "$1" opdb pack "$2/samples/current"
	tame "$1" opdb unpack "$2/samples/current"
	tame "$1" opdb repair "$2/samples/current"
	tame "$1" opcontrol --session-dir="$2" --reset
	tame "$1" opcontrol --session-dir="$2" --save=kept
	[[ $3 == refused ]] || return
	tame "$1" oprofiled --perf --foreground --session-dir="$2"
}

listing >before
samples=$(cd base && find samples/current -type f -path '*{dep}*' ! -path '*{cg}*' \
	! -path '*/weights/*' | head -n 1)
[[ -n $samples ]] || { echo "no sample file in $(find base | head -n 40)"; exit 1; }
files=(samples/current/{account,images,source,kallsyms,modules} "$samples")
kinds=(link fifo device sparse hardlink short folder)
turn=0
# each kind of each file, in sessions with two bad files each
for file in "${files[@]}"; do
	for kind in "${kinds[@]}"; do
		turn=$((turn + 1))
		# the sample file and the account as each kind, the others in turns
		case $file in
		*/modules | *"{dep}"*) ;;
		*) [[ $((turn % 4)) -eq 0 ]] || continue ;;
		esac
		rm -rf theirs
		cp -a base theirs
		chown -R 65534:65534 theirs
		mkdir -p "theirs/${file%/*}"
		bad "theirs/$file" "$kind"
		reading "$kind as ${file##*/}" theirs
		[[ $((turn % 7)) -ne 0 ]] || writing "$kind as ${file##*/}" theirs refused
	done
done
chown -R 0:0 theirs

# ---- files that are named on the command line ----

for kind in fifo device sparse short folder; do
	rm -rf input
	if [[ -n $perf_data ]]; then cp data input; else printf 'PERFILE2' >input; fi
	bad input $kind
	# a pipe is a good input, which may take its time
	[[ $kind == fifo ]] || tame "$kind as input" opimport -o imported input
	rm -rf imported
	tame "$kind as input" opdb dump input
	tame "$kind as input" opdb check input
	tame "$kind as vmlinux" opreport --session-dir=base --image-path=input
	tame "$kind as input" ocount -e cpu-clock -f input/none true
	tame "$kind as input" ophelp input
done

# a file that grows while it is read
if [[ -n $perf_data ]]; then cp data growing; else printf 'PERFILE2' >growing; fi
chown 65534 growing
$other dd if=/dev/zero bs=4k conv=notrunc oflag=append status=none count=200000 \
	>>growing 2>/dev/null &
writer=$!
tame "growing input" opimport -o imported growing
tame "growing input" opdb dump growing
kill $writer 2>/dev/null
wait $writer 2>/dev/null
rm -rf growing imported

# ---- names of every byte, of programs that are profiled ----

mkdir -m 777 names
bytes=$(printf '%b' "$(printf '\\x%x' $(seq 1 46) $(seq 48 127))"; echo .)
high=$(printf '%b' "$(printf '\\x%x' $(seq 128 255))"; echo .)
cp program "names/${bytes%.}x"
cp program "names/${high%.}x"
for name in names/*; do
	chmod 755 "$name"
	rm -rf named
	operf --session-dir=named -e $event "$name" spin 60 >out 2>err ||
		wrong "operf ended with $? with a name of every byte: $(tail -n 1 err)"
	! LC_ALL=C grep -qaP '[\x00-\x08\x0b-\x1f\x7f]' err || wrong "operf prints control bytes"
	tame "names" opreport -l --long-filenames --session-dir=named
	[[ -s out ]] || wrong "no report of a program with every byte in its name"
	tame "names" opannotate --assembly --session-dir=named
	tame "names" opexport --to=folded --session-dir=named -o exported
	tame "names" oparchive --session-dir=named -o archive
	rm -rf archive
	if LC_ALL=C grep -qaP '[\x00-\x08\x0b-\x1f\x7f]' named/samples/*.log 2>/dev/null; then
		wrong "a log with control bytes"
	fi
done

# ---- a tree deeper than a path can be ----

cp -a base deep
(
	cd deep/samples/current || exit 1
	long=$(printf 'd%.0s' $(seq 200))
	for _ in $(seq 60); do mkdir "$long" && cd "$long" || exit 1; done
	: >file
) || wrong "cannot make a deep tree"
chown -R 65534:65534 deep
reading "deep tree" deep
chown -R 0:0 deep
writing "deep tree" deep taken

# ---- a session that its owner holds for ever ----

cp -a base held
cp -a base free
chown -R 65534:65534 held free
$other bash -c 'exec 9<held/samples/current && flock -x 9 && exec sleep 600' &
holder=$!
end=$((SECONDS + 300))
while flock -n -s held/samples/current true && [[ $SECONDS -lt $end ]]; do sleep 0.05; done
! flock -n -s held/samples/current true || wrong "the session is not held"
# same COMMAND... - what it says, and writes to the file "exported", is as of a session that is free
same()
{
	rm -f exported
	"${@//SESSION/free}" --trust-session >wanted 2>/dev/null
	[[ ! -e exported ]] || mv exported wanted
	tame "held" "${@//SESSION/held}" --trust-session
	[[ ! -e exported ]] || mv exported out
	[[ -s wanted ]] || wrong "nothing to compare: $*"
	diff <(sed 's:/free\b:/held:g' wanted | grep -v '^cmd:') <(grep -v '^cmd:' out) >said ||
		{ wrong "a held session differs: $*"; head -n 4 said; }
}
same opreport -l --session-dir=SESSION
same opreport --callgraph --session-dir=SESSION
same opexport --to=folded --session-dir=SESSION -o exported
same opexport --to=callgrind --session-dir=SESSION -o exported
tame held oparchive --session-dir=held --trust-session -o archive
# other users' images are not in it, so names may be missing
counts() { opreport "$@" 2>/dev/null | awk '/^[0-9]/ { print $1 }'; }
diff <(counts --session-dir=base) <(counts archive:archive) ||
	wrong "the archive of a held session differs"
rm -rf archive
kill $holder
wait $holder 2>/dev/null

# ---- a session whose owner only claims that profiling goes on ----

make_session claimed <<-END
	image $top/program TIMER
	1 3
	stat total_samples 1
	stat samples_stored 1
END
touch claimed/lock
chown -R 65534:65534 claimed
# claim [AS...] - have a process hold the lock
claim()
{
	: >claimed/lock
	"$@" /usr/bin/python3 -c '
import fcntl, os, time
lock = open("claimed/lock", "w")
fcntl.flock(lock, fcntl.LOCK_EX)
lock.write(str(os.getpid()))
lock.flush()
time.sleep(600)' &
	holder=$!
	end=$((SECONDS + 30))
	until [[ -s claimed/lock || $SECONDS -ge $end ]]; do sleep 0.05; done
	[[ -s claimed/lock ]] || wrong "the claim is not made"
}
# shellcheck disable=SC2086 # several words
claim $other
tame claimed opreport --session-dir=claimed --trust-session
grep -q 'more than it says' out || wrong "another user's claim to profile is believed"
chown -R 0:0 claimed
tame claimed opreport --session-dir=claimed
grep -q 'more than it says' out || wrong "another user's process is taken for root's daemon"
kill $holder
wait $holder 2>/dev/null
claim env
tame claimed opreport --session-dir=claimed
grep -q '^Profiling goes on' out || wrong "root's own session in use is doubted"
kill $holder
wait $holder 2>/dev/null

# ---- a session whose owner names a process of root, and answers in its place ----

sleep 600 &
victim=$!
mkdir -p claimed/samples/current
chown -R 65534:65534 claimed
cat >answer.py <<-'PYTHON'
	import fcntl, socket, sys, time
	lock = open("claimed/lock", "w")
	fcntl.flock(lock, fcntl.LOCK_EX)
	lock.write(sys.argv[1])
	lock.flush()
	server = socket.socket(socket.AF_UNIX)
	server.bind("claimed/control")
	server.listen(1)
	# one client fills the queue, and nobody is answered
	clients = [socket.socket(socket.AF_UNIX) for i in range(3)]
	for client in clients:
	    client.setblocking(False)
	    try:
	        client.connect("claimed/control")
	    except BlockingIOError:
	        pass
	open("claimed/ready", "w").close()
	time.sleep(600)
PYTHON
$other /usr/bin/python3 answer.py $victim &
holder=$!
end=$((SECONDS + 30))
until [[ -e claimed/ready || $SECONDS -ge $end ]]; do sleep 0.05; done
[[ -e claimed/ready ]] || wrong "nobody answers for a session"
for command in --status --dump --stop --shutdown --reset; do
	tame claims opcontrol --session-dir=claimed $command
	kill -0 $victim 2>/dev/null || wrong "opcontrol $command ended a process of root's"
done
kill $holder $victim 2>/dev/null
wait $holder $victim 2>/dev/null

# ---- settings of another user's, as under sudo -E ----

mkdir -p theirs_home/.oprofile
mkfifo theirs_home/.oprofile/daemonrc
chown -R 65534:65534 theirs_home
sed "s|^root:.*|root:x:0:0:root:$top/home:/bin/sh|" /etc/passwd >passwd
mount --bind passwd /etc/passwd
HOME=$top/theirs_home tame settings opcontrol --session-dir="$top/base" --status
[[ -d home/.oprofile ]] || wrong "root's own settings were not looked for"
umount /etc/passwd

listing >after
diff before after || wrong "root's files have changed"
echo "$runs commands"
[[ $failures -eq 0 ]]
