// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opexport --from: conversion without a session gives what import and export give, and keeps what
 * a session has no place for.
 *
 *	formats_convert OPIMPORT OPEXPORT
 */
#include "tests/unit/test.h"

#include "describe.h"
#include "libop/base/memory.h"
#include "tests/unit/pp/session.h"

static const char *opimport, *opexport;
static char dir[] = "/tmp/oprofile-test-XXXXXX";

static const struct prof_image images[] = {
	{.kind = PROF_FILE, .path = "/no/such/prog", .start = 0x400000, .end = 0x410000},
	{.kind = PROF_FILE, .path = "/no/such/other", .start = 0x400000, .end = 0x410000},
	{.kind = PROF_FILE,
	 .path = "/no/such/lib.so",
	 .start = 0x7f0000000000,
	 .end = 0x7f0000010000},
};

#define N 3

/* Two programs of two threads each, called after their programs or as @comm says. */
static struct prof *make_profile(const char *comm)
{
	const struct prof_event event = {
		.name = "cpu-clock", .unit = "nanoseconds", .period = 250000, .type = PROF_NO_TYPE};
	struct prof *prof = prof_new(format_perf.by, 0);
	struct prof_sink *sink = &prof->sink;
	uint32_t number[N], names[2];
	struct prof_value value = {.event = sink->event(sink, &event)};

	for (size_t i = 0; i < N; i++)
		number[i] = sink->image(sink, &images[i]);
	names[0] = sink->string(sink, comm ? comm : "prog");
	names[1] = sink->string(sink, comm ? comm : "other");
	for (size_t i = 0; i < 600; i++) {
		size_t program = i / 300;
		struct prof_frame frames[5];
		struct prof_sample sample = {
			.frames = frames,
			.depth = 1 + i % 5,
			.values = &value,
			.n_values = 1,
			.app = number[program],
			.comm = names[program],
			.pid = 70 + (int64_t)program * 10,
			.tid = 70 + (int64_t)(program * 10 + i % 2),
			.cpu = (int64_t)(i % 3),
			.time = 1000 + i,
		};

		for (size_t j = 0; j < sample.depth; j++) {
			frames[j].image = number[(i + j) % 3 ? program : 2];
			frames[j].offset = 0x1010 + i * 7 % 50 * 4 + j * 0x400;
		}
		value.count = 1 + i % 9;
		value.events = value.count * event.period;
		assert_int_equal(sink->sample(sink, &sample, NULL), 0);
	}
	prof_finish(prof);
	return prof;
}

