// SPDX-License-Identifier: GPL-2.0-or-later
/* What has no name: see unnamed.h. */
#include "unnamed.h"

#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"
#include "libop/session/paths.h"
#include "libop/text/cells.h"
#include "pp/select/weights.h"
#include "pp/symbols/image_path.h"

/* What is said of a reason; where @after is not NULL, the path of the image with the most of it
 * stands between @help and it. */
static const struct {
	const char *text, *help, *after;
} reasons[PP_UNNAMED_REASONS] = {
	[PP_UNNAMED_GAP] = {"code that no symbol covers", "install the debug information of ",
			    ", or set DEBUGINFOD_URLS"},
	[PP_UNNAMED_STRIPPED] = {"files without symbols", "install the debug information of ",
				 ", or set DEBUGINFOD_URLS"},
	[PP_UNNAMED_NO_FILE] = {"files that were not found", "--image-path=DIR names where ",
				" is"},
	[PP_UNNAMED_BAD_FILE] = {"files that cannot be read", "see the warning about ", ""},
	[PP_UNNAMED_KERNEL] = {"the kernel without its symbols",
			       "as root, \"sysctl kernel.kptr_restrict=0\" before profiling", NULL},
	[PP_UNNAMED_RUN_TIME] = {"code made at run time",
				 "let the JIT compiler write /tmp/perf-PID.map (java: see "
				 "libopagent(3); node --perf-basic-prof, python -X perf)",
				 NULL},
	[PP_UNNAMED_MAP_GAP] = {"code made at run time that is not in its map",
				"let the program write its map or jitdump until it ends", NULL},
	[PP_UNNAMED_MAP_REFUSED] = {"code made at run time whose map is refused",
				    "see the warning about it", NULL},
	[PP_UNNAMED_IN_PROFILE] = {"code that the profile has no name for",
				   "where it is recorded, install the debug information of ", ""},
	[PP_UNNAMED_OTHER] = {"images beyond the limit of their number",
			      "see {other} in oprofile-session(5)", NULL},
	[PP_UNNAMED_NO_IMAGE] = {"code of no known file",
				 "record from before the programs start, and as root", NULL},
};

/* What a reason has. */
struct share {
	enum pp_unnamed reason;
	uint64_t weight;
	const struct pp_image *largest; /* with the most of it */
	uint64_t of_largest;
};

static enum pp_unnamed reason_of(const struct pp_image *image)
{
	bool is_unknown =
		image->id->kind != OP_IMAGE_FILE && !strcmp(image->id->name, OP_UNKNOWN_IMAGE);

	return is_unknown ? PP_UNNAMED_NO_IMAGE : image->unnamed;
}

uint64_t *pp_unnamed_weights(const struct pp_profile *profile)
{
	uint64_t *weights = op_alloc(profile->n_images + 1, sizeof(*weights));

	for (size_t i = 0; i < profile->n_rows; i++) {
		const struct pp_row *row = profile->rows[i];

		if (row->is_unnamed && !row->is_hidden)
			weights[row->image - profile->images] +=
				pp_weight(profile->classes, row->counts, 0);
	}
	for (size_t i = 0; !profile->n_rows && i < profile->n_images; i++)
		if (reason_of(&profile->images[i]) == PP_UNNAMED_NO_IMAGE)
			weights[i] = pp_weight(profile->classes, profile->images[i].counts, 0);
	return weights;
}

static int compare_shares(const void *a, const void *b)
{
	const struct share *left = a, *right = b;

	if (left->weight != right->weight)
		return left->weight > right->weight ? -1 : 1;
	return (int)left->reason - (int)right->reason;
}

/* Adds up @weights by reason, the largest first.  Return: the sum. */
static uint64_t sum_reasons(const struct pp_profile *profile, const uint64_t *weights,
			    struct share shares[static PP_UNNAMED_REASONS])
{
	uint64_t sum = 0;

	for (int i = 0; i < PP_UNNAMED_REASONS; i++)
		shares[i] = (struct share){.reason = i};
	for (size_t i = 0; i < profile->n_images; i++) {
		struct share *share = &shares[reason_of(&profile->images[i])];

		sum += weights[i];
		share->weight += weights[i];
		if (weights[i] > share->of_largest) {
			share->of_largest = weights[i];
			share->largest = &profile->images[i];
		}
	}
	qsort(shares, PP_UNNAMED_REASONS, sizeof(*shares), compare_shares);
	return sum;
}

/* "4.1 % files that were not found, 3.1 % code made at run time"; of one, no share. */
static void put_reasons(struct op_line *line, const struct share shares[static PP_UNNAMED_REASONS],
			uint64_t whole)
{
	bool is_one = op_percent(shares[1].weight, whole) < PP_UNNAMED_LEAST;

	for (int i = 0; i < PP_UNNAMED_REASONS; i++) {
		double percent = op_percent(shares[i].weight, whole);
		char *share = is_one ? op_copy("") : op_format("%.1f %% ", percent);

		if (percent >= PP_UNNAMED_LEAST) {
			op_line_puts(line, i ? ", " : ": ");
			op_line_puts(line, share);
			op_line_puts(line, reasons[shares[i].reason].text);
		}
		free(share);
	}
}

static void put_help(struct op_line *line, const struct share *share)
{
	const char *trouble = share->largest->trouble, *after = reasons[share->reason].after;

	bool has_image = share->reason != PP_UNNAMED_NO_IMAGE && share->reason != PP_UNNAMED_OTHER;

	if (has_image) {
		op_line_puts(line, "; mostly in ");
		op_line_puts(line, share->largest->base);
	}
	op_line_puts(line, has_image ? ": " : "; ");
	if (trouble) {
		op_line_puts(line, trouble);
		op_line_puts(line, pp_image_find_help(trouble));
		return;
	}
	op_line_puts(line, reasons[share->reason].help);
	if (!after)
		return;
	op_line_puts(line, share->largest->full);
	op_line_puts(line, after);
}

const struct pp_image *pp_unnamed_most(const struct pp_profile *profile)
{
	uint64_t *weights = pp_unnamed_weights(profile);
	struct share shares[PP_UNNAMED_REASONS];

	sum_reasons(profile, weights, shares);
	free(weights);
	return shares[0].largest;
}

char *pp_unnamed_text(const struct pp_profile *profile, const char *what)
{
	uint64_t *weights = pp_unnamed_weights(profile);
	uint64_t whole = pp_weight(profile->classes, profile->totals, 0), sum;
	struct share shares[PP_UNNAMED_REASONS];
	struct op_line line = {0};
	char *share;

	sum = sum_reasons(profile, weights, shares);
	free(weights);
	if (op_percent(sum, whole) < PP_UNNAMED_LEAST)
		return NULL;
	share = op_format("%s: %.1f %% of all samples", what, op_percent(sum, whole));
	op_line_puts(&line, share);
	free(share);
	put_reasons(&line, shares, whole);
	put_help(&line, &shares[0]);
	op_line_add(&line, "", 1);
	return line.text;
}
