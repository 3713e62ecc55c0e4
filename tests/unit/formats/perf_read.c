// SPDX-License-Identifier: GPL-2.0-or-later
/* Recordings of killed recorders, compressed and large ones; profile_perf.sh is about others. */
#include <zstd.h>

#include "tests/unit/test.h"

#include "perf_reading.h"

/* Wherever the recorder was killed: what was whole before that counts. */
TEST_WITH(killed_recordings_are_recovered, reading_begin, reading_end)
{
	size_t start, whole[5];
	unsigned int n = 0;

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

/* A loss, with a time or without: of the kernel, or of what the recorder has read at the end. */
static void make_loss(uint32_t type, uint16_t misc, uint64_t count, uint64_t time)
{
	size_t record = rec_begin(&rec, type, misc);

	if (type == PERF_RECORD_LOST)
		rec_u64(&rec, 11);
	rec_u64(&rec, count);
	rec_zeros(&rec, 8);
	rec_u64(&rec, time);
	rec_u64(&rec, 11);
	rec_end(&rec, record);
}

static uint64_t lost(const char *cause)
{
	uint64_t count = 0;

	for (size_t i = 0; i < prof->n_losses; i++)
		count += !strcmp(prof->losses[i].cause, cause) ? prof->losses[i].count : 0;
	return count;
}

/* Recorders since Linux 6.0 say at the end what the kernel has said meanwhile, and the rest. */
TEST_WITH(a_loss_that_is_told_twice_counts_once, reading_begin, reading_end)
{
	static const struct {
		uint64_t read_format, meanwhile, at_end, other, recorder_full, cpu_full;
	} cases[] = {
		{PERF_BIT_FORMAT_LOST, 111, 111, 0, 111, 0},
		{PERF_BIT_FORMAT_LOST, 100, 111, 0, 111, 0},
		{PERF_BIT_FORMAT_LOST, 100, 0, 0, 100, 0}, /* it was killed */
		{PERF_BIT_FORMAT_LOST, 100, 111, 7, 111, 7},
		{0, 100, 0, 7, 100, 7},
		{0, 100, 5, 7, 100, 12}, /* as the kernel's own, then */
		{PERF_BIT_FORMAT_LOST, UINT64_MAX, 111, 0, UINT64_MAX, 0},
	};

	for (size_t i = 0; i < N(cases); i++) {
		struct rec_event event = clock_event;

		rec.n = 0;
		event.read_format = cases[i].read_format;
		rec_file(&rec, &event, 1, 112);
		make_records();
		make_loss(PERF_RECORD_LOST, 0, cases[i].meanwhile, 30);
		make_loss(PERF_RECORD_LOST_SAMPLES, 0, cases[i].other, 31);
		make_loss(PERF_RECORD_LOST, 0, cases[i].meanwhile == UINT64_MAX, 32);
		make_loss(PERF_RECORD_LOST_SAMPLES, 0, cases[i].at_end - cases[i].at_end / 3, 0);
		make_loss(PERF_RECORD_LOST_SAMPLES, 0, cases[i].at_end / 3, 0);
		make_loss(PERF_RECORD_LOST_SAMPLES, PERF_MISC_FILTERED, 1000, 0);
		rec_finish(&rec);
		assert_int_equal(read_made(), 0);
		assert_int_equal(lost(PROF_LOST_RECORDER_FULL), cases[i].recorder_full);
		assert_int_equal(lost(PROF_LOST_CPU_FULL), cases[i].cpu_full);
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
TEST_WITH(compressed_records_are_unpacked, reading_begin, reading_end)
{
	static uint8_t records[4096];
	size_t n, start;

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

TEST_WITH(damaged_compression_is_an_error, reading_begin, reading_end)
{
	static uint8_t records[4096];
	size_t n, piece;

	make_records();
	n = rec.n;
	memcpy(records, rec.bytes, n);
	rec.n = 0;
	zstd = ZSTD_createCStream();
	rec_pipe(&rec, &clock_event, 1, 112);
	make_piece(records, n - 20, PERF_TYPE_COMPRESSED);
	assert_int_equal(read_made(), -1); /* it ends inside of a record */
	assert_non_null(strstr(read_error.text, "end within a record"));
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
TEST_WITH(bombs_are_refused, reading_begin, reading_end)
{
	static uint8_t zeros[1 << 20];
	static uint8_t packed[1 << 16];
	ZSTD_outBuffer out = {packed, sizeof(packed), 0};
	size_t record;

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

/* More than may wait for its time: the files have to be read side by side. */
TEST_WITH(large_directories_are_read_side_by_side, reading_begin, reading_end)
{
	enum { SAMPLES = 1000000, MAPPED = 100000 };
	char dir[] = "/tmp/perf_read.XXXXXX", path[64];
	FILE *file;

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
	assert_uint_in_range(samples_at(0x1010), SAMPLES - MAPPED, SAMPLES - MAPPED + 1);
	for (int i = -1; i < 2; i++) {
		snprintf(path, sizeof(path), i < 0 ? "%s/data" : "%s/data.%d", dir, i);
		unlink(path);
	}
	rmdir(dir);
}

/* A mapping behind more records than may wait for it: it is of its own time all the same. */
TEST_WITH(mappings_at_the_end_of_large_files_are_in_time, reading_begin, reading_end)
{
	enum { SAMPLES = 1000000, MAPPED = 100000 };
	char path[] = "/tmp/perf_read.XXXXXX";
	struct input *input;
	FILE *file;

	file = fdopen(mkstemp(path), "w");
	assert_non_null(file);
	rec_file(&rec, &clock_event, 1, 112); /* of a killed recorder: it does not say how long */
	assert_int_equal(fwrite(rec.bytes, 1, rec.n, file), rec.n);
	for (uint64_t time = 1; time <= SAMPLES; time++) {
		rec.n = 0;
		rec_sample(&rec, 0x400010, time, 11, 5);
		if (time % 1000 == 0)
			rec_round(&rec);
		assert_int_equal(fwrite(rec.bytes, 1, rec.n, file), rec.n);
	}
	rec.n = 0;
	rec_comm(&rec, MAPPED, 11);
	rec_mmap(&rec, MAPPED, 11);
	assert_int_equal(fwrite(rec.bytes, 1, rec.n, file), rec.n);
	assert_int_equal(fclose(file), 0);
	input = input_open(path, &read_error);
	unlink(path);
	prof_free(prof);
	prof = prof_new(PROF_BY_PID | PROF_BY_COMM, 0);
	assert_int_equal(format_perf.read(input, &prof->sink, &read_error), 0);
	prof_finish(prof);
	input_close(input);
	assert_int_equal(samples(), SAMPLES);
	assert_uint_in_range(samples_at(0x1010), SAMPLES - MAPPED, SAMPLES - MAPPED + 1);
	assert_false(has_note("too late"));
}
