// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pprof's profile.proto: fields in any order and encoding, values as events, labels, damage that
 * is told, and what is written is read again as it was.
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
#include <unistd.h>
#include <zlib.h>

#include "describe.h"
#include "libop/base/file.h"
#include "pp/formats/pprof/tables.h"
#include "libop/base/memory.h"

/* Profiles are made as lists of messages here: "FIELD: FIELD=NUMBER FIELD='TEXT' FIELD=(...)". */
struct text {
	const char *at;
};

static bool accept(struct text *text, char c)
{
	while (*text->at == ' ' || *text->at == '\n')
		text->at++;
	if (*text->at != c)
		return false;
	text->at++;
	return true;
}

/* FIELD=NUMBER, FIELD='TEXT', FIELD=(FIELD...), FIELD=[NUMBER...] (packed), up to @end. */
static void put_fields(struct wire_buffer *to, struct text *text, char end)
{
	while (!accept(text, end)) {
		struct wire_buffer inner = {0};
		char *after;
		unsigned int field = (unsigned int)strtoul(text->at, &after, 10);

		assert_true(after > text->at);
		text->at = after;
		assert_true(accept(text, '='));
		if (accept(text, '(')) {
			put_fields(&inner, text, ')');
			wire_put_message(to, field, &inner);
		} else if (accept(text, '\'')) {
			after = strchr(text->at, '\'');
			wire_put_bytes(to, field, text->at, (size_t)(after - text->at));
			text->at = after + 1;
		} else if (accept(text, '[')) {
			while (!accept(text, ']')) {
				wire_add_number(&inner, strtoull(text->at, &after, 0));
				text->at = after;
			}
			wire_put_message(to, field, &inner);
		} else {
			uint64_t number = strtoull(text->at, &after, 0);

			text->at = after;
			if (number) {
				wire_put_number(to, field, number);
			} else { /* which wire_put_number() leaves out */
				wire_add_number(to, field << 3);
				wire_add_number(to, 0);
			}
		}
		wire_free(&inner);
	}
}

static struct wire_buffer make_file(const char *description)
{
	struct wire_buffer file = {0};
	struct text text = {description};

	put_fields(&file, &text, '\0');
	return file;
}

/* Strings: 1 samples, 2 count, 3 cpu, 4 nanoseconds, 5 /bin/prog, 6 abcd0123, 7 leaf, 8 outer,
 * 9 a.c, 10 thread, 11 pid, 12 worker, 13 [kernel.kallsyms], 14 color */
#define STRINGS                                                                                    \
	"6='' 6='samples' 6='count' 6='cpu' 6='nanoseconds' 6='/bin/prog' 6='abcd0123' 6='leaf' "  \
	"6='outer' 6='a.c' 6='thread' 6='pid' 6='worker' 6='[kernel.kallsyms]' 6='color' "
#define TYPES "1=(1=1 2=2) 1=(1=3 2=4) 11=(1=3 2=4) 12=1000000 "
#define TABLES                                                                                     \
	"3=(1=1 2=0x400000 3=0x500000 4=0x1000 5=5 6=6) "                                          \
	"3=(1=2 2=0xffffffff81000000 3=0xffffffff82000000 5=13) "                                  \
	"4=(1=1 2=1 3=0x400100 4=(1=1 2=12) 4=(1=2 2=20)) "                                        \
	"4=(1=2 2=1 3=0x400200 4=(1=2 2=30)) "                                                     \
	"4=(1=9 2=2 3=0xffffffff81000040) "                                                        \
	"5=(1=1 2=7 3=7 4=9 5=10) 5=(1=2 2=8 4=9) "

static void check(const char *description, const char *wanted)
{
	struct wire_buffer file = make_file(description);
	struct op_error error;
	struct prof *prof = read_bytes(&format_pprof, file.bytes, file.n, &error);
	char *samples = describe_samples(prof);

	assert_string_equal(error.text, "");
	assert_string_equal(samples, wanted);
	free(samples);
	prof_free(prof);
	wire_free(&file);
}

#define LEAF  "/bin/prog+1100[leaf a.c:12][outer a.c:20]"
#define OUTER "/bin/prog+1200[outer a.c:30]"

