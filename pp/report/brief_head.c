// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The head of a report on a terminal: a line of what was profiled, where, when and for how long,
 * and one of what was counted.
 *
 *	operf ./prog, on vm, 2026-11-28 12:03, 0.464 s
 *	391 samples of cpu-clock, one each 1.17 ms
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"
#include "libop/base/safe_text.h"
#include "libop/base/text_stream.h"
#include "libop/perf/event.h"
#include "libop/text/shorten.h"
#include "pp/select/multiplexing.h"
#include "pp/select/weights.h"
#include "report.h"

/* Columns that are left to the command at least, and those of what is not for a terminal. */
enum { COMMAND_LEAST = 20, COLUMNS = 80 };

/* What was profiled, in as many columns: the command, or else the session; the caller frees it. */
static char *what_of(const struct pp_head *head, size_t columns)
{
	size_t n = pp_head_sessions(head);
	char *others = n > 1 ? op_format(" and %zu more", n - 1) : op_copy("");
	char *name, *shown, *what;

	name = head->command.text && n == 1 ? op_copy(head->command.text)
	       : n			    ? pp_head_session_name(head->dirs[0])
					    : op_copy("no session");
	columns =
		columns > strlen(others) + COMMAND_LEAST ? columns - strlen(others) : COMMAND_LEAST;
	shown = op_text_shorten(name, columns);
	what = op_format("%s%s", shown, others);
	free(shown);
	free(others);
	free(name);
	return what;
}

/* ", on vm, 2026-11-28 12:03, 0.464 s"; the caller frees it. */
static char *where_of(const struct pp_head *head)
{
	const struct pp_fact *host = &head->hostname;
	struct op_text_stream stream;

	op_text_stream_open(&stream);
	if (host->text)
		op_safe_printf(stream.out, ", on %s%s", host->text,
			       host->varies ? " and others" : "");
	pp_report_time(head, ", ", "%F %R", stream.out);
	op_text_stream_close(&stream);
	return stream.text;
}

/* "1.17 ms" */
static void put_time(uint64_t ns, FILE *out)
{
	static const struct {
		uint64_t unit;
		const char *name;
	} units[] = {{1000000000, "s"}, {1000000, "ms"}, {1000, "us"}, {1, "ns"}};
	size_t i = 0;

	while (units[i].unit > 1 && ns < units[i].unit)
		i++;
	fprintf(out, "%.3g %s", (double)ns / (double)units[i].unit, units[i].name);
}

/* ", one each 1.17 ms" */
static void put_period(const struct pp_head *head, const struct pp_class *class, FILE *out)
{
	uint64_t rate = pp_head_rate(head, class);

	if (rate) {
		fprintf(out, ", %" PRIu64 " a second", rate);
	} else if (class->count) {
		fputs(", one each ", out);
		if (op_perf_is_clock_name(class->event))
			put_time(class->count, out);
		else
			fprintf(out, "%" PRIu64, class->count);
	}
}

static void put_count(uint64_t n, const struct pp_class *class, FILE *out)
{
	bool is_timer = !strcmp(class->event, "TIMER");

	op_safe_printf(out, "%" PRIu64 " sample%s %s", n, n == 1 ? "" : "s",
		       is_timer ? "by timer interrupts" : "of ");
	if (!is_timer)
		op_safe_printf(out, "%s", class->event);
}

static void put_class(const struct pp_profile *profile, size_t number, FILE *out)
{
	const struct pp_class *class = &profile->classes->items[number];

	put_count(profile->totals[number], class, out);
	if (class->unit_mask && !class->many_unit_masks)
		fprintf(out, ":0x%02" PRIx64, class->unit_mask);
	put_period(&profile->head, class, out);
	pp_scale_put(class, out);
	if (pp_weights_differ(profile->classes, profile->totals, number))
		fputs("; shares are of events, of which samples stand for different numbers", out);
	fputc('\n', out);
	if (class->title)
		op_safe_line(out, "%s", class->title);
}

/* All columns are of one event: those of threads, say. */
static void put_sum(const struct pp_profile *profile, FILE *out)
{
	const struct pp_class *class = &profile->classes->items[0];
	uint64_t n = 0;

	for (size_t i = 0; i < profile->classes->n; i++)
		n += profile->totals[i];
	put_count(n, class, out);
	put_period(&profile->head, class, out);
	fputc('\n', out);
}

/* Columns of what is summed up would be wider than any terminal. */
static void put_sums(const struct pp_classes *classes, const struct pp_report_style *style,
		     FILE *out)
{
	const char *what = classes->merged_tid	  ? "thread"
			   : classes->merged_tgid ? "process"
			   : classes->merged_cpu  ? "cpu"
						  : NULL;

	if (what && style->by == PP_BY_APPLICATION)
		fprintf(out, "All %s together; --by=%s tells them apart\n",
			classes->merged_tid    ? "threads"
			: classes->merged_tgid ? "processes"
					       : "CPUs",
			what);
}

void pp_report_brief_head(const struct pp_profile *profile, const struct pp_report_style *style,
			  FILE *out)
{
	const struct pp_classes *classes = profile->classes;
	size_t columns = style->columns ? style->columns : COLUMNS;
	char *where = where_of(&profile->head), *what;

	what = what_of(&profile->head, columns > strlen(where) ? columns - strlen(where) : 0);
	op_safe_line(out, "%s%s", what, where);
	free(what);
	free(where);
	if (style->who_lines && classes->n)
		put_sum(profile, out);
	for (size_t i = 0; !style->who_lines && i < classes->n; i++)
		put_class(profile, i, out);
	put_sums(classes, style, out);
}
