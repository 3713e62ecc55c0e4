/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading and judging the bytes of a stack file; used by all but the writer's additions. */
#ifndef LIBDB_STACKS_SCAN_H
#define LIBDB_STACKS_SCAN_H

#include "stacks.h"
#include "layout.h"

/* A file in memory, in native byte order. */
struct stacks_bytes {
	struct stacks_header header;
	struct stacks_unit *units; /* header.used many, fewer if the file is cut */
	uint32_t n;
	uint8_t *sound;	   /* by unit: STACKS_SOUND_...; set by stacks_scan() */
	uint32_t n_images; /* highest number of an image, + 1 */
	bool swapped;	   /* the file has the other byte order */
	bool torn;	   /* units were lost with the power: torn.h */
	uint64_t length;   /* of the file */
};

enum stacks_sound {
	STACKS_BAD,
	STACKS_NODE,
	STACKS_IMAGE, /* first unit of one */
	STACKS_TEXT,
};

/**
 * stacks_load - read a file
 * @bytes: filled in; stacks_bytes_free() frees what it holds
 *
 * Only the header is judged: what else is wrong is for stacks_torn_load() and stacks_scan().  A
 * file without content has the root only.
 *
 * Return: 0, or -1 with @error set: EINVAL if it is no stack file, ENOTSUP for another version.
 */
int stacks_load(struct stacks_bytes *bytes, int fd, const char *path, struct odb_error *error);
/* Whether a header is that of a file without content, which a loss of power can leave. */
bool stacks_is_blank(const struct stacks_header *header, size_t length);

void stacks_bytes_free(struct stacks_bytes *bytes);

/* Looks at all units.  Return: the number of problems, each of which is reported. */
ptrdiff_t stacks_scan(struct stacks_bytes *bytes, odb_report *report, void *context);

/* The name of the image at unit @at, which is not ended by NUL; its length is in *@length. */
const char *stacks_name_at(const struct stacks_bytes *bytes, uint32_t at, size_t *length);

/* The first of the problems that a scan reports; @any: there is one. */
struct stacks_first_problem {
	struct odb_problem problem;
	bool any;
};

/* An odb_report that keeps it; @context: a struct stacks_first_problem, zeroed before. */
void stacks_keep_first(void *context, const struct odb_problem *problem);

#endif
