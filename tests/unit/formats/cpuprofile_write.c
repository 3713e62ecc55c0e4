// SPDX-License-Identifier: GPL-2.0-or-later
/* CPU profiles that are written: slot by slot, and read again with nothing missing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cpuprofile_fixture.h"
#include "libop/base/memory.h"

static uint64_t slot(const unsigned char *bytes, size_t i)
{
	uint64_t value = 0;

	for (int j = 7; j >= 0; j--)
		value = value << 8 | bytes[8 * i + (size_t)j];
	return value;
}

static char *temporary(void)
{
	char *path = pp_copy("/tmp/oprofile-test-XXXXXX");
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	return path;
}

static unsigned char *write_profile(struct prof *prof, size_t *n)
{
	struct op_error error = {0};
	char *path = temporary();
	unsigned char *bytes;
	struct input *input;

	assert_int_equal(write_path(&format_cpuprofile, prof, path, &error), 0);
	input = input_open(path, &error);
	bytes = input_rest(input, 1 << 20, n, &error);
	assert_non_null(bytes);
	input_close(input);
	unlink(path);
	free(path);
	return bytes;
}

/* A profile of stacks of @n frames in one image. */
static struct prof *make_profile(const uint64_t (*stacks)[4], size_t n_stacks)
{
	struct prof *prof = prof_new(0, 0);
	struct prof_sink *sink = &prof->sink;
	const struct prof_event event = {
		.name = "cpu", .unit = "nanoseconds", .period = 4000000, .type = PROF_NO_TYPE};
	const struct prof_image image = {.kind = PROF_FILE,
					 .path = "/opt/prog",
					 .pid = PROF_ANY,
					 .start = 0x555555000000,
					 .end = 0x555555010000};
	struct prof_value value = {.event = sink->event(sink, &event)};
	uint32_t app = sink->image(sink, &image);

	for (size_t i = 0; i < n_stacks; i++) {
		struct prof_frame frames[3];
		struct prof_sample sample = {
			.frames = frames,
			.values = &value,
			.n_values = 1,
			.app = app,
			.pid = PROF_ANY,
			.tid = PROF_ANY,
			.cpu = PROF_ANY,
		};

		for (size_t j = 1; j < 4 && stacks[i][j]; j++)
			frames[sample.depth++] = (struct prof_frame){app, stacks[i][j]};
		value.count = stacks[i][0];
		value.events = value.count * event.period;
		assert_int_equal(sink->sample(sink, &sample, NULL), 0);
	}
	prof_finish(prof);
	return prof;
}

static void test_what_is_written(void **state)
{
	static const uint64_t stacks[][4] = {{2, 0x100, 0x201}, {3, 0x110, 0x211, 0x301}};
	static const uint64_t wanted[] = {
		0,
		3,
		0,
		4000,
		0,
		2,
		2,
		0x555555000100,
		0x555555000201,
		3,
		3,
		0x555555000110,
		0x555555000211,
		0x555555000301,
		0,
		1,
		0,
	};
	static const char maps[] = "555555000000-555555010000 r-xp 00000000 00:00 0 /opt/prog\n";
	struct prof *prof = make_profile(stacks, 2);
	unsigned char *bytes;
	size_t n;

	(void)state;
	bytes = write_profile(prof, &n);
	assert_int_equal(n, sizeof(wanted) + sizeof(maps) - 1);
	for (size_t i = 0; i < sizeof(wanted) / 8; i++)
		assert_int_equal(slot(bytes, i), wanted[i]);
	assert_memory_equal(bytes + sizeof(wanted), maps, sizeof(maps) - 1);
	free(bytes);
	prof_free(prof);
}

/* All of it is called from one place, which pprof must not take for the signal handler. */
static void test_a_caller_that_all_stacks_have_is_kept(void **state)
{
	static const uint64_t stacks[][4] = {
		{2, 0x100, 0x201, 0x301}, {3, 0x110, 0x201, 0x301}, {4, 0x120, 0x201, 0x301}};
	static const char wanted[] = "2/8000000 /opt/prog+100 /opt/prog+200 /opt/prog+300\n"
				     "3/12000000 /opt/prog+110 /opt/prog+200 /opt/prog+300\n"
				     "4/16000000 /opt/prog+120 /opt/prog+200 /opt/prog+300\n";
	struct prof *prof = make_profile(stacks, 3);
	struct op_error error;
	unsigned char *bytes;
	size_t n;

	(void)state;
	bytes = write_profile(prof, &n);
	prof_free(prof);
	prof = read_bytes(&format_cpuprofile, bytes, n, &error);
	assert_string_equal(error.text, "");
	check_samples(prof, wanted);
	free(bytes);
}

