// SPDX-License-Identifier: GPL-2.0-or-later
/* What records say, of hand-made recordings, is found in the profile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "perf_reading.h"
#include "pp/formats/perf/attr.h"

static const struct rec_event two_events[] = {
	{.type = PERF_TYPE_HARDWARE,
	 .period = 100,
	 .sample_type = REC_TYPES,
	 .flags = 1 << PERF_FLAG_SAMPLE_ID_ALL,
	 .id = 11},
	{.type = PERF_TYPE_HARDWARE,
	 .config = 1,
	 .period = 200,
	 .sample_type = REC_TYPES,
	 .flags = 1 << PERF_FLAG_SAMPLE_ID_ALL,
	 .id = 12},
};

static void events_are_told_apart_by_their_ids(void **state)
{
	(void)state;
	for (int order = 0; order < 2; order++) {
		rec.is_big_endian = order;
		rec.n = 0;
		rec_file(&rec, two_events, 2, 112);
		rec_comm(&rec, 10, 12);
		rec_mmap(&rec, 20, 12);
		rec_sample(&rec, 0x400010, 30, 12, 7);
		rec_sample(&rec, 0x400010, 40, 11, 1);
		rec_sample(&rec, 0x400010, 50, 12, 7);
		rec_sample(&rec, 0x400010, 60, 99, 1); /* of no event */
		rec_finish(&rec);
		assert_int_equal(read_made(), 0);
		assert_int_equal(prof->n_events, 2);
		assert_string_equal(prof->events[0].name, "cycles");
		assert_string_equal(prof->events[1].name, "instructions");
		assert_int_equal(prof->totals[0].count, 1);
		assert_int_equal(prof->totals[1].count, 2);
		assert_int_equal(prof->totals[1].events, 14);
		assert_int_equal(samples_at(0x1010), 3);
		assert_int_equal(prof->n_losses, 1);
		assert_int_equal(prof->losses[0].count, 1);
	}
}

/* ---- compression ---- */

static void payload_behind_records_is_passed_over(void **state)
{
	size_t record;

	(void)state;
	rec_pipe(&rec, &clock_event, 1, 112);
	record = rec_begin(&rec, PERF_TYPE_TRACING_DATA, 0);
	rec_u32(&rec, 13);
	rec_end(&rec, record);
	rec_zeros(&rec, 16); /* padded */
	record = rec_begin(&rec, PERF_TYPE_AUXTRACE, 0);
	rec_u64(&rec, 3001);
	rec_zeros(&rec, 32);
	rec_end(&rec, record);
	rec_zeros(&rec, 3001);
	make_records();
	assert_int_equal(read_made(), 0);
	assert_records();
	assert_true(has_note("AUX data"));
}

static void unknown_records_are_passed_over_by_their_size(void **state)
{
	static const uint32_t types[] = {40, 63, 200, 32775, 0xffffffff};
	size_t record;

	(void)state;
	rec_pipe(&rec, &clock_event, 1, 112);
	for (size_t i = 0; i < N(types); i++) {
		record = rec_begin(&rec, types[i], 0);
		rec_zeros(&rec, 20); /* as old recorders had it: no multiple of 8 */
		rec_end(&rec, record);
	}
	make_records();
	assert_int_equal(read_made(), 0);
	assert_records();
	assert_true(has_note("5 records of types not known skipped"));
}

