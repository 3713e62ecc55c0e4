// SPDX-License-Identifier: GPL-2.0-or-later
/* Writes the lines and comments of annotations. */
#include <stdlib.h>
#include <string.h>

#include "annotate.h"
#include "libop/base/memory.h"
#include "libop/base/safe_text.h"
#include "libop/base/text_stream.h"
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
			pp_line_puts(&annotation->line, " ");
		pp_line_count(&annotation->line, counts[i], COUNT_WIDTH);
		pp_line_puts(&annotation->line, " ");
		pp_line_share(&annotation->line,
			      pp_weight_share(profile->classes, counts, profile->totals, i));
	}
}

void pp_annotate_prefix(struct pp_annotation *annotation, const uint64_t *counts)
{
	size_t n = annotation->profile->classes->n;
	struct pp_line *line = &annotation->line;

	if (has_samples(annotation, counts)) {
		put_counts(annotation, counts);
		pp_line_puts(line, " :");
		return;
	}
	for (size_t i = 0; i < n * (COUNT_WIDTH + 1 + PERCENT_WIDTH + 1); i++)
		pp_line_puts(line, " ");
	pp_line_puts(line, ":");
}

void pp_annotate_comment(struct pp_annotation *annotation, const char *text)
{
	for (const char *end; (end = strstr(text, "*/")) != NULL; text = end + 1) {
		pp_line_safe_add(&annotation->line, text, (size_t)(end + 1 - text));
		pp_line_puts(&annotation->line, " ");
	}
	pp_line_safe(&annotation->line, text);
}

void pp_annotate_total(struct pp_annotation *annotation, const char *name, const uint64_t *counts)
{
	pp_line_puts(&annotation->line, "/* ");
	pp_annotate_comment(annotation, name);
	pp_line_puts(&annotation->line, " total: ");
	put_counts(annotation, counts);
	pp_line_puts(&annotation->line, " */");
}

static void put_text(struct pp_annotation *annotation, const char *text, FILE *out)
{
	pp_line_puts(&annotation->line, text);
	pp_line_end(&annotation->line, out);
}

static void put_comment(struct pp_annotation *annotation, const char *text, FILE *out)
{
	pp_line_puts(&annotation->line, *text ? " * " : " *");
	pp_annotate_comment(annotation, text);
	pp_line_end(&annotation->line, out);
}

/* Lines as a comment; frees @text. */
static void put_comments(struct pp_annotation *annotation, char *text, FILE *out)
{
	char *rest = text, *line;

	put_text(annotation, "/*", out);
	while ((line = strsep(&rest, "\n")) != NULL && rest)
		put_comment(annotation, line, out);
	put_text(annotation, " */", out);
	free(text);
}

void pp_annotate_head(struct pp_annotation *annotation, FILE *out)
{
	const struct pp_annotate_options *options = annotation->options;
	struct op_text_stream stream;

	op_text_stream_open(&stream);
	op_safe_line(stream.out, "Command line: %s", annotation->command_line);
	fputc('\n', stream.out);
	fprintf(stream.out, "Before each %s: samples, and their percentage of all samples.\n\n",
		options->assembly ? "instruction" : "line");
	pp_report_head(annotation->profile, stream.out);
	pp_loss_write_doubts(annotation->loss, false, stream.out);
	op_text_stream_close(&stream);
	put_comments(annotation, stream.text, out);
}

void pp_annotate_foot(struct pp_annotation *annotation, FILE *out)
{
	struct op_text_stream stream;

	if (!annotation->loss->known && !annotation->options->common.stats)
		return;
	op_text_stream_open(&stream);
	pp_loss_write(annotation->loss, annotation->line.color, stream.out);
	op_text_stream_close(&stream);
	put_comments(annotation, stream.text, out);
}

void pp_annotate_title(struct pp_annotation *annotation, const char *name, const uint64_t *counts,
		       FILE *out)
{
	put_text(annotation, "/*", out);
	pp_line_puts(&annotation->line, " * Total samples for file : \"");
	pp_annotate_comment(annotation, name);
	put_text(annotation, "\"", out);
	put_text(annotation, " *", out);
	pp_line_puts(&annotation->line, " * ");
	put_counts(annotation, counts);
	put_text(annotation, "", out);
	put_text(annotation, " */", out);
}

void pp_annotate_missing(struct pp_annotation *annotation, const char *what, FILE *out)
{
	if (!has_samples(annotation, annotation->missing))
		return;
	pp_line_puts(&annotation->line, "/* ");
	pp_line_puts(&annotation->line, what);
	pp_line_puts(&annotation->line, ": ");
	put_counts(annotation, annotation->missing);
	put_text(annotation, " */", out);
}
