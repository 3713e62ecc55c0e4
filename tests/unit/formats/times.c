// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The time of each sample, from the sink of a reader to the formats that have a field for it.
 *
 *	formats_times OPEXPORT
 */
#include <dirent.h>

#include "tests/unit/test.h"

#include "describe.h"
#include "libop/base/memory.h"
#include "model_fixture.h"
#include "pp/formats/model/timeline.h"
#include "pp/formats/session/symbolize.h"
#include "tests/unit/pp/session.h"

#define N(array)    (sizeof(array) / sizeof(*(array)))
#define DAMAGE_ENDS 12000 /* bytes of a long recording that are left */

static const char *opexport;
static char dir[] = "/tmp/oprofile-test-XXXXXX";

/* Two threads of one process, one after the other; not in the order of time. */
static const struct taken {
	uint64_t time;
	int64_t tid;
	uint64_t offset, events;
	size_t event;
} interleaved[] = {
	{1003000, 71, 0x1010, 40, 0},	 {1000000, 70, 0x1010, 10, 0}, {1001000, 71, 0x2020, 20, 0},
	{1002000, 70, 0x2020, 30, 0},	 {1004000, 70, 0x1010, 50, 0}, {1005500, 71, 0x2020, 60, 0},
	{5000001004, 70, 0x1010, 70, 0}, {1002500, 71, 0x1010, 5, 1},
};

static void push(struct prof *prof, const struct taken *taken)
{
	static const struct prof_event events[] = {
		{.name = "cpu-clock", .unit = "nanoseconds", .type = PROF_NO_TYPE},
		{.name = "misses", .type = PROF_NO_TYPE},
	};
	struct prof_sink *sink = &prof->sink;
	const struct prof_image program = file_at("/no/such/prog", 0x400000, 0x410000, 0);
	uint32_t app = sink->image(sink, &program);
	const struct prof_frame frames[] = {{app, taken->offset}, {app, 0x3030}};
	const struct prof_line one = {.function = "one"}, two = {.function = "two"};
	struct prof_value value = {.count = 1, .events = taken->events};
	const struct prof_sample sample = {.frames = frames,
					   .depth = N(frames),
					   .values = &value,
					   .n_values = 1,
					   .app = app,
					   .comm = sink->string(sink, "prog"),
					   .pid = 70,
					   .tid = taken->tid,
					   .cpu = PROF_ANY,
					   .time = taken->time};

	sink->event(sink, &events[0]); /* the order of events is that of the recording */
	value.event = sink->event(sink, &events[taken->event]);
	sink->lines(sink, frames, taken->offset == 0x1010 ? &one : &two, 1);
	assert_int_equal(sink->sample(sink, &sample, NULL), 0);
}

/* @first: the sample that is pushed first; the others follow, and then those before it. */
static struct prof *make_profile(unsigned int by, size_t first)
{
	struct prof *prof = prof_new(by, 0);

	for (size_t i = 0; i < N(interleaved); i++)
		push(prof, &interleaved[(first + i) % N(interleaved)]);
	prof_finish(prof);
	return prof;
}

/* "TIME PID/TID EVENT EVENTS +OFFSET DEPTH" for each moment, in the order of time. */
static char *describe_moments(struct prof *prof)
{
	struct description to = {0};
	struct prof_cursor cursor = {0};
	struct prof_sample sample;

	description_add(&to, "%s", "");
	prof_sort_moments(prof, PROF_IN_TIME);
	while (prof_next_moment(prof, &cursor, &sample)) {
		const struct prof_frame *leaf = sample.depth ? sample.frames : NULL;

		assert_int_equal(sample.n_values, 1);
		description_add(&to, "%" PRIu64 " %" PRId64 "/%" PRId64 " %s %" PRIu64, sample.time,
				sample.pid, sample.tid, prof->events[sample.values->event].name,
				sample.values->events);
		if (leaf)
			description_add(&to, " +%" PRIx64, leaf->offset);
		description_add(&to, " %zu\n", sample.depth);
	}
	prof_cursor_free(&cursor);
	return to.text;
}