static void the_kernel_and_its_modules_have_offsets_of_their_own(void **state)
{
	static const struct {
		uint64_t ip, offset;
		enum prof_image_kind kind;
		const char *path;
	} cases[] = {
		{0xffffffff81000500, 0x500, PROF_KERNEL, "[kernel.kallsyms]"},
		{0xffffffffc0001234, 0x1234, PROF_MODULE, "ext4"},
		{0xffffffffc0100010, 0x10, PROF_BPF, "bpf_prog_1"},
		{0xffffffffc0200010, 0xffffffffc0200010, PROF_UNKNOWN, NULL},
	};
	struct rec_event event = clock_event;
	struct prof_cursor cursor = {0};
	struct prof_sample sample;
	size_t record, n = 0;

	(void)state;
	event.flags = 0;
	event.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID;
	rec_pipe(&rec, &event, 1, 112);
	for (int i = 0; i < 2; i++) {
		record = rec_begin(&rec, PERF_RECORD_MMAP, 1);
		rec_u32(&rec, UINT32_MAX);
		rec_u32(&rec, 0);
		rec_u64(&rec, i ? 0xffffffffc0000000 : 0xffffffff81000000);
		rec_u64(&rec, i ? 0x10000 : 0x3e000000);
		rec_u64(&rec, i ? 0 : 0xffffffff81000000);
		rec_text(&rec, i ? "[ext4]" : "[kernel.kallsyms]_text");
		rec_end(&rec, record);
	}
	record = rec_begin(&rec, PERF_RECORD_KSYMBOL, 1);
	rec_u64(&rec, 0xffffffffc0100000);
	rec_u32(&rec, 64);
	rec_u16(&rec, 1);
	rec_u16(&rec, 0);
	rec_text(&rec, "bpf_prog_1");
	rec_end(&rec, record);
	for (size_t i = 0; i < N(cases); i++) {
		record = rec_begin(&rec, PERF_RECORD_SAMPLE, 1);
		rec_u64(&rec, cases[i].ip);
		rec_u64(&rec, 0);
		rec_end(&rec, record);
	}
	assert_int_equal(read_made(), 0);
	while (prof_next(prof, &cursor, &sample)) {
		const struct prof_image *image = &prof->images[sample.frames[0].image];

		for (size_t i = 0; i < N(cases); i++)
			if (image->kind == cases[i].kind) {
				assert_int_equal(sample.frames[0].offset, cases[i].offset);
				assert_true(image->is_kernel);
				if (cases[i].path)
					assert_string_equal(image->path, cases[i].path);
				n++;
			}
	}
	prof_cursor_free(&cursor);
	assert_int_equal(n, N(cases));
}

static void chains_are_stacks(void **state)
{
	static const uint64_t chain[] = {PERF_MARK_KERNEL, 0xffffffff81000500, 0xffffffff81000600,
					 PERF_MARK_USER,   0x400010,	       0x400020};
	struct rec_event event = clock_event;
	struct prof_cursor cursor = {0};
	struct prof_sample sample;
	size_t record;

	(void)state;
	event.sample_type |= PERF_SAMPLE_CALLCHAIN;
	rec_pipe(&rec, &event, 1, 112);
	rec_comm(&rec, 10, 11);
	rec_mmap(&rec, 20, 11);
	record = rec_begin(&rec, PERF_RECORD_SAMPLE, 1);
	rec_u64(&rec, 11);
	rec_u64(&rec, 0xffffffff81000500);
	rec_u32(&rec, 42);
	rec_u32(&rec, 42);
	rec_u64(&rec, 30);
	rec_u64(&rec, 1);
	rec_u64(&rec, N(chain));
	for (size_t i = 0; i < N(chain); i++)
		rec_u64(&rec, chain[i]);
	rec_end(&rec, record);
	assert_int_equal(read_made(), 0);
	assert_true(prof_next(prof, &cursor, &sample));
	assert_int_equal(sample.depth, 4);
	assert_int_equal(sample.frames[0].image, PROF_NO_KERNEL_IMAGE);
	assert_int_equal(sample.frames[1].offset, 0xffffffff81000600);
	assert_int_equal(sample.frames[2].offset, 0x1010);
	assert_int_equal(sample.frames[3].offset, 0x1020);
	assert_string_equal(prof->images[sample.frames[3].image].path, "/bin/prog");
	prof_cursor_free(&cursor);
}

