// SPDX-License-Identifier: GPL-2.0-or-later
/* Sums of a store by hours and days: see sums.h. */
#include "sums.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "libop/base/array.h"
#include "libop/base/memory.h"
#include "libop/base/number.h"
#include "libop/base/reader.h"

/* A server may be silent while it adds up. */
#define PATIENCE_SECONDS 3600

/* Of each level and time: what the whole batches of the last generation add up to. */
#define BATCHES                                                                                    \
	"(SELECT start, generation, batch, if(ifNull(found, 0) = total, all_n, 0) AS n, c, "       \
	"total FROM "                                                                              \
	"(SELECT start, generation, batch, any(sessions) AS all_n, any(checksum) AS c, "           \
	"any(samples) AS total FROM batches WHERE level = %u AND "                                 \
	"start >= toDateTime(%" PRIu64 ") AND start <= toDateTime(%" PRIu64 ") "                   \
	"GROUP BY start, generation, batch) AS made ANY LEFT JOIN (SELECT batch, "                 \
	"sum(samples) AS found FROM sums WHERE level = %u AND start >= toDateTime(%" PRIu64        \
	") AND start <= toDateTime(%" PRIu64 ") GROUP BY batch) AS counted USING batch) AS whole"
#define GENERATIONS                                                                                \
	"(SELECT start, generation, sum(n) AS n1, sum(c) AS c1 FROM " BATCHES                      \
	" GROUP BY start, generation) AS generated"

/* The sessions of each time that are there. */
#define THERE                                                                                      \
	"(SELECT toDateTime(intDiv(toUInt32(time), %u) * %u) AS start, count() AS n2, "            \
	"sum(last) AS c2 FROM (SELECT time, max(session) AS last FROM sessions WHERE "             \
	"day >= toDate(%" PRIu64 ") AND day <= toDate(%" PRIu64 ") AND "                           \
	"time >= toDateTime(%" PRIu64 ") AND time <= toDateTime(%" PRIu64 ") "                     \
	"GROUP BY " STORE_ORIGIN ") GROUP BY start) AS present"

/* The same if each is there once, which is found in a tenth of the time. */
#define THERE_ONCE                                                                                 \
	"(SELECT toDateTime(intDiv(toUInt32(time), %u) * %u) AS start, count() AS n2, "            \
	"sum(session) AS c2 FROM sessions WHERE day >= toDate(%" PRIu64                            \
	") AND day <= toDate(%" PRIu64 ") AND time >= toDateTime(%" PRIu64                         \
	") AND time <= toDateTime(%" PRIu64 ") GROUP BY start) AS present"

#define BATCHES_VALUES(level, span) level, (span).from, (span).to, level, (span).from, (span).to
#define THERE_VALUES(level, span)                                                                  \
	level, level, (span).from / SUMS_DAY, (span).to / SUMS_DAY, (span).from, (span).to

/* ---- times ---- */

/* Times that are whole hours, or days, of @level: [from, to]. */
static struct store_span whole_times(const struct store_span *span, unsigned int level)
{
	uint64_t from = (span->from + level - 1) / level * level;
	uint64_t end = (span->to + 1) / level * level;

	return (struct store_span){from, end > from ? end - 1 : 0};
}

struct span_list {
	struct store_span *spans;
	size_t n, capacity;
};

static void add_span(struct span_list *list, uint64_t from, uint64_t to)
{
	if (from > to)
		return;
	list->spans = op_grow(list->spans, &list->capacity, list->n + 1, sizeof(*list->spans));
	list->spans[list->n++] = (struct store_span){from, to};
}

static int compare_spans(const void *a, const void *b)
{
	return op_compare_u64(((const struct store_span *)a)->from,
			      ((const struct store_span *)b)->from);
}

/* What is in @whole and in none of @covered. */
static struct span_list spans_between(const struct store_span *whole, struct span_list *covered)
{
	struct span_list rest = {0};
	uint64_t from = whole->from;

	if (covered->n)
		qsort(covered->spans, covered->n, sizeof(*covered->spans), compare_spans);
	for (size_t i = 0; i < covered->n; i++) {
		if (covered->spans[i].from)
			add_span(&rest, from, covered->spans[i].from - 1);
		from = covered->spans[i].to + 1;
	}
	add_span(&rest, from, whole->to);
	return rest;
}

