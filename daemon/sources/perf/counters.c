// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The perf events that are open: see counters.h.
 */
#include "counters.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "libop/base/array.h"
#include "libop/cpu/list.h"

/* An event whose time stands still for so long counts no more. */
#define STILL_NS 2000000

/* Each event needs a descriptor for each CPU and thread. */
static void raise_descriptor_limit(void)
{
	struct rlimit limit;

	if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

/* The map holds pointers; these are numbers, and never NULL. */
static int remember(struct perf_counters *counters, const struct perf_counter *counter)
{
	if (counter->place == NOT_CHOSEN)
		return 0;
	return op_hash_map_set(&counters->by_id, counter->id,
			       (void *)(uintptr_t)(counter->place + 1));
}

static int perf_counters_keep(struct perf_counters *counters, const struct perf_cpu *cpu, int fd,
			      size_t place, size_t copy, struct op_error *error)
{
	struct perf_counter *larger = counters->counter, *counter;

	/* grows by doubling */
	if (!(counters->count & (counters->count - 1)))
		larger = reallocarray(larger, counters->count ? 2 * counters->count : 1,
				      sizeof(*larger));
	if (!larger) {
		close(fd);
		return op_error_memory(error);
	}
	counters->counter = larger;
	counter = &larger[counters->count++];
	*counter = (struct perf_counter){
		.fd = fd, .opening = cpu->opening, .place = place, .copy = copy};
	if (ioctl(fd, PERF_EVENT_IOC_ID, &counter->id))
		return op_error_errno(error, "cannot read an event's id");
	if (remember(counters, counter))
		return op_error_memory(error);
	return 0;
}

int perf_counters_event(const struct perf_counters *counters, uint64_t id)
{
	uintptr_t value = (uintptr_t)op_hash_map_find(&counters->by_id, id);

	return (int)value - 1;
}

static int open_on(struct perf_counters *counters, const struct perf_counters_config *config,
		   pid_t thread, struct perf_cpu *cpu, struct op_error *error)
{
	size_t copies = config->copies.n > 1 ? config->copies.n : 1;
	size_t n = cpu->of_processes ? 1 : config->events->count * copies;

	for (size_t i = 0; i < n; i++) {
		size_t place = cpu->of_processes ? NOT_CHOSEN : i / copies, copy = i % copies;
		int fd, result = perf_event_open_on(config, i / copies, copy, thread, cpu,
						    &counters->pages, &fd, error);

		if (result <= 0)
			return result;
		if (perf_counters_keep(counters, cpu, fd, place, copy, error))
			return -1;
	}
	return 0;
}

/* There may be thousands of threads. */
static bool is_interrupted(const struct perf_target *target)
{
	static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	sigset_t pending;

	if (!target->ends || sigpending(&pending))
		return false;
	for (size_t i = 0; i < OP_ARRAY_SIZE(ending); i++) {
		if (sigismember(target->ends, ending[i]) && sigismember(&pending, ending[i]))
			return true;
	}
	return false;
}

static int open_all(struct perf_counters *counters, const struct perf_counters_config *config,
		    struct op_error *error)
{
	static const pid_t everything = -1;
	const struct perf_target *target = &config->target;
	const pid_t *threads = target->threads ? target->threads : &everything;
	size_t count = target->threads ? target->count : 1;

	for (size_t i = 0; i < count; i++) {
		if (is_interrupted(target))
			return op_error_set(error, EINTR,
					    "a signal came while events were opened, of %zu "
					    "threads: nothing was profiled",
					    count);
		for (size_t j = 0; j < counters->cpus; j++) {
			if (open_on(counters, config, threads[i], &counters->cpu[j], error))
				return -1;
		}
	}
	for (size_t i = 0; i < counters->cpus; i++) {
		if (!counters->cpu[i].ring.page)
			return op_error_set(error, ESRCH, "the process has ended");
	}
	return 0;
}

static struct perf_cpu new_cpu(struct perf_counters *counters, int cpu, bool of_processes)
{
	return (struct perf_cpu){.cpu = cpu,
				 .fd = -1,
				 .of_processes = of_processes,
				 .opening = ++counters->openings};
}

size_t perf_counters_cpus(const struct perf_counters *counters)
{
	return counters->cpus / 2;
}

int perf_counters_open(struct perf_counters *counters, const struct perf_counters_config *config,
		       struct op_error *error)
{
	int *numbers;
	size_t n;

	*counters = (struct perf_counters){
		.pages = perf_event_pages(config),
		.copy = config->copies.chosen,
		.gone = calloc(config->events->count + 1, sizeof(*counters->gone)),
	};
	if (!counters->gone)
		return op_error_memory(error);
	raise_descriptor_limit();
	if (op_cpu_list_online(&numbers, &n, error))
		return -1;
	counters->cpu = calloc(2 * n + 1, sizeof(*counters->cpu));
	/* events of processes first: nothing is sampled before its mappings can be told */
	for (size_t i = 0; counters->cpu && i < 2 * n; i++)
		counters->cpu[counters->cpus++] =
			new_cpu(counters, numbers[i < n ? i : i - n], i < n);
	free(numbers);
	if (!counters->cpu)
		return op_error_memory(error);
	return open_all(counters, config, error);
}

static bool has_copy(const struct perf_counter *counter, size_t copy)
{
	return counter->place == NOT_CHOSEN || counter->copy == copy;
}

static int enable(const struct perf_counters *counters, const struct perf_counter *counter,
		  struct op_error *error)
{
	if (!has_copy(counter, counters->copy))
		return 0;
	if (ioctl(counter->fd, PERF_EVENT_IOC_ENABLE, 0))
		return op_error_errno(error, "cannot start an event");
	return 0;
}

int perf_counters_enable(struct perf_counters *counters, struct op_error *error)
{
	for (size_t i = 0; i < counters->count; i++) {
		if (enable(counters, &counters->counter[i], error))
			return -1;
	}
	return 0;
}

int perf_counters_enable_one(struct perf_counters *counters, const struct perf_cpu *cpu,
			     struct op_error *error)
{
	for (size_t i = 0; i < counters->count; i++) {
		if (counters->counter[i].opening == cpu->opening &&
		    enable(counters, &counters->counter[i], error))
			return -1;
	}
	return 0;
}

void perf_counters_disable(struct perf_counters *counters)
{
	for (size_t i = 0; i < counters->count; i++)
		ioctl(counters->counter[i].fd, PERF_EVENT_IOC_DISABLE, 0);
}

int perf_counters_copy(struct perf_counters *counters, size_t copy, bool running,
		       struct op_error *error)
{
	size_t before = counters->copy;

	counters->copy = copy;
	for (size_t i = 0; running && i < counters->count; i++) {
		const struct perf_counter *counter = &counters->counter[i];

		if (counter->place != NOT_CHOSEN && counter->copy == before)
			ioctl(counter->fd, PERF_EVENT_IOC_DISABLE, 0);
	}
	for (size_t i = 0; running && i < counters->count; i++) {
		const struct perf_counter *counter = &counters->counter[i];

		if (counter->place != NOT_CHOSEN && enable(counters, counter, error))
			return -1;
	}
	return 0;
}

/* ---- CPUs that come and go ---- */

/* Closes an event; its times are kept. */
static void close_counter(struct perf_counters *counters, const struct perf_counter *counter)
{
	struct perf_reading reading = perf_event_read(counter->fd);

	if (counter->place != NOT_CHOSEN) {
		counters->gone[counter->place].enabled += reading.enabled;
		counters->gone[counter->place].running += reading.running;
	}
	close(counter->fd);
}

/* Closes what was opened for a ring: first the ring, which holds its event. */
static void close_cpu(struct perf_counters *counters, struct perf_cpu *cpu)
{
	size_t left = 0;

	perf_ring_close(&cpu->ring);
	cpu->fd = -1;
	op_hash_map_free(&counters->by_id);
	for (size_t i = 0; i < counters->count; i++) {
		if (counters->counter[i].opening == cpu->opening)
			close_counter(counters, &counters->counter[i]);
		else
			counters->counter[left++] = counters->counter[i];
	}
	counters->count = left;
	/* as many as there were before, or fewer: if memory lacks, samples have no event */
	for (size_t i = 0; i < left; i++)
		remember(counters, &counters->counter[i]);
}

int perf_counters_add(struct perf_counters *counters, const struct perf_counters_config *config,
		      int cpu, struct op_error *error)
{
	struct perf_cpu *larger =
		reallocarray(counters->cpu, counters->cpus + 2, sizeof(*counters->cpu));
	struct perf_cpu *added = larger ? larger + counters->cpus : NULL;

	if (!larger)
		return op_error_memory(error);
	counters->cpu = larger;
	added[0] = new_cpu(counters, cpu, true);
	added[1] = new_cpu(counters, cpu, false);
	if (open_on(counters, config, -1, &added[0], error) ||
	    open_on(counters, config, -1, &added[1], error)) {
		close_cpu(counters, &added[0]);
		close_cpu(counters, &added[1]);
		return -1;
	}
	counters->cpus += 2;
	return 0;
}

struct perf_cpu *perf_counters_find(struct perf_counters *counters, int cpu)
{
	for (size_t i = 0; i < counters->cpus; i++) {
		if (counters->cpu[i].cpu == cpu && !counters->cpu[i].gone &&
		    !counters->cpu[i].of_processes)
			return &counters->cpu[i];
	}
	return NULL;
}

static uint64_t counters_now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* An event of a ring that counts. */
static int event_that_counts(const struct perf_counters *counters, const struct perf_cpu *cpu)
{
	for (size_t i = 0; i < counters->count; i++) {
		const struct perf_counter *counter = &counters->counter[i];

		if (counter->opening == cpu->opening && has_copy(counter, counters->copy))
			return counter->fd;
	}
	return cpu->fd;
}

bool perf_counters_stand_still(const struct perf_counters *counters, const struct perf_cpu *cpu)
{
	int fd = event_that_counts(counters, cpu);
	uint64_t enabled = perf_event_read(fd).enabled, until = counters_now() + STILL_NS;

	do {
		if (perf_event_read(fd).enabled != enabled)
			return false;
	} while (counters_now() < until);
	return true;
}

bool perf_counters_is_done(struct perf_cpu *cpu)
{
	if (!cpu->gone || !cpu->ring.page)
		return false;
	perf_ring_look(&cpu->ring);
	return cpu->ring.head == cpu->ring.tail;
}

/* The kernel writes how many records it lost with the next one that has room; here none came. */
static uint64_t lost_at_the_end(const struct perf_counters *counters, const struct perf_cpu *cpu)
{
	uint64_t lost = 0;

	for (size_t i = 0; i < counters->count; i++) {
		if (counters->counter[i].opening == cpu->opening)
			lost += perf_event_read(counters->counter[i].fd).lost;
	}
	return lost > cpu->lost ? lost - cpu->lost : 0;
}

/* Adds what a ring had to a closed one of the same CPU, of the first @count.  Return: if any. */
static bool perf_counters_join(struct perf_counters *counters, size_t count,
			       const struct perf_cpu *cpu)
{
	for (size_t i = 0; i < count; i++) {
		struct perf_cpu *earlier = &counters->cpu[i];

		if (earlier->cpu != cpu->cpu || earlier->ring.page ||
		    earlier->of_processes != cpu->of_processes)
			continue;
		earlier->samples += cpu->samples;
		earlier->lost += cpu->lost;
		earlier->throttled += cpu->throttled;
		earlier->broken += cpu->broken;
		return true;
	}
	return false;
}

bool perf_counters_close_done(struct perf_counters *counters)
{
	bool any = false;
	size_t left = 0;

	for (size_t i = 0; i < counters->cpus; i++) {
		struct perf_cpu *cpu = &counters->cpu[i];
		uint64_t lost;

		if (perf_counters_is_done(cpu)) {
			lost = lost_at_the_end(counters, cpu);
			cpu->lost += lost;
			any |= lost && cpu->of_processes;
			cpu->broken += perf_ring_broken(&cpu->ring);
			close_cpu(counters, cpu);
			if (perf_counters_join(counters, left, cpu))
				continue;
		}
		counters->cpu[left++] = *cpu;
	}
	counters->cpus = left;
	return any;
}

void perf_counters_close(struct perf_counters *counters)
{
	for (size_t i = 0; i < counters->cpus; i++)
		perf_ring_close(&counters->cpu[i].ring);
	for (size_t i = 0; i < counters->count; i++)
		close(counters->counter[i].fd);
	op_hash_map_free(&counters->by_id);
	free(counters->counter);
	free(counters->gone);
	free(counters->cpu);
	*counters = (struct perf_counters){0};
}