/* As format::write, with names; the caller frees it. */
static char *written(const struct format *format, struct prof *prof)
{
	struct pp_image_search search = {0};
	struct pp_image_reader reader = {.search = &search};
	struct prof_names *names = names_new(prof, &reader, PP_DEMANGLE_NORMAL);
	struct op_error error = {0};
	char *text = NULL;
	size_t length;
	struct output output = {
		.path = "memory", .file = open_memstream(&text, &length), .names = names};

	assert_int_equal(format->write(prof, &output, &error), 0);
	fclose(output.file);
	names_free(names);
	pp_image_reader_free(&reader);
	pp_image_search_free(&search);
	return text;
}

/* ---- the model ---- */

static const char moments_wanted[] = "1000000 70/70 cpu-clock 10 +1010 2\n"
				     "1001000 70/71 cpu-clock 20 +2020 2\n"
				     "1002000 70/70 cpu-clock 30 +2020 2\n"
				     "1002500 70/71 misses 5 +1010 2\n"
				     "1003000 70/71 cpu-clock 40 +1010 2\n"
				     "1004000 70/70 cpu-clock 50 +1010 2\n"
				     "1005500 70/71 cpu-clock 60 +2020 2\n"
				     "5000001004 70/70 cpu-clock 70 +1010 2\n";

TEST(moments_are_the_samples_in_time_in_whatever_order_they_come)
{
	for (size_t first = 0; first < N(interleaved); first++) {
		struct prof *prof = make_profile(format_perf.by, first);
		char *text = describe_moments(prof);

		assert_string_equal(text, moments_wanted);
		free(text);
		prof_free(prof);
	}
}

TEST(moments_are_kept_only_if_wanted)
{
	struct prof *prof = make_profile(format_perf.by & ~PROF_TIMES, 0);

	assert_int_equal(prof->n_moments, 0);
	assert_int_equal(prof->n_notes, 0);
	prof_free(prof);
}

TEST(moments_are_dropped_when_a_sample_has_no_time)
{
	const struct taken untimed = {0, 70, 0x1010, 10, 0};
	struct prof *prof = prof_new(format_perf.by, 0);

	push(prof, &interleaved[0]);
	push(prof, &untimed);
	push(prof, &interleaved[1]);
	assert_int_equal(prof->n_moments, 0);
	assert_int_equal(prof->n_notes, 1);
	assert_string_equal(prof->notes[0],
			    "times of samples are not kept: some samples have none");
	assert_int_equal(prof->totals[0].count, 3);
	prof_free(prof);
}

TEST(number_of_moments_is_bounded)
{
	enum { MOST = 100 };
	struct prof *prof = prof_new(format_perf.by, MOST);

	for (size_t i = 0; i < MOST; i++)
		push(prof, &interleaved[0]);
	assert_int_equal(prof->n_moments, MOST);
	push(prof, &interleaved[0]);
	assert_int_equal(prof->n_moments, 0);
	assert_string_equal(prof->notes[0],
			    "times of samples are not kept: there are too many samples");
	assert_int_equal(prof->totals[0].count, MOST + 1);
	prof_free(prof);
}

/* ---- writers ---- */

TEST(firefox_has_times_per_thread_since_the_first)
{
	static const char *const wanted[] = {
		"\"pid\":\"70\",\"tid\":70,",
		"\"samples\":{\"length\":4,\"weightType\":\"samples\",\"stack\":[1,2,1,1],"
		"\"weight\":[1,1,1,1],\"time\":[0.000000,0.002000,0.004000,4999.001004]}",
		"\"pid\":\"70\",\"tid\":71,",
		"\"samples\":{\"length\":3,\"weightType\":\"samples\",\"stack\":[2,1,2],"
		"\"weight\":[1,1,1],\"time\":[0.001000,0.003000,0.005500]}",
		"\"pid\":\"70\",\"tid\":71,",
		"\"samples\":{\"length\":1,\"weightType\":\"samples\",\"stack\":[1],"
		"\"weight\":[1],\"time\":[0.002500]}",
	};
	struct prof *prof = make_profile(format_firefox.by, 0);
	char *text = written(&format_firefox, prof), *at = text;

	for (size_t i = 0; i < N(wanted); i++) {
		at = strstr(at, wanted[i]);
		assert_non_null(at);
		at += strlen(wanted[i]);
	}
	assert_null(strstr(at, "\"samples\":{"));
	free(text);
	prof_free(prof);
}

