/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The events of a recording, and which one a record is of.
 */
#ifndef PP_FORMATS_PERF_EVENTS_H
#define PP_FORMATS_PERF_EVENTS_H

#include "libop/base/hash.h"
#include "libop/perf/attr.h"
#include "libop/perf/record.h"
#include "pp/formats/model/profile.h"

/* More are none that a machine could count: 4096 CPUs with 256 events each. */
#define PERF_IDS_MOST	 (UINT32_C(1) << 20)
#define PERF_EVENTS_MOST 4096

/* Bytes of a name in a record EVENT_TYPE, most of which are zeros. */
#define PERF_EVENT_NAME_MOST 64

struct perf_event {
	struct perf_attr attr;
	char *name;	 /* NULL: the file says none (yet) */
	uint32_t number; /* of the sink, once ->declared */
	bool declared;
};

struct perf_event_id {
	uint64_t id;
	uint32_t event;
};

struct perf_events {
	struct perf_event *list;
	size_t n, capacity;
	struct perf_event_id *ids;
	size_t n_ids, ids_capacity;
	struct op_hash by_id;
	int id_offset, id_offset_back; /* where all records have the id, or -1 */
};

void perf_events_free(struct perf_events *events);

/* Adds one.  Return: NULL, or what is wrong. */
const char *perf_events_add(struct perf_events *events, const struct perf_attr *attr);
/* Ids of the last event that was added: u64s, to the end of @ids.  Return: NULL or what is wrong.
 */
const char *perf_events_add_ids(struct perf_events *events, struct op_reader ids);

/* The event of an id, or NULL. */
struct perf_event *perf_events_of_id(const struct perf_events *events, uint64_t id);

/**
 * perf_events_of - the event that a record of the kernel is of
 * @body: of the record
 *
 * Return: the event, or NULL: there are several, and none has the record's id.
 */
struct perf_event *perf_events_of(const struct perf_events *events, const struct perf_raw *raw,
				  struct op_reader body);

/* The time of a record, or 0: it has none. */
uint64_t perf_events_time(const struct perf_events *events, const struct perf_raw *raw, bool swap);

/* Gives an event a name, unless it has one and @force is false. */
void perf_event_rename(struct perf_event *event, const char *name, bool force);

/* Makes the event known to the sink, and sets ->number. */
void perf_event_declare(struct perf_event *event, struct prof_sink *sink);

#endif
