// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A page for browsers: flame graph, tables and time line of a profile, in one file that needs no
 * network.  The page stands in page/, and its data are those of columns.h.
 */
#include "columns.h"
#include "page.h"
#include "pp/formats/model/format.h"

static const char *title_of(const struct prof *prof, const struct output *output)
{
	if (prof->host.command_line && *prof->host.command_line)
		return prof->host.command_line;
	return output->command ? output->command : "oprofile";
}

static int write_html(struct prof *prof, struct output *output, struct op_error *error)
{
	struct stack_tree tree;

	(void)error;
	stack_tree_make(&tree, prof, output->names);
	fputs(html_page_head, output->file);
	columns_write(&tree, prof, title_of(prof, output), output->file);
	fputs(html_page_tail, output->file);
	stack_tree_free(&tree);
	return 0;
}

const struct format format_html = {
	.name = "html",
	.description = "a page for browsers: flame graph, tables and time line",
	.write = write_html,
	.by = PROF_BY_COMM | PROF_BY_PID | PROF_BY_TID | PROF_TIMES,
};
