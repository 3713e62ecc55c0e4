// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The first look at a profile: the hottest functions and source lines.
 *
 *	   self%  incl.%  function                              image
 *	   98.72  100.00  work(std::vector<Item>&)              prog
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
#include "event_column.h"
#include "report.h"

enum { FUNCTIONS = 5, LINES = 3 };

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

static int compare_rows(const void *a, const void *b, void *context)
{
	const struct hottest *hottest = context;
	const struct pp_classes *classes = hottest->profile->classes;
	const struct pp_row *left = *(struct pp_row *const *)a, *right = *(struct pp_row *const *)b;
	int order = op_compare_u64(pp_weight(classes, right->counts, hottest->class),
				   pp_weight(classes, left->counts, hottest->class));

	return order ? order : strcmp(left->symbol, right->symbol);
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

/* The image of a row, or the source line that it is of; the caller frees it. */
static char *place_of(const struct pp_row *row, bool is_line)
{
	const char *slash = is_line ? strrchr(row->place.file, '/') : NULL;

	return is_line ? op_format("%s:%d", slash ? slash + 1 : row->place.file, row->place.line)
		       : op_copy(row->image->base);
}

static void put_row(struct hottest *hottest, const struct pp_row *row, bool is_line)
{
	char *place = place_of(row, is_line);

	op_line_row(&hottest->line, share_of(hottest, row->counts));
	op_line_width(&hottest->line, INDENT);
	hottest_put_share(hottest, row->counts);
	if (hottest->profile->has_stacks)
		hottest_put_share(hottest, row->inclusive);
	hottest_put_text(hottest, row->symbol, hottest->width);
	hottest_put_text(hottest, place, WIDTH_LAST);
	op_line_end(&hottest->line, hottest->out);
	free(place);
}

/* Return: how many rows there are. */
static size_t put_list(struct hottest *hottest, size_t most, bool is_line)
{
	const struct pp_profile *profile = hottest->profile;
	struct pp_row **rows = op_alloc(profile->n_rows + 1, sizeof(struct pp_row *));
	size_t n = 0;

	for (size_t i = 0; i < profile->n_rows; i++)
		if (profile->rows[i]->counts[hottest->class] &&
		    (!is_line || profile->rows[i]->place.file))
			rows[n++] = profile->rows[i];
	if (n)
		qsort_r(rows, n, sizeof(struct pp_row *), compare_rows, hottest);
	if (n && !hottest->style->no_header)
		hottest_put_head(hottest, is_line ? "line of function" : "function",
				 is_line ? "source" : "image");
	for (size_t i = 0; i < n && i < most; i++)
		put_row(hottest, rows[i], is_line);
	free(rows);
	return n;
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

void pp_report_hottest(const struct pp_profile *functions, const struct pp_profile *lines,
		       const struct pp_report_style *style, FILE *out)
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
		put_list(&hottest, FUNCTIONS, false);
		fputc('\n', out);
		hottest.profile = lines;
		if (!put_list(&hottest, LINES, true))
			fputs("  No source line is known: programs have them that are built with "
			      "-g\n",
			      out);
	}
	op_line_free(&hottest.line);
}
