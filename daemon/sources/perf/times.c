// SPDX-License-Identifier: GPL-2.0-or-later
/* Times of perf events: see times.h. */
#include "times.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "libop/session/paths.h"

/*
 * A pause ends with the next tick, 100 to 1000 times a second.  The thread may be off the CPU by
 * then, so that the record of the end comes later, or never if it has ended.
 */
#define PAUSE_NS_MOST	 10000000
#define PAUSE_NS_UNKNOWN 2000000

/* Linux may account user and system time by whole ticks: 4 ms in most kernels of distributions. */
#define TICK_NS 4e6

int perf_times_init(struct perf_times *times, const struct op_perf_events *events)
{
	*times = (struct perf_times){
		.time = calloc(events->count + 1, sizeof(*times->time)),
		.places = events->count,
	};
	if (!times->time)
		return -1;
	for (size_t i = 0; i < events->count; i++) {
		const struct op_perf_event *event = &events->event[i];

		times->time[i].kernel = event->event.kernel;
		times->time[i].user = event->event.user;
		if (op_perf_is_clock(&event->attr))
			times->time[i].period_ns = event->event.count;
	}
	return 0;
}

void perf_times_free(struct perf_times *times)
{
	op_hash_map_free(&times->since);
	free(times->time);
	*times = (struct perf_times){0};
}

static uint64_t times_key_of(int cpu, int place)
{
	return (uint64_t)cpu << 32 | (uint32_t)place;
}

static uint64_t bounded(uint64_t from, uint64_t to, uint64_t most)
{
	uint64_t ns = to > from ? to - from : 0;

	return ns < most ? ns : most;
}

void perf_times_pause(struct perf_times *times, int cpu, int place, uint64_t time)
{
	uint64_t since;

	if (place < 0 || (size_t)place >= times->places)
		return;
	since = (uintptr_t)op_hash_map_find(&times->since, times_key_of(cpu, place));
	if (since)
		times->time[place].paused_ns += bounded(since, time, PAUSE_NS_UNKNOWN);
	/* without memory a pause is not known */
	if (time)
		op_hash_map_set(&times->since, times_key_of(cpu, place), (void *)(uintptr_t)time);
}

void perf_times_resume(struct perf_times *times, int cpu, int place, uint64_t time)
{
	uint64_t since;

	if (place < 0 || (size_t)place >= times->places)
		return;
	since = (uintptr_t)op_hash_map_find(&times->since, times_key_of(cpu, place));
	if (!since)
		return;
	times->time[place].paused_ns += bounded(since, time, PAUSE_NS_MOST);
	op_hash_map_remove(&times->since, times_key_of(cpu, place));
}

/*
 * How much of the time that an event counted was in code that it samples, at least: a clock counts
 * all time.  Of user code alone that is the accounted share, less three standard errors.
 */
static uint64_t in_sampled_code(const struct perf_times *times, const struct perf_time *time)
{
	double all = (double)times->user_ns + (double)times->system_ns, user;

	if (time->kernel && time->user)
		return time->running_ns;
	if (!time->user || all <= 0)
		return 0;
	user = (double)time->running_ns * (double)times->user_ns / all;
	user -= 3 * sqrt(user * TICK_NS);
	return user > 0 ? (uint64_t)user : 0;
}

/* In code that an event samples, and with no sample, in threads that ran for less than a period. */
static uint64_t unsampled(const struct perf_times *times, const struct perf_time *time)
{
	uint64_t all = in_sampled_code(times, time);
	uint64_t sampled = time->paused_ns + time->taken * time->period_ns;

	if (!time->period_ns || (time->taken && time->taken >= all / time->period_ns))
		return 0;
	return sampled < all ? all - sampled : 0; /* else it was paused instead */
}

/* Less than 2 %, or a few ticks of the command before it is executed, is nothing; nor what the
 * kernel does of a process without its events, when it begins and ends: some 30 us. */
#define MISSING_SHARE	   50
#define MISSING_NS_LEAST   UINT64_C(20000000)
#define MISSING_NS_PROCESS UINT64_C(200000)

static uint64_t missing(const struct perf_times *times, const struct perf_time *time)
{
	uint64_t used = times->user_ns + times->system_ns, least = used / MISSING_SHARE;

	if (least < MISSING_NS_LEAST)
		least = MISSING_NS_LEAST;
	least += times->processes * MISSING_NS_PROCESS;
	return used > time->enabled_ns + least ? used - time->enabled_ns : 0;
}

struct perf_time perf_times_read(const struct perf_times *times,
				 const struct perf_counters *counters, size_t place,
				 bool of_threads)
{
	struct perf_time time = times->time[place];

	time.enabled_ns = counters->gone[place].enabled;
	time.running_ns = counters->gone[place].running;
	for (size_t i = 0; i < counters->count; i++) {
		struct perf_reading reading;

		if (counters->counter[i].place != place)
			continue;
		reading = perf_event_read(counters->counter[i].fd);
		time.enabled_ns += reading.enabled;
		time.running_ns += reading.running;
	}
	/* the events of a thread are all enabled while it runs, and one of them counts */
	if (of_threads && counters->cpus)
		time.enabled_ns /= perf_counters_cpus(counters);
	if (time.running_ns >= time.enabled_ns - time.enabled_ns / 100)
		time.enabled_ns = time.running_ns;
	if (time.paused_ns > time.running_ns)
		time.paused_ns = time.running_ns;
	if (of_threads) {
		time.unsampled_ns = unsampled(times, &time);
		time.missing_ns = missing(times, &time);
	}
	return time;
}

void perf_times_print(const struct perf_times *times, const struct perf_counters *counters,
		      bool of_threads, FILE *out)
{
	for (size_t i = 0; i < times->places; i++) {
		struct perf_time time = perf_times_read(times, counters, i, of_threads);

		if (!time.enabled_ns && !time.missing_ns)
			continue;
		fprintf(out,
			"counter%zu/" OP_STATS_ENABLED_NS " %" PRIu64
			"\ncounter%zu/" OP_STATS_RUNNING_NS " %" PRIu64
			"\ncounter%zu/" OP_STATS_PAUSED_NS " %" PRIu64
			"\ncounter%zu/" OP_STATS_TAKEN " %" PRIu64
			"\ncounter%zu/" OP_STATS_UNSAMPLED_NS " %" PRIu64
			"\ncounter%zu/" OP_STATS_MISSING_NS " %" PRIu64 "\n",
			i, time.enabled_ns, i, time.running_ns, i, time.paused_ns, i, time.taken, i,
			time.unsampled_ns, i, time.missing_ns);
	}
}
