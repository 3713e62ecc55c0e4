// SPDX-License-Identifier: GPL-2.0-or-later
/* Decoders of perf.data: attrs, samples, records, whatever their length and byte order. */
#include "tests/unit/test.h"

#include "perf_recording.h"
#include "libop/perf/record.h"
#include "libop/perf/sample.h"

#define N(array) (sizeof(array) / sizeof(*(array)))

static struct recording rec;

static void begin(bool is_big_endian)
{
	rec.is_big_endian = is_big_endian;
	rec.n = 0;
}

static struct op_reader all(void)
{
	return op_reader_of(rec.bytes, rec.n, rec.is_big_endian);
}

/* ---- attrs ---- */

TEST(attrs_of_all_sizes_are_read)
{
	static const uint32_t sizes[] = {0, 64, 72, 80, 96, 104, 112, 120, 128, 136, 144, 200};
	const struct rec_event event = {.type = 1,
					.config = 3,
					.period = 4000,
					.sample_type = 0x187,
					.read_format = 20,
					.branch_sample_type = 1 << 17,
					.regs_user = 0xff,
					.flags = 1 << PERF_FLAG_SAMPLE_ID_ALL | 1};
	struct op_reader bytes;
	struct perf_attr attr;

	for (size_t i = 0; i < 2 * N(sizes); i++) {
		uint32_t size = sizes[i / 2] ? sizes[i / 2] : 64;

		begin(i % 2);
		rec_attr(&rec, &event, sizes[i / 2]);
		rec_u64(&rec, 77);
		bytes = all();
		assert_int_equal(perf_attr_read(&attr, &bytes), 0);
		assert_int_equal(op_reader_u64(&bytes), 77);
		assert_int_equal(attr.size, size);
		assert_int_equal(attr.type, 1);
		assert_int_equal(attr.config, 3);
		assert_int_equal(attr.sample_period, 4000);
		assert_int_equal(attr.sample_type, 0x187);
		assert_int_equal(attr.read_format, 20);
		assert_true(perf_attr_flag(&attr, PERF_FLAG_SAMPLE_ID_ALL));
		assert_false(perf_attr_flag(&attr, PERF_FLAG_FREQ));
		assert_int_equal(attr.branch_sample_type, size >= 80 ? 1 << 17 : 0);
		assert_int_equal(attr.sample_regs_user, size >= 96 ? 0xff : 0);
	}
}

TEST(attrs_of_impossible_sizes_are_refused)
{
	static const uint32_t sizes[] = {1, 8, 63, 65, 100, 5000, UINT32_MAX};
	const struct rec_event event = {0};
	struct op_reader bytes;
	struct perf_attr attr;

	for (size_t i = 0; i < N(sizes); i++) {
		begin(false);
		rec_attr(&rec, &event, 64);
		memcpy(rec.bytes + 4, &sizes[i], 4);
		rec_zeros(&rec, 8000);
		bytes = all();
		assert_int_equal(perf_attr_read(&attr, &bytes), -1);
	}
	begin(false);
	rec_attr(&rec, &event, 112);
	for (size_t n = 0; n < 112; n++) {
		bytes = op_reader_of(rec.bytes, n, false);
		assert_int_equal(perf_attr_read(&attr, &bytes), -1);
	}
}

TEST(events_without_a_name_are_described)
{
	static const struct {
		uint32_t type;
		uint64_t config;
		const char *name;
	} cases[] = {
		{0, 0, "cycles"},
		{0, UINT64_C(4) << 32 | 1, "instructions"},
		{0, 99, "type 0 0x63"},
		{1, 0, "cpu-clock"},
		{1, 9, "dummy"},
		{2, 311, "tracepoint 311"},
		{3, 0, "L1-dcache-loads"},
		{3, 0x10002, "LLC-load-misses"},
		{3, 0x103, "dTLB-stores"},
		{3, 0x200, "L1-dcache-prefetches"},
		{3, 0x30000, "type 3 0x30000"},
		{4, 0x1c2, "raw 0x1c2"},
		{9, 1, "type 9 0x1"},
	};
	char name[64];

	for (size_t i = 0; i < N(cases); i++) {
		struct perf_attr attr = {.type = cases[i].type, .config = cases[i].config};

		perf_attr_name(&attr, name, sizeof(name));
		assert_string_equal(name, cases[i].name);
	}
}

