// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Records taken apart: each kind, and each cut off at every byte.
 */
#include "ring.h"

#include <string.h>

static const struct perf_layout flat, chains = {.chain = true},
				      stacks = {.chain = true, .user_registers = 0x3};

static struct perf_record parse(const struct bytes *bytes, const struct perf_layout *layout)
{
	struct perf_record record;

	assert_int_equal(perf_record_parse(bytes->at, bytes->size, layout, &record), 0);
	return record;
}

static void a_sample(void **state)
{
	struct perf_record record;
	struct bytes bytes;

	(void)state;
	bytes_sample(&bytes, 0x1234, 100, 5000);
	record = parse(&bytes, &flat);
	assert_int_equal(record.kind, PERF_KIND_SAMPLE);
	assert_int_equal(record.sample.ip, 0x1234);
	assert_int_equal(record.pid, 100);
	assert_int_equal(record.tid, 101);
	assert_int_equal(record.time, 5000);
	assert_int_equal(record.cpu, 3);
	assert_int_equal(record.id, 7);
	assert_null(record.sample.chain);
	assert_int_equal(perf_record_time(bytes.at, bytes.size), 5000);
}

static void a_sample_with_chain_registers_and_stack(void **state)
{
	struct perf_record record;
	struct bytes bytes;
	uint64_t frame;

	(void)state;
	bytes_sample(&bytes, 0x1234, 100, 5000);
	bytes_u64(&bytes, 2);
	bytes_u64(&bytes, 0x1234);
	bytes_u64(&bytes, 0x5678);
	bytes_u64(&bytes, 2); /* 64-bit registers */
	bytes_u64(&bytes, 11);
	bytes_u64(&bytes, 22);
	bytes_u64(&bytes, 16);
	bytes_put(&bytes, "0123456789abcdef", 16);
	bytes_u64(&bytes, 12);
	record = parse(&bytes, &stacks);
	assert_int_equal(record.sample.frames, 2);
	memcpy(&frame, record.sample.chain + 8, 8);
	assert_int_equal(frame, 0x5678);
	assert_int_equal(record.sample.user.abi, 2);
	assert_int_equal(record.sample.user.size, 12);
	assert_memory_equal(record.sample.user.stack, "0123456789ab", 12);
	/* what the kernel has not asked for is not there */
	assert_int_equal(parse(&bytes, &chains).sample.user.size, 0);
}

static void make_map(struct bytes *bytes, bool build_id, const char *name)
{
	const uint8_t id[24] = {4, 0, 0, 0, 0xde, 0xad, 0xbe, 0xef};

	bytes_begin(bytes, PERF_RECORD_MMAP2,
		    PERF_RECORD_MISC_USER | (build_id ? PERF_RECORD_MISC_MMAP_BUILD_ID : 0));
	bytes_u32(bytes, 100);
	bytes_u32(bytes, 101);
	bytes_u64(bytes, 0x400000);
	bytes_u64(bytes, 0x1000);
	bytes_u64(bytes, 0x2000);
	if (build_id) {
		bytes_put(bytes, id, sizeof(id));
	} else {
		bytes_u32(bytes, 8);
		bytes_u32(bytes, 1);
		bytes_u64(bytes, 4711);
		bytes_u64(bytes, 9);
	}
	bytes_u32(bytes, 5);
	bytes_u32(bytes, 2);
	bytes_put(bytes, name, strlen(name) + 1);
	while (bytes->size % 8)
		bytes_put(bytes, "", 1);
	bytes_end(bytes, 100, 6000);
}

static void a_mapping(void **state)
{
	struct perf_record record;
	struct bytes bytes;

	(void)state;
	make_map(&bytes, false, "/bin/program");
	record = parse(&bytes, &flat);
	assert_int_equal(record.kind, PERF_KIND_MAP);
	assert_int_equal(record.map.start, 0x400000);
	assert_int_equal(record.map.length, 0x1000);
	assert_int_equal(record.map.offset, 0x2000);
	assert_int_equal(record.map.major, 8);
	assert_int_equal(record.map.minor, 1);
	assert_int_equal(record.map.inode, 4711);
	assert_int_equal(record.map.generation, 9);
	assert_int_equal(record.map.build_id_size, 0);
	assert_string_equal(record.map.name, "/bin/program");
	assert_int_equal(record.time, 6000);
	assert_int_equal(record.id, 7);

	make_map(&bytes, true, "/bin/program");
	record = parse(&bytes, &flat);
	assert_int_equal(record.map.build_id_size, 4);
	assert_memory_equal(record.map.build_id, "\xde\xad\xbe\xef", 4);
	assert_int_equal(record.map.inode, 0);
}

