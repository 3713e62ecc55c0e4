// SPDX-License-Identifier: GPL-2.0-or-later
/* Unwind tables: their rows for each kind of call frame information, and how they are walked. */
#include <elf.h>
#include <sys/mman.h>
#include <sys/sendfile.h>

#include "libop/base/array.h"
#include "libop/unwind/builder.h"
#include "libop/unwind/image.h"
#include "libop/unwind/walk.h"
#include "tests/unit/test.h"

static const char *program;

TEST_ARGUMENTS(1, "IMAGE")
{
	program = argv[1];
}

/* ---- rows ---- */

#define EXTRA(n) ((n) << UNWIND_EXTRA_SHIFT)

/* What follows from frames.s; @at counts from its first byte on. */
static const struct {
	uint64_t at;
	struct unwind_row row;
} frames[] = {
	{0, {0, UNWIND_SP, UNWIND_FP_SAME, 1, 0}},
	{1, {0, UNWIND_SP, UNWIND_FP_AT_CFA, 2, -2}},
	{2, {0, UNWIND_FP, UNWIND_FP_AT_CFA, 2, -2}},
	{3, {0, UNWIND_SP, UNWIND_FP_AT_CFA, 1, -2}},
	{4, {0, UNWIND_FP, UNWIND_FP_AT_CFA, 2, -2}},
	{5, {0, UNWIND_SP, UNWIND_FP_SAME, 1, 0}},
	{6, {0, UNWIND_SP, UNWIND_FP_LOST, 1, 0}},
	{7, {0, UNWIND_SP, UNWIND_FP_SAME, 1, 0}},
	{9, {0, UNWIND_ROOT, 0, 0, 0}},
	{10, {0, UNWIND_NONE, 0, 0, 0}},
	{11, {0, UNWIND_OTHER | EXTRA(10), UNWIND_FP_SAME, 0, 0}},
	{12, {0, UNWIND_AT_FP, UNWIND_FP_AT_BASE, -1, 0}},
	{13, {0, UNWIND_AT_SP | EXTRA(1), UNWIND_FP_SAME, 5, 0}},
	{14, {0, UNWIND_PLT | EXTRA(11), UNWIND_FP_SAME, 1, 0}},
	{15, {0, UNWIND_PLT | EXTRA(10), UNWIND_FP_SAME, 1, 0}},
	{16, {0, UNWIND_AT_SP, UNWIND_FP_AT_BASE | UNWIND_RETURN_BEHIND | UNWIND_SIGNAL, 20, 15}},
	{17, {0, UNWIND_STOP, 0, 0, 0}}, /* odd */
	{18, {0, UNWIND_NONE, 0, 0, 0}},
	{19, {0, UNWIND_STOP, 0, 0, 0}}, /* far */
	{20, {0, UNWIND_NONE, 0, 0, 0}},
	{21, {0, UNWIND_STOP, 0, 0, 0}}, /* moved */
	{22, {0, UNWIND_NONE, 0, 0, 0}},
	{23, {0, UNWIND_STOP, 0, 0, 0}}, /* elsewhere */
	{24, {0, UNWIND_NONE, 0, 0, 0}},
	{25, {0, UNWIND_STOP, 0, 0, 0}}, /* calculated */
	{26, {0, UNWIND_NONE, 0, 0, 0}},
	{27, {0, UNWIND_STOP, 0, 0, 0}}, /* valued */
	{28, {0, UNWIND_NONE, 0, 0, 0}},
	{29, {0, UNWIND_SP, UNWIND_FP_SAME, 1, 0}}, /* unmatched */
	{30, {0, UNWIND_STOP, 0, 0, 0}},
	{32, {0, UNWIND_NONE, 0, 0, 0}},
	{33, {0, UNWIND_SP, UNWIND_FP_SAME, 1, 0}}, /* unknown */
	{34, {0, UNWIND_STOP, 0, 0, 0}},
	{35, {0, UNWIND_NONE, 0, 0, 0}},
};
#define N_FRAMES OP_ARRAY_SIZE(frames)

static struct unwind_table *table_of_program(void)
{
	int fd = open(program, O_RDONLY | O_CLOEXEC);
	struct unwind_table *table = unwind_image_compile(fd);

	assert_true(fd >= 0);
	close(fd);
	assert_non_null(table);
	return table;
}

