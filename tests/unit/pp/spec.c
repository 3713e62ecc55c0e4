// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Profile specifications: which are read, which names they mean, and that no text breaks the
 * parser.
 */
#include "libop/base/array.h"
#include "tests/unit/test.h"

#include "pp/select/classes.h"
#include "pp/report/report.h"
#include "pp/select/spec.h"

static size_t split(char *text, const char **words)
{
	size_t n = 0;
	char *word;

	while ((word = strsep(&text, " ")) != NULL && n < 16)
		if (*word)
			words[n++] = word;
	return n;
}

static int parse(struct pp_spec *spec, const char *text, struct op_error *error)
{
	char *copy = strdup(text);
	const char *words[16];
	int result = pp_spec_parse(spec, words, split(copy, words), error);

	free(copy);
	return result;
}

TEST(wrong_words_are_refused)
{
	static const struct {
		const char *text;
		int code;
		const char *in; /* part of the error */
	} table[] = {
		{"cpu:", EINVAL, "empty item"},
		{"cpu:1,,2", EINVAL, "empty item"},
		{"cpu:1,", EINVAL, "empty item"},
		{"cpu:-1", EINVAL, "'-1'"},
		{"cpu:1-", EINVAL, "'1-'"},
		{"cpu:2-1", EINVAL, "'2-1'"},
		{"cpu:1-2-3", EINVAL, "'1-2-3'"},
		{"cpu:one", EINVAL, "'one'"},
		{"tid:18446744073709551616", EINVAL, "not a number"},
		{"count:1-2", EINVAL, "'1-2'"},
		{"unit-mask:0xg", EINVAL, "'0xg'"},
		{"Cpu:1", EINVAL, "unknown tag 'Cpu'"},
		{":1", EINVAL, "unknown tag ''"},
		{"a a", EINVAL, "given twice"},
		{"cpu:1 event:x cpu:1", EINVAL, "given twice"},
		{"archive:", EINVAL, "directory"},
		{"archive:/a archive:/b", EINVAL, "already"},
		{"{ a } { b }", ENOTSUP, "does not compare profiles"},
		{"{} {}", ENOTSUP, "does not compare profiles"},
	};

	for (size_t i = 0; i < OP_ARRAY_SIZE(table); i++) {
		struct op_error error;
		struct pp_spec spec;

		if (parse(&spec, table[i].text, &error) != -1 || error.code != table[i].code ||
		    !strstr(error.text, table[i].in))
			fail_msg("'%s' gives %d '%s'", table[i].text, error.code, error.text);
		pp_spec_free(&spec);
	}
}

TEST(names_are_matched_by_globs_and_lists)
{
	static const char ls[] = "{root}/bin/ls/{dep}/{root}/bin/ls/TIMER.0.0.all.all.all";
	static const char libc[] = "{root}/bin/ls/{dep}/{root}/lib/libc.so.6/CYCLES.6000.3.10.11.2";
	static const char ext4[] = "{root}/bin/ls/{dep}/{kern}/ext4/CYCLES.6000.3.10.11.2";
	static const char anon[] =
		"{root}/bin/ls/{dep}/{anon:[heap]}/5.0x1000.0x2000/TIMER.0.0.all.all.all";
	static const struct {
		const char *spec, *name;
		bool matches;
	} table[] = {
		{"", ls, true},
		{"", libc, true},
		{"/bin/nothing", ls, false},
		{"image:/bin/ls", ls, true},
		{"image:/bin/ls", libc, true},
		{"image:ls", libc, true},
		{"image:l?", ls, true},
		{"image:/bin/*", ls, true},
		{"image:*s", ls, true},
		{"image:bin/ls", ls, false},
		{"image:libc.so.6", libc, false},
		{"image:ls,cat", ls, true},
		{"image:cat,dog", ls, false},
		{"lib-image:libc.so.6", libc, true},
		{"lib-image:libc.so.6", ls, false},
		{"lib-image:ext4", ext4, true},
		{"lib-image:/ext4", ext4, true},
		{"lib-image:/ext*", ext4, true},
		{"lib-image:[heap]", anon, true},
		{"image-exclude:ext4", ext4, false},
		{"image-exclude:ext4", libc, true},
		{"image-exclude:ls", libc, false},
		{"libc.so.6", libc, true},
		{"libc.so.6", ls, false},
		{"ls image-exclude:libc*", ls, true},
		{"ls image-exclude:libc*", libc, false},
		{"event:CYCLES", libc, true},
		{"event:CYCLES", ls, false},
		{"event:TIMER,CYCLES", libc, true},
		{"count:6000", libc, true},
		{"count:6001", libc, false},
		{"count:all", libc, true},
		{"unit-mask:0x3", libc, true},
		{"unit-mask:1,2", libc, false},
		{"cpu:2", libc, true},
		{"cpu:0-2", libc, true},
		{"cpu:3-9", libc, false},
		{"cpu:0,all", libc, false},
		{"cpu:all", ls, true},
		{"cpu:2", ls, false},
		{"tgid:10", libc, true},
		{"tgid:11", libc, false},
		{"tid:11", libc, true},
		{"tid:9-12 cpu:2 event:CYCLES", libc, true},
		{"tid:9-12 cpu:1 event:CYCLES", libc, false},
		{"session:night archive:/nowhere", ls, true},
	};

	for (size_t i = 0; i < OP_ARRAY_SIZE(table); i++) {
		struct op_sample_name name;
		struct op_error error;
		struct pp_spec spec;

		assert_return_code(op_sample_name_parse(table[i].name, &name, &error), 0);
		if (parse(&spec, table[i].spec, &error))
			fail_msg("'%s': %s", table[i].spec, error.text);
		if (pp_spec_matches(&spec, &name) != table[i].matches)
			fail_msg("'%s' must%s match %s", table[i].spec,
				 table[i].matches ? "" : " not", table[i].name);
		pp_spec_free(&spec);
		op_sample_name_free(&name);
	}
}