/* ---- reading ---- */

/*
 * The batches of the last generation, if all are those of the sessions, and each of these is there
 * once: then there can be no others, as numbers of sessions are hashes.
 *
 * Return: 1 with @answer set, 0 if that is not so, or -1 with the error of the query set.
 */
static int find_batches_of_once(struct store_query *query, unsigned int level,
				const struct store_span *times, struct op_buffer *answer)
{
	struct op_buffer rows = {0};
	struct op_reader reader;
	bool is = true;
	int result = store_query_ask(
		query, "iqb", &rows,
		"SELECT toUInt32(start), batch, same FROM " BATCHES " ALL INNER JOIN (SELECT "
		"start, max(generation) AS best, argMax(toUInt8(n1 = n2 AND c1 = c2), generation) "
		"AS same FROM " GENERATIONS " ANY LEFT JOIN " THERE_ONCE
		" USING start WHERE n2 > 0 GROUP BY start) AS newest USING start "
		"WHERE generation = best ORDER BY start, batch",
		BATCHES_VALUES(level, *times), BATCHES_VALUES(level, *times),
		THERE_VALUES(level, *times));

	reader = op_reader_of(rows.bytes, rows.used, op_swap_for(false));
	while (!result && is && op_reader_left(&reader)) {
		op_buffer_u32(answer, op_reader_u32(&reader));
		op_buffer_u64(answer, op_reader_u64(&reader));
		is = op_reader_u8(&reader) && !reader.failed;
	}
	op_buffer_free(&rows);
	if (!is)
		answer->used = 0;
	return result ? -1 : is;
}

/* The batches of a level that are those of the sessions that are there, in @span.  What ANY INNER
 * JOIN gives has changed between versions; ANY LEFT JOIN has not. */
static int find_batches(struct store_query *query, unsigned int level,
			const struct store_span *span, struct op_buffer *answer)
{
	struct store_span times = whole_times(span, level);
	int found;

	if (times.to < times.from)
		return 0;
	found = find_batches_of_once(query, level, &times, answer);
	if (found)
		return found < 0 ? -1 : 0;
	query->has_repeated = true;
	return store_query_ask(query, "iq", answer,
			       "SELECT toUInt32(start), batch FROM " BATCHES
			       " ALL INNER JOIN (SELECT start, "
			       "max(generation) AS best FROM " GENERATIONS " ANY LEFT JOIN " THERE
			       " USING start WHERE n2 > 0 AND n1 = n2 AND c1 = c2 GROUP BY start) "
			       "AS newest USING start "
			       "WHERE generation = best ORDER BY start, batch",
			       BATCHES_VALUES(level, times), BATCHES_VALUES(level, times),
			       THERE_VALUES(level, times));
}

/* Adds batches to _values, and their times to @covered, but for times that it has: both are in
 * order. */
static void take_batches(struct store_query *query, unsigned int level,
			 const struct op_buffer *answer, struct span_list *covered)
{
	struct op_reader reader = op_reader_of(answer->bytes, answer->used, op_swap_for(false));
	size_t n_before = covered->n, i = 0;

	while (op_reader_left(&reader)) {
		uint64_t start = op_reader_u32(&reader), batch = op_reader_u64(&reader);

		while (i < n_before && covered->spans[i].to < start)
			i++;
		if (reader.failed || (i < n_before && covered->spans[i].from <= start))
			continue;
		store_query_put(query, VALUE_BATCH, batch);
		if (covered->n == n_before || covered->spans[covered->n - 1].from != start)
			add_span(covered, start, start + level - 1);
	}
}

static void put_hours(struct store_query *query, const struct store_span *span)
{
	for (uint64_t hour = span->from; hour < span->to; hour += SUMS_HOUR)
		store_query_put(query, VALUE_HOUR, hour);
}

