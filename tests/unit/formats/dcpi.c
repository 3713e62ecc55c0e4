// SPDX-License-Identifier: GPL-2.0-or-later
/* DCPI's profiles of other profiles; commands/profile_dcpi.sh is about reading them. */
#include "tests/unit/test.h"

#include "describe.h"
#include "libop/base/file.h"
#include "pp/formats/dcpi/header.h"
#include "libop/base/memory.h"

TEST(epochs_are_read_in_all_their_lengths)
{
	static const struct {
		const char *text;
		uint64_t seconds;
	} table[] = {
		{"7001010000", 0},	     {"9706251430", 867249000},
		{"199706251430", 867249000}, {"19970625143022", 867249022},
		{"0001010000", 946684800},   {"6912312359", 3155759940},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		uint64_t seconds = 1;

		assert_true(dcpi_epoch_parse(table[i].text, &seconds));
		assert_int_equal(seconds, table[i].seconds);
	}
}

struct folder {
	char *path;
};

static int make_folder(void **state)
{
	struct folder *folder = op_alloc(1, sizeof(*folder));

	folder->path = op_copy("/tmp/oprofile-test-XXXXXX");
	if (!mkdtemp(folder->path))
		return -1;
	*state = folder;
	return 0;
}

static int remove_one(const char *path, const struct stat *status, void *context)
{
	(void)status;
	(void)context;
	return unlink(path);
}

static int remove_folder(void **state)
{
	struct folder *folder = *state;

	op_walk(folder->path, remove_one, NULL, NULL);
	rmdir(folder->path);
	free(folder->path);
	free(folder);
	return 0;
}

static char *read_file(const struct folder *folder, const char *name, size_t *n)
{
	char *path = op_format("%s/%s", folder->path, name);
	struct op_error error;
	char *bytes = op_file_read(path, 1 << 20, n, &error);

	if (!bytes)
		fail_msg("%s", error.text);
	free(path);
	return bytes;
}

static void write_to(const struct folder *folder, struct prof *prof)
{
	struct op_error error = {0};

	if (write_path(&format_dcpi, prof, folder->path, &error))
		fail_msg("%s", error.text);
}

/* A profile of two images and two events that was never DCPI's. */
static struct prof *make_profile(uint64_t count)
{
	struct prof *prof = prof_new(0, 0);
	struct prof_sink *sink = &prof->sink;
	const struct prof_event events[] = {
		{.name = "cpu-clock",
		 .unit = "nanoseconds",
		 .period = 250000,
		 .type = PROF_NO_TYPE},
		{.name = "L1/miss", .period = 1000, .type = PROF_NO_TYPE}};
	const struct prof_image images[] = {
		{.kind = PROF_FILE,
		 .path = "/no/such/prog",
		 .pid = PROF_ANY,
		 .start = 0x555555000000,
		 .end = 0x555555010000,
		 .build_id_length = 4,
		 .build_id = {0xab, 0xcd, 0xef, 1}},
		{.kind = PROF_FILE, .path = "/other/prog", .pid = PROF_ANY}};
	const struct prof_host host = {.os_release = "6.1.0",
				       .arch = "x86_64",
				       .cpus_online = 8,
				       .cpu_mhz = 2400,
				       .start_time = UINT64_C(1700000000000000000)};
	uint32_t a = sink->image(sink, &images[0]), b = sink->image(sink, &images[1]);
	const struct prof_frame frames[] = {{a, 0x1234}, {b, 0x801}, {a, 0x1235}};
	const struct prof_value values[] = {{sink->event(sink, &events[0]), count, count * 250000},
					    {sink->event(sink, &events[1]), 2, 2000}};
	struct prof_sample sample = {.frames = frames,
				     .depth = 2,
				     .values = values,
				     .n_values = 2,
				     .app = a,
				     .pid = PROF_ANY,
				     .tid = PROF_ANY,
				     .cpu = PROF_ANY};

	sink->host(sink, &host);
	assert_int_equal(sink->sample(sink, &sample, NULL), 0);
	sample.n_values = sample.depth = 1;
	for (size_t i = 1; i < 3; i++) {
		sample.frames = frames + i;
		assert_int_equal(sink->sample(sink, &sample, NULL), 0);
	}
	prof_finish(prof);
	return prof;
}

TEST_WITH(each_image_and_event_has_a_file, make_folder, remove_folder)
{
	static const char header[] = "version pdb-0.07\n"
				     "image 19700101000000abcdef\n"
				     "epoch 2311142213\n"
				     "platform Linux 6.1.0 x86_64\n"
				     "event cpu-clock\n"
				     "period 250000\n"
				     "tstart 555555000000\n"
				     "tsize 65536\n"
				     "cpuspeed 2400\n"
				     "cpucount 8\n"
				     "path /no/such/prog\n"
				     "stride 1\n"
				     "offset 0\n"
				     "samples";
	struct prof *prof = make_profile(3);
	struct op_error error;
	char *bytes, *samples;
	size_t n, at;

	write_to(*state, prof);
	prof_free(prof);
	bytes = read_file(*state, "prog.cpu-clock", &n);
	assert_memory_equal(bytes, header, sizeof(header) - 1);
	at = (size_t)((char *)memchr(bytes + sizeof(header) - 1, '\n', 5) + 1 - bytes);
	assert_int_equal(at % 4, 0);
	assert_int_equal(n - at, 4 * 6);
	assert_memory_equal(bytes + at, "\x34\x12\0\0\2\0\0\0\3\0\0\0\3\0\0\0\2\0\0\0\6\0\0\0", 24);
	free(bytes);
	free(read_file(*state, "prog.L1_miss", &n));
	free(read_file(*state, "prog.cpu-clock-2", &n));

	assert_true(format_dcpi.probe_directory(((struct folder *)*state)->path) > 0);
	prof = read_path(&format_dcpi, ((struct folder *)*state)->path, &error);
	assert_string_equal(error.text, "");
	samples = describe_samples(prof);
	assert_string_equal(samples, "2/2000 3/750000 /no/such/prog+1234\n"
				     "3/750000 /no/such/prog+1235\n"
				     "3/750000 /other/prog+801\n");
	free(samples);
	prof_free(prof);
}

TEST_WITH(counts_beyond_32_bits_are_refused, make_folder, remove_folder)
{
	struct prof *prof = make_profile(UINT64_C(1) << 32);
	struct op_error error = {0};
	const struct folder *folder = *state;

	assert_int_equal(write_path(&format_dcpi, prof, folder->path, &error), -1);
	assert_non_null(strstr(error.text, "2^32-1"));
	prof_free(prof);
}

TEST_WITH(directories_of_other_files_are_not_recognised, make_folder, remove_folder)
{
	const struct folder *folder = *state;
	char *path = op_format("%s/notes", folder->path);
	struct op_error error;

	op_file_replace(path, "version of the notes\n", 21, 0600, NULL);
	assert_int_equal(format_dcpi.probe_directory(folder->path), 0);
	prof_free(read_path(&format_dcpi, folder->path, &error));
	assert_non_null(strstr(error.text, "no DCPI profile"));
	free(path);
}
