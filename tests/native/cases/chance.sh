#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: what is called by chance, in bursts of 25 ms, is no change by runs, and cannot be told of
# covers: one run each; a function that is called more often is a change

# shellcheck source=../case.sh
. "$TESTS/native/case.sh"

command -v gcc >/dev/null || skip "no gcc"

functions=15

# ./bursts TENTHS MORE - for so many tenths of a second, functions that are chosen by chance, each
# for 25 ms; and MORE times 25 ms of the first one
{
	cat <<-END
		#include <stdlib.h>
		#include <time.h>
		#include <unistd.h>
		volatile unsigned long sum;
		static long now(void)
		{
			struct timespec t;
			clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
			return t.tv_sec * 1000000 + t.tv_nsec / 1000;
		}
		#define WORK(n) __attribute__((noinline)) void burst_##n(void) \\
		{ \\
			for (long end = now() + 25000; now() < end;) \\
				for (int i = 0; i < 300000; i++) sum += i; \\
		}
	END
	for i in $(seq $functions); do echo "WORK($i)"; done
	echo "static void (*const all[])(void) = {"
	for i in $(seq $functions); do echo "burst_$i,"; done
	cat <<-END
		};
		int main(int argc, char **argv)
		{
			srandom(getpid() ^ time(NULL));
			for (int i = 4 * atoi(argv[1]); i; i--) all[random() % $functions]();
			for (int i = atoi(argv[2]); i; i--) burst_1();
			return argc - 3;
		}
	END
} >bursts.c
need gcc -O1 -o bursts bursts.c
for session in before same; do
	need operf --session-dir=$session -e "$(clock 1000)" --runs=5 ./bursts 10 0
done
need operf --session-dir=slower -e "$(clock 1000)" --runs=5 ./bursts 10 24

# marks FILE MARK - functions with that mark in a difference; "!": none
marks()
{
	awk -v wanted="$2" '$NF ~ /^burst_/ {
		mark = $5 ~ /^[~?]$/ ? $5 : "!"
		n += mark == wanted
	} END { print n + 0 }' "$1"
}

opreport -l "{" before 'session:run-*' "}" "{" same 'session:run-*' "}" >runs
need grep -q '^~: may be chance, by how much runs of each profile differ (95 %)' runs
changes=$(marks runs !)
echo "by runs, of $functions functions that have not changed: $changes are called a change"
# 8 of 15 are a change at 5 % with a probability of 2e-7, if they are independent of each other
[ "$changes" -lt 8 ] || { cat runs; fail "too many"; }

opreport -l "{" before 'session:run-*' "}" "{" slower 'session:run-*' "}" >changed
grep 'burst_1$' changed
[ "$(grep 'burst_1$' changed | grep -c '[~?]')" = 0 ] || fail "that is called chance"

opreport -l "{" before session:run-1 "}" "{" same session:run-1 "}" >one
need grep -q '^~: may be chance; ?: cannot tell' one
same "changes of one run each" "$(marks one !)" 0
echo "of one run each: $(marks one '?') cannot be told, $(marks one '~') may be chance"

need opreport --session-dir=before -l --intervals 'session:run-*' >program
need grep -q '^+- %: of the program, by how much runs differ' program
need opreport --session-dir=before -l --intervals session:run-1 >alone
need grep -q '^+- %: of this run alone, at most' alone
