// SPDX-License-Identifier: GPL-2.0-or-later
/* See feature.h. */
#include "feature.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/array.h"
#include "libop/base/memory.h"
#include "libop/base/text_stream.h"

/* Facts that one feature may give: the sink keeps them all. */
#define FACTS_MOST 256

/* A string with its length before it. */
static const char *text(struct op_reader *body)
{
	return op_reader_text(body, op_reader_u32(body));
}

/* ---- facts of the host ---- */

typedef void host_text(struct prof_host *host, const char *text);

static void set_hostname(struct prof_host *host, const char *value)
{
	host->hostname = value;
}

static void set_os_release(struct prof_host *host, const char *value)
{
	host->os_release = value;
}

static void set_arch(struct prof_host *host, const char *value)
{
	host->arch = value;
}

static void set_cpu_description(struct prof_host *host, const char *value)
{
	host->cpu_description = value;
}

static void set_cpu_id(struct prof_host *host, const char *value)
{
	host->cpu_id = value;
}

static void tell_text(struct perf_features *features, struct op_reader *body, host_text *set)
{
	struct prof_host host = {0};
	const char *value = text(body);

	if (body->failed)
		return;
	set(&host, value);
	features->sink->host(features->sink, &host);
}

static void read_hostname(struct perf_features *features, struct op_reader *body)
{
	tell_text(features, body, set_hostname);
}

static void read_os_release(struct perf_features *features, struct op_reader *body)
{
	tell_text(features, body, set_os_release);
}

static void read_arch(struct perf_features *features, struct op_reader *body)
{
	tell_text(features, body, set_arch);
}

static void read_cpu_description(struct perf_features *features, struct op_reader *body)
{
	tell_text(features, body, set_cpu_description);
}

static void read_cpu_id(struct perf_features *features, struct op_reader *body)
{
	tell_text(features, body, set_cpu_id);
}

static void read_version(struct perf_features *features, struct op_reader *body)
{
	const char *version = text(body);
	struct prof_host host = {0};
	char *tool;

	if (body->failed)
		return;
	tool = op_format("perf %s", version);
	host.tool = tool;
	features->sink->host(features->sink, &host);
	free(tool);
}

static void read_cpus(struct perf_features *features, struct op_reader *body)
{
	struct prof_host host = {0};

	host.cpus_available = op_reader_u32(body);
	host.cpus_online = op_reader_u32(body);
	if (!body->failed)
		features->sink->host(features->sink, &host);
}

static void read_memory(struct perf_features *features, struct op_reader *body)
{
	struct prof_host host = {.memory = op_reader_u64(body) * 1024};

	features->sink->host(features->sink, &host);
}

static void read_command_line(struct perf_features *features, struct op_reader *body)
{
	struct prof_host host = {0};
	struct op_text_stream stream;

	op_text_stream_open(&stream);
	for (uint32_t n = op_reader_u32(body); n && !body->failed; n--)
		fprintf(stream.out, "%s%s", text(body), n > 1 ? " " : "");
	op_text_stream_close(&stream);
	host.command_line = stream.text;
	if (!body->failed)
		features->sink->host(features->sink, &host);
	free(stream.text);
}

static void read_sample_time(struct perf_features *features, struct op_reader *body)
{
	uint64_t first = op_reader_u64(body), last = op_reader_u64(body);
	struct prof_host host = {.duration = last > first ? last - first : 0};

	if (!body->failed)
		features->sink->host(features->sink, &host);
}

static void read_clock_data(struct perf_features *features, struct op_reader *body)
{
	uint32_t version = op_reader_u32(body), clock = op_reader_u32(body);
	struct prof_host host = {.start_time = op_reader_u64(body)};

	op_reader_u64(body);
	if (body->failed || version != 1)
		return;
	features->sink->host(features->sink, &host);
	prof_sink_fact(features->sink, "perf.clock", "%" PRIu32, clock);
}

/* ---- facts that only perf knows the meaning of ---- */

static void read_cpu_topology(struct perf_features *features, struct op_reader *body)
{
	static const char *const keys[] = {"perf.sibling-cores", "perf.sibling-threads"};
	unsigned int facts = 0;

	for (size_t i = 0; i < OP_ARRAY_SIZE(keys); i++)
		for (uint32_t n = op_reader_u32(body); n && !body->failed; n--) {
			const char *cpus = text(body);

			if (!body->failed && ++facts <= FACTS_MOST)
				prof_sink_fact(features->sink, keys[i], "%s", cpus);
		}
	/* What follows is of a length that only newer recorders know. */
}

static void read_numa(struct perf_features *features, struct op_reader *body)
{
	unsigned int facts = 0;

	for (uint32_t n = op_reader_u32(body); n && !body->failed; n--) {
		uint32_t node = op_reader_u32(body);
		uint64_t total = op_reader_u64(body), unused = op_reader_u64(body);
		const char *cpus = text(body);

		if (!body->failed && ++facts <= FACTS_MOST)
			prof_sink_fact(features->sink, "perf.numa-node",
				       "%" PRIu32 ": CPUs %s, %" PRIu64 " kB, %" PRIu64 " kB free",
				       node, cpus, total, unused);
	}
}

