// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * operf: profiles a command, processes or the whole system with perf events.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collect.h"
#include "libop/perf/command.h"
#include "libop/session/abi.h"
#include "libop/session/lock.h"
#include "libop/session/log.h"
#include "daemon/sources/perf/perf.h"
#include "libop/base/file.h"
#include "libop/base/page_guard.h"
#include "libop/base/pinned_path.h"
#include "libop/base/safe_text.h"
#include "libop/perf/event.h"
#include "libop/session/paths.h"
#include "libop/session/tree.h"
#include "page.h"
#include "request.h"
#include "runs.h"
#include "session.h"

/* No file of a session is for others than its owner and group. */
#define SESSION_UMASK 0027

struct run {
	const struct request *request;
	struct op_perf_events events;
	struct command command;
	struct source *source;
	struct profile profile;
	struct collect collect;
	char *session;	/* of op_session_open() */
	int lock;	/* of the session; -1: not taken */
	int messages;	/* where stderr was before it became the log */
	bool user_only; /* no event samples the kernel */
};

static int choose_events(struct run *run, struct op_error *error)
{
	const struct request *request = run->request;
	const struct op_perf_choose how = {
		.frequency = request->frequency,
		.callgraph = request->callgraph,
	};

	if (op_perf_choose(request->events.item, request->events.count, &how, &run->events, error))
		return -1;
	run->user_only = true;
	for (size_t i = 0; i < run->events.count; i++)
		run->user_only &= run->events.event[i].attr.exclude_kernel;
	return 0;
}

static int open_source(struct run *run, struct op_error *error)
{
	const struct request *request = run->request;
	sigset_t ends;
	struct source_perf_config config = {
		.events = &run->events,
		.ends = &ends,
		.processes = request->processes.item,
		.count = request->processes.count,
		.callgraph = request->callgraph ? SOURCE_PERF_FULL_DEPTH : 0,
		.unwind = request->unwind,
	};

	collect_signals(&ends);
	if (run->command.pid && !request->system_wide) {
		config.processes = &run->command.pid;
		config.count = 1;
		config.on_exec = true;
	}
	run->source = source_perf_open(&config, error);
	return run->source ? 0 : -1;
}

/* Without kernel addresses, all kernel code is one image. */
static int open_profile(struct run *run, struct op_error *error)
{
	const struct request *request = run->request;
	struct profile_config config = {
		.session_dir = run->session,
		.command_line = request->command_line,
		.separation.lib = true,
		.separation.kernel = true,
		.separation.thread = request->separate_thread,
		.separation.cpu = request->separate_cpu,
		.packs = !request->loose,
		.discards = request->feed_only,
	};

	if (request->vmlinux) {
		config.kernel.mode = KERNEL_VMLINUX;
		config.kernel.vmlinux = request->vmlinux;
	} else if (run->user_only) {
		config.kernel.mode = KERNEL_NO_VMLINUX;
	}
	if (!profile_open(&run->profile, &config, run->source, error))
		return 0;
	if (config.kernel.mode != KERNEL_KALLSYMS || error->code != ENOENT)
		return -1;
	op_warn("all kernel code is counted as one image: /proc/kallsyms shows no addresses "
		"(as root, \"sysctl kernel.kptr_restrict=0\")");
	config.kernel.mode = KERNEL_NO_VMLINUX;
	return profile_open(&run->profile, &config, run->source, error);
}

/* From here on, messages of the daemon's code go to the log. */
static int open_log(struct run *run, struct op_error *error)
{
	char *path = op_path("%s/" SESSION_LOG, run->session);
	int result;

	run->messages = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	if (!path || run->messages < 0)
		result = op_error_errno(error, "cannot open the log");
	else
		result = log_open(path, error);
	free(path);
	return result;
}

static void close_log(struct run *run)
{
	if (run->messages >= 0) {
		fflush(stderr);
		dup2(run->messages, STDERR_FILENO);
		close(run->messages);
	}
	run->messages = -1;
}

