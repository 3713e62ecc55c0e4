// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The perf events that are open: see perf_counters.h.
 */
#include "perf_counters.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "libop/cpu/list.h"

/* Pages of a ring, from what we like to have down to what is of any use. */
#define PAGES_FLAT   128
#define PAGES_CHAINS 512
#define PAGES_STACKS 2048
#define PAGES_LEAST  8
/* The reader is woken when a ring is this full: 1 / WAKE_SHARE.  Stacks fill a small ring in some
 * milliseconds, and the thread that is woken then only moves them. */
#define WAKE_SHARE	  4
#define WAKE_SHARE_STACKS 16
/* For how long the time of an event stands still that is taken for dead. */
#define STILL_NS 2000000

/* Each event takes a descriptor for each CPU and thread. */
static void raise_descriptor_limit(void)
{
	struct rlimit limit;

	if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static size_t pages_wanted(const struct perf_counters_config *config)
{
	/* what other users may lock is all that perf_event_mlock_kb gives: 128 pages a CPU */
	if (!op_perf_is_privileged())
		return PAGES_FLAT;
	if (config->attr.sample_regs_user)
		return PAGES_STACKS;
	return config->attr.sample_type & PERF_SAMPLE_CALLCHAIN ? PAGES_CHAINS : PAGES_FLAT;
}

/* What all events have in common; @first tells of processes as well. */
static struct perf_event_attr make_attr(const struct op_perf_event *event,
					const struct perf_counters_config *config, bool first,
					size_t pages)
{
	struct perf_event_attr attr = event->attr;

	attr.sample_type = config->attr.sample_type;
	attr.disabled = 1;
	attr.inherit = config->target.threads != NULL;
	attr.enable_on_exec = config->target.on_exec;
	attr.sample_id_all = 1;
	attr.use_clockid = 1;
	attr.clockid = CLOCK_MONOTONIC;
	attr.watermark = 1;
	attr.wakeup_watermark =
		(uint32_t)(pages * (size_t)sysconf(_SC_PAGESIZE) /
			   (config->attr.sample_regs_user ? WAKE_SHARE_STACKS : WAKE_SHARE));
	attr.exclude_guest = !op_perf_is_software(&attr);
	attr.exclude_idle = op_perf_is_clock(&attr);
	if (!config->target.threads)
		attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_LOST;
	if (attr.sample_type & PERF_SAMPLE_CALLCHAIN) {
		attr.sample_max_stack = (uint16_t)config->depth;
		attr.exclude_callchain_kernel = attr.exclude_kernel;
	}
	if (config->attr.sample_regs_user) {
		attr.sample_regs_user = config->attr.sample_regs_user;
		attr.sample_stack_user = config->stack;
		attr.exclude_callchain_user = 1;
	}
	if (first) {
		attr.mmap = attr.mmap2 = 1;
		attr.comm = attr.comm_exec = 1;
		attr.task = 1;
		attr.namespaces = op_perf_is_privileged(); /* others are refused */
		attr.build_id = 1;
	}
	return attr;
}

/*
 * Kernels before 6.0 do not tell an event's losses, and those before 5.12 no build-ids; device and
 * inode then tell files apart.
 */
static int open_event(struct perf_event_attr *attr, pid_t pid, int cpu)
{
	int fd = op_perf_open(attr, pid, cpu, -1);

	if (fd < 0 && errno == EINVAL && attr->read_format & PERF_FORMAT_LOST) {
		attr->read_format &= ~(uint64_t)PERF_FORMAT_LOST;
		fd = op_perf_open(attr, pid, cpu, -1);
	}
	if (fd < 0 && errno == EINVAL && attr->build_id) {
		attr->build_id = 0;
		fd = op_perf_open(attr, pid, cpu, -1);
	}
	return fd;
}

/* The map takes pointers; what they point to is only told apart from NULL. */
static int remember(struct perf_counters *counters, const struct perf_counter *counter)
{
	return op_hash_map_set(&counters->by_id, counter->id,
			       (void *)(uintptr_t)(counter->place + 1));
}

static int keep(struct perf_counters *counters, const struct perf_cpu *cpu, int fd, size_t place,
		struct op_error *error)
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
	*counter = (struct perf_counter){.fd = fd, .opening = cpu->opening, .place = place};
	if (ioctl(fd, PERF_EVENT_IOC_ID, &counter->id))
		return op_error_errno(error, "cannot tell an event's number");
	if (remember(counters, counter))
		return op_error_memory(error);
	return 0;
}

