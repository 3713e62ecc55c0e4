// SPDX-License-Identifier: GPL-2.0-or-later
/* Doubts about a report: see notes.h. */
#include "notes.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/array.h"
#include "libop/base/memory.h"
#include "libop/perf/event.h"
#include "libop/text/cells.h"
#include "pp/select/weights.h"
#include "pp/symbols/image_path.h"
#include "unnamed.h"

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
static void report_notes_add(struct op_strings *notes, char *text)
{
	if (op_strings_add(notes, text))
		op_out_of_memory();
	free(text);
}

/* ---- lost ---- */

static void note_lost(struct op_strings *notes, const struct pp_loss *loss)
{
	uint64_t all = loss->received + loss->kernel_lost, lost = loss->lost + loss->kernel_lost;
	const struct pp_loss_cause *cause = pp_loss_largest(loss);

	if (!cause || op_percent(lost, all) <= SHARE_LEAST)
		return;
	report_notes_add(notes, op_format("Lost: %.1f %% of all samples, mostly: %s; %s",
					  op_percent(lost, all), cause->text,
					  cause->help ? cause->help : "see the end of the report"));
}

/* ---- paused ---- */

static char *instead_of(const struct pp_head *head, const struct pp_class *class)
{
	uint64_t rate = pp_head_rate(head, class);

	if (class->count)
		return op_format("use a count of %" PRIu64 " (operf -e %s:%" PRIu64 ")",
				 op_perf_count_instead(class->count, class->taken,
						       class->running_ns - class->paused_ns),
				 class->event,
				 op_perf_count_instead(class->count, class->taken,
						       class->running_ns - class->paused_ns));
	return rate > 1 ? op_format("sample less often (operf --freq=%" PRIu64 ")", rate / 2)
			: op_copy("sample less often (operf --freq)");
}