static void test_fields_come_in_any_order_and_encoding(void **state)
{
	static const char wanted[] = "3/3000000 " LEAF " " OUTER "\n"
				     "2/2000000 [kernel.kallsyms]+40 " LEAF " " OUTER "\n";

	(void)state;
	check(STRINGS TYPES TABLES "2=(1=[1 2] 2=[3 3000000]) 2=(1=[9 1 2] 2=[2 2000000])", wanted);
	check("2=(1=[9 1 2] 2=[2 2000000]) 2=(2=[3 3000000] 1=[1 2]) " TABLES TYPES STRINGS,
	      wanted);
	check(STRINGS TYPES TABLES "2=(1=1 1=2 2=3 2=3000000) 2=(1=9 1=1 1=2 2=2 2=2000000)",
	      wanted);
	check(STRINGS TYPES TABLES "2=(1=1 1=[2] 2=[3] 2=3000000) 2=(1=[9 1] 1=2 2=2 2=2000000)",
	      wanted);
	/* fields of the future, and one stack twice */
	check("99='what?' 77=5 " STRINGS TYPES TABLES
	      "2=(1=[1 2] 2=[1 1000000] 12=(3=4)) 2=(1=[9 1 2] 2=[2 2000000]) "
	      "2=(1=[1 2] 2=[2 2000000])",
	      wanted);
}

static void test_labels(void **state)
{
	static const char description[] = STRINGS TYPES TABLES
		"2=(1=2 2=[3 3000000] 3=(1=10 2=12) 3=(1=11 3=77) 3=(1=14 2=7)) "
		"2=(1=2 2=[1 1000000] 3=(1=14 2=7))";
	struct wire_buffer file = make_file(description);
	struct op_error error;
	struct prof *prof = read_bytes(&format_pprof, file.bytes, file.n, &error);
	char *samples = describe_samples(prof);

	(void)state;
	assert_string_equal(samples, "1/1000000 " OUTER "\n"
				     "3/3000000 " OUTER " comm=worker pid=77\n");
	assert_int_equal(prof->n_notes, 1);
	assert_non_null(strstr(prof->notes[0], "labels \"color\""));
	free(samples);
	prof_free(prof);
	wire_free(&file);
}

static void test_places_without_an_image_or_address(void **state)
{
	(void)state;
	check(STRINGS TYPES TABLES
	      "4=(1=3 3=0x1234) 4=(1=4 2=1 4=(1=1)) 4=(1=5 4=(1=2 2=7)) 4=(1=6 2=1 3=0x300000) "
	      "2=(1=[3 4 5 6] 2=[1 1000000])",
	      "1/1000000 [unknown]+1234 /bin/prog+4[leaf a.c] [no address]+5[outer a.c:7] "
	      "[unknown]+300000\n");
	/* a mapping of everything, as Go's runtime has it */
	check(STRINGS TYPES "3=(1=1 3=0xffffffffffffffff) 4=(1=1 2=1 3=0x400100) "
			    "2=(1=1 2=[1 1000000]) 2=(2=[4 4000000])",
	      "4/4000000\n1/1000000 [unknown]+400100\n");
}

