// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as a profile.proto of pprof, unpacked.  See driver.h. */
#include "driver.h"
#include "formats_reader.h"

const unsigned int fuzz_iterations = 40000;

#define STRINGS                                                                                    \
	"\x32\0\x32\7samples\x32\5count\x32\3cpu\x32\xbnanoseconds\x32\x9/bin/prog\x32\4leaf"      \
	"\x32\x6thread\x32\3pid\x32\x8"                                                            \
	"abcd0123\x32\x12[kernel.kallsyms]\x32\3app"
#define TYPES "\xa\4\x8\1\x10\2\xa\4\x8\3\x10\4\x5a\4\x8\3\x10\4\x60\xc0\x84\x3d"
#define MAPPINGS                                                                                   \
	"\x1a\x0e\x8\1\x10\x80\x20\x18\x80\x40\x20\x80\x20(\5\x30\x9"                              \
	"\x1a\x1a\x8\2\x10\x80\x80\x80\x88\xf8\xff\xff\xff\xff\1\x18\x80\x80\x80\x90\xf8\xff\xff"  \
	"\xff\xff\1(\xa"
#define LOCATIONS                                                                                  \
	"\"\xd\x8\1\x10\1\x18\x90\x20\"\4\x8\1\x10\xc"                                             \
	"\"\x7\x8\2\x10\1\x18\xa0\x20"                                                             \
	"\"\6\x8\3\"\2\x8\1"                                                                       \
	"*\x8\x8\1\x10\6\x18\6 \5"

const struct fuzz_seed fuzz_seeds[] = {
	SEED(STRINGS TYPES MAPPINGS LOCATIONS "\x12\xb\xa\2\1\2\x12\5\3\xc0\x8d\xb7\1"),
	SEED("\x12\x18\x8\1\x10\3\x10\xc0\x8d\xb7\1\x1a\4\x8\7\x10\6\x1a\4\x8\x8\x18\7\x1a\x0" TYPES
		     LOCATIONS MAPPINGS STRINGS "\x6a\2\1\2\x68\3\x48\5\x50\6\x38\6\x70\3"),
	SEED(STRINGS "\xa\4\x8\3\x10\4\xa\4\x8\1\x10\2\xa\4\x8\5\x10\2\x12\5\x12\3\1\2\3"),
	SEED(STRINGS TYPES LOCATIONS MAPPINGS "\x12\x10\xa\4\3\2\1\3\x12\2\1\1\x1a\4\x8\xb\x10\5"),
	{0, 0},
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct format *const writers[] = {&format_pprof, &format_cpuprofile, NULL};

	fuzz_read(&format_pprof, writers, data, size);
	return 0;
}
