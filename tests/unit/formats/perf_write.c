// SPDX-License-Identifier: GPL-2.0-or-later
/* What is written as perf.data is read back the same: file and pipe. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "pp/formats/model/format.h"
#include "libop/base/memory.h"

#define N(array) (sizeof(array) / sizeof(*(array)))

static struct op_error error;

/* Two events, two processes of which one changes its program, all kinds of images. */
static struct prof *make_profile(void)
{
	static const struct prof_event events[] = {
		{.name = "cpu-clock",
		 .unit = "nanoseconds",
		 .frequency = 999,
		 .type = 1,
		 .code = 0},
		{.name = "CPU_CLK_UNHALTED", .period = 100000, .code = 0x3c, .type = PROF_NO_TYPE},
	};
	static const struct prof_image images[] = {
		{.kind = PROF_FILE,
		 .path = "/nowhere/prog",
		 .pid = PROF_ANY,
		 .build_id_length = 20,
		 .build_id = {1, 2, 3},
		 .start = 0x400000,
		 .end = 0x410000,
		 .offset = 0x1000},
		{.kind = PROF_FILE, .path = "/nowhere/lib.so", .pid = PROF_ANY},
		{.kind = PROF_FILE, .path = "/nowhere/other", .pid = PROF_ANY},
		{.kind = PROF_KERNEL,
		 .is_kernel = true,
		 .path = "[kernel.kallsyms]",
		 .pid = PROF_ANY,
		 .build_id_length = 16,
		 .build_id = {9}},
		{.kind = PROF_MODULE, .is_kernel = true, .path = "ext4", .pid = PROF_ANY},
		{.kind = PROF_BPF, .is_kernel = true, .path = "bpf_prog_12", .pid = PROF_ANY},
		{.kind = PROF_ANON,
		 .path = "[heap]",
		 .pid = 10,
		 .start = 0x900000,
		 .end = 0x920000},
		{.kind = PROF_VDSO, .path = "[vdso]", .pid = PROF_ANY},
	};
	static const struct prof_host host = {.hostname = "somewhere",
					      .os_release = "6.1.0",
					      .arch = "x86_64",
					      .cpu_description = "A CPU",
					      .cpu_id = "Genuine,1",
					      .tool = "perf 6.1",
					      .command_line = "perf record ls",
					      .cpus_online = 3,
					      .cpus_available = 4,
					      .memory = 4096000};
	static const struct {
		int64_t pid, tid, cpu;
		size_t app;
		const char *comm;
		uint64_t count, events;
		size_t event;
		struct {
			size_t image; /* of @images */
			uint64_t offset;
		} frames[4]; /* up to offset 0 */
	} samples[] = {
		{10, 10, 0, 0, "prog", 3, 3003001, 0, {{0, 0x1100}, {0, 0x1200}}},
		{10, 11, 1, 0, "worker", 2, 2002000, 0, {{1, 0x500}, {0, 0x1300}}},
		{10, 11, 1, 0, "worker", 5, 500000, 1, {{1, 0x500}, {0, 0x1300}}},
		{10, 10, 1, 2, "other", 1, 1, 0, {{2, 0x700}, {1, 0x500}}},
		{20, 20, 0, 2, "other", 7, 70, 0, {{3, 0x12345}, {4, 0x88}, {2, 0x700}}},
		{20, 20, 0, 2, "other", 4, 40, 0, {{5, 0x10}, {3, 0x400}}},
		{10, 10, 0, 0, "prog", 1, 9, 0, {{6, 0x30}, {7, 0x20}}},
		{20, 20, 0, 2, "other", 2, 20, 0, {{7, 0x20}, {0, 0}}},
	};
	struct prof *prof = prof_new(format_perf.by, 0);
	struct prof_sink *sink = &prof->sink;
	uint32_t image[N(images)], event[N(events)];

	for (size_t i = 0; i < N(events); i++)
		event[i] = sink->event(sink, &events[i]);
	for (size_t i = 0; i < N(images); i++)
		image[i] = sink->image(sink, &images[i]);
	sink->host(sink, &host);
	sink->lost(sink, "the recorder's buffer was full", 17);
	for (size_t i = 0; i < N(samples); i++) {
		struct prof_frame frames[4];
		struct prof_value value = {event[samples[i].event], samples[i].count,
					   samples[i].events};
		struct prof_sample sample = {
			.frames = frames,
			.values = &value,
			.n_values = 1,
			.app = image[samples[i].app],
			.comm = sink->string(sink, samples[i].comm),
			.pid = samples[i].pid,
			.tid = samples[i].tid,
			.cpu = samples[i].cpu,
			.time = 5000000 + 1000 * i,
		};

		for (; sample.depth < 4 && samples[i].frames[sample.depth].offset; sample.depth++)
			frames[sample.depth] =
				(struct prof_frame){image[samples[i].frames[sample.depth].image],
						    samples[i].frames[sample.depth].offset};
		assert_int_equal(sink->sample(sink, &sample, &error), 0);
	}
	prof_finish(prof);
	return prof;
}

