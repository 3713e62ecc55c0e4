/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Queries of a fleet's store: which sessions are meant, and rows of their samples.
 *
 * Sessions are chosen by time, host and labels; one that is in the store is in it as a whole.
 * What was sent twice is added up once: of rows that are equal in what identifies them one is taken
 * (any()), whether the server has merged them by now or not.
 *
 * Servers of 18.16 and of today are to mean the same by them, whatever their settings are: what is
 * joined has an alias, a column that an outer join may leave empty is in ifNull(), and an answer
 * has the types that were asked for (cast.h).
 *
 * Texts that users give are in an external table, _values; what stands in a query are numbers,
 * words of these files, and names of letters and digits.
 *
 * Tables may be those of a cluster.  What is IN a query of them is GLOBAL: the servers get its
 * rows. They have _values anyway, and what is IN that is not, for only then is it looked up by the
 * order of a table.
 */
#ifndef PP_FORMATS_STORE_QUERY_H
#define PP_FORMATS_STORE_QUERY_H

#include <stdarg.h>

#include "http.h"
#include "libop/base/buffer.h"
#include "libop/base/error.h"
#include "tables.h"

/* What the rows of _values are. */
enum store_value {
	VALUE_HOST,    /* text */
	VALUE_LABEL,   /* name, text */
	VALUE_ODD,     /* number: of store_query_find_odd() */
	VALUE_PARTIAL, /* the same */
	VALUE_BATCH,   /* number: of sums.h */
	VALUE_HOUR,    /* number: where an hour begins that is read from sums */
	VALUE_WANTED,  /* number, or text: an identity whose row is asked for */
};

#define STORE_NUMBERS "(SELECT number FROM _values WHERE kind = %d)"
#define STORE_STACKS  "(SELECT toFixedString(text, 16) FROM _values WHERE kind = %d)"

/* Those of one origin, which is of one host, were sent with other names: one of them counts.  The
 * host itself is no key: grouping a million of texts takes ten times as long as of numbers. */
#define STORE_ORIGIN "time, origin"
#define STORE_SESSIONS                                                                             \
	"(SELECT last AS session, sent, total FROM (SELECT max(session) AS last, "                 \
	"argMax(rows, session) AS sent, argMax(samples, session) AS total FROM sessions "          \
	"WHERE %s GROUP BY " STORE_ORIGIN ")) AS chosen"
#define STORE_SESSION_NUMBERS "(SELECT session FROM " STORE_SESSIONS ")"

/* Seconds since 1970, both included. */
struct store_span {
	uint64_t from, to;
};

struct store_query {
	const struct store_url *url;
	struct store_http *http;
	struct op_buffer values; /* rows of _values */
	char *hosts, *labels;	 /* conditions, or "" */
	char *where;		 /* all times: a condition of rows of all tables with sessions */
	char *chosen;		 /* and of those with sets of labels */
	char *raw;	   /* @chosen, of times whose samples are read one by one; NULL: none */
	bool has_repeated; /* sessions of times that are read from sums may be there twice */
	size_t n_odd;
	struct op_error *error;
};

/* Gets ready: all times of the URL are read one by one.  All of them are to live as long. */
void store_query_begin(struct store_query *query, const struct store_url *url,
		       struct store_http *http, struct op_error *error);
void store_query_end(struct store_query *query);

/* The times of the URL. */
struct store_span store_query_span(const struct store_query *query);

/* Times that stand in a condition one by one: a server takes 16 KiB of it, several times over. */
#define STORE_SPANS_MOST 4

/* Has samples of these times only read one by one, in order; of more than STORE_SPANS_MOST, those
 * between the first and the last that are in no VALUE_HOUR. */
void store_query_narrow(struct store_query *query, const struct store_span *spans, size_t n);

/* Adds a number to _values. */
void store_query_put(struct store_query *query, enum store_value kind, uint64_t number);

/* Adds a stack to _values. */
void store_query_put_stack(struct store_query *query, enum store_value kind,
			   const uint8_t stack[FLEET_STACK_BYTES]);

/* Asks, and appends the answer, of columns of @types.  Return: as store_http_query(). */
int store_query_ask(struct store_query *query, const char *types, struct op_buffer *answer,
		    const char *format, ...) __attribute__((format(printf, 4, 5)));

/* The same, appended to a file: @n is set to the bytes of the answer. */
int store_query_ask_file(struct store_query *query, const char *types, int fd, uint64_t *n,
			 const char *format, va_list values) __attribute__((format(printf, 5, 0)));

/* Has the server do something without an answer, such as INSERT INTO ... SELECT. */
int store_query_do(struct store_query *query, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * store_query_find_odd - find sessions whose rows are not those that were sent, each once
 *
 * Counting takes a tenth of the time of telling rows apart, which is done for these only
 * (VALUE_ODD): most of them have rows twice, until the server merges them; of some, as a replica
 * that was away may have them, rows are missing (VALUE_PARTIAL): they are warned of and left out.
 *
 * Return: as store_http_query().
 */
int store_query_find_odd(struct store_query *query);

/**
 * store_query_rows - rows of samples of times that are read one by one
 * @columns: what is selected of the table samples
 * @more: a condition that begins with " AND ", or ""
 *
 * Return: a SELECT, with columns n and w of samples and weights, which the caller frees.
 */
char *store_query_rows(const struct store_query *query, const char *columns, const char *more);

#endif
