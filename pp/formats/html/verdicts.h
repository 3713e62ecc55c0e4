/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What chance makes of the functions of a page that compares two profiles, as
 * pp/statistics/chance.h judges it: the page itself only looks verdicts up.
 */
#ifndef PP_FORMATS_HTML_VERDICTS_H
#define PP_FORMATS_HTML_VERDICTS_H

#include "libop/base/buffer.h"
#include "libop/text/json.h"
#include "side.h"
#include "stack_tree.h"

struct verdicts;

/* Judges all functions of @tree, which is of two sides; NULL for one. */
struct verdicts *verdicts_new(const struct html_page *page, struct stack_tree *tree);
void verdicts_free(struct verdicts *verdicts);

/* "chance": what the marks mean, and "judged": the pairs of events, [OLD, NEW], of which there are
 * columns. */
void verdicts_put(const struct verdicts *verdicts, struct op_json *json);

size_t verdicts_columns(const struct verdicts *verdicts);

/* One column: a number for each function, as columns.h says. */
void verdicts_put_column(const struct verdicts *verdicts, size_t which, struct op_buffer *column);

#endif
