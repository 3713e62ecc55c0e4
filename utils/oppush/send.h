/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sending a file of a fleet's tables (pp/formats/store/tables.h) to a store. */
#ifndef UTILS_OPPUSH_SEND_H
#define UTILS_OPPUSH_SEND_H

#include <stdint.h>

#include "libop/base/error.h"
#include "pp/formats/store/http.h"
#include "sent.h"

/**
 * send_file - send what a file has, table by table
 * @sent: what need not be sent; changed
 * @path: of a file of one's own
 * @bytes: those that were sent are added, before they were packed
 *
 * What samples refer to goes before them, and the session last, so that one that is not all there
 * is not read.  All of it may be sent again: rows that are there are the same.
 *
 * Return: 0, or -1 with @error set: EINVAL, it is no such file; or as store_http_insert().
 */
int send_file(struct store_http *http, struct sent *sent, const char *path, uint64_t *bytes,
	      struct op_error *error);

#endif