static int prepare(struct run *run, struct op_error *error)
{
	const struct request *request = run->request;

	if (request->topics && log_topics_parse(request->topics, error))
		return -1;
	if (choose_events(run, error))
		return -1;
	if (request->command && command_prepare(&run->command, request->command, error))
		return -1;
	/* after the fork of the command, which must not inherit them */
	collect_block_signals();
	page_guard_ignore_file_limit();
	umask(SESSION_UMASK);
	if (open_source(run, error))
		return -1;
	session_let_sudo_user_read();
	run->session = op_session_open(request->session_dir, error);
	if (!run->session)
		return -1;
	run->lock = session_begin(run->session,
				  request->append     ? SESSION_APPEND
				  : request->run == 1 ? SESSION_BEGIN_RUNS
						      : SESSION_BEGIN,
				  error);
	if (run->lock < 0 || open_profile(run, error) || abi_write(run->session, error))
		return -1;
	if (request->feed && profile_feed(&run->profile, (int)request->feed, error))
		return -1;
	return profile_run(&run->profile, true, error);
}

static int operf_work(struct run *run, struct op_error *error)
{
	run->collect = (struct collect){
		.profile = &run->profile,
		.command = run->command.pid,
		.processes = run->request->processes.item,
		.count = run->request->processes.count,
		.seconds = run->request->duration,
		.feeds = run->request->feed,
	};
	/* a signal before the command starts; without a command, collect_run() handles it */
	if (run->command.pid && (run->collect.signal = collect_pending_signal()))
		return op_error_set(error, EINTR, "interrupted by a signal before %s was executed",
				    run->request->command[0]);
	if (run->command.pid && command_go(&run->command, run->request->command[0], error))
		return -1;
	return open_log(run, error) || collect_run(&run->collect, error) ? -1 : 0;
}

