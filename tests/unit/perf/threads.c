// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Processes that run: each of their threads has its events once, also one that began between the
 * list of threads and the opening of events.  This process is the example.
 */
#include <pthread.h>
#include <signal.h>

#include "tests/unit/test.h"

#include "daemon/sources/perf/perf.h"
#include "libop/cpu/list.h"
#include "libop/perf/event.h"
#include "libop/perf/threads.h"
#include "utils/ocount/counts.h"

#define SKIPPED	    77
#define THREADS_MAX 16

static struct {
	pthread_t thread[THREADS_MAX];
	size_t count;
	int wait[2]; /* threads live until this pipe is closed */
	int to_begin, lists;
} crowd;

static void *live(void *argument)
{
	char byte;

	return read(crowd.wait[0], &byte, 1) ? NULL : argument;
}

static void begin_thread(void)
{
	assert_int_equal(pthread_create(&crowd.thread[crowd.count], NULL, live, NULL), 0);
	crowd.count++;
}

static void end_threads(void)
{
	close(crowd.wait[1]);
	for (size_t i = 0; i < crowd.count; i++)
		pthread_join(crowd.thread[i], NULL);
	close(crowd.wait[0]);
	crowd.count = 0;
}

TEST_HOOK(set_up)
{
	crowd.to_begin = crowd.lists = 0;
	return pipe(crowd.wait);
}

TEST_HOOK(tear_down)
{
	end_threads();
	return 0;
}

int __real_op_threads_list(const pid_t *processes, size_t n, pid_t **threads, size_t *count,
			   struct op_error *error);
int __wrap_op_threads_list(const pid_t *processes, size_t n, pid_t **threads, size_t *count,
			   struct op_error *error);

/* A thread begins right after each of the first lists. */
int __wrap_op_threads_list(const pid_t *processes, size_t n, pid_t **threads, size_t *count,
			   struct op_error *error)
{
	int result = __real_op_threads_list(processes, n, threads, count, error);

	crowd.lists++;
	if (crowd.to_begin) {
		crowd.to_begin--;
		begin_thread();
	}
	return result;
}

TEST_WITH(lists, set_up, tear_down)
{
	const pid_t self[] = {getpid(), getpid()};
	struct op_error error;
	pid_t *threads;
	size_t count;

	assert_int_equal(op_threads_list(self, 1, &threads, &count, &error), 0);
	assert_int_equal(count, 1);
	assert_int_equal(threads[0], getpid());
	assert_int_equal(op_threads_new(self, 1, threads, count, &error), 0);
	begin_thread();
	assert_int_equal(op_threads_new(self, 1, threads, count, &error), 1);
	free(threads);
	assert_int_equal(op_threads_list(self, 1, &threads, &count, &error), 0);
	assert_int_equal(count, 2);
	assert_true(threads[0] < threads[1]);
	assert_int_equal(op_threads_new(self, 1, threads, count, &error), 0);
	free(threads);
}

TEST_WITH(process_that_has_ended, set_up, tear_down)
{
	pid_t child = fork(), processes[] = {getpid(), child};
	struct op_error error;
	pid_t *threads;
	size_t count;

	if (!child)
		_exit(0);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(op_threads_list(processes, 2, &threads, &count, &error), -1);
	assert_int_equal(error.code, ESRCH);
	assert_null(threads);
	assert_int_equal(op_threads_list(processes, 1, &threads, &count, &error), 0);
	assert_int_equal(op_threads_new(processes, 2, threads, count, &error), 0);
	free(threads);
}

/* ---- events ---- */

static void choose(struct op_perf_events *events, bool counting)
{
	static char *const specs[] = {(char *)"task-clock"};
	const struct op_perf_choose how = {.counting = counting};
	struct op_error error;

	assert_int_equal(op_perf_choose(specs, 1, &how, events, &error), 0);
	events->event[0].attr.exclude_kernel = 1;
}

static bool has_perf(void)
{
	struct op_perf_events events;
	int fd;

	choose(&events, true);
	fd = op_perf_open(&events.event[0].attr, 0, -1, -1);
	op_perf_events_free(&events);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

TEST_NEEDS(has_perf, "this machine allows no perf events")

TEST_WITH(counted_once, set_up, tear_down)
{
	pid_t self = getpid();
	const struct request request = {.processes = {&self, 1}, .by_thread = true};
	struct op_perf_events events;
	struct counts counts;
	struct op_error error;

	crowd.to_begin = 2;
	choose(&events, true);
	assert_int_equal(counts_open(&counts, &events, &request, 0, &error), 0);
	assert_int_equal(crowd.lists, 3);
	assert_int_equal(counts.places, 3);
	counts_close(&counts);
	op_perf_events_free(&events);
}

/* Where new ones come for ever, what was opened last is kept. */
TEST_WITH(bounded, set_up, tear_down)
{
	pid_t self = getpid();
	const struct request request = {.processes = {&self, 1}, .by_thread = true};
	struct op_perf_events events;
	struct counts counts;
	struct op_error error;

	crowd.to_begin = THREADS_MAX;
	choose(&events, true);
	assert_int_equal(counts_open(&counts, &events, &request, 0, &error), 0);
	assert_int_equal(crowd.lists, OP_THREADS_ATTEMPTS);
	assert_int_equal(counts.places, OP_THREADS_ATTEMPTS);
	counts_close(&counts);
	op_perf_events_free(&events);
}

/* Descriptors of perf events that this process has open. */
static size_t open_events(void)
{
	size_t n = 0;

	for (int fd = 0; fd < 256; fd++) {
		char path[64], target[64] = "";

		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		n += readlink(path, target, sizeof(target) - 1) > 0 &&
		     !strcmp(target, "anon_inode:[perf_event]");
	}
	return n;
}

TEST_WITH(sampled_once, set_up, tear_down)
{
	pid_t self = getpid();
	struct op_perf_events events;
	struct source_perf_config config = {.events = &events, .processes = &self, .count = 1};
	struct source *source;
	struct op_error error;
	size_t cpus;
	int *cpu;

	crowd.to_begin = 1;
	choose(&events, false);
	assert_int_equal(op_cpu_list_online(&cpu, &cpus, &error), 0);
	free(cpu);
	source = source_perf_open(&config, &error);
	assert_non_null(source);
	assert_int_equal(crowd.lists, 2);
	assert_int_equal(open_events(), 2 * 2 * cpus);
	source_close(source);
	assert_int_equal(open_events(), 0);
	op_perf_events_free(&events);
}

/* A signal that waits ends the opening, with all that was opened. */
TEST(a_signal_ends_the_opening)
{
	pid_t self = getpid();
	struct op_perf_events events;
	sigset_t ends, none;
	struct source_perf_config config = {
		.events = &events, .processes = &self, .count = 1, .ends = &ends};
	struct op_error error;
	int number;

	sigemptyset(&none);
	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	assert_int_equal(sigprocmask(SIG_BLOCK, &ends, &none), 0);
	assert_int_equal(raise(SIGTERM), 0);
	choose(&events, false);
	assert_null(source_perf_open(&config, &error));
	assert_int_equal(error.code, EINTR);
	assert_int_equal(open_events(), 0);
	assert_int_equal(sigwait(&ends, &number), 0);
	assert_int_equal(sigprocmask(SIG_SETMASK, &none, NULL), 0);
	op_perf_events_free(&events);
}
