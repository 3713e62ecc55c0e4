#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# covers: names are those of the file that was profiled: rebuilt in place, removed, imported, of two
# covers: sessions, without a build-id, with one build-id and other names; saved symbols, dropped
# covers: ones, and those of an archive

sampling=yes
# shellcheck source=../case.sh
. "$TESTS/native/case.sh"

command -v gcc >/dev/null || skip "no gcc"

# build A B OPTION... - ./prog, which spends its time in two functions of these names; their code
# differs with the length of the names, as the linker makes build-ids without names
build()
{
	_first=$1 _second=$2
	shift 2
	cat >prog.c <<-END
		#include <stdlib.h>
		volatile unsigned long sum;
		#define WORK(n) for (int i = 0; i < (n); i++) sum += i
		__attribute__((noinline)) void $_first(void) { WORK(100000 + ${#_first}); }
		__attribute__((noinline)) void $_second(void) { WORK(100000); }
		int main(int argc, char **argv)
		{
			(void)argc;
			for (int i = atoi(argv[1]); i; i--) { $_first(); $_second(); }
		}
	END
	need gcc -O1 -w "$@" -o prog prog.c
}

# names SESSION - the functions of ./prog that a report shows
names()
{
	opreport --session-dir="$1" -l "$scratch/prog" -n 2>warnings |
		awk '$1 ~ /^[0-9]+$/ && $NF ~ /old$|new$|prog$/ { print $NF }' | sort | tr '\n' ' '
}

# is WHAT WANTED GOT
is()
{
	[ "$2" = "$3" ] || {
		cat warnings
		fail "$1: '$3' in place of '$2'"
	}
	echo "$1: $3"
}

build alpha_old beta_old -Wl,--build-id
need operf --session-dir=first -e "$(clock 4000)" ./prog 600
is "names of the file in place" "alpha_old beta_old " "$(names first)"
bytes=$(wc -c <first/samples/current/kallsyms || echo 0)
echo "bytes of the kernel's symbols in the session: $bytes"
[ "$bytes" -lt 100000 ] || fail "the session has the kernel's symbols"
need oparchive --session-dir="$scratch/first" -o archive.in.place >/dev/null

build alpha__new beta_new -Wl,--build-id
need operf --session-dir=second -e "$(clock 4000)" ./prog 600
is "names of the old session after a rebuild" "alpha_old beta_old " "$(names first)"
is "names of the new session" "alpha__new beta_new " "$(names second)"
need opexport --session-dir="$scratch/first" --to=folded -o folded
! grep -qE "alpha__new|beta_new" folded || fail "an export of the old session has new names"
grep -q beta_old folded || fail "an export of the old session has no names"

is "what is said of lines" 1 "$(opreport --session-dir=first -l -g "$scratch/prog" 2>warnings |
	grep -c 'Saved symbols: prog has no lines and no code: the file there is another')"

rm prog
is "names after it was removed" "alpha_old beta_old " "$(names first)"
need oparchive --session-dir="$scratch/first" -o archive >/dev/null
mv "$OPROFILE_SYMBOLS" put.aside
is "names from an archive without the file" "alpha_old beta_old " \
	"$(opreport archive:archive --session-dir="$scratch/first" -l -n 2>warnings |
		awk '$NF ~ /_(old|new)$/ { print $NF }' | sort | tr '\n' ' ')"

# What is dropped leaves addresses and a line; the file itself is still found.
build alpha__new beta_new -Wl,--build-id
is "names of another file" "$scratch/prog " "$(names first)"
grep -q "prog has no symbols: the file there is another one (build-id .* than was profiled (.*--image-path=DIR" \
	warnings || { cat warnings; fail "nothing says what is missing"; }
mkdir old
mv prog prog.new
build alpha_old beta_old -Wl,--build-id
mv prog old/prog
mv prog.new prog
is "names of the file below --image-path" "alpha_old beta_old " \
	"$(opreport --session-dir=first -l -n -p old "$scratch/prog" 2>warnings |
		awk '$NF ~ /_(old|new)$/ { print $NF }' | sort | tr '\n' ' ')"
mv put.aside "$OPROFILE_SYMBOLS"
is "names of saved symbols again" "alpha_old beta_old " "$(names first)"

# Without a build-id: size, time, inode and head.
build alpha_old beta_old -Wl,--build-id=none
need operf --session-dir=third -e "$(clock 4000)" ./prog 600
is "names without a build-id" "alpha_old beta_old " "$(names third)"
build alpha__new beta_new -Wl,--build-id=none
is "names without a build-id after a rebuild" "alpha_old beta_old " "$(names third)"

# Names do not change a build-id: here it is given, and the code is the same.
build delta_old beta_old -Wl,--build-id=0x00112233445566778899aabbccddeeff00112233
need operf --session-dir=fourth -e "$(clock 4000)" ./prog 600
build delta_new beta_new -Wl,--build-id=0x00112233445566778899aabbccddeeff00112233
need operf --session-dir=fifth -e "$(clock 4000)" ./prog 600
is "names beside another file of the build-id" "beta_old delta_old " "$(names fourth)"
is "names of the newer file" "beta_new delta_new " "$(names fifth)"
rm prog
is "names of two files with one build-id: the older" "beta_old delta_old " "$(names fourth)"
is "names of two files with one build-id: the newer" "beta_new delta_new " "$(names fifth)"
build alpha_old beta_old -Wl,--build-id=none

# Symbols are dropped by their age.
find "$OPROFILE_SYMBOLS" -type f -exec touch -d '40 days ago' {} +
need opdb drop 30 >dropped
cat dropped
is "names after they were dropped" "$scratch/prog " "$(names third)"

# A library of which only the debug file names the function that works, as libm.  A stub that calls
# an indirect function is named after what it calls: by its old version in the library itself, by
# the function's own name in the debug file.
mkdir stripped
cat >stripped/lib.c <<-END
	volatile unsigned long sum;
	static void works(void) { for (int i = 0; i < 100000; i++) sum += i; }
	static void *choose(void) { return works; }
	__attribute__((visibility("hidden"))) void inner(void) __attribute__((ifunc("choose")));
	void outer_old(void) __attribute__((alias("inner")));
	__asm__(".symver outer_old, outer@OLD");
	void run(void) { inner(); }
END
echo 'OLD { global: outer; }; NEW { global: run; local: *; };' >stripped/map
echo 'void run(void); int main(void) { for (int i = 3000; i; i--) run(); }' >stripped/main.c
(
	cd stripped || exit
	need gcc -g -O1 -fPIC -shared -w -Wl,--build-id -Wl,--version-script=map -o liblib.so lib.c
	need gcc -o main main.c ./liblib.so
	mkdir .debug
	need objcopy --only-keep-debug liblib.so .debug/lib.debug
	need objcopy --strip-all --add-gnu-debuglink=.debug/lib.debug liblib.so
	need operf --session-dir="$scratch/third" -e "$(clock 4000)" ./main
)
need oparchive --session-dir="$scratch/third" -o archive.of.debug >/dev/null
need oparchive --session-dir="$scratch/third" --output=debug.tar.gz >/dev/null
mv stripped gone
for from in archive.of.debug debug.tar.gz; do
	opreport -l -n "$from" >report 2>warnings
	at_most "without a name from $from" \
		"$(awk '/lib/ && $NF != "works" { n += $1 } END { print n + 0 }' report)" \
		"$(awk '/lib/ { n += $1 } END { print n + 0 }' report)" 0.05
done
