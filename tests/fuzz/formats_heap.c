// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as text of gperftools.  See driver.h. */
#include "driver.h"
#include "formats_reader.h"

const unsigned int fuzz_iterations = 40000;

#define MAPS "MAPPED_LIBRARIES:\n00400000-00410000 r-xp 00000000 08:01 5 /bin/prog\n"

const struct fuzz_seed fuzz_seeds[] = {
	SEED("heap profile: 14: 9000 [ 30: 20000] @ heap_v2/524288\n"
	     " 4: 2000 [ 8: 4000] @ 0x401010 0x401110 0x7f0000000100\n 0: 0 [ 2: 1000] @ 0x0\n" MAPS),
	SEED("--- contentionz 1 ---\ncycles/second = 2000000000\nsampling period = 100\n"
	     "discarded samples = 7\n 19490304 27 @ 0x401010 0x401110\n" MAPS),
	SEED("--- threadz 1 ---\n\n--- Thread 7f00 (name: main/14748) stack: ---\n"
	     "  PC: 0x401010 0x401110\n  0x401210\n--- Thread 7f01 (name: pool/1) stack: ---\n"
	     " [same as previous thread]\n--- Memory map: ---\n" MAPS),
	SEED("goroutine profile: total 3\n2 @ 0x401010 0x401110\n#\t0x40110f\tmain.work+0x16\t/a.go:12\n"
	     "#\t0x40110f\tmain.main+0x16\t/a.go:2\n1 @ 0x401010\n"),
	SEED("--- contentionz 1 ---\nformat = java\nresolution = microseconds\n"
	     "sampling period = 100\n 14 1 @ 0x3 0x4\n\n 0x3 a.b (c.java:3)\n 0x4 VM\n"),
	SEED("--- threadz 1 ---\n--- Thread 7f00 (name: a/b/1) stack: ---\n  PC:  0x401010: wait(int)\n"
	     "  0x401110: main\n  creator: 0x401210\n"),
	{0, 0},
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct format *const writers[] = {&format_pprof, NULL};

	fuzz_read(&format_heap, writers, data, size);
	return 0;
}
