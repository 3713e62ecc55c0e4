// SPDX-License-Identifier: GPL-2.0-or-later
/* Lines of /proc/PID/maps, hostile ones among them. */
#include "tests/unit/test.h"

#include "libop/base/array.h"
#include "libop/elf/proc_maps.h"

/* What is read of a line, or "-" if it is no mapping. */
static const char *describe(const char *line)
{
	static char text[9000];
	struct op_maps_line mapping;

	if (!op_maps_line_read(line, &mapping))
		return "-";
	snprintf(text, sizeof(text), "%llx-%llx %c %llx %x:%x %llu <%.*s>",
		 (unsigned long long)mapping.start, (unsigned long long)mapping.end,
		 mapping.executable ? 'x' : '-', (unsigned long long)mapping.offset, mapping.major,
		 mapping.minor, (unsigned long long)mapping.inode, (int)mapping.name_length,
		 mapping.name);
	return text;
}

#define HEAD "00400000-0040b000 r-xp 00001000 08:01 4711"
#define READ "400000-40b000 x 1000 8:1 4711"

TEST(a_line_of_proc_maps_is_read_field_by_field)
{
	static const struct {
		const char *line, *read;
	} cases[] = {
		{HEAD "                     /usr/bin/x", READ " </usr/bin/x>"},
		{HEAD "                     /usr/bin/x\n" HEAD " /y", READ " </usr/bin/x>"},
		{HEAD " /usr/bin/x (deleted)", READ " </usr/bin/x (deleted)>"},
		{HEAD " /a b  c \n", READ " </a b  c >"},
		{HEAD " /new\\012line", READ " </new\\012line>"},
		{HEAD " [anon:a/b]", READ " <[anon:a/b]>"},
		{HEAD "\n/usr/bin/x", READ " <>"},
		{HEAD " \n/usr/bin/x", READ " <>"},
		{HEAD, READ " <>"},
		{HEAD " ", READ " <>"},
		{"0-1 ---p 0 0:0 0", "0-1 - 0 0:0 0 <>"},
		{"fffffffffffff000-ffffffffffffffff --xp ffffffffffffffff ffffffff:ffffffff "
		 "18446744073709551615 [vsyscall]",
		 "fffffffffffff000-ffffffffffffffff x ffffffffffffffff ffffffff:ffffffff "
		 "18446744073709551615 <[vsyscall]>"},
	};

	for (size_t i = 0; i < OP_ARRAY_SIZE(cases); i++)
		assert_string_equal(describe(cases[i].line), cases[i].read);
}

TEST(a_line_that_is_no_mapping_is_refused)
{
	static const char *const lines[] = {
		"",
		"\n" HEAD,
		" " HEAD,
		"-0040b000 r-xp 00001000 08:01 4711",
		"00400000 0040b000 r-xp 00001000 08:01 4711",
		"00400000-0040b000",
		"00400000-0040b000\nr-xp 00001000 08:01 4711",
		"00400000-0040b000 r-xp\n00001000 08:01 4711",
		"00400000-0040b000 r-xp 00001000\n08:01 4711",
		"00400000-0040b000 r-xp 00001000 08:01\n4711",
		"00400000-0040b000 r-xp 00001000 08:\n01 4711",
		"00400000-0040b000 r-xp 00001000 0801 4711",
		"00400000-0040b000 r-xp 00001000 08:01 0x4711",
		"00400000-0040b000 r-xp 00001000 08:01 4711x",
		"00400000-0040b000 r-xpp 00001000 08:01 4711",
		"00400000-0040b000 rx 00001000 08:01 4711",
		"0040b000-00400000 r-xp 00001000 08:01 4711",
		"00400000-00400000 r-xp 00001000 08:01 4711",
		"10000000000400000-10000000000401000 r-xp 00001000 08:01 4711",
		"00400000-0040b000 r-xp 10000000000001000 08:01 4711",
		"00400000-0040b000 r-xp 00001000 100000008:01 4711",
		"00400000-0040b000 r-xp 00001000 08:100000001 4711",
		"00400000-0040b000 r-xp 00001000 08:01 18446744073709551616",
		"00400000-0040b000 r-xp 00001000 08:01 -1",
		"00400000-0040b000 r-xp g 08:01 4711",
	};

	for (size_t i = 0; i < OP_ARRAY_SIZE(lines); i++)
		assert_string_equal(describe(lines[i]), "-");
}

TEST(a_line_cut_anywhere_is_read_no_further_than_its_end)
{
	static const char line[] = HEAD " /usr/bin/x";

	for (size_t length = 0; length < sizeof(line); length++) {
		char *copy = strndup(line, length); /* for the sanitiser, exactly so large */

		assert_non_null(copy);
		if (strlen(copy) < strlen(HEAD) - 3)
			assert_string_equal(describe(copy), "-");
		else
			assert_string_not_equal(describe(copy), "-");
		free(copy);
	}
}

TEST(a_name_may_be_as_long_as_it_is)
{
	char *line, name[8000];
	struct op_maps_line mapping;

	memset(name, 'n', sizeof(name));
	name[0] = '/';
	assert_true(asprintf(&line, HEAD " %.*s\n" HEAD, (int)sizeof(name), name) > 0);
	assert_true(op_maps_line_read(line, &mapping));
	assert_int_equal(mapping.name_length, sizeof(name));
	assert_memory_equal(mapping.name, name, sizeof(name));
	free(line);
}

TEST(a_text_of_maps_is_read_past_lines_that_are_none)
{
	const char *text = "\n\nnonsense\n" HEAD " /a\nmore nonsense\n" HEAD "\n" HEAD " /c";
	struct op_maps_line mapping;

	assert_true(op_maps_next(&text, &mapping));
	assert_int_equal(mapping.name_length, 2);
	assert_true(op_maps_next(&text, &mapping));
	assert_int_equal(mapping.name_length, 0);
	assert_true(op_maps_next(&text, &mapping));
	assert_memory_equal(mapping.name, "/c", 3);
	assert_false(op_maps_next(&text, &mapping));
	assert_false(op_maps_next(&text, &mapping));
}
