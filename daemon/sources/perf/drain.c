// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The thread that keeps rings empty: see drain.h.
 */
#include "drain.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "libop/base/array.h"

/*
 * Of the queues of all CPUs together, and of one.  A sample with its stack takes up to 64 KiB; of
 * samples without, and records of 200 new programs a second, 8 MiB have half a minute.
 */
#define ALL_MOST       (UINT64_C(256) << 20)
#define STACKS_MOST    (UINT64_C(64) << 20)
#define QUEUE_MOST     (UINT64_C(8) << 20)
#define QUEUE_LEAST    (UINT64_C(4) << 20)
#define EVENTS_AT_ONCE 64

/* The reader looks four times a second.  It is woken before only if a queue is this full: a few
 * samples at a time would cost a switch each time, and what the CPU's caches had. */
#define WAKE_SHARE 8

static void fill_all(struct perf_drain *drain)
{
	static const uint64_t one = 1;
	bool any = false;

	for (size_t i = 0; i < drain->counters->cpus; i++) {
		struct perf_queue *queue = drain->counters->cpu[i].ring.queue;

		any |= queue && perf_queue_fill(queue) > queue->size / WAKE_SHARE;
	}
	/* if that fails, the reader looks by itself at its next period */
	if (any && write(drain->filled, &one, sizeof(one)) < 0)
		return;
}

static void *drain_work(void *argument)
{
	struct perf_drain *drain = argument;
	struct epoll_event event[EVENTS_AT_ONCE];

	for (;;) {
		int n = epoll_wait(drain->epoll, event, EVENTS_AT_ONCE, -1);

		if (n < 0 && errno != EINTR)
			return NULL;
		for (int i = 0; i < n; i++) {
			if (event[i].data.fd == drain->stop)
				return NULL;
			/* those whose tasks have all ended would be ready for ever */
			if (event[i].events & (EPOLLHUP | EPOLLERR))
				epoll_ctl(drain->epoll, EPOLL_CTL_DEL, event[i].data.fd, NULL);
		}
		fill_all(drain);
	}
}

static int perf_drain_wait_for(const struct perf_drain *drain, int fd)
{
	struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};

	return epoll_ctl(drain->epoll, EPOLL_CTL_ADD, fd, &event);
}

static size_t queue_size(const struct perf_drain *drain)
{
	size_t size = drain->attr ? STACKS_MOST : QUEUE_MOST, cpus = drain->counters->cpus;

	while (size > QUEUE_LEAST && size * cpus > ALL_MOST)
		size /= 2;
	return size;
}

int perf_drain_add(struct perf_drain *drain, struct perf_cpu *cpu)
{
	return perf_ring_queue(&cpu->ring, queue_size(drain),
			       cpu->of_processes ? NULL : drain->attr) ||
			       perf_drain_wait_for(drain, cpu->fd)
		       ? -1
		       : 0;
}

int perf_drain_resume(struct perf_drain *drain, struct op_error *error)
{
	int code = pthread_create(&drain->thread, NULL, drain_work, drain);

	if (code)
		return op_error_code(error, code, "cannot start a thread that reads rings");
	drain->started = true;
	return 0;
}

void perf_drain_pause(struct perf_drain *drain)
{
	uint64_t times = 1;

	if (!drain->started || write(drain->stop, &times, sizeof(times)) != sizeof(times))
		return;
	pthread_join(drain->thread, NULL);
	drain->started = false;
	/* takes back what was written, which cannot fail; the next thread would end at once */
	if (read(drain->stop, &times, sizeof(times)) < 0)
		return;
}

int perf_drain_start(struct perf_drain *drain, struct perf_counters *counters,
		     const struct perf_attr *attr, struct op_error *error)
{
	bool good;

	*drain = (struct perf_drain){
		.counters = counters,
		.attr = attr,
		.epoll = epoll_create1(EPOLL_CLOEXEC),
		.stop = eventfd(0, EFD_CLOEXEC),
		.filled = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
	};
	good = drain->epoll >= 0 && drain->stop >= 0 && drain->filled >= 0 &&
	       !perf_drain_wait_for(drain, drain->stop);
	for (size_t i = 0; good && i < counters->cpus; i++)
		good = !perf_drain_add(drain, &counters->cpu[i]);
	if (!good)
		return op_error_errno(error, "cannot start the threads that read rings");
	return perf_drain_resume(drain, error);
}

void perf_drain_stop(struct perf_drain *drain)
{
	const int fds[] = {drain->epoll, drain->stop, drain->filled};

	if (!drain->counters)
		return;
	perf_drain_pause(drain);
	for (size_t i = 0; i < OP_ARRAY_SIZE(fds); i++) {
		if (fds[i] >= 0)
			close(fds[i]);
	}
	*drain = (struct perf_drain){0};
}
