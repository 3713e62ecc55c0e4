// SPDX-License-Identifier: GPL-2.0-or-later
/* What is checked: see checks.h. */
#include "checks.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/array.h"
#include "libop/base/number.h"
#include "libop/perf/event.h"
#include "workloads.h"

/* Bounds that are no matter of chance: bytes, the longest instruction; percent. */
#define SKID_MOST 15.0
#define COST_MOST 10.0

#define SHORT_UNCOUNTED 2e-4 /* seconds */

#define ROUNDS 3 /* of fixed work, with and without operf */

/* A workload that was profiled, and the list of its samples. */
struct profile {
	char *truth, *text;
	struct results results;
};

static void profile_free(struct profile *profile)
{
	results_free(&profile->results);
	free(profile->text);
	free(profile->truth);
	*profile = (struct profile){0};
}

/* The session has the workload's name.  profile_free() in any case. */
static int profile_make(struct bench *bench, const char *workload, bool callgraph,
			const char *option, struct profile *profile, struct op_error *error)
{
	*profile = (struct profile){0};
	if (run_workload(&bench->run, workload, bench->seconds, workload, callgraph,
			 &profile->truth, error))
		return -1;
	return run_report(&bench->run, workload, option, &profile->results, &profile->text, error);
}

/* ---- shares ---- */

struct part {
	const char *row, *symbol, *truth;
};

/* Return: what all parts have; *@time: their CPU time. */
static struct tally sum_parts(const struct profile *profile, const struct part *part, size_t count,
			      double *time)
{
	struct tally all = {0};

	*time = 0;
	for (size_t i = 0; i < count; i++) {
		struct tally tally = results_of_symbol(&profile->results, part[i].symbol);

		all.samples += tally.samples;
		all.events += tally.events;
		*time += results_truth(profile->truth, part[i].truth);
	}
	return all;
}

/* Rows of functions that do all of the work. */
static void compare_parts(const struct profile *profile, const struct part *part, size_t count,
			  struct row *row)
{
	double time;
	struct tally all = sum_parts(profile, part, count, &time);

	for (size_t i = 0; i < count; i++) {
		row[i] = row_of_share(part[i].row,
				      results_truth(profile->truth, part[i].truth) / time,
				      results_of_symbol(&profile->results, part[i].symbol).events,
				      all.events, all.samples);
		snprintf(row[i].remark, sizeof(row[i].remark), "of %.0f samples", all.samples);
	}
}

static const struct part shares[CHECKS_SHARES] = {
	{"shares: first function of three", "selftest_half", "half"},
	{"shares: second function of three", "selftest_third", "third"},
	{"shares: third function of three", "selftest_rest", "rest"},
};

static int find_rate(struct bench *bench, const struct profile *profile, struct op_error *error)
{
	const struct results *results = &profile->results;
	double time;
	struct tally all = sum_parts(profile, shares, CHECKS_SHARES, &time);
	bool is_clock = op_perf_is_clock_name(results->event);

	if (!(all.events > 0) || !(time > 0))
		return op_error_set(error, ENODATA,
				    "%s took no samples of the functions that ran: choose an event "
				    "that comes with CPU time",
				    results->event);
	snprintf(bench->rate.event, sizeof(bench->rate.event), "%s:%" PRIu64, results->event,
		 results->period);
	bench->rate.samples_per_second = all.samples / time;
	bench->rate.seconds_per_event = is_clock ? 1e-9 : time / all.events;
	return 0;
}

int checks_begin(struct bench *bench, struct row rows[CHECKS_SHARES], struct op_error *error)
{
	struct profile profile;
	int result = profile_make(bench, "shares", false, "--symbols", &profile, error);

	if (!result)
		result = find_rate(bench, &profile, error);
	if (!result)
		compare_parts(&profile, shares, CHECKS_SHARES, rows);
	profile_free(&profile);
	return result;
}

/* Two functions that take turns as regularly as the CPU clock tells. */
static int check_lockstep(struct bench *bench, struct op_error *error)
{
	static const struct part parts[] = {
		{"lockstep: longer part of each ms", "selftest_long", "long"},
		{"", "selftest_brief", "brief"},
	};
	struct row rows[2];
	struct profile profile;
	int result = profile_make(bench, "lockstep", false, "--symbols", &profile, error);

	if (!result) {
		compare_parts(&profile, parts, 2, rows);
		table_add(&bench->table, &rows[0]);
	}
	profile_free(&profile);
	return result;
}

