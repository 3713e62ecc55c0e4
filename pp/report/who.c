// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Samples by process, thread or CPU: a line each, and the program that most samples are of.  If the
 * sessions have names of threads, they stand between.
 *
 *	samples  %         process  app name
 *	     90  90.0000      1200  redis-server
 *	     10  10.0000      1317  bash and 3 more
 */
#include <stdlib.h>
#include <string.h>

#include "largest.h"
#include "libop/base/memory.h"
#include "libop/base/number.h"
#include "libop/text/cells.h"
#include "pp/select/label_sums.h"
#include "pp/select/weights.h"
#include "pp/symbols/image_name.h"
#include "report.h"

enum { WIDTH_NUMBER = 9, WIDTH_SCREEN_SHARE = 8, WIDTH_ID = 9, WIDTH_THREAD = 15, LEAST_NAME = 20 };

/* A line. */
struct who_row {
	size_t order;	    /* among rows of one weight */
	int64_t id;	    /* of the process, thread or CPU, or OP_ALL */
	const char *label;  /* or the value of the label; NULL: none */
	const char *thread; /* its name, or NULL */
	uint64_t samples, weight;
	const struct op_image_name *program; /* with the most samples */
	size_t n_programs;
};

struct who {
	const struct pp_profile *profile;
	const struct pp_report_style *style;
	FILE *out;
	struct op_line line;
	struct who_row *rows; /* the most samples first */
	size_t n, capacity;
	uint64_t whole;
	bool has_names;	    /* of threads */
	size_t width_label; /* columns of the longest value of a label */
};

/* The process, thread or CPU of a class, or OP_ALL. */
static int64_t pp_who_of(const struct pp_class *class, enum pp_by by)
{
	return by == PP_BY_PROCESS ? class->tgid : by == PP_BY_THREAD ? class->tid : class->cpu;
}

bool pp_who_is_known(const struct pp_class *class, enum pp_by by)
{
	return by == PP_BY_LABEL ? class->label != NULL : pp_who_of(class, by) != OP_ALL;
}

static void who_put_text(struct who *who, const char *text, size_t width)
{
	op_line_cell(&who->line);
	op_line_width(&who->line, width);
	op_line_safe(&who->line, text);
}

static size_t width_of_share(const struct who *who)
{
	return who->style->columns ? WIDTH_SCREEN_SHARE : WIDTH_NUMBER;
}

static void who_put_head(struct who *who)
{
	static const char *const heads[] = {
		[PP_BY_PROCESS] = "process", [PP_BY_THREAD] = "thread", [PP_BY_CPU] = "CPU"};

	if (who->style->no_header)
		return;
	op_line_tone(&who->line, OP_TONE_HEAD);
	who_put_text(who, who->style->columns ? " samples" : "samples", WIDTH_NUMBER);
	who_put_text(who, who->style->columns ? "     %" : "%", width_of_share(who));
	if (who->style->by == PP_BY_LABEL)
		who_put_text(who, who->style->label, who->width_label);
	else
		who_put_text(who, heads[who->style->by], WIDTH_ID);
	if (who->has_names)
		who_put_text(who, "name", WIDTH_THREAD);
	who_put_text(who, who->style->columns ? "program" : "app name", 0);
	op_line_tone(&who->line, OP_TONE_PLAIN);
	op_line_end(&who->line, who->out);
}

/* The programs of a row: the one with the most samples, and how many others there are. */
static char *programs_of(const struct who *who, const struct who_row *row)
{
	char *name, *text;

	if (!row->program)
		return op_copy("");
	name = who->style->long_names ? pp_image_full_name(row->program)
				      : pp_image_base_name(row->program);
	if (row->n_programs == 1)
		return name;
	text = op_format("%s and %zu more", name, row->n_programs - 1);
	free(name);
	return text;
}

static void put_programs(struct who *who, const struct who_row *row)
{
	size_t columns = who->style->columns, used;
	char *text = programs_of(who, row);

	op_line_cell(&who->line);
	used = op_line_columns(&who->line);
	if (columns)
		op_line_short(&who->line, text,
			      columns > used + LEAST_NAME ? columns - used : LEAST_NAME);
	else
		op_line_safe(&who->line, text);
	free(text);
}

static double share_of(const struct who *who, uint64_t weight)
{
	return op_percent(weight, who->whole);
}

static void put_row(struct who *who, const struct who_row *row)
{
	op_line_row(&who->line, share_of(who, row->weight));
	who_put_text(who, "", WIDTH_NUMBER);
	op_line_count(&who->line, row->samples, who->style->columns ? WIDTH_NUMBER - 1 : 0);
	who_put_text(who, "", width_of_share(who));
	op_line_share(&who->line, share_of(who, row->weight));
	who_put_text(who, "", who->style->by == PP_BY_LABEL ? who->width_label : WIDTH_ID);
	if (who->style->by == PP_BY_LABEL)
		op_line_safe(&who->line, row->label ? row->label : "none");
	else if (row->id == OP_ALL)
		op_line_puts(&who->line, "not known");
	else
		op_line_count(&who->line, (uint64_t)row->id, 0);
	if (who->has_names)
		who_put_text(who, row->thread ? row->thread : "", WIDTH_THREAD);
	put_programs(who, row);
	op_line_end(&who->line, who->out);
}

