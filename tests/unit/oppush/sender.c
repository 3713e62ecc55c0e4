// SPDX-License-Identifier: GPL-2.0-or-later
/* How long oppush waits for a server. */
#include "tests/unit/test.h"

#include "libop/base/array.h"
#include "utils/oppush/sender.h"

TEST(a_server_says_when_to_come_again_within_bounds)
{
	static const struct {
		double back_off;
		uint64_t retry_after;
		double chance, wait;
	} cases[] = {
		{5, 0, 0, 2.5},	  {5, 0, 1, 5},	     {600, 0, 1, 600},
		{5, 4, 0, 4},	  {5, 30, 1, 30},    {5, 600, 0, 600},
		{5, 601, 0, 600}, {600, 30, 0, 300}, {5, UINT64_MAX, 0, 600},
	};

	for (size_t i = 0; i < OP_ARRAY_SIZE(cases); i++) {
		double wait = sender_wait(cases[i].back_off, cases[i].retry_after, cases[i].chance);

		if (wait < cases[i].wait - 1e-9 || wait > cases[i].wait + 1e-9)
			fail_msg("case %zu: %f, not %f", i, wait, cases[i].wait);
	}
}
