/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line of oppush. */
#ifndef UTILS_OPPUSH_REQUEST_H
#define UTILS_OPPUSH_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "libop/base/error.h"
#include "pp/formats/store/url.h"

struct request {
	char *to;
	char *session_dir, *spool;
	char *schema;	    /* directory of its files */
	char *cluster;	    /* of @install_schema, or NULL */
	uint64_t spool_mib; /* the most that waits for the server */
	uint64_t jitter;    /* seconds */
	bool install_schema, add_up, once;
	uint64_t add_up_days; /* how far back @add_up looks */
	struct store_url url; /* of @to */
};

/**
 * request_parse - read the command line
 * @request: filled in, also on error; request_free() frees what it holds
 *
 * Return: 0, or -1 with @error set.
 */
int request_parse(int argc, const char **argv, struct request *request, struct op_error *error);
void request_free(struct request *request);

#endif
