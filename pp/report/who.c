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
#include "pp/select/weights.h"
#include "report.h"

enum { WIDTH_NUMBER = 9, WIDTH_SCREEN_SHARE = 8, WIDTH_ID = 9, WIDTH_THREAD = 15, LEAST_NAME = 20 };

struct who {
	const struct pp_profile *profile;
	const struct pp_report_style *style;
	FILE *out;
	struct op_line line;
	size_t *order;	   /* classes, the most samples first */
	uint64_t *weights; /* by class */
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

static int compare_classes(const void *a, const void *b, void *context)
{
	const struct who *who = context;
	const size_t left = *(const size_t *)a, right = *(const size_t *)b;

	if (who->weights[left] != who->weights[right])
		return who->weights[left] > who->weights[right] ? -1 : 1;
	return op_compare_u64(left, right);
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

/* The applications of a class: the one with the most samples, and how many others there are. */
static char *programs_of(const struct who *who, size_t class)
{
	const struct pp_profile *profile = who->profile;
	const struct pp_image *first = NULL;
	const char *name;
	size_t n = 0;

	for (size_t i = 0; i < profile->n_apps; i++) {
		const struct pp_image *app = &profile->apps[i];

		n += app->counts[class] > 0;
		if (app->counts[class] && (!first || app->counts[class] > first->counts[class]))
			first = app;
	}
	if (!first)
		return op_copy("");
	name = who->style->long_names ? first->full : first->base;
	return n > 1 ? op_format("%s and %zu more", name, n - 1) : op_copy(name);
}

static void put_programs(struct who *who, size_t class)
{
	size_t columns = who->style->columns, used;
	char *text = programs_of(who, class);

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

static void put_class(struct who *who, size_t class)
{
	const struct pp_class *of = &who->profile->classes->items[class];
	int64_t id = pp_who_of(of, who->style->by);
	const char *name = pp_head_thread_name(&who->profile->head, of);

	op_line_row(&who->line, share_of(who, who->weights[class]));
	who_put_text(who, "", WIDTH_NUMBER);
	op_line_count(&who->line, who->profile->totals[class],
		      who->style->columns ? WIDTH_NUMBER - 1 : 0);
	who_put_text(who, "", width_of_share(who));
	op_line_share(&who->line, share_of(who, who->weights[class]));
	who_put_text(who, "", who->style->by == PP_BY_LABEL ? who->width_label : WIDTH_ID);
	if (who->style->by == PP_BY_LABEL)
		op_line_safe(&who->line, of->label ? of->label : "none");
	else if (id == OP_ALL)
		op_line_puts(&who->line, "not known");
	else
		op_line_count(&who->line, (uint64_t)id, 0);
	if (who->has_names)
		who_put_text(who, name ? name : "", WIDTH_THREAD);
	put_programs(who, class);
	op_line_end(&who->line, who->out);
}

static void put_classes(struct who *who)
{
	const size_t n = who->profile->classes->n;
	uint64_t most = who->style->max_lines, rest = 0;
	size_t n_shown = 0, n_rest = 0;
	bool *shown = op_alloc(n + 1, sizeof(*shown));

	for (size_t i = 0; i < n; i++) {
		uint64_t weight = who->weights[who->order[i]];

		shown[i] =
			(!most || n_shown < most) && share_of(who, weight) >= who->style->threshold;
		n_shown += shown[i];
		n_rest += !shown[i];
		rest += shown[i] ? 0 : weight;
	}
	for (size_t i = 0; i < n; i++) {
		size_t place = who->style->reverse ? n - 1 - i : i;

		if (shown[place])
			put_class(who, who->order[place]);
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

void pp_report_who(const struct pp_profile *profile, const struct pp_report_style *style, FILE *out)
{
	const size_t n = profile->classes->n;
	struct who who = {.profile = profile,
			  .style = style,
			  .out = out,
			  .line = {.color = style->color, .brief = style->columns},
			  .order = op_alloc(n + 1, sizeof(size_t)),
			  .weights = op_alloc(n + 1, sizeof(uint64_t))};
	bool has_weights = false; /* then all have the unit of events */

	for (size_t i = 0; i < n; i++)
		has_weights |= profile->classes->items[i].is_weighted;
	for (size_t i = 0; i < n; i++) {
		who.order[i] = i;
		who.weights[i] = has_weights ? pp_events(profile->classes, profile->totals, i)
					     : profile->totals[i];
		who.whole += who.weights[i];
	}
	for (size_t i = 0; i < n && style->by == PP_BY_THREAD; i++)
		who.has_names |=
			pp_head_thread_name(&profile->head, &profile->classes->items[i]) != NULL;
	for (size_t i = 0; i < n && style->by == PP_BY_LABEL; i++) {
		const char *label = profile->classes->items[i].label;

		if (label && strlen(label) > who.width_label)
			who.width_label = strlen(label);
	}
	if (style->by == PP_BY_LABEL && strlen(style->label) > who.width_label)
		who.width_label = strlen(style->label);
	qsort_r(who.order, n, sizeof(*who.order), compare_classes, &who);
	who_put_head(&who);
	put_classes(&who);
	free(who.order);
	free(who.weights);
	op_line_free(&who.line);
}
