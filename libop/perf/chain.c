// SPDX-License-Identifier: GPL-2.0-or-later
/* Call chains of user code: see chain.h. */
#include "chain.h"

#include <linux/perf_event.h>
#include <string.h>

size_t perf_chain_by_fp(const struct perf_sample *sample,
			uint64_t address[static PERF_UNWIND_FRAMES_MOST])
{
	bool is_user = false;
	size_t n = 0;

	for (uint64_t i = 0; i < sample->chain_size && n < PERF_UNWIND_FRAMES_MOST; i++) {
		uint64_t entry = perf_chain_at(sample, i);

		if (entry >= PERF_CONTEXT_MAX)
			is_user = entry == PERF_CONTEXT_USER;
		else if (is_user)
			address[n++] = entry;
	}
	return n;
}

/* Appends what is behind @by_fp[@at]. */
static size_t append(uint64_t *frame, size_t count, const uint64_t *by_fp, size_t n, size_t at)
{
	size_t more = n - at - 1;

	if (more > PERF_UNWIND_FRAMES_MOST - count)
		more = PERF_UNWIND_FRAMES_MOST - count;
	memcpy(frame + count, by_fp + at + 1, more * sizeof(*frame));
	return count + more;
}

size_t perf_chain_join(uint64_t frame[static PERF_UNWIND_FRAMES_MOST], size_t count,
		       const uint64_t *by_fp, size_t n)
{
	if (!n)
		return count;
	if (count < 2) {
		memcpy(frame, by_fp, n * sizeof(*frame));
		return n;
	}
	/* frame pointers may miss a caller, of code that has not yet set them up, and add none */
	for (size_t at = count < n ? count - 1 : n - 1; at > 0; at--) {
		if (by_fp[at] == frame[count - 1] &&
		    (count < 3 || by_fp[at - 1] == frame[count - 2]))
			return append(frame, count, by_fp, n, at);
	}
	return count;
}
