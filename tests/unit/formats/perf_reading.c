// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/test.h"

#include "perf_reading.h"
#include "libop/perf/attr.h"

const struct rec_event clock_event = {
	.type = PERF_TYPE_SOFTWARE,
	.period = 1000000,
	.sample_type = REC_TYPES,
	.flags = 1 << PERF_FLAG_SAMPLE_ID_ALL,
	.id = 11,
};

struct recording rec;
struct prof *prof;
struct op_error read_error;

int reading_begin(TEST_UNUSED void **state)
{
	rec.n = 0;
	rec.is_big_endian = false;
	prof = NULL;
	return 0;
}

int reading_end(TEST_UNUSED void **state)
{
	prof_free(prof);
	return 0;
}

int read_bytes(size_t n)
{
	struct input *input = input_of_bytes("made", rec.bytes, n);
	int result;

	prof_free(prof);
	prof = prof_new(PROF_BY_PID | PROF_BY_COMM, 0);
	read_error.text[0] = 0;
	result = format_perf.read(input, &prof->sink, &read_error);
	prof_finish(prof);
	input_close(input);
	return result;
}

int read_made(void)
{
	return read_bytes(rec.n);
}

uint64_t samples(void)
{
	uint64_t n = 0;

	for (size_t i = 0; i < prof->n_events; i++)
		n += prof->totals[i].count;
	return n;
}

/* Samples at an offset of /bin/prog, of the process with its name. */
uint64_t samples_at(uint64_t offset)
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

bool has_note(const char *part)
{
	for (size_t i = 0; i < prof->n_notes; i++)
		if (strstr(prof->notes[i], part))
			return true;
	return false;
}

/* Three samples, two of them at one place; their mapping comes later than one of them. */
void make_records(void)
{
	rec_sample(&rec, 0x400010, 30, 11, 5);
	rec_comm(&rec, 10, 11);
	rec_mmap(&rec, 20, 11);
	rec_sample(&rec, 0x400010, 40, 11, 5);
	rec_sample(&rec, 0x400020, 50, 11, 5);
	rec_round(&rec);
}

void assert_records(void)
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