/* All samples as sorted text, with nothing in it that depends on where images were mapped. */
static char *describe(const struct prof *prof)
{
	struct prof_cursor cursor = {0};
	struct prof_sample sample;
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	while (prof_next(prof, &cursor, &sample)) {
		fprintf(out, "%s %s %ld/%ld cpu %ld:", prof->images[sample.app].path,
			prof->strings[sample.comm], (long)sample.pid, (long)sample.tid,
			(long)sample.cpu);
		for (size_t i = 0; i < sample.n_values; i++)
			fprintf(out, " %s %lu/%lu", prof->events[sample.values[i].event].name,
				(unsigned long)sample.values[i].count,
				(unsigned long)sample.values[i].events);
		for (size_t i = 0; i < sample.depth; i++) {
			const struct prof_image *image = &prof->images[sample.frames[i].image];

			fprintf(out, " %d:%s:%ld:%x+%lx", (int)image->kind, image->path,
				(long)image->pid, image->build_id_length ? image->build_id[0] : 0,
				(unsigned long)sample.frames[i].offset);
		}
		fprintf(out, "\n");
	}
	prof_cursor_free(&cursor);
	fclose(out);
	return text;
}

static struct prof *read_back(struct input *input)
{
	struct prof *prof = prof_new(format_perf.by, 0);

	assert_non_null(input);
	assert_ptr_equal(format_of(input, &error), &format_perf);
	assert_int_equal(format_perf.read(input, &prof->sink, &error), 0);
	prof_finish(prof);
	input_close(input);
	return prof;
}

static void assert_same(const struct prof *prof, const struct prof *back)
{
	char *expected = describe(prof), *found = describe(back);

	assert_string_equal(found, expected);
	free(expected);
	free(found);
	assert_int_equal(back->n_events, prof->n_events);
	for (size_t i = 0; i < prof->n_events; i++) {
		assert_string_equal(back->events[i].name, prof->events[i].name);
		assert_int_equal(back->events[i].period, prof->events[i].period);
		assert_int_equal(back->events[i].frequency, prof->events[i].frequency);
	}
	assert_string_equal(back->events[0].unit, "nanoseconds");
	assert_string_equal(back->host.hostname, "somewhere");
	assert_string_equal(back->host.os_release, "6.1.0");
	assert_string_equal(back->host.arch, "x86_64");
	assert_string_equal(back->host.cpu_description, "A CPU");
	assert_string_equal(back->host.cpu_id, "Genuine,1");
	assert_string_equal(back->host.tool, "perf 6.1");
	assert_string_equal(back->host.command_line, "perf record ls");
	assert_int_equal(back->host.cpus_online, 3);
	assert_int_equal(back->host.cpus_available, 4);
	assert_int_equal(back->host.memory, 4096000);
	assert_int_equal(back->n_losses, 1);
	assert_int_equal(back->losses[0].count, 17);
	assert_int_equal(back->first_time, prof->first_time);
	assert_int_equal(back->last_time, prof->last_time);
}

static void a_file_is_read_back_the_same(void **state)
{
	char path[] = "/tmp/perf_write.XXXXXX";
	struct prof *prof = make_profile(), *back;
	int fd = mkstemp(path);
	struct output output = {.path = path, .file = fdopen(fd, "w+")};

	(void)state;
	assert_int_equal(format_perf.write(prof, &output, &error), 0);
	assert_int_equal(fclose(output.file), 0);
	back = read_back(input_open(path, &error));
	assert_same(prof, back);
	unlink(path);
	prof_free(prof);
	prof_free(back);
}

/* hotspot takes padding behind a feature for a fault, and may never end. */
static void features_are_as_long_as_they_say(void **state)
{
	enum { HOSTNAME = 3, DATA = 40, BITS = 72, TABLE_ENTRY = 16 };
	struct prof *prof = make_profile();
	char *bytes = NULL;
	size_t n;
	struct output output = {.path = "-", .file = open_memstream(&bytes, &n)};
	uint64_t data[2], section[2], bits;
	uint32_t length;

	(void)state;
	assert_int_equal(format_perf.write(prof, &output, &error), 0);
	fclose(output.file);
	memcpy(data, bytes + DATA, sizeof(data));
	memcpy(&bits, bytes + BITS, sizeof(bits));
	assert_true(bits >> HOSTNAME & 1);
	memcpy(section,
	       bytes + data[0] + data[1] +
		       TABLE_ENTRY * __builtin_popcountll(bits & ((1 << HOSTNAME) - 1)),
	       sizeof(section));
	memcpy(&length, bytes + section[0], sizeof(length));
	assert_int_equal(section[1], length + sizeof(length));
	assert_string_equal(bytes + section[0] + sizeof(length), "somewhere");
	prof_free(prof);
	free(bytes);
}