static void read_pmus(struct perf_features *features, struct op_reader *body)
{
	unsigned int facts = 0;

	for (uint32_t n = op_reader_u32(body); n && !body->failed; n--) {
		uint32_t type = op_reader_u32(body);
		const char *name = text(body);

		if (!body->failed && ++facts <= FACTS_MOST)
			prof_sink_fact(features->sink, "perf.pmu", "%" PRIu32 " %s", type, name);
	}
}

static void read_groups(struct perf_features *features, struct op_reader *body)
{
	unsigned int facts = 0;

	for (uint32_t n = op_reader_u32(body); n && !body->failed; n--) {
		const char *name = text(body);
		uint32_t leader = op_reader_u32(body), members = op_reader_u32(body);

		if (!body->failed && ++facts <= FACTS_MOST)
			prof_sink_fact(features->sink, "perf.group",
				       "%s: event %" PRIu32 " and %" PRIu32 " others", name, leader,
				       members ? members - 1 : 0);
	}
}

static void read_clock_resolution(struct perf_features *features, struct op_reader *body)
{
	uint64_t resolution = op_reader_u64(body);

	if (!body->failed)
		prof_sink_fact(features->sink, "perf.clock-resolution", "%" PRIu64 " ns",
			       resolution);
}

static void read_directory(struct perf_features *features, struct op_reader *body)
{
	uint64_t version = op_reader_u64(body);

	if (!body->failed)
		prof_sink_fact(features->sink, "perf.directory", "version %" PRIu64, version);
}

static void read_compression(struct perf_features *features, struct op_reader *body)
{
	uint32_t level, ratio;

	op_reader_u32(body); /* version and kind, of which there is one */
	op_reader_u32(body);
	level = op_reader_u32(body);
	ratio = op_reader_u32(body);
	if (!body->failed)
		prof_sink_fact(features->sink, "perf.compressed",
			       "zstd level %" PRIu32 ", ratio %" PRIu32, level, ratio);
}

static void tell_capabilities(struct perf_features *features, struct op_reader *body,
			      const char *pmu, uint32_t n, unsigned int *facts)
{
	for (; n && !body->failed; n--) {
		const char *name = text(body), *value = text(body);

		if (!body->failed && ++*facts <= FACTS_MOST)
			prof_sink_fact(features->sink, "perf.pmu-capability", "%s%s%s=%s", pmu,
				       *pmu ? " " : "", name, value);
	}
}

static void read_cpu_capabilities(struct perf_features *features, struct op_reader *body)
{
	unsigned int facts = 0;

	tell_capabilities(features, body, "", op_reader_u32(body), &facts);
}

/* As above, for several PMUs; each one's name stands behind its capabilities. */
static void read_pmu_capabilities(struct perf_features *features, struct op_reader *body)
{
	unsigned int facts = 0;

	for (uint32_t n = op_reader_u32(body); n && !body->failed; n--) {
		tell_capabilities(features, body, "", op_reader_u32(body), &facts);
		text(body);
	}
}

static void read_hybrid(struct perf_features *features, struct op_reader *body)
{
	unsigned int facts = 0;

	for (uint32_t n = op_reader_u32(body); n && !body->failed; n--) {
		const char *pmu = text(body), *cpus = text(body);

		if (!body->failed && ++facts <= FACTS_MOST)
			prof_sink_fact(features->sink, "perf.hybrid", "%s: CPUs %s", pmu, cpus);
	}
}

static void read_machine(struct perf_features *features, struct op_reader *body)
{
	uint32_t machine = op_reader_u32(body);

	if (!body->failed)
		prof_sink_fact(features->sink, "perf.e-machine", "%" PRIu32, machine);
}

/* ---- names of events, build-ids ---- */

static void read_events(struct perf_features *features, struct op_reader *body)
{
	uint32_t n = op_reader_u32(body), size = op_reader_u32(body);
	struct perf_events *events = features->events;

	if (size < PERF_ATTR_SIZE_FIRST || size % 8) {
		op_reader_fail(body);
		return;
	}
	for (uint32_t i = 0; i < n && !body->failed; i++) {
		const void *attr = op_reader_take(body, size);
		uint32_t n_ids = op_reader_u32(body);
		const char *name = text(body);
		const uint8_t *ids = op_reader_array(body, n_ids, 8);
		struct perf_event *event = NULL;

		if (!attr || body->failed)
			return;
		if (n_ids)
			event = perf_events_of_id(events, op_load_u64(ids, body->swap));
		else if (i < events->n)
			event = &events->list[i];
		if (event)
			perf_event_rename(event, name, false);
	}
}