static void a_build_id_that_is_too_long(void **state)
{
	struct perf_record record;
	struct bytes bytes;

	(void)state;
	make_map(&bytes, true, "/bin/program");
	bytes.at[8 + 32] = PERF_RECORD_BUILD_ID_MOST + 1;
	assert_int_equal(perf_record_parse(bytes.at, bytes.size, &flat, &record), -1);
}

static void tasks(void **state)
{
	struct perf_record record;
	struct bytes bytes;

	(void)state;
	bytes_begin(&bytes, PERF_RECORD_FORK, 0);
	bytes_u32(&bytes, 200);
	bytes_u32(&bytes, 100);
	bytes_u32(&bytes, 201);
	bytes_u32(&bytes, 101);
	bytes_u64(&bytes, 6000);
	bytes_end(&bytes, 100, 6000);
	record = parse(&bytes, &flat);
	assert_int_equal(record.kind, PERF_KIND_FORK);
	assert_int_equal(record.pid, 200);
	assert_int_equal(record.tid, 201);
	assert_int_equal(record.task.parent_pid, 100);

	bytes_begin(&bytes, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
	bytes_u32(&bytes, 200);
	bytes_u32(&bytes, 200);
	bytes_put(&bytes, "program\0", 8);
	bytes_end(&bytes, 200, 7000);
	assert_int_equal(parse(&bytes, &flat).kind, PERF_KIND_EXEC);
	/* a thread that only gives itself a name */
	memset(bytes.at + offsetof(struct perf_event_header, misc), 0, 2);
	assert_int_equal(parse(&bytes, &flat).kind, PERF_KIND_OTHER);
}

static void namespaces(void **state)
{
	struct bytes bytes;

	(void)state;
	bytes_begin(&bytes, PERF_RECORD_NAMESPACES, 0);
	bytes_u32(&bytes, 200);
	bytes_u32(&bytes, 200);
	bytes_u64(&bytes, 7);
	for (uint64_t i = 0; i < 7; i++) {
		bytes_u64(&bytes, 3);
		bytes_u64(&bytes, 1000 + i);
	}
	bytes_end(&bytes, 200, 7000);
	assert_int_equal(parse(&bytes, &flat).namespaces.mount, 1005);
}

static void losses(void **state)
{
	struct perf_record record;
	struct bytes bytes;

	(void)state;
	bytes_begin(&bytes, PERF_RECORD_LOST, 0);
	bytes_u64(&bytes, 7);
	bytes_u64(&bytes, 42);
	bytes_end(&bytes, 200, 7000);
	record = parse(&bytes, &flat);
	assert_int_equal(record.kind, PERF_KIND_LOST);
	assert_int_equal(record.lost.records, 42);

	bytes_begin(&bytes, PERF_RECORD_LOST_SAMPLES, 0);
	bytes_u64(&bytes, 43);
	bytes_end(&bytes, 200, 7000);
	assert_int_equal(parse(&bytes, &flat).lost.records, 43);
}

/* Nothing behind the end is read (the sanitizers would say so), and nothing is made up. */
static void records_cut_off_anywhere(void **state)
{
	struct perf_record record;
	struct bytes bytes;

	(void)state;
	bytes_sample(&bytes, 0x1234, 100, 5000);
	bytes_u64(&bytes, 2);
	bytes_u64(&bytes, 1);
	bytes_u64(&bytes, 2);
	for (size_t size = 0; size < bytes.size; size++)
		assert_int_equal(perf_record_parse(bytes.at, size, &chains, &record), -1);
	/* a count of frames that overflows */
	memset(bytes.at + 48, 0xff, 8);
	assert_int_equal(perf_record_parse(bytes.at, bytes.size, &chains, &record), -1);

	/* a name without an end */
	make_map(&bytes, false, "1234567");
	bytes.at[8 + 64 + 7] = 'x';
	assert_int_equal(perf_record_parse(bytes.at, bytes.size, &flat, &record), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sample),
		cmocka_unit_test(a_sample_with_chain_registers_and_stack),
		cmocka_unit_test(a_mapping),
		cmocka_unit_test(a_build_id_that_is_too_long),
		cmocka_unit_test(tasks),
		cmocka_unit_test(namespaces),
		cmocka_unit_test(losses),
		cmocka_unit_test(records_cut_off_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
