// SPDX-License-Identifier: GPL-2.0-or-later
#include "ring.h"

void bytes_put(struct bytes *bytes, const void *what, size_t size)
{
	assert_true(bytes->size + size <= sizeof(bytes->at));
	memcpy(bytes->at + bytes->size, what, size);
	bytes->size += size;
}

void bytes_u32(struct bytes *bytes, uint32_t value)
{
	bytes_put(bytes, &value, sizeof(value));
}

void bytes_u64(struct bytes *bytes, uint64_t value)
{
	bytes_put(bytes, &value, sizeof(value));
}

void bytes_begin(struct bytes *bytes, uint32_t type, uint16_t misc)
{
	const struct perf_event_header header = {.type = type, .misc = misc};

	bytes->size = 0;
	bytes_put(bytes, &header, sizeof(header));
}

static void put_size(struct bytes *bytes)
{
	uint16_t size = (uint16_t)bytes->size;

	memcpy(bytes->at + offsetof(struct perf_event_header, size), &size, sizeof(size));
}

void bytes_end(struct bytes *bytes, uint32_t pid, uint64_t time)
{
	bytes_u32(bytes, pid);
	bytes_u32(bytes, pid);
	bytes_u64(bytes, time);
	bytes_u64(bytes, 1); /* CPU */
	bytes_u64(bytes, 7); /* event */
	put_size(bytes);
}

void bytes_sample(struct bytes *bytes, uint64_t ip, uint32_t pid, uint64_t time)
{
	bytes_begin(bytes, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	bytes_u64(bytes, 7); /* event */
	bytes_u64(bytes, ip);
	bytes_u32(bytes, pid);
	bytes_u32(bytes, pid + 1); /* thread */
	bytes_u64(bytes, time);
	bytes_u64(bytes, 3); /* CPU */
	put_size(bytes);
}
