// SPDX-License-Identifier: GPL-2.0-or-later
/* Metrics of what was sent: see metrics.h. */
#include "metrics.h"

#include <inttypes.h>
#include <stdlib.h>

#include "libop/base/array.h"
#include "libop/base/memory.h"
#include "libop/base/text_stream.h"
#include "libop/text/metrics.h"

#define DESTINATION "destination"
#define COUNTER	    "counter"
#define GAUGE	    "gauge"

/* Of one destination. */
struct numbers {
	struct sender_counts counts;
	struct spool_state spool;
};

enum number_kind { WHOLE, REAL };

/* A metric is a number at an offset of struct numbers. */
static const struct row {
	const char *name, *type, *help;
	size_t offset;
	enum number_kind kind;
} rows[] = {
#define NUMBER(member)	offsetof(struct numbers, member), WHOLE
#define SECONDS(member) offsetof(struct numbers, member), REAL
	{"oppush_sessions_sent_total", COUNTER, "Sessions that were sent.", NUMBER(counts.sent)},
	{"oppush_sessions_rejected_total", COUNTER, "Sessions that the server will not have.",
	 NUMBER(counts.rejected)},
	{"oppush_sessions_dropped_total", COUNTER,
	 "Sessions that were not sent, as there was no room in the spool.", NUMBER(spool.dropped)},
	{"oppush_sessions_unreadable_total", COUNTER,
	 "Sessions that could not be read the first time.", NUMBER(spool.unreadable)},
	{"oppush_sessions_waiting", GAUGE, "Sessions in the spool.", NUMBER(spool.waiting)},
	{"oppush_spool_bytes", GAUGE, "What they take of the disk.", NUMBER(spool.bytes)},
	{"oppush_sent_bytes_total", COUNTER, "Bytes of sessions that were sent.",
	 NUMBER(counts.bytes)},
	{"oppush_failures_total", COUNTER, "Tries to send a session that failed.",
	 NUMBER(counts.failures)},
	{"oppush_back_off_seconds", GAUGE,
	 "The longest that is waited for the server now; 0 while it works.",
	 SECONDS(counts.back_off)},
	{"oppush_back_off_seconds_total", COUNTER, "Seconds that were waited for the server.",
	 SECONDS(counts.back_off_total)},
	{"oppush_last_sent_timestamp_seconds", GAUGE,
	 "When a session was sent last, since 1970; 0: not yet.", NUMBER(counts.last_sent)},
};

static void put_number(FILE *out, const struct row *row, const char *destination,
		       const struct numbers *numbers)
{
	const void *at = (const char *)numbers + row->offset;

	if (row->kind == WHOLE)
		op_metric_put(out, row->name, DESTINATION, destination, "%" PRIu64,
			      *(const uint64_t *)at);
	else
		op_metric_put(out, row->name, DESTINATION, destination, "%.3f",
			      *(const double *)at);
}

int metrics_write(const char *path, struct sender *senders, size_t n, struct op_error *error)
{
	struct numbers *numbers = op_alloc(n, sizeof(*numbers));
	struct op_text_stream stream;
	int result;

	for (size_t i = 0; i < n; i++)
		numbers[i] = (struct numbers){sender_counts(&senders[i]),
					      spool_state(&senders[i].spool)};
	op_text_stream_open(&stream);
	for (size_t i = 0; i < OP_ARRAY_SIZE(rows); i++) {
		op_metric_begin(stream.out, rows[i].name, rows[i].type, rows[i].help);
		for (size_t k = 0; k < n; k++)
			put_number(stream.out, &rows[i], senders[k].destination->folder,
				   &numbers[k]);
	}
	op_text_stream_close(&stream);
	result = op_metrics_write(path, stream.text, stream.length, error);
	free(stream.text);
	free(numbers);
	return result;
}
