// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Real recordings of many versions of perf and of other recorders.
 *
 * MANIFEST.tsv there says how many samples perf 6.1, 6.12 and 7.2 see in each; files that none of
 * them reads are listed here, with the samples that a plain walk through their records finds.
 */
#include "tests/unit/test.h"

#include "describe.h"
#include "pp/formats/model/format.h"

static const struct {
	const char *file;
	uint64_t samples;
	const char *fault; /* the error must have this in it */
} special[] = {
	/* a compressed pipe, which no perf reads; counted after unpacking it with zstd -d */
	{"lpd__sleep.compressed.pipe.data", 8, NULL},
	/* a record of 0 bytes; perf has no sample either */
	{"quipper__perf.data.piped.corrupted.zero_size_sample-3.2", 0, "byte 49104:"},
	/* records of simpleperf between those of perf */
	{"simpleperf__testdata+perf_with_trace_offcpu_v2.data", 304, NULL},
};

static uint64_t most(const char *counts)
{
	uint64_t most_seen = 0, seen;
	char *end;

	for (; *counts; counts = *end ? end + 1 : end) {
		seen = strtoull(counts, &end, 10);
		if (end == counts)
			break;
		if (seen > most_seen)
			most_seen = seen;
	}
	return most_seen;
}

static void check(const char *folder, const char *name, uint64_t samples)
{
	const char *fault = NULL;
	struct op_error error = {0};
	struct input *input;
	struct prof *prof;
	uint64_t count = 0;
	char path[4096];
	int result;

	for (size_t i = 0; i < sizeof(special) / sizeof(*special); i++)
		if (!strcmp(special[i].file, name)) {
			samples = special[i].samples;
			fault = special[i].fault;
		}
	snprintf(path, sizeof(path), "%s/perf/%s", folder, name);
	input = input_open(path, &error);
	assert_non_null(input);
	assert_ptr_equal(format_of(input, &error), &format_perf);
	prof = prof_new(0, 0);
	result = format_perf.read(input, &prof->sink, &error);
	prof_finish(prof);
	for (size_t i = 0; i < prof->n_events; i++)
		count += prof->totals[i].count;
	if (count != samples || result != (fault ? -1 : 0))
		print_message("%s: %" PRIu64 " samples, not %" PRIu64 "; %s\n", name, count,
			      samples, error.text);
	assert_int_equal(count, samples);
	assert_int_equal(result, fault ? -1 : 0);
	if (fault) {
		assert_non_null(strstr(error.text, fault));
		assert_non_null(strstr(error.text, name));
	}
	prof_free(prof);
	input_close(input);
}

TEST(all_samples_of_real_recordings_are_read)
{
	const char *folder = corpora();
	char path[4096], line[4096], *name, *counts, *word, *rest;
	unsigned int files = 0;
	FILE *manifest;

	if (!folder)
		skip();
	snprintf(path, sizeof(path), "%s/MANIFEST.tsv", folder);
	manifest = fopen(path, "r");
	assert_non_null(manifest);
	while (fgets(line, sizeof(line), manifest)) {
		if (strncmp(line, "perf/", 5))
			continue;
		name = strtok_r(line + 5, "\t", &rest);
		counts = NULL;
		for (int column = 1; column <= 7 && (word = strtok_r(NULL, "\t", &rest)); column++)
			counts = word;
		assert_non_null(counts);
		check(folder, name, most(counts));
		files++;
	}
	fclose(manifest);
	print_message("%u recordings read\n", files);
	assert_true(files > 40);
}