int store_sums_use(struct store_query *query)
{
	static const unsigned int levels[] = {SUMS_DAY, SUMS_HOUR};
	struct store_span whole = store_query_span(query);
	struct span_list covered = {0}, rest;
	int result = 0;

	for (size_t i = 0; !result && i < OP_ARRAY_SIZE(levels); i++) {
		struct op_buffer answer = {0};

		result = find_batches(query, levels[i], &whole, &answer);
		if (!result)
			take_batches(query, levels[i], &answer, &covered);
		op_buffer_free(&answer);
	}
	rest = spans_between(&whole, &covered);
	if (!result && covered.n) {
		for (size_t i = 0; rest.n > STORE_SPANS_MOST && i < covered.n; i++)
			put_hours(query, &covered.spans[i]);
		store_query_narrow(query, rest.spans, rest.n);
		result = 1;
	}
	free(covered.spans);
	free(rest.spans);
	return result;
}

char *store_sums_rows(const struct store_query *query, const char *columns)
{
	struct store_span span = store_query_span(query);

	return op_format("SELECT %s, samples AS n, weight AS w FROM sums WHERE "
			 "level IN (%u, %u) AND start >= toDateTime(%" PRIu64
			 ") AND start <= toDateTime(%" PRIu64 ") AND batch IN " STORE_NUMBERS "%s",
			 columns, SUMS_HOUR, SUMS_DAY, span.from, span.to, VALUE_BATCH,
			 query->labels);
}

/* ---- making ---- */

/* Sums that are made. */
struct adding {
	struct store_query query; /* of the time that is added up */
	struct store_url url;	  /* the same */
	unsigned int level;
	uint64_t start;
	uint32_t generation;
	uint64_t batch;
	uint64_t sessions, checksum, samples; /* of the batch */
};

/* A time whose sums are not those of the sessions that are there. */
struct stale {
	uint64_t start;
	uint64_t sessions, checksum; /* that are there */
	uint32_t generation;	     /* of the last sums; 0: there are none */
	uint64_t summed;	     /* sessions of these */
};

static int adding_begin(struct adding *adding, const struct store_url *url, struct store_http *http,
			unsigned int level, const struct stale *stale, struct op_error *error)
{
	*adding = (struct adding){
		.url = {.server = url->server,
			.database = url->database,
			.from = stale->start,
			.to = stale->start + level - 1},
		.level = level,
		.start = stale->start,
		.generation = stale->generation,
	};
	store_query_begin(&adding->query, &adding->url, http, error);
	if (getrandom(&adding->batch, sizeof(adding->batch), 0) != sizeof(adding->batch))
		return op_error_errno(error, "no number by chance");
	return 0;
}

/* Sessions of a generation of an hour's sums. */
#define SUMMED                                                                                     \
	"(SELECT session FROM summed WHERE start = toDateTime(%" PRIu64 ") AND batch GLOBAL IN "   \
	"(SELECT batch FROM batches WHERE level = 3600 AND start = toDateTime(%" PRIu64            \
	") AND generation = %" PRIu32 ") GROUP BY session)"
#define SUMMED_VALUES(adding) (adding)->start, (adding)->start, (adding)->generation

/* Whether all sessions of the last sums are there still, so that those of others can be added. */
static int is_additive(struct adding *adding, const struct stale *stale, bool *is)
{
	struct op_buffer answer = {0};
	struct op_reader reader;
	int result;

	*is = false;
	if (!stale->generation)
		return 0;
	result = store_query_ask(&adding->query, "q", &answer,
				 "SELECT count() FROM " SUMMED
				 " WHERE session GLOBAL IN " STORE_SESSION_NUMBERS,
				 SUMMED_VALUES(adding), adding->query.chosen);
	reader = op_reader_of(answer.bytes, answer.used, op_swap_for(false));
	*is = !result && op_reader_u64(&reader) == stale->summed;
	op_buffer_free(&answer);
	return result;
}

