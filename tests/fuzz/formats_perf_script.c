// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as text of perf script.  See driver.h. */
#include "driver.h"
#include "formats_reader.h"

const unsigned int fuzz_iterations = 30000;

const struct fuzz_seed fuzz_seeds[] = {
	SEED("busy 12/13 [001] 100.000001:     250000 cycles:u:\n"
	     "\t    55d4c0de1179 leaf+0x4 (/tmp/my busy)\n"
	     "\t    55d4c0de1179 helper (inlined)\n"
	     "\t    55d4c0de1279 main+0x14 (/memfd:x (deleted))\n\n"
	     "job 7 of 9   12/14 [000] 100.5: cpu-clock:pppH:\n"
	     "\tffffffff81000010 [unknown] ([kernel.kallsyms])\n"),
	SEED("a b 12 c  1573  1333.123155:    1001001 cpu-clock:  ffffffff81000010 copy+0x11 ([k])\n"
	     "busy 12/12 [000] 100.6: PERF_RECORD_LOST lost 17\n"
	     "job 15 [000] 100.7: sched:sched_switch: prev_comm=job prev_pid=15\nwhat is this\n"),
	{0, 0},
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct format *const writers[] = {&format_pprof, NULL};

	fuzz_read(&format_perf_script, writers, data, size);
	return 0;
}