/* ---- short processes ---- */

/*
 * A process ends with a rest of a period that brought no sample, half a one on average: that much
 * is no error, and is known.  Beyond it, what may be off is three standard errors of the sum of
 * these rests, SHORT_UNCOUNTED for the start and end of a process, where its events do not count,
 * and 2 % for samples that came late, as a virtual machine's do.
 */
static int check_short(struct bench *bench, struct op_error *error)
{
	struct tally all = {0};
	struct profile profile;
	double cpu, processes, seconds, period;
	struct row row = {.name = "short: CPU time of brief processes", .unit = UNIT_MS};

	if (profile_make(bench, "short", false, "--symbols", &profile, error)) {
		profile_free(&profile);
		return -1;
	}
	for (size_t i = 0; i < profile.results.count; i++) {
		all.samples += profile.results.item[i].tally.samples;
		all.events += profile.results.item[i].tally.events;
	}
	cpu = results_truth(profile.truth, bench->run.user_only ? "user" : "cpu");
	processes = results_truth(profile.truth, "processes");
	seconds = all.events * bench->rate.seconds_per_event;
	period = 1 / bench->rate.samples_per_second;
	row.truth = 1e3 * cpu;
	row.measured = 1e3 * seconds;
	row.within = 1e3 * (processes * (period / 2 + SHORT_UNCOUNTED) +
			    3 * period * sqrt(processes / 12) + 0.02 * cpu);
	snprintf(row.remark, sizeof(row.remark),
		 "%.1f %% missing, of %.0f processes of %d to %d ms", 100 * (cpu - seconds) / cpu,
		 processes, WORKLOAD_SHORT_LEAST, WORKLOAD_SHORT_MOST);
	table_add(&bench->table, &row);
	profile_free(&profile);
	return 0;
}

/* ---- call chains and lines ---- */

static void compare_callers(struct bench *bench, const struct profile *profile, const char *folded)
{
	double often = results_of_stack(folded, "selftest_often;selftest_leaf");
	double seldom = results_of_stack(folded, "selftest_seldom;selftest_leaf");
	double leaf = results_of_stack(folded, "selftest_leaf");
	double samples = results_of_symbol(&profile->results, "selftest_leaf").samples;
	double time = results_truth(profile->truth, "often");
	struct row complete = {.name = "call chains: leaf with its caller",
			       .unit = UNIT_PERCENT,
			       .truth = 100,
			       .measured = 100 * (often + seldom) / leaf,
			       .within = 1};
	struct row row = row_of_share("call chains: first caller of two",
				      time / (time + results_truth(profile->truth, "seldom")),
				      often, often + seldom, samples);

	snprintf(row.remark, sizeof(row.remark), "of %.0f samples", samples);
	table_add(&bench->table, &row);
	table_add(&bench->table, &complete);
}

/* The line with the most samples of those that the leaf has. */
static void compare_line(struct bench *bench, const struct profile *profile)
{
	const struct results *results = &profile->results;
	const struct result *hottest = NULL;
	struct row row = {.name = "lines: hottest line",
			  .unit = UNIT_LINE,
			  .truth = results_truth(profile->truth, "line")};

	for (size_t i = 0; i < results->count; i++) {
		const struct result *result = &results->item[i];

		if (!strcmp(result->symbol, "selftest_leaf") &&
		    (!hottest || result->tally.events > hottest->tally.events))
			hottest = result;
	}
	if (!hottest)
		row.measured = NAN;
	else if (!hottest->line)
		row.skipped = "this program has no debug information here";
	else
		row.measured = (double)hottest->line;
	table_add(&bench->table, &row);
}

static int check_chains(struct bench *bench, struct op_error *error)
{
	struct profile profile;
	char *folded = NULL;
	int result = profile_make(bench, "chains", true, "--lines", &profile, error);

	if (!result)
		result = run_export(&bench->run, "chains", &folded, error);
	if (!result) {
		compare_callers(bench, &profile, folded);
		compare_line(bench, &profile);
	}
	free(folded);
	profile_free(&profile);
	return result;
}

/* ---- skid ---- */

static int compare_addresses(const void *a, const void *b)
{
	const struct result *one = a, *other = b;

	return op_compare_u64(one->address, other->address);
}

