// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A perf event of one CPU: see event.h.
 */
#include "event.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "build_ids.h"

/* Pages of a ring, from what we like to have down to what is of any use. */
#define PAGES_USER	  64
#define PAGES_USER_STACKS 512
#define PAGES_FLAT	  256
#define PAGES_CHAINS	  512
#define PAGES_STACKS	  2048
#define PAGES_LEAST	  8
/* The ring of processes has this part of it.  A record of a mapping has up to 4 KiB. */
#define PAGES_PROCESSES 2
/* The reader is woken when a ring is this full: 1 / WAKE_SHARE.  Stacks fill the smaller ring of an
 * ordinary user in some milliseconds, and the thread that is woken then only moves them. */
#define WAKE_SHARE	 4
#define WAKE_SHARE_SMALL 16

/*
 * What others than root may lock is what perf_event_mlock_kb gives to all processes of a user, 129
 * pages a CPU, for two rings with a page of their state each; and beyond that, in each process,
 * what RLIMIT_MEMLOCK gives, by which stacks have more room.
 */
static size_t pages_of_user(bool has_stacks)
{
	size_t pages = PAGES_USER, cpus = (size_t)sysconf(_SC_NPROCESSORS_ONLN);
	struct rlimit limit;
	uint64_t share;

	if (!has_stacks || getrlimit(RLIMIT_MEMLOCK, &limit))
		return pages;
	share = limit.rlim_cur / (uint64_t)sysconf(_SC_PAGESIZE) / cpus;
	while (pages < PAGES_USER_STACKS && 2 * (pages + pages / PAGES_PROCESSES + 1) <= share)
		pages *= 2;
	return pages;
}

size_t perf_event_pages(const struct perf_counters_config *config)
{
	if (!op_perf_is_privileged())
		return pages_of_user(config->attr.sample_regs_user);
	if (config->attr.sample_regs_user)
		return PAGES_STACKS;
	return config->attr.sample_type & PERF_SAMPLE_CALLCHAIN ? PAGES_CHAINS : PAGES_FLAT;
}

static uint32_t watermark_of(const struct perf_counters_config *config, size_t pages)
{
	size_t share = config->attr.sample_regs_user && pages <= PAGES_USER_STACKS
			       ? WAKE_SHARE_SMALL
			       : WAKE_SHARE;

	return (uint32_t)(pages * (size_t)sysconf(_SC_PAGESIZE) / share);
}

/* What all events have in common. */
static void set_common(struct perf_event_attr *attr, const struct perf_counters_config *config,
		       size_t pages)
{
	attr->disabled = 1;
	attr->inherit = config->target.threads != NULL;
	attr->enable_on_exec = config->target.on_exec;
	attr->sample_id_all = 1;
	attr->use_clockid = 1;
	attr->clockid = CLOCK_MONOTONIC;
	attr->watermark = 1;
	attr->wakeup_watermark = watermark_of(config, pages);
	attr->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	if (!config->target.threads)
		attr->read_format |= PERF_FORMAT_LOST;
}

/* What records other than samples end with, of what samples have. */
#define IDS_OF_RECORDS                                                                             \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |             \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

/* An event that counts nothing, and reports processes. */
static struct perf_event_attr make_attr_of_processes(const struct perf_counters_config *config,
						     size_t pages)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = config->attr.sample_type & IDS_OF_RECORDS,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.namespaces = op_perf_is_privileged(), /* others are refused */
		.build_id = !perf_build_ids_leak(),
		.ksymbol = op_perf_is_privileged(), /* others see no code of the kernel */
	};

	set_common(&attr, config, pages);
	return attr;
}

static struct perf_event_attr make_attr(const struct op_perf_event *event,
					const struct perf_counters_config *config, size_t copy,
					size_t pages)
{
	struct perf_event_attr attr = event->attr;

	attr.sample_type = config->attr.sample_type;
	set_common(&attr, config, pages);
	attr.enable_on_exec &= copy == config->copies.chosen;
	attr.exclude_guest = !op_perf_is_software(&attr);
	attr.exclude_idle = op_perf_is_clock(&attr);
	if (attr.sample_type & PERF_SAMPLE_CALLCHAIN) {
		attr.sample_max_stack = (uint16_t)config->depth;
		attr.exclude_callchain_kernel = attr.exclude_kernel;
	}
	if (config->attr.sample_regs_user) {
		attr.sample_regs_user = config->attr.sample_regs_user;
		attr.sample_stack_user = config->copies.size[copy];
		/* one that may be too small has frame pointers beside it */
		attr.exclude_callchain_user = config->copies.n == 1;
	}
	return attr;
}

/*
 * Kernels before 6.0 do not report an event's losses, and those before 5.12 no build-ids; those of
 * files are read then, if the process is there (perf_proc_cookie()).  Before 5.1 they do not report
 * BPF programs.
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
	if (fd < 0 && errno == EINVAL && attr->ksymbol) {
		attr->ksymbol = 0;
		fd = op_perf_open(attr, pid, cpu, -1);
	}
	return fd;
}

/* The first event of a ring has it, and the others write into it. */
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

int perf_event_open_on(const struct perf_counters_config *config, size_t place, size_t copy,
		       pid_t thread, struct perf_cpu *cpu, size_t *pages, int *fd,
		       struct op_error *error)
{
	const struct op_perf_event *event = &config->events->event[place];
	const char *name = cpu->of_processes ? "what processes do" : event->event.name;

	for (;; *pages /= 2) {
		size_t wanted = *pages;
		struct perf_event_attr attr;

		if (cpu->of_processes && wanted / PAGES_PROCESSES >= PAGES_LEAST)
			wanted /= PAGES_PROCESSES;
		attr = cpu->of_processes ? make_attr_of_processes(config, wanted)
					 : make_attr(event, config, copy, wanted);
		*fd = open_event(&attr, thread, cpu->cpu);
		if (*fd < 0 && errno == ESRCH && config->target.count > 1)
			return 0; /* one of several threads has ended meanwhile */
		if (*fd < 0)
			return op_perf_explain_open(errno, name, &attr, thread, error);
		if (!attach(cpu, *fd, wanted, error))
			return 1;
		close(*fd);
		if (cpu->ring.page || error->code != EPERM || *pages <= PAGES_LEAST)
			return -1;
	}
}

struct perf_reading perf_event_read(int fd)
{
	struct perf_reading reading = {0};

	if (read(fd, &reading, sizeof(reading)) < 0)
		return (struct perf_reading){0};
	return reading;
}
