// SPDX-License-Identifier: GPL-2.0-or-later
/* Queries of a fleet's store: see query.h. */
#include "query.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"
#include "libop/base/option.h"
#include "libop/base/reader.h"

/* Of one answer: as much as a reader takes. */
#define ANSWER_MOST ((size_t)1 << 30)
#define DAY_S	    86400

/* What tells rows of one session apart. */
#define KEY "event, app, thread, cgroup, stack"

/* Of sessions, and what was counted of each of them. */
#define IS_ODD "ifNull(there, 0) != sent OR ifNull(found, 0) != total"

static void put_value(struct store_query *query, enum store_value kind, uint64_t number,
		      const char *name, size_t name_length, const char *text, size_t text_length)
{
	struct op_buffer *out = &query->values;

	op_buffer_u8(out, (uint8_t)kind);
	op_buffer_u64(out, number);
	fleet_put_string(out, name, name_length);
	fleet_put_string(out, text, text_length);
}

void store_query_put(struct store_query *query, enum store_value kind, uint64_t number)
{
	put_value(query, kind, number, "", 0, "", 0);
}

void store_query_put_stack(struct store_query *query, enum store_value kind,
			   const uint8_t stack[FLEET_STACK_BYTES])
{
	put_value(query, kind, 0, "", 0, (const char *)stack, FLEET_STACK_BYTES);
}

/* ---- what is chosen ---- */

/* Sets of labels that have all that are wanted, of each name one. */
static char *condition_of_labels(struct store_query *query)
{
	const struct op_strings *labels = &query->url->labels;
	size_t n_names = 0;

	for (size_t i = 0; i < labels->count; i++) {
		const char *label = labels->item[i];
		size_t n = strcspn(label, "="), k = 0;

		put_value(query, VALUE_LABEL, 0, label, n, label + n + 1, strlen(label + n + 1));
		while (k < i && strncmp(labels->item[k], label, n + 1) != 0)
			k++;
		n_names += k == i;
	}
	if (!labels->count)
		return op_copy("");
	return op_format(" AND label_set GLOBAL IN (SELECT label_set FROM label_sets "
			 "ARRAY JOIN names AS name, texts AS text WHERE (name, text) IN "
			 "(SELECT name, text FROM _values WHERE kind = %d) GROUP BY label_set "
			 "HAVING uniqExact(name) = %zu)",
			 VALUE_LABEL, n_names);
}

static char *condition_of_hosts(struct store_query *query)
{
	const struct op_strings *hosts = &query->url->hosts;

	for (size_t i = 0; i < hosts->count; i++)
		put_value(query, VALUE_HOST, 0, "", 0, hosts->item[i], strlen(hosts->item[i]));
	return hosts->count ? op_format(" AND host IN (SELECT text FROM _values WHERE "
					"kind = %d)",
					VALUE_HOST)
			    : op_copy("");
}

/* Rows by day and time, so that the server reads those parts only. */
static char *condition_of_spans(const struct store_span *spans, size_t n)
{
	char *condition = NULL;

	for (size_t i = 0; i < n; i++) {
		char *longer = op_format(
			"%s%s(day >= toDate(%" PRIu64 ") AND day <= toDate(%" PRIu64
			") AND time >= toDateTime(%" PRIu64 ") AND time <= toDateTime(%" PRIu64
			"))",
			condition ? condition : "", condition ? " OR " : "", spans[i].from / DAY_S,
			spans[i].to / DAY_S, spans[i].from, spans[i].to);

		free(condition);
		condition = longer;
	}
	return condition;
}

static char *condition_but_hours(const struct store_span *span)
{
	char *times = condition_of_spans(span, 1);
	char *condition = op_format("%s AND toUInt64(intDiv(toUInt32(time), 3600) * 3600) "
				    "NOT IN " STORE_NUMBERS,
				    times, VALUE_HOUR);

	free(times);
	return condition;
}

struct store_span store_query_span(const struct store_query *query)
{
	const struct store_url *url = query->url;

	return (struct store_span){
		url->from < UINT32_MAX ? url->from : UINT32_MAX,
		url->to && url->to < UINT32_MAX ? url->to : UINT32_MAX,
	};
}

void store_query_narrow(struct store_query *query, const struct store_span *spans, size_t n)
{
	struct store_span all = {n ? spans[0].from : 0, n ? spans[n - 1].to : 0};
	char *times =
		n > STORE_SPANS_MOST ? condition_but_hours(&all) : condition_of_spans(spans, n);

	free(query->raw);
	query->raw = times ? op_format("(%s)%s%s", times, query->hosts, query->labels) : NULL;
	free(times);
}

void store_query_begin(struct store_query *query, const struct store_url *url,
		       struct store_http *http, struct op_error *error)
{
	struct store_span span;
	char *times;

