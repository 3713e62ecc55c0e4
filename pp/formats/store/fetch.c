// SPDX-License-Identifier: GPL-2.0-or-later
/* Asking a fleet's store: see fetch.h. */
#include "fetch.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "http.h"
#include "libop/base/array.h"
#include "libop/base/memory.h"
#include "libop/tables/pair_table.h"
#include "query.h"
#include "sums.h"
#include "tables.h"

struct fetching {
	struct store_query query;
	bool has_sums;
	bool programs_only;
	int file;  /* in memory, of a section for each answer, in the order of the questions */
	off_t end; /* of the last section */
	struct {
		off_t at; /* 0: not asked for */
		uint64_t n;
	} answers[FLEET_TABLES_N]; /* rows, as bytes of the file */
};

/* ---- the file ---- */

static int fail_in_memory(const struct fetching *fetching)
{
	return op_error_errno(fetching->query.error, "no memory for the answers of %s",
			      fetching->query.url->server);
}

/* The head of a section behind the last one.  Return: its bytes, or -1 with the error set. */
static ssize_t put_head(const struct fetching *fetching, enum fleet_table_id table, uint64_t n)
{
	struct op_buffer head = {0};
	ssize_t written;

	fleet_section_begin(&head, table, n);
	op_buffer_check(&head);
	written = pwrite(fetching->file, head.bytes, head.used, fetching->end);
	op_buffer_free(&head);
	return written < 0 ? fail_in_memory(fetching) : written;
}

/* What is written to the file from here on are its rows. */
static int begin_section(struct fetching *fetching, enum fleet_table_id table)
{
	ssize_t head = put_head(fetching, table, 0);

	if (head < 0)
		return -1;
	fetching->answers[table].at = lseek(fetching->file, fetching->end + head, SEEK_SET);
	return fetching->answers[table].at < 0 ? fail_in_memory(fetching) : 0;
}

static int end_section(struct fetching *fetching, enum fleet_table_id table, uint64_t n)
{
	if (put_head(fetching, table, n) < 0)
		return -1;
	fetching->answers[table].n = n;
	fetching->end = fetching->answers[table].at + (off_t)n;
	return 0;
}

static __attribute__((format(printf, 3, 4))) int
fetch_rows(struct fetching *fetching, enum fleet_table_id table, const char *format, ...)
{
	uint64_t n = 0;
	va_list values;
	int result;

	if (begin_section(fetching, table))
		return -1;
	va_start(values, format);
	result = store_query_ask_file(&fetching->query, fleet_tables[table].types, fetching->file,
				      &n, format, values);
	va_end(values);
	return result ? -1 : end_section(fetching, table, n);
}

/* Rows of an answer, to look at. */
struct mapped_rows {
	void *pages; /* NULL: there are no rows */
	size_t length;
	struct op_reader reader;
};

static int map_rows(const struct fetching *fetching, enum fleet_table_id table,
		    struct mapped_rows *rows)
{
	off_t at = fetching->answers[table].at, before = at % sysconf(_SC_PAGESIZE);
	size_t n = fetching->answers[table].n;

	*rows = (struct mapped_rows){.length = n + (size_t)before};
	if (!n)
		return 0;
	rows->pages = mmap(NULL, rows->length, PROT_READ, MAP_PRIVATE, fetching->file, at - before);
	if (rows->pages == MAP_FAILED) {
		rows->pages = NULL;
		return fail_in_memory(fetching);
	}
	rows->reader = op_reader_of((char *)rows->pages + before, n, op_swap_for(false));
	return 0;
}

static void unmap_rows(const struct mapped_rows *rows)
{
	if (rows->pages)
		munmap(rows->pages, rows->length);
}

/* ---- sessions ---- */

/* Facts of all sessions; '': they differ. */
#define FACT(column) "if(min(" column ") = max(" column "), min(" column "), ''), "
#define NO_NUMBER    "toUInt64(0)"

/* One row of all sessions, as a session has it; none if there are none. */
static const char joined_sessions[] = "SELECT min(day), min(time), " FACT("host") NO_NUMBER
	", " NO_NUMBER ", " NO_NUMBER
	", (SELECT if(sum(toFloat64(ns)) > 1.8e19, 18446744073709551615, sum(ns)) FROM "
	"(%s)), " FACT("os") FACT("arch") FACT("cpu")
		FACT("cpu_type") "any(cpu_mhz), " FACT("command") NO_NUMBER
	", " NO_NUMBER " FROM sessions WHERE %s AND "
	"session NOT IN " STORE_NUMBERS " HAVING count() > 0";

