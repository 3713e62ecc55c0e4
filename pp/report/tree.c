// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The tree of calls: below each function what it calls, or, inverted, what calls it.
 *
 *	inclusive  %         samples  %         symbol name
 *	       90  90.0000         0        0  main [prog]
 *	       60  60.0000        60  60.0000    work
 *	                                         … 2 more (30.0 %)
 */
#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"
#include "libop/base/number.h"
#include "libop/text/cells.h"
#include "largest.h"
#include "pp/select/weights.h"
#include "report.h"

/* The least columns of a name, and of what stands behind the indentation. */
enum { WIDTH_COUNT = 10, WIDTH_PERCENT = 9, INDENT = 2, LEAST_NAME = 20, LEAST_DEEP = 28 };
/* On a terminal. */
enum { WIDTH_SCREEN_COUNT = 9, WIDTH_SCREEN_PERCENT = 7 };

/* What is shown below a node: places in report::order. */
struct range {
	size_t next, end;
};

struct report {
	const struct pp_profile *profile;
	const struct pp_call_tree *tree;
	const struct pp_report_style *style;
	FILE *out;
	struct op_line line;
	uint32_t *order;     /* nodes by the one above, the most samples first */
	struct range *below; /* by node */
	bool *shown;	     /* by node */
	struct range *path;  /* of the nodes above the current one */
	size_t path_capacity;
	bool has_apps; /* more than one */
};

static int report_tree_compare_rows(const struct pp_row *a, const struct pp_row *b)
{
	int order = strcmp(a->symbol, b->symbol);

	order = order ? order : op_compare_u64(a->image->order, b->image->order);
	order = order ? order : op_compare_u64(a->app->order, b->app->order);
	return order ? order : op_compare_u64(a->place.vma, b->place.vma);
}

static uint64_t weight_of(const struct report *report, uint32_t node)
{
	return pp_weight(report->profile->classes, report->tree->nodes[node].counts, 0);
}

static double share_of(const struct report *report, const uint64_t *counts, size_t class)
{
	return pp_weight_share(report->profile->classes, counts, report->profile->totals, class);
}

/* ---- order ---- */

static int compare_nodes(const void *a, const void *b, void *context)
{
	const struct report *report = context;
	const uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
	const struct pp_call_node *nodes = report->tree->nodes;
	int order = op_compare_u64(nodes[left].above, nodes[right].above);

	order = order ? order : op_compare_u64(weight_of(report, right), weight_of(report, left));
	return order ? order : report_tree_compare_rows(nodes[left].row, nodes[right].row);
}

/* The most samples first; a node is behind the one above it, which has as many at least. */
static int compare_weights(const void *a, const void *b, void *context)
{
	const struct report *report = context;
	const uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
	int order = op_compare_u64(weight_of(report, right), weight_of(report, left));

	return order ? order : op_compare_u64(left, right);
}

static void order_nodes(struct report *report)
{
	const struct pp_call_tree *tree = report->tree;
	size_t n = tree->n - 1;

	report->order = op_alloc(tree->n, sizeof(*report->order));
	report->below = op_alloc(tree->n, sizeof(*report->below));
	for (size_t i = 0; i < n; i++)
		report->order[i] = (uint32_t)(i + 1);
	if (n)
		qsort_r(report->order, n, sizeof(*report->order), compare_nodes, report);
	for (size_t i = 0; i < n; i++) {
		struct range *below = &report->below[tree->nodes[report->order[i]].above];

		if (!below->end)
			below->next = i;
		below->end = i + 1;
	}
}

/* ---- what is shown ---- */

static void show_heaviest(struct report *report)
{
	uint32_t *nodes = op_alloc(report->tree->n, sizeof(*nodes));
	size_t n = 0;

	for (size_t i = 1; i < report->tree->n; i++)
		if (report->shown[i])
			nodes[n++] = (uint32_t)i;
	if (n)
		qsort_r(nodes, n, sizeof(*nodes), compare_weights, report);
	for (uint64_t i = report->style->max_lines; i < n; i++)
		report->shown[nodes[i]] = false;
	free(nodes);
}

static void choose_nodes(struct report *report)
{
	const struct pp_call_tree *tree = report->tree;
	const struct pp_report_style *style = report->style;
	uint32_t *depths = op_alloc(tree->n, sizeof(*depths));

	report->shown = op_alloc(tree->n, sizeof(*report->shown));
	report->shown[0] = true;
	for (size_t i = 1; i < tree->n; i++) {
		const struct pp_call_node *node = &tree->nodes[i];

		depths[i] = depths[node->above] + 1;
		report->shown[i] = report->shown[node->above] &&
				   (!style->max_depth || depths[i] <= style->max_depth) &&
				   share_of(report, node->counts, 0) >= style->threshold;
		report->has_apps |= node->row->app != tree->nodes[1].row->app;
	}
	if (style->max_lines)
		show_heaviest(report);
	free(depths);
}

