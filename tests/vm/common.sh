# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034
#
# What every script of the guest harness starts with: where things are, how to say
# something, how to give up.  Sourced, not run.
#
# Exit codes: 0 done, 1 failed, 2 something is missing on this machine.

set -Eeuo pipefail
trap 'echo "$program: error: line ${BASH_LINENO[0]:-$LINENO}: failed: $BASH_COMMAND" >&2' ERR

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
vm=$top/tests/vm
build=${BUILD:-$top/build}	# of userspace, by meson
out=${VM_OUT:-$build/vm}	# modules, guest images, logs
cache=${XDG_CACHE_HOME:-$HOME/.cache}/oprofile

program=$(basename "$0" .sh)

say() { printf '%s: %s\n' "$program" "$*" >&2; }
die() { say "error: $*"; exit 1; }
missing() { say "missing: $*"; exit 2; }

. "$vm/kernel.sh"

# smp_known N - stop unless it is a sensible number of CPUs
smp_known()
{
	[[ $1 =~ ^([1-9]|1[0-6])$ ]] || die "SMP=$1 is not a number of CPUs from 1 to 16"
}

# hold LOCKFILE - wait until no other run holds it, then keep it until this process ends
hold()
{
	mkdir -p "$(dirname "$1")"
	exec 9>"$1"
	flock --nonblock 9 && return
	say "waiting for another run that holds $1"
	flock 9
}
