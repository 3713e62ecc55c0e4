// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From outside: profile → session → profile → session → profile.  Nothing that the format holds
 * is lost on the way, and from the second time on not a byte changes.
 *
 *	formats_round_trip OPIMPORT OPEXPORT
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "describe.h"
#include "libop/base/memory.h"
#include "tests/unit/pp/session.h"

static const char *opimport, *opexport;

static const struct prof_image images[] = {
	{.kind = PROF_FILE,
	 .path = "/no/such/prog",
	 .pid = PROF_ANY,
	 .start = 0x555555000000,
	 .end = 0x555555010000,
	 .offset = 0x1000,
	 .build_id_length = 4,
	 .build_id = {0xab, 0xcd, 0xef, 1}},
	{.kind = PROF_FILE,
	 .path = "/no/such/lib.so",
	 .pid = PROF_ANY,
	 .start = 0x7f0000000000,
	 .end = 0x7f0000010000},
	{.kind = PROF_FILE,
	 .path = "/no/such/other",
	 .pid = PROF_ANY,
	 .start = 0x400000,
	 .end = 0x410000},
};

/* What to make: a format that holds less gets less. */
struct wish {
	bool two_events, contexts, stacks;
};

static struct prof *make_profile(const struct wish *wish)
{
	struct prof *prof = prof_new(format_pprof.by, 0);
	struct prof_sink *sink = &prof->sink;
	const struct prof_event events[] = {
		{.name = "cpu-clock",
		 .unit = "nanoseconds",
		 .period = 250000,
		 .type = PROF_NO_TYPE},
		{.name = "misses", .unit = "count", .period = 1000, .type = PROF_NO_TYPE}};
	uint32_t numbers[3], event[2];

	for (size_t i = 0; i < 3; i++)
		numbers[i] = sink->image(sink, &images[i]);
	for (size_t i = 0; i < 2 && (!i || wish->two_events); i++)
		event[i] = sink->event(sink, &events[i]);
	srandom(19);
	for (size_t i = 0; i < 400; i++) {
		struct prof_frame frames[6];
		uint64_t count = 1 + (uint64_t)random() % 9;
		uint32_t which = wish->two_events ? i % 2 : 0;
		struct prof_value value = {event[which], count, count * events[which].period};
		struct prof_sample sample = {
			.frames = frames,
			.depth = wish->stacks ? 1 + (size_t)random() % 6 : 1,
			.values = &value,
			.n_values = 1,
			.app = numbers[0],
			.pid = PROF_ANY,
			.tid = PROF_ANY,
			.cpu = PROF_ANY,
		};

		if (wish->contexts) {
			sample.app = numbers[i % 3 ? 0 : 2];
			sample.pid = sample.app == numbers[0] ? 70 : 80;
			sample.tid = sample.pid + (int64_t)(i % 2);
			sample.cpu = (int64_t)(i % 5);
		}
		for (size_t j = 0; j < sample.depth; j++) {
			size_t image = (size_t)random() % 2;

			frames[j].image = image ? numbers[1] : sample.app;
			frames[j].offset = 0x1010 + (uint64_t)random() % 50 * 4;
		}
		assert_int_equal(sink->sample(sink, &sample, NULL), 0);
	}
	prof_finish(prof);
	return prof;
}

static void check_same_samples(const struct format *format, const char *path, const char *other)
{
	struct op_error error;
	struct prof *prof = read_path(format, path, &error);
	struct prof *other_prof = read_path(format, other, &error);
	char *samples = describe_samples(prof), *other_samples = describe_samples(other_prof);

	assert_true(strlen(samples) > 1000);
	assert_string_equal(other_samples, samples);
	free(samples);
	free(other_samples);
	prof_free(prof);
	prof_free(other_prof);
}

static void check_format(const struct format *format, const struct wish *wish)
{
	struct prof *prof = make_profile(wish);
	char dir[] = "/tmp/oprofile-test-XXXXXX", *first, *second, *third;
	struct op_error error = {0};

	assert_non_null(mkdtemp(dir));
	first = pp_format("%s/first", dir);
	second = pp_format("%s/second", dir);
	third = pp_format("%s/third", dir);
	if (format->writes_directory)
		assert_int_equal(mkdir(first, 0700), 0);
	if (write_path(format, prof, first, &error))
		fail_msg("%s", error.text);
	test_shell("%s -s lib,thread,cpu -o %s/one %s", opimport, dir, first);
	test_shell("%s --session-dir=%s/one --to=%s -o %s", opexport, dir, format->name, second);
	check_same_samples(format, first, second);
	test_shell("%s -s lib,thread,cpu -o %s/two %s", opimport, dir, second);
	test_shell("%s --session-dir=%s/two --to=%s -o %s", opexport, dir, format->name, third);
	test_shell("diff -r %s %s", second, third);
	test_shell("rm -r %s", dir);
	prof_free(prof);
	free(first);
	free(second);
	free(third);
}

static void test_pprof(void **state)
{
	(void)state;
	check_format(&format_pprof,
		     &(struct wish){.two_events = true, .contexts = true, .stacks = true});
	check_format(&format_pprof, &(struct wish){.stacks = true});
}

static void test_cpuprofile(void **state)
{
	(void)state;
	check_format(&format_cpuprofile, &(struct wish){.stacks = true});
}

static void test_dcpi(void **state)
{
	(void)state;
	check_format(&format_dcpi, &(struct wish){.two_events = true});
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pprof),
		cmocka_unit_test(test_cpuprofile),
		cmocka_unit_test(test_dcpi),
	};

	if (argc != 3)
		return 2;
	opimport = argv[1];
	opexport = argv[2];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
