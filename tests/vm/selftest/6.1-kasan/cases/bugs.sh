#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: each bug on purpose is reported by the sanitiser that is there for it: a sleep with a
# covers: spinlock held, a running timer's memory freed, RCU data used without its lock, two locks
# covers: taken in both orders, a read behind an object, a read of an object that was freed
# append: kasan_multi_shot

# shellcheck source=../../../guest/case.sh
. /vm/case.sh

# seed BUG REPORT - make it, and look for its report in the kernel's log
seed()
{
	need insmod /vm/modules/seeded.ko bug="$1"
	need rmmod seeded
	dmesg | grep -q "$2" || fail "no report of the bug \"$1\""
	echo "$1: $(dmesg | grep "$2" | head -n 1)"
}

# Lockdep watches no more after its own report of a lock, or one of KASAN's.
seed sleep 'BUG: sleeping function called from invalid context'
seed object 'ODEBUG: free active.*timer_list'
seed rcu 'WARNING: suspicious RCU usage'
seed locks 'WARNING: possible circular locking dependency detected'
seed out-of-bounds 'BUG: KASAN: slab-out-of-bounds in out_of_bounds'
seed use-after-free 'BUG: KASAN: use-after-free in use_after_free'
