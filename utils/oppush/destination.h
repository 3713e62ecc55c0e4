/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where sessions are sent to:
 *
 *	clickhouse://HOST[:PORT]/DATABASE		the store of a fleet
 *	[pprof+|otlp+]http[s]://HOST[:PORT]/PATH[?...]	an API of another, by its path: api.h
 *
 * The format before the "+" is for paths that say none.
 */
#ifndef UTILS_OPPUSH_DESTINATION_H
#define UTILS_OPPUSH_DESTINATION_H

#include <stdbool.h>
#include <stddef.h>

#include "libop/base/error.h"
#include "pp/formats/store/url.h"

struct api;

struct destination {
	char *url;    /* as it was given */
	char *folder; /* its name, of the part of the spool, and in metrics: safe, of this URL only,
		       * without its query */
	const struct api *api; /* NULL: ClickHouse */
	struct store_url
		store; /* of another API: the server is the whole address without a query */
	char *query;   /* of the address, or NULL */
	char *token_file, *tenant; /* or NULL */
};

struct destinations {
	struct destination *item;
	size_t count, capacity;
};

/**
 * destinations_add - add those of an argument: URLs with blanks between
 *
 * Return: 0, or -1 with @error set: EINVAL, one is none, or is there already.
 */
int destinations_add(struct destinations *destinations, const char *urls, struct op_error *error);
void destinations_free(struct destinations *destinations);

/* The format of opexport that is sent. */
const char *destination_format(const struct destination *destination);

/* Checks and sets what is of one destination only.  Return: 0, or -1 with @error set: EINVAL. */
int destination_set_token_file(struct destination *destination, const char *path,
			       struct op_error *error);
int destination_set_tenant(struct destination *destination, const char *name,
			   struct op_error *error);

/**
 * destination_token - read the token
 * @token: set to it, which the caller frees; NULL: there is no file of one
 *
 * Return: 0, or -1 with @error set: EPERM, others can read the file; EINVAL, it has no token.
 */
int destination_token(const struct destination *destination, char **token, struct op_error *error);

#endif
