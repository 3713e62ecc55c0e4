// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as perf.data.  See driver.h; real recordings make even better seeds. */
#include <zstd.h>

#include "../unit/formats/perf_recording.h"
#include "driver.h"
#include "formats_reader.h"
#include "libop/perf/attr.h"

const unsigned int fuzz_iterations = 40000;

/* Recordings of a few records, made before main(); what follows them is one record to skip. */
#define SEED_SIZE 1024

static uint8_t file[SEED_SIZE], big_endian[SEED_SIZE], pipe_mode[SEED_SIZE], killed[SEED_SIZE],
	compressed[SEED_SIZE];

const struct fuzz_seed fuzz_seeds[] = {
	{file, SEED_SIZE},   {big_endian, SEED_SIZE}, {pipe_mode, SEED_SIZE},
	{killed, SEED_SIZE}, {compressed, SEED_SIZE}, {NULL, 0},
};

#define SAMPLE_TYPES (REC_TYPES | PERF_SAMPLE_CALLCHAIN)

static void put_sample(struct recording *rec, uint64_t ip, uint64_t id)
{
	size_t begin = rec_begin(rec, PERF_RECORD_SAMPLE, 2);

	rec_u64(rec, id);
	rec_u64(rec, ip);
	rec_u32(rec, 42);
	rec_u32(rec, 42);
	rec_u64(rec, ip % 100);
	rec_u64(rec, 10);
	rec_u64(rec, 4);
	rec_u64(rec, PERF_MARK_KERNEL);
	rec_u64(rec, ip);
	rec_u64(rec, PERF_MARK_USER);
	rec_u64(rec, 0x400010);
	rec_end(rec, begin);
}

static void put_records(struct recording *rec)
{
	rec_comm(rec, 1, 1);
	rec_mmap(rec, 2, 1);
	put_sample(rec, 0x400020, 1);
	rec_round(rec);
	put_sample(rec, 0x400030, 2);
}

static void finish(struct recording *rec, uint8_t *seed, bool is_file)
{
	size_t record = rec_begin(rec, PERF_TYPE_FINISHED_INIT, 0);

	rec_zeros(rec, SEED_SIZE - rec->n);
	rec_end(rec, record);
	if (is_file)
		rec_finish(rec);
	memcpy(seed, rec->bytes, SEED_SIZE);
}

static void __attribute__((constructor)) make_seeds(void)
{
	static const struct rec_event events[] = {
		{.type = 1,
		 .sample_type = SAMPLE_TYPES,
		 .period = 10,
		 .id = 1,
		 .flags = 1 << PERF_FLAG_SAMPLE_ID_ALL},
		{.type = 0,
		 .sample_type = SAMPLE_TYPES,
		 .period = 10,
		 .id = 2,
		 .flags = 1 << PERF_FLAG_SAMPLE_ID_ALL},
	};
	static struct recording rec, plain;
	uint8_t packed[SEED_SIZE / 2];
	size_t record, n;

	for (int order = 0; order < 2; order++) {
		rec = (struct recording){.is_big_endian = order};
		rec_file(&rec, events, 2, 112);
		put_records(&rec);
		finish(&rec, order ? big_endian : file, true);
	}
	rec = (struct recording){0};
	rec_file(&rec, events, 2, 64);
	put_records(&rec);
	finish(&rec, killed, false);
	rec = (struct recording){0};
	rec_pipe(&rec, events, 2, 136);
	put_records(&rec);
	finish(&rec, pipe_mode, false);
	put_records(&plain);
	n = ZSTD_compress(packed, sizeof(packed), plain.bytes, plain.n, 1);
	rec = (struct recording){0};
	rec_pipe(&rec, events, 2, 112);
	record = rec_begin(&rec, PERF_TYPE_COMPRESSED, 0);
	rec_bytes(&rec, packed, n);
	rec_end(&rec, record);
	finish(&rec, compressed, false);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct format *const writers[] = {&format_perf, NULL};

	fuzz_read(&format_perf, writers, data, size);
	return 0;
}
