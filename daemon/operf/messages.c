// SPDX-License-Identifier: GPL-2.0-or-later
/* What operf says: see messages.h. */
#include "messages.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "daemon/sources/perf/unwind.h"
#include "libop/base/error.h"
#include "libop/base/safe_text.h"
#include "libop/session/paths.h"
#include "no_samples.h"
#include "reports.h"

/* ---- what it shows while it collects ---- */

static uint64_t count_lost(const struct run *run)
{
	const uint64_t *stat = run->profile.stats.samples.value;

	return stat[STAT_RECEIVED] - stat[STAT_STORED] - stat[STAT_FILTERED] +
	       source_perf_losses(run->source).lost;
}

static void print_events(const struct run *run)
{
	for (size_t i = 0; i < run->events.count; i++)
		op_safe_printf(stderr, "%s%s", i ? ", " : "", run->events.event[i].event.name);
	if (run->user_only)
		fprintf(stderr, " (user code only)");
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

void messages_begin(const struct run *run)
{
	const struct request *request = run->request;

	fputs("operf: sampling ", stderr);
	if (request->system_wide)
		fputs("the system", stderr);
	else if (request_profiles_command(request))
		op_safe_printf(stderr, "%s", base_name(request->command[0]));
	else
		fprintf(stderr, "%zu process%s", request->processes.count,
			request->processes.count == 1 ? "" : "es");
	fputs(" by ", stderr);
	print_events(run);
	fprintf(stderr, ", %s call chains", request->callgraph ? "with" : "without");
	if (run->appends)
		op_safe_printf(stderr, ", added to the samples in %s", request->session_dir);
	fprintf(stderr, "%s\n", request->command || request->duration ? "" : "; Ctrl-C ends it");
}

void messages_progress(void *context)
{
	const struct run *run = context;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	dprintf(run->messages, "\r%" PRId64 " s, %" PRIu64 " samples, %" PRIu64 " lost ",
		(int64_t)(now.tv_sec - run->begun.tv_sec),
		run->profile.stats.samples.value[STAT_STORED], count_lost(run));
}

void messages_end_progress(const struct run *run)
{
	if (run->collect.tick)
		dprintf(run->messages, "\r\033[K");
}

/* ---- what it says at the end ---- */

/* The head of the report that follows says it. */
static bool is_told_later(const struct run *run, const struct source_perf_losses *losses)
{
	return run->is_watched && run->profile.stats.samples.value[STAT_STORED] &&
	       !count_lost(run) && !losses->throttled;
}

/* One line: samples stored, samples lost, and the command to report them. */
static void print_summary(const struct run *run)
{
	const uint64_t *stat = run->profile.stats.samples.value;
	struct source_perf_losses losses = source_perf_losses(run->source);
	const char *session = run->request->session_dir;
	char *here = op_session_dir(NULL);
	uint64_t lost = count_lost(run);

	if (is_told_later(run, &losses))
		return;
	fputs("operf: ", stderr);
	if (run->request->run)
		fprintf(stderr, "run %u: ", run->request->run);
	fprintf(stderr, "%" PRIu64 " samples of ", stat[STAT_STORED]);
	print_events(run);
	if (lost)
		fprintf(stderr, ", %" PRIu64 " lost", lost);
	if (losses.throttled)
		fprintf(stderr, ", throttled %" PRIu64 " times", losses.throttled);
	if (run->appends)
		fprintf(stderr, ", added to those that were there%s",
			stat[STAT_STORED] || run->request->system_wide
				? ""
				: " (by -a; the whole system is -s)");
	if (run->is_watched ||
	    (run->request->run && !run->collect.status && !run->collect.incomplete))
		fputc('\n', stderr); /* how to look at them is said later */
	else if (here && !strcmp(here, session))
		fprintf(stderr, "; look with \"opreport\"\n");
	else
		op_safe_line(stderr, "; look with \"opreport --session-dir=%s\"", session);
	free(here);
}

static void print_unnamed(const struct run *run)
{
	uint64_t n = source_perf_losses(run->source).of_processes;

	if (n)
		op_warn("%" PRIu64 " records of what processes mapped were lost: some samples may "
			"have no name",
			n);
}

/* A line for each event that the kernel paused for more than 1 % of its time. */
static void print_pauses(const struct run *run)
{
	for (size_t i = 0; i < run->events.count; i++) {
		const struct op_perf_event *event = &run->events.event[i];
		struct source_perf_time time = source_perf_time(run->source, i);
		double share = time.running_ns
				       ? 100 * (double)time.paused_ns / (double)time.running_ns
				       : 0;

		if (share <= 1)
			continue;
		if (event->attr.freq)
			op_warn("the kernel paused %s for %.1f %% of the time, as there were too "
				"many samples; use --freq=%" PRIu64,
				event->event.name, share,
				(uint64_t)event->attr.sample_freq / 2 + 1);
		else
			op_warn("the kernel paused %s:%" PRIu32
				" for %.1f %% of the time, as there were too many samples; use "
				"-e %s:%" PRIu64,
				event->event.name, event->event.count, share, event->event.name,
				op_perf_count_instead(event->event.count, time.taken,
						      time.running_ns - time.paused_ns));
	}
}

/* A line for each clock of which more than 3 % of the time, and more than chance makes, brought no
 * sample: each thread has a rest of half a period.  Return: whether there is one. */
static bool print_unsampled(const struct run *run)
{
	bool is_told = false;

	for (size_t i = 0; i < run->events.count; i++) {
		const struct op_perf_event *event = &run->events.event[i];
		struct source_perf_time time = source_perf_time(run->source, i);
		double share = 0;

		if (time.running_ns)
			share = 100 * (double)time.unsampled_ns / (double)time.running_ns;
		if (share <= 3 || event->event.count < 10 * OP_PERF_CLOCK_LEAST ||
		    (time.taken && (double)time.unsampled_ns / event->event.count <=
					   3 * sqrt((double)time.running_ns / event->event.count)))
			continue;
		op_warn("%.1f %% of the CPU time (%.3g ms) brought no sample, as threads ended "
			"within %.4g ms; use -e %s:%" PRIu32,
			share, (double)time.unsampled_ns / 1e6, (double)event->event.count / 1e6,
			event->event.name, event->event.count / 10);
		is_told = true;
	}
	return is_told;
}

/* Whether the kernel lets this user profile a program, and if not, why; NULL: it does, as far as is
 * known. */
static const char *why_unprofiled(const char *name)
{
	char *path = command_path(name);
	const char *why = NULL;
	struct stat status;

	if (path && !stat(path, &status)) {
		if ((status.st_mode & S_ISUID && status.st_uid != geteuid()) ||
		    (status.st_mode & S_ISGID && status.st_gid != getegid()))
			why = status.st_mode & S_ISUID ? "which is set-user-ID"
						       : "which is set-group-ID";
		else if (access(path, R_OK))
			why = "which you may not read";
	}
	free(path);
	return why;
}

/* CPU time of the command that no event was there to count. */
static void print_missing(const struct run *run)
{
	struct source_perf_time time = source_perf_time(run->source, 0);
	double missing = (double)time.missing_ns / 1e9;
	const char *why = NULL;

	if (!time.missing_ns)
		return;
	if (request_profiles_command(run->request))
		why = why_unprofiled(run->request->command[0]);
	if (why)
		op_warn("%.3g s of CPU time were not profiled: the kernel keeps %s, %s, from "
			"your events; as root, operf --system-wide sees it",
			missing, run->request->command[0], why);
	else
		op_warn("%.3g s of CPU time were not profiled, perhaps of programs that are "
			"set-user-ID or cannot be read, which the kernel keeps from profilers; as "
			"root, operf --system-wide sees all",
			missing);
}

/* Processes that the command has left behind. */
static void print_running(const struct run *run)
{
	bool is_end = request_profiles_command(run->request) && !run->collect.signal &&
		      !run->request->duration;
	size_t n = is_end ? source_perf_running(run->source) : 0;

	if (n)
		op_warn("%zu process%s that the command has started still run%s, and %s no longer "
			"profiled: operf --pid profiles what runs, and a command that waits for "
			"them takes them along (sh -c 'COMMAND; wait')",
			n, n == 1 ? "" : "es", n == 1 ? "s" : "", n == 1 ? "is" : "are");
}

/* Fewer call chains, or fewer of them in 100, are not worth a line. */
#define CHAINS_LEAST 100
#define EARLY_LEAST  2

static const char *why_early(const struct run *run, const struct source_perf_chains *chains)
{
	if (2 * chains->cut <= chains->early)
		return "in code without call frame information";
	if (run->request->unwind == PERF_UNWIND_AUTO ||
	    run->request->unwind >= PERF_UNWIND_STACK_MOST)
		return "as their stacks are deeper than what can be copied of each";
	return "as their stacks are deeper than what was copied of each; --call-graph=auto copies "
	       "what they need";
}

/* Call chains that do not lead to where their thread began. */
static void print_early(const struct run *run)
{
	struct source_perf_chains chains = source_perf_chains(run->source);
	double share = chains.user ? 100 * (double)chains.early / (double)chains.user : 0;

	if (chains.user >= CHAINS_LEAST && share >= EARLY_LEAST)
		op_warn("%.0f %% of the call chains of user code end early, %s", share,
			why_early(run, &chains));
}

void messages_show_hottest(const struct request *request)
{
	struct op_error error;

	fputc('\n', stderr);
	if (reports_hottest(request, &error))
		op_warn("%s", error.text);
	reports_name_others(request);
}

void messages_end(const struct run *run)
{
	print_summary(run);
	print_unnamed(run);
	print_early(run);
	print_pauses(run);
	if (!print_unsampled(run))
		no_samples_explain(run, count_lost(run));
	print_missing(run);
	print_running(run);
}