/* ---- lines ---- */

static void report_put_text(struct report *report, const char *text, size_t width)
{
	op_line_cell(&report->line);
	op_line_width(&report->line, width);
	op_line_puts(&report->line, text);
}

/* Numbers of a terminal end where their columns do. */
static void put_screen_head(struct report *report)
{
	bool is_inverted = report->style->calls == PP_CALLS_FROM_CALLEES;

	for (size_t i = 0; i < report->profile->classes->n; i++) {
		report_put_text(report, is_inverted ? "     %" : "incl.%", WIDTH_SCREEN_PERCENT);
		if (!is_inverted)
			report_put_text(report, " self%", WIDTH_SCREEN_PERCENT);
		report_put_text(report, " samples", WIDTH_SCREEN_COUNT);
	}
	report_put_text(report, "function", 0);
}

static void put_plain_head(struct report *report)
{
	bool is_inverted = report->style->calls == PP_CALLS_FROM_CALLEES;

	for (size_t i = 0; i < report->profile->classes->n; i++) {
		report_put_text(report, is_inverted ? "samples" : "inclusive", WIDTH_COUNT);
		report_put_text(report, "%", WIDTH_PERCENT);
		if (is_inverted)
			continue;
		report_put_text(report, "samples", WIDTH_COUNT);
		report_put_text(report, "%", WIDTH_PERCENT);
	}
	report_put_text(report, "symbol name", 0);
}

static void report_put_head(struct report *report)
{
	if (report->style->no_header)
		return;
	op_line_tone(&report->line, OP_TONE_HEAD);
	if (report->style->columns)
		put_screen_head(report);
	else
		put_plain_head(report);
	op_line_tone(&report->line, OP_TONE_PLAIN);
	op_line_end(&report->line, report->out);
}

/* A number and its percentage; NULL: their room. */
static void put_count(struct report *report, const uint64_t *counts, size_t class)
{
	report_put_text(report, "", WIDTH_COUNT);
	if (counts)
		op_line_count(&report->line, counts[class], 0);
	report_put_text(report, "", WIDTH_PERCENT);
	if (counts)
		op_line_share(&report->line, share_of(report, counts, class));
}

/* On a terminal deep lines keep room for a name: "+12 name" is twelve levels further in. */
static void indent(struct report *report, size_t depth)
{
	size_t used = op_line_columns(&report->line) + LEAST_DEEP, most = depth;
	char deeper[32];

	if (report->style->columns)
		most = report->style->columns > used ? (report->style->columns - used) / INDENT : 0;
	for (size_t i = 0; i < depth && i < most; i++)
		op_line_puts(&report->line, "  ");
	if (depth <= most)
		return;
	snprintf(deeper, sizeof(deeper), "+%zu ", depth - most);
	op_line_puts(&report->line, deeper);
}

static void put_screen_share(struct report *report, const uint64_t *counts, size_t class)
{
	report_put_text(report, "", WIDTH_SCREEN_PERCENT);
	if (counts)
		op_line_share(&report->line, share_of(report, counts, class));
}

static void put_screen_numbers(struct report *report, const struct pp_call_node *node, size_t class)
{
	put_screen_share(report, node ? node->counts : NULL, class);
	if (report->style->calls == PP_CALLS_FROM_CALLERS)
		put_screen_share(report, node ? node->ends : NULL, class);
	report_put_text(report, "", WIDTH_SCREEN_COUNT);
	if (node)
		op_line_count(&report->line, node->counts[class], WIDTH_SCREEN_COUNT - 1);
}

static void begin_line(struct report *report, const struct pp_call_node *node, size_t depth)
{
	for (size_t i = 0; i < report->profile->classes->n; i++) {
		if (report->style->columns) {
			put_screen_numbers(report, node, i);
			continue;
		}
		put_count(report, node ? node->counts : NULL, i);
		if (report->style->calls == PP_CALLS_FROM_CALLERS)
			put_count(report, node ? node->ends : NULL, i);
	}
	op_line_cell(&report->line);
	indent(report, depth);
}