/* Chooses the sessions of the batch, which become VALUE_BATCH. */
static int choose_sessions(struct adding *adding, bool is_additive)
{
	char *but = is_additive
			    ? op_format(" AND session GLOBAL NOT IN " SUMMED, SUMMED_VALUES(adding))
			    : op_copy("");
	struct op_buffer answer = {0};
	struct op_reader reader;
	int result = store_query_ask(&adding->query, "qq", &answer,
				     "SELECT session, total FROM " STORE_SESSIONS
				     " WHERE session NOT IN " STORE_NUMBERS "%s",
				     adding->query.chosen, VALUE_PARTIAL, but);

	reader = op_reader_of(answer.bytes, answer.used, op_swap_for(false));
	while (!result && op_reader_left(&reader) >= 2 * sizeof(uint64_t)) {
		uint64_t session = op_reader_u64(&reader);

		store_query_put(&adding->query, VALUE_BATCH, session);
		adding->sessions++;
		adding->checksum += session;
		adding->samples += op_reader_u64(&reader);
	}
	op_buffer_free(&answer);
	free(but);
	return result;
}

/* Waits until what was inserted is there: another replica may be asked. */
static int wait_for_rows(struct adding *adding)
{
	const struct timespec moment = {.tv_nsec = 100000000};
	uint64_t found = 0;
	int result = 0;

	for (int i = 0; !result && i < 300; i++) {
		struct op_buffer answer = {0};
		struct op_reader reader;

		result = store_query_ask(&adding->query, "q", &answer,
					 "SELECT sum(samples) FROM sums WHERE level = %u AND "
					 "start = toDateTime(%" PRIu64 ") AND batch = %" PRIu64,
					 adding->level, adding->start, adding->batch);
		reader = op_reader_of(answer.bytes, answer.used, op_swap_for(false));
		found = op_reader_u64(&reader);
		op_buffer_free(&answer);
		if (result || found == adding->samples)
			return result;
		nanosleep(&moment, NULL);
	}
	return result ? result
		      : op_error_set(
				adding->query.error, EAGAIN,
				"%s%s: samples of sessions came twice, or went, while they were "
				"added up: %" PRIu64 " instead of %" PRIu64,
				adding->url.server, adding->url.database, found, adding->samples);
}

/* From now on the batch counts. */
static int end_batch(struct adding *adding)
{
	struct op_buffer row = {0};
	int result = wait_for_rows(adding);

	op_buffer_u32(&row, adding->level);
	op_buffer_u32(&row, (uint32_t)adding->start);
	op_buffer_u32(&row, adding->generation);
	op_buffer_u64(&row, adding->batch);
	op_buffer_u64(&row, adding->sessions);
	op_buffer_u64(&row, adding->checksum);
	op_buffer_u64(&row, adding->samples);
	if (!result)
		result = row.failed ? op_error_memory(adding->query.error)
				    : store_http_insert(adding->query.http,
							"INSERT INTO batches (level, start, "
							"generation, batch, sessions, checksum, "
							"samples) FORMAT RowBinary",
							row.bytes, row.used, adding->query.error);
	op_buffer_free(&row);
	return result;
}

/* @rows: a SELECT with the columns label_set, event, app, stack, n and w. */
static int insert_sums(struct adding *adding, const char *rows)
{
	return store_query_do(
		&adding->query,
		"INSERT INTO sums (level, start, batch, label_set, event, app, stack, "
		"samples, weight) SELECT toUInt32(%u), toDateTime(%" PRIu64 "), toUInt64(%" PRIu64
		"), label_set, event, app, stack, sum(n), sum(w) "
		"FROM (%s) GROUP BY label_set, event, app, stack",
		adding->level, adding->start, adding->batch, rows);
}

static int add_up_hour(struct adding *adding, const struct stale *stale, size_t *n)
{
	char *among = op_format(" AND session IN " STORE_NUMBERS, VALUE_BATCH), *rows;
	bool adds = false;
	int result = store_query_find_odd(&adding->query);

	if (!result)
		result = is_additive(adding, stale, &adds);
	if (!result)
		result = choose_sessions(adding, adds);
	adding->generation += !adds;
	rows = store_query_rows(&adding->query, "label_set, event, app, stack", among);
	if (!result && adding->sessions) {
		result = store_query_do(&adding->query,
					"INSERT INTO summed (start, batch, session) SELECT "
					"toDateTime(%" PRIu64 "), toUInt64(%" PRIu64
					"), number FROM _values WHERE kind = %d",
					adding->start, adding->batch, VALUE_BATCH);
		if (!result)
			result = insert_sums(adding, rows);
		if (!result)
			result = end_batch(adding);
		*n += !result;
	}
	free(rows);
	free(among);
	return result;
}