/* ---- samples ---- */

#define ALL_BITS ((UINT64_C(1) << 25) - 1)

/* A sample with all that can be in one, in the order that it has. */
static void make_full_sample(void)
{
	rec_u64(&rec, 7);	 /* IDENTIFIER */
	rec_u64(&rec, 0x401234); /* IP */
	rec_u32(&rec, 42);
	rec_u32(&rec, 43);
	rec_u64(&rec, 1111); /* TIME */
	rec_u64(&rec, 2222); /* ADDR */
	rec_u64(&rec, 7);    /* ID */
	rec_u64(&rec, 8);    /* STREAM_ID */
	rec_u32(&rec, 3);    /* CPU */
	rec_u32(&rec, 0);
	rec_u64(&rec, 250000); /* PERIOD */
	rec_u64(&rec, 2);      /* READ: a group of two with times, ids and losses */
	rec_zeros(&rec, 16);
	rec_zeros(&rec, 2 * 24);
	rec_u64(&rec, 3); /* CALLCHAIN */
	rec_u64(&rec, PERF_MARK_USER);
	rec_u64(&rec, 0x401234);
	rec_u64(&rec, 0x405678);
	rec_u32(&rec, 12); /* RAW */
	rec_zeros(&rec, 12);
	rec_u64(&rec, 2);	     /* BRANCH_STACK */
	rec_u64(&rec, ~UINT64_C(0)); /* its place in the hardware */
	for (uint64_t i = 0; i < 2; i++) {
		rec_u64(&rec, 0x1000 + i);
		rec_u64(&rec, 0x2000 + i);
		/* mispredicted after 9 cycles */
		rec_u64(&rec,
			rec.is_big_endian ? UINT64_C(1) << 63 | UINT64_C(9) << 44 : 1 | 9 << 4);
	}
	rec_zeros(&rec, 2 * 8); /* counters of the branches */
	rec_u64(&rec, 2);	/* REGS_USER */
	rec_zeros(&rec, 3 * 8);
	rec_u64(&rec, 16); /* STACK_USER */
	rec_zeros(&rec, 16);
	rec_u64(&rec, 10);
	rec_u64(&rec, 55);   /* WEIGHT */
	rec_u64(&rec, 66);   /* DATA_SRC */
	rec_u64(&rec, 77);   /* TRANSACTION */
	rec_u64(&rec, 0);    /* REGS_INTR: there are none */
	rec_u64(&rec, 88);   /* PHYS_ADDR */
	rec_u64(&rec, 99);   /* CGROUP */
	rec_u64(&rec, 4096); /* DATA_PAGE_SIZE */
	rec_u64(&rec, 8192); /* CODE_PAGE_SIZE */
	rec_u64(&rec, 8);    /* AUX */
	rec_zeros(&rec, 8);
}

static const struct perf_attr full_attr = {
	.sample_type = ALL_BITS,
	.read_format = 31,
	.branch_sample_type = PERF_BRANCH_HW_INDEX | PERF_BRANCH_COUNTERS,
	.sample_regs_user = 0x103,
	.sample_regs_intr = 0xff,
};

TEST(samples_have_their_fields_in_order)
{
	struct perf_sample sample;
	struct perf_branch branch;

	for (int order = 0; order < 2; order++) {
		begin(order);
		make_full_sample();
		assert_null(perf_sample_read(&sample, &full_attr, all()));
		assert_int_equal(sample.ids.id, 7);
		assert_int_equal(sample.ip, 0x401234);
		assert_int_equal(sample.ids.pid, 42);
		assert_int_equal(sample.ids.tid, 43);
		assert_int_equal(sample.ids.time, 1111);
		assert_int_equal(sample.extra.addr, 2222);
		assert_int_equal(sample.ids.stream_id, 8);
		assert_int_equal(sample.ids.cpu, 3);
		assert_int_equal(sample.period, 250000);
		assert_int_equal(sample.extra.counters, 2);
		assert_int_equal(sample.chain_size, 3);
		assert_int_equal(perf_chain_at(&sample, 2), 0x405678);
		assert_int_equal(sample.extra.raw_size, 12);
		assert_int_equal(sample.extra.branches_size, 2);
		branch = perf_branch_at(&sample, 1);
		assert_int_equal(branch.from, 0x1001);
		assert_int_equal(branch.to, 0x2001);
		assert_true(branch.mispredicted);
		assert_false(branch.predicted);
		assert_int_equal(branch.cycles, 9);
		assert_int_equal(sample.user.abi, 2);
		assert_int_equal(sample.user.size, 10);
		assert_int_equal(sample.extra.weight, 55);
		assert_int_equal(sample.extra.data_src, 66);
		assert_int_equal(sample.extra.transaction, 77);
		assert_int_equal(sample.extra.phys_addr, 88);
		assert_int_equal(sample.extra.cgroup, 99);
		assert_int_equal(sample.extra.data_page_size, 4096);
		assert_int_equal(sample.extra.code_page_size, 8192);
		assert_int_equal(sample.extra.aux_size, 8);
		assert_int_equal(perf_time_offset(ALL_BITS), 24);
	}
}