	*query = (struct store_query){.url = url, .http = http, .error = error};
	query->labels = condition_of_labels(query);
	query->hosts = condition_of_hosts(query);
	span = store_query_span(query);
	times = condition_of_spans(&span, 1);
	query->where = op_format("%s%s", times, query->hosts);
	query->chosen = op_format("%s%s", query->where, query->labels);
	free(times);
	store_query_narrow(query, &span, 1);
}

void store_query_end(struct store_query *query)
{
	op_buffer_free(&query->values);
	free(query->hosts);
	free(query->labels);
	free(query->where);
	free(query->chosen);
	free(query->raw);
}

/* ---- asking ---- */

static char *text_of(const char *format, va_list values)
{
	char *text;

	if (vasprintf(&text, format, values) < 0)
		op_out_of_memory();
	return text;
}

int store_query_ask(struct store_query *query, const char *types, struct op_buffer *answer,
		    const char *format, ...)
{
	va_list values;
	char *question;
	int result;

	va_start(values, format);
	question = text_of(format, values);
	va_end(values);
	result = store_http_query(query->http, types, question, &query->values, ANSWER_MOST, answer,
				  query->error);
	free(question);
	return result;
}

int store_query_ask_file(struct store_query *query, const char *types, int fd, uint64_t *n,
			 const char *format, va_list values)
{
	char *question = text_of(format, values);
	int result = store_http_query_file(query->http, types, question, &query->values,
					   ANSWER_MOST, fd, n, query->error);

	free(question);
	return result;
}

int store_query_do(struct store_query *query, const char *format, ...)
{
	va_list values;
	char *text;
	int result;

	va_start(values, format);
	text = text_of(format, values);
	va_end(values);
	result = store_http_change(query->http, text, &query->values, query->error);
	free(text);
	return result;
}

/* ---- samples ---- */

/* Reads numbers of an answer into rows of _values.  Return: how many. */
static size_t put_numbers(struct store_query *query, enum store_value kind,
			  const struct op_buffer *answer)
{
	struct op_reader reader = op_reader_of(answer->bytes, answer->used, op_swap_for(false));
	size_t n = 0;

	for (; op_reader_left(&reader) >= sizeof(uint64_t); n++)
		store_query_put(query, kind, op_reader_u64(&reader));
	return n;
}

int store_query_find_odd(struct store_query *query)
{
	struct op_buffer answer = {0};
	const char *raw = query->raw;
	size_t n = 0;
	int result = 0;

	if (raw)
		result = store_query_ask(query, "q", &answer,
					 "SELECT session FROM " STORE_SESSIONS " ANY LEFT JOIN "
					 "(SELECT session, count() AS there, sum(samples) AS found "
					 "FROM samples WHERE %s GROUP BY session) AS counted "
					 "USING session WHERE " IS_ODD,
					 raw, raw);
	if (!result)
		n = query->n_odd = put_numbers(query, VALUE_ODD, &answer);
	answer.used = 0;
	if (n)
		result = store_query_ask(
			query, "q", &answer,
			"SELECT session FROM " STORE_SESSIONS " ANY LEFT JOIN (SELECT session, "
			"count() AS there, sum(n) AS found FROM (SELECT session, any(samples) AS n "
			"FROM samples WHERE %s AND session IN " STORE_NUMBERS
			" GROUP BY host, session, " KEY
			") GROUP BY session) AS counted USING session "
			"WHERE session IN " STORE_NUMBERS " AND (" IS_ODD ")",
			raw, raw, VALUE_ODD, VALUE_ODD);
	if (n && !result)
		n = put_numbers(query, VALUE_PARTIAL, &answer);
	if (n && !result)
		op_warn("%s%s: %zu sessions are not there as a whole, and are left out",
			query->url->server, query->url->database, n);
	op_buffer_free(&answer);
	return result;
}

char *store_query_rows(const struct store_query *query, const char *columns, const char *more)
{
	const char *raw = query->raw;
	char *rows = op_format("SELECT %s, samples AS n, weight AS w FROM samples WHERE %s%s AND "
			       "session GLOBAL IN " STORE_SESSION_NUMBERS
			       " AND session NOT IN " STORE_NUMBERS,
			       columns, raw, more, raw, VALUE_ODD);
	char *all;

	if (!query->n_odd)
		return rows;
	all = op_format("%s UNION ALL SELECT %s, any(samples) AS n, any(weight) AS w FROM samples "
			"WHERE %s%s AND session IN " STORE_NUMBERS
			" AND session NOT IN " STORE_NUMBERS
			" GROUP BY host, session, label_set, " KEY,
			rows, columns, raw, more, VALUE_ODD, VALUE_PARTIAL);
	free(rows);
	return all;
}