static void put_rows(struct who *who)
{
	uint64_t most = who->style->max_lines, rest = 0;
	size_t n_shown = 0, n_rest = 0;
	bool *shown = op_alloc(who->n + 1, sizeof(*shown));

	for (size_t i = 0; i < who->n; i++) {
		uint64_t weight = who->rows[i].weight;

		shown[i] =
			(!most || n_shown < most) && share_of(who, weight) >= who->style->threshold;
		n_shown += shown[i];
		n_rest += !shown[i];
		rest += shown[i] ? 0 : weight;
	}
	for (size_t i = 0; i < who->n; i++) {
		size_t place = who->style->reverse ? who->n - 1 - i : i;

		if (shown[place])
			put_row(who, &who->rows[place]);
	}
	if (n_rest && most) {
		char *text = pp_rest_text(n_rest, share_of(who, rest));

		who_put_text(who, "",
			     WIDTH_NUMBER + width_of_share(who) + WIDTH_ID +
				     (who->has_names ? WIDTH_THREAD : 0));
		who_put_text(who, text, 0);
		op_line_end(&who->line, who->out);
		free(text);
	}
	free(shown);
}

/* ---- rows ---- */

static struct who_row *add_row(struct who *who)
{
	who->rows = op_grow(who->rows, &who->capacity, who->n + 1, sizeof(*who->rows));
	who->rows[who->n] = (struct who_row){.order = who->n, .id = OP_ALL};
	return &who->rows[who->n++];
}

/* Of a class of the profile; programs are in the order of their names. */
static void add_class(struct who *who, size_t class, bool has_weights)
{
	const struct pp_profile *profile = who->profile;
	const struct pp_class *of = &profile->classes->items[class];
	struct who_row *row = add_row(who);
	uint64_t most = 0;

	row->id = pp_who_of(of, who->style->by);
	row->label = of->label;
	if (who->style->by == PP_BY_THREAD)
		row->thread = pp_head_thread_name(&profile->head, of);
	row->samples = profile->totals[class];
	row->weight =
		has_weights ? pp_events(profile->classes, profile->totals, class) : row->samples;
	for (size_t i = 0; i < profile->n_apps; i++) {
		uint64_t samples = profile->apps[i].counts[class];

		row->n_programs += samples > 0;
		if (samples > most)
			row->program = profile->apps[i].id;
		most = samples > most ? samples : most;
	}
}

static bool is_same_value(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* Of sums of all programs, whose event is that of the profile. */
static void add_sums(struct who *who, const struct pp_label_sums *sums)
{
	const struct pp_classes *classes = who->profile->classes;
	struct who_row *row = NULL;
	uint64_t most = 0;

	for (size_t i = 0; i < sums->n; i++) {
		const struct pp_label_sum *sum = &sums->items[i];
		const uint64_t counts[] = {sum->samples, sum->weight};

		if (!row || !is_same_value(row->label, sum->value)) {
			row = add_row(who);
			row->label = sum->value;
			most = 0;
		}
		row->samples += sum->samples;
		row->weight += pp_weight(classes, counts, 0);
		row->n_programs++;
		if (sum->samples > most) {
			row->program = &sum->app;
			most = sum->samples;
		}
	}
}

/* What percentages are of.  A sample with several values of a label is in the row of each. */
static uint64_t whole_of(const struct who *who, const struct pp_label_sums *sums)
{
	uint64_t whole = 0, all = pp_weight(who->profile->classes, who->profile->totals, 0);

	for (size_t i = 0; i < who->n; i++)
		whole += who->rows[i].weight;
	return sums->n && whole > all ? all : whole;
}

static int compare_rows(const void *a, const void *b)
{
	const struct who_row *left = a, *right = b;

	return left->weight != right->weight ? op_compare_u64(right->weight, left->weight)
					     : op_compare_u64(left->order, right->order);
}

void pp_report_who(const struct pp_profile *profile, const struct pp_label_sums *sums,
		   const struct pp_report_style *style, FILE *out)
{
	const struct pp_classes *classes = profile->classes;
	struct who who = {.profile = profile,
			  .style = style,
			  .out = out,
			  .line = {.color = style->color, .brief = style->columns}};
	bool has_weights = false; /* then all have the unit of events */

	for (size_t i = 0; i < classes->n; i++)
		has_weights |= classes->items[i].is_weighted;
	if (sums->n)
		add_sums(&who, sums);
	for (size_t i = 0; i < classes->n && !sums->n; i++)
		add_class(&who, i, has_weights);
	for (size_t i = 0; i < who.n; i++) {
		const char *label = who.rows[i].label;

		who.has_names |= who.rows[i].thread != NULL;
		if (label && strlen(label) > who.width_label)
			who.width_label = strlen(label);
	}
	who.whole = whole_of(&who, sums);
	if (style->by == PP_BY_LABEL && strlen(style->label) > who.width_label)
		who.width_label = strlen(style->label);
	if (who.n)
		qsort(who.rows, who.n, sizeof(*who.rows), compare_rows);
	who_put_head(&who);
	put_rows(&who);
	free(who.rows);
	op_line_free(&who.line);
}
