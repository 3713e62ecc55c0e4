// SPDX-License-Identifier: GPL-2.0-or-later
/* Writes the lines and comments of annotations. */
#include <stdlib.h>
#include <string.h>

#include "annotate.h"
#include "libop/base/memory.h"
#include "libop/base/safe_text.h"
#include "libop/base/text_stream.h"
#include "pp/report/notes.h"
#include "pp/report/unnamed.h"
#include "pp/report/report.h"
#include "pp/select/weights.h"

#define COUNT_WIDTH   6
#define PERCENT_WIDTH 7

void pp_annotate_add(const struct pp_annotation *annotation, uint64_t *sums, const uint64_t *counts)
{
	pp_counts_add(annotation->profile->classes, sums, counts);
}

static bool has_samples(const struct pp_annotation *annotation, const uint64_t *counts)
{
	for (size_t i = 0; counts && i < annotation->profile->classes->n; i++)
		if (counts[i])
			return true;
	return false;
}

static void put_counts(struct pp_annotation *annotation, const uint64_t *counts)
{
	const struct pp_profile *profile = annotation->profile;

	for (size_t i = 0; i < profile->classes->n; i++) {
		if (i)
			op_line_puts(&annotation->line, " ");
		op_line_count(&annotation->line, counts[i], COUNT_WIDTH);
		op_line_puts(&annotation->line, " ");
		if (annotation->events[i].is_shown) {
			pp_event_column_put(&annotation->events[i], profile->classes, counts, i,
					    annotation->events[i].width, &annotation->line);
			op_line_puts(&annotation->line, " ");
		}
		op_line_share(&annotation->line,
			      pp_weight_share(profile->classes, counts, profile->totals, i));
	}
}

/* Characters of counts and the blank behind them. */
static size_t width_of(const struct pp_annotation *annotation)
{
	size_t n = annotation->profile->classes->n, width = 0;

	for (size_t i = 0; i < n; i++) {
		width += COUNT_WIDTH + 1 + PERCENT_WIDTH + 1;
		if (annotation->events[i].is_shown)
			width += annotation->events[i].width + 1;
	}
	return width;
}

void pp_annotate_prefix(struct pp_annotation *annotation, const uint64_t *counts)
{
	struct op_line *line = &annotation->line;

	if (has_samples(annotation, counts)) {
		put_counts(annotation, counts);
		op_line_puts(line, " :");
		return;
	}
	for (size_t i = width_of(annotation); i; i--)
		op_line_puts(line, " ");
	op_line_puts(line, ":");
}

void pp_annotate_comment(struct pp_annotation *annotation, const char *text)
{
	for (const char *end; (end = strstr(text, "*/")) != NULL; text = end + 1) {
		op_line_safe_add(&annotation->line, text, (size_t)(end + 1 - text));
		op_line_puts(&annotation->line, " ");
	}
	op_line_safe(&annotation->line, text);
}

void pp_annotate_total(struct pp_annotation *annotation, const char *name, const uint64_t *counts)
{
	op_line_puts(&annotation->line, "/* ");
	pp_annotate_comment(annotation, name);
	op_line_puts(&annotation->line, " total: ");
	put_counts(annotation, counts);
	op_line_puts(&annotation->line, " */");
}

static void annotation_put_text(struct pp_annotation *annotation, const char *text, FILE *out)
{
	op_line_puts(&annotation->line, text);
	op_line_end(&annotation->line, out);
}

static void put_comment(struct pp_annotation *annotation, const char *text, FILE *out)
{
	op_line_puts(&annotation->line, *text ? " * " : " *");
	pp_annotate_comment(annotation, text);
	op_line_end(&annotation->line, out);
}

/* Lines as a comment; frees @text. */
static void put_comments(struct pp_annotation *annotation, char *text, FILE *out)
{
	char *rest = text, *line;

	annotation_put_text(annotation, "/*", out);
	while ((line = strsep(&rest, "\n")) != NULL && rest)
		put_comment(annotation, line, out);
	annotation_put_text(annotation, " */", out);
	free(text);
}