static void test_values_as_events(void **state)
{
	static const struct {
		const char *what;
		const char *description;
		const char *head;
	} table[] = {
		{"samples and what they stand for",
		 "6='' 6='samples' 6='count' 6='cpu' 6='nanoseconds' " TYPES "2=(2=[3 5000000])",
		 "event cpu nanoseconds 1000000: 3/5000000\n"},
		{"no column of samples",
		 "6='' 6='cpu' 6='nanoseconds' 1=(1=1 2=2) 11=(1=1 2=2) 12=1000000 2=(2=3500000)",
		 "event cpu nanoseconds 1000000: 4/3500000\nfact pprof.samples=cpu\n"},
		{"a heap",
		 "6='' 6='alloc_objects' 6='count' 6='alloc_space' 6='bytes' 6='inuse_objects' "
		 "6='inuse_space' 6='space' 1=(1=1 2=2) 1=(1=3 2=4) 1=(1=5 2=2) 1=(1=6 2=4) "
		 "11=(1=7 2=4) 12=524288 2=(2=[4 4096 2 2048])",
		 "event alloc_space bytes 0: 4/4096\nevent inuse_space bytes 0: 2/2048\n"
		 "fact pprof.samples=alloc_space alloc_objects\n"
		 "fact pprof.samples=inuse_space inuse_objects\n"
		 "fact pprof.period=524288 space bytes\n"},
		{"two counters",
		 "6='' 6='A_sample' 6='count' 6='A_event' 6='B_sample' 6='B_event' 1=(1=1 2=2) "
		 "1=(1=3 2=2) 1=(1=4 2=2) 1=(1=5 2=2) 2=(2=[1 1000 0 0]) 2=(2=[0 0 7 70])",
		 "event A count 0: 1/1000\nevent B count 0: 7/70\n"},
		{"one counter",
		 "6='' 6='samples' 6='count' 6='cycles' 1=(1=1 2=2) 1=(1=3 2=2) 11=(1=3 2=2) "
		 "12=100000 2=(2=[2 200000])",
		 "event cycles count 100000: 2/200000\n"},
		{"counts that are no pair",
		 "6='' 6='red' 6='count' 6='green' 6='blue' 1=(1=1 2=2) 1=(1=3 2=2) 1=(1=4 2=2) "
		 "2=(2=[1 2 3])",
		 "event red count 0: 1/1\nevent green count 0: 2/2\nevent blue count 0: 3/3\n"
		 "fact pprof.samples=red\nfact pprof.samples=green\nfact pprof.samples=blue\n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct wire_buffer file = make_file(table[i].description);
		struct op_error error;
		struct prof *prof = read_bytes(&format_pprof, file.bytes, file.n, &error);
		char *head = describe_head(prof);

		assert_string_equal(error.text, "");
		assert_string_equal(head, table[i].head);
		free(head);
		prof_free(prof);
		wire_free(&file);
	}
}

static void test_damage(void **state)
{
	static const struct {
		const char *description;
		const char *error;
	} table[] = {
		{STRINGS TYPES TABLES "2=(1=[1 7] 2=[1 1])", "a location that is not there (7)"},
		{STRINGS TYPES TABLES "2=(1=1 2=1)",
		 "fewer values than there are sample types (1)"},
		{STRINGS TYPES TABLES "2=(1=1 2=[1 2 3])",
		 "more values than there are sample types"},
		{STRINGS TYPES TABLES "2=(1=1 2=[0xffffffffffffffff 1])",
		 "a difference of profiles"},
		{STRINGS TABLES "2=(1=1)", "samples and no sample types"},
		{STRINGS TYPES TABLES "4=(1=1 3=4)", "two locations have the id 1"},
		{STRINGS TYPES TABLES "4=(3=4)", "a location has the id 0"},
		{STRINGS TYPES TABLES "3=(1=2)", "two mappings have the id 2"},
		{STRINGS TYPES TABLES "5=(1=2)", "two functions have the id 2"},
		{STRINGS TYPES TABLES "4=(1=3 2=8)", "location 3 has the mapping 8"},
		{STRINGS TYPES TABLES "4=(1=3 4=(1=8))", "location 3 has the function 8"},
		{STRINGS TYPES TABLES "5=(1=3 2=99)", "function 3 has the string 99"},
		{STRINGS TYPES TABLES "3=(1=3 5=99)", "mapping 3 has the string 99"},
		{STRINGS "1=(1=99)", "has the string 99"},
		{STRINGS TYPES "3='x'", "field 3 of the profile makes no sense"},
		{STRINGS TYPES "3=5", "field 3 of the profile makes no sense"},
		{STRINGS TYPES "9='x'", "field 9 of the profile makes no sense"},
		{STRINGS TYPES TABLES "2=(1=1 2=[1 1] 3='x')", "a broken field (3)"},
		{STRINGS TYPES TABLES "2='x'", "bytes that make no sense"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct wire_buffer file = make_file(table[i].description);
		struct op_error error;

		prof_free(read_bytes(&format_pprof, file.bytes, file.n, &error));
		if (!strstr(error.text, table[i].error) || strncmp(error.text, "made: ", 6) != 0)
			fail_msg("\"%s\" is not \"%s\"", error.text, table[i].error);
		wire_free(&file);
	}
}

static void test_every_cut_is_read_or_told(void **state)
{
	struct wire_buffer file = make_file(STRINGS TYPES TABLES "2=(1=[1 2] 2=[3 3000000])");
	size_t failures = 0;

	(void)state;
	for (size_t n = 0; n < file.n; n++) {
		struct op_error error;

		prof_free(read_bytes(&format_pprof, file.bytes, n, &error));
		failures += error.text[0] != '\0';
	}
	assert_true(failures > file.n / 2);
	wire_free(&file);
}

/* ---- files ---- */

static char *temporary(void)
{
	char *path = pp_copy("/tmp/oprofile-test-XXXXXX");
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	return path;
}

/* 100 kB of zip that unpack to a hundred megabytes of empty strings. */
static void test_a_file_made_to_be_unpacked(void **state)
{
	char *path = temporary(), *zeros = pp_alloc(1 << 20, 1);
	struct op_error error;
	gzFile file = gzopen(path, "w");

	(void)state;
	for (size_t i = 0; i < 1 << 20; i += 2)
		zeros[i] = 6 << 3 | 2;
	for (int i = 0; i < 100; i++)
		assert_int_equal(gzwrite(file, zeros, 1 << 20), 1 << 20);
	gzclose(file);
	prof_free(read_path(&format_pprof, path, &error));
	assert_non_null(strstr(error.text, "more than any profile needs"));
	unlink(path);
	free(path);
	free(zeros);
}

/* Reads, writes and reads again; the two must be the same. */
static void check_round_trip(struct prof *prof, bool with_images)
{
	char *path = temporary(), *again = temporary();
	char *samples, *head, *samples_again, *head_again;
	struct op_error error = {0};
	size_t n, n_again;
	char *bytes, *bytes_again;

	assert_int_equal(write_path(&format_pprof, prof, path, &error), 0);
	samples = describe_samples(prof);
	head = describe_head(prof);
	prof_free(prof);

	prof = read_path(&format_pprof, path, &error);
	assert_string_equal(error.text, "");
	samples_again = describe_samples(prof);
	head_again = describe_head(prof);
	assert_string_equal(samples_again, samples);
	if (with_images)
		assert_string_equal(head_again, head);
	/* and from then on each byte */
	assert_int_equal(write_path(&format_pprof, prof, again, &error), 0);
	bytes = op_file_read(path, 1 << 20, &n, &error);
	bytes_again = op_file_read(again, 1 << 20, &n_again, &error);
	assert_int_equal(n, n_again);
	assert_memory_equal(bytes, bytes_again, n);
	assert_memory_equal(bytes, "\x1f\x8b", 2);
	prof_free(prof);
	free(bytes);
	free(bytes_again);
	free(samples);
	free(head);
	free(samples_again);
	free(head_again);
	unlink(path);
	unlink(again);
	free(path);
	free(again);
}

static void test_what_is_written_is_read_again(void **state)
{
	struct prof *prof = prof_new(format_pprof.by, 0);
	struct prof_sink *sink = &prof->sink;
	const struct prof_event events[] = {
		{.name = "cpu-clock",
		 .unit = "nanoseconds",
		 .period = 250000,
		 .type = PROF_NO_TYPE},
		{.name = "misses", .unit = "count", .type = PROF_NO_TYPE}};
	const struct prof_image images[] = {{.kind = PROF_FILE,
					     .path = "/no/such/prog",
					     .pid = PROF_ANY,
					     .start = 0x555555000000,
					     .end = 0x555555010000,
					     .offset = 0x1000,
					     .build_id_length = 4,
					     .build_id = {0xab, 0xcd, 0xef, 1}},
					    {.kind = PROF_FILE,
					     .path = "/other/prog",
					     .pid = PROF_ANY,
					     .start = 0x1000,
					     .end = 0x3000},
					    {.kind = PROF_KERNEL,
					     .is_kernel = true,
					     .path = "[kernel.kallsyms]",
					     .pid = PROF_ANY,
					     .start = 0xffffffff81000000,
					     .end = 0xffffffff82000000},
					    {.kind = PROF_MODULE,
					     .is_kernel = true,
					     .path = "[ext4]",
					     .pid = PROF_ANY,
					     .start = 0xffffffffc0000000,
					     .end = 0xffffffffc0010000},
					    {.kind = PROF_VDSO,
					     .path = "[vdso]",
					     .pid = PROF_ANY,
					     .start = 0x7fff00000000,
					     .end = 0x7fff00002000},
					    {.kind = PROF_ANON,
					     .path = "[heap]",
					     .pid = PROF_ANY,
					     .start = 0x800000,
					     .end = 0x900000}};
	const struct prof_line lines[] = {{"inlined", "_Z7inlinedv", "a.cc", 3, 1},
					  {"main", "main", "a.cc", 20, 10}};
	struct prof_value values[2] = {{sink->event(sink, &events[0]), 3, 750000},
				       {sink->event(sink, &events[1]), 2, 2001}};
	struct prof_frame frames[6];
	uint32_t numbers[6];

	(void)state;
	for (size_t i = 0; i < 6; i++) {
		numbers[i] = sink->image(sink, &images[i]);
		frames[5 - i] = (struct prof_frame){numbers[i], images[i].offset + 0x21};
	}
	for (size_t i = 0; i < 6; i++) {
		struct prof_sample sample = {.frames = frames + i,
					     .depth = 6 - i,
					     .values = values,
					     .n_values = 1 + i % 2,
					     .app = i % 3 ? numbers[i] : PROF_NO_IMAGE,
					     .comm = i % 3 ? sink->string(sink, "a thread") : 0,
					     .pid = i < 3 ? 7 : PROF_ANY,
					     .tid = i == 1 ? 8 : PROF_ANY,
					     .cpu = i == 2 ? 0 : PROF_ANY};

		assert_int_equal(sink->sample(sink, &sample, NULL), 0);
	}
	sink->lines(sink, &(struct prof_frame){numbers[0], images[0].offset + 0x20}, lines, 2);
	sink->fact(sink, "pprof.default-sample-type", "misses_event");
	sink->fact(sink, "pprof.comment", "made by hand");
	sink->fact(sink, "pprof.comment", "and a half");
	prof_finish(prof);
	check_round_trip(prof, true);
}

static void test_real_profiles(void **state)
{
	static const struct {
		const char *name;
		const char *head; /* as go tool pprof -raw has it */
		size_t n;
	} table[] = {
		{"pprof__internal+driver+testdata+cppbench.cpu_no_samples_type",
		 "event cpu nanoseconds 10000000: 712/7120000000\n", 50},
		{"pprof__internal+driver+testdata+go.nomappings.crash",
		 "event alloc_space bytes 0: 2/1765955\nevent inuse_space bytes 0: 2/1765955\n", 2},
		{"pprof__internal+report+testdata+sample.cpu",
		 "event cpu nanoseconds 10000000: 176/1760000000\n", 76},
	};
	const char *folder = corpora();

	(void)state;
	if (!folder)
		skip();
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		char *path = pp_format("%s/pprof/%s", folder, table[i].name);
		struct op_error error;
		struct prof *prof = read_path(&format_pprof, path, &error);
		char *head = describe_head(prof);

		assert_string_equal(error.text, "");
		assert_memory_equal(head, table[i].head, strlen(table[i].head));
		assert_int_equal(prof_count(prof), table[i].n);
		free(head);
		check_round_trip(prof, true);
		free(path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields_come_in_any_order_and_encoding),
		cmocka_unit_test(test_labels),
		cmocka_unit_test(test_places_without_an_image_or_address),
		cmocka_unit_test(test_values_as_events),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_every_cut_is_read_or_told),
		cmocka_unit_test(test_a_file_made_to_be_unpacked),
		cmocka_unit_test(test_what_is_written_is_read_again),
		cmocka_unit_test(test_real_profiles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
