// SPDX-License-Identifier: GPL-2.0-or-later
/* Doubts about a report: see notes.h. */
#include "notes.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"
#include "libop/perf/event.h"
#include "libop/text/cells.h"
#include "pp/select/weights.h"
#include "pp/symbols/image_path.h"

/* What is less is not worth a line. */
#define SHARE_LEAST 1.0
/* Each thread has a rest of half a period that brings no sample: shares of programs that start many
 * short ones are wrong by about as much. */
#define UNSAMPLED_LEAST 3.0
/* Standard errors of a number of samples that a difference may be by chance. */
#define ERRORS_MOST 3
/* The standard error of the largest share, as a part of it, that is worth a line. */
#define ERROR_MOST 0.1

/* Adds @text, which it frees. */
static void add(struct op_strings *notes, char *text)
{
	if (op_strings_add(notes, text))
		pp_out_of_memory();
	free(text);
}

/* ---- lost ---- */

static const struct pp_loss_cause *largest_cause(const struct pp_loss *loss)
{
	const struct pp_loss_cause *largest = NULL;

	for (size_t i = 0; i < loss->n_causes; i++)
		if (loss->causes[i].is_of_samples && (!largest || loss->causes[i].n > largest->n))
			largest = &loss->causes[i];
	return largest;
}

static void note_lost(struct op_strings *notes, const struct pp_loss *loss)
{
	uint64_t all = loss->received + loss->kernel_lost, lost = loss->lost + loss->kernel_lost;
	const struct pp_loss_cause *cause = largest_cause(loss);

	if (!cause || pp_percent(lost, all) <= SHARE_LEAST)
		return;
	add(notes, pp_format("Lost: %.1f %% of all samples, mostly: %s; %s", pp_percent(lost, all),
			     cause->text, cause->help ? cause->help : "see the end of the report"));
}

/* ---- paused ---- */

static char *instead_of(const struct pp_head *head, const struct pp_class *class)
{
	uint64_t rate = pp_head_rate(head, class);

	if (class->count)
		return pp_format("use a count of %" PRIu64 " (operf -e %s:%" PRIu64 ")",
				 op_perf_count_instead(class->count, class->taken,
						       class->running_ns - class->paused_ns),
				 class->event,
				 op_perf_count_instead(class->count, class->taken,
						       class->running_ns - class->paused_ns));
	return rate > 1 ? pp_format("sample less often (operf --freq=%" PRIu64 ")", rate / 2)
			: pp_copy("sample less often (operf --freq)");
}

static void note_paused(struct op_strings *notes, const struct pp_profile *profile)
{
	const struct pp_classes *classes = profile->classes;

	for (size_t i = 0; i < classes->n; i++) {
		const struct pp_class *class = &classes->items[i];
		double share = pp_percent(class->paused_ns, class->running_ns);
		char *instead;

		if (share <= SHARE_LEAST || (i && classes->axis != PP_AXIS_EVENT))
			continue;
		instead = instead_of(&profile->head, class);
		add(notes,
		    pp_format("Paused: the kernel paused %s for %.1f %% of the time, as there "
			      "were too many samples; %s",
			      class->event, share, instead));
		free(instead);
	}
}

/* ---- threads that end before their first sample ---- */

/* Whether so much time without samples is more than chance makes, of samples each @count ns. */
static bool is_significant(const struct pp_class *class)
{
	double all = (double)class->running_ns / (double)class->count;

	return !class->taken ||
	       (double)class->unsampled_ns / (double)class->count > ERRORS_MOST * sqrt(all);
}

static void note_unsampled(struct op_strings *notes, const struct pp_profile *profile)
{
	const struct pp_classes *classes = profile->classes;

	for (size_t i = 0; i < classes->n; i++) {
		const struct pp_class *class = &classes->items[i];
		double share = pp_percent(class->unsampled_ns, class->running_ns);

		if (share <= UNSAMPLED_LEAST || !is_significant(class) ||
		    (i && classes->axis != PP_AXIS_EVENT))
			continue;
		add(notes,
		    pp_format("Not sampled: %.1f %% of the CPU time, in threads that end within "
			      "%.4g ms; use a count of %" PRIu64 " (operf -e %s:%" PRIu64 ")",
			      share, (double)class->count / 1e6, class->count / 10, class->event,
			      class->count / 10));
	}
}

/* ---- programs that may not be profiled ---- */

