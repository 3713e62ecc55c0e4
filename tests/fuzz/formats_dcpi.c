// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as a profile of DCPI.  See driver.h. */
#include "driver.h"
#include "formats_reader.h"

const unsigned int fuzz_iterations = 40000;

#define HEADER                                                                                     \
	"version pdb-0.07\nimage 19970625143022abcdef\nepoch 9706251430\nplatform Alpha\n"         \
	"event cycles\nperiod 63488\ntstart 120000000\ntsize 4096\ncpuspeed 333\n"

const struct fuzz_seed fuzz_seeds[] = {
	SEED(HEADER "path /bin/x\nsamples\n\x10\0\0\0\2\0\0\0\3\0\0\0\5\0\0\0\2\0\0\0\x8\0\0\0"),
	SEED(HEADER "path /bin/x\nsamples\n\x10\0\0\0\2\0\0\0\3\0\0\0\5\0\0\0\x12\0\0\0\1\0\0\0\4\0"
		    "\0\0\3\0\0\0\xc\0\0\0"),
	SEED(HEADER "what ever \nstride 1\noffset 1000\ncpucount 4\nsamples  \n\0\0\0\0\0\0\0\0"),
	SEED("version pdb-1.01\nsamples\n\0\0\0\0\0\0\0\0"),
	{0, 0},
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct format *const writers[] = {&format_pprof, &format_cpuprofile, NULL};

	fuzz_read(&format_dcpi, writers, data, size);
	return 0;
}
