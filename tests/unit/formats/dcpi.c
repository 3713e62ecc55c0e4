// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DCPI's profiles: headers that are kept, chunks in either stride, damage that is told, files that
 * are written, and written again as they were.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "describe.h"
#include "libop/base/file.h"
#include "pp/formats/dcpi/header.h"
#include "libop/base/memory.h"

#define HEADER                                                                                     \
	"version pdb-0.07\n"                                                                       \
	"image 199706251430221a2b3c\n"                                                             \
	"epoch 9706251430\n"                                                                       \
	"color  any thing \t\n"                                                                    \
	"platform AlphaStation 500\n"                                                              \
	"event cycles\n"                                                                           \
	"period 63488\n"                                                                           \
	"tstart 12006c000\n"                                                                       \
	"tsize 4096\n"                                                                             \
	"cpuspeed 333\n"                                                                           \
	"path /usr/bin/x11\n"

#define END 0xffffffff /* of chunks */

/* Puts chunks of OFFSET, NUMBER, COUNT... up to END, and the sums. */
static void put_chunks(struct made *file, const uint32_t *words)
{
	uint64_t total = 0, used = 0;

	while (*words != END) {
		uint32_t number = words[1];

		made_number(file, *words++, 4, 0);
		made_number(file, *words++, 4, 0);
		for (; number; number--, words++) {
			made_number(file, *words, 4, 0);
			total += *words;
			used += *words != 0;
		}
	}
	made_number(file, used, 4, 0);
	made_number(file, total, 4, 0);
}

static struct made make_file(const char *header, const uint32_t *words)
{
	struct made file = {0};

	made_text(&file, header);
	put_chunks(&file, words);
	return file;
}

/* Reads what is in memory; the samples must be @wanted, and the error hold @message. */
static void check_file(const struct made *file, const char *wanted, const char *message)
{
	struct op_error error;
	struct prof *prof = read_bytes(&format_dcpi, file->bytes, file->n, &error);
	char *samples = describe_samples(prof);

	if (*message ? !strstr(error.text, message) : *error.text)
		fail_msg("\"%s\" is not \"%s\"", error.text, message);
	assert_string_equal(samples, wanted);
	free(samples);
	prof_free(prof);
}