/* The events of a session lack the same time. */
static void note_missing(struct op_strings *notes, const struct pp_profile *profile)
{
	const struct pp_class *class = profile->classes->items;

	if (profile->classes->n && class->missing_ns)
		add(notes, pp_format("Not profiled: %.3g s of %.3g s of CPU time, perhaps of "
				     "programs that are set-user-ID or cannot be read, which the "
				     "kernel keeps from profilers; as root, operf --system-wide "
				     "sees all",
				     (double)class->missing_ns / 1e9,
				     (double)(class->missing_ns + class->enabled_ns) / 1e9));
}

/* ---- unattributed, without symbols ---- */

static bool is_unknown(const struct op_image_name *name)
{
	return name->kind != OP_IMAGE_FILE && !strcmp(name->name, "[unknown]");
}

static double share_of(const struct pp_profile *profile, uint64_t part)
{
	return pp_percent(part, pp_weight(profile->classes, profile->totals, 0));
}

static void note_unattributed(struct op_strings *notes, const struct pp_profile *profile)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < profile->n_parts; i++)
		if (is_unknown(profile->parts[i].image->id))
			sum += pp_weight(profile->classes, profile->parts[i].counts, 0);
	if (share_of(profile, sum) > SHARE_LEAST)
		add(notes,
		    pp_format("Unattributed: %.1f %% of all samples are in code of no known file; "
			      "record from before the programs start, and as root",
			      share_of(profile, sum)));
}

/* Code without a symbol has the path of its image for one. */
static bool has_symbol(const struct pp_row *row)
{
	return strcmp(row->symbol, row->image->full) != 0;
}

/* What helps against missing symbols of an image; the caller frees it. */
static char *symbols_help(const struct pp_image *image)
{
	switch (image->id->kind) {
	case OP_IMAGE_FILE:
		return pp_format("install the debug information of %s, or set DEBUGINFOD_URLS",
				 image->full);
	case OP_IMAGE_KERNEL:
		return pp_copy("as root, \"sysctl kernel.kptr_restrict=0\" before profiling");
	case OP_IMAGE_ANON:
		break;
	}
	return pp_copy("let the JIT compiler write /tmp/perf-PID.map "
		       "(java: see libopagent(3); node --perf-basic-prof, python -X perf)");
}

/* The weight without symbols of all images, and of each. */
static uint64_t sum_unsymbolised(const struct pp_profile *profile, uint64_t *weights)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < profile->n_rows; i++) {
		const struct pp_row *row = profile->rows[i];
		uint64_t weight = pp_weight(profile->classes, row->counts, 0);

		if (row->is_hidden || has_symbol(row) || is_unknown(row->image->id))
			continue;
		weights[row->image - profile->images] += weight;
		sum += weight;
	}
	return sum;
}

static void put_unsymbolised(struct op_strings *notes, const struct pp_profile *profile,
			     uint64_t sum, const struct pp_image *largest)
{
	const char *trouble = largest->trouble;
	char *help = trouble ? pp_format(": %s%s", trouble, pp_image_find_help(trouble)) : NULL;
	char *other = help ? NULL : symbols_help(largest);

	add(notes, pp_format("Without symbols: %.1f %% of all samples, mostly in %s%s%s",
			     share_of(profile, sum), largest->base, help ? help : "; ",
			     other ? other : ""));
	free(help);
	free(other);
}

/* One line for all of them, and one for each other file that was not found. */
static void note_unsymbolised(struct op_strings *notes, const struct pp_profile *profile, bool all)
{
	uint64_t *weights = pp_alloc(profile->n_images + 1, sizeof(*weights));
	uint64_t sum = sum_unsymbolised(profile, weights);
	size_t largest = 0;

	for (size_t i = 1; i < profile->n_images; i++)
		if (weights[i] > weights[largest])
			largest = i;
	if (sum && (all || share_of(profile, sum) > SHARE_LEAST))
		put_unsymbolised(notes, profile, sum, &profile->images[largest]);
	for (size_t i = 0; i < profile->n_images; i++) {
		const struct pp_image *image = &profile->images[i];

		if (i != largest && weights[i] && image->trouble && !image->is_saved &&
		    (all || share_of(profile, weights[i]) > SHARE_LEAST))
			add(notes, pp_format("Without symbols: %.1f %%, in %s: %s%s",
					     share_of(profile, weights[i]), image->base,
					     image->trouble, pp_image_find_help(image->trouble)));
	}
	free(weights);
}

/* ---- files that are not those that were profiled ---- */

