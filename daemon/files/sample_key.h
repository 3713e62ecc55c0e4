/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What tells sample files apart, and what follows from it: their names and headers.
 */
#ifndef DAEMON_FILES_SAMPLE_KEY_H
#define DAEMON_FILES_SAMPLE_KEY_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/images/image.h"
#include "libdb/odb/odb.h"
#include "libop/events/spec.h"

/* struct sample_key - what tells sample files apart */
struct sample_key {
	struct image *dep;	/* the samples are in it */
	struct image *app;	/* equal to @dep if not separated */
	bool is_stacks;		/* a stack file: @dep and @app are the application */
	bool is_weight;		/* the file of weights of a file */
	uint32_t event;		/* index into the events of the session */
	int32_t tgid, tid, cpu; /* or OP_ALL */
};

uint64_t sample_key_hash(const struct sample_key *key);

/* Inline, because each sample compares its key with that of the last one. */
static inline bool sample_key_same(const struct sample_key *a, const struct sample_key *b)
{
	return a->dep == b->dep && a->app == b->app &&
	       a->is_stacks == b->is_stacks && a->is_weight == b->is_weight &&
	       a->event == b->event && a->tgid == b->tgid && a->tid == b->tid && a->cpu == b->cpu;
}

/* Sets @header for a new file, but for the CPU's type and speed, which are 0. */
void sample_key_header(const struct sample_key *key, const struct op_events *events,
		       struct odb_header *header);

/*
 * The name of the file, relative to the samples of the session.  Return: the caller frees it; NULL
 * with errno set on error.
 */
char *sample_key_name(const struct sample_key *key, const struct op_events *events);

#endif
