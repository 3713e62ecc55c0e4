// SPDX-License-Identifier: GPL-2.0-or-later
/* See events.h. */
#include "events.h"

#include <stdlib.h>
#include <string.h>

#include "libop/perf/sample.h"
#include "libop/base/memory.h"

void perf_events_free(struct perf_events *events)
{
	for (size_t i = 0; i < events->n; i++)
		free(events->list[i].name);
	free(events->list);
	free(events->ids);
	op_hash_free(&events->by_id);
	*events = (struct perf_events){0};
}

const char *perf_events_add(struct perf_events *events, const struct perf_attr *attr)
{
	int offset = perf_id_offset(attr->sample_type);
	int offset_back = perf_id_offset_back(attr->sample_type);

	if (events->n == PERF_EVENTS_MOST)
		return "too many events";
	/* Which event a record is of must be known before anything else in it is. */
	if (!events->n) {
		events->id_offset = offset;
		events->id_offset_back = offset_back;
	}
	if (offset != events->id_offset)
		events->id_offset = -1;
	if (offset_back != events->id_offset_back)
		events->id_offset_back = -1;
	events->list =
		op_grow(events->list, &events->capacity, events->n + 1, sizeof(*events->list));
	events->list[events->n++] = (struct perf_event){.attr = *attr};
	return NULL;
}

static struct perf_event_id *find_id(const struct perf_events *events, uint64_t id)
{
	uint32_t index;

	op_hash_for_each_possible (&events->by_id, op_hash_mix(0, id), index)
		if (events->ids[index].id == id)
			return &events->ids[index];
	return NULL;
}

const char *perf_events_add_ids(struct perf_events *events, struct op_reader ids)
{
	uint64_t id;

	while (op_reader_left(&ids) >= 8) {
		id = op_reader_u64(&ids);
		if (find_id(events, id))
			continue;
		if (events->n_ids == PERF_IDS_MOST)
			return "too many ids of events";
		events->ids = op_grow(events->ids, &events->ids_capacity, events->n_ids + 1,
				      sizeof(*events->ids));
		events->ids[events->n_ids] = (struct perf_event_id){id, (uint32_t)(events->n - 1)};
		op_hash_add_or_exit(&events->by_id, op_hash_mix(0, id), (uint32_t)events->n_ids);
		events->n_ids++;
	}
	return NULL;
}

struct perf_event *perf_events_of_id(const struct perf_events *events, uint64_t id)
{
	const struct perf_event_id *found = find_id(events, id);

	return found ? &events->list[found->event] : NULL;
}

struct perf_event *perf_events_of(const struct perf_events *events, const struct perf_raw *raw,
				  struct op_reader body)
{
	bool is_sample = raw->type == PERF_RECORD_SAMPLE;
	int offset = is_sample ? events->id_offset : events->id_offset_back;
	struct perf_event *first = events->list;
	uint64_t id;

	if (events->n == 1)
		return first;
	if (!events->n)
		return NULL;
	if (!is_sample && !perf_attr_flag(&first->attr, PERF_FLAG_SAMPLE_ID_ALL))
		return first;
	if (offset < 0)
		return first;
	if (op_reader_left(&body) < (size_t)offset + (is_sample ? 8 : 0))
		return NULL;
	id = op_load_u64(is_sample ? body.at + offset : body.end - offset, body.swap);
	/* Records that perf made up have none. */
	return id ? perf_events_of_id(events, id) : first;
}

uint64_t perf_events_time(const struct perf_events *events, const struct perf_raw *raw, bool swap)
{
	const struct perf_event *event = perf_events_of(events, raw, perf_raw_body(raw, swap));

	if (!event || !(event->attr.sample_type & PERF_SAMPLE_TIME))
		return 0;
	if (raw->type != PERF_RECORD_SAMPLE &&
	    !perf_attr_flag(&event->attr, PERF_FLAG_SAMPLE_ID_ALL))
		return 0;
	return perf_record_time(raw, event->attr.sample_type, swap);
}

void perf_event_rename(struct perf_event *event, const char *name, bool force)
{
	if (!*name || (event->name && !force))
		return;
	free(event->name);
	event->name = op_copy(name);
}

void perf_event_declare(struct perf_event *event, struct prof_sink *sink)
{
	const struct perf_attr *attr = &event->attr;
	bool is_clock =
		attr->type == PERF_TYPE_SOFTWARE && (attr->config == PERF_COUNT_SW_CPU_CLOCK ||
						     attr->config == PERF_COUNT_SW_TASK_CLOCK);
	struct prof_event described = {
		.unit = is_clock ? "nanoseconds" : "count",
		.type = attr->type,
		.code = attr->config,
	};
	char name[64];

	if (event->declared)
		return;
	if (!event->name) {
		perf_attr_name(attr, name, sizeof(name));
		event->name = op_copy(name);
	}
	described.name = event->name;
	if (perf_attr_flag(attr, PERF_FLAG_FREQ))
		described.frequency = attr->sample_period;
	else
		described.period = attr->sample_period;
	event->number = sink->event(sink, &described);
	event->declared = true;
}