/* A day is the sum of its hours, once all of them are added up. */
static int add_up_day(struct adding *adding, const struct stale *stale, size_t *n)
{
	struct store_span span = store_query_span(&adding->query);
	struct span_list covered = {0};
	struct op_buffer answer = {0};
	struct op_reader reader;
	char *rows = NULL;
	int result = find_batches(&adding->query, SUMS_HOUR, &span, &answer);

	if (!result)
		take_batches(&adding->query, SUMS_HOUR, &answer, &covered);
	free(covered.spans);
	answer.used = 0;
	if (!result)
		result = store_query_ask(&adding->query, "qqq", &answer,
					 "SELECT sum(n), sum(c), sum(total) FROM " BATCHES
					 " WHERE batch IN " STORE_NUMBERS,
					 BATCHES_VALUES(SUMS_HOUR, span), VALUE_BATCH);
	reader = op_reader_of(answer.bytes, answer.used, op_swap_for(false));
	adding->sessions = op_reader_u64(&reader);
	adding->checksum = op_reader_u64(&reader);
	adding->samples = op_reader_u64(&reader);
	op_buffer_free(&answer);
	if (result || adding->sessions != stale->sessions || adding->checksum != stale->checksum)
		return result;
	adding->generation++;
	rows = op_format("SELECT label_set, event, app, stack, samples AS n, weight AS w FROM sums "
			 "WHERE level = %u AND start >= toDateTime(%" PRIu64
			 ") AND start <= toDateTime(%" PRIu64 ") AND batch IN " STORE_NUMBERS,
			 SUMS_HOUR, span.from, span.to, VALUE_BATCH);
	result = insert_sums(adding, rows);
	if (!result)
		result = end_batch(adding);
	*n += !result;
	free(rows);
	return result;
}

/* The times of a level whose sums are not those of their sessions. */
static int find_stale(struct store_query *query, unsigned int level, struct op_buffer *answer)
{
	struct store_span whole = store_query_span(query), times = whole_times(&whole, level);

	if (times.to < times.from)
		return 0;
	return store_query_ask(query, "iqqiq", answer,
			       "SELECT toUInt32(start), n2, c2, ifNull(last, 0), ifNull(last_n, 0) "
			       "FROM " THERE
			       " ANY LEFT JOIN (SELECT start, max(generation) AS last, "
			       "argMax(n1, generation) AS last_n, argMax(c1, generation) AS last_c "
			       "FROM " GENERATIONS " GROUP BY start) AS summed USING start WHERE "
			       "n2 != ifNull(last_n, 0) OR c2 != ifNull(last_c, 0) ORDER BY start",
			       THERE_VALUES(level, times), BATCHES_VALUES(level, times));
}

static int add_up_level(struct store_query *query, unsigned int level, size_t *n)
{
	struct op_buffer answer = {0};
	int result = find_stale(query, level, &answer);
	struct op_reader reader = op_reader_of(answer.bytes, answer.used, op_swap_for(false));

	while (!result && op_reader_left(&reader)) {
		struct stale stale = {.start = op_reader_u32(&reader)};
		struct adding adding;

		stale.sessions = op_reader_u64(&reader);
		stale.checksum = op_reader_u64(&reader);
		stale.generation = op_reader_u32(&reader);
		stale.summed = op_reader_u64(&reader);
		if (reader.failed)
			break;
		result =
			adding_begin(&adding, query->url, query->http, level, &stale, query->error);
		if (!result)
			result = level == SUMS_HOUR ? add_up_hour(&adding, &stale, n)
						    : add_up_day(&adding, &stale, n);
		store_query_end(&adding.query);
	}
	op_buffer_free(&answer);
	return result;
}

int store_sums_make(const struct store_url *url, uint64_t from, uint64_t to, size_t *n,
		    struct op_error *error)
{
	struct store_http *http = store_http_open(url, error);
	struct store_url times = {.server = url->server,
				  .database = url->database,
				  .from = from,
				  .to = to ? to - 1 : 0};
	struct store_query query;
	int result;