/* Whatever is missing at the end, it is noticed. */
TEST(samples_that_are_cut_off_are_refused)
{
	struct perf_sample sample;
	size_t whole;

	begin(false);
	make_full_sample();
	whole = rec.n;
	for (rec.n = 0; rec.n < whole; rec.n++)
		assert_non_null(perf_sample_read(&sample, &full_attr, all()));
}

TEST(numbers_that_are_too_large_are_refused)
{
	static const uint64_t numbers[] = {
		2, 3, 1000, UINT64_MAX / 8 + 2, UINT64_MAX / 24 + 2, UINT64_MAX};
	static const uint64_t bits[] = {PERF_SAMPLE_CALLCHAIN, PERF_SAMPLE_BRANCH_STACK,
					PERF_SAMPLE_STACK_USER, PERF_SAMPLE_AUX, PERF_SAMPLE_READ};
	struct perf_sample sample;

	for (size_t b = 0; b < N(bits); b++)
		for (size_t i = 0; i < N(numbers); i++) {
			struct perf_attr attr = {.sample_type = bits[b], .read_format = 8};

			begin(false);
			rec_u64(&rec, numbers[i]);
			rec_u8(&rec, 0);
			assert_non_null(perf_sample_read(&sample, &attr, all()));
		}
}

TEST(the_period_is_that_of_the_event_unless_told)
{
	const struct perf_attr attr = {.sample_type = PERF_SAMPLE_IP, .sample_period = 4711};
	struct perf_sample sample;

	begin(false);
	rec_u64(&rec, 1);
	assert_null(perf_sample_read(&sample, &attr, all()));
	assert_int_equal(sample.period, 4711);
}

TEST(trailers_are_found_from_the_end)
{
	struct perf_attr attr = {.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
						PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |
						PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER |
						PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD};
	struct op_reader bytes;
	struct perf_ids ids;

	for (int order = 0; order < 2; order++) {
		attr.flags = 1 << PERF_FLAG_SAMPLE_ID_ALL;
		begin(order);
		rec_text(&rec, "a text of some length");
		rec_u32(&rec, 5);
		rec_u32(&rec, 6);
		rec_u64(&rec, 777);
		rec_u64(&rec, 8);
		rec_u64(&rec, 9);
		rec_u32(&rec, 10);
		rec_u32(&rec, 0);
		rec_u64(&rec, 8);
		bytes = all();
		assert_int_equal(perf_trailer_read(&ids, &attr, &bytes), 0);
		assert_int_equal(op_reader_left(&bytes), 24);
		assert_int_equal(ids.pid, 5);
		assert_int_equal(ids.tid, 6);
		assert_int_equal(ids.time, 777);
		assert_int_equal(ids.id, 8);
		assert_int_equal(ids.stream_id, 9);
		assert_int_equal(ids.cpu, 10);
		bytes = op_reader_of(rec.bytes, 47, order);
		assert_int_equal(perf_trailer_read(&ids, &attr, &bytes), -1);
		attr.flags = 0; /* then there is none */
		bytes = all();
		assert_int_equal(perf_trailer_read(&ids, &attr, &bytes), 0);
		assert_int_equal(op_reader_left(&bytes), rec.n);
	}
}

