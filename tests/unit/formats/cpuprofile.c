// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * CPU profiles of gperftools: all that google-pprof or go tool pprof read is read, damage is told,
 * what is written is read again, and real profiles give what pprof makes of them.
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

#include "describe.h"
#include "pp/formats/cpuprofile_maps.h"
#include "pp/formats/cpuprofile_records.h"
#include "pp/memory.h"

#define MAPS                                                                                       \
	"00400000-00401000 r-xp 00001000 08:01 17                 /bin/prog\n"                     \
	"00401000-00402000 rw-p 00002000 08:01 17                 /bin/prog\n"                     \
	"70000000-70002000 r-xp 00000000 08:01 18                 /lib/libc.so.6\n"

struct layout {
	unsigned int slot;
	int big_endian;
};

static const struct layout layouts[] = {{4, 0}, {4, 1}, {8, 0}, {8, 1}};
#define LAYOUTS (sizeof(layouts) / sizeof(layouts[0]))

static void put(struct made *file, const struct layout *layout, const uint64_t *slots, size_t n)
{
	for (size_t i = 0; i < n; i++)
		made_number(file, slots[i], layout->slot, layout->big_endian);
}

#define PUT(file, layout, ...)                                                                     \
	put(file, layout, (const uint64_t[]){__VA_ARGS__},                                         \
	    sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

static void put_header(struct made *file, const struct layout *layout)
{
	PUT(file, layout, 0, 3, 0, 10000, 0);
}

static void put_trailer(struct made *file, const struct layout *layout)
{
	PUT(file, layout, 0, 1, 0);
}

/* Three stacks with nothing in common. */
static void put_records(struct made *file, const struct layout *layout)
{
	PUT(file, layout, 2, 2, 0x400010, 0x400021);
	PUT(file, layout, 3, 3, 0x70000100, 0x400031, 0x400041);
	PUT(file, layout, 1, 1, 0x400010);
}

#define RECORDS                                                                                    \
	"2/20000000 /bin/prog+1010 /bin/prog+1020\n"                                               \
	"3/30000000 /lib/libc.so.6+100 /bin/prog+1030 /bin/prog+1040\n"                            \
	"1/10000000 /bin/prog+1010\n"

/* Order of lines is prof_next()'s: it is not what is tested here. */
static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static char *sorted(const char *text)
{
	char *copy = pp_copy(text), *lines[1024], *save = NULL;
	struct description to = {0};
	size_t n = 0;

	for (char *line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		assert_true(n < 1024);
		lines[n++] = line;
	}
	qsort(lines, n, sizeof(*lines), compare_lines);
	description_add(&to, "%s", "");
	for (size_t i = 0; i < n; i++)
		description_add(&to, "%s\n", lines[i]);
	free(copy);
	return to.text;
}

static void assert_same_lines(const char *text, const char *wanted)
{
	char *a = sorted(text), *b = sorted(wanted);

	assert_string_equal(a, b);
	free(a);
	free(b);
}

static void check_samples(struct prof *prof, const char *wanted)
{
	char *samples = describe_samples(prof);

	assert_same_lines(samples, wanted);
	free(samples);
	prof_free(prof);
}

/* Reads the file, without an error, and frees both. */
static void check_file(struct made *file, const char *wanted)
{
	struct op_error error;
	struct prof *prof;

	assert_true(format_cpuprofile.probe(file->bytes, file->n < 4096 ? file->n : 4096) > 0);
	prof = read_bytes(&format_cpuprofile, file->bytes, file->n, &error);
	assert_string_equal(error.text, "");
	check_samples(prof, wanted);
	free(file->bytes);
}

static void test_slots_of_either_size_and_order(void **state)
{
	(void)state;
	for (size_t i = 0; i < LAYOUTS; i++) {
		struct made file = {0};

		put_header(&file, &layouts[i]);
		put_records(&file, &layouts[i]);
		put_trailer(&file, &layouts[i]);
		made_text(&file, MAPS);
		check_file(&file, RECORDS);
	}
}

static void test_headers_of_more_words(void **state)
{
	(void)state;
	for (size_t i = 0; i < LAYOUTS; i++)
		for (uint64_t more = 1; more <= 40; more += 13) {
			struct made file = {0};

			PUT(&file, &layouts[i], 0, 3 + more, 0, 10000, 77);
			for (uint64_t j = 0; j < more; j++)
				PUT(&file, &layouts[i], 0x5a5a5a5a);
			put_records(&file, &layouts[i]);
			put_trailer(&file, &layouts[i]);
			made_text(&file, MAPS);
			check_file(&file, RECORDS);
		}
}

static void test_a_trailer_may_be_missing(void **state)
{
	(void)state;
	for (size_t i = 0; i < LAYOUTS; i++)
		for (int maps = 0; maps < 2; maps++) {
			struct made file = {0};

			put_header(&file, &layouts[i]);
			put_records(&file, &layouts[i]);
			if (maps)
				made_text(&file, MAPS);
			check_file(&file, maps ? RECORDS
					       : "2/20000000 [unknown]+400010 [unknown]+400020\n"
						 "3/30000000 [unknown]+70000100 [unknown]+400030 "
						 "[unknown]+400040\n"
						 "1/10000000 [unknown]+400010\n");
		}
}

static void test_strange_records(void **state)
{
	static const struct {
		const char *what;
		uint64_t slots[8];
		size_t n;
		const char *sample;
	} table[] = {
		{"leaf 0 with a count",
		 {3, 2, 0, 0x400021},
		 4,
		 "3/30000000 [unknown]+0 /bin/prog+1020\n"},
		{"0 in the middle",
		 {3, 3, 0x400010, 0, 0x400021},
		 5,
		 "3/30000000 /bin/prog+1010 [unknown]+0 /bin/prog+1020\n"},
		{"nothing counted", {0, 2, 0x400010, 0x400021}, 4, ""},
		{"nothing counted at 0, but a caller", {0, 2, 0, 0x400021}, 4, ""},
		{"no frames", {4, 0}, 2, "4/40000000\n"},
		{"behind the end of an image",
		 {1, 1, 0x401000},
		 3,
		 "1/10000000 [unknown]+401000\n"},
		{"before what is mapped of it", {1, 1, 0x3ff010}, 3, "1/10000000 /bin/prog+10\n"},
		{"a call at the very end of an image",
		 {1, 2, 0x400010, 0x401000},
		 4,
		 "1/10000000 /bin/prog+1010 /bin/prog+1fff\n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		const struct layout *layout = &layouts[i % LAYOUTS];
		struct made file = {0};
		char *wanted = pp_format("%s%s", RECORDS, table[i].sample);

		put_header(&file, layout);
		put_records(&file, layout);
		put(&file, layout, table[i].slots, table[i].n);
		put_trailer(&file, layout);
		made_text(&file, MAPS);
		check_file(&file, wanted);
		free(wanted);
	}
}

static void test_frames_of_the_signal_handler(void **state)
{
	static const struct {
		const char *what;
		size_t with, without; /* stacks with one next to the leaf, and without */
		bool is_handler;
	} table[] = {
		{"all", 40, 0, true},
		{"one of 32 without", 31, 1, true},
		{"one of 31 without", 30, 1, false},
		{"two of 64 without", 62, 2, true},
		{"three of 64 without", 61, 3, false},
		{"half of them", 10, 10, false},
	};
	static const struct layout layout = {8, 0};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct description wanted = {0};
		struct made file = {0};

		put_header(&file, &layout);
		for (size_t j = 0; j < table[i].with; j++) {
			PUT(&file, &layout, 1, 3, 0x400100 + j, 0x400500, 0x400601 + j);
			description_add(&wanted, "1/10000000 /bin/prog+%zx%s /bin/prog+%zx\n",
					0x1100 + j, table[i].is_handler ? "" : " /bin/prog+14ff",
					0x1600 + j);
		}
		for (size_t j = 0; j < table[i].without; j++) {
			PUT(&file, &layout, 1, 2, 0x400200 + j, 0x400701 + j);
			description_add(&wanted, "1/10000000 /bin/prog+%zx /bin/prog+%zx\n",
					0x1200 + j, 0x1700 + j);
		}
		put_trailer(&file, &layout);
		made_text(&file, MAPS);
		check_file(&file, wanted.text);
		free(wanted.text);
	}
}

/* The third such frame is a real caller's: pprof leaves out two. */
static void test_two_frames_of_the_handler_and_a_leaf_that_is_there_twice(void **state)
{
	static const struct layout layout = {4, 0};
	struct made file = {0};

	(void)state;
	put_header(&file, &layout);
	PUT(&file, &layout, 1, 5, 0x400100, 0x400500, 0x400600, 0x400701, 0x400801);
	PUT(&file, &layout, 1, 6, 0x400200, 0x400500, 0x400600, 0x400200, 0x400701, 0x400801);
	put_trailer(&file, &layout);
	made_text(&file, MAPS);
	check_file(&file, "1/10000000 /bin/prog+1100 /bin/prog+1700 /bin/prog+1800\n"
			  "1/10000000 /bin/prog+1200 /bin/prog+1700 /bin/prog+1800\n");
}

static void test_text_before_the_header(void **state)
{
	static const struct layout layout = {8, 0};
	struct made file = {0};

	(void)state;
	made_text(&file, "%warn the clock stood still\n--- symbol\nbinary=/bin/prog\n"
			 "0x0000000000400010 leaf<0000000000400000>\n0x400020 inlined--outer\n"
			 "0x400030 std::vector<int>\n---\n--- profile\n");
	put_header(&file, &layout);
	/* all of these are to be looked up as they are */
	PUT(&file, &layout, 2, 2, 0x400010, 0x400020);
	PUT(&file, &layout, 3, 2, 0x400030, 0x400020);
	check_file(&file, "2/20000000 [unknown]+400010[leaf] [unknown]+400020[inlined][outer]\n"
			  "3/30000000 [unknown]+400030[std::vector<int>] "
			  "[unknown]+400020[inlined][outer]\n");
}

static void test_java(void **state)
{
	static const struct layout layout = {4, 1};
	struct made file = {0};

	(void)state;
	PUT(&file, &layout, 0, 3, 1, 10000, 0);
	PUT(&file, &layout, 2, 1, 3);
	PUT(&file, &layout, 1, 3, 4, 5, 6);
	PUT(&file, &layout, 1, 2, 7, 5);
	put_trailer(&file, &layout);
	made_text(&file,
		  "\n 0x00000003 GC\n 0x0000004 a.B.c (B.java:12)\n 0x5 a.B.main (B.java:-1)\n"
		  " 0x6 f (/usr/lib/libjvm.so)\n 0x7 g(int)\n rest of it\n");
	check_file(&file, "2/20000000 [unknown]+3[GC]\n"
			  "1/10000000 [unknown]+4[a.B.c B.java:12] [unknown]+5[a.B.main B.java] "
			  "[unknown]+6[f libjvm.so]\n"
			  "1/10000000 [unknown]+7[g(int)] [unknown]+5[a.B.main B.java]\n");
}

static void test_lines_of_mappings(void **state)
{
	static const struct {
		const char *text;
		const char *maps;
	} table[] = {
		{"40000000-40015000 r-xp 00001000 03:01 12845071   /lib/ld-2.3.2.so\n",
		 "40000000-40015000 @1000 /lib/ld-2.3.2.so\n"},
		{"40000000-40015000 r-xp 00001000 fe:0a 0  /a b/c (deleted)\r\n",
		 "40000000-40015000 @1000 /a b/c\n"},
		{"40000000-40015000 r-xp 00000000 03:01 1\n", "40000000-40015000 @0 \n"},
		{"40000000-40015000 rw-p 00000000 03:01 1 /x\n", ""},
		{"40000000-40015000: /lib/ld.so\n", "40000000-40015000 @0 /lib/ld.so\n"},
		{"  40000000-40015000: /lib/ld.so\n", "40000000-40015000 @0 /lib/ld.so\n"},
		{"0x40000-0x80000 /path/binary (@FF00) abc12345\n",
		 "40000-80000 @ff00 /path/binary abc12345\n"},
		{"40000 80000 /path/binary\n", "40000-80000 @0 /path/binary\n"},
		{"40000-80000 r-xp /path/binary (@10)\n", "40000-80000 @10 /path/binary\n"},
		{"40000-80000 /path/binary 0123456789abcdef0123456789abcdef01234567\n",
		 "40000-80000 @0 /path/binary 0123456789abcdef0123456789abcdef01234567\n"},
		{"build=/where\n40000-80000: $build/prog\n", "40000-80000 @0 /where/prog\n"},
		{" build = /where\n40000-80000: $build/prog\n", "40000-80000 @0 $build/prog\n"},
		{"build=/a\n40000-80000: $builds\nbuild=/b\n80000-90000: $build.so/$build\n",
		 "40000-80000 @0 $builds\n80000-90000 @0 /b.so//b\n"},
		{"root=/r\nbuild=$root/b\n40000-80000: $build/$none/x\n",
		 "40000-80000 @0 /r/b/$none/x\n"},
		{"MAPPED_LIBRARIES:\n\nno map\n40000-30000: /end/before/start\n40000-\n-40000\n"
		 "12345678901234567-22345678901234567: /too/long\n",
		 ""},
		/* parts side by side */
		{"1000-2000 r-xp 00000000 00:01 1 /a\n2000-3000 r-xp 00001000 00:01 1 /a\n"
		 "3000-4000 r-xp 00003000 00:01 1 /a\n",
		 "1000-3000 @0 /a\n3000-4000 @3000 /a\n"},
		{"ffffffffff600000-ffffffffff601000 r-xp 00000000 00:00 0   [vsyscall]",
		 "ffffffffff600000-ffffffffff601000 @0 [vsyscall]\n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct description to = {0};
		struct cpuprofile_maps maps;

		cpuprofile_maps_read(&maps, table[i].text, strlen(table[i].text));
		description_add(&to, "%s", "");
		for (size_t j = 0; j < maps.n; j++) {
			const struct cpuprofile_map *map = &maps.items[j];

			description_add(&to, "%" PRIx64 "-%" PRIx64 " @%" PRIx64 " %s%s%s\n",
					map->start, map->end, map->offset, map->path,
					map->build_id ? " " : "",
					map->build_id ? map->build_id : "");
		}
		assert_string_equal(to.text, table[i].maps);
		cpuprofile_maps_free(&maps);
		free(to.text);
	}
}

/* A value that doubles the one before would need more memory than there is. */
static void test_variables_do_not_explode(void **state)
{
	struct description text = {0};
	struct cpuprofile_maps maps;

	(void)state;
	description_add(&text, "v0=/0123456789abcdef\n");
	for (int i = 1; i < 60; i++)
		description_add(&text, "v%d=$v%d$v%d\n", i, i - 1, i - 1);
	description_add(&text, "1000-2000: $v59\n3000-4000: $v2\n");
	cpuprofile_maps_read(&maps, text.text, text.n);
	assert_int_equal(maps.n, 2);
	assert_string_equal(maps.items[0].path, "$v59");
	assert_int_equal(strlen(maps.items[1].path), 4 * 17);
	cpuprofile_maps_free(&maps);
	free(text.text);
}

static void test_the_program_is_the_first_file_that_is_no_library(void **state)
{
	static const struct {
		const char *maps;
		const char *app;
	} table[] = {
		{MAPS, "/bin/prog"},
		{"7000-8000: /bin/prog\n1000-2000: /bin/plugin\n", "/bin/prog"},
		{"1000-2000: /lib/a.so.6\n3000-4000: [vdso]\n5000-6000: /bin/x.sort\n",
		 "/bin/x.sort"},
		{"1000-2000: /lib/a.so\n", "[unknown]"},
		{"", "[unknown]"},
	};
	static const struct layout layout = {8, 0};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct prof_cursor cursor = {0};
		struct prof_sample sample;
		struct made file = {0};
		struct op_error error;
		struct prof *prof;

		put_header(&file, &layout);
		PUT(&file, &layout, 1, 1, 0x1010);
		put_trailer(&file, &layout);
		made_text(&file, table[i].maps);
		prof = read_bytes(&format_cpuprofile, file.bytes, file.n, &error);
		assert_true(prof_next(prof, &cursor, &sample));
		assert_string_equal(prof->images[sample.app].path, table[i].app);
		prof_cursor_free(&cursor);
		prof_free(prof);
		free(file.bytes);
	}
}

static void test_damage(void **state)
{
	static const struct {
		const char *what;
		uint64_t slots[12];
		size_t n;
		const char *error;
		const char *samples;
	} table[] = {
		{"nothing", {0}, 0, "no header", ""},
		{"no header", {1, 3, 0, 10000, 0}, 5, "no header", ""},
		{"too few words", {0, 2, 0, 10000, 0}, 5, "no header", ""},
		{"a version of the future", {0, 3, 2, 10000, 0}, 5, "version 2", ""},
		{"more words than there are", {0, 9, 0, 10000, 0}, 5, "cut off", ""},
		{"a record is cut off",
		 {0, 3, 0, 1, 0, 2, 1, 0x10, 2, 2, 0x20},
		 11,
		 "byte 64 has more frames than the file",
		 "2/2000 [unknown]+10\n"},
		{"half a record",
		 {0, 3, 0, 1, 0, 2, 1, 0x10, 2},
		 9,
		 "byte 64 is cut off",
		 "2/2000 [unknown]+10\n"},
		{"a depth of all memory",
		 {0, 3, 0, 1, 0, 2, 1, 0x10, 2, UINT64_MAX, 1},
		 11,
		 "has more frames than the file",
		 "2/2000 [unknown]+10\n"},
		{"a count of no clock",
		 {0, 3, 0, 1, 0, 2, 1, 0x10, INT64_MAX, 1, 1},
		 11,
		 "has a count that makes no sense",
		 "2/2000 [unknown]+10\n"},
	};
	static const struct layout layout = {8, 0};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct made file = {0};
		struct op_error error;
		struct prof *prof;

		put(&file, &layout, table[i].slots, table[i].n);
		prof = read_bytes(&format_cpuprofile, file.bytes, file.n, &error);
		assert_memory_equal(error.text, "made: ", 6);
		if (!strstr(error.text, table[i].error))
			fail_msg("%s: \"%s\"", table[i].what, error.text);
		check_samples(prof, table[i].samples);
		free(file.bytes);
	}
}

