// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Records of a perf ring: whatever their bytes are, what comes out lies within them.
 */
#include "libop/base/array.h"
#include "driver.h"

#include "daemon/sources/perf/record.h"

static void check(const uint8_t *data, size_t size, const struct perf_attr *attr)
{
	struct perf_live_record record;
	const uint8_t *end = data + size;

	if (perf_live_read(&record, attr, data, size))
		return;
	if (record.type == PERF_RECORD_SAMPLE) {
		const struct perf_user_state *user = &record.sample.user;

		fuzz_must(!record.sample.chain || (size_t)(end - record.sample.chain) / 8 >=
							  record.sample.chain_size,
			  "a chain that is longer than its record");
		fuzz_must(!user->size || (size_t)(end - user->stack) >= user->size,
			  "a stack that is longer than its record");
	}
	if (record.type == PERF_RECORD_MMAP2) {
		fuzz_must(record.other.mmap.path + strlen(record.other.mmap.path) <
				  (const char *)end,
			  "a name that goes on behind its record");
		fuzz_must(record.other.mmap.build_id_length <= PERF_BUILD_ID_MOST,
			  "a build-id that is too long");
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct perf_attr attrs[] = {perf_live_attr(false, 0), perf_live_attr(true, 0),
					  perf_live_attr(true, 0xff0fff)};

	perf_live_time(data, size);
	for (size_t i = 0; i < OP_ARRAY_SIZE(attrs); i++)
		check(data, size, &attrs[i]);
	return 0;
}

const unsigned int fuzz_iterations = 300000;

#define HEADER(type, misc, size) ((uint64_t)(size) << 48 | (uint64_t)(misc) << 32 | (type))
#define TRAILER			 0x6500000064, 5000, 1, 7

static const uint64_t sample[] = {
	HEADER(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, 48), 7, 0x1234, 0x6500000064, 5000, 3};
static const uint64_t chain[] = {HEADER(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, 104),
				 7,
				 0x1234,
				 0x6500000064,
				 5000,
				 3,
				 3,
				 PERF_CONTEXT_USER,
				 0x1234,
				 0x5678,
				 0,
				 8,
				 1};
static const uint64_t map[] = {HEADER(PERF_RECORD_MMAP2, PERF_RECORD_MISC_MMAP_BUILD_ID, 112),
			       0x6500000064,
			       0x400000,
			       0x1000,
			       0,
			       4,
			       0x1234,
			       0,
			       0x200000005,
			       0x616161612f,
			       TRAILER};
static const uint64_t forked[] = {HEADER(PERF_RECORD_FORK, 0, 64), 0x6400000065, 0x6400000065, 5000,
				  TRAILER};
static const uint64_t namespaces[] = {HEADER(PERF_RECORD_NAMESPACES, 0, 88),
				      0x6500000064,
				      2,
				      3,
				      4026531840,
				      3,
				      4026531841,
				      TRAILER};
static const uint64_t lost[] = {HEADER(PERF_RECORD_LOST, 0, 56), 7, 42, TRAILER};

const struct fuzz_seed fuzz_seeds[] = {
	{sample, sizeof(sample)},
	{chain, sizeof(chain)},
	{map, sizeof(map)},
	{forked, sizeof(forked)},
	{namespaces, sizeof(namespaces)},
	{lost, sizeof(lost)},
	{NULL, 0},
};
