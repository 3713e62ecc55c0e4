// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The first look at a profile: the hottest functions and source lines.
 *
 *	   self%  incl.%  function                              image
 *	   98.72  100.00  work(std::vector<Item>&)              prog
 *
 *	   self%  incl.%  function made at run time             program
 *	   98.02   98.02  py::work:/srv/prog.py                 python3.13
 *
 *	   self%  incl.%  line of function                      source
 *	   96.48   97.74  normalise<double>(double)             prog.cpp:5
 */
#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"
#include "libop/base/number.h"
#include "libop/text/cells.h"
#include "pp/select/weights.h"
#include "pp/symbols/image_name.h"
#include "event_column.h"
#include "report.h"

enum { FUNCTIONS = 5, LINES = 3 };

/* Percent of all samples that a function made at run time has, with what it calls, if such
 * functions are listed. */
#define RUN_TIME_LEAST 1

/* Columns of a line where it is not for a terminal, and of the last cell. */
enum { COLUMNS = 80, INDENT = 2, WIDTH_SHARE = 7, WIDTH_LAST = 22 };

struct hottest {
	const struct pp_profile *profile;
	const struct pp_report_style *style;
	FILE *out;
	struct op_line line;
	size_t width; /* of names of functions */
	size_t class; /* whose shares these are */
};

/* What a list is of. */
enum list { LIST_FUNCTIONS, LIST_RUN_TIME, LIST_LINES };

/* struct hot_row - a row of a list, and the samples that are its own there */
struct hot_row {
	const struct pp_row *row;
	const uint64_t *counts;
};

static int compare_rows(const void *a, const void *b, void *context)
{
	const struct hottest *hottest = context;
	const struct pp_classes *classes = hottest->profile->classes;
	const struct hot_row *left = a, *right = b;
	int order = op_compare_u64(pp_weight(classes, right->counts, hottest->class),
				   pp_weight(classes, left->counts, hottest->class));

	return order ? order : strcmp(left->row->symbol, right->row->symbol);
}

static double share_of(const struct hottest *hottest, const uint64_t *counts)
{
	return pp_weight_share(hottest->profile->classes, counts, hottest->profile->totals,
			       hottest->class);
}

static void hottest_put_text(struct hottest *hottest, const char *text, size_t width)
{
	op_line_cell(&hottest->line);
	op_line_width(&hottest->line, width);
	op_line_short(&hottest->line, text, width - 1);
}

static void hottest_put_share(struct hottest *hottest, const uint64_t *counts)
{
	op_line_cell(&hottest->line);
	op_line_width(&hottest->line, WIDTH_SHARE);
	op_line_share(&hottest->line, share_of(hottest, counts));
}

static void hottest_put_head(struct hottest *hottest, const char *name, const char *last)
{
	op_line_tone(&hottest->line, OP_TONE_HEAD);
	op_line_width(&hottest->line, INDENT);
	hottest_put_text(hottest, " self%", WIDTH_SHARE);
	if (hottest->profile->has_stacks)
		hottest_put_text(hottest, "incl.%", WIDTH_SHARE);
	hottest_put_text(hottest, name, hottest->width);
	hottest_put_text(hottest, last, WIDTH_LAST);
	op_line_tone(&hottest->line, OP_TONE_PLAIN);
	op_line_end(&hottest->line, hottest->out);
}

/* The image of a row, its program, or the source line that it is of; the caller frees it. */
static char *place_of(const struct pp_row *row, enum list list)
{
	const char *slash = list == LIST_LINES ? strrchr(row->place.file, '/') : NULL;

	if (list == LIST_LINES)
		return op_format("%s:%d", slash ? slash + 1 : row->place.file, row->place.line);
	return op_copy(list == LIST_RUN_TIME ? row->app->base : row->image->base);
}

/* The name of a row; where it has a path, as "py::work:/srv/prog.py", and is too long for the line,
 * without its folders.  The caller frees it. */
static char *name_of(const struct hottest *hottest, const struct pp_row *row)
{
	const char *path = strchr(row->symbol, '/'), *last = strrchr(row->symbol, '/');

	if (strlen(row->symbol) < hottest->width || !path || path == row->symbol ||
	    !strchr(": ", path[-1]))
		return op_copy(row->symbol);
	return op_format("%.*s%s", (int)(path - row->symbol), row->symbol, last + 1);
}

static void put_row(struct hottest *hottest, const struct hot_row *hot, enum list list)
{
	const struct pp_row *row = hot->row;
	char *place = place_of(row, list), *name = name_of(hottest, row);

	op_line_row(&hottest->line, share_of(hottest, hot->counts));
	op_line_width(&hottest->line, INDENT);
	hottest_put_share(hottest, hot->counts);
	if (hottest->profile->has_stacks)
		hottest_put_share(hottest, row->inclusive);
	hottest_put_text(hottest, name, hottest->width);
	hottest_put_text(hottest, place, WIDTH_LAST);
	op_line_end(&hottest->line, hottest->out);
	free(place);
	free(name);
}