TEST(each_kind_of_rule_has_its_row)
{
	struct unwind_table *table = table_of_program();
	const struct unwind_row *rows = unwind_table_rows(table);
	uint64_t start = (uint64_t)(table->pages - 1) << UNWIND_PAGE_BITS | rows[0].at;

	assert_int_equal(table->rows, N_FRAMES);
	assert_int_equal(table->ranges, 13);
	assert_int_equal(table->refused, 0);
	assert_int_equal(table->stops, 8);
	for (size_t i = 0; i < N_FRAMES; i++) {
		const struct unwind_row *expected = &frames[i].row;
		const struct unwind_row *row = unwind_table_find(table, start + frames[i].at);

		if (row != &rows[i])
			fail_msg("row %zu is elsewhere", i);
		if (row->cfa_in != expected->cfa_in || row->fp_in != expected->fp_in ||
		    row->cfa != expected->cfa || row->fp != expected->fp)
			fail_msg("row %zu: %#x %#x %d %d", i, row->cfa_in, row->fp_in, row->cfa,
				 row->fp);
	}
	assert_null(unwind_table_find(table, start - 1));
	free(table);
}

TEST(files_without_call_frame_information_have_no_rows)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	struct unwind_table *table = unwind_image_compile(fd);

	assert_non_null(table);
	assert_int_equal(table->rows, 0);
	assert_null(unwind_table_find(table, 0));
	assert_ptr_equal(unwind_table_check(table, unwind_table_size(table)), table);
	close(fd);
	free(table);
}

/* A copy of this program, without section headers. */
static int copy_without_sections(void)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), copy = memfd_create("copy", 0);
	struct stat status;
	Elf64_Ehdr header;
	off_t at = 0;

	assert_true(fd >= 0 && copy >= 0 && !fstat(fd, &status));
	while (at < status.st_size)
		assert_true(sendfile(copy, fd, &at, (size_t)(status.st_size - at)) > 0);
	assert_int_equal(pread(copy, &header, sizeof(header), 0), sizeof(header));
	header.e_shoff = 0;
	header.e_shnum = header.e_shstrndx = 0;
	assert_int_equal(pwrite(copy, &header, sizeof(header), 0), sizeof(header));
	close(fd);
	return copy;
}

TEST(files_without_section_headers_have_the_same_rows)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), copy = copy_without_sections();
	struct unwind_table *one = unwind_image_compile(fd), *other = unwind_image_compile(copy);

	assert_true(one && other);
	assert_uint_in_range(one->rows, 100, UINT32_MAX);
	assert_int_equal(unwind_table_size(one), unwind_table_size(other));
	assert_memory_equal(one, other, unwind_table_size(one));
	free(one);
	free(other);
	close(fd);
	close(copy);
}

/* ---- the index ---- */

static const struct unwind_row one = {.cfa_in = UNWIND_SP, .cfa = 1},
			       two = {.cfa_in = UNWIND_SP, .cfa = 2};

TEST(rows_are_found_on_every_page)
{
	struct unwind_builder builder = {0};
	struct unwind_table *table;

	unwind_builder_add(&builder, 0x1fff0, 0x40010, &one); /* over two pages' borders */
	unwind_builder_add(&builder, 0x40010, 0x40020, &two);
	unwind_builder_add(&builder, 0x90000, 0x90001, &two);
	table = unwind_builder_finish(&builder, 3, 1);
	assert_non_null(table);
	assert_ptr_equal(unwind_table_check(table, unwind_table_size(table)), table);
	assert_int_equal(table->ranges, 3);
	assert_int_equal(table->refused, 1);
	assert_null(unwind_table_find(table, 0));
	assert_null(unwind_table_find(table, 0x1ffef));
	assert_int_equal(unwind_table_find(table, 0x1fff0)->cfa, 1);
	assert_int_equal(unwind_table_find(table, 0x20000)->cfa, 1);
	assert_int_equal(unwind_table_find(table, 0x38000)->cfa, 1);
	assert_int_equal(unwind_table_find(table, 0x4000f)->cfa, 1);
	assert_int_equal(unwind_table_find(table, 0x40010)->cfa, 2);
	assert_int_equal(unwind_table_find(table, 0x4001f)->cfa, 2);
	assert_int_equal(unwind_row_cfa(unwind_table_find(table, 0x40020)), UNWIND_NONE);
	assert_int_equal(unwind_row_cfa(unwind_table_find(table, 0x8ffff)), UNWIND_NONE);
	assert_int_equal(unwind_table_find(table, 0x90000)->cfa, 2);
	assert_int_equal(unwind_row_cfa(unwind_table_find(table, 0x90001)), UNWIND_NONE);
	assert_null(unwind_table_find(table, 0xa0000));
	assert_null(unwind_table_find(table, UINT64_MAX));
	free(table);
}

