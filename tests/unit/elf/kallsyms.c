// SPDX-License-Identifier: GPL-2.0-or-later
/* Lines about symbols and modules of the kernel, hostile ones among them. */
#include "tests/unit/test.h"

#include "libop/base/array.h"
#include "libop/elf/kallsyms.h"

/* What is read of the first good line, or "-" if there is none. */
static const char *describe_symbol(const char *text)
{
	static char read[5000];
	struct op_kernel_symbol symbol;

	if (!op_kallsyms_next(&text, &symbol))
		return "-";
	snprintf(read, sizeof(read), "%llx %c %.*s [%.*s]", (unsigned long long)symbol.address,
		 symbol.type, (int)symbol.name_length, symbol.name, (int)symbol.module_length,
		 symbol.module);
	return read;
}

typedef bool next_module(const char **text, struct op_kernel_module *module);

static const char *describe_module(next_module *next, const char *text)
{
	static char read[300];
	struct op_kernel_module module;

	if (!next(&text, &module))
		return "-";
	snprintf(read, sizeof(read), "%s %llx %llx %s", module.name,
		 (unsigned long long)module.address, (unsigned long long)module.size,
		 module.build_id);
	return read;
}

TEST(a_line_of_kallsyms_is_read_field_by_field)
{
	static const struct {
		const char *line, *read;
	} cases[] = {
		{"ffffffff81000000 T _stext", "ffffffff81000000 T _stext []"},
		{"ffffffff81000000 T _stext\nx", "ffffffff81000000 T _stext []"},
		{"0 t f\t[ext4]\n", "0 t f [ext4]"},
		{"0 t f [ext4] \n", "0 t f [ext4]"},
		{"0  t  f  [ext4]", "0 t f [ext4]"},
		{"0 t a.b$c\\012d\t[m]", "0 t a.b$c\\012d [m]"},
		{"0 t f\n[ext4]", "0 t f []"},
		{"\n\nnonsense\n0 t f", "0 t f []"},
	};

	for (size_t i = 0; i < OP_ARRAY_SIZE(cases); i++)
		assert_string_equal(describe_symbol(cases[i].line), cases[i].read);
}

TEST(a_line_that_is_no_symbol_is_passed_over)
{
	static const char *const lines[] = {
		"",	      "\n",	     " ",
		"T _stext",   "0",	     "0 ",
		"0 t",	      "0 t ",	     "0 t\nf",
		"0\nt f",     "0 tt f",	     "0t f",
		" 0 t f",     "-1 t f",	     "11112222333344445 t f",
		"0 t f ext4", "0 t f [ext4", "0 t f [ext4\n]",
		"0 t f []",
	};

	for (size_t i = 0; i < OP_ARRAY_SIZE(lines); i++)
		assert_string_equal(describe_symbol(lines[i]), "-");
}

TEST(a_symbol_cut_anywhere_is_read_no_further_than_its_end)
{
	static const char line[] = "ffffffffc0000000 t ext4_read\t[ext4]";

	for (size_t length = 0; length < sizeof(line); length++) {
		char *copy = strndup(line, length); /* for the sanitiser, exactly so large */
		const char *text = copy;
		struct op_kernel_symbol symbol;

		assert_non_null(copy);
		if (op_kallsyms_next(&text, &symbol))
			assert_true(symbol.name + symbol.name_length <= copy + length);
		assert_ptr_equal(text, copy + length);
		free(copy);
	}
}

TEST(a_symbol_may_have_a_long_name)
{
	char *line, name[4000];
	struct op_kernel_symbol symbol;
	const char *text;

	memset(name, 'n', sizeof(name));
	assert_true(asprintf(&line, "10 T %.*s\t[%.*s]\n", (int)sizeof(name), name,
			     (int)sizeof(name), name) > 0);
	text = line;
	assert_true(op_kallsyms_next(&text, &symbol));
	assert_int_equal(symbol.name_length, sizeof(name));
	assert_int_equal(symbol.module_length, sizeof(name));
	free(line);
}