static void note_paused(struct op_strings *notes, const struct pp_profile *profile)
{
	const struct pp_classes *classes = profile->classes;

	for (size_t i = 0; i < classes->n; i++) {
		const struct pp_class *class = &classes->items[i];
		double share = op_percent(class->paused_ns, class->running_ns);
		char *instead;

		if (share <= SHARE_LEAST || (i && classes->axis != PP_AXIS_EVENT))
			continue;
		instead = instead_of(&profile->head, class);
		report_notes_add(
			notes,
			op_format("Paused: the kernel paused %s for %.1f %% of the time, as there "
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
		double share = op_percent(class->unsampled_ns, class->running_ns);

		if (share <= UNSAMPLED_LEAST || !is_significant(class) ||
		    (i && classes->axis != PP_AXIS_EVENT))
			continue;
		report_notes_add(
			notes,
			op_format(
				"Not sampled: %.1f %% of the CPU time, in threads that end within "
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
		report_notes_add(
			notes,
			op_format("Not profiled: %.3g s of %.3g s of CPU time, perhaps of "
				  "programs that are set-user-ID or cannot be read, which the "
				  "kernel keeps from profilers; as root, operf --system-wide "
				  "sees all",
				  (double)class->missing_ns / 1e9,
				  (double)(class->missing_ns + class->enabled_ns) / 1e9));
}

/* ---- files that are not those that were profiled ---- */

/* The weight in an image that no symbol covers, in percent of all. */
static double unnamed_share(const struct pp_profile *profile, const uint64_t *weights,
			    const struct pp_image *image)
{
	return op_percent(weights[image - profile->images],
			  pp_weight(profile->classes, profile->totals, 0));
}

/* Files that were not found, but for the one that the line about unnamed code names. */
static void note_missing_files(struct op_strings *notes, const struct pp_profile *profile, bool all)
{
	const struct pp_image *most = pp_unnamed_most(profile);
	uint64_t *weights = pp_unnamed_weights(profile);

	for (size_t i = 0; i < profile->n_images; i++) {
		const struct pp_image *image = &profile->images[i];
		double share = unnamed_share(profile, weights, image);

		if (weights[i] && image != most && image->trouble && !image->is_saved &&
		    (all || share > SHARE_LEAST))
			report_notes_add(
				notes,
				op_format("Without symbols: %.1f %% of all samples, in %s: %s%s",
					  share, image->base, image->trouble,
					  pp_image_find_help(image->trouble)));
	}
	free(weights);
}

static void note_files(struct op_strings *notes, const struct pp_profile *profile)
{
	for (size_t i = 0; i < profile->n_images; i++) {
		const struct pp_image *image = &profile->images[i];

		if (image->trouble && image->is_saved)
			report_notes_add(
				notes, op_format("Saved symbols: %s has no lines and no code: %s%s",
						 image->base, image->trouble,
						 pp_image_find_help(image->trouble)));
		if (image->old_samples)
			report_notes_add(notes,
					 op_format("Changed: %s was changed after it was profiled; "
						   "the symbols of "
						   "%" PRIu64
						   " samples may be wrong; --image-path=DIR names "
						   "where the old one is",
						   image->base, image->old_samples));
	}
}

/* ---- call chains ---- */

static const char no_stacks[] =
	"Call chains: there are no whole ones, so each function stands alone; operf --callgraph "
	"records them, or opcontrol --callgraph=16";

static const char no_stacks_but_calls[] =
	"Call chains: there are no whole ones, but single calls; inclusive samples are sums of "
	"these, and where functions call each other in a circle, at least so many";

/* Chains that the kernel module has walked.  Return: whether there are any. */
static bool note_chain_ends(struct op_strings *notes, const uint64_t value[static STAT_COUNT])
{
	uint64_t early = value[STAT_CHAIN_NO_TABLE] + value[STAT_CHAIN_NO_RULE] +
			 value[STAT_CHAIN_UNREADABLE] + value[STAT_CHAIN_BAD_FRAME];
	uint64_t all = value[STAT_CHAIN_ROOT] + value[STAT_CHAIN_DEPTH] + early;

	if (op_percent(early, all) > SHARE_LEAST)
		report_notes_add(
			notes,
			op_format("Call chains: %.1f %% end early: %.1f %% in code of which "
				  "nothing is "
				  "known, %.1f %% in code without a simple rule, %.1f %% at memory "
				  "that is not there, %.1f %% at a frame that is none",
				  op_percent(early, all),
				  op_percent(value[STAT_CHAIN_NO_TABLE], all),
				  op_percent(value[STAT_CHAIN_NO_RULE], all),
				  op_percent(value[STAT_CHAIN_UNREADABLE], all),
				  op_percent(value[STAT_CHAIN_BAD_FRAME], all)));
	return all;
}

static void note_chains(struct op_strings *notes, const struct pp_loss *loss)
{
	double share = op_percent(loss->value[STAT_FRAMES_NO_MAPPING], loss->value[STAT_STACKS]);

	if (!note_chain_ends(notes, loss->value) && share > SHARE_LEAST)
		report_notes_add(
			notes,
			op_format("Call chains: %.1f %% end early, in code without frame pointers; "
				  "--call-graph=auto does without these",
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
		report_notes_add(notes, op_format("Few samples: %" PRIu64
						  "; the standard error of the largest "
						  "share, %.1f %%, is %.1f %%",
						  profile->totals[0], 100 * share, 100 * error));
}

/* ---- what is summed up ---- */

static void note_sums(struct op_strings *notes, const struct pp_classes *classes)
{
	const struct {
		bool is_merged;
		const char *what, *option;
	} kinds[] = {{classes->summed_tgid, "processes", "--by=process"},
		     {classes->summed_tid, "threads", "--by=thread"},
		     {classes->summed_cpu, "CPUs", "--by=cpu"}};
	struct op_line what = {0}, option = {0};

	if (!classes->is_summed_up)
		return;
	for (size_t i = 0; i < OP_ARRAY_SIZE(kinds); i++) {
		if (!kinds[i].is_merged)
			continue;
		op_line_puts(&what, what.n ? " and " : "");
		op_line_puts(&what, kinds[i].what);
		op_line_puts(&option, option.n ? " or " : "");
		op_line_puts(&option, kinds[i].option);
	}
	report_notes_add(notes,
			 op_format("Together: all %.*s, in which samples differ in more ways "
				   "than columns can show; opreport %.*s lists them",
				   (int)what.n, what.text, (int)option.n, option.text));
	op_line_free(&what);
	op_line_free(&option);
}

void pp_notes_find(struct op_strings *notes, const struct pp_profile *profile,
		   const struct pp_loss *loss, const struct pp_notes_request *request)
{
	note_sums(notes, profile->classes);
	note_lost(notes, loss);
	note_paused(notes, profile);
	note_unsampled(notes, profile);
	note_missing(notes, profile);
	if (request->symbols)
		note_missing_files(notes, profile, request->all);
	note_files(notes, profile);
	if (request->stacks && !profile->has_stacks)
		report_notes_add(notes, op_format("%s", profile->has_calls && !request->trees
								? no_stacks_but_calls
								: no_stacks));
	if (request->chains)
		note_chains(notes, loss);
	note_few(notes, profile, request->symbols);
}

static void put_note(struct op_line *line, const char *note, FILE *out)
{
	op_line_tone(line, OP_TONE_ALARM);
	op_line_safe(line, note);
	op_line_tone(line, OP_TONE_PLAIN);
	op_line_end(line, out);
}

void pp_notes_write(const struct op_strings *notes, bool color, FILE *out)
{
	struct op_line line = {.color = color};

	for (size_t i = 0; i < notes->count; i++)
		put_note(&line, notes->item[i], out);
	op_line_free(&line);
}

void pp_note_write(const char *note, bool color, FILE *out)
{
	struct op_line line = {.color = color};

	put_note(&line, note, out);
	op_line_free(&line);
}
