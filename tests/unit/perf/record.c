// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Records of the live rings, whole and cut off at every byte; tests/unit/formats/perf_decode.c has
 * the types that perf.data has, too.
 */
#include "ring.h"

static struct perf_attr flat, chains, stacks;

TEST_HOOK(set_up)
{
	flat = perf_live_attr(false, 0);
	chains = perf_live_attr(true, 0);
	stacks = perf_live_attr(true, 0x3);
	return 0;
}

static struct perf_live_record parse(const struct bytes *bytes, const struct perf_attr *attr)
{
	struct perf_live_record record;

	assert_int_equal(perf_live_read(&record, attr, bytes->at, bytes->size), 0);
	return record;
}

TEST_WITH(samples_have_the_fields_that_are_recorded, set_up, NULL)
{
	struct perf_live_record record;
	struct bytes bytes;

	bytes_sample(&bytes, 0x1234, 100, 5000);
	record = parse(&bytes, &flat);
	assert_int_equal(record.type, PERF_RECORD_SAMPLE);
	assert_int_equal(record.sample.ip, 0x1234);
	assert_int_equal(record.sample.ids.pid, 100);
	assert_int_equal(record.sample.ids.tid, 101);
	assert_int_equal(record.sample.ids.time, 5000);
	assert_int_equal(record.sample.ids.cpu, 3);
	assert_int_equal(record.sample.ids.id, 7);
	assert_null(record.sample.chain);
	assert_int_equal(perf_live_time(bytes.at, bytes.size), 5000);
}

TEST_WITH(samples_have_chains_registers_and_stacks, set_up, NULL)
{
	struct perf_live_record record;
	struct bytes bytes;
	uint64_t frame;

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
	assert_int_equal(record.sample.chain_size, 2);
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

TEST_WITH(mappings_have_an_inode_or_a_build_id, set_up, NULL)
{
	struct perf_live_record record;
	struct bytes bytes;

	make_map(&bytes, false, "/bin/program");
	record = parse(&bytes, &flat);
	assert_int_equal(record.type, PERF_RECORD_MMAP2);
	assert_int_equal(record.other.mmap.start, 0x400000);
	assert_int_equal(record.other.mmap.length, 0x1000);
	assert_int_equal(record.other.mmap.offset, 0x2000);
	assert_int_equal(record.other.mmap.major, 8);
	assert_int_equal(record.other.mmap.minor, 1);
	assert_int_equal(record.other.mmap.inode, 4711);
	assert_int_equal(record.other.mmap.generation, 9);
	assert_int_equal(record.other.mmap.build_id_length, 0);
	assert_string_equal(record.other.mmap.path, "/bin/program");
	assert_int_equal(record.other.ids.time, 6000);
	assert_int_equal(record.other.ids.id, 7);

	make_map(&bytes, true, "/bin/program");
	record = parse(&bytes, &flat);
	assert_int_equal(record.other.mmap.build_id_length, 4);
	assert_memory_equal(record.other.mmap.build_id, "\xde\xad\xbe\xef", 4);
	assert_int_equal(record.other.mmap.inode, 0);
}

TEST_WITH(build_ids_that_are_too_long_are_refused, set_up, NULL)
{
	struct perf_live_record record;
	struct bytes bytes;

	make_map(&bytes, true, "/bin/program");
	bytes.at[8 + 32] = PERF_BUILD_ID_MOST + 1;
	assert_int_equal(perf_live_read(&record, &flat, bytes.at, bytes.size), -1);
}

TEST_WITH(names_of_threads_are_no_new_programs, set_up, NULL)
{
	struct bytes bytes;

	bytes_begin(&bytes, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
	bytes_u32(&bytes, 200);
	bytes_u32(&bytes, 200);
	bytes_put(&bytes, "program\0", 8);
	bytes_end(&bytes, 200, 7000);
	assert_true(parse(&bytes, &flat).other.comm.exec);
	memset(bytes.at + offsetof(struct perf_event_header, misc), 0, 2);
	assert_false(parse(&bytes, &flat).other.comm.exec);
}

/* Nothing behind the end is read (the sanitizers would say so), and nothing is made up. */
TEST_WITH(records_that_are_cut_off_are_refused, set_up, NULL)
{
	struct perf_live_record record;
	struct bytes bytes;

	bytes_sample(&bytes, 0x1234, 100, 5000);
	bytes_u64(&bytes, 2);
	bytes_u64(&bytes, 1);
	bytes_u64(&bytes, 2);
	for (size_t size = 0; size < bytes.size; size++)
		assert_int_equal(perf_live_read(&record, &chains, bytes.at, size), -1);
	/* a count of frames that overflows */
	memset(bytes.at + 48, 0xff, 8);
	assert_int_equal(perf_live_read(&record, &chains, bytes.at, bytes.size), -1);

	/* a name without an end */
	make_map(&bytes, false, "1234567");
	bytes.at[8 + 64 + 7] = 'x';
	assert_int_equal(perf_live_read(&record, &flat, bytes.at, bytes.size), -1);
}