static void test_chunks(void **state)
{
	static const struct {
		const char *lines;
		uint32_t words[16];
		const char *samples;
	} table[] = {
		{"", {END}, ""},
		{"", {0xbb8, 1, 29, END}, "29/1841152 /usr/bin/x11+bb8\n"},
		{"",
		 {0xbb8, 3, 29, 0, 5, 0xd00, 1, 7, END},
		 "29/1841152 /usr/bin/x11+bb8\n5/317440 /usr/bin/x11+bc0\n"
		 "7/444416 /usr/bin/x11+d00\n"},
		/* chunks may touch, and have no counts */
		{"",
		 {0, 1, 1, 4, 1, 2, 8, 0, END},
		 "1/63488 /usr/bin/x11+0\n2/126976 /usr/bin/x11+4\n"},
		/* there is no room for four bytes a count */
		{"",
		 {0x10, 2, 1, 2, 0x14, 1, 3, END},
		 "1/63488 /usr/bin/x11+10\n2/126976 /usr/bin/x11+11\n3/190464 /usr/bin/x11+14\n"},
		{"",
		 {0x10, 2, 1, 2, 0x12, 1, 3, END},
		 "1/63488 /usr/bin/x11+10\n2/126976 /usr/bin/x11+11\n3/190464 /usr/bin/x11+12\n"},
		{"", {0x11, 2, 1, 2, END}, "1/63488 /usr/bin/x11+11\n2/126976 /usr/bin/x11+12\n"},
		{"",
		 {0xffc, 3, 1, 2, 3, END},
		 "1/63488 /usr/bin/x11+ffc\n2/126976 /usr/bin/x11+ffd\n3/190464 "
		 "/usr/bin/x11+ffe\n"},
		{"stride 1\n",
		 {0x10, 2, 1, 2, END},
		 "1/63488 /usr/bin/x11+10\n2/126976 /usr/bin/x11+11\n"},
		{"stride 2\noffset 3000\n",
		 {0x10, 2, 1, 2, END},
		 "1/63488 /usr/bin/x11+3010\n2/126976 /usr/bin/x11+3012\n"},
		/* the largest count */
		{"", {0, 1, 0xffffffff, END}, "4294967295/272678883624960 /usr/bin/x11+0\n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		char *header = pp_format("%s%ssamples \t\n", HEADER, table[i].lines);
		struct made file = make_file(header, table[i].words);

		assert_true(format_dcpi.probe(file.bytes, file.n) > 0);
		check_file(&file, table[i].samples, "");
		free(file.bytes);
		free(header);
	}
}

static void test_damaged_chunks(void **state)
{
	static const struct {
		const char *lines;
		uint32_t words[16];
		size_t cut; /* bytes that are missing at the end */
		const char *error;
		const char *samples;
	} table[] = {
		{"", {END}, 8, "ends without its sums", ""},
		{"", {END}, 1, "ends without its sums", ""},
		{"", {0, 1, 5, END}, 8, "more than follow", ""},
		{"", {0, 1, 5, END}, 4, "more than follow", ""},
		{"",
		 {0, 1, 5, 16, 1, 6, END},
		 12,
		 "speaks of 1 samples at 16 addresses",
		 "5/317440 /usr/bin/x11+0\n"},
		{"",
		 {8, 1, 5, 4, 1, 6, END},
		 0,
		 "not between those around it",
		 "5/317440 /usr/bin/x11+8\n"},
		{"",
		 {8, 1, 5, 8, 1, 6, END},
		 0,
		 "not between those around it",
		 "5/317440 /usr/bin/x11+8\n"},
		{"", {4096, 1, 5, END}, 0, "not between those around it", ""},
		{"stride 4\n",
		 {0x10, 2, 1, 2, 0x14, 1, 3, END},
		 0,
		 "not between those around it",
		 "1/63488 /usr/bin/x11+10\n2/126976 /usr/bin/x11+14\n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		char *header = pp_format("%s%ssamples\n", HEADER, table[i].lines);
		struct made file = make_file(header, table[i].words);

		file.n -= table[i].cut;
		check_file(&file, table[i].samples, table[i].error);
		free(file.bytes);
		free(header);
	}
}

static void test_sums_that_are_wrong(void **state)
{
	static const uint32_t words[] = {0, 2, 5, 6, END};

	(void)state;
	for (size_t back = 4; back <= 8; back += 4) {
		struct made file = make_file(HEADER "samples\n", words);

		file.bytes[file.n - back]++;
		check_file(&file, "5/317440 /usr/bin/x11+0\n6/380928 /usr/bin/x11+4\n",
			   "the profile's end speaks of");
		free(file.bytes);
	}
}

/* What the header is with one line in the place of another. */
static char *replace_line(const char *from, const char *to)
{
	const char *at = strstr(HEADER, from), *end = strchr(at, '\n') + 1;

	return pp_format("%.*s%s%ssamples\n", (int)(at - HEADER), HEADER, to, end);
}

static void test_headers(void **state)
{
	static const struct {
		const char *from, *to;
		const char *error; /* "" if it is right */
	} table[] = {
		{"version", "version\tpdb-0.06\n", ""},
		{"version", "version pdb-0.99  \n", ""},
		{"version", "version pdb-1.01\n",
		 "version 1.01, whose samples are stored in a way"},
		{"version", "version pdb-x\n", "version: \"pdb-x\" makes no sense"},
		{"version", "version 0.07\n", "makes no sense"},
		{"version", "", "no line \"version\""},
		{"event", "", "no line \"event\""},
		{"period", "", "no line \"period\""},
		{"tstart", "", "no line \"tstart\""},
		{"tsize", "", "no line \"tsize\""},
		{"image", "", ""},
		{"epoch", "", ""},
		{"platform", "", ""},
		{"cpuspeed", "", ""},
		{"period", "period 63488\nperiod 63488\n", ""},
		{"period", "period 63488\nperiod 63489\n", "period is there twice"},
		{"event", "event cycles\nevent imiss\n", "event is there twice"},
		{"path", "path /usr/bin/x11\npath /elsewhere\n", ""},
		{"tstart", "tstart 0x12006c000\n", ""},
		{"tstart", "tstart 12006g\n", "tstart: \"12006g\" makes no sense"},
		{"tsize", "tsize 4096 bytes\n", "makes no sense"},
		{"tsize", "tsize 99999999999999999999\n", "makes no sense"},
		{"image", "image xyz!\n", "makes no sense"},
		{"epoch", "epoch 199706251430\n", ""},
		{"epoch", "epoch 19970625143022\n", ""},
		{"epoch", "epoch 9713251430\n", "makes no sense"},
		{"epoch", "epoch 97062514\n", "makes no sense"},
		{"color", "alone\n", "no \"WORD VALUE\" in line 4"},
		{"color", "\n", "no \"WORD VALUE\" in line 4"},
		{"color", " indented line\n", "no \"WORD VALUE\" in line 4"},
		{"color", "color red\r\n", "no \"WORD VALUE\" in line 4"},
		{"color", "samples of paint\n", ""},
		{"color", "stride 0\n", "makes no sense"},
	};
	static const uint32_t words[] = {0, 1, 5, END};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		char *header = replace_line(table[i].from, table[i].to);
		struct made file = make_file(header, words);

		check_file(&file, *table[i].error ? "" : "5/317440 /usr/bin/x11+0\n",
			   table[i].error);
		free(file.bytes);
		free(header);
	}
}

static void test_a_header_without_end(void **state)
{
	struct made file = {0};

	(void)state;
	made_text(&file, HEADER);
	check_file(&file, "", "has no end");
	made_text(&file, "samples");
	check_file(&file, "", "ends without its sums");
	file.n = strlen(HEADER);
	for (int i = 0; i < 20000; i++)
		made_text(&file,
			  "more of the same, which is not the last line of any header so far\n");
	check_file(&file, "", "longer than 1048576 bytes");
	free(file.bytes);
}

static void test_times(void **state)
{
	static const struct {
		const char *text;
		uint64_t seconds;
	} table[] = {
		{"7001010000", 0},	     {"9706251430", 867249000},
		{"199706251430", 867249000}, {"19970625143022", 867249022},
		{"0001010000", 946684800},   {"6912312359", 3155759940},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		uint64_t seconds = 1;

		assert_true(dcpi_epoch_parse(table[i].text, &seconds));
		assert_int_equal(seconds, table[i].seconds);
	}
}

static void test_what_the_header_says_is_told(void **state)
{
	static const uint32_t words[] = {0, 1, 5, END};
	struct made file = make_file(HEADER "cpucount 4\nsamples\n", words);
	struct op_error error;
	struct prof *prof = read_bytes(&format_dcpi, file.bytes, file.n, &error);

	(void)state;
	assert_string_equal(prof->events[0].name, "cycles");
	assert_int_equal(prof->events[0].period, 63488);
	assert_string_equal(prof->host.cpu_description, "AlphaStation 500");
	assert_int_equal(prof->host.cpus_online, 4);
	assert_true(prof->host.cpu_mhz == 333);
	assert_int_equal(prof->host.start_time, UINT64_C(867249000) * 1000000000);
	assert_int_equal(prof->images[2].start, 0x12006c000);
	assert_int_equal(prof->images[2].end, 0x12006d000);
	prof_free(prof);
	free(file.bytes);
}

/* ---- writing ---- */

struct folder {
	char *path;
};

static int make_folder(void **state)
{
	struct folder *folder = pp_alloc(1, sizeof(*folder));

	folder->path = pp_copy("/tmp/oprofile-test-XXXXXX");
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
	char *path = pp_format("%s/%s", folder->path, name);
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

/* Lines that nobody knows, blanks at their ends, and the place of each. */
static void test_a_profile_is_written_as_it_was(void **state)
{
	static const uint32_t words[] = {0xbb8, 3, 29, 0, 5, 0xd00, 1, 7, END};
	static const char *const terminators[] = {"samples\n", "samples \n", "samples  \n",
						  "samples   \n"};
	size_t length = strlen(HEADER "samples\n"), n;
	struct made file = make_file(HEADER, (const uint32_t[]){END});
	struct op_error error;
	struct prof *prof;
	char *bytes;

	file.n = strlen(HEADER);
	made_text(&file, terminators[(4 - length % 4) % 4]);
	assert_int_equal(file.n % 4, 0);
	put_chunks(&file, words);
	prof = read_bytes(&format_dcpi, file.bytes, file.n, &error);
	write_to(*state, prof);
	bytes = read_file(*state, "x11.cycles", &n);
	assert_int_equal(n, file.n);
	assert_memory_equal(bytes, file.bytes, n);
	free(bytes);
	free(file.bytes);
	prof_free(prof);
}

/* The chunks said how far counts are apart; written as one chunk, they would say something else. */
static void test_the_distance_of_counts_is_written_down(void **state)
{
	static const uint32_t words[] = {0x10, 1, 5, 0x11, 1, 6, END};
	static const char samples[] = "5/317440 /usr/bin/x11+10\n6/380928 /usr/bin/x11+11\n";
	struct made file = make_file(HEADER "samples\n", words), written = {0};
	struct op_error error;
	struct prof *prof = read_bytes(&format_dcpi, file.bytes, file.n, &error);
	char *bytes;
	size_t n;

	write_to(*state, prof);
	bytes = read_file(*state, "x11.cycles", &n);
	assert_non_null(strstr(bytes, "path /usr/bin/x11\nstride 1\nsamples"));
	made_bytes(&written, bytes, n);
	check_file(&file, samples, "");
	check_file(&written, samples, "");
	free(bytes);
	free(written.bytes);
	free(file.bytes);
	prof_free(prof);
}

/* A gap of one count takes less room than another chunk, a gap of two takes as much. */
static void test_small_gaps_are_filled(void **state)
{
	static const uint32_t words[] = {0x10, 1, 5, 0x12, 1, 6, 0x15, 1, 7, END};
	static const unsigned char chunks[] = "\x10\0\0\0\3\0\0\0\5\0\0\0\0\0\0\0\6\0\0\0"
					      "\x15\0\0\0\1\0\0\0\7\0\0\0"
					      "\3\0\0\0\x12\0\0\0";
	struct made file = make_file(HEADER "stride 1\nsamples\n", words);
	struct op_error error;
	struct prof *prof = read_bytes(&format_dcpi, file.bytes, file.n, &error);
	char *bytes;
	size_t n;

	write_to(*state, prof);
	bytes = read_file(*state, "x11.cycles", &n);
	assert_true(n > sizeof(chunks) - 1);
	assert_memory_equal(bytes + n - (sizeof(chunks) - 1), chunks, sizeof(chunks) - 1);
	free(bytes);
	free(file.bytes);
	prof_free(prof);
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

static void test_one_file_for_each_image_and_event(void **state)
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

static void test_too_many_samples_are_refused(void **state)
{
	struct prof *prof = make_profile(UINT64_C(1) << 32);
	struct op_error error = {0};
	const struct folder *folder = *state;

	assert_int_equal(write_path(&format_dcpi, prof, folder->path, &error), -1);
	assert_non_null(strstr(error.text, "2^32-1"));
	prof_free(prof);
}

static void test_a_folder_of_other_files(void **state)
{
	const struct folder *folder = *state;
	char *path = pp_format("%s/notes", folder->path);
	struct op_error error;

	op_file_replace(path, "version of the notes\n", 21, 0600, NULL);
	assert_int_equal(format_dcpi.probe_directory(folder->path), 0);
	prof_free(read_path(&format_dcpi, folder->path, &error));
	assert_non_null(strstr(error.text, "no DCPI profile"));
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_chunks),
		cmocka_unit_test(test_damaged_chunks),
		cmocka_unit_test(test_sums_that_are_wrong),
		cmocka_unit_test(test_headers),
		cmocka_unit_test(test_a_header_without_end),
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_what_the_header_says_is_told),
		cmocka_unit_test_setup_teardown(test_a_profile_is_written_as_it_was, make_folder,
						remove_folder),
		cmocka_unit_test_setup_teardown(test_the_distance_of_counts_is_written_down,
						make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_small_gaps_are_filled, make_folder,
						remove_folder),
		cmocka_unit_test_setup_teardown(test_one_file_for_each_image_and_event, make_folder,
						remove_folder),
		cmocka_unit_test_setup_teardown(test_too_many_samples_are_refused, make_folder,
						remove_folder),
		cmocka_unit_test_setup_teardown(test_a_folder_of_other_files, make_folder,
						remove_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