static void test_every_cut_is_read_or_told(void **state)
{
	static const struct layout layout = {8, 0};
	struct made file = {0};
	size_t failures = 0;

	(void)state;
	put_header(&file, &layout);
	put_records(&file, &layout);
	put_trailer(&file, &layout);
	made_text(&file, MAPS);
	for (size_t n = 0; n < file.n; n++) {
		struct op_error error;

		prof_free(read_bytes(&format_cpuprofile, file.bytes, n, &error));
		failures += error.text[0] != '\0';
	}
	assert_true(failures > 100 && failures < file.n - strlen(MAPS));
	free(file.bytes);
}

/* ---- writing ---- */

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

/* ---- real profiles, and what pprof says of them ---- */

struct oracle {
	char *locations[512], *mappings[64];
};

static void read_location(struct oracle *oracle, const char *line)
{
	unsigned long id, mapping = 0;
	char address[32], rest[512] = "", *end;

	if (sscanf(line, " %lu: 0x%31[0-9a-f] %511[^\n]", &id, address, rest) < 2 || id >= 512)
		return;
	if (sscanf(rest, "M=%lu", &mapping) == 1 && mapping < 64) {
		oracle->locations[id] = pp_format(
			"%s 0x%s", oracle->mappings[mapping] ? oracle->mappings[mapping] : "",
			address);
		return;
	}
	end = strstr(rest, ":0 s=0"); /* of Java: "NAME FILE:LINE:0 s=0" */
	if (end)
		*end = '\0';
	end = strstr(rest, " :0"); /* and without a file */
	if (end)
		*end = '\0';
	end = rest + strlen(rest);
	if (end - rest > 2 && !strcmp(end - 2, ":0"))
		end[-2] = '\0';
	oracle->locations[id] = pp_copy(rest);
}

