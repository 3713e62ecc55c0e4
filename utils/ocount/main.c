// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ocount: counts events in a command, processes, threads, CPUs or the system.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "counts.h"
#include "report.h"
#include "request.h"
#include "libop/foreign/output.h"
#include "libop/perf/command.h"

struct run {
	const struct request *request;
	struct op_perf_events events;
	struct counts counts;
	struct command command;
	struct report report;
	char *what;
	double started, reported; /* seconds of the monotonic clock */
	int signals, timer;	  /* descriptors, -1: not open */
	struct pollfd *end;	  /* pidfds: counting ends with the last of these processes */
	size_t ends;
};

static double ocount_now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* ---- what is counted ---- */

static int choose_events(struct run *run, struct op_error *error)
{
	static char *const hardware[] = {(char *)"cycles", (char *)"instructions"};
	static char *const software[] = {(char *)"task-clock", (char *)"context-switches",
					 (char *)"cpu-migrations", (char *)"page-faults"};
	const struct op_strings *events = &run->request->events;
	const struct op_perf_choose how = {.counting = true};

	if (events->count)
		return op_perf_choose(events->item, events->count, &how, &run->events, error);
	if (!strcmp(op_perf_default(), "cycles"))
		return op_perf_choose(hardware, 2, &how, &run->events, error);
	return op_perf_choose(software, 4, &how, &run->events, error);
}

/* What is counted, as text: the command line, CPUs, processes or threads. */
static char *describe(const struct request *request)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	if (!out)
		return NULL;
	if (request->system_wide)
		fputs("all CPUs", out);
	for (size_t i = 0; i < request->nr_cpus; i++)
		fprintf(out, "%s %d", i ? "," : "CPU", request->cpus[i]);
	for (size_t i = 0; i < request->processes.count; i++)
		fprintf(out, "%s %d", i ? "," : "process", (int)request->processes.item[i]);
	for (size_t i = 0; i < request->threads.count; i++)
		fprintf(out, "%s %d", i ? "," : "thread", (int)request->threads.item[i]);
	for (char **word = request_counts_command(request) ? request->command : NULL; word && *word;
	     word++)
		fprintf(out, "%s%s", word == request->command ? "" : " ", *word);
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

static int open_report(struct run *run, struct op_error *error)
{
	const struct request *request = run->request;

	run->what = describe(request);
	if (!run->what)
		return op_error_memory(error);
	run->report = (struct report){
		.out = request->output
			       ? foreign_create_stream(request->output, FOREIGN_PARENTS_FIND,
						       FOREIGN_REPLACE, error)
			       : stderr,
		.format = request->format,
		.what = run->what,
		.place = request->by_cpu      ? "CPU"
			 : request->by_thread ? "Task ID"
					      : NULL,
		.intervals = request->milliseconds,
	};
	return run->report.out ? 0 : -1;
}

/* ---- waiting ---- */

static int watch(struct run *run, pid_t pid)
{
	int fd = pidfd_open(pid, 0);

	if (fd < 0)
		return errno == ESRCH ? 0 : -1;
	run->end[run->ends++] = (struct pollfd){.fd = fd, .events = POLLIN};
	return 0;
}

/* A pidfd is for a process: the end of single threads is not waited for. */
static int watch_all(struct run *run, struct op_error *error)
{
	const struct request *request = run->request;
	int result = 0;

	run->end = calloc(request->processes.count + 1, sizeof(*run->end));
	if (!run->end)
		return op_error_memory(error);
	if (run->command.pid)
		result = watch(run, run->command.pid);
	for (size_t i = 0; !run->command.pid && !result && i < request->processes.count; i++)
		result = watch(run, request->processes.item[i]);
	return result ? op_error_errno(error, "cannot wait for a process") : 0;
}

static int open_clock(struct run *run, struct op_error *error)
{
	uint64_t ms = run->request->milliseconds;
	const struct timespec period = {(time_t)(ms / 1000), (long)(ms % 1000) * 1000000};
	const struct itimerspec timer = {period, period};
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	run->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	run->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	if (run->signals < 0 || run->timer < 0 || timerfd_settime(run->timer, 0, &timer, NULL))
		return op_error_errno(error, "cannot wait");
	return 0;
}

static int report_now(struct run *run, struct op_error *error)
{
	double time = ocount_now(), before = run->reported;

	run->reported = time;
	return report_write(&run->report, &run->counts, time - before, time - run->started, error);
}

/* Closes the pidfds of processes that have ended.  Return: true if one is left, or none was
 * watched. */