static void taken_branches_are_kept(void **state)
{
	struct rec_event event = clock_event;
	size_t record;

	(void)state;
	event.sample_type |= PERF_SAMPLE_BRANCH_STACK;
	rec_pipe(&rec, &event, 1, 112);
	rec_comm(&rec, 10, 11);
	rec_mmap(&rec, 20, 11);
	for (uint64_t i = 0; i < 2; i++) {
		record = rec_begin(&rec, PERF_RECORD_SAMPLE, 2);
		rec_u64(&rec, 11);
		rec_u64(&rec, 0x400010);
		rec_u32(&rec, 42);
		rec_u32(&rec, 42);
		rec_u64(&rec, 30 + i);
		rec_u64(&rec, 1);
		rec_u64(&rec, 1);
		rec_u64(&rec, 0x400100);
		rec_u64(&rec, 0x400200);
		rec_u64(&rec, i | 7 << 4); /* the second was mispredicted */
		rec_end(&rec, record);
	}
	assert_int_equal(read_made(), 0);
	assert_int_equal(prof->n_branches, 1);
	assert_int_equal(prof->branches[0].count, 2);
	assert_int_equal(prof->branches[0].mispredicted, 1);
	assert_int_equal(prof->branches[0].cycles, 14);
	assert_int_equal(prof->branches[0].from.offset, 0x1100);
	assert_int_equal(prof->branches[0].to.offset, 0x1200);
}

static void lost_samples_and_skipped_stacks_are_told(void **state)
{
	struct rec_event event = clock_event;
	size_t record;

	(void)state;
	event.sample_type |= PERF_SAMPLE_STACK_USER;
	rec_pipe(&rec, &event, 1, 112);
	record = rec_begin(&rec, PERF_RECORD_LOST, 0);
	rec_u64(&rec, 11);
	rec_u64(&rec, 123);
	rec_u32(&rec, 42);
	rec_u32(&rec, 42);
	rec_u64(&rec, 5);
	rec_u64(&rec, 11);
	rec_end(&rec, record);
	record = rec_begin(&rec, PERF_RECORD_SAMPLE, 2);
	rec_u64(&rec, 11);
	rec_u64(&rec, 0x400010);
	rec_u32(&rec, 42);
	rec_u32(&rec, 42);
	rec_u64(&rec, 30);
	rec_u64(&rec, 1);
	rec_u64(&rec, 16);
	rec_zeros(&rec, 16);
	rec_u64(&rec, 8);
	rec_end(&rec, record);
	assert_int_equal(read_made(), 0);
	assert_int_equal(prof->n_losses, 1);
	assert_int_equal(prof->losses[0].count, 123);
	assert_true(has_note("stack of 1 samples (8 bytes"));
}

/* Where the processor recorded the calls, they are the callers in the program. */
static void calls_of_the_processor_are_callers(void **state)
{
	struct rec_event event = clock_event;
	struct prof_cursor cursor = {0};
	struct prof_sample sample;
	size_t record;

	(void)state;
	event.sample_type |= PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_BRANCH_STACK;
	event.branch_sample_type = PERF_SAMPLE_BRANCH_CALL_STACK;
	rec_pipe(&rec, &event, 1, 112);
	rec_comm(&rec, 10, 11);
	rec_mmap(&rec, 20, 11);
	record = rec_begin(&rec, PERF_RECORD_SAMPLE, 2);
	rec_u64(&rec, 11);
	rec_u64(&rec, 0x400010);
	rec_u32(&rec, 42);
	rec_u32(&rec, 42);
	rec_u64(&rec, 30);
	rec_u64(&rec, 1);
	rec_u64(&rec, 3); /* frame pointers found something else */
	rec_u64(&rec, PERF_MARK_USER);
	rec_u64(&rec, 0x400010);
	rec_u64(&rec, 0x400999);
	rec_u64(&rec, 2);
	for (uint64_t i = 0; i < 2; i++) {
		rec_u64(&rec, 0x400020 + 0x10 * i);
		rec_u64(&rec, 0x400000);
		rec_u64(&rec, 0);
	}
	rec_end(&rec, record);
	assert_int_equal(read_made(), 0);
	assert_true(prof_next(prof, &cursor, &sample));
	assert_int_equal(sample.depth, 3);
	assert_int_equal(sample.frames[0].offset, 0x1010);
	assert_int_equal(prof_lookup_offset(&sample.frames[1], 1), 0x1020);
	assert_int_equal(prof_lookup_offset(&sample.frames[2], 2), 0x1030);
	assert_int_equal(prof->n_branches, 0);
	prof_cursor_free(&cursor);
}

