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

/* Nothing but these fields. */
static void words(bool is_big_endian, const char *fields)
{
	begin(is_big_endian);
	rec_words(&rec, fields);
}

static struct op_reader all(void)
{
	return op_reader_of(rec.bytes, rec.n, rec.is_big_endian);
}

/* Compares numbers with a text of them in hexadecimal. */
#define assert_numbers(want, ...)                                                                  \
	assert_numbers_((const uint64_t[]){__VA_ARGS__}, N(((const uint64_t[]){__VA_ARGS__})), want)

static void assert_numbers_(const uint64_t *numbers, size_t n, const char *want)
{
	char text[512] = "";

	for (size_t i = 0, at = 0; i < n; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, i ? " %" PRIx64 : "%" PRIx64,
				       numbers[i]);
	assert_string_equal(text, want);
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
		assert_numbers("1 3 fa0 187 14", attr.type, attr.config, attr.sample_period,
			       attr.sample_type, attr.read_format);
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
	/* IDENTIFIER, IP, TID, TIME, ADDR, ID, STREAM_ID, CPU, PERIOD */
	rec_words(&rec, "q7 q0x401234 d42 d43 q1111 q2222 q7 q8 d3 d0 q250000");
	/* READ of a group of two with times, ids and losses; CALLCHAIN; RAW */
	rec_words(&rec, "q2 z16 z48 q3 q0xfffffffffffffe00 q0x401234 q0x405678 d12 z12");
	/* BRANCH_STACK with its place in the hardware: two mispredicted after 9 cycles */
	rec_words(&rec, "q2 q0xffffffffffffffff");
	for (int i = 0; i < 2; i++) {
		rec_words(&rec, i ? "q0x1001 q0x2001" : "q0x1000 q0x2000");
		rec_words(&rec, rec.is_big_endian ? "q0x8000900000000000" : "q0x91");
	}
	/* counters of the branches; REGS_USER; STACK_USER */
	rec_words(&rec, "z16 q2 z24 q16 z16 q10");
	/* WEIGHT, DATA_SRC, TRANSACTION, REGS_INTR without any, PHYS_ADDR, CGROUP */
	rec_words(&rec, "q55 q66 q77 q0 q88 q99");
	/* DATA_PAGE_SIZE, CODE_PAGE_SIZE, AUX */
	rec_words(&rec, "q4096 q8192 q8 z8");
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
		assert_numbers("7 401234 2a 2b 457 8ae 8 3 3d090", sample.ids.id, sample.ip,
			       sample.ids.pid, sample.ids.tid, sample.ids.time, sample.extra.addr,
			       sample.ids.stream_id, sample.ids.cpu, sample.period);
		assert_numbers("2 3 405678 c 2", sample.extra.counters, sample.chain_size,
			       perf_chain_at(&sample, 2), sample.extra.raw_size,
			       sample.extra.branches_size);
		branch = perf_branch_at(&sample, 1);
		assert_numbers("1001 2001 1 0 9", branch.from, branch.to, branch.mispredicted,
			       branch.predicted, branch.cycles);
		assert_numbers("2 a 37 42 4d 58 63 1000 2000 8", sample.user.abi, sample.user.size,
			       sample.extra.weight, sample.extra.data_src, sample.extra.transaction,
			       sample.extra.phys_addr, sample.extra.cgroup,
			       sample.extra.data_page_size, sample.extra.code_page_size,
			       sample.extra.aux_size);
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
		rec_words(&rec, "d5 d6 q777 q8 q9 d10 d0 q8");
		bytes = all();
		assert_int_equal(perf_trailer_read(&ids, &attr, &bytes), 0);
		assert_int_equal(op_reader_left(&bytes), 24);
		assert_numbers("5 6 309 8 9 a", ids.pid, ids.tid, ids.time, ids.id, ids.stream_id,
			       ids.cpu);
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
	rec_words(&rec, "d5 d6 q0x400000 q0x2000 q0x1000");
	rec_u64(&rec, second_half);
	rec_zeros(&rec, 16);
	if (has_protection)
		rec_u64(&rec, 5);
	rec_text(&rec, path);
}