TEST(speedscope_has_a_profile_in_order_of_time_per_thread)
{
	static const char wanted[] =
		"\"profiles\":[\n"
		"{\"type\":\"sampled\",\"name\":\"prog 70/70 cpu-clock\",\"unit\":\"nanoseconds\","
		"\"startValue\":0,\"endValue\":160,\"samples\":[\n"
		"[0,1,2],\n[0,1,3],\n[0,1,2],\n[0,1,2]],\"weights\":[10,30,50,70]},\n"
		"{\"type\":\"sampled\",\"name\":\"prog 70/71 cpu-clock\",\"unit\":\"nanoseconds\","
		"\"startValue\":0,\"endValue\":120,\"samples\":[\n"
		"[0,1,3],\n[0,1,2],\n[0,1,3]],\"weights\":[20,40,60]},\n"
		"{\"type\":\"sampled\",\"name\":\"prog 70/71 misses\",\"unit\":\"none\","
		"\"startValue\":0,\"endValue\":1,\"samples\":[\n[0,1,2]],\"weights\":[1]}]}\n";
	struct prof *prof = make_profile(format_speedscope.by, 0);
	char *text = written(&format_speedscope, prof), *profiles = strstr(text, "\"profiles\"");

	assert_non_null(profiles);
	assert_string_equal(profiles, wanted);
	free(text);
	prof_free(prof);
}

TEST(perf_data_has_the_time_of_each_sample)
{
	struct prof *prof = make_profile(format_perf.by, 0), *back;
	struct op_error error = {0};
	char *bytes = NULL, *text;
	size_t n;
	struct output output = {.path = "memory", .file = open_memstream(&bytes, &n)};

	assert_int_equal(format_perf.write(prof, &output, &error), 0);
	fclose(output.file);
	back = read_bytes(&format_perf, bytes, n, &error);
	assert_string_equal(error.text, "");
	text = describe_moments(back);
	assert_string_equal(text, moments_wanted);
	free(text);
	free(bytes);
	prof_free(prof);
	prof_free(back);
}

/* The records before the data depend on no sample, so the names of threads are the difference. */
TEST(perf_data_names_a_thread_once_however_often_it_runs)
{
	enum { SWITCHES = 100, SAMPLE_BYTES = 80 };
	struct prof *prof = prof_new(format_perf.by, 0);
	char *few, *many;
	struct op_error error;
	size_t n[2];

	for (unsigned int i = 0; i < SWITCHES; i++)
		push(prof, &(struct taken){1000 + i, 70 + i % 2, 0x1010, 10, 0});
	prof_finish(prof);
	for (size_t i = 0; i < 2; i++) {
		char **bytes = i ? &many : &few;
		struct output output = {.path = "memory", .file = open_memstream(bytes, &n[i])};

		assert_int_equal(format_perf.write(prof, &output, &error), 0);
		fclose(output.file);
		prof->n_moments = 0; /* without times, threads stand one after the other */
	}
	assert_int_equal(n[0], n[1]);
	free(few);
	free(many);
	prof_free(prof);
}

/* Without times, nothing but prof::moments depends on the flags for times. */
TEST(samples_without_times_are_written_as_ever)
{
	static const struct format *const writers[] = {&format_firefox, &format_speedscope,
						       &format_perf};

	for (size_t i = 0; i < N(writers); i++) {
		unsigned int by = writers[i]->by;
		unsigned int untimed = by & ~(PROF_TIMES | PROF_TIMES_BY_TID);
		struct prof *with = prof_new(by, 0), *without = prof_new(untimed, 0);
		char *text, *wanted;

		assert_int_not_equal(by, untimed);
		for (size_t k = 0; k < N(interleaved); k++) {
			struct taken taken = interleaved[k];

			taken.time = 0;
			push(with, &taken);
			push(without, &taken);
		}
		prof_finish(with);
		prof_finish(without);
		text = written(writers[i], with);
		wanted = written(writers[i], without);
		assert_string_equal(text, wanted);
		assert_int_equal(with->n_notes, 0);
		free(text);
		free(wanted);
		prof_free(with);
		prof_free(without);
	}
}