static bool is_alive(struct run *run)
{
	size_t left = 0;

	if (!run->ends)
		return true;
	for (size_t i = 0; i < run->ends; i++) {
		struct pollfd *end = &run->end[i];

		if (end->fd >= 0 && poll(end, 1, 0) > 0) {
			close(end->fd);
			end->fd = -1;
		}
		left += end->fd >= 0;
	}
	return left;
}

/* A signal from the terminal reaches the command as well: its end ends the counting. */
static bool has_end_signal(struct run *run)
{
	struct signalfd_siginfo info;
	bool end = false;

	while (read(run->signals, &info, sizeof(info)) == sizeof(info)) {
		end = !run->command.pid;
		if (run->command.pid && info.ssi_code != SI_KERNEL)
			kill(run->command.pid, (int)info.ssi_signo);
	}
	return end;
}

static int wait_for_events(const struct run *run)
{
	struct pollfd *all = calloc(run->ends + 2, sizeof(*all));
	int n;

	if (!all)
		return -1;
	memcpy(all, run->end, run->ends * sizeof(*all));
	all[run->ends] = (struct pollfd){.fd = run->signals, .events = POLLIN};
	all[run->ends + 1] = (struct pollfd){.fd = run->timer, .events = POLLIN};
	n = poll(all, run->ends + 2, -1);
	n = n < 0 ? (errno == EINTR ? 0 : -1) : all[run->ends + 1].revents & POLLIN;
	free(all);
	return n;
}

static int count(struct run *run, struct op_error *error)
{
	uint64_t intervals = 0, times;

	while (is_alive(run) && !has_end_signal(run)) {
		int tick = wait_for_events(run);

		if (tick < 0)
			return op_error_errno(error, "cannot wait");
		if (!tick || read(run->timer, &times, sizeof(times)) < 0)
			continue;
		if (report_now(run, error))
			return -1;
		if (++intervals == run->request->intervals)
			return 0;
	}
	return report_now(run, error);
}

/* ---- the whole run ---- */

static int ocount_work(struct run *run, struct op_error *error)
{
	const struct request *request = run->request;

	if (choose_events(run, error) || open_report(run, error))
		return -1;
	if (request->command && command_prepare(&run->command, request->command, error))
		return -1;
	if (counts_open(&run->counts, &run->events, request,
			request_counts_command(request) ? run->command.pid : 0, error) ||
	    watch_all(run, error) || open_clock(run, error))
		return -1;
	run->started = run->reported = ocount_now();
	if (!request_counts_command(request) && counts_enable(&run->counts, error))
		return -1;
	if (request->command && command_go(&run->command, request->command[0], error))
		return -1;
	return count(run, error);
}

static void ocount_release(struct run *run)
{
	for (size_t i = 0; i < run->ends; i++) {
		if (run->end[i].fd >= 0)
			close(run->end[i].fd);
	}
	free(run->end);
	if (run->signals >= 0)
		close(run->signals);
	if (run->timer >= 0)
		close(run->timer);
	counts_close(&run->counts);
	op_perf_events_free(&run->events);
	if (run->report.out && run->report.out != stderr)
		fclose(run->report.out);
	free(run->what);
}

static int ocount(const struct request *request, struct op_error *error)
{
	struct run run = {.request = request,
			  .signals = -1,
			  .timer = -1,
			  .command = {.go = -1, .failed = -1}};
	int status, result = ocount_work(&run, error), exit_status = OP_EXIT_OK;

	if (!result && run.command.pid) {
		/* after the last interval the command keeps running */
		exit_status = waitpid(run.command.pid, &status, WNOHANG) == run.command.pid
				      ? command_status(status)
				      : OP_EXIT_OK;
		run.command.pid = 0;
	} else if (result) {
		op_complain("%s", error->text);
		exit_status = OP_EXIT_FAILURE;
	}
	command_abandon(&run.command);
	ocount_release(&run);
	return exit_status;
}

static void list_events(void)
{
	const struct op_perf_name *name;

	for (size_t i = 0; (name = op_perf_name_at(i)); i++)
		printf("%-26s %s%s\n", name->name, name->description,
		       name->type == PERF_TYPE_SOFTWARE ? "" : " (hardware)");
	printf("\nEvents of this CPU's own counters: ophelp\n");
}

int main(int argc, char **argv)
{
	struct request request;
	struct op_error error = {0};
	int status = OP_EXIT_OK;

	op_program_begin(argv[0]);
	if (request_parse(argc, (const char **)argv, &request, &error)) {
		request_free(&request);
		return op_usage_error(&error);
	}
	if (request.list) {
		list_events();
	} else if (request.command && command_check(request.command[0], &error)) {
		op_complain("%s", error.text);
		status = command_failure(&error);
	} else {
		status = ocount(&request, &error);
	}
	request_free(&request);
	return status;
}