TEST(of_ranges_that_overlap_the_first_one_counts)
{
	struct unwind_builder builder = {0};
	struct unwind_table *table;

	unwind_builder_add(&builder, 0x100, 0x200, &one);
	unwind_builder_add(&builder, 0x180, 0x190, &two);
	unwind_builder_add(&builder, 0x180, 0x280, &two);
	unwind_builder_add(&builder, 0x50, 0x60, &two);
	table = unwind_builder_finish(&builder, 4, 0);
	assert_non_null(table);
	assert_int_equal(table->rows, 3);
	assert_null(unwind_table_find(table, 0x58));
	assert_int_equal(unwind_table_find(table, 0x1ff)->cfa, 1);
	assert_int_equal(unwind_table_find(table, 0x200)->cfa, 2);
	free(table);
}

TEST(code_above_four_gigabytes_is_refused)
{
	struct unwind_builder builder = {0};

	unwind_builder_add(&builder, UINT64_C(0xfffffff0), UINT64_C(0xffffffff), &one);
	assert_false(builder.failed);
	unwind_builder_add(&builder, UINT64_C(0x100000000), UINT64_C(0x100000001), &two);
	assert_true(builder.failed);
	assert_null(unwind_builder_finish(&builder, 0, 0));
}

/* ---- tables from elsewhere ---- */

TEST(damaged_tables_are_refused)
{
	struct unwind_table *table = table_of_program();
	size_t size = unwind_table_size(table);
	struct unwind_row *rows = (struct unwind_row *)unwind_table_rows(table);

	assert_non_null(unwind_table_check(table, size));
	assert_null(unwind_table_check(table, size - 1));
	assert_null(unwind_table_check(table, size + 8));
	assert_null(unwind_table_check(table, 0));
	for (size_t field = 0; field < 4; field++) {
		((uint32_t *)table)[field]++;
		assert_null(unwind_table_check(table, size));
		((uint32_t *)table)[field]--;
	}
	for (uint32_t page = 0; page <= table->pages; page++) {
		table->index[page]--;
		/* of a page before the first row, too: there is no row with that number */
		assert_null(unwind_table_check(table, size));
		table->index[page] += 2;
		if (page < table->pages - 1 || page == table->pages)
			assert_null(unwind_table_check(table, size));
		table->index[page]--;
	}
	rows[3].at = rows[4].at;
	assert_null(unwind_table_check(table, size));
	rows[3].at--;
	assert_non_null(unwind_table_check(table, size));
	/* rules that there are not */
	for (uint32_t i = 0; i < table->rows; i++) {
		struct unwind_row row = rows[i];

		rows[i].cfa_in |= UNWIND_CFA_MASK;
		assert_null(unwind_table_check(table, size));
		rows[i] = row;
		rows[i].fp_in |= 0x04;
		assert_null(unwind_table_check(table, size));
		rows[i] = row;
	}
	assert_non_null(unwind_table_check(table, size));
	free(table);
}

/* ---- walking ---- */

#define START UINT64_C(0x7ffd00001000)

static enum unwind_end step(const struct unwind_row *row, struct unwind_frame *frame)
{
	static const uint64_t words[] = {START + 16, 0x401000, START + 8, 0};
	const struct unwind_stack stack = {(const uint8_t *)words, START, sizeof(words)};

	*frame = (struct unwind_frame){
		.pc = 0x400100, .sp = START, .fp = START + 16, .knows_fp = true, .is_exact = true};
	return unwind_step(row, &stack, frame);
}

TEST(a_walk_says_how_it_ends)
{
	static const struct {
		struct unwind_row row;
		enum unwind_end end;
	} cases[] = {
		{{0, UNWIND_SP, UNWIND_FP_SAME, 2, 0}, UNWIND_GOES_ON},
		{{0, UNWIND_FP, UNWIND_FP_SAME, 0, 0}, UNWIND_GOES_ON},
		{{0, UNWIND_AT_SP, UNWIND_FP_SAME, 0, 0}, UNWIND_GOES_ON},
		{{0, UNWIND_NONE, 0, 0, 0}, UNWIND_NO_ROW},
		{{0, UNWIND_STOP, 0, 0, 0}, UNWIND_NOT_SIMPLE},
		{{0, UNWIND_ROOT, 0, 0, 0}, UNWIND_AT_ROOT},
		/* its registers are not known, or there is no such kind */
		{{0, UNWIND_OTHER | EXTRA(3), 0, 0, 0}, UNWIND_NOT_SIMPLE},
		{{0, UNWIND_OTHER + 1, 0, 0, 0}, UNWIND_NOT_SIMPLE},
		/* past the end of the stack, and before its start */
		{{0, UNWIND_SP, UNWIND_FP_SAME, 5, 0}, UNWIND_UNREADABLE},
		{{0, UNWIND_SP, UNWIND_FP_SAME, INT16_MAX, 0}, UNWIND_UNREADABLE},
		{{0, UNWIND_SP, UNWIND_FP_SAME, 0, 0}, UNWIND_UNREADABLE},
		{{0, UNWIND_AT_SP, UNWIND_FP_SAME, -1, 0}, UNWIND_UNREADABLE},
		/* a caller at 0, and one that is not above */
		{{0, UNWIND_SP, UNWIND_FP_SAME, 4, 0}, UNWIND_BAD_FRAME},
		{{0, UNWIND_FP, UNWIND_FP_SAME, -1, 0}, UNWIND_GOES_ON},
	};
	struct unwind_frame frame;

	for (size_t i = 0; i < OP_ARRAY_SIZE(cases); i++) {
		enum unwind_end end = step(&cases[i].row, &frame);

		if (end != cases[i].end)
			fail_msg("case %zu ends as %d", i, end);
		if (end != UNWIND_GOES_ON)
			assert_true(frame.pc == 0x400100 && frame.sp == START);
	}
	assert_int_equal(step(NULL, &frame), UNWIND_NO_ROW);
}