	*n = 0;
	if (!http)
		return -1;
	store_http_set_patience(http, PATIENCE_SECONDS);
	store_query_begin(&query, &times, http, error);
	result = add_up_level(&query, SUMS_HOUR, n);
	if (!result)
		result = add_up_level(&query, SUMS_DAY, n);
	store_query_end(&query);
	store_http_close(http);
	return result;
}

/* ---- dropping ---- */

/* What the name of a table is followed by in a statement about its own rows: those of a cluster are
 * in tables of all its servers. */
static char *suffix_of_local(struct store_query *query)
{
	struct op_buffer answer = {0};
	struct op_reader reader;
	const char *name;
	char *suffix = NULL;
	uint64_t n;

	if (store_query_ask(
		    query, "s", &answer,
		    "SELECT extract(engine_full, '^Distributed[^A-Za-z0-9_]+([A-Za-z0-9_]+)') FROM "
		    "system.tables WHERE database = '%s' AND name = 'samples'",
		    query->url->database))
		return NULL;
	reader = op_reader_of(answer.bytes, answer.used, op_swap_for(false));
	n = op_reader_leb128(&reader);
	name = op_reader_take(&reader, n);
	if (!name)
		op_error_set(query->error, ENOENT, "%s%s: there is no table samples",
			     query->url->server, query->url->database);
	else
		suffix = n ? op_format("_local ON CLUSTER %.*s", (int)n, name) : op_copy("");
	op_buffer_free(&answer);
	return suffix;
}

static bool is_covered(const struct span_list *covered, uint64_t start)
{
	const struct store_span wanted = {start, start};

	return covered->n &&
	       bsearch(&wanted, covered->spans, covered->n, sizeof(wanted), compare_spans);
}

struct day_text {
	char text[sizeof("2026-11-28")];
};

static struct day_text day_text(uint64_t day)
{
	time_t seconds = (time_t)(day * SUMS_DAY);
	struct day_text text = {""};
	struct tm tm;

	if (gmtime_r(&seconds, &tm))
		strftime(text.text, sizeof(text.text), "%Y-%m-%d", &tm);
	return text;
}

static int drop_days(struct store_query *query, const char *suffix, const struct span_list *covered,
		     size_t *n)
{
	struct store_span span = store_query_span(query);
	struct op_buffer answer = {0};
	int result = store_query_ask(query, "h", &answer,
				     "SELECT day FROM samples WHERE day <= toDate(%" PRIu64
				     ") GROUP BY day ORDER BY day",
				     span.to / SUMS_DAY);
	struct op_reader reader = op_reader_of(answer.bytes, answer.used, op_swap_for(false));

	while (!result && op_reader_left(&reader) >= sizeof(uint16_t)) {
		uint64_t day = op_reader_u16(&reader);

		if (!is_covered(covered, day * SUMS_DAY))
			continue;
		/* partitions are called as their days are, 2026-11-28 */
		result = store_query_do(query, "ALTER TABLE samples%s DROP PARTITION '%s'", suffix,
					day_text(day).text);
		*n += !result;
	}
	op_buffer_free(&answer);
	return result;
}

int store_sums_drop(const struct store_url *url, uint64_t before, size_t *n, struct op_error *error)
{
	struct store_http *http;
	struct store_url times = {.server = url->server,
				  .database = url->database,
				  .to = before / SUMS_DAY * SUMS_DAY - 1};
	struct span_list covered = {0};
	struct op_buffer answer = {0};
	struct store_query query;
	struct store_span span;
	char *suffix;
	int result;

	*n = 0;
	if (before < SUMS_DAY)
		return 0;
	http = store_http_open(url, error);
	if (!http)
		return -1;
	store_http_set_patience(http, PATIENCE_SECONDS);
	store_query_begin(&query, &times, http, error);
	span = store_query_span(&query);
	suffix = suffix_of_local(&query);
	result = suffix ? find_batches(&query, SUMS_DAY, &span, &answer) : -1;
	if (!result) {
		take_batches(&query, SUMS_DAY, &answer, &covered);
		result = drop_days(&query, suffix, &covered, n);
	}
	free(suffix);
	free(covered.spans);
	op_buffer_free(&answer);
	store_query_end(&query);
	store_http_close(http);
	return result;
}
