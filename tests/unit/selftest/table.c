// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of oprofile-selftest: verdicts, and how it looks. */
#include "tests/unit/test.h"

#include <math.h>

#include "libop/base/array.h"
#include "libop/base/text_stream.h"
#include "utils/selftest/machine.h"
#include "utils/selftest/table.h"

TEST(a_row_is_ok_up_to_its_bound)
{
	static const struct {
		double truth, measured, within;
		bool ok;
	} cases[] = {
		{75, 78, 3, true},	  {75, 72, 3, true},   {75, 78.001, 3, false},
		{75, 71.999, 3, false},	  {0, 0, 0, true},     {0, 1, 0, false},
		{75, NAN, 3, false},	  {NAN, 75, 3, false}, {75, 75, NAN, false},
		{75, INFINITY, 3, false},
	};

	for (size_t i = 0; i < OP_ARRAY_SIZE(cases); i++) {
		struct row row = {.truth = cases[i].truth,
				  .measured = cases[i].measured,
				  .within = cases[i].within};

		assert_int_equal(row_is_ok(&row), cases[i].ok);
	}
}

/* Of 1200 samples, a share of 0.75 has a standard error of sqrt(0.75 * 0.25 / 1200) = 0.0125. */
TEST(shares_may_be_off_by_three_standard_errors)
{
	struct row row = row_of_share("x", 0.75, 946, 1200, 1200);

	assert_true(fabs(row.truth - 75) < 1e-9);
	assert_true(fabs(row.within - 3.75) < 1e-9);
	assert_false(row_is_ok(&row));
	row = row_of_share("x", 0.75, 944, 1200, 1200);
	assert_true(row_is_ok(&row));
	/* events stand beside samples, whose number makes the bound */
	row = row_of_share("x", 0.75, 944e6, 1200e6, 1200);
	assert_true(fabs(row.within - 3.75) < 1e-9);
	assert_true(row_is_ok(&row));
}

TEST(no_samples_are_not_ok)
{
	struct row row = row_of_share("x", 0.75, 0, 0, 0);

	assert_false(row_is_ok(&row));
}

TEST(the_table_has_a_line_for_each_row_and_counts_verdicts)
{
	static const struct row rows[] = {
		{.name = "shares: one",
		 .unit = UNIT_PERCENT,
		 .truth = 75,
		 .measured = 76.04,
		 .within = 3.75,
		 .remark = "of 1200 samples"},
		{.name = "short: time",
		 .unit = UNIT_MS,
		 .truth = 1234.4,
		 .measured = 900,
		 .within = 150,
		 .remark = "27.1 % missing"},
		{.name = "lines: hottest line",
		 .unit = UNIT_LINE,
		 .truth = 198,
		 .skipped = "no debug information"},
		{.name = "skid: behind", .unit = UNIT_BYTES, .measured = -3, .within = 15},
		{.name = "lost: samples", .unit = UNIT_SAMPLES, .measured = NAN, .within = 6},
	};
	static const char expected[] =
		"check                                          true   measured     within  "
		"verdict\n"
		"shares: one                                  75.0 %     76.0 %      3.8 %  ok: of "
		"1200 samples\n"
		"short: time                                 1234 ms     900 ms     150 ms  off: "
		"27.1 % missing\n"
		"lines: hottest line                               -          -          -  "
		"skipped: no debug information\n"
		"skid: behind                                    0 B       -3 B       15 B  ok\n"
		"lost: samples                                     0          -          6  off\n"
		"2 ok, 2 off, 1 skipped\n";
	struct op_text_stream stream;
	struct table table;

	op_text_stream_open(&stream);
	table_begin(&table, stream.out);
	for (size_t i = 0; i < OP_ARRAY_SIZE(rows); i++)
		table_add(&table, &rows[i]);
	table_end(&table);
	op_text_stream_close(&stream);
	assert_string_equal(stream.text, expected);
	assert_int_equal(table.off, 2);
	free(stream.text);
}

static char *describe(const char *cpuinfo, const char *paranoid)
{
	struct op_text_stream stream;

	op_text_stream_open(&stream);
	machine_write(stream.out, cpuinfo, paranoid);
	op_text_stream_close(&stream);
	return stream.text;
}

static void expect_line(const char *cpuinfo, const char *paranoid, const char *line)
{
	char *text = describe(cpuinfo, paranoid);

	if (!strstr(text, line))
		fail_msg("no line \"%s\" in:\n%s", line, text);
	free(text);
}

TEST(the_head_tells_cpu_and_virtual_machine)
{
	expect_line("model name\t: Some CPU @ 3 GHz\nflags\t\t: fpu hypervisor sse\n", "2\n",
		    "\nCPU:                  Some CPU @ 3 GHz\n");
	expect_line("flags\t\t: fpu hypervisor\n", "2\n", "\nvirtual machine:      yes\n");
	expect_line("flags\t\t: fpu hypervisors\nbugs: hypervisor\n", "2\n",
		    "\nvirtual machine:      not as far as the CPU tells\n");
	expect_line("bugs: hypervisor\n", "2\n", "\nvirtual machine:      unknown\n");
	expect_line(NULL, NULL, "\nCPU:                  unknown\n");
	expect_line(NULL, "-1\n", "\nperf_event_paranoid:  -1, user ");
	expect_line(NULL, NULL, "\nperf_event_paranoid:  unknown, user ");
	expect_line("model name : a\x1b[2Jb\n", "2\n", "CPU:                  a\\x1b[2Jb\n");
}
