/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording (recording.h), read chunk by chunk from a file or a pipe.
 */
#ifndef DAEMON_SOURCES_CHUNK_READER_H
#define DAEMON_SOURCES_CHUNK_READER_H

#include <stdbool.h>

#include "recording.h"

struct chunk_reader {
	char *path;
	int fd;
	uint64_t offset; /* of the next chunk */
	uint64_t size;	 /* of the file; UINT64_MAX if it is no regular one */
	bool ended;
	struct record_chunk next; /* if @has_next */
	bool has_next;
};

/**
 * chunk_reader_open - open a recording and check its head
 *
 * Return: 0, or -1 with @error set.  chunk_reader_close() is needed in both cases.
 */
int chunk_reader_open(struct chunk_reader *reader, const char *path, struct op_error *error);

void chunk_reader_close(struct chunk_reader *reader);

/**
 * chunk_reader_head - read the head of the next chunk to @reader->next
 *
 * Does nothing if the body of the last chunk was not read yet.
 *
 * Return: 1; 0 at the end, which is logged if it is within a chunk; -1 with @error set.
 */
int chunk_reader_head(struct chunk_reader *reader, struct op_error *error);

/**
 * chunk_reader_body - read the body of the chunk whose head was read
 * @to: memory for @reader->next.length bytes
 *
 * Return: as of chunk_reader_head().
 */
int chunk_reader_body(struct chunk_reader *reader, void *to, struct op_error *error);

/* Sets @error to @cause, with the file and the offset.  Return: -1. */
int chunk_reader_refuse(const struct chunk_reader *reader, const char *cause,
			struct op_error *error);

#endif