/* A column ns: how long each of the sessions is. */
static char *durations_of(const struct fetching *fetching)
{
	const struct store_query *query = &fetching->query;
	bool is_once = fetching->has_sums && !query->has_repeated;
	const char *repeated = !is_once ? query->chosen : query->raw ? query->raw : "0";
	char *durations = op_format("SELECT any(duration) AS ns FROM sessions WHERE %s AND "
				    "session NOT IN " STORE_NUMBERS " GROUP BY " STORE_ORIGIN,
				    repeated, VALUE_PARTIAL);
	char *all;

	if (!is_once)
		return durations;
	all = op_format("SELECT duration AS ns FROM sessions WHERE %s AND NOT (%s) UNION ALL %s",
			query->chosen, repeated, durations);
	free(durations);
	return all;
}

static int fetch_sessions(struct fetching *fetching)
{
	char *durations = durations_of(fetching);
	int result = fetch_rows(fetching, FLEET_SESSIONS, joined_sessions, durations,
				fetching->query.chosen, VALUE_PARTIAL);

	free(durations);
	if (!result && !fetching->answers[FLEET_SESSIONS].n)
		result = op_error_set(fetching->query.error, ENODATA,
				      "%s%s: no session of that time%s",
				      fetching->query.url->server, fetching->query.url->database,
				      fetching->query.url->hosts.count	  ? " and these hosts"
				      : fetching->query.url->labels.count ? " and these labels"
									  : "");
	return result;
}

/* Of the sessions that have any: these are looked at, not all. */
static int fetch_losses(struct fetching *fetching)
{
	struct store_query *query = &fetching->query;
	char *with_losses = op_format("%s AND origin GLOBAL IN (SELECT origin FROM sessions WHERE "
				      "%s AND session GLOBAL IN (SELECT session FROM losses "
				      "WHERE %s))",
				      query->chosen, query->chosen, query->where);
	int result = fetch_rows(
		fetching, FLEET_LOSSES,
		"SELECT toDate(0), toDateTime(0), '', toUInt64(0), cause, sum(n) FROM ("
		"SELECT cause, any(samples) AS n FROM losses WHERE %s AND "
		"session GLOBAL IN " STORE_SESSION_NUMBERS " AND session NOT IN " STORE_NUMBERS
		" GROUP BY host, session, cause) GROUP BY cause ORDER BY cause",
		query->where, with_losses, VALUE_PARTIAL);

	free(with_losses);
	return result;
}

/* ---- samples ---- */

/* What samples are told apart by, as columns h, l, t, c and s: what is not asked for is not read.
 * 18.16 joins no columns that are constant in one part of a UNION only. */
#define EMPTY  "materialize('')"
#define NO_SET "materialize(toUInt64(0))"
static char *columns_of(const struct store_url *url, const char *stack)
{
	return op_format("%s AS h, %s AS l, event, app, %s AS t, %s AS c, %s AS s",
			 url->by_host ? "host" : EMPTY, url->by_labels.count ? "label_set" : NO_SET,
			 url->by_thread ? "thread" : EMPTY, url->by_cgroup ? "cgroup" : EMPTY,
			 stack);
}

static char *columns_of_sums(const struct store_url *url, const char *stack)
{
	return op_format("%s AS h, %s AS l, event, app, %s AS t, %s AS c, %s AS s", EMPTY,
			 url->by_labels.count ? "label_set" : NO_SET, EMPTY, EMPTY, stack);
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
	char *names = texts_of_labels(&fetching->query.url->by_labels, "", "");
	int result = fetch_rows(
		fetching, FLEET_LABEL_SETS,
		"SELECT k, [%s], any(v) FROM (SELECT [%s] AS v, cityHash64(%s) AS k "
		"FROM label_sets WHERE label_set GLOBAL IN (SELECT label_set FROM sessions "
		"WHERE %s)) GROUP BY k ORDER BY k",
		names, texts, texts, fetching->query.chosen);

	free(names);
	return result;
}

