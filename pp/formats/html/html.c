// SPDX-License-Identifier: GPL-2.0-or-later
/* Pages: see html.h.  The page itself stands in page/, and its data are those of columns.h. */
#include "html.h"

#include "columns.h"
#include "page.h"
#include "verdicts.h"
#include "pp/formats/model/format.h"

void html_write(const struct html_page *page, FILE *out)
{
	const struct prof *profs[STACK_TREE_SIDES];
	struct prof_names *names[STACK_TREE_SIDES];
	struct listings *listings;
	struct verdicts *verdicts;
	struct stack_tree tree;

	for (size_t i = 0; i < page->n_sides; i++) {
		profs[i] = page->sides[i].prof;
		names[i] = page->sides[i].names;
	}
	stack_tree_begin(&tree, profs, names, page->n_sides, page->pairs);
	listings = listings_choose(&tree);
	stack_tree_make(&tree, listings_place, listings);
	verdicts = verdicts_new(page, &tree);
	fputs(html_page_head, out);
	columns_write(page, &tree, listings, verdicts, out);
	fputs(html_page_tail, out);
	verdicts_free(verdicts);
	listings_free(listings);
	stack_tree_free(&tree);
}

static const char *title_of(const struct prof *prof, const struct output *output)
{
	if (prof->host.command_line && *prof->host.command_line)
		return prof->host.command_line;
	return output->command ? output->command : "oprofile";
}

static int write_html(struct prof *prof, struct output *output, struct op_error *error)
{
	const char *title = title_of(prof, output);
	const struct html_page page = {
		.title = title,
		.sides = {{.prof = prof, .names = output->names, .name = ""}},
		.n_sides = 1};

	(void)error;
	html_write(&page, output->file);
	return 0;
}

const struct format format_html = {
	.name = "html",
	.description = "a page for browsers: flame graph, tables and time line",
	.write = write_html,
	.by = PROF_BY_COMM | PROF_BY_PID | PROF_BY_TID | PROF_BY_LABELS | PROF_TIMES,
};