static void note_files(struct op_strings *notes, const struct pp_profile *profile)
{
	for (size_t i = 0; i < profile->n_images; i++) {
		const struct pp_image *image = &profile->images[i];

		if (image->trouble && image->is_saved)
			add(notes, pp_format("Saved symbols: %s has no lines and no code: %s%s",
					     image->base, image->trouble,
					     pp_image_find_help(image->trouble)));
		if (image->old_samples)
			add(notes,
			    pp_format(
				    "Changed: %s was changed after it was profiled; the symbols of "
				    "%" PRIu64 " samples may be wrong; --image-path=DIR names "
				    "where the old one is",
				    image->base, image->old_samples));
	}
}

/* ---- call chains ---- */

static const char no_stacks[] =
	"Call chains: there are no whole ones, so each function stands alone; operf --callgraph "
	"records them, or opcontrol --callgraph=16";

/* Chains that the kernel module has walked.  Return: whether there are any. */
static bool note_chain_ends(struct op_strings *notes, const uint64_t ends[static PP_CHAIN_ENDS])
{
	uint64_t early = 0, all;

	for (int i = PP_CHAIN_NO_TABLE; i < PP_CHAIN_ENDS; i++)
		early += ends[i];
	all = ends[PP_CHAIN_ROOT] + ends[PP_CHAIN_DEPTH] + early;
	if (pp_percent(early, all) > SHARE_LEAST)
		add(notes,
		    pp_format("Call chains: %.1f %% end early: %.1f %% in code of which nothing is "
			      "known, %.1f %% in code without a simple rule, %.1f %% at memory "
			      "that is not there, %.1f %% at a frame that is none",
			      pp_percent(early, all), pp_percent(ends[PP_CHAIN_NO_TABLE], all),
			      pp_percent(ends[PP_CHAIN_NO_RULE], all),
			      pp_percent(ends[PP_CHAIN_UNREADABLE], all),
			      pp_percent(ends[PP_CHAIN_BAD_FRAME], all)));
	return all;
}

static void note_chains(struct op_strings *notes, const struct pp_loss *loss)
{
	double share = pp_percent(loss->chains_cut, loss->chains);

	if (!note_chain_ends(notes, loss->chain_ends) && share > SHARE_LEAST)
		add(notes,
		    pp_format("Call chains: %.1f %% end early, in code without frame pointers; "
			      "operf --call-graph=dwarf does without these",
			      share < 100 ? share : 100));
}

/* ---- few samples ---- */

static uint64_t largest_count(const struct pp_profile *profile, bool symbols)
{
	uint64_t most = 0;

	for (size_t i = 0; symbols && i < profile->n_rows; i++)
		if (profile->rows[i]->counts[0] > most)
			most = profile->rows[i]->counts[0];
	for (size_t i = 0; !symbols && i < profile->n_apps; i++)
		if (profile->apps[i].counts[0] > most)
			most = profile->apps[i].counts[0];
	return most;
}

static void note_few(struct op_strings *notes, const struct pp_profile *profile, bool symbols)
{
	double all = (double)profile->totals[0], share, error;
	uint64_t most = largest_count(profile, symbols);

	if (!most || most >= profile->totals[0])
		return;
	share = (double)most / all;
	error = sqrt(share * (1 - share) / all);
	if (error > ERROR_MOST * share)
		add(notes, pp_format("Few samples: %" PRIu64 "; the standard error of the largest "
				     "share, %.1f %%, is %.1f %%",
				     profile->totals[0], 100 * share, 100 * error));
}

void pp_notes_find(struct op_strings *notes, const struct pp_profile *profile,
		   const struct pp_loss *loss, const struct pp_notes_request *request)
{
	note_lost(notes, loss);
	note_paused(notes, profile);
	note_unsampled(notes, profile);
	note_missing(notes, profile);
	note_unattributed(notes, profile);
	if (request->symbols)
		note_unsymbolised(notes, profile, request->all);
	note_files(notes, profile);
	if (request->stacks && !profile->has_stacks)
		add(notes, pp_format("%s", no_stacks));
	if (request->chains)
		note_chains(notes, loss);
	note_few(notes, profile, request->symbols);
}

void pp_notes_write(const struct op_strings *notes, bool color, FILE *out)
{
	struct pp_line line = {.color = color};

	for (size_t i = 0; i < notes->count; i++) {
		pp_line_tone(&line, PP_TONE_ALARM);
		pp_line_safe(&line, notes->item[i]);
		pp_line_tone(&line, PP_TONE_PLAIN);
		pp_line_end(&line, out);
	}
	pp_line_free(&line);
}