/* A mapping of user code, read back; @misc: further bits of its header. */
static struct perf_record read_mmap(bool is_big_endian, uint64_t second_half, bool has_protection,
				    const char *path, uint16_t misc)
{
	struct perf_record record;
	struct perf_raw raw;

	begin(is_big_endian);
	make_mmap(second_half, has_protection, path);
	raw = raw_of(PERF_RECORD_MMAP2, 2 | misc);
	assert_null(perf_record_read(&record, &raw, NULL, rec.is_big_endian));
	return record;
}

TEST(mappings_have_a_device_or_a_build_id_and_perhaps_a_protection)
{
	struct perf_record record;

	for (int order = 0; order < 2; order++) {
		record = read_mmap(order, 0x0800000001, true, "/bin/cat", 0);
		assert_numbers("5 400000 2000 1000 0", record.mmap.pid, record.mmap.start,
			       record.mmap.length, record.mmap.offset, record.mmap.build_id_length);
		assert_true(record.mmap.executable);
		assert_string_equal(record.mmap.path, "/bin/cat");
		/* before Linux 3.16 there was no protection */
		record = read_mmap(order, 0, false, "[stack]", 1 << 13);
		assert_string_equal(record.mmap.path, "[stack]");
		assert_false(record.mmap.executable);
	}
	/* a device and an inode */
	record = read_mmap(true, UINT64_C(8) << 32 | 1, true, "/bin/cat", 0);
	assert_int_equal(record.mmap.major, 8);
	assert_int_equal(record.mmap.minor, 1);
	/* a build-id in the place of the inode; its length is a byte in either order */
	record = read_mmap(false, UINT64_C(0xaabbccdd) << 32 | 20, true, "/bin/cat", 1 << 14);
	assert_int_equal(record.mmap.build_id_length, 20);
	assert_int_equal(record.mmap.build_id[0], 0xdd);
	/* Linux may say so of an inode */
	record = read_mmap(false, UINT64_C(1) << 32 | 254, true, "/bin/cat", 1 << 14);
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

TEST(records_have_their_fields_in_both_byte_orders)
{
	struct perf_record record;
	struct perf_namespace second;

	for (int order = 0; order < 2; order++) {
		words(order, "d1 d2 d3 d4");
		assert_null(read_as(&record, PERF_RECORD_FORK, rec.n));
		assert_numbers("1 2 3 4", record.task.pid, record.task.parent_pid, record.task.tid,
			       record.task.parent_tid);
		words(order, "q1 q17");
		assert_null(read_as(&record, PERF_RECORD_LOST, rec.n));
		assert_int_equal(record.lost.count, 17);
		assert_null(read_as(&record, PERF_RECORD_LOST_SAMPLES, rec.n));
		assert_int_equal(record.lost.count, 1);
		words(order, "d1 d2 q2 q100 q101 q102 q103");
		assert_null(read_as(&record, PERF_RECORD_NAMESPACES, rec.n));
		second = perf_namespace_at(&record.namespaces, 1, order);
		assert_numbers("2 66 67", record.namespaces.n, second.device, second.inode);
		words(order, "q0xffffffffc0000000 d300 w1 w1 'bpf_prog_1234");
		assert_null(read_as(&record, PERF_RECORD_KSYMBOL, rec.n));
		assert_int_equal(record.ksymbol.length, 300);
		assert_true(record.ksymbol.unregister);
		assert_string_equal(record.ksymbol.name, "bpf_prog_1234");
		words(order, "q0xffffffff81000000 w5 w5 z12");
		assert_null(read_as(&record, PERF_RECORD_TEXT_POKE, rec.n));
		assert_int_equal(record.text_poke.new_length, 5);
	}
}