/* Before 2.6.35 there was no pid before the build-id; then the path's start is cut off. */
static bool has_no_pid(const struct op_reader *body)
{
	struct op_reader bytes = *body;
	struct perf_build_id id;
	uint16_t misc, size;

	while (op_reader_left(&bytes) >= PERF_HEADER_SIZE) {
		op_reader_u32(&bytes);
		misc = op_reader_u16(&bytes);
		size = op_reader_u16(&bytes);
		if (size < PERF_HEADER_SIZE ||
		    size - PERF_HEADER_SIZE > (int)op_reader_left(&bytes))
			return false;
		if (!perf_build_id_read(
			    &id, misc,
			    op_reader_of(bytes.at, size - PERF_HEADER_SIZE, bytes.swap)) &&
		    !strcmp(id.path, "nel.kallsyms]"))
			return true;
		op_reader_take(&bytes, size - PERF_HEADER_SIZE);
	}
	return false;
}

/* An entry without the pid, as one that has it. */
static const char *read_short_build_id(struct perf_build_id *id, uint16_t misc,
				       struct op_reader body)
{
	*id = (struct perf_build_id){.misc = misc, .pid = -1, .length = PERF_BUILD_ID_MOST};
	id->id = op_reader_take(&body, 24);
	id->path = op_reader_text(&body, op_reader_left(&body));
	return body.failed ? "a truncated build-id" : NULL;
}

static void read_build_ids(struct perf_features *features, struct op_reader *body)
{
	bool is_short = has_no_pid(body);
	struct perf_build_id id;
	struct op_reader entry;
	uint16_t misc, size;

	while (op_reader_left(body)) {
		op_reader_u32(body); /* 0 or the record's type */
		misc = op_reader_u16(body);
		size = op_reader_u16(body);
		if (body->failed || size < PERF_HEADER_SIZE ||
		    size - PERF_HEADER_SIZE > (int)op_reader_left(body)) {
			op_reader_fail(body);
			return;
		}
		entry = op_reader_of(body->at, size - PERF_HEADER_SIZE, body->swap);
		op_reader_take(body, size - PERF_HEADER_SIZE);
		if (is_short ? read_short_build_id(&id, misc, entry)
			     : perf_build_id_read(&id, misc, entry)) {
			op_reader_fail(body);
			return;
		}
		perf_build_ids_add(features->build_ids, &id, features->sink);
	}
}

/* ---- all of them ---- */

typedef void read_feature(struct perf_features *features, struct op_reader *body);

static read_feature *const readers[] = {
	[PERF_FEATURE_BUILD_ID] = read_build_ids,
	[PERF_FEATURE_HOSTNAME] = read_hostname,
	[PERF_FEATURE_OSRELEASE] = read_os_release,
	[PERF_FEATURE_VERSION] = read_version,
	[PERF_FEATURE_ARCH] = read_arch,
	[PERF_FEATURE_NRCPUS] = read_cpus,
	[PERF_FEATURE_CPUDESC] = read_cpu_description,
	[PERF_FEATURE_CPUID] = read_cpu_id,
	[PERF_FEATURE_TOTAL_MEM] = read_memory,
	[PERF_FEATURE_CMDLINE] = read_command_line,
	[PERF_FEATURE_EVENT_DESC] = read_events,
	[PERF_FEATURE_CPU_TOPOLOGY] = read_cpu_topology,
	[PERF_FEATURE_NUMA_TOPOLOGY] = read_numa,
	[PERF_FEATURE_PMU_MAPPINGS] = read_pmus,
	[PERF_FEATURE_GROUP_DESC] = read_groups,
	[PERF_FEATURE_SAMPLE_TIME] = read_sample_time,
	[PERF_FEATURE_CLOCKID] = read_clock_resolution,
	[PERF_FEATURE_DIR_FORMAT] = read_directory,
	[PERF_FEATURE_COMPRESSED] = read_compression,
	[PERF_FEATURE_CPU_PMU_CAPS] = read_cpu_capabilities,
	[PERF_FEATURE_CLOCK_DATA] = read_clock_data,
	[PERF_FEATURE_HYBRID_TOPOLOGY] = read_hybrid,
	[PERF_FEATURE_PMU_CAPS] = read_pmu_capabilities,
	[PERF_FEATURE_E_MACHINE] = read_machine,
};

bool perf_feature_is_known(unsigned int bit)
{
	return bit < OP_ARRAY_SIZE(readers) && readers[bit];
}

void perf_feature_damaged(struct perf_features *features, unsigned int bit, const char *why)
{
	prof_sink_note(features->sink, "header feature %u is damaged: %s", bit, why);
}

void perf_feature_read(struct perf_features *features, unsigned int bit, struct op_reader body)
{
	if (!perf_feature_is_known(bit))
		return;
	readers[bit](features, &body);
	if (body.failed)
		perf_feature_damaged(features, bit, "it ends early");
}