/* A file of that name is meant, wherever a link to it stands. */
TEST(existing_files_stand_for_their_real_paths)
{
	char *real = realpath("/proc/self/exe", NULL);
	struct op_error error;
	struct pp_spec spec;

	assert_non_null(real);
	assert_int_equal(parse(&spec, "/proc/self/exe", &error), 0);
	assert_string_equal(spec.names.item[0], real);
	pp_spec_free(&spec);
	assert_int_equal(parse(&spec, "/proc/self/exe archive:/x", &error), 0);
	assert_string_equal(spec.names.item[0], "/proc/self/exe");
	pp_spec_free(&spec);
	free(real);
}

TEST(merge_and_sort_take_lists)
{
	struct pp_report_style style = {0};
	struct pp_merge merge = {0};
	struct op_error error;

	assert_int_equal(pp_merge_parse(&merge, "tgid,unitmask", &error), 0);
	assert_true(merge.tgid && merge.tid && merge.unit_mask && !merge.cpu && !merge.lib);
	assert_int_equal(pp_merge_parse(&merge, "library,cpu", &error), 0);
	assert_true(merge.lib && merge.cpu);
	assert_int_equal(pp_merge_parse(&merge, "", &error), -1);
	assert_int_equal(pp_sort_parse(&style, "vma,sample", &error), 0);
	assert_int_equal(style.n_sort, 2);
	assert_int_equal(style.sort[0], PP_SORT_VMA);
	assert_int_equal(pp_sort_parse(&style, "sample", &error), -1);
	assert_int_equal(pp_sort_parse(&style, "image,,", &error), -1);
}

/* Random words out of pieces that mean something. */
TEST(no_text_breaks_the_parser)
{
	static const char *const pieces[] = {
		"cpu:",
		"tgid:",
		"tid:",
		"image:",
		"session:",
		"event:",
		"count:",
		"unit-mask:",
		"archive:",
		"all",
		",",
		"-",
		"0x",
		"1",
		"9999999999999999999999",
		"{",
		"}",
		"*",
		"[",
		"/",
		":",
		"..",
		"\xff",
		" ",
		"\\",
		"]",
		"lib-image:",
		"session-exclude:",
		"image-exclude:",
		"\n",
	};
	struct op_sample_name name;
	size_t good = 0;

	srandom(2);
	assert_return_code(
		op_sample_name_parse("{root}/a[/{dep}/{kern}/b/TIMER.0.0.1.2.3", &name, NULL), 0);
	for (int i = 0; i < 100000; i++) {
		struct op_error error = {0};
		struct pp_spec spec;
		char text[256] = "";

		for (long n = random() % 7; n >= 0; n--)
			strcat(text, pieces[random() % (OP_ARRAY_SIZE(pieces))]);
		if (!parse(&spec, text, &error)) {
			pp_spec_matches(&spec, &name);
			good++;
		} else {
			assert_true(error.code && *error.text);
		}
		pp_spec_free(&spec);
	}
	assert_uint_in_range(good, 1000, 99000); /* both ways were gone */
	op_sample_name_free(&name);
}
