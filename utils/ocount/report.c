// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counts as text: see report.h.
 */
#include "report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/safe_text.h"
#include "libop/text/cells.h"
#include "libop/text/json.h"

#define NUMBER_SIZE 32

/* 1234567 as "1,234,567". */
static void put_thousands(uint64_t value, char text[NUMBER_SIZE])
{
	char digits[NUMBER_SIZE];
	int length = snprintf(digits, sizeof(digits), "%" PRIu64, value), at = 0;

	for (int i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			text[at++] = ',';
		text[at++] = digits[i];
	}
	text[at] = '\0';
}

static double percent(const struct count *count)
{
	return count->enabled ? 100.0 * (double)count->running / (double)count->enabled : 0;
}

struct row {
	const char *event;
	int number;
	struct count count;
};

static void put_table_row(const struct report *report, const struct row *row)
{
	char number[NUMBER_SIZE];

	put_thousands(count_scaled(&row->count), number);
	op_safe_printf(report->out, "  %-28s", row->event);
	if (report->place)
		fprintf(report->out, " %8d", row->number);
	if (row->count.running || !row->count.enabled)
		fprintf(report->out, " %20s %10.2f\n", number, percent(&row->count));
	else
		fprintf(report->out, " %20s %10s\n", "not counted", "0.00");
}

static void put_csv_row(const struct report *report, const struct row *row, double since)
{
	struct op_line event = {0};

	op_line_csv(&event, row->event);
	fprintf(report->out, "%.6f,%.*s,", since, (int)event.n, event.text);
	op_line_free(&event);
	if (report->place)
		fprintf(report->out, "%d,", row->number);
	fprintf(report->out, "%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.2f\n",
		count_scaled(&row->count), row->count.value, row->count.enabled, row->count.running,
		percent(&row->count));
}

static void put_json_row(const struct report *report, const struct row *row, double since)
{
	fprintf(report->out, "{\"time\": %.6f, \"event\": ", since);
	op_json_quote(report->out, row->event);
	if (report->place)
		fprintf(report->out, ", \"%s\": %d",
			strcmp(report->place, "CPU") ? "thread" : "cpu", row->number);
	fprintf(report->out,
		", \"count\": %" PRIu64 ", \"counted\": %" PRIu64 ", \"enabled_ns\": %" PRIu64
		", \"running_ns\": %" PRIu64 "}\n",
		count_scaled(&row->count), row->count.value, row->count.enabled,
		row->count.running);
}

static void ocount_report_put_head(struct report *report, const struct row *rows, size_t count,
				   double seconds, double since)
{
	bool scaled = false;

	for (size_t i = 0; i < count; i++)
		scaled |= rows[i].count.running < rows[i].count.enabled;
	if (report->format == FORMAT_BRIEF && !report->begun)
		fprintf(report->out, "time,event,%scount,counted,enabled_ns,running_ns,percent\n",
			!report->place		       ? ""
			: strcmp(report->place, "CPU") ? "thread,"
						       : "cpu,");
	report->begun = true;
	if (report->format != FORMAT_TABLE)
		return;
	if (report->intervals)
		fprintf(report->out, "\nAfter %.3f seconds:", since);
	fputc('\n', report->out);
	op_safe_line(report->out, "Counted for %.3f seconds in %s (%s counts):", seconds,
		     report->what, scaled ? "scaled" : "actual");
	fputc('\n', report->out);
	fprintf(report->out, "  %-28s", "Event");
	if (report->place)
		fprintf(report->out, " %8s", report->place);
	fprintf(report->out, " %20s %10s\n", "Count", "% counted");
}

static int read_rows(struct counts *counts, struct row *rows, struct op_error *error)
{
	for (size_t i = 0; i < counts->events->count; i++) {
		for (size_t j = 0; j < counts->places; j++) {
			struct row *row = &rows[i * counts->places + j];

			row->event = counts->events->event[i].event.name;
			row->number = counts->place[j].number;
			if (counts_read(counts, j, i, &row->count, error))
				return -1;
		}
	}
	return 0;
}

int report_write(struct report *report, struct counts *counts, double seconds, double since,
		 struct op_error *error)
{
	size_t count = counts->events->count * counts->places;
	struct row *rows = calloc(count + 1, sizeof(*rows));

	if (!rows)
		return op_error_memory(error);
	if (read_rows(counts, rows, error)) {
		free(rows);
		return -1;
	}
	ocount_report_put_head(report, rows, count, seconds, since);
	for (size_t i = 0; i < count; i++) {
		if (report->format == FORMAT_TABLE)
			put_table_row(report, &rows[i]);
		else if (report->format == FORMAT_BRIEF)
			put_csv_row(report, &rows[i], since);
		else
			put_json_row(report, &rows[i], since);
	}
	free(rows);
	if (fflush(report->out) || ferror(report->out))
		return op_error_errno(error, "cannot write the counts");
	return 0;
}
