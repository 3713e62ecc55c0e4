/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a fleet's store is, and what of it is wanted:
 *
 *	clickhouse://HOST[:PORT]/DATABASE[?host=NAME,NAME&label=NAME=TEXT&last=1h&from=TIME&to=TIME
 *		&by=NAME,NAME]
 *
 * clickhouses:// is the same by TLS.  A user and a password are in ~/.netrc, by HOST, as curl(1)
 * has them: a URL is seen by all users of a machine.  TIME is 2026-11-28T15:00[:00], in UTC.
 */
#ifndef PP_FORMATS_STORE_URL_H
#define PP_FORMATS_STORE_URL_H

#include <stdbool.h>
#include <stdint.h>

#include "libop/base/error.h"
#include "libop/base/strings.h"

struct store_url {
	char *server; /* "http://HOST:PORT/" */
	char *database;
	char *netrc; /* path; NULL: ~/.netrc, if there is one */
	/* What is wanted: */
	struct op_strings hosts;  /* none: all */
	struct op_strings labels; /* NAME=TEXT that hosts have: of each name one of the texts */
	uint64_t from, to; /* sessions that began in between, seconds since 1970; to 0: now */
	/* What samples are told apart by: */
	bool by_host, by_thread, by_cgroup;
	struct op_strings by_labels; /* names, checked by fleet_label_is_name() */
};

/* Whether a word is one that SQL takes for a name as it stands. */
bool store_url_is_name(const char *word);

/* The same URL with last=; NULL: it is none, or says its times.  The caller frees it. */
char *store_url_last(const char *word, uint64_t seconds);

/* Whether a word is such a URL. */
bool store_url_is(const char *word);

/**
 * store_url_parse - parse one
 * @url: filled in; store_url_free() frees what it holds, also after an error
 *
 * Return: 0, or -1 with @error set: EINVAL.
 */
int store_url_parse(struct store_url *url, const char *text, struct op_error *error);
void store_url_free(struct store_url *url);

/* Adds names to those of by=.  Return: 0, or -1 with @error set: EINVAL. */
int store_url_add_by(struct store_url *url, const struct op_strings *names, struct op_error *error);

#endif
