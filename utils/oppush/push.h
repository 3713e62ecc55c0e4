/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sending one file to its destination. */
#ifndef UTILS_OPPUSH_PUSH_H
#define UTILS_OPPUSH_PUSH_H

#include <stdint.h>

#include "destination.h"
#include "libop/base/error.h"
#include "pp/formats/store/http.h"
#include "sent.h"

enum push_outcome {
	PUSH_SENT,
	PUSH_REJECTED, /* it would be the next time, too: the file is the reason */
	PUSH_FAILED,   /* try it again */
};

/* What is said of this host. */
struct push_names {
	const char *service, *host;
	const struct op_strings *labels; /* NAME=TEXT */
};

struct push_result {
	uint64_t bytes;	      /* of files that were sent */
	uint64_t retry_after; /* seconds that a server asked for; 0: none */
};

/**
 * push_file - send a file in the destination's format
 * @sent: of a store of ClickHouse: send.h
 * @path: of a file of one's own, named by its session
 * @result: set
 *
 * Return: the outcome, with @error set unless all of it was sent and taken.
 */
enum push_outcome push_file(const struct destination *destination, struct store_http *http,
			    struct sent *sent, const struct push_names *names, const char *path,
			    struct push_result *result, struct op_error *error);

#endif