int perf_counters_event(const struct perf_counters *counters, uint64_t id)
{
	uintptr_t value = (uintptr_t)op_hash_map_find(&counters->by_id, id);

	return (int)value - 1;
}

/* The first event of a CPU has the ring, and the others write into it. */
static int attach(struct perf_cpu *cpu, int fd, size_t pages, struct op_error *error)
{
	if (!cpu->ring.page) {
		if (perf_ring_open(&cpu->ring, fd, pages))
			return op_perf_explain_map(errno, pages * (size_t)sysconf(_SC_PAGESIZE),
						   error);
		cpu->fd = fd;
	} else if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, cpu->fd)) {
		return op_error_errno(error, "events of CPU %d cannot share a ring", cpu->cpu);
	}
	return 0;
}

/*
 * Opens an event of a thread on a CPU.  The event says when to wake us, which depends on the size
 * of the ring: where the ring may not be as large as we like, it is reopened.
 *
 * Return: 1 with the event attached, 0 if the thread is gone and that is no error, or -1.
 */
static int open_attached(const struct perf_counters_config *config, size_t place, pid_t thread,
			 struct perf_cpu *cpu, size_t *pages, int *fd, struct op_error *error)
{
	const struct op_perf_event *event = &config->events->event[place];

	for (;; *pages /= 2) {
		struct perf_event_attr attr = make_attr(event, config, !place, *pages);

		*fd = open_event(&attr, thread, cpu->cpu);
		if (*fd < 0 && errno == ESRCH && config->target.count > 1)
			return 0; /* one of several threads has ended meanwhile */
		if (*fd < 0)
			return op_perf_explain_open(errno, event->event.name, &attr, thread, error);
		if (!attach(cpu, *fd, *pages, error))
			return 1;
		close(*fd);
		if (cpu->ring.page || error->code != EPERM || *pages <= PAGES_LEAST)
			return -1;
	}
}