static void read_mapping(struct oracle *oracle, const char *line)
{
	unsigned long id;
	char path[512] = "";

	if (sscanf(line, "%lu: 0x%*x/0x%*x/0x%*x %511[^ \n]", &id, path) >= 1 && id < 64)
		oracle->mappings[id] = pp_copy(path);
}

/* Adds up lines "COUNT STACK" of one stack, in order. */
static char *add_up(char *text)
{
	char *order = sorted(text), *save = NULL, *last = NULL;
	struct description to = {0};
	unsigned long sum = 0;

	description_add(&to, "%s", "");
	for (char *line = strtok_r(order, "\n", &save);; line = strtok_r(NULL, "\n", &save)) {
		char *count = line ? strchr(line, '\t') : NULL;

		if (count)
			*count++ = '\0';
		if (last && (!line || strcmp(line, last) != 0)) {
			if (sum)
				description_add(&to, "%s %lu\n", last, sum);
			sum = 0;
		}
		if (!line)
			break;
		last = line;
		sum += strtoul(count, NULL, 10);
	}
	free(order);
	free(text);
	return to.text;
}

static char *oracle_samples(const char *path, uint64_t *period)
{
	struct oracle oracle = {0};
	struct description to = {0};
	char *text = NULL, *line, *save = NULL, *copy, *part;
	struct op_error error;
	struct input *input = input_open(path, &error);
	size_t n;

	text = (char *)input_rest(input, 1 << 20, &n, &error);
	input_close(input);
	for (int pass = 0; pass < 3; pass++) {
		copy = pp_copy(text);
		part = NULL;
		for (line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
			unsigned long count;
			int at = 0;

			sscanf(line, "Period: %" SCNu64, period);
			if (strchr("SLM", *line))
				part = line;
			else if (pass == 0 && part && *part == 'M')
				read_mapping(&oracle, line);
			else if (pass == 1 && part && *part == 'L')
				read_location(&oracle, line);
			if (pass < 2 || !part || *part != 'S' ||
			    sscanf(line, " %lu %*u: %n", &count, &at) != 1 || !at)
				continue;
			for (char *id = line + at, *end; (n = strtoul(id, &end, 10)); id = end)
				description_add(&to, "%s;", oracle.locations[n]);
			description_add(&to, "\t%lu\n", count);
		}
		free(copy);
	}
	for (size_t i = 0; i < 512; i++)
		free(oracle.locations[i]);
	for (size_t i = 0; i < 64; i++)
		free(oracle.mappings[i]);
	free(text);
	return add_up(to.text);
}

