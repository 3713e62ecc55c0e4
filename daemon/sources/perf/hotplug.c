// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Follows CPUs that go and come: see hotplug.h.
 */
#include "hotplug.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "libop/cpu/list.h"
#include "daemon/live/uevent.h"

/* Between two looks at the list of CPUs. */
#define PERIOD_NS UINT64_C(1000000000)

int perf_hotplug_open(struct perf_hotplug *hotplug, const struct perf_counters_config *config,
		      struct op_error *error)
{
	hotplug->config = *config;
	hotplug->uevents = uevent_open();
	if (op_perf_events_copy(&hotplug->events, config->events, error))
		return -1;
	hotplug->config.events = &hotplug->events;
	return 0;
}

void perf_hotplug_close(struct perf_hotplug *hotplug)
{
	if (hotplug->uevents >= 0)
		close(hotplug->uevents);
	op_perf_events_free(&hotplug->events);
}

static void pause_drain(struct perf_hotplug *hotplug)
{
	if (hotplug->drain)
		perf_drain_pause(hotplug->drain);
}

static void resume_drain(struct perf_hotplug *hotplug)
{
	struct op_error error;

	if (hotplug->drain && perf_drain_resume(hotplug->drain, &error))
		log_line("%s", error.text);
}

static bool is_in(const int *cpus, size_t count, int cpu)
{
	for (size_t i = 0; i < count; i++) {
		if (cpus[i] == cpu)
			return true;
	}
	return false;
}

/* ---- CPUs that went ---- */

/* Takes note of events that count no more.  Without @doubt, of CPUs that are offline only. */
static void leave(struct perf_hotplug *hotplug, const int *online, size_t count, bool doubt)
{
	for (size_t i = 0; i < hotplug->counters->cpus; i++) {
		struct perf_cpu *cpu = &hotplug->counters->cpu[i];

		if (cpu->gone)
			continue;
		if (!is_in(online, count, cpu->cpu)) {
			cpu->gone = true;
			if (!cpu->of_processes)
				log_line("CPU %d is offline", cpu->cpu);
		} else if (doubt && (!hotplug->running ||
				     perf_counters_stand_still(hotplug->counters, cpu))) {
			/* it was offline meanwhile, or may have been */
			cpu->gone = true;
		}
	}
}

/* ---- CPUs that came ---- */

static int perf_hotplug_wait_for(struct perf_hotplug *hotplug, struct perf_cpu *cpu)
{
	struct epoll_event event = {.events = EPOLLIN, .data.fd = cpu->fd};

	return hotplug->drain ? perf_drain_add(hotplug->drain, cpu)
			      : epoll_ctl(hotplug->epoll, EPOLL_CTL_ADD, cpu->fd, &event);
}

static void mark_gone(struct perf_counters *counters, int number)
{
	for (size_t i = 0; i < counters->cpus; i++) {
		if (counters->cpu[i].cpu == number)
			counters->cpu[i].gone = true;
	}
}

/* Return: 0, or -1 with @error set, and the CPU has no events, or is marked as gone. */
static int perf_hotplug_join(struct perf_hotplug *hotplug, int number, struct op_error *error)
{
	struct perf_counters *counters = hotplug->counters;

	mark_gone(counters, number);
	if (perf_merge_reserve(hotplug->merge, counters->cpus + 2))
		return op_error_memory(error);
	if (perf_counters_add(counters, &hotplug->config, number, error))
		return -1;
	for (size_t i = counters->cpus - 2; i < counters->cpus; i++) {
		struct perf_cpu *cpu = &counters->cpu[i];

		if (perf_hotplug_wait_for(hotplug, cpu)) {
			op_error_errno(error, "cannot wait for samples");
		} else if (!hotplug->running || !perf_counters_enable_one(counters, cpu, error)) {
			continue;
		}
		mark_gone(counters, number);
		return -1;
	}
	return 0;
}

/* Return: whether any came. */
static bool join_all(struct perf_hotplug *hotplug, const int *online, size_t count)
{
	struct op_error error;
	bool any = false;

	for (size_t i = 0; i < count; i++) {
		if (perf_counters_find(hotplug->counters, online[i]))
			continue;
		if (!any)
			pause_drain(hotplug);
		any = true;
		if (!perf_hotplug_join(hotplug, online[i], &error))
			log_line("CPU %d has new events", online[i]);
		else if (error.code != ENODEV) /* else it has gone meanwhile */
			log_limited(&hotplug->failures, "CPU %d is not sampled: %s", online[i],
				    error.text);
	}
	if (any)
		resume_drain(hotplug);
	return any;
}

/* ---- looking ---- */

static bool look(struct perf_hotplug *hotplug, bool doubt)
{
	struct op_error error;
	size_t count;
	int *online;
	bool any;

	if (op_cpu_list_online(&online, &count, &error)) {
		log_limited(&hotplug->failures, "CPUs that come online are not sampled: %s",
			    error.text);
		return false;
	}
	leave(hotplug, online, count, doubt);
	any = join_all(hotplug, online, count);
	free(online);
	return any;
}

bool perf_hotplug_follow(struct perf_hotplug *hotplug, uint64_t now)
{
	bool notified = hotplug->uevents >= 0 && uevent_read(hotplug->uevents);

	if (!notified && now < hotplug->next)
		return false;
	hotplug->next = now + PERIOD_NS;
	return look(hotplug, notified || (hotplug->uevents < 0 && hotplug->running));
}

void perf_hotplug_restart(struct perf_hotplug *hotplug)
{
	if (hotplug->uevents >= 0)
		perf_hotplug_follow(hotplug, 0);
	else
		look(hotplug, true);
}

bool perf_hotplug_close_done(struct perf_hotplug *hotplug)
{
	bool any = false, losses;

	for (size_t i = 0; i < hotplug->counters->cpus; i++)
		any |= perf_counters_is_done(&hotplug->counters->cpu[i]);
	if (!any)
		return false;
	pause_drain(hotplug);
	losses = perf_counters_close_done(hotplug->counters);
	resume_drain(hotplug);
	return losses;
}
