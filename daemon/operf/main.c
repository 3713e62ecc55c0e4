// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * operf: profiles a command, processes or the whole system with perf events.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect.h"
#include "messages.h"
#include "libop/perf/command.h"
#include "libop/session/abi.h"
#include "libop/session/lock.h"
#include "libop/session/log.h"
#include "daemon/sources/perf/perf.h"
#include "libop/base/file.h"
#include "libop/base/page_guard.h"
#include "libop/base/pinned_path.h"
#include "libop/perf/event.h"
#include "libop/session/paths.h"
#include "libop/session/tree.h"
#include "reports.h"
#include "run.h"
#include "runs.h"
#include "session.h"
#include "subcommand.h"

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
	if (request_profiles_command(request)) {
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

/* perf has the letter for the whole system. */
static void look_for_samples(struct run *run)
{
	const struct request *request = run->request;
	char *current = op_path("%s/" OP_SESSION_CURRENT, request->session_dir);

	run->appends = request->append && current && !access(current, F_OK);
	if (request->append && !run->appends && !request->system_wide)
		op_warn("-a: there are no samples to add to in %s; the whole system is -s",
			request->session_dir);
	free(current);
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
	umask(OP_SESSION_UMASK);
	if (open_source(run, error))
		return -1;
	session_let_sudo_user_read();
	look_for_samples(run);
	run->session = op_session_open(request->session_dir, error);
	if (!run->session) {
		op_session_suggest("--session-dir", error);
		return -1;
	}
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
		.count = run->command.pid ? 0 : run->request->processes.count,
		.seconds = run->request->duration,
		.feeds = run->request->feed,
		.tick = run->is_watched && !run->request->command ? messages_progress : NULL,
		.tick_context = run,
	};
	clock_gettime(CLOCK_MONOTONIC, &run->begun);
	if (run->is_watched)
		messages_begin(run);
	/* a signal before the command starts; without a command, collect_run() handles it */
	if (run->command.pid && (run->collect.signal = collect_pending_signal()))
		return op_error_set(error, EINTR, "interrupted by a signal before %s was executed",
				    run->request->command[0]);
	if (run->command.pid && command_go(&run->command, run->request->command[0], error))
		return -1;
	return open_log(run, error) || collect_run(&run->collect, error) ? -1 : 0;
}

static uint64_t nanoseconds(const struct timeval *time)
{
	return (uint64_t)time->tv_sec * 1000000000 + (uint64_t)time->tv_usec * 1000;
}

static void finish(struct run *run)
{
	if (run->source && request_profiles_command(run->request))
		source_perf_set_use(run->source, nanoseconds(&run->collect.used.ru_utime),
				    nanoseconds(&run->collect.used.ru_stime));
	if (run->profile.source) {
		profile_save_stats(&run->profile);
		if (log_topics)
			profile_log_stats(&run->profile);
	}
	messages_end_progress(run);
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
			  .is_watched = !request->quiet && !request->run && !request->feed_only &&
					isatty(STDERR_FILENO),
			  .command = {.go = -1, .failed = -1}};
	int result, status = OP_EXIT_FAILURE;
	bool has_samples;

	result = prepare(&run, error);
	if (!result)
		result = operf_work(&run, error);
	finish(&run);
	if (!result) {
		messages_end(&run);
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
	has_samples = run.profile.stats.samples.value[STAT_STORED];
	if (!operf_release(&run, request->run && !result && status == OP_EXIT_OK))
		status = OP_EXIT_FAILURE;
	if (!result && run.is_watched && has_samples)
		messages_show_hottest(request);
	if (!result && request->html && reports_page(request, error)) {
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
	subcommand_take(&argc, &argv);
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