/* Rows of samples, with columns_of(), n and w. */
static char *rows_of(const struct fetching *fetching)
{
	const struct store_query *query = &fetching->query;
	/* what has no program is of its stack's image */
	const char *stack =
		fetching->programs_only ? "if(app = '', stack, toFixedString('', 16))" : "stack";
	char *columns = columns_of(query->url, stack);
	char *sums_columns = columns_of_sums(query->url, stack);
	char *rows = query->raw ? store_query_rows(query, columns, "") : NULL;
	char *sums = fetching->has_sums ? store_sums_rows(query, sums_columns) : NULL;
	char *all = op_format("%s%s%s", rows ? rows : "", rows && sums ? " UNION ALL " : "",
			      sums ? sums : "");

	free(sums);
	free(rows);
	free(sums_columns);
	free(columns);
	return all;
}

static int fetch_samples(struct fetching *fetching)
{
	const struct store_url *url = fetching->query.url;
	char *rows = rows_of(fetching);
	char *texts = texts_of_labels(&url->by_labels, "texts[indexOf(names, ", ")]");
	char *join =
		url->by_labels.count
			? op_format(" ANY LEFT JOIN (SELECT label_set AS l, "
				    "any(cityHash64(%s)) AS k FROM label_sets GROUP BY label_set) "
				    "AS sets USING l",
				    texts)
			: op_copy("");
	const char *key = url->by_labels.count ? "ifNull(k, 0)" : "l";
	int result = fetch_rows(
		fetching, FLEET_SAMPLES,
		"SELECT toDate(0), toDateTime(0), h, toUInt64(0), %s, event, app, t, c, "
		"s, sum(n), sum(w) FROM (%s) AS taken%s GROUP BY h, %s, event, app, t, c, s "
		"ORDER BY s, event, app, h, %s, t, c", /* of most rows, the first decides */
		key, rows, join, key, key);

	if (!result && url->by_labels.count)
		result = fetch_labels(fetching, texts);
	free(join);
	free(texts);
	free(rows);
	return result;
}

/* ---- what samples refer to ---- */

/* The place of a column among those of its table. */
static size_t column_of(enum fleet_table_id table, const char *name)
{
	const char *at = fleet_tables[table].columns;
	size_t n = strlen(name), column = 0;

	while (strncmp(at, name, n) != 0 || (at[n] && at[n] != ',')) {
		at = strchr(at, ' ') + 1;
		column++;
	}
	return column;
}

static void note_identity(struct fetching *fetching, struct op_pair_table *known, char type,
			  struct op_reader *rows)
{
	const uint8_t *stack = type == 'x' ? op_reader_take(rows, FLEET_STACK_BYTES) : NULL;
	uint64_t halves[2] = {0};
	size_t n = known->n;

	if (stack)
		memcpy(halves, stack, sizeof(halves));
	else if (type != 'x')
		halves[0] = op_reader_u64(rows);
	if (rows->failed)
		return;
	op_pair_table_get(known, halves[0], halves[1]);
	if (known->n == n)
		return;
	if (stack)
		store_query_put_stack(&fetching->query, VALUE_WANTED, stack);
	else
		store_query_put(&fetching->query, VALUE_WANTED, halves[0]);
}

static void note_row(struct fetching *fetching, enum fleet_table_id table, size_t column,
		     struct op_pair_table *known, struct op_reader *rows)
{
	const char *types = fleet_tables[table].types;
	uint64_t n = 1;

	for (size_t i = 0; types[i] && !rows->failed; i++) {
		if (i != column) {
			fleet_column_skip(types[i], rows);
			continue;
		}
		if (types[i] == 'Q')
			n = op_reader_leb128(rows);
		for (; n && !rows->failed; n--)
			note_identity(fetching, known, types[i], rows);
	}
}

/* The rows of a table that a column of another one refers to, which has been answered. */
struct meaning {
	enum fleet_table_id table;
	bool in_order; /* few rows, whose order decides that of equals in reports */
	enum fleet_table_id from;
	const char *column;
};

