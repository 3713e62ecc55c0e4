#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# oparchive: the supplementary file of debug information, as dwz makes it, is in the archive, and
# reports of it read that one

command -v dwz >/dev/null || skip "there is no dwz here"

# Two programs, whose debug files name inlined functions in the file that they share: below a root,
# at the path that they give.
two_programs()
{
	write common.h <<-EOF
		struct state { int a, b, c; long d; char name[32]; struct state *next; };
		#define INLINED static inline __attribute__((always_inline)) long
		INLINED inlined_step(struct state *x, long n)
		{
			long sum = 0;
			for (long i = 0; i < n; i++) { sum += x->a * i + x->b; x->d ^= sum; }
			return sum;
		}
		INLINED inlined_steps(struct state *x, long n)
		{
			return inlined_step(x, n) + inlined_step(x, n / 2) + x->name[n & 15];
		}
	EOF
	for program in one two; do
		write $program.c <<-EOF
			#include "common.h"
			struct state $program;
			volatile long sum_$program;
			void _start(void) { for (;;) sum_$program += inlined_steps(&$program, 3000); }
		EOF
		gcc -g -O1 -nostdlib -static -Wl,-Ttext=0x401000 -Wl,--build-id -o $program $program.c
		objcopy --only-keep-debug $program $program.debug
		strip $program
	done
	dwz -m common.debug -M /usr/lib/debug/.dwz/common.debug one.debug two.debug
}

# profiled - a session of one of them, whose files are below a root
profiled()
{
	two_programs
	id=$(readelf -n one | sed -n 's/.*Build ID: //p')
	first=${id%"${id#??}"}
	mkdir -p "root$DIR" root/usr/lib/debug/.dwz "root/usr/lib/debug/.build-id/$first"
	mv one.debug "root/usr/lib/debug/.build-id/$first/${id#??}.debug"
	mv common.debug root/usr/lib/debug/.dwz/
	mv one "root$DIR"
	rm two two.debug
	{
		echo "image one TIMER"
		seq -s ', ' -f '%.0f 1' 4096 4175
	} | session
}

# names ARGUMENT... - the inlined functions of a report
names()
{
	opreport -l --inline -n "$@" | grep -o 'inlined_[a-z]*\|(unnamed function)' | sort -u
}

requirement supplementary_file_is_found_below_a_root
profiled
names --session-dir="$DIR" "--root=$DIR/root"

requirement supplementary_file_is_archived_and_used
profiled
of_session oparchive -o "$DIR/out" "--root=$DIR/root"
of_session oparchive "--output=$DIR/out.tar.gz" "--root=$DIR/root"
(cd out && find usr -name '*.debug' | sed "s,$first/${id#??},ID," | sort)
rm -r root
names out
names out.tar.gz
of_session oparchive -o "$DIR/again" "archive:$DIR/out"
diff -r out again
