// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Collects samples: see collect.h.
 */
#include "collect.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/epoll.h>
#include <sys/pidfd.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "libop/base/array.h"
#include "libop/perf/command.h"
#include "daemon/sources/source.h"
#include "libop/session/log.h"

#define EVENTS_AT_ONCE 16

struct loop {
	struct collect *collect;
	int epoll, signals, timer, ticks;
	size_t alive; /* processes that have not ended */
	bool done;
};

void collect_signals(sigset_t *set)
{
	static const int handled[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

	sigemptyset(set);
	for (size_t i = 0; i < OP_ARRAY_SIZE(handled); i++)
		sigaddset(set, handled[i]);
}

void collect_block_signals(void)
{
	sigset_t set;

	collect_signals(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

int collect_pending_signal(void)
{
	static const struct timespec at_once;
	sigset_t set;
	int number;

	collect_signals(&set);
	number = sigtimedwait(&set, NULL, &at_once);
	return number > 0 ? number : 0;
}

static int loop_wait_for(const struct loop *loop, int fd)
{
	struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};

	return epoll_ctl(loop->epoll, EPOLL_CTL_ADD, fd, &event);
}

/* A process that has already ended is no error. */
static int wait_for_end(struct loop *loop, pid_t pid)
{
	int fd = pidfd_open(pid, 0);

	if (fd < 0)
		return errno == ESRCH ? 0 : -1;
	if (loop_wait_for(loop, fd)) {
		close(fd);
		return -1;
	}
	loop->alive++;
	return 0;
}

static int start_timer(const struct loop *loop, int *timer, const struct itimerspec *time)
{
	*timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (*timer < 0 || timerfd_settime(*timer, 0, time, NULL))
		return -1;
	return loop_wait_for(loop, *timer);
}

static int open_loop(struct loop *loop, struct op_error *error)
{
	const struct collect *collect = loop->collect;
	const struct itimerspec end = {.it_value.tv_sec = (time_t)collect->seconds};
	const struct itimerspec each = {.it_value.tv_sec = 1, .it_interval.tv_sec = 1};
	sigset_t set;
	bool good;

	collect_signals(&set);
	loop->epoll = epoll_create1(EPOLL_CLOEXEC);
	loop->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	good = loop->epoll >= 0 && loop->signals >= 0 && !loop_wait_for(loop, loop->signals) &&
	       !loop_wait_for(loop, collect->profile->source->fd);
	if (good && collect->seconds)
		good = !start_timer(loop, &loop->timer, &end);
	if (good && collect->tick)
		good = !start_timer(loop, &loop->ticks, &each);
	if (good && collect->command)
		good = !wait_for_end(loop, collect->command);
	for (size_t i = 0; good && i < collect->count; i++)
		good = !wait_for_end(loop, collect->processes[i]);
	if (!good)
		return op_error_errno(error, "cannot wait for samples");
	if (!loop->alive && (collect->command || collect->count))
		loop->done = true;
	return 0;
}

static void take_signals(struct loop *loop)
{
	struct collect *collect = loop->collect;
	struct signalfd_siginfo info;

	while (read(loop->signals, &info, sizeof(info)) == sizeof(info)) {
		if (collect->signal || !collect->command)
			loop->done = true;
		/* the terminal signals the command as well */
		else if (info.ssi_code != SI_KERNEL)
			kill(collect->command, (int)info.ssi_signo);
		collect->signal = (int)info.ssi_signo;
	}
}

static void take_tick(const struct loop *loop)
{
	uint64_t ticks;

	if (read(loop->ticks, &ticks, sizeof(ticks)) == sizeof(ticks))
		loop->collect->tick(loop->collect->tick_context);
}

/* A pidfd stays readable once its process has ended. */
static void take_end(struct loop *loop, int fd)
{
	epoll_ctl(loop->epoll, EPOLL_CTL_DEL, fd, NULL);
	close(fd);
	if (!--loop->alive)
		loop->done = true;
}

static int run(struct loop *loop, struct op_error *error)
{
	struct profile *profile = loop->collect->profile;
	struct epoll_event event[EVENTS_AT_ONCE];

	while (!loop->done) {
		int wait, n;

		if (profile_feed_due(profile, &wait, error) == -1)
			return -1;
		loop->done |= loop->collect->feeds && !profile_is_fed(profile);
		if (loop->done)
			break;
		wait = profile_rest(profile, wait);
		n = epoll_wait(loop->epoll, event, EVENTS_AT_ONCE, wait);
		if (n < 0 && errno != EINTR)
			return op_error_errno(error, "cannot wait for samples");
		for (int i = 0; i < n; i++) {
			int fd = event[i].data.fd;

			if (fd == loop->signals)
				take_signals(loop);
			else if (fd == loop->timer)
				loop->done = true;
			else if (fd == loop->ticks)
				take_tick(loop);
			else if (fd != profile->source->fd)
				take_end(loop, fd);
			else if (profile_take(profile, NULL, error))
				return -1;
		}
	}
	return 0;
}

int collect_run(struct collect *collect, struct op_error *error)
{
	struct loop loop = {
		.collect = collect, .epoll = -1, .signals = -1, .timer = -1, .ticks = -1};
	int result = open_loop(&loop, error);
	struct op_error ignored;
	int status;

	if (!result)
		result = run(&loop, error);
	if (profile_run(collect->profile, false, &ignored))
		log_line("%s", ignored.text);
	if (!result) {
		int dumped = profile_dump(collect->profile, error);

		collect->incomplete = dumped && dumped != SOURCE_END;
	}
	if (collect->command &&
	    wait4(collect->command, &status, WNOHANG, &collect->used) == collect->command)
		collect->status = command_status(status);
	else if (collect->signal)
		collect->status = 128 + collect->signal;
	if (loop.epoll >= 0)
		close(loop.epoll);
	if (loop.signals >= 0)
		close(loop.signals);
	if (loop.timer >= 0)
		close(loop.timer);
	if (loop.ticks >= 0)
		close(loop.ticks);
	return result;
}
