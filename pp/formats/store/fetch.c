// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Asking a fleet's store: see fetch.h.
 *
 * Sessions are chosen first, by time and host; a session that is in the store is in it as a whole.
 * What was sent twice is added up once: of rows that are equal in what identifies them one is taken
 * (any()), whether the server has merged them by now or not.
 *
 * Texts that users give are in an external table, _values; what stands in a query are numbers,
 * words of this file, and names of letters and digits.  All that is IN is GLOBAL: tables may be
 * those of a cluster, whose servers get the rows then.
 */
#include "fetch.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "http.h"
#include "libop/base/memory.h"
#include "libop/base/option.h"
#include "libop/base/reader.h"
#include "tables.h"

/* Of one answer: as much as a reader takes. */
#define ANSWER_MOST ((size_t)1 << 30)
#define DAY_S	    86400

struct fetching {
	const struct store_url *url;
	struct store_http *http;
	struct op_buffer values; /* rows of _values */
	char *where;		 /* a condition of rows of all tables with sessions */
	char *chosen;		 /* and of those with sets of labels */
	size_t n_odd;		 /* sessions: see find_odd_sessions() */
	struct op_buffer answers[FLEET_TABLES_N];
	struct op_error *error;
};

/* What the rows of _values are. */
enum value_kind {
	VALUE_HOST,    /* text */
	VALUE_LABEL,   /* name, text */
	VALUE_ODD,     /* number */
	VALUE_PARTIAL, /* number */
};

#define NUMBERS_OF "(SELECT number FROM _values WHERE kind = %d)"

static void put_value(struct fetching *fetching, enum value_kind kind, uint64_t number,
		      const char *name, size_t name_length, const char *text)
{
	struct op_buffer *out = &fetching->values;

	op_buffer_u8(out, (uint8_t)kind);
	op_buffer_u64(out, number);
	fleet_put_string(out, name, name_length);
	fleet_put_string(out, text, strlen(text));
}

/* ---- what is chosen ---- */

/* Sets of labels that have all that are wanted, of each name one. */
static char *condition_of_labels(struct fetching *fetching)
{
	const struct op_strings *labels = &fetching->url->labels;
	size_t n_names = 0;

	for (size_t i = 0; i < labels->count; i++) {
		const char *label = labels->item[i];
		size_t n = strcspn(label, "="), k = 0;

		put_value(fetching, VALUE_LABEL, 0, label, n, label + n + 1);
		while (k < i && strncmp(labels->item[k], label, n + 1) != 0)
			k++;
		n_names += k == i;
	}
	if (!labels->count)
		return op_copy("");
	return op_format(" AND label_set GLOBAL IN (SELECT label_set FROM label_sets "
			 "ARRAY JOIN names AS name, texts AS text WHERE (name, text) GLOBAL IN "
			 "(SELECT name, text FROM _values WHERE kind = %d) GROUP BY label_set "
			 "HAVING uniqExact(name) = %zu)",
			 VALUE_LABEL, n_names);
}

/* Rows by day, time and host, so that the server reads those parts only. */
static void make_conditions(struct fetching *fetching)
{
	const struct store_url *url = fetching->url;
	uint64_t to = url->to && url->to < UINT32_MAX ? url->to : UINT32_MAX;
	uint64_t from = url->from < UINT32_MAX ? url->from : UINT32_MAX;
	char *labels = condition_of_labels(fetching), *hosts = op_copy("");

	for (size_t i = 0; i < url->hosts.count; i++)
		put_value(fetching, VALUE_HOST, 0, "", 0, url->hosts.item[i]);
	if (url->hosts.count) {
		free(hosts);
		hosts = op_format(" AND host GLOBAL IN (SELECT text FROM _values WHERE kind = %d)",
				  VALUE_HOST);
	}
	fetching->where = op_format("day >= toDate(%" PRIu64 ") AND day <= toDate(%" PRIu64
				    ") AND time >= toDateTime(%" PRIu64
				    ") AND time <= toDateTime(%" PRIu64 ")%s",
				    from / DAY_S, to / DAY_S, from, to, hosts);
	fetching->chosen = op_format("%s%s", fetching->where, labels);
	free(hosts);
	free(labels);
}