TEST(only_the_kernels_own_symbols_are_looked_up)
{
	const char *text = "10 t f\t[m]\n20 t fg\n30 t f\n0 t zero\n";
	uint64_t address;

	assert_true(op_kallsyms_address(text, "f", &address));
	assert_int_equal(address, 0x30);
	assert_false(op_kallsyms_address(text, "zero", &address));
	assert_false(op_kallsyms_address(text, "g", &address));
}

TEST(lines_are_passed_over_by_what_they_are)
{
	const char *text = "ffffffff81000000 T _stext\nffffffff81000010 d data T x\n"
			   "10 D short\nbad\n20 t f\t[m]\nffffffff81000020 b other\t[n]\n"
			   "ffffffff81000030 W weak\n[x]\n40 r last\t[bpf]";
	const char *code = text, *of_modules = text;
	struct op_kernel_symbol symbol;

	assert_true(op_kallsyms_next_text(&code, &symbol));
	assert_true(symbol.address == 0xffffffff81000000);
	assert_true(op_kallsyms_next_text(&code, &symbol));
	assert_true(symbol.address == 0x20);
	assert_true(op_kallsyms_next_text(&code, &symbol));
	assert_true(symbol.address == 0xffffffff81000030);
	assert_false(op_kallsyms_next_text(&code, &symbol));
	assert_true(op_kallsyms_next_of_module(&of_modules, &symbol));
	assert_true(symbol.address == 0x20);
	assert_true(op_kallsyms_next_of_module(&of_modules, &symbol));
	assert_true(symbol.address == 0xffffffff81000020);
	assert_true(op_kallsyms_next_of_module(&of_modules, &symbol));
	assert_true(symbol.address == 0x40);
	assert_false(op_kallsyms_next_of_module(&of_modules, &symbol));
}

/* 127 characters, the most that a module's name may have */
#define NAME_31	 "abcdefghijklmnopqrstuvwxyz12345"
#define NAME_127 NAME_31 "_" NAME_31 "_" NAME_31 "_" NAME_31
#define ID_64	 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

TEST(a_line_of_a_sessions_modules_is_read_or_refused)
{
	static const struct {
		const char *line, *read;
	} cases[] = {
		{"ext4 ffffffffc0000000 1000 0a1b", "ext4 ffffffffc0000000 1000 0a1b"},
		{"ext4 0x10 0x20 -\n", "ext4 10 20 -"},
		{"ext4 10 20", "ext4 10 20 -"},
		{"ext4 10 20\n0a1b", "ext4 10 20 -"},
		{NAME_127 " 1 2 " ID_64, NAME_127 " 1 2 " ID_64},
		{NAME_127 "x 1 2 -", "-"},
		{"m 1 2 " ID_64 "0", "-"},
		{"m 1 2 0A1B", "-"},
		{"m 1\n2 -", "-"},
		{"m 1", "-"},
		{"m 1 g -", "-"},
		{"m 1x 2 -", "-"},
		{"m 10000000000000000 2 -", "-"},
		{"../m 1 2 -", "-"},
		{"", "-"},
		{"\n \n", "-"},
	};

	for (size_t i = 0; i < OP_ARRAY_SIZE(cases); i++)
		assert_string_equal(describe_module(op_modules_next, cases[i].line), cases[i].read);
}

TEST(a_line_of_proc_modules_is_read_or_refused)
{
	static const struct {
		const char *line, *read;
	} cases[] = {
		{"ext4 1000 2 jbd2,mbcache, Live 0xffffffffc0000000 (E)\n",
		 "ext4 ffffffffc0000000 3e8 -"},
		{"ext4 1000 0 - Live 0x0000000000000000", "ext4 0 3e8 -"},
		{NAME_127 " 1 0 - Live 0x1", NAME_127 " 1 1 -"},
		{NAME_127 "x 1 0 - Live 0x1", "-"},
		{"m 18446744073709551616 0 - Live 0x1", "-"},
		{"m 1 0 - Live 0x10000000000000000", "-"},
		{"m 1 0 - Live", "-"},
		{"m 1 0 -\nLive 0x1", "-"},
		{"m 1 0", "-"},
		{"a/b 1 0 - Live 0x1", "-"},
		{"", "-"},
	};

	for (size_t i = 0; i < OP_ARRAY_SIZE(cases); i++)
		assert_string_equal(describe_module(op_proc_modules_next, cases[i].line),
				    cases[i].read);
}
