// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as what callgrind writes.  See driver.h. */
#include "driver.h"
#include "formats_reader.h"

const unsigned int fuzz_iterations = 40000;

const struct fuzz_seed fuzz_seeds[] = {
	SEED("# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\ncmd: ./demo -x\n"
	     "positions: instr line\nevents: Ir Bc\nsummary: 100 3\n\nob=(1) /bin/demo\n"
	     "fl=(1) demo.c\nfn=(1) main\n0x1182 5 10 1\n+3 * 5\njcnd=1/2 +3 *\n* *\n"
	     "cfn=(2) work\ncalls=1 -63 -2\n* * 85 2\nfi=(2) demo.h\nfe=(1)\nfn=(2)\n"
	     "0x1200 +3 40\ncob=(2) x.so\ncfi=(3) x.c\ncfn=(3) helper\ncalls=3 0 0\n+1 -1 45 2\n"),
	SEED("desc: I1 cache\ncmd: a\nevents: Ir\nfl=a.c\nfn=main\n3 18446744073709551615\n"
	     "4 9223372036854775807\n5 9223372036854775807\nsummary: 1\n"),
	{0, 0},
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct format *const writers[] = {&format_pprof, NULL};

	fuzz_read(&format_callgrind, writers, data, size);
	return 0;
}
