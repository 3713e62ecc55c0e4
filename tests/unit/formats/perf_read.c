// SPDX-License-Identifier: GPL-2.0-or-later
/* Recordings made by hand, of every kind of machine and mode, are read whole and right. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include <cmocka.h>

#include "perf_reading.h"

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
		assert_non_null(strstr(read_error.text, "made: byte "));
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
		assert_memory_equal(read_error.text, place, strlen(place));
		assert_non_null(strstr(read_error.text, cases[i].text));
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
		assert_non_null(strstr(read_error.text, "made"));
		assert_non_null(strstr(read_error.text, cases[i].text));
	}
	for (size_t size = 0; size < 104; size++) {
		rec.n = 0;
		rec_file(&rec, &clock_event, 1, 112);
		assert_int_equal(read_bytes(size), -1);
	}
}

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
	assert_non_null(strstr(read_error.text, "end inside"));
	assert_int_equal(samples(), 2);
	piece = rec.n;
	make_piece(records + n - 20, 20, PERF_TYPE_COMPRESSED);
	memset(rec.bytes + piece + 8, 0xff, rec.n - piece - 8);
	assert_int_equal(read_made(), -1);
	assert_non_null(strstr(read_error.text, "compressed data are damaged"));
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
	assert_non_null(strstr(read_error.text, "thousandfold"));
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
	struct input *input = input_open(dir, &read_error);
	int result;

	assert_non_null(input);
	assert_ptr_equal(format_of(input, &read_error), &format_perf);
	prof_free(prof);
	prof = prof_new(PROF_BY_PID | PROF_BY_COMM, 0);
	result = format_perf.read(input, &prof->sink, &read_error);
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
	assert_non_null(strstr(read_error.text, "data.2: byte 48:"));
	assert_int_equal(samples(), 4);
	for (int i = -1; i < 11; i++) {
		snprintf(path, sizeof(path), i < 0 ? "%s/data" : "%s/data.%d", dir, i);
		unlink(path);
	}
	rmdir(dir);
}

/* A chain of user and kernel frames, with its marks. */

/* More than may wait for its time: the files have to be read side by side. */
static void large_directories_are_read_side_by_side(void **state)
{
	enum { SAMPLES = 1000000, MAPPED = 100000 };
	char dir[] = "/tmp/perf_read.XXXXXX", path[64];
	FILE *file;

	(void)state;
	assert_non_null(mkdtemp(dir));
	rec_file(&rec, &clock_event, 1, 112);
	rec_round(&rec);
	rec_finish(&rec);
	write_file(dir, "data");
	snprintf(path, sizeof(path), "%s/data.0", dir);
	file = fopen(path, "w");
	assert_non_null(file);
	for (uint64_t time = 1; time <= SAMPLES; time++) {
		rec.n = 0;
		rec_sample(&rec, 0x400010, time, 11, 5);
		assert_int_equal(fwrite(rec.bytes, 1, rec.n, file), rec.n);
	}
	assert_int_equal(fclose(file), 0);
	rec.n = 0;
	rec_comm(&rec, MAPPED, 11);
	rec_mmap(&rec, MAPPED, 11);
	write_file(dir, "data.1");
	assert_int_equal(read_directory(dir), 0);
	assert_int_equal(samples(), SAMPLES);
	/* one of the same time may be on either side */
	assert_in_range(samples_at(0x1010), SAMPLES - MAPPED, SAMPLES - MAPPED + 1);
	for (int i = -1; i < 2; i++) {
		snprintf(path, sizeof(path), i < 0 ? "%s/data" : "%s/data.%d", dir, i);
		unlink(path);
	}
	rmdir(dir);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, reading_begin, reading_end)
	const struct CMUnitTest tests[] = {
		T(files_and_pipes_of_any_attr_and_byte_order),
		T(the_first_version_is_read),
		T(killed_recordings_are_recovered),
		T(truncated_recordings_are_an_error_behind_their_samples),
		T(faults_are_named_and_all_before_them_counts),
		T(headers_that_cannot_be_are_refused),
		T(compressed_records_are_unpacked),
		T(damaged_compression_is_an_error),
		T(bombs_are_refused),
		T(directories_are_merged_by_time),
		T(large_directories_are_read_side_by_side),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