TEST(ids_of_events_are_found_from_both_ends)
{
	static const struct {
		uint64_t type;
		int front, back;
	} cases[] = {
		{PERF_SAMPLE_IP | PERF_SAMPLE_TID, -1, -1},
		{PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_ID, 0, 8},
		{PERF_SAMPLE_ID, 0, 8},
		{PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
			 PERF_SAMPLE_CPU,
		 24, 16},
		{PERF_SAMPLE_IP | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |
			 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD,
		 16, 24},
	};

	for (size_t i = 0; i < N(cases); i++) {
		assert_int_equal(perf_id_offset(cases[i].type), cases[i].front);
		assert_int_equal(perf_id_offset_back(cases[i].type), cases[i].back);
	}
}

/* ---- other records ---- */

static struct perf_raw raw_of(uint32_t type, uint16_t misc)
{
	return (struct perf_raw){.type = type,
				 .misc = misc,
				 .size = (uint16_t)(rec.n + PERF_HEADER_SIZE),
				 .body = rec.bytes};
}

/* Decodes the first @n bytes as a record without a trailer. */
static const char *read_as(struct perf_record *record, uint32_t type, size_t n)
{
	struct perf_raw raw = raw_of(type, 0);

	raw.size = (uint16_t)(n + PERF_HEADER_SIZE);
	return perf_record_read(record, &raw, NULL, rec.is_big_endian);
}

static void make_mmap(uint64_t second_half, bool has_protection, const char *path)
{
	rec_u32(&rec, 5);
	rec_u32(&rec, 6);
	rec_u64(&rec, 0x400000);
	rec_u64(&rec, 0x2000);
	rec_u64(&rec, 0x1000);
	rec_u64(&rec, second_half);
	rec_zeros(&rec, 16);
	if (has_protection)
		rec_u64(&rec, 5);
	rec_text(&rec, path);
}

TEST(mappings_are_read_in_all_their_forms)
{
	struct perf_record record;
	struct perf_raw raw;

	for (int order = 0; order < 2; order++) {
		begin(order);
		make_mmap(0x0800000001, true, "/bin/cat");
		raw = raw_of(PERF_RECORD_MMAP2, 2);
		assert_null(perf_record_read(&record, &raw, NULL, rec.is_big_endian));
		assert_int_equal(record.mmap.pid, 5);
		assert_int_equal(record.mmap.start, 0x400000);
		assert_int_equal(record.mmap.length, 0x2000);
		assert_int_equal(record.mmap.offset, 0x1000);
		assert_int_equal(record.mmap.build_id_length, 0);
		assert_true(record.mmap.executable);
		assert_string_equal(record.mmap.path, "/bin/cat");
		/* before Linux 3.16 there was no protection */
		begin(order);
		make_mmap(0, false, "[stack]");
		raw = raw_of(PERF_RECORD_MMAP2, 2 | 1 << 13);
		assert_null(perf_record_read(&record, &raw, NULL, rec.is_big_endian));
		assert_string_equal(record.mmap.path, "[stack]");
		assert_false(record.mmap.executable);
	}
	/* a device and an inode */
	begin(true);
	make_mmap(UINT64_C(8) << 32 | 1, true, "/bin/cat");
	raw = raw_of(PERF_RECORD_MMAP2, 2);
	assert_null(perf_record_read(&record, &raw, NULL, rec.is_big_endian));
	assert_int_equal(record.mmap.major, 8);
	assert_int_equal(record.mmap.minor, 1);
	/* a build-id in the place of the inode; its length is a byte in either order */
	begin(false);
	make_mmap(UINT64_C(0xaabbccdd) << 32 | 20, true, "/bin/cat");
	raw = raw_of(PERF_RECORD_MMAP2, 2 | 1 << 14);
	assert_null(perf_record_read(&record, &raw, NULL, rec.is_big_endian));
	assert_int_equal(record.mmap.build_id_length, 20);
	assert_int_equal(record.mmap.build_id[0], 0xdd);
	/* Linux may say so of an inode */
	begin(false);
	make_mmap(UINT64_C(1) << 32 | 254, true, "/bin/cat");
	raw = raw_of(PERF_RECORD_MMAP2, 2 | 1 << 14);
	assert_null(perf_record_read(&record, &raw, NULL, rec.is_big_endian));
	assert_int_equal(record.mmap.build_id_length, 0);
}

