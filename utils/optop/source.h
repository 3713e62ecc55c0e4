/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where optop's samples come from: the feed (libop/session/feed.h) of a running daemon, or of an
 * operf of our own that writes into a directory which is removed at the end.
 */
#ifndef UTILS_OPTOP_SOURCE_H
#define UTILS_OPTOP_SOURCE_H

#include <stdbool.h>
#include <sys/types.h>

#include "libop/base/error.h"
#include "libop/session/feed.h"
#include "model.h"
#include "symbols.h"

struct source_config {
	const char *session_dir;    /* of the daemon; NULL: of no daemon */
	const char *keep_dir;	    /* where operf's session goes, to stay; NULL: it is removed */
	char *const *operf_options; /* up to NULL */
};

struct source {
	struct model *model;
	struct symbols symbols;
	bool has_symbols;
	struct op_feed feed;
	struct op_feed_account account;
	char *session_dir, *name; /* as the feed says */
	pid_t operf;		  /* 0: none */
	int messages;		  /* of operf: an open file; -1: none */
	char *temporary;	  /* the directory that is removed; NULL: none */
	bool has_ended;
	char why[1024]; /* it has ended */
};

/**
 * source_open - ask the daemon for its feed, or start operf
 * @source: must not move; source_close() frees what it holds
 *
 * Return: 0, or -1 with @error set.
 */
int source_open(struct source *source, struct model *model, const struct source_config *config,
		struct op_error *error);

/**
 * source_begin - wait until the feed has begun, 30 seconds at most
 *
 * Return: 0, or -1 with @error set: what operf said, if it has ended.
 */
int source_begin(struct source *source, struct op_error *error);

/* Takes what has come.  Sets source::has_ended when there will be no more. */
void source_read(struct source *source);

/* To be called between intervals: asks for images again, if there are too many. */
void source_tidy(struct source *source);

void source_close(struct source *source);

#endif