static void a_pipe_is_read_back_the_same(void **state)
{
	struct prof *prof = make_profile(), *back;
	static uint8_t bytes[1 << 16];
	struct output output = {.path = "-"};
	size_t n = 0;
	ssize_t got;
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	output.file = fdopen(ends[1], "w");
	if (!fork()) {
		close(ends[0]);
		_exit(format_perf.write(prof, &output, &error) || fclose(output.file));
	}
	fclose(output.file);
	while ((got = read(ends[0], bytes + n, sizeof(bytes) - n)) > 0)
		n += (size_t)got;
	close(ends[0]);
	wait(NULL);
	assert_int_equal(bytes[8], 16); /* the header of a pipe */
	prof_layout(prof);
	back = read_back(input_of_bytes("pipe", bytes, n));
	assert_same(prof, back);
	prof_free(prof);
	prof_free(back);
}

/* A long session has more samples than a file should: then periods tell them. */
static void many_equal_samples_become_one_record(void **state)
{
	static const struct prof_event event = {.name = "e", .period = 2, .type = PROF_NO_TYPE};
	char path[] = "/tmp/perf_write.XXXXXX";
	struct prof *prof = prof_new(format_perf.by, 0), *back;
	struct prof_frame frame = {PROF_NO_IMAGE, 0x1234};
	struct prof_value value = {0, UINT64_C(1) << 40, UINT64_C(1) << 41};
	struct prof_sample sample = {.frames = &frame,
				     .depth = 1,
				     .values = &value,
				     .n_values = 1,
				     .pid = PROF_ANY,
				     .tid = PROF_ANY,
				     .cpu = PROF_ANY};
	struct output output = {.path = path, .file = fdopen(mkstemp(path), "w+")};

	(void)state;
	value.event = prof->sink.event(&prof->sink, &event);
	assert_int_equal(prof->sink.sample(&prof->sink, &sample, &error), 0);
	prof_finish(prof);
	assert_int_equal(format_perf.write(prof, &output, &error), 0);
	assert_int_equal(fclose(output.file), 0);
	back = read_back(input_open(path, &error));
	assert_int_equal(back->totals[0].count, 1);
	assert_int_equal(back->totals[0].events, UINT64_C(1) << 41);
	unlink(path);
	prof_free(prof);
	prof_free(back);
}

/* Times of a damaged recording may be anything. */
static void any_times_are_spread(void **state)
{
	static const struct prof_event event = {.name = "e", .period = 1, .type = PROF_NO_TYPE};
	struct prof *prof = prof_new(format_perf.by, 0), *back;
	struct prof_frame frame = {PROF_NO_IMAGE, 0x1234};
	struct prof_value value = {0, 1, 1};
	struct prof_sample sample = {.frames = &frame,
				     .depth = 1,
				     .values = &value,
				     .n_values = 1,
				     .pid = PROF_ANY,
				     .tid = PROF_ANY,
				     .cpu = PROF_ANY};
	char *bytes = NULL;
	size_t n;
	struct output output = {.path = "-", .file = open_memstream(&bytes, &n)};

	(void)state;
	value.event = prof->sink.event(&prof->sink, &event);
	for (uint64_t i = 0; i < 3; i++) {
		sample.time = i ? UINT64_MAX - i : 1;
		assert_int_equal(prof->sink.sample(&prof->sink, &sample, &error), 0);
	}
	prof_finish(prof);
	assert_int_equal(format_perf.write(prof, &output, &error), 0);
	fclose(output.file);
	back = read_back(input_of_bytes("back", bytes, n));
	assert_int_equal(back->totals[0].count, 3);
	assert_int_equal(back->first_time, 1);
	assert_int_equal(back->last_time, UINT64_MAX - 1);
	prof_free(prof);
	prof_free(back);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_is_read_back_the_same),
		cmocka_unit_test(features_are_as_long_as_they_say),
		cmocka_unit_test(a_pipe_is_read_back_the_same),
		cmocka_unit_test(any_times_are_spread),
		cmocka_unit_test(many_equal_samples_become_one_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