/* Of addresses in order, the one with half of the samples below it. */
static uint64_t find_median(const struct result *result, size_t count, double samples)
{
	double below = 0;

	for (size_t i = 0; i < count; i++) {
		below += result[i].tally.samples;
		if (below >= samples / 2)
			return result[i].address;
	}
	return 0;
}

/* Leaves the lines of the symbol only.  Return: samples of the program that are elsewhere. */
static double keep_symbol(struct results *results, const char *image, const char *symbol)
{
	double elsewhere = 0;
	size_t kept = 0;

	for (size_t i = 0; i < results->count; i++) {
		if (!strcmp(results->item[i].symbol, symbol))
			results->item[kept++] = results->item[i];
		else if (!strcmp(results->item[i].image, image))
			elsewhere += results->item[i].tally.samples;
	}
	results->count = kept;
	return elsewhere;
}

static int check_skid(struct bench *bench, struct op_error *error)
{
	struct profile profile;
	struct results *results = &profile.results;
	double slow, elsewhere, samples;
	struct row skid = {.name = "skid: behind a slow instruction",
			   .unit = UNIT_BYTES,
			   .within = SKID_MOST,
			   .measured = NAN};
	struct row outside = {
		.name = "skid: samples outside of the function", .unit = UNIT_PERCENT, .within = 1};

	if (profile_make(bench, "skid", false, "--details", &profile, error)) {
		profile_free(&profile);
		return -1;
	}
	slow = results_truth(profile.truth, "slow");
	elsewhere = keep_symbol(results, bench->run.self, "selftest_skid");
	samples = results_of_symbol(results, "selftest_skid").samples;
	qsort(results->item, results->count, sizeof(*results->item), compare_addresses);
	if (samples)
		skid.measured = (double)find_median(results->item, results->count, samples) - slow;
	outside.measured = 100 * elsewhere / (samples + elsewhere);
	snprintf(skid.remark, sizeof(skid.remark), "median of %.0f samples", samples);
	if (isnan(slow))
		skid.skipped = outside.skipped = "there is no such workload for this CPU";
	table_add(&bench->table, &skid);
	table_add(&bench->table, &outside);
	profile_free(&profile);
	return 0;
}

/* ---- lost, cost ---- */

static int check_lost(struct bench *bench, struct op_error *error)
{
	const struct run *run = &bench->run;
	struct row sum = {.name = "lost: received = stored + lost",
			  .unit = UNIT_SAMPLES,
			  .truth = run->received,
			  .measured = run->stored + run->lost};
	struct row lost = {.name = "lost: samples",
			   .unit = UNIT_SAMPLES,
			   .measured = run->lost,
			   .within = run->received / 1000};

	(void)error;
	table_add(&bench->table, &sum);
	table_add(&bench->table, &lost);
	return 0;
}

/* Lowers @least to the CPU time of a run of the fixed work. */
static int time_fixed(struct bench *bench, double turns, const char *session, double *least,
		      struct op_error *error)
{
	char *truth;
	double cpu;

	if (run_workload(&bench->run, "fixed", turns, session, false, &truth, error))
		return -1;
	cpu = results_truth(truth, "cpu");
	if (!(cpu > *least))
		*least = cpu;
	free(truth);
	return 0;
}

static int check_cost(struct bench *bench, struct op_error *error)
{
	double turns = workload_calibrate() * bench->seconds / (2 * ROUNDS);
	double without = INFINITY, with = INFINITY;
	struct row row = {.name = "cost: CPU time that sampling adds",
			  .unit = UNIT_PERCENT,
			  .within = COST_MOST};

	for (int i = 0; i < ROUNDS; i++) {
		char session[32];

		snprintf(session, sizeof(session), "cost%d", i);
		if (time_fixed(bench, turns, NULL, &without, error) ||
		    time_fixed(bench, turns, session, &with, error))
			return -1;
	}
	row.measured = 100 * (with / without - 1);
	snprintf(row.remark, sizeof(row.remark), "of %.0f ms, least of %d each", 1e3 * without,
		 ROUNDS);
	table_add(&bench->table, &row);
	return 0;
}

int checks_do(struct bench *bench, struct op_error *error)
{
	static int (*const checks[])(struct bench * bench, struct op_error * error) = {
		check_lockstep, check_short, check_chains, check_skid, check_lost, check_cost};

	for (size_t i = 0; i < OP_ARRAY_SIZE(checks); i++)
		if (checks[i](bench, error))
			return -1;
	return 0;
}
