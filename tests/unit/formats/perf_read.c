// SPDX-License-Identifier: GPL-2.0-or-later
/* Recordings made by hand, of every kind of machine and mode, are read whole and right. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <cmocka.h>

#include "perf_recording.h"
#include "pp/formats/format.h"
#include "pp/formats/perf_attr.h"

#define N(array) (sizeof(array) / sizeof(*(array)))

static const struct rec_event clock_event = {
	.type = PERF_TYPE_SOFTWARE,
	.period = 1000000,
	.sample_type = REC_TYPES,
	.flags = 1 << PERF_FLAG_SAMPLE_ID_ALL,
	.id = 11,
};
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

static struct recording rec;
static struct prof *prof;
static struct op_error error;

static int begin(void **state)
{
	(void)state;
	rec.n = 0;
	rec.is_big_endian = false;
	prof = NULL;
	return 0;
}

static int end(void **state)
{
	(void)state;
	prof_free(prof);
	return 0;
}

static int read_bytes(size_t n)
{
	struct input *input = input_of_bytes("made", rec.bytes, n);
	int result;

	prof_free(prof);
	prof = prof_new(PROF_BY_PID | PROF_BY_COMM, 0);
	error.text[0] = 0;
	result = format_perf.read(input, &prof->sink, &error);
	prof_finish(prof);
	input_close(input);
	return result;
}

static int read_made(void)
{
	return read_bytes(rec.n);
}

static uint64_t samples(void)
{
	uint64_t n = 0;

	for (size_t i = 0; i < prof->n_events; i++)
		n += prof->totals[i].count;
	return n;
}

/* Samples at an offset of /bin/prog, of the process with its name. */
static uint64_t samples_at(uint64_t offset)
{
	struct prof_cursor cursor = {0};
	struct prof_sample sample;
	uint64_t n = 0;

	while (prof_next(prof, &cursor, &sample)) {
		const struct prof_image *image = &prof->images[sample.frames[0].image];

		if (sample.frames[0].offset != offset || strcmp(image->path, "/bin/prog"))
			continue;
		assert_int_equal(sample.pid, 42);
		assert_string_equal(prof->strings[sample.comm], "prog");
		assert_ptr_equal(&prof->images[sample.app], image);
		for (size_t i = 0; i < sample.n_values; i++)
			n += sample.values[i].count;
	}
	prof_cursor_free(&cursor);
	return n;
}

static bool has_note(const char *part)
{
	for (size_t i = 0; i < prof->n_notes; i++)
		if (strstr(prof->notes[i], part))
			return true;
	return false;
}

static bool has_fact(const char *key, const char *value)
{
	for (size_t i = 0; i < prof->n_facts; i++)
		if (!strcmp(prof->facts[i].key, key) && !strcmp(prof->facts[i].value, value))
			return true;
	return false;
}

/* Three samples, two of them at one place; their mapping comes later than one of them. */
static void make_records(void)
{
	rec_sample(&rec, 0x400010, 30, 11, 5);
	rec_comm(&rec, 10, 11);
	rec_mmap(&rec, 20, 11);
	rec_sample(&rec, 0x400010, 40, 11, 5);
	rec_sample(&rec, 0x400020, 50, 11, 5);
	rec_round(&rec);
}

static void assert_records(void)
{
	assert_int_equal(samples(), 3);
	assert_int_equal(samples_at(0x1010), 2);
	assert_int_equal(samples_at(0x1020), 1);
	assert_int_equal(prof->totals[0].events, 15);
	assert_string_equal(prof->events[0].name, "cpu-clock");
	assert_string_equal(prof->events[0].unit, "nanoseconds");
	assert_int_equal(prof->events[0].period, 1000000);
	assert_int_equal(prof->first_time, 30);
	assert_int_equal(prof->last_time, 50);
}

