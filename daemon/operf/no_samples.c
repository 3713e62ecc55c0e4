// SPDX-License-Identifier: GPL-2.0-or-later
/* Why a run has no samples: see no_samples.h. */
#include "no_samples.h"

#include <inttypes.h>
#include <string.h>

#include "libop/base/error.h"

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* The clock that samples were to be taken by; NULL: other events only. */
static const struct op_perf_event *find_clock(const struct run *run)
{
	for (size_t i = 0; i < run->events.count; i++)
		if (op_perf_is_clock(&run->events.event[i].attr))
			return &run->events.event[i];
	return NULL;
}

static void explain_idle(const struct run *run, const struct op_perf_event *clock)
{
	const struct request *request = run->request;
	double period = (double)clock->event.count / 1e6;

	if (request->system_wide)
		op_warn("there is no sample: no CPU was busy for %.3g ms, after which one is due",
			period);
	else
		op_warn("there is no sample: %s used %.3g ms of CPU time, and a sample is due "
			"after %.3g; -e %s:%" PRIu32 " takes more, and the whole system is -s",
			request_profiles_command(request) ? base_name(request->command[0])
							  : "what is profiled",
			(double)source_perf_time(run->source, 0).running_ns / 1e6, period,
			clock->event.name, clock->event.count / 10);
}

static void explain_other(const struct op_perf_event *event)
{
	if (event->attr.freq || event->event.count <= 1)
		op_warn("there is no sample: %s did not happen", event->event.name);
	else
		op_warn("there is no sample: %s happened less than %" PRIu32
			" times; -e %s:COUNT with a smaller COUNT takes more",
			event->event.name, event->event.count, event->event.name);
}

void no_samples_explain(const struct run *run, uint64_t lost)
{
	const uint64_t *stat = run->profile.stats.samples.value;
	const struct op_perf_event *clock = find_clock(run);

	if (stat[STAT_STORED] || run->collect.incomplete ||
	    source_perf_time(run->source, 0).missing_ns)
		return;
	if (lost)
		op_warn("there is no sample: all of them were lost; %s/samples/operf.log has the "
			"causes",
			run->request->session_dir);
	else if (stat[STAT_FILTERED])
		op_warn("there is no sample: the %" PRIu64 " that came are not of what is profiled",
			stat[STAT_FILTERED]);
	else if (clock)
		explain_idle(run, clock);
	else if (run->events.count)
		explain_other(&run->events.event[0]);
}
