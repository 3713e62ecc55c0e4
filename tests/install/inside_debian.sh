#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run by packages.sh in a root file system of its own: the life of the Debian packages.
#
#	inside_debian.sh VERSION

set -euo pipefail

version=$1
export DEBIAN_FRONTEND=noninteractive LC_ALL=C HOME=/root
state=/var/lib/oprofile
release=$(cat /release)

fail() { echo "NOT OK: $*"; exit 1; }
same() { [[ "$2" = "$3" ]] || fail "$1: \"$2\", not \"$3\""; }

# apt ACTION PACKAGE... - all that ours need is there: the network is not asked
apt()
{
	apt-get -qq -y --no-install-recommends -o Dpkg::Use-Pty=0 "$@" \
		>/log 2>&1 || { cat /log; fail "apt-get $*"; }
}

# left - what belongs to us and is not of this test
left()
{
	find / -xdev \( -path /proc -o -path /debs -o -path /newer -o -path /root \
		-o -path /var/cache/apt -o -path /var/log \) -prune -o \
		\( -iname '*oprofile*' -o -name '*opagent*' \) -print
}

# use - profiles a program with what is installed, and reports it
use()
{
	cd /root
	operf awk 'BEGIN { for (i = 0; i < 3000000; i++); }' 2>/said || fail "operf: $(cat /said)"
	opreport --symbols >/report 2>/said || fail "opreport: $(cat /said)"
	grep -q awk /report || fail "no awk in the report: $(cat /report)"
	ophelp --cpu-type=i386/core_2 >/report || fail "ophelp has no events"
	opcontrol --version | grep -q "oprofile $version" || fail "opcontrol is not $version"
	cd /
}

# agent - a program is built with libopagent, and its record is written
agent()
{
	cd /root
	cat >agent.c <<-'C'
	#include <opagent.h>

	int main(void)
	{
		static const char code[64];
		op_agent_t agent = op_open_agent();

		return !agent || op_write_native_code(agent, "made", (unsigned long)code, code, 64) ||
		       op_close_agent(agent);
	}
	C
	gcc-12 agent.c -lopagent -o agent || fail "no program can be built with libopagent"
	./agent || fail "a program with libopagent writes no record"
	ldd "$(find /usr/lib -name libjvmti_oprofile.so)" | grep -q "not found" &&
		fail "the agent for Java lacks a library"
	cd /
}

left >/before

# Installed
apt install /debs/*.deb
same "state of the packages" \
	"$(dpkg-query -W -f '${db:Status-Abbrev}\n' 'oprofile*' 'libopagent*' | sort -u)" "ii "
dpkg --verify oprofile oprofile-dkms libopagent1 libopagent-dev | grep . && fail "installed files differ from the packages'"
same "mode of $state" "$(stat -c '%a %U:%G' $state)" "2750 root:oprofile"
same "the service" "$(systemctl is-enabled oprofile.service)" disabled
[[ -f /usr/share/doc/oprofile/internals.md.gz ]] || fail "the documentation is not there"
for command in /usr/bin/op* /usr/bin/ocount; do
	case ${command##*/} in
	openssl) continue ;;
	esac
	dpkg -S "$command" | grep -q '^oprofile:' || continue
	find /usr/share/man -name "${command##*/}.[18].gz" | grep -q . ||
		fail "$command has no manual page"
	[[ -e /usr/share/bash-completion/completions/${command##*/} ]] ||
		fail "$command is not completed"
done
use
agent

# The module of the kernel whose headers are there
dkms status -m oprofile -v "$version" -k "$release" | grep -qw installed ||
	dkms install -m oprofile -v "$version" -k "$release" >/log 2>&1 ||
	{ cat /log; fail "dkms builds no module"; }
same "the module's version" \
	"$(modinfo -k "$release" -F version oprofile)" "$version"

# Upgraded: sessions and settings stay
mkdir -p $state/samples/kept
echo kept >$state/samples/kept/file
mkdir -p /etc/systemd/system/oprofile.service.d
apt install /newer/*.deb
same "the version" "$(dpkg-query -W -f '${Version}' oprofile)" "$version+test"
same "a session" "$(cat $state/samples/kept/file)" kept
same "mode of $state" "$(stat -c '%a %U:%G' $state)" "2750 root:oprofile"
use

# Removed: sessions stay
apt remove oprofile oprofile-dkms oprofile-doc libopagent1 libopagent-dev
same "a session" "$(cat $state/samples/kept/file)" kept
[[ ! -e /usr/bin/operf ]] || fail "operf is still there"
find /lib/modules -name 'oprofile.ko*' | grep . && fail "the module is still there"

# Purged: nothing stays but the group
rmdir /etc/systemd/system/oprofile.service.d
# Those that are known still: they have something to purge.
mapfile -t removed < <(dpkg-query -W -f '${Package}\n' 'oprofile*' 'libopagent*')
apt purge "${removed[@]}"
left | diff /before - || fail "that is left by purging"
grep -q '^oprofile:' /etc/group || fail "the group is gone, to which files may belong"
