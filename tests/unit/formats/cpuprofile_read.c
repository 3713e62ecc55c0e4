// SPDX-License-Identifier: GPL-2.0-or-later
/* CPU profiles of gperftools: all that google-pprof or go tool pprof read is read, damage is told.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "cpuprofile_fixture.h"
#include "libop/base/memory.h"

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
		put_slots(&file, layout, table[i].slots, table[i].n);
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

		put_slots(&file, &layout, table[i].slots, table[i].n);
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
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_every_cut_is_read_or_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