static int open_on(struct perf_counters *counters, const struct perf_counters_config *config,
		   pid_t thread, struct perf_cpu *cpu, struct op_error *error)
{
	for (size_t i = 0; i < config->events->count; i++) {
		int fd, result =
				open_attached(config, i, thread, cpu, &counters->pages, &fd, error);

		if (result <= 0)
			return result;
		if (keep(counters, cpu, fd, i, error))
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
	for (size_t i = 0; i < sizeof(ending) / sizeof(ending[0]); i++) {
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

static struct perf_cpu new_cpu(struct perf_counters *counters, int cpu)
{
	return (struct perf_cpu){.cpu = cpu, .fd = -1, .opening = ++counters->openings};
}

int perf_counters_open(struct perf_counters *counters, const struct perf_counters_config *config,
		       struct op_error *error)
{
	int *numbers;

	*counters = (struct perf_counters){.pages = pages_wanted(config)};
	raise_descriptor_limit();
	if (op_cpu_list_online(&numbers, &counters->cpus, error))
		return -1;
	counters->cpu = calloc(counters->cpus + 1, sizeof(*counters->cpu));
	for (size_t i = 0; counters->cpu && i < counters->cpus; i++)
		counters->cpu[i] = new_cpu(counters, numbers[i]);
	free(numbers);
	if (!counters->cpu) {
		counters->cpus = 0;
		return op_error_memory(error);
	}
	return open_all(counters, config, error);
}

static int enable(const struct perf_counter *counter, struct op_error *error)
{
	if (ioctl(counter->fd, PERF_EVENT_IOC_ENABLE, 0))
		return op_error_errno(error, "cannot start an event");
	return 0;
}

int perf_counters_enable(struct perf_counters *counters, struct op_error *error)
{
	for (size_t i = 0; i < counters->count; i++) {
		if (enable(&counters->counter[i], error))
			return -1;
	}
	return 0;
}

int perf_counters_enable_one(struct perf_counters *counters, const struct perf_cpu *cpu,
			     struct op_error *error)
{
	for (size_t i = 0; i < counters->count; i++) {
		if (counters->counter[i].opening == cpu->opening &&
		    enable(&counters->counter[i], error))
			return -1;
	}
	return 0;
}

void perf_counters_disable(struct perf_counters *counters)
{
	for (size_t i = 0; i < counters->count; i++)
		ioctl(counters->counter[i].fd, PERF_EVENT_IOC_DISABLE, 0);
}

/* ---- CPUs that come and go ---- */

/* Closes what was opened for a ring: first the ring, which holds its event. */
static void close_cpu(struct perf_counters *counters, struct perf_cpu *cpu)
{
	size_t left = 0;

	perf_ring_close(&cpu->ring);
	cpu->fd = -1;
	op_hash_map_free(&counters->by_id);
	for (size_t i = 0; i < counters->count; i++) {
		if (counters->counter[i].opening == cpu->opening)
			close(counters->counter[i].fd);
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
		reallocarray(counters->cpu, counters->cpus + 1, sizeof(*counters->cpu));

	if (!larger)
		return op_error_memory(error);
	counters->cpu = larger;
	larger[counters->cpus] = new_cpu(counters, cpu);
	if (open_on(counters, config, -1, &larger[counters->cpus], error)) {
		close_cpu(counters, &larger[counters->cpus]);
		return -1;
	}
	counters->cpus++;
	return 0;
}

struct perf_cpu *perf_counters_find(struct perf_counters *counters, int cpu)
{
	for (size_t i = 0; i < counters->cpus; i++) {
		if (counters->cpu[i].cpu == cpu && !counters->cpu[i].gone)
			return &counters->cpu[i];
	}
	return NULL;
}

/* What read(2) tells of an event of the whole system. */
struct reading {
	uint64_t count, enabled, lost;
};

/* Numbers that the kernel does not tell are 0. */
static struct reading read_event(int fd)
{
	struct reading reading = {0};

	if (read(fd, &reading, sizeof(reading)) < 0)
		return (struct reading){0};
	return reading;
}

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

bool perf_counters_stand_still(const struct perf_cpu *cpu)
{
	uint64_t enabled = read_event(cpu->fd).enabled, until = now() + STILL_NS;

	do {
		if (read_event(cpu->fd).enabled != enabled)
			return false;
	} while (now() < until);
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
			lost += read_event(counters->counter[i].fd).lost;
	}
	return lost > cpu->lost ? lost - cpu->lost : 0;
}

/* Adds what a ring had to a closed one of the same CPU, of the first @count.  Return: if any. */
static bool join(struct perf_counters *counters, size_t count, const struct perf_cpu *cpu)
{
	for (size_t i = 0; i < count; i++) {
		struct perf_cpu *earlier = &counters->cpu[i];

		if (earlier->cpu != cpu->cpu || earlier->ring.page)
			continue;
		earlier->samples += cpu->samples;
		earlier->lost += cpu->lost;
		earlier->throttled += cpu->throttled;
		earlier->broken += cpu->broken;
		return true;
	}
	return false;
}

uint64_t perf_counters_close_done(struct perf_counters *counters)
{
	uint64_t all = 0;
	size_t left = 0;

	for (size_t i = 0; i < counters->cpus; i++) {
		struct perf_cpu *cpu = &counters->cpu[i];
		uint64_t lost;

		if (perf_counters_is_done(cpu)) {
			lost = lost_at_the_end(counters, cpu);
			cpu->lost += lost;
			all += lost;
			cpu->broken += perf_ring_broken(&cpu->ring);
			close_cpu(counters, cpu);
			if (join(counters, left, cpu))
				continue;
		}
		counters->cpu[left++] = *cpu;
	}
	counters->cpus = left;
	return all;
}

void perf_counters_close(struct perf_counters *counters)
{
	for (size_t i = 0; i < counters->cpus; i++)
		perf_ring_close(&counters->cpu[i].ring);
	for (size_t i = 0; i < counters->count; i++)
		close(counters->counter[i].fd);
	op_hash_map_free(&counters->by_id);
	free(counters->counter);
	free(counters->cpu);
	*counters = (struct perf_counters){0};
}