/* The rows of a list that have samples, in order. */
static void put_rows(struct hottest *hottest, struct hot_row *rows, size_t n, enum list list)
{
	static const char *const heads[][2] = {{"function", "image"},
					       {"function made at run time", "program"},
					       {"line of function", "source"}};
	size_t most = list == LIST_LINES ? LINES : FUNCTIONS;

	if (n)
		qsort_r(rows, n, sizeof(*rows), compare_rows, hottest);
	if (n && !hottest->style->no_header)
		hottest_put_head(hottest, heads[list][0], heads[list][1]);
	for (size_t i = 0; i < n && i < most; i++)
		put_row(hottest, &rows[i], list);
}

/* Return: how many rows there are. */
static size_t put_list(struct hottest *hottest, enum list list)
{
	const struct pp_profile *profile = hottest->profile;
	struct hot_row *rows = op_alloc(profile->n_rows + 1, sizeof(*rows));
	size_t n = 0;

	for (size_t i = 0; i < profile->n_rows; i++) {
		const struct pp_row *row = profile->rows[i];

		if (row->counts[hottest->class] && (list != LIST_LINES || row->place.file))
			rows[n++] = (struct hot_row){row, row->counts};
	}
	put_rows(hottest, rows, n, list);
	free(rows);
	return n;
}

/* ---- code made at run time ---- */

static bool is_run_time(const struct pp_row *row)
{
	return !row->is_unnamed && !row->is_hidden && row->image->id->kind == OP_IMAGE_ANON &&
	       !pp_image_is_vdso(row->image->id);
}

bool pp_hottest_has_run_time(const struct pp_profile *functions)
{
	const struct pp_classes *classes = functions->classes;

	for (size_t i = 0; functions->has_stacks && i < functions->n_rows; i++) {
		const struct pp_row *row = functions->rows[i];

		for (size_t class = 0; is_run_time(row) && class < classes->n; class ++)
			if (pp_weight_share(classes, row->inclusive, functions->totals, class) >=
			    RUN_TIME_LEAST)
				return true;
	}
	return false;
}

/*
 * Samples by the innermost function of a stack that was made at run time: those of what runs or
 * helps it, such as an interpreter, are its own.  Return: by number of the row; the caller frees
 * it.
 */
static uint64_t *add_up_run_time(const struct pp_profile *profile)
{
	const struct pp_call_tree *tree = profile->call_tree;
	size_t stride = 2 * profile->classes->n;
	uint64_t *sums = op_alloc(profile->n_rows * stride + 1, sizeof(*sums));
	const struct pp_row **innermost = op_alloc(tree->n + 1, sizeof(*innermost));

	for (size_t i = 0; i < profile->n_rows; i++)
		profile->rows[i]->number = i;
	for (size_t i = 1; i < tree->n; i++) {
		const struct pp_call_node *node = &tree->nodes[i];

		innermost[i] = is_run_time(node->row) ? node->row : innermost[node->above];
		if (innermost[i])
			pp_counts_add(profile->classes, &sums[innermost[i]->number * stride],
				      node->ends);
	}
	free(innermost);
	return sums;
}

static void put_run_time(struct hottest *hottest)
{
	const struct pp_profile *profile = hottest->profile;
	struct hot_row *rows = op_alloc(profile->n_rows + 1, sizeof(*rows));
	uint64_t *sums = add_up_run_time(profile);
	size_t n = 0;

	for (size_t i = 0; i < profile->n_rows; i++) {
		const uint64_t *counts = &sums[i * 2 * profile->classes->n];

		if (counts[hottest->class])
			rows[n++] = (struct hot_row){profile->rows[i], counts};
	}
	put_rows(hottest, rows, n, LIST_RUN_TIME);
	if (n)
		fputc('\n', hottest->out);
	free(sums);
	free(rows);
}

/* Of several classes, which one follows: "page-faults". */
static void put_title(struct hottest *hottest)
{
	const struct pp_classes *classes = hottest->profile->classes;
	char *head = classes->n > 1 ? pp_class_head(classes, hottest->class, 0) : NULL;

	if (!head)
		return;
	op_line_puts(&hottest->line, hottest->class ? "\n" : "");
	op_line_tone(&hottest->line, OP_TONE_HEAD);
	op_line_safe(&hottest->line, head);
	op_line_tone(&hottest->line, OP_TONE_PLAIN);
	op_line_end(&hottest->line, hottest->out);
	free(head);
}

void pp_report_hottest(const struct pp_profile *functions, const struct pp_profile *run_time,
		       const struct pp_profile *lines, const struct pp_report_style *style,
		       FILE *out)
{
	size_t columns = style->columns ? style->columns : COLUMNS;
	size_t others = INDENT + (functions->has_stacks ? 2 : 1) * WIDTH_SHARE + WIDTH_LAST;
	struct hottest hottest = {
		.profile = functions,
		.style = style,
		.out = out,
		.line = {.color = style->color, .brief = true},
		.width = columns > others + WIDTH_LAST ? columns - others : WIDTH_LAST,
	};

	for (size_t i = 0; i < functions->classes->n; i++) {
		hottest.class = i;
		put_title(&hottest);
		hottest.profile = functions;
		put_list(&hottest, LIST_FUNCTIONS);
		fputc('\n', out);
		hottest.profile = run_time;
		if (run_time)
			put_run_time(&hottest);
		hottest.profile = lines;
		if (!put_list(&hottest, LIST_LINES))
			fputs("  No source line is known: programs have them that are built with "
			      "-g\n",
			      out);
	}
	op_line_free(&hottest.line);
}