/* A chain that begins some instructions after an exact address has the leaf once only. */
static void exact_addresses_stand_for_the_leaf(void **state)
{
	static const uint16_t exact[] = {0, 1 << 14};
	struct rec_event event = clock_event;

	(void)state;
	event.sample_type |= PERF_SAMPLE_CALLCHAIN;
	for (size_t i = 0; i < N(exact); i++) {
		struct prof_cursor cursor = {0};
		struct prof_sample sample;
		size_t record;

		rec.n = 0;
		rec_pipe(&rec, &event, 1, 112);
		record = rec_begin(&rec, PERF_RECORD_SAMPLE, 2 | exact[i]);
		rec_u64(&rec, 11);
		rec_u64(&rec, 0x400010);
		rec_u32(&rec, 42);
		rec_u32(&rec, 42);
		rec_u64(&rec, 30);
		rec_u64(&rec, 1);
		rec_u64(&rec, 2);
		rec_u64(&rec, 0x400014);
		rec_u64(&rec, 0x400020);
		rec_end(&rec, record);
		assert_int_equal(read_made(), 0);
		assert_true(prof_next(prof, &cursor, &sample));
		assert_int_equal(sample.depth, exact[i] ? 2 : 3);
		assert_int_equal(sample.frames[0].offset, 0x400010);
		prof_cursor_free(&cursor);
	}
}

static void put_string(const char *text)
{
	rec_u32(&rec, (uint32_t)(strlen(text) / 8 * 8 + 8));
	rec_text(&rec, text);
}

static size_t begin_feature(uint64_t bit)
{
	size_t record = rec_begin(&rec, PERF_TYPE_FEATURE, 0);

	rec_u64(&rec, bit);
	return record;
}

static void facts_of_the_host_are_in_either_byte_order(void **state)
{
	size_t record;

	(void)state;
	for (int order = 0; order < 2; order++) {
		rec.n = 0;
		rec.is_big_endian = order;
		rec_pipe(&rec, &clock_event, 1, 112);
		record = begin_feature(PERF_FEATURE_HOSTNAME);
		put_string("somewhere");
		rec_end(&rec, record);
		record = begin_feature(PERF_FEATURE_NRCPUS);
		rec_u32(&rec, 8);
		rec_u32(&rec, 7);
		rec_end(&rec, record);
		record = begin_feature(PERF_FEATURE_TOTAL_MEM);
		rec_u64(&rec, 1000);
		rec_end(&rec, record);
		record = begin_feature(PERF_FEATURE_CMDLINE);
		rec_u32(&rec, 2);
		put_string("perf");
		put_string("record");
		rec_end(&rec, record);
		record = begin_feature(PERF_FEATURE_CLOCK_DATA);
		rec_u32(&rec, 1);
		rec_u32(&rec, 4);
		rec_u64(&rec, 1234567);
		rec_u64(&rec, 5);
		rec_end(&rec, record);
		record = begin_feature(PERF_FEATURE_NUMA_TOPOLOGY);
		rec_u32(&rec, 1);
		rec_u32(&rec, 0);
		rec_u64(&rec, 4000);
		rec_u64(&rec, 3000);
		put_string("0-7");
		rec_end(&rec, record);
		record = begin_feature(PERF_FEATURE_GROUP_DESC);
		rec_u32(&rec, 1);
		put_string("mine");
		rec_u32(&rec, 0);
		rec_u32(&rec, 2);
		rec_end(&rec, record);
		record = begin_feature(PERF_FEATURE_EVENT_DESC);
		rec_u32(&rec, 1);
		rec_u32(&rec, 112);
		rec_attr(&rec, &clock_event, 112);
		rec_u32(&rec, 1);
		put_string("my-clock");
		rec_u64(&rec, 11);
		rec_end(&rec, record);
		rec_end(&rec, begin_feature(35)); /* the end of them, as some recorders say it */
		rec_sample(&rec, 0x400010, 30, 11, 5);
		assert_int_equal(read_made(), 0);
		assert_string_equal(prof->host.hostname, "somewhere");
		assert_int_equal(prof->host.cpus_available, 8);
		assert_int_equal(prof->host.cpus_online, 7);
		assert_int_equal(prof->host.memory, 1024000);
		assert_string_equal(prof->host.command_line, "perf record");
		assert_int_equal(prof->host.start_time, 1234567);
		assert_true(has_fact("perf.numa-node", "0: CPUs 0-7, 4000 kB, 3000 kB free"));
		assert_true(has_fact("perf.group", "mine: event 0 and 1 others"));
		assert_string_equal(prof->events[0].name, "my-clock");
		assert_int_equal(prof->n_notes, 0);
	}
}

