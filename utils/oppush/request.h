/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line of oppush. */
#ifndef UTILS_OPPUSH_REQUEST_H
#define UTILS_OPPUSH_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "destination.h"
#include "libop/base/error.h"
#include "libop/base/strings.h"

struct request {
	struct destinations destinations; /* one at least */
	char *session_dir, *spool;
	struct op_strings labels; /* NAME=TEXT of the host */
	char *metrics;		  /* file, or NULL */
	char *schema;		  /* directory of its files */
	char *cluster;		  /* of @install_schema, or NULL */
	uint64_t spool_mib;	  /* the most that waits for one server */
	uint64_t jitter;	  /* seconds */
	uint64_t timeout;	  /* seconds of a request */
	char *service;		  /* as which profiles are stored by others than ClickHouse */
	bool install_schema, add_up, once;
	uint64_t add_up_days; /* how far back @add_up looks */
	uint64_t keep_days;   /* samples that are added up; 0: all */
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