/* One stack of 40 without it does not save it, one of 20 does. */
static void test_guard_records_are_there_when_they_are_needed(void **state)
{
	static const struct {
		size_t stacks, others, guards;
	} table[] = {{1, 0, 1}, {40, 0, 2}, {40, 1, 2}, {64, 3, 0}, {20, 1, 0}, {20, 10, 0}};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		uint64_t stacks[64][4];
		struct prof *prof;
		unsigned char *bytes;
		size_t n, guards = 0;

		for (size_t j = 0; j < table[i].stacks; j++) {
			stacks[j][0] = 1;
			stacks[j][1] = 0x1000 + j;
			stacks[j][2] = j < table[i].others ? 0x2000 + j : 0x3000;
			stacks[j][3] = 0;
		}
		prof = make_profile((const uint64_t(*)[4])stacks, table[i].stacks);
		bytes = write_profile(prof, &n);
		for (size_t at = 5; slot(bytes, at) || slot(bytes, at + 2);
		     at += 2 + slot(bytes, at + 1))
			guards += !slot(bytes, at);
		assert_int_equal(guards, table[i].guards);
		free(bytes);
		prof_free(prof);
	}
}

static void test_what_is_read_is_written_and_read_again(void **state)
{
	(void)state;
	for (size_t i = 0; i < LAYOUTS; i++) {
		struct op_error error;
		struct made file = {0};
		struct prof *prof;
		unsigned char *bytes;
		char *samples;
		size_t n;

		put_header(&file, &layouts[i]);
		put_records(&file, &layouts[i]);
		PUT(&file, &layouts[i], 5, 1, 0);
		PUT(&file, &layouts[i], 6, 0);
		put_trailer(&file, &layouts[i]);
		made_text(&file, MAPS);
		prof = read_bytes(&format_cpuprofile, file.bytes, file.n, &error);
		bytes = write_profile(prof, &n);
		prof_free(prof);
		/* no record may begin with 0, so what has no place is at 1 */
		for (size_t at = 5; slot(bytes, at); at += 2 + slot(bytes, at + 1))
			assert_int_not_equal(slot(bytes, at + 2), 0);
		prof = read_bytes(&format_cpuprofile, bytes, n, &error);
		samples = describe_samples(prof);
		assert_same_lines(samples, RECORDS "11/110000000 [unknown]+1\n");
		prof_free(prof);
		free(samples);
		free(bytes);
		free(file.bytes);
	}
}

static void test_two_events_are_refused(void **state)
{
	struct prof *prof = prof_new(0, 0);
	struct prof_sink *sink = &prof->sink;
	const struct prof_event events[] = {{.name = "A", .type = PROF_NO_TYPE},
					    {.name = "B", .type = PROF_NO_TYPE}};
	const struct prof_value values[] = {{sink->event(sink, &events[0]), 1, 1},
					    {sink->event(sink, &events[1]), 1, 1}};
	const struct prof_sample sample = {
		.values = values, .n_values = 2, .pid = PROF_ANY, .tid = PROF_ANY, .cpu = PROF_ANY};
	struct op_error error = {0};

	(void)state;
	assert_int_equal(sink->sample(sink, &sample, NULL), 0);
	prof_finish(prof);
	assert_int_equal(write_path(&format_cpuprofile, prof, "/dev/null", &error), -1);
	assert_non_null(strstr(error.text, "one event"));
	prof_free(prof);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_written),
		cmocka_unit_test(test_a_caller_that_all_stacks_have_is_kept),
		cmocka_unit_test(test_guard_records_are_there_when_they_are_needed),
		cmocka_unit_test(test_what_is_read_is_written_and_read_again),
		cmocka_unit_test(test_two_events_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
