/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests to a ClickHouse server, and to others, by HTTP.  libcurl is loaded with the first one:
 * it and what it needs take longer to load than a report.
 *
 * Certificates are checked against those of the system, or of the file that CURL_CA_BUNDLE names.
 * Redirects are not followed: user, password and token are for one server.
 */
#ifndef PP_FORMATS_STORE_HTTP_H
#define PP_FORMATS_STORE_HTTP_H

#include <stdint.h>

#include "libop/base/buffer.h"
#include "libop/base/error.h"
#include "libop/base/strings.h"
#include "url.h"

struct store_http;

/**
 * store_http_open - get ready for requests
 * @url: must live as long
 *
 * Return: for store_http_close(), or NULL with @error set: ENOSYS, no libcurl.
 */
struct store_http *store_http_open(const struct store_url *url, struct op_error *error);
void store_http_close(struct store_http *http); /* NULL is fine */

/* Bounds each request from now on, as a whole; 0: by silence only. */
void store_http_limit(struct store_http *http, unsigned int seconds);

/* The only function for any thread: requests fail that last longer than so many seconds from now,
 * those that begin later, too. */
void store_http_stop(struct store_http *http, unsigned int seconds);

/**
 * store_http_query - send a query that reads
 * @types: of the columns of the answer: store_cast()
 * @query: SQL; no text that comes from elsewhere is in it: that is in @values
 * @values: rows of what it calls _values (kind UInt8, number UInt64, name String, text String), as
 *	RowBinary; NULL: none
 * @most: bytes of the answer
 * @answer: the answer is appended, as RowBinary
 *
 * Return: 0, or -1 with @error set: what the server says, or that it does not answer; EFBIG.
 */
int store_http_query(struct store_http *http, const char *types, const char *query,
		     const struct op_buffer *values, size_t most, struct op_buffer *answer,
		     struct op_error *error);

/**
 * store_http_query_file - the same, with the answer appended to a file
 * @fd: the file; nothing is written to it if the server refuses
 * @n: set to the bytes of the answer that were written
 */
int store_http_query_file(struct store_http *http, const char *types, const char *query,
			  const struct op_buffer *values, size_t most, int fd, uint64_t *n,
			  struct op_error *error);

/**
 * store_http_insert - send rows, or a statement without any
 * @statement: SQL, as of store_http_query()
 * @rows, @n: the body
 *
 * Return: as store_http_query().  After an error other than the server's own words, the rows may be
 * there or not.
 */
int store_http_insert(struct store_http *http, const char *statement, const void *rows, size_t n,
		      struct op_error *error);

/**
 * store_http_change - have the server do something, such as INSERT INTO ... SELECT
 * @values: as of store_http_query()
 *
 * Return: as store_http_query().
 */
int store_http_change(struct store_http *http, const char *statement,
		      const struct op_buffer *values, struct op_error *error);

/* How long a server may be silent, in seconds, from now on. */
void store_http_set_patience(struct store_http *http, long seconds);

/* The same of a statement that is of no database, such as one that makes it. */
int store_http_make(struct store_http *http, const char *statement, struct op_error *error);

/* A request of another API than ClickHouse's; the caller owns all of it. */
struct store_post {
	char *address;		   /* of http or https */
	struct op_strings headers; /* "NAME: VALUE", without control characters */
	const void *body;
	size_t n;
};

struct store_reply {
	long status;	      /* of HTTP; 0: there was none */
	uint64_t retry_after; /* seconds; 0: it does not say */
};

/**
 * store_http_post - send a request
 * @http: its URL is what messages name
 * @answer: the answer is appended, up to some KiB of it; nothing if it is a refusal
 * @reply: set, also on error
 *
 * Return: 0 if the status is 2xx, or -1 with @error set, as store_http_query().
 */
int store_http_post(struct store_http *http, const struct store_post *post,
		    struct op_buffer *answer, struct store_reply *reply, struct op_error *error);

#endif
