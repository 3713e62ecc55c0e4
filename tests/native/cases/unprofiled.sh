#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: CPU time of programs that the kernel lets nobody but root profile is said, by operf and
# covers: reports, with the reason; processes whose first thread has ended, code that mremap(2) has
# covers: moved, and programs that are removed have their names

# shellcheck source=../case.sh
. "$TESTS/native/case.sh"

chmod 711 "$scratch"
cd "$scratch" || exit 1
cat >spin.c <<-END
	#include <time.h>
	static volatile unsigned long sum;
	__attribute__((noinline)) static void spin(void)
	{ for (int i = 0; i < 100000; i++) sum += i; }
	int main(void) { while (clock() < CLOCKS_PER_SEC / 2) spin(); return 0; }
END
cat >orphan.c <<-END
	#include <pthread.h>
	#include <time.h>
	static volatile unsigned long sum;
	__attribute__((noinline)) static void spin(void)
	{ for (int i = 0; i < 100000; i++) sum += i; }
	static void *work(void *argument)
	{ while (clock() < CLOCKS_PER_SEC * 4) spin(); return argument; }
	int main(void)
	{ pthread_t thread; pthread_create(&thread, 0, work, 0); pthread_exit(0); }
END
cat >moved.c <<-END
	#define _GNU_SOURCE
	#include <fcntl.h>
	#include <stdint.h>
	#include <sys/mman.h>
	#include <time.h>
	extern char __executable_start;
	static __attribute__((noinline, aligned(64))) void moved(volatile unsigned long *sum)
	{ for (int i = 0; i < 100000; i++) *sum += i; }
	int main(void)
	{
		volatile unsigned long sum = 0;
		uintptr_t at = (uintptr_t)moved - (uintptr_t)&__executable_start;
		int fd = open("/proc/self/exe", O_RDONLY);
		char *code = mmap(0, 8192, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, at & ~4095UL);
		char *to = mmap(0, 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		to = mremap(code, 8192, 8192, MREMAP_MAYMOVE | MREMAP_FIXED, to);
		while (clock() < CLOCKS_PER_SEC / 2)
			((void (*)(volatile unsigned long *))(to + (at & 4095)))(&sum);
		return 0;
	}
END
gcc -O1 -o spin spin.c || skip "no gcc"
gcc -O1 -o moved moved.c
gcc -O1 -pthread -o orphan orphan.c

# ---- the first thread has ended ----

./orphan &
orphan=$!
until grep -q '^State:.Z' /proc/$orphan/status; do sleep 0.05; done
sample --duration=1 --pid=$orphan
kill $orphan
report
within "share of the thread that goes on" "$(awk '$NF == "spin" { print $2 }' "$scratch/report")" 80 100

# ---- code that was moved ----

sample ./moved
report
within "share of code that was moved" "$(awk '$NF == "moved" { print $2 }' "$scratch/report")" 80 100

# ---- programs that are removed, or replaced, before their symbols are saved ----

cp spin gone
sample sh -c './gone & sleep 0.2; rm gone; wait'
report
within "share of a program that is removed" "$(awk '$NF == "spin" { print $2 }' "$scratch/report")" 80 100
cp spin gone
sample sh -c './gone; rm gone; cp moved gone'
report
within "share of a program that is replaced" "$(awk '$NF == "spin" { print $2 }' "$scratch/report")" 80 100

# ---- processes that outlive the command ----

need operf sh -c './spin & ./spin &' 2>said
grep -q '2 processes that the command has started still run' said || fail "$(cat said)"
need operf sh -c './spin & wait' 2>said
! grep -q 'still run' said || fail "none runs, but: $(cat said)"

# ---- who may not be profiled ----

[ "$(id -u)" = 0 ] || exit 0
command -v setpriv >/dev/null || skip "no setpriv to become another user with"
cp "$BUILD/daemon/operf/operf" operf_of_user
cp "$BUILD/pp/opreport" report_of_user
mkdir theirs
chown 4711:4712 theirs
as_user()
{
	(cd theirs && setpriv --reuid=4711 --regid=4712 --clear-groups env HOME=/nonexistent "$@")
}
as_user ../operf_of_user ../spin 2>said || skip "an ordinary user cannot profile here"
! grep -q 'not profiled' said || fail "nothing is missing, but: $(cat said)"
chmod 4755 spin
as_user ../operf_of_user ../spin 2>said
grep -q 'CPU time were not profiled.*set-user-ID' said || fail "no reason: $(cat said)"
as_user ../report_of_user >said 2>&1
grep -q 'set-user-ID' said || fail "no reason in the report: $(cat said)"
cat >both <<-END
	../spin
	exec awk 'BEGIN { while (i++ < 2000000); }'
END
as_user ../operf_of_user sh ../both 2>said
grep -q 'CPU time were not profiled, perhaps.*set-user-ID' said ||
	fail "no reason of a child: $(cat said)"
as_user ../report_of_user >said 2>&1
grep -q '^Not profiled: ' said || fail "no note: $(cat said)"
chmod 711 spin
as_user ../operf_of_user ../spin 2>said
grep -q 'which you may not read' said || fail "no reason: $(cat said)"
