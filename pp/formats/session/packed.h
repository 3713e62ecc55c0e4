/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sample files of a session that is written, straight into packs: by way of libop/pack/journal.h.
 */
#ifndef PP_FORMATS_SESSION_PACKED_H
#define PP_FORMATS_SESSION_PACKED_H

#include "libdb/odb/odb.h"
#include "libop/base/error.h"

struct op_journal;

struct session_packed {
	const char *dir;	    /* SESSION/samples/NAME; set by the owner */
	struct op_journal *journal; /* that is open, or NULL */
	uint64_t number;	    /* of the last one */
};

/* What a file with @n counts takes in a journal. */
uint64_t session_packed_size(const char *name, size_t n);

/**
 * session_packed_add - add counts to a sample file
 * @entries: each key once
 *
 * Return: 0, or -1 with @error set.
 */
int session_packed_add(struct session_packed *packed, const char *name,
		       const struct odb_header *header, const struct odb_entry *entries, size_t n,
		       struct op_error *error);

/* Packs what is not yet.  Return: 0, or -1 with @error set. */
int session_packed_finish(struct session_packed *packed, struct op_error *error);

/* Closes what an error left open. */
void session_packed_close(struct session_packed *packed);

#endif