/* ---- opexport ---- */

TEST_HOOK(set_up)
{
	struct prof *prof = prof_new(format_perf.by, 0);
	char *path;

	strcpy(dir + strlen(dir) - 6, "XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	for (unsigned int i = 0; i < 600; i++)
		push(prof, &(struct taken){1000 + i, 70 + i % 2, 0x1010 + i % 7, 10, 0});
	prof_finish(prof);
	path = pp_format("%s/perf.data", dir);
	write_path(&format_perf, prof, path, NULL);
	free(path);
	prof_free(prof);
	return 0;
}

TEST_HOOK(tear_down)
{
	test_shell("rm -r %s", dir);
	return 0;
}

/* The file @name in the test's folder, with its moments. */
static char *moments_of(const char *name)
{
	char *path = pp_format("%s/%s", dir, name), *text;
	struct op_error error = {0};
	struct prof *prof = read_path(&format_perf, path, &error);

	text = describe_moments(prof);
	prof_free(prof);
	free(path);
	return text;
}

static size_t lines_of(const char *text)
{
	size_t n = 0;

	while ((text = strchr(text, '\n'))) {
		text++;
		n++;
	}
	return n;
}

TEST_WITH(a_conversion_keeps_times, set_up, tear_down)
{
	char *before, *after;

	test_shell("%s --from=%s/perf.data -t perf -o %s/again", opexport, dir, dir);
	before = moments_of("perf.data");
	after = moments_of("again");
	assert_int_equal(lines_of(before), 600);
	assert_string_equal(before, after);
	free(before);
	free(after);
	test_shell("%s --from=%s/perf.data -t firefox | grep -q '\"time\":\\[0.000001,0.000003,'",
		   opexport, dir);
	test_shell("%s --from=%s/perf.data -t speedscope | grep -c 'prog 70/7[01] cpu-clock' > "
		   "%s/lines && test $(cat %s/lines) = 2",
		   opexport, dir, dir, dir);
}

TEST_WITH(times_that_precede_damage_are_kept, set_up, tear_down)
{
	char *whole, *part;

	test_shell("head -c %d %s/perf.data > %s/cut", DAMAGE_ENDS, dir, dir);
	test_shell("%s --from=%s/cut -t perf -o %s/part 2> %s/messages; test $? = 1", opexport, dir,
		   dir, dir);
	whole = moments_of("perf.data");
	part = moments_of("part");
	assert_in_range(lines_of(part), 20, 580);
	assert_memory_equal(whole, part, strlen(part));
	free(whole);
	free(part);
}

/* ---- real recordings ---- */

static void check_recording(const char *path, size_t *n_recordings)
{
	struct op_error error = {0};
	struct prof *prof = read_path(&format_perf, path, &error), *back;
	char *bytes = NULL, *before, *after;
	struct output output = {.path = path};
	size_t n;

	if (prof->n_moments) {
		++*n_recordings;
		output.file = open_memstream(&bytes, &n);
		before = describe_moments(prof);
		assert_int_equal(format_perf.write(prof, &output, &error), 0);
		fclose(output.file);
		back = read_bytes(&format_perf, bytes, n, &error);
		after = describe_moments(back);
		for (size_t i = 0; i < prof->n_events; i++)
			assert_int_equal(back->totals[i].events, prof->totals[i].events);
		assert_string_equal(after, before);
		free(before);
		free(after);
		free(bytes);
		prof_free(back);
	}
	prof_free(prof);
}

TEST(real_recordings_keep_all_times)
{
	char *folder = corpora() ? pp_format("%s/perf", corpora()) : NULL;
	DIR *files = folder ? opendir(folder) : NULL;
	const struct dirent *entry;
	size_t n = 0;

	if (!files)
		skip();
	while ((entry = readdir(files))) {
		char *path = pp_format("%s/%s", folder, entry->d_name);

		if (entry->d_name[0] != '.')
			check_recording(path, &n);
		free(path);
	}
	closedir(files);
	free(folder);
	assert_true(n > 20);
}

TEST_ARGUMENTS(1, "OPEXPORT")
{
	opexport = argv[1];
}
