// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The main loop of the daemon: see daemon.h.
 */
#include "daemon.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "libop/session/abi.h"
#include "libop/base/array.h"
#include "libop/base/file.h"
#include "notify.h"
#include "libop/base/pinned_path.h"
#include "libop/session/paths.h"
#include "libop/session/tree.h"
#include "libop/closed/samples.h"
#include "libop/session/lock.h"
#include "libop/session/log.h"
#include "daemon/sources/recording.h"
#include "daemon/sources/module.h"
#include "daemon/sources/perf/perf.h"
#include "watchdog.h"

/* Between two statistics in the log. */
#define STATISTICS_SECONDS 600

/* How long the end waits for the disk, if somebody waits for the reply to a dump. */
#define SYNC_SECONDS_MOST 10

#define EVENTS_AT_ONCE 16

/* ---- opening ---- */

static void fill_signals(sigset_t *set)
{
	static const int handled[] = {SIGHUP, SIGTERM, SIGINT, SIGALRM, SIGUSR1, SIGUSR2, SIGPIPE};

	sigemptyset(set);
	for (size_t i = 0; i < OP_ARRAY_SIZE(handled); i++)
		sigaddset(set, handled[i]);
}

void daemon_block_signals(void)
{
	sigset_t set;

	fill_signals(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

static struct source *open_perf(const struct options *options, struct op_error *error)
{
	const struct op_perf_choose how = {.frequency = options->frequency};
	struct op_perf_events events;
	const struct source_perf_config config = {
		.events = &events,
		.callgraph = (unsigned int)options->callgraph,
		.unwind = options->unwind,
	};
	struct source *source;

	if (options->events
		    ? op_perf_from_daemon(options->events, options->frequency, &events, error)
		    : op_perf_choose(NULL, 0, &how, &events, error))
		return NULL;
	source = source_perf_open(&config, error);
	op_perf_events_free(&events);
	return source;
}

static struct source *open_source(const struct options *options, struct op_error *error)
{
	struct source *source;

	if (options->replay)
		return source_replay_open(options->replay, error);
	if (options->perf) {
		source = open_perf(options, error);
	} else {
		source = source_kernel_open(options->oprofilefs, error);
		if (source && options->events)
			source->events = strdup(options->events);
	}
	if (source && options->record)
		return source_record_open(source, options->record, error);
	return source;
}

static int daemon_wait_for(const struct daemon *daemon, int fd)
{
	struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};

	return epoll_ctl(daemon->epoll, EPOLL_CTL_ADD, fd, &event);
}

static int open_events(struct daemon *daemon)
{
	const struct itimerspec period = {
		.it_interval.tv_sec = STATISTICS_SECONDS,
		.it_value.tv_sec = STATISTICS_SECONDS,
	};
	sigset_t set;

	fill_signals(&set);
	daemon->epoll = epoll_create1(EPOLL_CLOEXEC);
	daemon->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	daemon->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (daemon->epoll < 0 || daemon->signals < 0 || daemon->timer < 0 ||
	    timerfd_settime(daemon->timer, 0, &period, NULL) ||
	    daemon_wait_for(daemon, daemon->signals) || daemon_wait_for(daemon, daemon->timer))
		return -1;
	daemon->watchdog = watchdog_open();
	if (daemon->watchdog >= 0 && daemon_wait_for(daemon, daemon->watchdog))
		return -1;
	return daemon->source->fd < 0 ? 0 : daemon_wait_for(daemon, daemon->source->fd);
}

static char *handle_command(void *context, const char *command, uint64_t *later);
static bool handle_feed(void *context, int fd, char **reply);
static void write_metrics(struct daemon *daemon);

/* Sessions of the module stay loose: OProfile's own tools read those. */
static bool is_packed(const struct options *options)
{
	return options->perf && !options->loose;
}

int daemon_open(struct daemon *daemon, const struct options *options, struct op_error *error)
{
	struct profile_config config = options->config;
	const char *session;

	*daemon = (struct daemon){
		.options = options,
		.lock = -1,
		.epoll = -1,
		.signals = -1,
		.timer = -1,
		.watchdog = -1,
		.syncer = {.fd = -1, .next = -1},
		.closer = {.timer = -1},
		.metrics = {.timer = -1},
		.started = time(NULL),
		.session = op_session_open(options->session_dir, error),
	};
	if (!daemon->session)
		return -1;
	config.session_dir = session = daemon->session;
	config.packs = is_packed(options);
	daemon->log = op_path("%s/" OP_SESSION_LOG, session);
	daemon->complete_dump = op_path("%s/complete_dump", session);
	if (!daemon->log || !daemon->complete_dump)
		return op_error_memory(error);
	daemon->lock = lock_take(session, error);
	if (daemon->lock < 0)
		return -1;
	daemon->source = open_source(options, error);
	if (!daemon->source)
		return -1;
	if (syncer_open(&daemon->syncer, error))
		return -1;
	if (open_events(daemon) || daemon_wait_for(daemon, daemon->syncer.fd))
		return op_error_errno(error, "cannot wait for events");
	if (closer_open(&daemon->closer, &options->closing, session, error))
		return -1;
	if (daemon->closer.timer >= 0 && daemon_wait_for(daemon, daemon->closer.timer))
		return op_error_errno(error, "cannot wait for the clock");
	if (metrics_open(&daemon->metrics, options->metrics, error))
		return -1;
	if (daemon->metrics.timer >= 0 && daemon_wait_for(daemon, daemon->metrics.timer))
		return op_error_errno(error, "cannot wait for events");
	if (profile_open(&daemon->profile, &config, daemon->source, error))
		return -1;
	if (abi_write(session, error))
		return -1;
	daemon->server.epoll = daemon->epoll;
	daemon->server.handle = handle_command;
	daemon->server.feed = handle_feed;
	daemon->server.context = daemon;
	if (control_server_open(&daemon->server, session, error))
		return -1;
	daemon->serving = true;
	if (options->perf && !options->stopped && profile_run(&daemon->profile, true, error))
		return -1;
	/* what is wrong with them is said before the daemon goes into the background */
	write_metrics(daemon);
	return 0;
}

/* ---- work ---- */

/* Scripts for OProfile 0.9 remove the file, write to dump of oprofilefs, and wait for the file. */
static void mark_dump(const struct daemon *daemon)
{
	struct op_error error;

	if (access(daemon->complete_dump, F_OK) &&
	    op_file_replace(daemon->complete_dump, "1\n", 2, OP_SESSION_FILE_MODE, &error))
		log_line("%s", error.text);
}

/* Handles the result of profile_take() or profile_dump(). */
static void handle_result(struct daemon *daemon, int result, const struct op_error *error)
{
	if (!result)
		return;
	daemon->done = true;
	if (result == SOURCE_END)
		return;
	daemon->failed = true;
	log_line("%s%s", error->code == ENODATA ? "" : "no more samples: ", error->text);
}

static void handle_buffer(struct daemon *daemon)
{
	struct op_error error;

	handle_result(daemon, profile_take(&daemon->profile, NULL, &error), &error);
	mark_dump(daemon);
}

/* Counts all samples taken before; sync number @later is to write them to the disk. */
static int dump(struct daemon *daemon, uint64_t *later, struct op_error *error)
{
	int result = profile_dump(&daemon->profile, error);

	mark_dump(daemon);
	if (result && result != SOURCE_END) /* that is noticed again by the next handle_buffer() */
		return result;
	return syncer_ask(&daemon->syncer, daemon->profile.files.dir, later, error);
}

static int reopen(struct daemon *daemon, struct op_error *error)
{
	log_verbose(LOG_MISC, "reopen sample files and log");
	if (profile_reopen(&daemon->profile, error))
		return -1;
	return daemon->options->foreground ? 0 : log_open(daemon->log, error);
}

static const char *daemon_state(struct daemon *daemon)
{
	if (profile_is_running(&daemon->profile) || daemon->options->replay)
		return "running";
	return "stopped";
}

/* Samples of this session that were lost in the source. */
static uint64_t lost_by_source(struct daemon *daemon)
{
	struct stats *stats = &daemon->profile.stats.samples;
	char *text;

	/* before the first buffer, statistics are those of an earlier start */
	if (daemon->profile.buffers) {
		text = source_stats(daemon->source);
		stats_take_kernel(stats, text);
		free(text);
	}
	return stats->value[STAT_KERNEL_RECORDS];
}

static void write_metrics(struct daemon *daemon)
{
	const struct profile *profile = &daemon->profile;
	const struct budget *budget = &profile->files.budget;
	const struct metrics_state state = {
		.stats = &profile->stats.samples,
		.session_bytes = budget->used.bytes,
		.session_bytes_most = budget->most.bytes,
		.is_running = !strcmp(daemon_state(daemon), "running"),
		.started = daemon->started,
	};

	lost_by_source(daemon);
	metrics_write(&daemon->metrics, &state);
}

/* The clock says that the session ends, and the next one begins. */
static void close_session(struct daemon *daemon)
{
	char name[SAMPLES_CLOSED_NAME];
	struct session_times times;
	struct op_error error;

	if (!closer_is_due(&daemon->closer))
		return;
	if (profile_end_session(&daemon->profile, &times, &error)) {
		if (error.code != ENODATA)
			log_line("the session is not closed now: %s", error.text);
		return;
	}
	if (samples_close(daemon->session, &times, name, &error)) {
		log_line("the session is not closed now: %s", error.text);
		return;
	}
	daemon->metrics.sessions_closed++;
	/* else the daemon still writes to it */
	if (profile_reopen(&daemon->profile, &error))
		log_line("%s", error.text);
	else
		closer_pack(&daemon->closer, name);
	write_metrics(daemon);
}

static void report_statistics(struct daemon *daemon)
{
	profile_save_stats(&daemon->profile);
	profile_log_stats(&daemon->profile);
}

/* ---- commands ---- */

static char *reply_progress(const struct daemon *daemon)
{
	const struct profile *profile = &daemon->profile;

	return op_path("buffers %" PRIu64 "\nsamples %" PRIu64 "\nok\n", profile->buffers,
		       profile->stats.samples.value[STAT_STORED]);
}

/* A sync has ended: the dumps that waited for it are acknowledged, or fail. */
static void handle_synced(struct daemon *daemon)
{
	uint64_t number;
	char *reply;
	int code;

	if (!syncer_take(&daemon->syncer, &number, &code))
		return;
	if (code)
		log_line("cannot write %s to the disk: %s", daemon->options->session_dir,
			 strerror(code));
	reply = code ? op_path("error cannot write %s to the disk: %s\n",
			       daemon->options->session_dir, strerror(code))
		     : reply_progress(daemon);
	control_server_reply(&daemon->server, number, reply);
	free(reply);
}

/* At the end: gives the disk some time, if a dump is to be acknowledged. */
static void finish_syncs(struct daemon *daemon)
{
	time_t end = time(NULL) + SYNC_SECONDS_MOST;

	while (daemon->syncer.running && control_server_is_awaited(&daemon->server)) {
		time_t now = time(NULL);

		if (now > end || !syncer_wait(&daemon->syncer, (unsigned int)(end - now))) {
			log_line("the disk has not written what a dump asked for within %d s",
				 SYNC_SECONDS_MOST);
			control_server_reply(&daemon->server, UINT64_MAX,
					     "error the daemon ends, and the disk is too slow\n");
			return;
		}
		handle_synced(daemon);
	}
}

static char *reply_status(struct daemon *daemon)
{
	const struct profile *profile = &daemon->profile;
	const struct stats *stats = &profile->stats.samples;
	const uint64_t *value = stats->value;
	const struct budget *budget = &profile->files.budget;
	char *causes = stats_losses_text(stats, "lost-cause"), *reply, *beyond = NULL;

	if (value[STAT_OTHER] || budget->disk_is_full)
		beyond = op_path("\nbeyond-budget %" PRIu64 "%s", value[STAT_OTHER],
				 budget->disk_is_full ? " (the disk is nearly full)" : "");

	reply = op_path(
		"pid %ld\nstate %s\nsource %s\nstarted %" PRId64
		"\nsession-dir %s\ncpu-type %s\nevents %s\n"
		"buffers %" PRIu64 "\nreceived %" PRIu64 "\nsamples %" PRIu64 "\nlost %" PRIu64
		"\n%slost-by-source %" PRIu64 "\nbad-records %" PRIu64 "\nopen-files %zu"
		"\nsession-bytes %" PRIu64 " of %" PRIu64 "\nsession-files %" PRIu64 " of %" PRIu64
		"\nsession-names %" PRIu64 " of %" PRIu64 "\nat-end %s%s\nok\n",
		(long)getpid(), daemon_state(daemon), daemon->source->name,
		(int64_t)daemon->started, daemon->options->session_dir, daemon->source->cpu_type,
		daemon->source->events ? daemon->source->events : "", profile->buffers,
		value[STAT_RECEIVED], value[STAT_STORED], stats_lost(stats), causes ? causes : "",
		lost_by_source(daemon), value[STAT_BAD_RECORDS], profile->files.count,
		budget->used.bytes, budget->most.bytes, budget->used.inodes, budget->most.inodes,
		budget->used.names, budget->most.names,
		is_packed(daemon->options) ? "packed" : "loose", beyond ? beyond : "");
	free(causes);
	free(beyond);
	return reply;
}

static char *handle_command(void *context, const char *command, uint64_t *later)
{
	struct daemon *daemon = context;
	struct op_error error;

	if (!strcmp(command, "status"))
		return reply_status(daemon);
	if (!strcmp(command, "dump")) {
		if (!dump(daemon, later, &error))
			return NULL;
		*later = 0;
		return op_path("error %s\n", error.text);
	}
	if (!strcmp(command, "start") || !strcmp(command, "stop"))
		return profile_run(&daemon->profile, !strcmp(command, "start"), &error)
			       ? op_path("error %s\n", error.text)
			       : strdup("ok\n");
	if (!strcmp(command, "reopen"))
		return reopen(daemon, &error) ? op_path("error %s\n", error.text) : strdup("ok\n");
	return op_path("error unknown command: %s\n", command);
}

static bool handle_feed(void *context, int fd, char **reply)
{
	struct daemon *daemon = context;
	struct op_error error;

	if (!profile_feed(&daemon->profile, fd, &error))
		return true;
	*reply = op_path("error %s\n", error.text);
	return false;
}

/* ---- signals ---- */

static void handle_signal(struct daemon *daemon, int number)
{
	struct op_error error;
	uint64_t ignored;

	switch (number) {
	case SIGHUP:
		if (reopen(daemon, &error))
			log_line("%s", error.text);
		break;
	case SIGALRM:
		if (syncer_ask(&daemon->syncer, daemon->profile.files.dir, &ignored, &error))
			log_line("%s", error.text);
		report_statistics(daemon);
		break;
	case SIGTERM:
	case SIGINT:
		handle_result(daemon, profile_dump(&daemon->profile, &error), &error);
		daemon->done = true;
		break;
	default: /* SIGUSR1 and SIGUSR2 started and stopped ia64's daemon; SIGPIPE says nothing
		  */
		break;
	}
}

static void handle_signals(struct daemon *daemon)
{
	struct signalfd_siginfo info;
	ssize_t n = 0;

	while (!daemon->done && (n = read(daemon->signals, &info, sizeof(info))) == sizeof(info))
		handle_signal(daemon, (int)info.ssi_signo);
	if (daemon->done || (n < 0 && (errno == EAGAIN || errno == EINTR)))
		return;
	/* One that cannot be told may be the one to end. */
	log_line_errno("cannot read which signal came: ending");
	daemon->failed = true;
	handle_signal(daemon, SIGTERM);
}

static void handle_timer(struct daemon *daemon, int fd, void (*work)(struct daemon *daemon))
{
	uint64_t times;

	if (read(fd, &times, sizeof(times)) == sizeof(times))
		work(daemon);
}

/* ---- the loop ---- */

static void handle_event(struct daemon *daemon, int fd, uint32_t events)
{
	if (fd == daemon->source->fd && !(events & EPOLLIN))
		handle_result(daemon, -1, &(struct op_error){.text = "the buffer has closed"});
	else if (fd == daemon->source->fd)
		handle_buffer(daemon);
	else if (fd == daemon->signals)
		handle_signals(daemon);
	else if (fd == daemon->timer)
		handle_timer(daemon, fd, report_statistics);
	else if (fd == daemon->metrics.timer)
		handle_timer(daemon, fd, write_metrics);
	else if (fd == daemon->closer.timer)
		close_session(daemon);
	else if (fd == daemon->watchdog)
		watchdog_answer(fd);
	else if (fd == daemon->syncer.fd)
		handle_synced(daemon);
	else
		control_server_event(&daemon->server, fd);
}

int daemon_run(struct daemon *daemon)
{
	bool always = daemon->source->fd < 0; /* the source always has data */
	struct epoll_event event[EVENTS_AT_ONCE];
	struct op_error error;

	log_line("oprofiled %s is ready: session %s, CPU type %s", OP_VERSION,
		 daemon->options->session_dir, daemon->source->cpu_type);
	op_notify("READY=1");
	closer_begin(&daemon->closer);
	while (!daemon->done) {
		int wait, n;

		handle_result(daemon, profile_feed_due(&daemon->profile, &wait, &error), &error);
		wait = profile_rest(&daemon->profile, wait);
		if (daemon->done)
			break;
		n = epoll_wait(daemon->epoll, event, EVENTS_AT_ONCE, always ? 0 : wait);

		if (n < 0 && errno != EINTR) {
			log_line_errno("cannot wait for events");
			daemon->failed = true;
			break;
		}
		for (int i = 0; i < n && !daemon->done; i++)
			handle_event(daemon, event[i].data.fd, event[i].events);
		if (always && !daemon->done)
			handle_buffer(daemon);
	}
	if (profile_settle(&daemon->profile, &error))
		handle_result(daemon, -1, &error);
	profile_log_stats(&daemon->profile);
	write_metrics(daemon);
	return daemon->failed ? -1 : 0;
}

void daemon_close(struct daemon *daemon)
{
	const int fds[] = {daemon->epoll, daemon->signals, daemon->timer, daemon->watchdog};
	struct op_error error;

	/* packing takes long, and answers no watchdog */
	op_notify("STOPPING=1");
	if (daemon->serving) {
		finish_syncs(daemon);
		control_server_close(&daemon->server, daemon->session);
	}
	syncer_close(&daemon->syncer);
	closer_close(&daemon->closer);
	metrics_close(&daemon->metrics);
	if (daemon->profile.source) {
		profile_close(&daemon->profile);
		if (is_packed(daemon->options) && profile_pack(daemon->session, &error))
			log_line("the session is not packed: %s", error.text);
	}
	source_close(daemon->source);
	for (size_t i = 0; i < OP_ARRAY_SIZE(fds); i++) {
		if (fds[i] >= 0)
			close(fds[i]);
	}
	if (daemon->lock >= 0)
		lock_release(daemon->session, daemon->lock);
	op_pinned_close(daemon->session);
	free(daemon->log);
	free(daemon->complete_dump);
}
