// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The cost of profiling: see overhead.h.
 */
#include "overhead.h"

#include <inttypes.h>
#include <sys/resource.h>
#include <time.h>

#include "libop/session/account.h"
#include "libop/session/small_files.h"
#include "libop/session/statistics.h"

#define NS_PER_MS 1000000
#define NS_PER_US 1000
#define NS_PER_S  UINT64_C(1000000000)

static uint64_t ns_of(const struct timeval *time)
{
	return (uint64_t)time->tv_sec * NS_PER_S + (uint64_t)time->tv_usec * NS_PER_US;
}

struct overhead_time overhead_now(void)
{
	struct rusage usage;
	struct timespec wall;

	getrusage(RUSAGE_SELF, &usage);
	clock_gettime(CLOCK_MONOTONIC, &wall);
	return (struct overhead_time){
		.cpu_ns = ns_of(&usage.ru_utime) + ns_of(&usage.ru_stime),
		.wall_ns = (uint64_t)wall.tv_sec * NS_PER_S + (uint64_t)wall.tv_nsec,
	};
}

static uint64_t load_number(const char *account, const char *dir, enum stat_id which)
{
	return account ? op_account_number(account, op_stats[which].key)
		       : number_file_read_below(dir, op_stats[which].key);
}

void overhead_load(struct overhead *self, const char *account, const char *dir,
		   struct overhead_time now, bool running)
{
	*self = (struct overhead){
		.cpu_ms_before = load_number(account, dir, STAT_DAEMON_CPU_MS),
		.profiling_ms_before = load_number(account, dir, STAT_PROFILING_MS),
		.last = now,
		.running = running,
	};
}

void overhead_look(struct overhead *self, struct overhead_time now, bool running)
{
	self->cpu_ns += now.cpu_ns - self->last.cpu_ns;
	if (self->running)
		self->profiling_ns += now.wall_ns - self->last.wall_ns;
	self->last = now;
	self->running = running;
}

static uint64_t cpu_ms_of(const struct overhead *self)
{
	return self->cpu_ms_before + self->cpu_ns / NS_PER_MS;
}

static uint64_t profiling_ms_of(const struct overhead *self)
{
	return self->profiling_ms_before + self->profiling_ns / NS_PER_MS;
}

void overhead_raise(struct overhead *self, const struct op_alive_times *noted)
{
	if (noted->profiling_ms <= profiling_ms_of(self))
		return;
	self->profiling_ms_before += noted->profiling_ms - profiling_ms_of(self);
	if (noted->cpu_ms > cpu_ms_of(self))
		self->cpu_ms_before += noted->cpu_ms - cpu_ms_of(self);
}

struct op_alive_times overhead_times(const struct overhead *self)
{
	return (struct op_alive_times){.profiling_ms = profiling_ms_of(self),
				       .cpu_ms = cpu_ms_of(self)};
}

void overhead_put(const struct overhead *self, FILE *out)
{
	if (profiling_ms_of(self))
		fprintf(out, "%s %" PRIu64 "\n%s %" PRIu64 "\n", op_stats[STAT_DAEMON_CPU_MS].key,
			cpu_ms_of(self), op_stats[STAT_PROFILING_MS].key, profiling_ms_of(self));
}