static void files_and_pipes_of_any_attr_and_byte_order(void **state)
{
	static const uint32_t sizes[] = {0, 64, 72, 80, 96, 104, 112, 120, 128, 136, 144, 160};

	(void)state;
	for (size_t i = 0; i < N(sizes); i++)
		for (int order = 0; order < 2; order++) {
			rec.is_big_endian = order;
			rec.n = 0;
			rec_file(&rec, &clock_event, 1, sizes[i]);
			make_records();
			rec_finish(&rec);
			assert_int_equal(read_made(), 0);
			assert_records();
			assert_true(has_fact("perf.mode", "file"));
			assert_true(has_fact("perf.byte-order",
					     order ? "big-endian" : "little-endian"));
			rec.n = 0;
			rec_pipe(&rec, &clock_event, 1, sizes[i]);
			make_records();
			assert_int_equal(read_made(), 0);
			assert_records();
			assert_true(has_fact("perf.mode", "pipe"));
		}
}

/* Version 1 has no mark of its byte order. */
static void the_first_version_is_read(void **state)
{
	(void)state;
	for (int order = 0; order < 2; order++) {
		rec.is_big_endian = order;
		rec.n = 0;
		rec_file(&rec, &clock_event, 1, 72);
		make_records();
		rec_finish(&rec);
		memcpy(rec.bytes, "PERFFILE", 8);
		assert_int_equal(read_made(), 0);
		assert_records();
	}
}

/* Wherever the recorder was killed: what was whole before that counts. */
static void killed_recordings_are_recovered(void **state)
{
	size_t start, whole[5];
	unsigned int n = 0;

	(void)state;
	rec_file(&rec, &clock_event, 1, 112);
	start = rec.n;
	make_records();
	for (size_t at = start; at < rec.n; at += rec.bytes[at + 6]) {
		if (rec.bytes[at] == PERF_RECORD_SAMPLE)
			whole[n++] = at + rec.bytes[at + 6];
	}
	assert_int_equal(n, 3);
	for (size_t size = start; size <= rec.n; size++) {
		assert_int_equal(read_bytes(size), 0);
		assert_int_equal(samples(),
				 (size >= whole[0]) + (size >= whole[1]) + (size >= whole[2]));
		assert_true(has_note("killed"));
	}
	rec_zeros(&rec, 100); /* pages that were never written */
	assert_int_equal(read_made(), 0);
	assert_records();
}

static void truncated_recordings_are_an_error_behind_their_samples(void **state)
{
	(void)state;
	rec_file(&rec, &clock_event, 1, 112);
	make_records();
	rec_finish(&rec);
	for (size_t size = rec.n - 1; size > rec.n - 8; size--) {
		assert_int_equal(read_bytes(size), -1);
		assert_int_equal(samples(), 3);
		assert_non_null(strstr(error.text, "made: byte "));
	}
	rec.n = 0;
	rec_pipe(&rec, &clock_event, 1, 112);
	make_records();
	assert_int_equal(read_bytes(rec.n - 4), -1);
	assert_int_equal(samples(), 3);
}

static void faults_are_named_and_all_before_them_counts(void **state)
{
	static const struct {
		uint16_t size;
		const char *text;
	} cases[] = {
		{0, "has 0 bytes"},
		{7, "has 7 bytes"},
		{24, "SAMPLE record of 24 bytes: its fixed part does not fit"},
		{65535, "runs past the end"},
	};
	char place[64];
	size_t fault;

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		rec.n = 0;
		rec_file(&rec, &clock_event, 1, 112);
		make_records();
		fault = rec.n;
		rec_sample(&rec, 0x400010, 60, 11, 1);
		memcpy(rec.bytes + fault + 6, &cases[i].size, 2);
		rec_sample(&rec, 0x400010, 70, 11, 1);
		rec_finish(&rec);
		assert_int_equal(read_made(), -1);
		snprintf(place, sizeof(place), "made: byte %zu: ", fault);
		assert_memory_equal(error.text, place, strlen(place));
		assert_non_null(strstr(error.text, cases[i].text));
		assert_records();
	}
}