/* The columns of events, which have no heads of their own. */
static void put_event_heads(const struct pp_annotation *annotation, FILE *out)
{
	const char *gap = " what they stand for (";

	for (size_t i = 0; i < annotation->profile->classes->n; i++) {
		if (!annotation->events[i].is_shown)
			continue;
		op_safe_printf(out, "%s%s", gap, annotation->events[i].head);
		gap = ", ";
	}
	if (*gap == ',')
		fputs("),", out);
}

void pp_annotate_head(struct pp_annotation *annotation, FILE *out)
{
	const struct pp_annotate_options *options = annotation->options;
	const struct pp_notes_request request = {
		.symbols = true,
		.all = annotation->warnings->verbose,
	};
	struct op_strings notes = {0};
	struct op_text_stream stream;

	op_text_stream_open(&stream);
	op_safe_line(stream.out, "Command line: %s", annotation->command_line);
	fputc('\n', stream.out);
	fprintf(stream.out, "Before each %s: samples,", options->assembly ? "instruction" : "line");
	put_event_heads(annotation, stream.out);
	fprintf(stream.out, " and their percentage of all %s.\n\n",
		pp_weights_differ(annotation->profile->classes, annotation->profile->totals, 0)
			? "events"
			: "samples");
	pp_report_head(annotation->profile, NULL, stream.out);
	pp_loss_write_doubts(annotation->loss, false, stream.out);
	pp_notes_find(&notes, annotation->profile, annotation->loss, &request);
	pp_notes_write(&notes, false, stream.out);
	op_strings_free(&notes);
	op_text_stream_close(&stream);
	put_comments(annotation, stream.text, out);
}

void pp_annotate_foot(struct pp_annotation *annotation, FILE *out)
{
	bool has_losses = annotation->loss->known || annotation->options->common.stats;
	char *unnamed = pp_unnamed_text(annotation->profile, "Unnamed");
	struct op_text_stream stream;

	if (!has_losses && !unnamed)
		return;
	op_text_stream_open(&stream);
	if (has_losses)
		pp_loss_write(annotation->loss, annotation->line.color, stream.out);
	if (annotation->options->common.stats)
		pp_loss_write_others(annotation->loss, stream.out);
	if (unnamed)
		pp_note_write(unnamed, annotation->line.color, stream.out);
	op_text_stream_close(&stream);
	put_comments(annotation, stream.text, out);
	free(unnamed);
}

void pp_annotate_title(struct pp_annotation *annotation, const char *name, const uint64_t *counts,
		       FILE *out)
{
	annotation_put_text(annotation, "/*", out);
	op_line_puts(&annotation->line, " * Total samples for file : \"");
	pp_annotate_comment(annotation, name);
	annotation_put_text(annotation, "\"", out);
	annotation_put_text(annotation, " *", out);
	op_line_puts(&annotation->line, " * ");
	put_counts(annotation, counts);
	annotation_put_text(annotation, "", out);
	annotation_put_text(annotation, " */", out);
}

void pp_annotate_begin_list(struct pp_annotation *annotation, const char *what, FILE *out)
{
	annotation_put_text(annotation, "/*", out);
	put_comment(annotation, what, out);
	put_comment(annotation, "", out);
}

void pp_annotate_item(struct pp_annotation *annotation, const uint64_t *counts, const char *file,
		      int line, FILE *out)
{
	char number[16];

	op_line_puts(&annotation->line, " *");
	put_counts(annotation, counts);
	op_line_puts(&annotation->line, " ");
	pp_annotate_comment(annotation, file);
	snprintf(number, sizeof(number), ":%d", line);
	op_line_puts(&annotation->line, number);
	op_line_end(&annotation->line, out);
}

void pp_annotate_end_list(struct pp_annotation *annotation, FILE *out)
{
	annotation_put_text(annotation, " */", out);
}

void pp_annotate_missing(struct pp_annotation *annotation, const char *what, FILE *out)
{
	if (!has_samples(annotation, annotation->missing))
		return;
	op_line_puts(&annotation->line, "/* ");
	op_line_puts(&annotation->line, what);
	op_line_puts(&annotation->line, ": ");
	put_counts(annotation, annotation->missing);
	annotation_put_text(annotation, " */", out);
}
