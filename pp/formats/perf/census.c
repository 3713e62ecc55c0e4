// SPDX-License-Identifier: GPL-2.0-or-later
/* See census.h. */
#include "census.h"

#include <inttypes.h>

static void tell_records(const struct perf_census *census, struct prof_sink *sink)
{
	for (uint32_t type = 0; type < PERF_TYPES_COUNTED; type++)
		if (census->records[type])
			prof_sink_fact(sink, "perf.records", "%s %" PRIu64, perf_type_name(type),
				       census->records[type]);
	if (census->simpleperf)
		prof_sink_fact(sink, "perf.records", "of simpleperf %" PRIu64, census->simpleperf);
	if (census->unknown)
		prof_sink_fact(sink, "perf.records", "unknown %" PRIu64, census->unknown);
}

static void tell_losses(const struct perf_census *census, struct prof_sink *sink)
{
	uint64_t lost = perf_losses_all(&census->losses);

	if (lost)
		sink->lost(sink, PROF_LOST_RECORDER_FULL, lost);
}

static void tell_samples(const struct perf_census *census, struct prof_sink *sink)
{
	if (census->no_event)
		sink->lost(sink, PROF_LOST_NO_EVENT, census->no_event);
	if (census->groups)
		prof_sink_note(sink,
			       "%" PRIu64
			       " samples of groups count for the event that took them only",
			       census->groups);
	if (census->guests)
		prof_sink_note(sink, "%" PRIu64 " samples in virtual machines have no image",
			       census->guests);
	if (census->cut)
		prof_sink_note(sink, "%" PRIu64 " stacks cut off at %d frames", census->cut,
			       PROF_DEPTH_MOST);
	if (census->odd_chains)
		prof_sink_note(sink, "%" PRIu64 " call chains cut off at a mark not known",
			       census->odd_chains);
	if (census->deferred)
		prof_sink_note(sink,
			       "%" PRIu64 " call chains without the part that was deferred "
			       "(CALLCHAIN_DEFERRED)",
			       census->deferred);
}

void perf_census_tell(const struct perf_profile *profile)
{
	const struct perf_census *census = &profile->census;
	const uint64_t *records = census->records;
	struct prof_sink *sink = profile->sink;
	uint64_t late = perf_order_late(profile->order);

	tell_records(census, sink);
	tell_losses(census, sink);
	tell_samples(census, sink);
	perf_callers_tell(&profile->stack.callers, sink);
	if (records[PERF_RECORD_AUX] || records[PERF_TYPE_AUXTRACE] || census->sample_aux)
		prof_sink_note(sink,
			       "AUX data (%" PRIu64 " AUX records of %" PRIu64 " bytes, %" PRIu64
			       " AUXTRACE records, %" PRIu64 " samples) skipped",
			       records[PERF_RECORD_AUX], census->aux_bytes,
			       records[PERF_TYPE_AUXTRACE], census->sample_aux);
	if (records[PERF_RECORD_THROTTLE])
		prof_sink_note(sink, "the kernel throttled events %" PRIu64 " times",
			       records[PERF_RECORD_THROTTLE]);
	if (records[PERF_RECORD_TEXT_POKE])
		prof_sink_note(sink, "the kernel changed its code %" PRIu64 " times meanwhile",
			       records[PERF_RECORD_TEXT_POKE]);
	if (census->hidden_kernels)
		prof_sink_note(sink, "the kernel's addresses were hidden from the recorder");
	if (census->simpleperf || census->unknown)
		prof_sink_note(sink, "%" PRIu64 " records of types not known skipped",
			       census->simpleperf + census->unknown);
	if (late)
		prof_sink_note(sink, "%" PRIu64 " records came too late for the order of time",
			       late);
}
