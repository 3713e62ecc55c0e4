// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as a CPU profile of gperftools.  See driver.h. */
#include "driver.h"
#include "formats_reader.h"

const unsigned int fuzz_iterations = 30000;

/* Slots, little-endian and big-endian, of numbers below 256. */
#define LE(n) n "\0\0\0"
#define LL(n) n "\0\0\0\0\0\0\0"
#define BE(n) "\0\0\0" n

const struct fuzz_seed fuzz_seeds[] = {
	SEED(LE("\0") LE("\3") LE("\0") LE("\x10") LE("\0") LE("\2") LE("\2") LE("\x20") LE(
		"\x31") LE("\1") LE("\3") LE("\x21") LE("\x31") LE("\x41") LE("\0") LE("\1")
		     LE("\0") "build=/b\n10-30 r-xp 00000000 08:01 7 /bin/prog\n"
			      "30-40: $build/lib.so\n0x40-0x50 /lib/b.so (@10) 0123456789abcdef\n"),
	SEED(BE("\0") BE("\4") BE("\0") BE("\x10") BE("\0") BE("\7") BE("\2") BE("\2") BE("\x20")
		     BE("\x31") "10-30 r-xp 00000000 08:01 7 /bin/prog\n"),
	SEED(LL("\0") LL("\3") LL("\0") LL("\x10") LL("\0") LL("\2") LL("\2") LL("\x20") LL("\x31")
		     LL("\1") LL("\1") LL("\0") LL("\0") LL("\1")
			     LL("\0") "10-30 r-xp 00000000 08:01 7 /bin/prog\n"),
	SEED(LE("\0") LE("\3") LE("\1") LE("\x10") LE("\0") LE("\2") LE("\2") LE("\3") LE("\4") LE(
		"\0") LE("\1") LE("\0") "\n 0x3 GC\n 0x4 a.B.c (B.java:3)\n 0x5 d (/e.so)\n"),
	SEED("%warn x\n--- symbol\nbinary=/bin/prog\n0x20 a--b<0000000000000010>\n0x31 c\n---\n"
	     "--- profile\n" LE("\0") LE("\3") LE("\0") LE("\x10") LE("\0") LE("\2") LE("\2")
		     LE("\x20") LE("\x31")),
	{0, 0},
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct format *const writers[] = {&format_cpuprofile, &format_pprof, NULL};

	fuzz_read(&format_cpuprofile, writers, data, size);
	return 0;
}