/* One line: samples stored, samples lost, and the command to report them. */
static void print_summary(const struct run *run)
{
	const uint64_t *stat = run->profile.stats.samples.value;
	struct source_perf_losses losses = source_perf_losses(run->source);
	const char *session = run->request->session_dir;
	char *here = op_session_dir(NULL);
	uint64_t lost = stat[STAT_RECEIVED] - stat[STAT_STORED] - stat[STAT_FILTERED] + losses.lost;

	fputs("operf: ", stderr);
	if (run->request->run)
		fprintf(stderr, "run %u: ", run->request->run);
	fprintf(stderr, "%" PRIu64 " samples of ", stat[STAT_STORED]);
	for (size_t i = 0; i < run->events.count; i++)
		op_safe_printf(stderr, "%s%s", i ? ", " : "", run->events.event[i].event.name);
	if (run->user_only)
		fprintf(stderr, " (user code only)");
	if (lost)
		fprintf(stderr, ", %" PRIu64 " lost", lost);
	if (losses.throttled)
		fprintf(stderr, ", throttled %" PRIu64 " times", losses.throttled);
	if (run->request->run && !run->collect.status && !run->collect.incomplete)
		fputc('\n', stderr); /* runs_do() says how to look at all of them */
	else if (here && !strcmp(here, session))
		fprintf(stderr, "; look with \"opreport\"\n");
	else
		op_safe_line(stderr, "; look with \"opreport --session-dir=%s\"", session);
	if (losses.of_processes)
		op_warn("%" PRIu64 " records of what processes mapped were lost: some samples may "
			"have no name",
			losses.of_processes);
	free(here);
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
 * sample: each thread has a rest of half a period. */
static void print_unsampled(const struct run *run)
{
	for (size_t i = 0; i < run->events.count; i++) {
		const struct op_perf_event *event = &run->events.event[i];
		struct source_perf_time time = source_perf_time(run->source, i);
		double share = 0;

		if (time.running_ns)
			share = 100 * (double)time.unsampled_ns / (double)time.running_ns;
		if (share <= 3 || event->event.count < 10 ||
		    (time.taken &&
		     (double)time.unsampled_ns / event->event.count <=
			     3 * sqrt((double)time.running_ns / event->event.count)))
			continue;
		op_warn("%.1f %% of the CPU time (%.3g ms) brought no sample, as threads ended "
			"within %.4g ms; use -e %s:%" PRIu32,
			share, (double)time.unsampled_ns / 1e6, (double)event->event.count / 1e6,
			event->event.name, event->event.count / 10);
	}
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
	const char *why = run->request->command ? why_unprofiled(run->request->command[0]) : NULL;

	if (!time.missing_ns)
		return;
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
	size_t n = run->collect.command && !run->collect.signal && !run->request->duration
			   ? source_perf_running(run->source)
			   : 0;

	if (n)
		op_warn("%zu process%s that the command has started still run%s, and %s no longer "
			"profiled: operf --pid profiles what runs, and a command that waits for "
			"them takes them along (sh -c 'COMMAND; wait')",
			n, n == 1 ? "" : "es", n == 1 ? "s" : "", n == 1 ? "is" : "are");
}

static uint64_t nanoseconds(const struct timeval *time)
{
	return (uint64_t)time->tv_sec * 1000000000 + (uint64_t)time->tv_usec * 1000;
}

static void finish(struct run *run)
{
	if (run->source && !run->request->system_wide)
		source_perf_set_use(run->source, nanoseconds(&run->collect.used.ru_utime),
				    nanoseconds(&run->collect.used.ru_stime));
	if (run->profile.source) {
		profile_save_stats(&run->profile);
		if (log_topics)
			profile_log_stats(&run->profile);
	}
	close_log(run);
}

static void pack(const struct run *run)
{
	struct op_error error;

	if (!run->request->loose && profile_pack(run->session, &error))
		op_warn("the session is not packed: %s", error.text);
}

/* @kept: the samples are those of a run that is done, one of several.  Return: whether they have
 * got their name. */
static bool operf_keep(const struct run *run, bool kept)
{
	struct op_error error;

	if (!kept || !session_keep_run(run->session, run->request->run, &error))
		return true;
	op_complain("%s", error.text);
	return false;
}

/* Return: as operf_keep(). */
static bool operf_release(struct run *run, bool kept)
{
	bool good;

	command_abandon(&run->command);
	if (run->profile.source) {
		profile_close(&run->profile);
		pack(run);
	}
	source_close(run->source);
	good = operf_keep(run, kept);
	if (run->lock >= 0)
		lock_release(run->session, run->lock);
	op_pinned_close(run->session);
	op_perf_events_free(&run->events);
	return good;
}

/* Return: the exit status. */
static int profile(const struct request *request)
{
	struct op_error failure = {0}, *error = &failure;
	struct run run = {.request = request,
			  .lock = -1,
			  .messages = -1,
			  .command = {.go = -1, .failed = -1}};
	int result, status = OP_EXIT_FAILURE;

	result = prepare(&run, error);
	if (!result)
		result = operf_work(&run, error);
	finish(&run);
	if (!result) {
		print_summary(&run);
		print_pauses(&run);
		print_unsampled(&run);
		print_missing(&run);
		print_running(&run);
		status = run.collect.command ? run.collect.status : OP_EXIT_OK;
		run.command.pid = 0; /* it has ended, or goes on alone */
		if (run.collect.incomplete)
			op_complain("%s", error->text);
		if (run.collect.incomplete && status == OP_EXIT_OK)
			status = OP_EXIT_FAILURE;
	} else if (run.lock >= 0 && request->command && !run.command.pid) {
		status = command_failure(error); /* it was not executed after all */
	} else if (error->code == EINTR) {
		int number = run.collect.signal ? run.collect.signal : collect_pending_signal();

		status = number ? 128 + number : OP_EXIT_FAILURE;
	}
	if (result)
		op_complain("%s", error->text);
	if (!operf_release(&run, request->run && !result && status == OP_EXIT_OK))
		status = OP_EXIT_FAILURE;
	if (!result && request->html && page_make(request, error)) {
		op_complain("%s", error->text);
		if (status == OP_EXIT_OK)
			status = OP_EXIT_FAILURE;
	}
	return status;
}

int main(int argc, char **argv)
{
	struct request request;
	struct op_error error = {0};
	int status;

	op_program_begin(argv[0]);
	if (request_parse(argc, (const char **)argv, &request, &error)) {
		request_free(&request);
		return op_usage_error(&error);
	}
	if (request.command && command_check(request.command[0], &error)) {
		op_complain("%s", error.text);
		status = command_failure(&error);
	} else {
		status = request.runs ? runs_do(&request, profile) : profile(&request);
	}
	request_free(&request);
	return status;
}