/* Nothing depends on them. */
static void damaged_features_are_noted(void **state)
{
	size_t record;

	(void)state;
	rec_pipe(&rec, &clock_event, 1, 112);
	record = begin_feature(PERF_FEATURE_HOSTNAME);
	rec_u32(&rec, 1000);
	rec_text(&rec, "somewhere");
	rec_end(&rec, record);
	record = begin_feature(PERF_FEATURE_NUMA_TOPOLOGY);
	rec_u32(&rec, UINT32_MAX);
	rec_end(&rec, record);
	make_records();
	assert_int_equal(read_made(), 0);
	assert_records();
	assert_true(has_note("header feature 3 is damaged"));
	assert_true(has_note("header feature 14 is damaged"));
	/* in a file: a table that is not there */
	rec.n = 0;
	rec_file(&rec, &clock_event, 1, 112);
	rec_u64_at(&rec, 72, 1 << PERF_FEATURE_HOSTNAME);
	make_records();
	rec_finish(&rec);
	assert_int_equal(read_made(), 0);
	assert_records();
	assert_true(has_note("table of header features ends early"));
}

/* They write the bits of features as words of 32. */
static void features_of_big_endian_machines_of_32_bits_are_found(void **state)
{
	size_t table;

	(void)state;
	rec.is_big_endian = true;
	rec_file(&rec, &clock_event, 1, 112);
	make_records();
	rec_finish(&rec);
	rec_u64_at(&rec, 72, UINT64_C(1) << (32 + PERF_FEATURE_HOSTNAME));
	table = rec.n;
	rec_u64(&rec, table + 16);
	rec_u64(&rec, 20);
	put_string("somewhere");
	assert_int_equal(read_made(), 0);
	assert_records();
	assert_string_equal(prof->host.hostname, "somewhere");
}

/* Build-ids come with mappings, or before or after them by path. */
static void build_ids_reach_their_images(void **state)
{
	size_t record;

	(void)state;
	for (int is_late = 0; is_late < 2; is_late++) {
		rec.n = 0;
		rec_pipe(&rec, &clock_event, 1, 112);
		if (is_late)
			make_records();
		record = rec_begin(&rec, PERF_TYPE_BUILD_ID, 2 | 1 << 15);
		rec_u32(&rec, 42);
		rec_u32(&rec, 0x77777777);
		rec_zeros(&rec, 16);
		rec_u32(&rec, 16); /* its length in the first byte */
		rec_text(&rec, "/bin/prog");
		rec_end(&rec, record);
		if (!is_late)
			make_records();
		assert_int_equal(read_made(), 0);
		assert_records();
		for (size_t i = 0; i < prof->n_images; i++)
			if (!strcmp(prof->images[i].path, "/bin/prog")) {
				assert_int_equal(prof->images[i].build_id_length, 16);
				assert_int_equal(prof->images[i].build_id[3], 0x77);
			}
	}
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, reading_begin, reading_end)
	const struct CMUnitTest tests[] = {
		T(events_are_told_apart_by_their_ids),
		T(payload_behind_records_is_passed_over),
		T(unknown_records_are_passed_over_by_their_size),
		T(the_kernel_and_its_modules_have_offsets_of_their_own),
		T(chains_are_stacks),
		T(taken_branches_are_kept),
		T(lost_samples_and_skipped_stacks_are_told),
		T(calls_of_the_processor_are_callers),
		T(exact_addresses_stand_for_the_leaf),
		T(facts_of_the_host_are_in_either_byte_order),
		T(damaged_features_are_noted),
		T(features_of_big_endian_machines_of_32_bits_are_found),
		T(build_ids_reach_their_images),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
