// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Asking a fleet's store: see fetch.h.
 *
 * Sessions are chosen first, by time and host; a session that is in the store is in it as a whole.
 * What was sent twice is added up once: of rows that are equal in what identifies them one is taken
 * (any()), whether the server has merged them by now or not.
 *
 * Texts that users give are in an external table, _values; what stands in a query are numbers, and
 * words of this file.
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
#include "tables.h"

/* Of one answer: as much as a reader takes. */
#define ANSWER_MOST ((size_t)1 << 30)
#define DAY_S	    86400

struct fetching {
	const struct store_url *url;
	struct store_http *http;
	const struct op_strings *values; /* hosts; NULL: all */
	char *chosen;			 /* a condition of rows of sessions */
	struct op_buffer answers[FLEET_TABLES_N];
	struct op_error *error;
};

/* Those of one origin were sent with other names: one of them counts. */
#define SESSIONS "(SELECT max(session) FROM sessions WHERE %s GROUP BY host, time, origin)"

/* Rows by day, time and host, so that the server reads those parts only. */
static char *condition_of(const struct store_url *url)
{
	uint64_t to = url->to ? url->to : UINT32_MAX;
	uint64_t from = url->from < UINT32_MAX ? url->from : UINT32_MAX;

	if (to > UINT32_MAX)
		to = UINT32_MAX;
	return op_format("day >= toDate(%" PRIu64 ") AND day <= toDate(%" PRIu64
			 ") AND time >= toDateTime(%" PRIu64 ") AND time <= toDateTime(%" PRIu64
			 ")%s",
			 from / DAY_S, to / DAY_S, from, to,
			 url->hosts.count ? " AND host IN (SELECT value FROM _values)" : "");
}

static int fetch_table(struct fetching *fetching, enum fleet_table_id table, const char *format,
		       ...) __attribute__((format(printf, 3, 4)));

static int fetch_table(struct fetching *fetching, enum fleet_table_id table, const char *format,
		       ...)
{
	va_list values;
	char *query, *whole;
	int result;

	va_start(values, format);
	if (vasprintf(&query, format, values) < 0)
		op_out_of_memory();
	va_end(values);
	whole = op_format("%s FORMAT RowBinary", query);
	result = store_http_query(fetching->http, whole, fetching->values, ANSWER_MOST,
				  &fetching->answers[table], fetching->error);
	free(whole);
	free(query);
	return result;
}

/* A session's columns of rows that are added up over sessions. */
#define NO_SESSION "toDate(0), toDateTime(0), %s, toUInt64(0)"

/* Those whose rows are there once, as counting shows: that takes a tenth of the time of telling
 * rows apart, and all sessions are so but for what was sent again and is not merged yet. */
#define SINGLE                                                                                     \
	"(SELECT session FROM (SELECT session, count() AS there FROM samples WHERE %s "            \
	"GROUP BY session) ANY INNER JOIN (SELECT session, any(rows) AS sent FROM sessions "       \
	"WHERE %s GROUP BY session) USING session WHERE there = sent)"
#define KEY "event, app, thread, cgroup, stack"

static int fetch_samples(struct fetching *fetching)
{
	const char *chosen = fetching->chosen, *host = fetching->url->by_host ? "host" : "''";
	const char *by = fetching->url->by_host ? "host," : "";
	char *sessions = op_format("%s AND session IN " SESSIONS, chosen, chosen);
	char *single = op_format(SINGLE, chosen, chosen);
	int result = fetch_table(fetching, FLEET_SAMPLES,
				 "SELECT " NO_SESSION ", " KEY ", sum(n), sum(w) FROM ("
				 "SELECT host, " KEY ", samples AS n, weight AS w FROM samples "
				 "WHERE %s AND session IN %s UNION ALL "
				 "SELECT host, " KEY
				 ", any(samples) AS n, any(weight) AS w FROM samples "
				 "WHERE %s AND session NOT IN %s GROUP BY host, session, " KEY
				 ") GROUP BY %s " KEY " ORDER BY %s " KEY,
				 host, sessions, single, sessions, single, by, by);

	free(single);
	free(sessions);
	return result;
}

/* What samples refer to: that was sent before them. */
static int fetch_meanings(struct fetching *fetching)
{
	char *stacks = op_format("stack IN (SELECT stack FROM samples WHERE %s)", fetching->chosen);
	char *frames =
		op_format("frame IN (SELECT arrayJoin(frames) FROM stacks WHERE %s)", stacks);
	int result = fetch_table(fetching, FLEET_STACKS,
				 "SELECT stack, any(frames) FROM stacks WHERE %s GROUP BY stack "
				 "ORDER BY stack",
				 stacks);

	if (!result)
		result = fetch_table(
			fetching, FLEET_FRAMES,
			"SELECT frame, any(image), any(function), any(file), any(line), "
			"any(inlined) FROM frames WHERE %s GROUP BY frame ORDER BY frame",
			frames);
	if (!result)
		result =
			fetch_table(fetching, FLEET_IMAGES,
				    "SELECT image, any(kind), any(path), any(build_id) FROM images "
				    "WHERE image IN (SELECT image FROM frames WHERE %s) "
				    "GROUP BY image ORDER BY image",
				    frames);
	if (!result)
		result = fetch_table(fetching, FLEET_EVENTS,
				     "SELECT event, any(name), any(unit), any(period), "
				     "any(frequency), any(unit_mask) FROM events GROUP BY event "
				     "ORDER BY event");
	free(frames);
	free(stacks);
	return result;
}

static int fetch_sessions(struct fetching *fetching)
{
	int result = fetch_table(
		fetching, FLEET_SESSIONS,
		"SELECT any(day), time, host, max(session), origin, any(duration), any(os), "
		"any(arch), any(cpu), any(cpu_type), any(cpu_mhz), any(command), "
		"any(rows) FROM sessions WHERE %s GROUP BY time, host, origin "
		"ORDER BY time, host, origin",
		fetching->chosen);

	if (!result && !fetching->answers[FLEET_SESSIONS].used)
		result = op_error_set(fetching->error, ENODATA, "%s%s: no session of that time%s",
				      fetching->url->server, fetching->url->database,
				      fetching->values ? " and these hosts" : "");
	if (!result)
		result = fetch_table(fetching, FLEET_LOSSES,
				     "SELECT " NO_SESSION ", cause, sum(n) FROM ("
				     "SELECT cause, any(samples) AS n FROM losses WHERE %s AND "
				     "session IN " SESSIONS " "
				     "GROUP BY host, session, cause) GROUP BY cause ORDER BY cause",
				     "''", fetching->chosen, fetching->chosen);
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

int store_fetch(const char *text, struct op_error *error)
{
	struct store_url url;
	struct fetching fetching = {.url = &url, .error = error};
	int fd = -1;

	if (!store_url_parse(&url, text, error))
		fetching.http = store_http_open(&url, error);
	fetching.chosen = condition_of(&url);
	fetching.values = url.hosts.count ? &url.hosts : NULL;
	if (fetching.http && !fetch_sessions(&fetching) && !fetch_samples(&fetching) &&
	    !fetch_meanings(&fetching))
		fd = put_tables(&fetching);
	store_http_close(fetching.http);
	for (size_t i = 0; i < FLEET_TABLES_N; i++)
		op_buffer_free(&fetching.answers[i]);
	free(fetching.chosen);
	store_url_free(&url);
	return fd;
}