static int begin(const char *comm)
{
	struct prof *prof = make_profile(comm);
	char *path;
	int result;

	strcpy(dir + strlen(dir) - 6, "XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	path = pp_format("%s/perf.data", dir);
	result = write_path(&format_perf, prof, path, NULL);
	free(path);
	prof_free(prof);
	return result;
}

TEST_HOOK(set_up)
{
	return begin(NULL);
}

TEST_HOOK(set_up_renamed)
{
	return begin("worker");
}

TEST_HOOK(tear_down)
{
	test_shell("rm -r %s", dir);
	return 0;
}

/* Writes "direct" and, by way of a session, "session". */
static void convert_both_ways(const char *format)
{
	test_shell("%s --from=%s/perf.data -t %s -o %s/direct", opexport, dir, format, dir);
	test_shell("%s -s lib,thread,cpu -o %s/data %s/perf.data", opimport, dir, dir);
	test_shell("%s --session-dir=%s/data -t %s -o %s/session", opexport, dir, format, dir);
}

TEST_WITH(folded_stacks_equal_those_of_import_and_export, set_up, tear_down)
{
	convert_both_ways("folded");
	test_shell("test $(wc -l < %s/direct) -gt 10 && cmp %s/direct %s/session", dir, dir, dir);
}

/* The direct one has a profile for each thread: formats_times has their order. */
TEST_WITH(speedscope_weights_add_up_to_those_of_import_and_export, set_up, tear_down)
{
	convert_both_ways("speedscope");
	for (size_t i = 0; i < 2; i++)
		test_shell("grep -o '\"endValue\":[0-9]*' %s/%s | awk -F: '{ n += $2 } "
			   "END { print n }' > %s/%s.sum",
			   dir, i ? "direct" : "session", dir, i ? "direct" : "session");
	test_shell("test $(cat %s/direct.sum) -gt 100000000 && cmp %s/direct.sum %s/session.sum",
		   dir, dir, dir);
}

static char *samples_of(const char *name)
{
	char *path = pp_format("%s/%s", dir, name), *text;
	struct op_error error = {0};
	struct prof *prof = read_path(&format_pprof, path, &error);

	assert_string_equal(error.text, "");
	text = describe_samples(prof);
	assert_true(strlen(text) > 1000);
	prof_free(prof);
	free(path);
	return text;
}

static void remove_all(char *text, const char *word)
{
	size_t length = strlen(word);

	while ((text = strstr(text, word)))
		memmove(text, text + length, strlen(text + length) + 1);
}

TEST_WITH(pprof_samples_equal_those_of_import_and_export, set_up, tear_down)
{
	char *direct, *session;

	convert_both_ways("pprof");
	direct = samples_of("direct");
	session = samples_of("session");
	/* a session has no names of threads */
	assert_non_null(strstr(direct, " comm=prog"));
	remove_all(direct, " comm=prog");
	remove_all(direct, " comm=other");
	assert_string_equal(direct, session);
	free(direct);
	free(session);
}

TEST_WITH(names_and_numbers_of_threads_are_kept, set_up_renamed, tear_down)
{
	char *samples;

	convert_both_ways("pprof");
	samples = samples_of("direct");
	assert_non_null(strstr(samples, "comm=worker pid=70 tid=71"));
	assert_non_null(strstr(samples, "comm=worker pid=80 tid=80"));
	free(samples);
	test_shell("%s --from=%s/perf.data -t folded | grep -q '^worker;'", opexport, dir);
	test_shell("! %s --session-dir=%s/data -t folded | grep -q worker", opexport, dir);
}

TEST_WITH(standard_input_is_read, set_up, tear_down)
{
	test_shell("%s --from=%s/perf.data -t folded > %s/file", opexport, dir, dir);
	test_shell("%s --from=- -t folded < %s/perf.data > %s/pipe", opexport, dir, dir);
	test_shell("cat %s/perf.data | %s --from=- --from-format=perf -t folded | cmp - %s/file",
		   dir, opexport, dir);
	test_shell("cmp %s/file %s/pipe", dir, dir);
}

TEST_WITH(what_precedes_damage_is_written, set_up, tear_down)
{
	test_shell("head -c 12000 %s/perf.data > %s/cut", dir, dir);
	test_shell("%s --from=%s/cut -t folded > %s/part 2> %s/messages; test $? = 1 && "
		   "test -s %s/part && grep -q 'only the samples before the error' %s/messages",
		   opexport, dir, dir, dir, dir, dir);
}

TEST_WITH(wrong_command_lines_are_refused, set_up, tear_down)
{
	static const char *const options[] = {
		"--from=/dev/null --from-format=nonsense", "--from=/dev/null --from-format=folded",
		"--from=/dev/null image:/bin/true", "--from-format=perf"};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		test_shell("%s -t folded %s 2> %s/messages; test $? = 2", opexport, options[i],
			   dir);
	test_shell("%s -t folded --from=/dev/null 2> %s/messages; test $? = 1", opexport, dir);
	test_shell("%s -s lib,thread -o %s/data %s/perf.data", opimport, dir, dir);
	test_shell("%s -t folded --from=%s/data 2> %s/messages; test $? = 1 && "
		   "grep -q session-dir %s/messages",
		   opexport, dir, dir, dir);
}

TEST_ARGUMENTS(2, "OPIMPORT OPEXPORT")
{
	opimport = argv[1];
	opexport = argv[2];
}