static void headers_that_cannot_be_are_refused(void **state)
{
	static const struct {
		size_t at;
		uint64_t value;
		const char *text;
	} cases[] = {
		{8, 88, "header"},
		{16, 20, "entries"},
		{16, 1 << 20, "entries"},
		{16, 120, "event of 112 bytes"},
		{24, UINT64_MAX, ""},
		{24, 1 << 30, ""},
		{32, 0, "no event"},
		{40, UINT64_MAX - 5, "data begin"},
		{48, UINT64_MAX - 5, "data"},
		{104 + 112, 1 << 30, ""},
		{104 + 120, UINT64_C(1) << 60, ""},
		{104 + 120, 9, "ids"},
	};

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		rec.n = 0;
		rec_file(&rec, &clock_event, 1, 112);
		make_records();
		rec_finish(&rec);
		rec_u64_at(&rec, cases[i].at, cases[i].value);
		assert_int_equal(read_made(), -1);
		assert_non_null(strstr(error.text, "made"));
		assert_non_null(strstr(error.text, cases[i].text));
	}
	for (size_t size = 0; size < 104; size++) {
		rec.n = 0;
		rec_file(&rec, &clock_event, 1, 112);
		assert_int_equal(read_bytes(size), -1);
	}
}

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

static ZSTD_CStream *zstd;

/* One more piece of the stream, as record 81 or 83. */
static void make_piece(const void *bytes, size_t n, uint32_t type)
{
	static uint8_t packed[1 << 16];
	ZSTD_inBuffer in = {bytes, n, 0};
	ZSTD_outBuffer out = {packed, sizeof(packed), 0};
	size_t record;

	assert_int_equal(ZSTD_compressStream2(zstd, &out, &in, ZSTD_e_flush), 0);
	record = rec_begin(&rec, type, 0);
	if (type == PERF_TYPE_COMPRESSED2)
		rec_u64(&rec, out.pos);
	rec_bytes(&rec, packed, out.pos);
	if (type == PERF_TYPE_COMPRESSED2)
		rec_zeros(&rec, -out.pos % 8);
	rec_end(&rec, record);
}

/* The records in pieces that end anywhere, also inside of a record's header. */
static void compressed_records_are_unpacked(void **state)
{
	static uint8_t records[4096];
	size_t n, start;

	(void)state;
	make_records();
	n = rec.n;
	memcpy(records, rec.bytes, n);
	for (uint32_t type = PERF_TYPE_COMPRESSED; type <= PERF_TYPE_COMPRESSED2; type += 2)
		for (int is_pipe = 0; is_pipe < 2; is_pipe++)
			for (size_t piece = 1; piece < n; piece += 7) {
				rec.n = 0;
				zstd = ZSTD_createCStream();
				if (is_pipe)
					rec_pipe(&rec, &clock_event, 1, 136);
				else
					rec_file(&rec, &clock_event, 1, 136);
				for (start = 0; start < n; start += piece)
					make_piece(records + start,
						   n - start < piece ? n - start : piece, type);
				if (!is_pipe)
					rec_finish(&rec);
				ZSTD_freeCStream(zstd);
				assert_int_equal(read_made(), 0);
				assert_records();
			}
}

static void damaged_compression_is_an_error(void **state)
{
	static uint8_t records[4096];
	size_t n, piece;

	(void)state;
	make_records();
	n = rec.n;
	memcpy(records, rec.bytes, n);
	rec.n = 0;
	zstd = ZSTD_createCStream();
	rec_pipe(&rec, &clock_event, 1, 112);
	make_piece(records, n - 20, PERF_TYPE_COMPRESSED);
	assert_int_equal(read_made(), -1); /* it ends inside of a record */
	assert_non_null(strstr(error.text, "end inside"));
	assert_int_equal(samples(), 2);
	piece = rec.n;
	make_piece(records + n - 20, 20, PERF_TYPE_COMPRESSED);
	memset(rec.bytes + piece + 8, 0xff, rec.n - piece - 8);
	assert_int_equal(read_made(), -1);
	assert_non_null(strstr(error.text, "compressed data are damaged"));
	assert_int_equal(samples(), 2);
	ZSTD_freeCStream(zstd);
}