/* A server would find out the same again for each question. */
static int fetch_meaning(struct fetching *fetching, const struct meaning *meaning)
{
	struct op_buffer *values = &fetching->query.values;
	size_t before = values->used, column = column_of(meaning->from, meaning->column);
	struct op_pair_table known = {0};
	char *wanted = meaning->table == FLEET_STACKS ? op_format(STORE_STACKS, VALUE_WANTED)
						      : op_format(STORE_NUMBERS, VALUE_WANTED);
	const char *columns = fleet_tables[meaning->table].columns;
	char *key = op_format("%.*s", (int)strcspn(columns, ","), columns);
	struct mapped_rows rows;
	int result = map_rows(fetching, meaning->from, &rows);

	while (!result && op_reader_left(&rows.reader))
		note_row(fetching, meaning->from, column, &known, &rows.reader);
	unmap_rows(&rows);
	op_pair_table_free(&known);
	/* rows of one key are equal, so grouping them is not needed */
	if (!result)
		result = fetch_rows(fetching, meaning->table,
				    "SELECT %s FROM %s WHERE %s IN %s%s%s LIMIT 1 BY %s", columns,
				    fleet_tables[meaning->table].name, key, wanted,
				    meaning->in_order ? " ORDER BY " : "",
				    meaning->in_order ? key : "", key);
	values->used = before;
	free(key);
	free(wanted);
	return result;
}

static int fetch_meanings(struct fetching *fetching)
{
	static const struct meaning meanings[] = {
		{FLEET_STACKS, false, FLEET_SAMPLES, "stack"},
		{FLEET_FRAMES, false, FLEET_STACKS, "frames"},
		{FLEET_IMAGES, true, FLEET_FRAMES, "image"},
		{FLEET_EVENTS, true, FLEET_SAMPLES, "event"},
	};
	int result = 0;

	for (size_t i = 0; !result && i < OP_ARRAY_SIZE(meanings); i++)
		result = fetch_meaning(fetching, &meanings[i]);
	return result;
}

/* ---- all of it ---- */

/* Sums are of all hosts, threads and control groups. */
static int use_sums(struct fetching *fetching)
{
	const struct store_url *url = fetching->query.url;
	int found = url->hosts.count || url->by_host || url->by_thread || url->by_cgroup
			    ? 0
			    : store_sums_use(&fetching->query);

	fetching->has_sums = found > 0;
	return found < 0 ? -1 : 0;
}

/* Sections of what was not asked for. */
static int put_empty_sections(struct fetching *fetching)
{
	for (unsigned int i = 0; i < FLEET_TABLES_N; i++)
		if (!fetching->answers[i].at && (begin_section(fetching, (enum fleet_table_id)i) ||
						 end_section(fetching, (enum fleet_table_id)i, 0)))
			return -1;
	return 0;
}

static int fetch_all(struct fetching *fetching)
{
	if (use_sums(fetching) || store_query_find_odd(&fetching->query) ||
	    fetch_sessions(fetching) || fetch_losses(fetching) || fetch_samples(fetching) ||
	    fetch_meanings(fetching) || put_empty_sections(fetching))
		return -1;
	return 0;
}

/* Return: the descriptor, of what nobody changes from here on, or -1 with the error set. */
static int fetch_file(struct fetching *fetching)
{
	static const int seals = F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL;

	fetching->file = memfd_create("fleet", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	fetching->end = (off_t)strlen(FLEET_MAGIC);
	if (fetching->file < 0)
		return fail_in_memory(fetching);
	if (pwrite(fetching->file, FLEET_MAGIC, strlen(FLEET_MAGIC), 0) != fetching->end)
		fail_in_memory(fetching);
	else if (!fetch_all(fetching)) {
		if (!fcntl(fetching->file, F_ADD_SEALS, seals) &&
		    !lseek(fetching->file, 0, SEEK_SET))
			return fetching->file;
		fail_in_memory(fetching);
	}
	close(fetching->file);
	return -1;
}

int store_fetch(const char *text, const struct store_wanted *wanted, struct op_error *error)
{
	static const struct store_wanted nothing_more = {0};
	struct store_url url;
	struct fetching fetching = {0};
	struct store_http *http = NULL;
	int fd = -1;

	if (!wanted)
		wanted = &nothing_more;
	fetching.programs_only = wanted->programs_only;
	if (!store_url_parse(&url, text, error) && !store_url_add_by(&url, wanted->labels, error))
		http = store_http_open(&url, error);
	if (http) {
		store_query_begin(&fetching.query, &url, http, error);
		fd = fetch_file(&fetching);
		store_query_end(&fetching.query);
	}
	store_http_close(http);
	store_url_free(&url);
	return fd;
}