static int ask(struct fetching *fetching, struct op_buffer *answer, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static int ask(struct fetching *fetching, struct op_buffer *answer, const char *format, ...)
{
	va_list values;
	char *query, *whole;
	int result;

	va_start(values, format);
	if (vasprintf(&query, format, values) < 0)
		op_out_of_memory();
	va_end(values);
	whole = op_format("%s FORMAT RowBinary", query);
	result = store_http_query(fetching->http, whole, &fetching->values, ANSWER_MOST, answer,
				  fetching->error);
	free(whole);
	free(query);
	return result;
}

/* ---- sessions ---- */

/* Those of one origin were sent with other names: one of them counts. */
#define SESSIONS                                                                                   \
	"(SELECT last AS session, sent, total FROM (SELECT max(session) AS last, "                 \
	"argMax(rows, session) AS sent, argMax(samples, session) AS total FROM sessions "          \
	"WHERE %s GROUP BY host, time, origin))"
#define SESSION_NUMBERS "(SELECT session FROM " SESSIONS ")"

/* What tells rows of one session apart. */
#define KEY "event, app, thread, cgroup, stack"

/* Reads numbers of an answer into rows of _values.  Return: how many. */
static size_t put_numbers(struct fetching *fetching, enum value_kind kind,
			  const struct op_buffer *answer)
{
	struct op_reader reader = op_reader_of(answer->bytes, answer->used, op_swap_for(false));
	size_t n = 0;

	for (; op_reader_left(&reader) >= sizeof(uint64_t); n++)
		put_value(fetching, kind, op_reader_u64(&reader), "", 0, "");
	return n;
}

/*
 * Finds sessions whose rows are not those that were sent, each once.  Counting takes a tenth of the
 * time of telling rows apart, which is done for these only: most of them have rows twice, until the
 * server merges them; of some, as a replica that was away may have them, rows are missing.
 */
static int find_odd_sessions(struct fetching *fetching)
{
	const char *chosen = fetching->chosen;
	struct op_buffer answer = {0};
	int result = ask(fetching, &answer,
			 "SELECT session FROM " SESSIONS " ANY LEFT JOIN (SELECT session, "
			 "count() AS there, sum(samples) AS found FROM samples WHERE %s "
			 "GROUP BY session) USING session WHERE there != sent OR found != total",
			 chosen, chosen);
	size_t n = result ? 0 : put_numbers(fetching, VALUE_ODD, &answer);

	fetching->n_odd = n;
	answer.used = 0;
	if (n)
		result = ask(
			fetching, &answer,
			"SELECT session FROM " SESSIONS " ANY LEFT JOIN (SELECT session, "
			"count() AS there, sum(n) AS found FROM (SELECT session, "
			"any(samples) AS n FROM samples WHERE %s AND session GLOBAL IN " NUMBERS_OF
			" GROUP BY host, session, " KEY ") GROUP BY session) "
			"USING session WHERE session GLOBAL IN " NUMBERS_OF
			" AND (there != sent OR found != total)",
			chosen, chosen, VALUE_ODD, VALUE_ODD);
	if (n && !result)
		n = put_numbers(fetching, VALUE_PARTIAL, &answer);
	if (n && !result)
		op_warn("%s%s: %zu sessions are not there as a whole, and are left out",
			fetching->url->server, fetching->url->database, n);
	op_buffer_free(&answer);
	return result;
}

/* A fact of all sessions; '': they differ. */
#define FACT(name) "if(min(" name ") = max(" name "), min(" name "), '')"

static int fetch_sessions(struct fetching *fetching)
{
	struct op_buffer *answer = &fetching->answers[FLEET_SESSIONS];
	int result = ask(
		fetching, answer,
		"SELECT min(d), min(time), " FACT(
			"host") ", toUInt64(0), toUInt64(0), toUInt64(0), "
				"if(sum(toFloat64(ns)) > 1.8e19, 18446744073709551615, "
				"sum(ns)), " FACT("f1") ", " FACT("f2") ", " FACT("f3") ", " FACT(
					"f4") ", any(mhz), " FACT("f5") ", toUInt64(0), "
									"toUInt64(0) FROM (SELECT "
									"any(day) AS d, time, "
									"host, "
									"any(duration) AS ns, "
									"any(os) AS f1, any(arch) "
									"AS f2, any(cpu) AS f3, "
									"any(cpu_type) AS f4, "
									"any(cpu_mhz) AS mhz, "
									"any(command) AS f5 FROM "
									"sessions WHERE %s AND "
									"session GLOBAL NOT "
									"IN " NUMBERS_OF
									" GROUP BY time, host, "
									"origin) HAVING count() > "
									"0",
		fetching->chosen, VALUE_PARTIAL);

	if (!result && !answer->used)
		result = op_error_set(fetching->error, ENODATA, "%s%s: no session of that time%s",
				      fetching->url->server, fetching->url->database,
				      fetching->url->hosts.count    ? " and these hosts"
				      : fetching->url->labels.count ? " and these labels"
								    : "");
	if (!result)
		result = ask(
			fetching, &fetching->answers[FLEET_LOSSES],
			"SELECT toDate(0), toDateTime(0), '', toUInt64(0), cause, sum(n) FROM ("
			"SELECT cause, any(samples) AS n FROM losses WHERE %s AND "
			"session GLOBAL IN " SESSION_NUMBERS
			" AND session GLOBAL NOT IN " NUMBERS_OF " GROUP BY host, session, cause) "
			"GROUP BY cause ORDER BY cause",
			fetching->where, fetching->chosen, VALUE_PARTIAL);
	return result;
}

/* ---- samples ---- */

/* What samples are told apart by, as columns h, l, t and c: what is not asked for is not read.
 * 18.16 joins no columns that are constant in one part of a UNION only. */
#define EMPTY "materialize('')"
static char *columns_of(const struct store_url *url)
{
	return op_format("%s AS h, %s AS l, event, app, %s AS t, %s AS c, stack",
			 url->by_host ? "host" : EMPTY,
			 url->by_labels.count ? "label_set" : "materialize(toUInt64(0))",
			 url->by_thread ? "thread" : EMPTY, url->by_cgroup ? "cgroup" : EMPTY);
}

/* The texts of the labels that are asked for, as an array; names are of letters and digits. */
static char *texts_of_labels(const struct op_strings *names, const char *each_begin,
			     const char *each_end)
{
	char *list = op_copy("");

	for (size_t i = 0; i < names->count; i++) {
		char *longer = op_format("%s%s%s'%s'%s", list, i ? ", " : "", each_begin,
					 names->item[i], each_end);

		free(list);
		list = longer;
	}
	return list;
}

/* Sets of labels that differ in others only are one. */
static int fetch_labels(struct fetching *fetching, const char *texts)
{
	char *names = texts_of_labels(&fetching->url->by_labels, "", "");
	int result =
		ask(fetching, &fetching->answers[FLEET_LABEL_SETS],
		    "SELECT k, [%s], any(v) FROM (SELECT [%s] AS v, cityHash64(%s) AS k "
		    "FROM label_sets WHERE label_set GLOBAL IN (SELECT label_set FROM sessions "
		    "WHERE %s)) GROUP BY k ORDER BY k",
		    names, texts, texts, fetching->chosen);

	free(names);
	return result;
}

/* Rows of samples, with columns_of(), n and w. */
static char *rows_of(const struct fetching *fetching, const char *columns)
{
	const char *chosen = fetching->chosen;
	char *rows = op_format("SELECT %s, samples AS n, weight AS w FROM samples WHERE %s AND "
			       "session GLOBAL IN " SESSION_NUMBERS
			       " AND session GLOBAL NOT IN " NUMBERS_OF,
			       columns, chosen, chosen, VALUE_ODD);
	char *all;

	if (!fetching->n_odd)
		return rows;
	all = op_format("%s UNION ALL SELECT %s, any(samples) AS n, any(weight) AS w FROM samples "
			"WHERE %s AND session GLOBAL IN " NUMBERS_OF
			" AND session GLOBAL NOT IN " NUMBERS_OF
			" GROUP BY host, session, label_set, " KEY,
			rows, columns, chosen, VALUE_ODD, VALUE_PARTIAL);
	free(rows);
	return all;
}

static int fetch_samples(struct fetching *fetching)
{
	const struct store_url *url = fetching->url;
	char *columns = columns_of(url), *rows = rows_of(fetching, columns);
	char *texts = texts_of_labels(&url->by_labels, "texts[indexOf(names, ", ")]");
	char *join =
		url->by_labels.count
			? op_format(" ANY LEFT JOIN (SELECT label_set AS l, "
				    "any(cityHash64(%s)) AS k FROM label_sets GROUP BY label_set) "
				    "USING l",
				    texts)
			: op_copy("");
	const char *key = url->by_labels.count ? "k" : "l";
	int result =
		ask(fetching, &fetching->answers[FLEET_SAMPLES],
		    "SELECT toDate(0), toDateTime(0), h, toUInt64(0), %s, event, app, t, c, "
		    "stack, sum(n), sum(w) FROM (%s)%s GROUP BY h, %s, event, app, t, c, stack "
		    "ORDER BY h, %s, event, app, t, c, stack",
		    key, rows, join, key, key);

	if (!result && url->by_labels.count)
		result = fetch_labels(fetching, texts);
	free(join);
	free(texts);
	free(rows);
	free(columns);
	return result;
}

/* What samples refer to: that was sent before them. */
static int fetch_meanings(struct fetching *fetching)
{
	char *stacks =
		op_format("stack GLOBAL IN (SELECT stack FROM samples WHERE %s)", fetching->chosen);
	char *frames = op_format("frame GLOBAL IN (SELECT arrayJoin(frames) FROM stacks WHERE %s)",
				 stacks);
	int result = ask(fetching, &fetching->answers[FLEET_STACKS],
			 "SELECT stack, any(frames) FROM stacks WHERE %s GROUP BY stack "
			 "ORDER BY stack",
			 stacks);

	if (!result)
		result = ask(fetching, &fetching->answers[FLEET_FRAMES],
			     "SELECT frame, any(image), any(function), any(file), any(line), "
			     "any(inlined) FROM frames WHERE %s GROUP BY frame ORDER BY frame",
			     frames);
	if (!result)
		result = ask(fetching, &fetching->answers[FLEET_IMAGES],
			     "SELECT image, any(kind), any(path), any(build_id) FROM images "
			     "WHERE image GLOBAL IN (SELECT image FROM frames WHERE %s) "
			     "GROUP BY image ORDER BY image",
			     frames);
	if (!result)
		result = ask(fetching, &fetching->answers[FLEET_EVENTS],
			     "SELECT event, any(name), any(unit), any(period), "
			     "any(frequency), any(unit_mask) FROM events GROUP BY event "
			     "ORDER BY event");
	free(frames);
	free(stacks);
	return result;
}

/* ---- the file ---- */

static bool put_bytes(int fd, const void *bytes, size_t n)
{
	for (const char *at = bytes; n;) {
		ssize_t written = write(fd, at, n);

		if (written < 0)
			return false;
		at += written;
		n -= (size_t)written;
	}
	return true;
}

static int put_tables(const struct fetching *fetching)
{
	int fd = memfd_create("fleet", MFD_CLOEXEC);
	bool good = fd >= 0 && put_bytes(fd, FLEET_MAGIC, strlen(FLEET_MAGIC));

	for (size_t i = 0; good && i < FLEET_TABLES_N; i++) {
		const struct op_buffer *answer = &fetching->answers[i];
		struct op_buffer head = {0};

		fleet_section_begin(&head, (enum fleet_table_id)i, answer->used);
		good = !head.failed && put_bytes(fd, head.bytes, head.used) &&
		       put_bytes(fd, answer->bytes, answer->used);
		op_buffer_free(&head);
	}
	if (good && !lseek(fd, 0, SEEK_SET))
		return fd;
	op_error_errno(fetching->error, "no memory for the answers of %s", fetching->url->server);
	if (fd >= 0)
		close(fd);
	return -1;
}

int store_fetch(const char *text, const struct op_strings *labels, struct op_error *error)
{
	struct store_url url;
	struct fetching fetching = {.url = &url, .error = error};
	int fd = -1;

	if (!store_url_parse(&url, text, error) && !store_url_add_by(&url, labels, error))
		fetching.http = store_http_open(&url, error);
	make_conditions(&fetching);
	if (fetching.http && !find_odd_sessions(&fetching) && !fetch_sessions(&fetching) &&
	    !fetch_samples(&fetching) && !fetch_meanings(&fetching))
		fd = put_tables(&fetching);
	store_http_close(fetching.http);
	for (size_t i = 0; i < FLEET_TABLES_N; i++)
		op_buffer_free(&fetching.answers[i]);
	op_buffer_free(&fetching.values);
	free(fetching.where);
	free(fetching.chosen);
	store_url_free(&url);
	return fd;
}
