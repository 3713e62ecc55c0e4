// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as folded stacks.  See driver.h. */
#include "driver.h"
#include "formats_reader.h"

const unsigned int fuzz_iterations = 40000;

const struct fuzz_seed fuzz_seeds[] = {
	SEED("busy;main;work;leaf 70\nbusy;main;read;ksys_read_[k];copy_[k] 5\nalone 2\n"),
	SEED("# comment\n\na b;operator()(int) const_[j];x_[i] 3.25  \r\n;;; 1\n"),
	SEED("a;b 9223372036854775807\na;b 9223372036854775807\na;b 9223372036854775807"),
	{0, 0},
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct format *const writers[] = {&format_pprof, NULL};

	fuzz_read(&format_folded, writers, data, size);
	return 0;
}
