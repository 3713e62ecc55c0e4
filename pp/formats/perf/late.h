/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mappings, names and tasks that come later in the file than records can wait for them: they are
 * looked for before all else, and take their place in the order of time from the beginning.
 */
#ifndef PP_FORMATS_PERF_LATE_H
#define PP_FORMATS_PERF_LATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "events.h"
#include "order.h"
#include "stream.h"

/* Files with fewer bytes of records are never too long to wait for. */
#define PERF_LATE_LEAST (8u << 20)

/* A record that is too late; its bytes are owned. */
struct perf_late_record {
	uint64_t ordinal; /* how many records stand before it */
	uint64_t time;
	struct perf_raw raw;
};

struct perf_late {
	struct perf_late_record *items; /* by ordinal */
	size_t n, capacity;
	size_t bytes; /* of all, which has a limit: what is beyond it stays late */
	size_t next;  /* the first that was not met again */

	uint64_t ordinal; /* of the record that is looked at */
};

/**
 * perf_late_find - read all records of a file once, and keep those that are too late
 * @stream: at the first record; faults in it are left for whoever reads it again
 */
void perf_late_find(struct perf_late *late, struct perf_stream *stream,
		    const struct perf_events *events);

/* Whether the next record, of all in turn, was kept. */
bool perf_late_is_next(struct perf_late *late);
void perf_late_free(struct perf_late *late);

#endif
