// SPDX-License-Identifier: GPL-2.0-or-later
/* A recording, read chunk by chunk: see chunk_reader.h. */
#include "chunk_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/foreign/door.h"
#include "libop/session/log.h"

/* Reads @length bytes.  Return: 1; 0 if the file ends before; -1 with @error set. */
static int read_exactly(struct chunk_reader *reader, void *to, size_t length,
			struct op_error *error)
{
	char *at = to;

	while (length) {
		ssize_t n = read(reader->fd, at, length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return op_error_errno(error, "cannot read %s", reader->path);
		if (!n)
			return 0;
		at += n;
		length -= (size_t)n;
	}
	return 1;
}

int chunk_reader_refuse(const struct chunk_reader *reader, const char *cause,
			struct op_error *error)
{
	return op_error_set(error, EINVAL, "%s: no good recording: %s at offset %" PRIu64,
			    reader->path, cause, reader->offset);
}

static void end_early(struct chunk_reader *reader)
{
	if (!reader->ended)
		log_line("%s: the recording ends within a chunk, at offset %" PRIu64, reader->path,
			 reader->offset);
	reader->ended = true;
}

int chunk_reader_head(struct chunk_reader *reader, struct op_error *error)
{
	char byte;
	int result;

	if (reader->has_next)
		return 1;
	if (reader->ended)
		return 0;
	/* a recording ends between two chunks */
	result = read_exactly(reader, &byte, 1, error);
	if (result <= 0) {
		reader->ended = true;
		return result;
	}
	memcpy(&reader->next, &byte, 1);
	result = read_exactly(reader, (char *)&reader->next + 1, sizeof(reader->next) - 1, error);
	if (result <= 0) {
		if (!result)
			end_early(reader);
		return result;
	}
	if (reader->next.length > RECORD_LENGTH_MOST)
		return chunk_reader_refuse(reader, "a chunk longer than any chunk can be", error);
	if (reader->next.length > reader->size - reader->offset) {
		end_early(reader);
		return 0;
	}
	reader->has_next = true;
	return 1;
}

int chunk_reader_body(struct chunk_reader *reader, void *to, struct op_error *error)
{
	size_t length = (size_t)reader->next.length;
	char padding[8];
	int result = read_exactly(reader, to, length, error);

	if (result > 0)
		result = read_exactly(reader, padding, -length & 7, error);
	if (!result)
		end_early(reader);
	reader->has_next = false;
	reader->offset += sizeof(reader->next) + length + (-length & 7);
	return result;
}

static int check_head(struct chunk_reader *reader, struct op_error *error)
{
	struct record_head head;
	int result = read_exactly(reader, &head, sizeof(head), error);

	if (result < 0)
		return -1;
	if (!result || memcmp(head.magic, RECORD_MAGIC, sizeof(head.magic)) != 0)
		return op_error_set(error, EINVAL, "%s is no recording of oprofiled", reader->path);
	if (head.byte_order != RECORD_BYTE_ORDER)
		return op_error_set(error, EINVAL,
				    "%s was recorded on a machine of the other byte order",
				    reader->path);
	if (head.version != RECORD_VERSION)
		return op_error_set(error, EINVAL,
				    "%s is a recording of version %" PRIu32
				    "; this program reads version %d",
				    reader->path, head.version, RECORD_VERSION);
	reader->offset = sizeof(head);
	return 0;
}

/* A pipe is waited for, as its name was given.  Root does not read what others own: it would be
 * parsed with root's rights. */
static int open_recording(const char *path, struct op_error *error)
{
	int found = open(path, O_PATH | O_CLOEXEC), fd = -1;
	struct stat status;
	char again[64];

	if (found < 0 || fstat(found, &status)) {
		op_error_errno(error, "cannot open %s", path);
	} else if (!geteuid() && !foreign_is_trusted(&status)) {
		op_error_set(error, EPERM, "%s: a recording of user %u, which root does not replay",
			     path, (unsigned int)foreign_owner(&status));
	} else {
		snprintf(again, sizeof(again), "/proc/self/fd/%d", found);
		fd = open(again, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			op_error_errno(error, "cannot open %s", path);
	}
	if (found >= 0)
		close(found);
	return fd;
}

int chunk_reader_open(struct chunk_reader *reader, const char *path, struct op_error *error)
{
	struct stat status;

	*reader = (struct chunk_reader){.fd = -1, .size = UINT64_MAX};
	reader->path = strdup(path);
	if (!reader->path)
		return op_error_memory(error);
	reader->fd = open_recording(path, error);
	if (reader->fd < 0)
		return -1;
	if (!fstat(reader->fd, &status) && S_ISREG(status.st_mode))
		reader->size = (uint64_t)status.st_size;
	return check_head(reader, error);
}

void chunk_reader_close(struct chunk_reader *reader)
{
	if (reader->fd >= 0)
		close(reader->fd);
	free(reader->path);
}
