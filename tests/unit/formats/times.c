// SPDX-License-Identifier: GPL-2.0-or-later
/* The time of each sample, from the sink of a reader to the writer of perf.data. */
#include <dirent.h>

#include "tests/unit/test.h"

#include "describe.h"
#include "libop/base/memory.h"
#include "model_fixture.h"
#include "pp/formats/model/timeline.h"

#define N(array) (sizeof(array) / sizeof(*(array)))

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
	char *folder = corpora() ? op_format("%s/perf", corpora()) : NULL;
	DIR *files = folder ? opendir(folder) : NULL;
	const struct dirent *entry;
	size_t n = 0;

	if (!files)
		skip();
	while ((entry = readdir(files))) {
		char *path = op_format("%s/%s", folder, entry->d_name);

		if (entry->d_name[0] != '.')
			check_recording(path, &n);
		free(path);
	}
	closedir(files);
	free(folder);
	assert_true(n > 20);
}
