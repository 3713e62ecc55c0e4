#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run by units_test.py in a root file system that systemd has booted: the units of a fleet, from the
# package, with a server that keeps what comes in /received/PATH/NUMBER.
#
#	inside_units.sh PORT

set -Eeuo pipefail

export DEBIAN_FRONTEND=noninteractive LC_ALL=C HOME=/root
server=127.0.0.1:$1
samples=/var/lib/oprofile/samples
conf=/etc/oprofile-push.conf

fail()
{
	echo "NOT OK: $*"
	journalctl --quiet --no-pager --lines=20 --output=cat
	exit 1
}
trap 'fail "line $LINENO: $BASH_COMMAND"' ERR
same() { [[ "$2" = "$3" ]] || fail "$1: \"$2\", not \"$3\""; }
is() { systemctl show --property="$2" --value "$1"; }

mkfifo /never
exec 3<>/never # read from with a limit, to look again
# within SECONDS COMMAND... - whether it succeeds by then
within()
{
	local end=$((SECONDS + $1))
	shift

	until "$@"; do
		[[ $SECONDS -lt $end ]] || return 1
		read -rt 0.1 -u 3 || :
	done
}

closed() { find $samples -mindepth 1 -maxdepth 1 -name '2*T*Z-2*T*Z*' | wc -l; }
received() { find "/received/$1" -name '[0-9]*' 2>/dev/null | wc -l; }

apt-get -qq -y --no-install-recommends install /debs/oprofile_*.deb >/log 2>&1 ||
	{ cat /log; fail "no installation"; }
for unit in oprofile oprofile-push oprofile-add-up; do
	same "$unit after the installation" "$(is $unit ActiveState)" inactive
done
systemd-analyze verify --man=no oprofile-push.service oprofile-add-up.timer >/log 2>&1 || :
[[ ! -s /log ]] || { cat /log; fail "systemd finds something in the units"; }

# Without destinations nothing runs, and nothing has failed.
systemctl start oprofile-push oprofile-add-up
same "oprofile-push without $conf" "$(is oprofile-push ActiveState) $(is oprofile-push Result)" \
	"inactive success"

# As oppush(1) has it, with a second destination, which wants a token.
opcontrol --setup --perf --close-every=1s >/log 2>&1 || fail "opcontrol: $(cat /log)"
token=/run/credentials/oprofile-push.service/token
cat >$conf <<-END
	TO=http://$server/first
	OPTIONS=--jitter=0 --to=http://$server/second --token-file=$token
END
install -m 600 /dev/null /etc/oprofile-token
echo secret >/etc/oprofile-token
mkdir /etc/systemd/system/oprofile-push.service.d
printf '[Service]\nLoadCredential=token:/etc/oprofile-token\n' \
	>/etc/systemd/system/oprofile-push.service.d/token.conf
systemctl daemon-reload
systemctl enable --now oprofile oprofile-push >/log 2>&1 ||
	fail "systemctl enable --now oprofile oprofile-push: $(cat /log)"
has_closed() { for ((i = 0; i < 20000; i++)); do :; done; [[ $(closed) -ge 4 ]]; }
within 120 has_closed || fail "$(closed) sessions are closed"

# Which rights it has.
same "oprofile-push" "$(is oprofile-push ActiveState)" active
pid=$(is oprofile-push MainPID)
status=/proc/$pid/status
read -r _ user _ < <(grep ^Uid: "$status")
[[ $user -ge 61184 && $user -le 65519 ]] || fail "it runs as user $user, which is no dynamic one"
same "rights" "$(sed -n 's/^Cap\(Prm\|Eff\|Bnd\|Amb\):\t0*$/\1/p; s/^NoNewPrivs:\t//p' "$status" | paste -sd ' ')" \
	"Prm Eff Bnd Amb 1"
same "groups" "$(sed -n 's/^Groups:\t//p' "$status" | tr -d ' ' | sed "s/$user//")" \
	"$(getent group oprofile | cut -d : -f 3)"
for dir in /etc /usr /var/lib/oprofile /var/lib/oprofile/samples; do
	! nsenter --target="$pid" --mount touch "$dir/file" 2>/log || fail "it can write to $dir"
	grep -q 'Read-only file system' /log || fail "$dir: $(cat /log)"
done
same "mode of the spool" "$(stat -L -c '%a %u' /var/lib/oprofile-push)" "700 $user"

# All that was closed comes, to each destination.
systemctl stop oprofile
same "the end of the profiler" "$(is oprofile Result)" success
all=$(closed)
has_all() { [[ $(received first) -ge $all && $(received second) -ge $all ]]; }
within 120 has_all || fail "$(received first) and $(received second) of $all sessions have come"

# What adds up says why it cannot, once, beside the service whose user it has.
echo "TO=clickhouse://$server/fleet" >$conf
echo "machine 127.0.0.1 login adder password known" >/var/lib/oprofile-push/.netrc
! systemctl start oprofile-add-up 2>/log || fail "sums of a server that is no ClickHouse"
same "the end of oprofile-add-up" "$(is oprofile-add-up Result) $(is oprofile-add-up ExecMainStatus)" \
	"exit-code 1"
journalctl --sync
journalctl --quiet --unit=oprofile-add-up --output=cat _COMM=oppush >/log
same "lines that oprofile-add-up says" "$(grep -c '' /log)" 1
grep -q "^oppush error: http://$server/fleet: " /log || fail "it says: $(cat /log)"
same "the account of oprofile-add-up" "$(cat /received/authorization)" \
	"Basic $(printf adder:known | base64)"
systemctl start oprofile-add-up.timer
same "its timer" "$(is oprofile-add-up.timer ActiveState)" active

same "oprofile-push, meanwhile" "$(is oprofile-push MainPID) $(is oprofile-push NRestarts)" "$pid 0"
systemctl stop oprofile-push
same "the end of oprofile-push" \
	"$(is oprofile-push ActiveState) $(is oprofile-push Result) $(is oprofile-push ExecMainStatus)" \
	"inactive success 0"
journalctl --sync
journalctl --quiet --unit=oprofile-push --output=cat _COMM=oppush >/log
[[ ! -s /log ]] || fail "oprofile-push says: $(cat /log)"
find /var/lib/oprofile-push/ -name '*.pprof' | grep . && fail "that waits still"
opreport --json 'session:2*' >/received/report.json 2>/log || fail "opreport: $(cat /log)"

# Purged: what waits, and passwords, go, too.
rm -r /etc/systemd/system/oprofile-push.service.d /etc/oprofile-token $conf
systemctl disable --now oprofile oprofile-push oprofile-add-up.timer >/log 2>&1
apt-get -qq -y purge oprofile >/log 2>&1 || { cat /log; fail "purging"; }
find /var/lib /etc -name 'oprofile*' ! -name '*.conf' | grep . && fail "that is left by purging"
echo "$all sessions were sent by user $user"