/* A few bytes that would unpack to gigabytes. */
static void bombs_are_refused(void **state)
{
	static uint8_t zeros[1 << 20];
	static uint8_t packed[1 << 16];
	ZSTD_outBuffer out = {packed, sizeof(packed), 0};
	size_t record;

	(void)state;
	for (size_t at = 0; at < sizeof(zeros); at += 8)
		zeros[at] = 68, zeros[at + 6] = 8; /* FINISHED_ROUND */
	zstd = ZSTD_createCStream();
	for (unsigned int i = 0; i < 300; i++) {
		ZSTD_inBuffer in = {zeros, sizeof(zeros), 0};

		assert_int_equal(ZSTD_compressStream2(zstd, &out, &in, ZSTD_e_flush), 0);
	}
	rec_pipe(&rec, &clock_event, 1, 112);
	record = rec_begin(&rec, PERF_TYPE_COMPRESSED, 0);
	rec_bytes(&rec, packed, out.pos);
	rec_end(&rec, record);
	ZSTD_freeCStream(zstd);
	assert_int_equal(read_made(), -1);
	assert_non_null(strstr(error.text, "thousandfold"));
}

/* ---- directories ---- */

static void write_file(const char *dir, const char *name)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(rec.bytes, 1, rec.n, file), rec.n);
	fclose(file);
	rec.n = 0;
}

static int read_directory(const char *dir)
{
	struct input *input = input_open(dir, &error);
	int result;

	assert_non_null(input);
	assert_ptr_equal(format_of(input, &error), &format_perf);
	prof_free(prof);
	prof = prof_new(PROF_BY_PID | PROF_BY_COMM, 0);
	result = format_perf.read(input, &prof->sink, &error);
	prof_finish(prof);
	input_close(input);
	return result;
}

static void directories_are_merged_by_time(void **state)
{
	char dir[] = "/tmp/perf_read.XXXXXX", path[64];

	(void)state;
	assert_non_null(mkdtemp(dir));
	rec_file(&rec, &clock_event, 1, 112);
	rec_round(&rec);
	rec_finish(&rec);
	write_file(dir, "data");
	/* the mapping is in another file than the samples, which stand before it */
	rec_sample(&rec, 0x400010, 30, 11, 5);
	rec_sample(&rec, 0x400020, 50, 11, 5);
	write_file(dir, "data.0");
	rec_comm(&rec, 10, 11);
	rec_mmap(&rec, 20, 11);
	rec_sample(&rec, 0x400010, 40, 11, 5);
	write_file(dir, "data.10");
	assert_int_equal(read_directory(dir), 0);
	assert_records();
	assert_true(has_fact("perf.mode", "directory"));
	/* one damaged file does not take the others with it */
	rec_sample(&rec, 0x400010, 35, 11, 5);
	rec_zeros(&rec, 8);
	write_file(dir, "data.2");
	assert_int_equal(read_directory(dir), -1);
	assert_non_null(strstr(error.text, "data.2: byte 48:"));
	assert_int_equal(samples(), 4);
	for (int i = -1; i < 11; i++) {
		snprintf(path, sizeof(path), i < 0 ? "%s/data" : "%s/data.%d", dir, i);
		unlink(path);
	}
	rmdir(dir);
}

/* ---- what is left out is said ---- */

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

/* A chain of user and kernel frames, with its marks. */
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

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		T(files_and_pipes_of_any_attr_and_byte_order),
		T(the_first_version_is_read),
		T(killed_recordings_are_recovered),
		T(truncated_recordings_are_an_error_behind_their_samples),
		T(faults_are_named_and_all_before_them_counts),
		T(headers_that_cannot_be_are_refused),
		T(events_are_told_apart_by_their_ids),
		T(compressed_records_are_unpacked),
		T(damaged_compression_is_an_error),
		T(bombs_are_refused),
		T(directories_are_merged_by_time),
		T(payload_behind_records_is_passed_over),
		T(unknown_records_are_passed_over_by_their_size),
		T(the_kernel_and_its_modules_have_offsets_of_their_own),
		T(chains_are_stacks),
		T(taken_branches_are_kept),
		T(lost_samples_and_skipped_stacks_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