TEST(a_frame_below_itself_is_bad_unless_a_signal_made_it)
{
	struct unwind_row row = {0, UNWIND_AT_SP, UNWIND_FP_SAME | UNWIND_RETURN_BEHIND, 0, 0};
	static const uint64_t words[] = {START - 800, 0x401000};
	const struct unwind_stack stack = {(const uint8_t *)words, START, sizeof(words)};
	const struct unwind_frame start = {.pc = 0x400100, .sp = START, .is_exact = true};
	struct unwind_frame frame = start;

	assert_int_equal(unwind_step(&row, &stack, &frame), UNWIND_BAD_FRAME);
	row.fp_in |= UNWIND_SIGNAL;
	assert_int_equal(unwind_step(&row, &stack, &frame), UNWIND_GOES_ON);
	assert_true(frame.is_exact && frame.sp == START - 800 && frame.pc == 0x401000);
	assert_true(unwind_frame_code(&frame) == 0x401000);
	frame.is_exact = false;
	assert_true(unwind_frame_code(&frame) == 0x400fff);
}

/* ---- frame pointers ---- */

static bool read_array(void *words, __u64 address, __u64 *word)
{
	if (address < START || address >= START + 6 * UNWIND_WORD || address % UNWIND_WORD)
		return false;
	*word = ((const uint64_t *)words)[(address - START) / UNWIND_WORD];
	return true;
}

TEST(code_without_rows_is_left_by_its_frame_pointer)
{
	static uint64_t words[] = {START + 16, 0x401000, 0, 0x402000, START, 0};
	static const struct {
		uint64_t fp;
		bool knows_fp, is_exact;
		enum unwind_end end;
	} cases[] = {
		{START, true, true, UNWIND_GOES_ON},
		{START, true, false, UNWIND_GOES_ON},
		{START, false, true, UNWIND_NO_ROW},
		{0, true, true, UNWIND_NO_ROW},
		{0, true, false, UNWIND_AT_ROOT},
		/* something else is in the register */
		{START - 8, true, true, UNWIND_NO_ROW},
		{START - 8, true, false, UNWIND_BAD_FRAME},
		{START + 32, true, false, UNWIND_AT_ROOT},
		{START + 40, true, false, UNWIND_UNREADABLE},
		{UINT64_MAX - 7, true, false, UNWIND_UNREADABLE},
	};

	for (size_t i = 0; i < OP_ARRAY_SIZE(cases); i++) {
		struct unwind_frame frame = {.pc = 0x400100,
					     .sp = START,
					     .fp = cases[i].fp,
					     .knows_fp = cases[i].knows_fp,
					     .is_exact = cases[i].is_exact};
		enum unwind_end end = unwind_step_by_fp(&frame, read_array, words);

		if (end != cases[i].end)
			fail_msg("case %zu ends as %d", i, end);
		if (end == UNWIND_GOES_ON)
			assert_true(frame.pc == 0x401000 && frame.sp == START + 16 &&
				    frame.fp == START + 16 && frame.knows_fp && !frame.is_exact);
		else
			assert_true(frame.pc == 0x400100 && frame.sp == START);
	}
}

TEST(frame_pointers_in_a_loop_end_the_walk)
{
	static uint64_t words[] = {START + 16, 0x401000, START, 0x402000, 0, 0};
	struct unwind_frame frame = {.sp = START, .fp = START, .knows_fp = true};

	assert_int_equal(unwind_step_by_fp(&frame, read_array, words), UNWIND_GOES_ON);
	assert_int_equal(unwind_step_by_fp(&frame, read_array, words), UNWIND_GOES_ON);
	assert_int_equal(unwind_step_by_fp(&frame, read_array, words), UNWIND_BAD_FRAME);
}