static void add_place(struct description *to, const struct prof *prof,
		      const struct prof_frame *place)
{
	const struct prof_image *image = &prof->images[place->image];
	const struct prof_line *lines;

	if (prof_lines(prof, place, &lines)) {
		description_add(to, "%s", lines->function);
		if (lines->file)
			description_add(to, " %s", lines->file);
		if (lines->line)
			description_add(to, ":%" PRId64, lines->line);
		description_add(to, ";");
		return;
	}
	description_add(to, "%s 0x%" PRIx64 ";", place->image ? image->path : "",
			prof_address(prof, place));
}

static char *our_samples(const struct prof *prof)
{
	struct description to = {0};
	struct prof_cursor cursor = {0};
	struct prof_sample sample;

	while (prof_next(prof, &cursor, &sample)) {
		for (size_t i = 0; i < sample.depth; i++) {
			const struct prof_frame place = {sample.frames[i].image,
							 prof_lookup_offset(&sample.frames[i], i)};

			add_place(&to, prof, &place);
		}
		description_add(&to, "\t%" PRIu64 "\n", sample.values[0].count);
	}
	prof_cursor_free(&cursor);
	return add_up(to.text);
}

static void test_real_profiles_are_read_as_pprof_does(void **state)
{
	static const char *const names[] = {"cppbench.cpu", "go.crc32.cpu", "java.cpu"};
	const char *folder = corpora();

	(void)state;
	if (!folder)
		skip();
	for (size_t i = 0; i < 3; i++) {
		char *path =
			pp_format("%s/cpuprofile/pprof__profile+testdata+%s", folder, names[i]);
		char *oracle = pp_format("%s.string", path), *wanted, *samples;
		struct op_error error;
		struct prof *prof = read_path(&format_cpuprofile, path, &error);
		uint64_t period = 0;

		assert_string_equal(error.text, "");
		wanted = oracle_samples(oracle, &period);
		samples = our_samples(prof);
		assert_true(strlen(wanted) > 100);
		assert_string_equal(samples, wanted);
		assert_int_equal(prof->events[0].period, period);
		prof_free(prof);
		free(samples);
		free(wanted);
		free(oracle);
		free(path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slots_of_either_size_and_order),
		cmocka_unit_test(test_headers_of_more_words),
		cmocka_unit_test(test_a_trailer_may_be_missing),
		cmocka_unit_test(test_strange_records),
		cmocka_unit_test(test_frames_of_the_signal_handler),
		cmocka_unit_test(test_two_frames_of_the_handler_and_a_leaf_that_is_there_twice),
		cmocka_unit_test(test_text_before_the_header),
		cmocka_unit_test(test_java),
		cmocka_unit_test(test_lines_of_mappings),
		cmocka_unit_test(test_variables_do_not_explode),
		cmocka_unit_test(test_the_program_is_the_first_file_that_is_no_library),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_every_cut_is_read_or_told),
		cmocka_unit_test(test_what_is_written),
		cmocka_unit_test(test_a_caller_that_all_stacks_have_is_kept),
		cmocka_unit_test(test_guard_records_are_there_when_they_are_needed),
		cmocka_unit_test(test_what_is_read_is_written_and_read_again),
		cmocka_unit_test(test_two_events_are_refused),
		cmocka_unit_test(test_real_profiles_are_read_as_pprof_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