/* A name that goes between brackets: "[kernel]" has its own. */
static char *without_brackets(const char *name)
{
	size_t n = strlen(name);

	return *name == '[' && name[n - 1] == ']' ? op_format("%.*s", (int)n - 2, name + 1)
						  : op_copy(name);
}

/*
 * The image, where it is another one than above; the application, if there are some; or NULL.  The
 * caller frees it.
 */
static char *image_text(const struct report *report, const struct pp_call_node *node)
{
	const struct pp_row *row = node->row, *above = report->tree->nodes[node->above].row;
	bool has_app = !above && report->has_apps && row->app->order != row->image->order;
	bool long_names = report->style->long_names;
	char *image, *app, *text;

	if (above && above->image == row->image)
		return NULL;
	image = without_brackets(long_names ? row->image->full : row->image->base);
	if (!has_app)
		return image;
	app = without_brackets(long_names ? row->app->full : row->app->base);
	text = op_format("%s of %s", image, app);
	free(image);
	free(app);
	return text;
}

static void put_whole(struct report *report, const char *symbol, const char *image)
{
	op_line_safe(&report->line, symbol);
	if (!image)
		return;
	op_line_puts(&report->line, " [");
	op_line_safe(&report->line, image);
	op_line_puts(&report->line, "]");
}

/* Both in what is left of the line; of the image a third of that at most. */
static void put_short(struct report *report, const char *symbol, const char *image)
{
	const size_t columns = report->style->columns, used = op_line_columns(&report->line);
	size_t left = columns > used + LEAST_NAME ? columns - used : LEAST_NAME;
	struct op_line name = {0};

	if (image) {
		op_line_puts(&name, " [");
		op_line_short(&name, image, left / 3);
		op_line_puts(&name, "]");
		left -= op_line_columns(&name);
	}
	op_line_short(&report->line, symbol, left);
	op_line_add(&report->line, name.text, name.n);
	op_line_free(&name);
}

static void put_node(struct report *report, uint32_t number, size_t depth)
{
	const struct pp_call_node *node = &report->tree->nodes[number];

	char *image = image_text(report, node);

	op_line_row(&report->line, share_of(report, node->counts, 0));
	begin_line(report, node, depth);
	if (report->style->columns)
		put_short(report, node->row->symbol, image);
	else
		put_whole(report, node->row->symbol, image);
	op_line_end(&report->line, report->out);
	free(image);
}

/* What is left out below a node. */
static void put_rest(struct report *report, uint32_t above, size_t depth)
{
	const struct pp_classes *classes = report->profile->classes;
	uint64_t *counts = op_alloc(classes->columns, sizeof(*counts));
	char *text;
	size_t n = 0;

	for (size_t i = report->below[above].next; i < report->below[above].end; i++) {
		uint32_t node = report->order[i];

		if (report->shown[node])
			continue;
		n++;
		pp_counts_add(classes, counts, report->tree->nodes[node].counts);
	}
	if (n) {
		begin_line(report, NULL, depth);
		text = pp_rest_text(n, share_of(report, counts, 0));
		op_line_puts(&report->line, text);
		op_line_end(&report->line, report->out);
		free(text);
	}
	free(counts);
}

static void report_enter(struct report *report, uint32_t node, size_t depth)
{
	report->path =
		op_grow(report->path, &report->path_capacity, depth + 1, sizeof(*report->path));
	report->path[depth] = report->below[node];
}

/* The next node that is shown at @depth, or 0. */
static uint32_t next_node(struct report *report, size_t depth)
{
	struct range *range = &report->path[depth];

	while (range->next < range->end) {
		uint32_t node = report->order[range->next++];

		if (report->shown[node])
			return node;
	}
	return 0;
}

static void put_nodes(struct report *report)
{
	uint32_t above = 0;
	size_t depth = 0;

	report_enter(report, 0, 0);
	for (;;) {
		uint32_t node = next_node(report, depth);

		if (node) {
			put_node(report, node, depth);
			report_enter(report, above = node, ++depth);
			continue;
		}
		put_rest(report, above, depth);
		if (!depth--)
			return;
		above = report->tree->nodes[above].above;
	}
}

void pp_report_tree(const struct pp_profile *profile, const struct pp_report_style *style,
		    FILE *out)
{
	struct report report = {.profile = profile,
				.tree = profile->call_tree,
				.style = style,
				.out = out,
				.line = {.color = style->color, .brief = style->columns}};

	order_nodes(&report);
	choose_nodes(&report);
	report_put_head(&report);
	put_nodes(&report);
	free(report.order);
	free(report.below);
	free(report.shown);
	free(report.path);
	op_line_free(&report.line);
}
