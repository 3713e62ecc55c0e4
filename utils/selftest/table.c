// SPDX-License-Identifier: GPL-2.0-or-later
/* The table: see table.h. */
#include "table.h"

#include <math.h>

#define STANDARD_ERRORS 3
#define NAME_WIDTH	40
#define NUMBER_WIDTH	10

bool row_is_ok(const struct row *row)
{
	return fabs(row->measured - row->truth) <= row->within;
}

struct row row_of_share(const char *name, double truth, double part, double whole, double samples)
{
	return (struct row){
		.name = name,
		.unit = UNIT_PERCENT,
		.truth = 100 * truth,
		.measured = 100 * part / whole,
		.within = 100 * STANDARD_ERRORS * sqrt(truth * (1 - truth) / samples),
	};
}

void table_begin(struct table *table, FILE *out)
{
	*table = (struct table){.out = out};
	fprintf(out, "%-*s %*s %*s %*s  %s\n", NAME_WIDTH, "check", NUMBER_WIDTH, "true",
		NUMBER_WIDTH, "measured", NUMBER_WIDTH, "within", "verdict");
}

static void write_number(FILE *out, double number, enum unit unit)
{
	static const char *const units[] = {
		[UNIT_PERCENT] = " %", [UNIT_MS] = " ms", [UNIT_BYTES] = " B",
		[UNIT_SAMPLES] = "",   [UNIT_LINE] = "",
	};
	char text[40];

	if (isfinite(number))
		snprintf(text, sizeof(text), "%.*f%s", unit == UNIT_PERCENT, number, units[unit]);
	else
		snprintf(text, sizeof(text), "-");
	fprintf(out, " %*s", NUMBER_WIDTH, text);
}

static const char *selftest_table_judge(struct table *table, const struct row *row)
{
	if (row->skipped) {
		table->skipped++;
		return "skipped";
	}
	if (row_is_ok(row)) {
		table->ok++;
		return "ok";
	}
	table->off++;
	return "off";
}

void table_add(struct table *table, const struct row *row)
{
	const char *remark = row->skipped ? row->skipped : row->remark;
	const char *verdict = selftest_table_judge(table, row);

	fprintf(table->out, "%-*s", NAME_WIDTH, row->name);
	write_number(table->out, row->skipped ? NAN : row->truth, row->unit);
	write_number(table->out, row->skipped ? NAN : row->measured, row->unit);
	write_number(table->out, row->skipped ? NAN : row->within, row->unit);
	fprintf(table->out, "  %s%s%s\n", verdict, *remark ? ": " : "", remark);
	fflush(table->out);
}

void table_end(const struct table *table)
{
	fprintf(table->out, "%u ok, %u off, %u skipped\n", table->ok, table->off, table->skipped);
}