/* Each decoder refuses each of its records that is shorter than it must be. */
TEST(records_that_are_cut_off_are_refused)
{
	static const struct {
		uint32_t type;
		size_t least; /* bytes of a body of zeros */
	} types[] = {
		{PERF_RECORD_FORK, 16},	       {PERF_RECORD_EXIT, 16},
		{PERF_RECORD_COMM, 9},	       {PERF_RECORD_LOST, 16},
		{PERF_RECORD_LOST_SAMPLES, 8}, {PERF_RECORD_NAMESPACES, 16},
		{PERF_RECORD_KSYMBOL, 17},     {PERF_RECORD_BPF_EVENT, 16},
		{PERF_RECORD_CGROUP, 9},       {PERF_RECORD_TEXT_POKE, 12},
		{PERF_RECORD_AUX, 24},	       {PERF_RECORD_MMAP, 33},
	};
	struct perf_event_update update;
	struct perf_record record;
	struct perf_build_id id;

	begin(false);
	make_mmap(0, true, "/bin/true"); /* nine letters, so that the padding has no end either */
	for (size_t n = 64 + 9; n; n--)
		assert_non_null(read_as(&record, PERF_RECORD_MMAP2, n));
	begin(false);
	rec_zeros(&rec, 64);
	for (size_t n = 0; n < 64; n++) {
		struct op_reader bytes = op_reader_of(rec.bytes, n, false);

		for (size_t i = 0; i < N(types); i++)
			assert_int_equal(!read_as(&record, types[i].type, n), n >= types[i].least);
		assert_int_equal(!perf_build_id_read(&id, 0, bytes), n >= 29);
		assert_int_equal(!perf_event_update_read(&update, bytes), n >= 17);
	}
}

TEST(records_say_what_they_say)
{
	struct perf_record record;

	for (int order = 0; order < 2; order++) {
		begin(order);
		rec_u32(&rec, 1);
		rec_u32(&rec, 2);
		rec_u32(&rec, 3);
		rec_u32(&rec, 4);
		assert_null(read_as(&record, PERF_RECORD_FORK, rec.n));
		assert_int_equal(record.task.pid, 1);
		assert_int_equal(record.task.parent_pid, 2);
		assert_int_equal(record.task.tid, 3);
		assert_int_equal(record.task.parent_tid, 4);
		begin(order);
		rec_u64(&rec, 1);
		rec_u64(&rec, 17);
		assert_null(read_as(&record, PERF_RECORD_LOST, rec.n));
		assert_int_equal(record.lost.count, 17);
		assert_null(read_as(&record, PERF_RECORD_LOST_SAMPLES, rec.n));
		assert_int_equal(record.lost.count, 1);
		begin(order);
		rec_u32(&rec, 1);
		rec_u32(&rec, 2);
		rec_u64(&rec, 2);
		for (uint64_t i = 0; i < 4; i++)
			rec_u64(&rec, 100 + i);
		assert_null(read_as(&record, PERF_RECORD_NAMESPACES, rec.n));
		assert_int_equal(record.namespaces.n, 2);
		assert_int_equal(perf_namespace_at(&record.namespaces, 1, order).device, 102);
		assert_int_equal(perf_namespace_at(&record.namespaces, 1, order).inode, 103);
		begin(order);
		rec_u64(&rec, 0xffffffffc0000000);
		rec_u32(&rec, 300);
		rec_u16(&rec, 1);
		rec_u16(&rec, 1);
		rec_text(&rec, "bpf_prog_1234");
		assert_null(read_as(&record, PERF_RECORD_KSYMBOL, rec.n));
		assert_int_equal(record.ksymbol.length, 300);
		assert_true(record.ksymbol.unregister);
		assert_string_equal(record.ksymbol.name, "bpf_prog_1234");
		begin(order);
		rec_u64(&rec, 0xffffffff81000000);
		rec_u16(&rec, 5);
		rec_u16(&rec, 5);
		rec_zeros(&rec, 12);
		assert_null(read_as(&record, PERF_RECORD_TEXT_POKE, rec.n));
		assert_int_equal(record.text_poke.new_length, 5);
	}
}
