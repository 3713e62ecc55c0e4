/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The handle of a stack file that is written: shared by the parts that open
 * the file (open.c), extend it (room.c) and add to it (add.c).
 */
#ifndef LIBDB_STACKS_WRITER_H
#define LIBDB_STACKS_WRITER_H

#include <stddef.h>
#include <stdint.h>

#include "stacks.h"
#include "layout.h"
#include "table.h"

struct stacks {
	struct stacks_header *header; /* in the mapping */
	struct stacks_unit *units;
	size_t map_length; /* of the file, too */
	uint32_t used;	   /* as in the header, which another process could spoil */
	uint32_t room;	   /* units that have blocks on the disk: storing cannot fail */
	uint32_t units_most;
	int fd;
	char *path;
	struct op_hash nodes, images; /* units: see table.h */
	uint32_t n_images;     /* the next number */
	uint32_t other;	       /* the number of STACKS_OTHER; 0: not known yet */
	struct odb_error full; /* why nothing more can be made; code 0 if it can */
	uint32_t refused;      /* units without room since that was tried */

	/* The nodes of the stack before, root first. */
	uint32_t *before;
	size_t before_depth, before_capacity;
};

/* Bytes of a file of @n units. */
static inline uint64_t stacks_length(uint64_t n)
{
	return sizeof(struct stacks_header) + n * sizeof(struct stacks_unit);
}

/* Gives blocks to the whole file.  A store to a hole on a full disk would be a SIGBUS. */
int stacks_back(struct stacks *stacks, uint64_t length, struct odb_error *error);

/* Maps, or remaps, the first @length bytes of the file.  Return: 0, or -1 with @error set. */
int stacks_map(struct stacks *stacks, uint64_t length, struct odb_error *error);

/*
 * Room for @n more units: storing them cannot fail.  Some is kept for nodes of STACKS_OTHER, and
 * taken if @is_other.  Return: 0, or -1 with @error set.
 */
int stacks_make_room(struct stacks *stacks, uint32_t n, bool is_other, struct odb_error *error);

/* Makes the next @n units, which are stored, valid. */
static inline void stacks_publish(struct stacks *stacks, uint32_t n)
{
	stacks->used += n;
	__atomic_store_n(&stacks->header->used, stacks->used, __ATOMIC_RELEASE);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

#endif
