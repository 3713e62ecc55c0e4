/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is behind a struct odb, and the order in which a writer stores.
 *
 * A writer may be killed between any two stores to its mapping, and readers look at it all
 * the time.  So each step leaves a file that is right as it stands or that odb_mend() knows
 * how to finish:
 *
 *	odb_add	  known key	value += n (one aligned store)
 *		  new key	node[current_size], then current_size, then its bucket.
 *				Killed before the bucket: the last node is not at the head of
 *				its bucket, so all chains are relinked.
 *	growth	  (A) new length	the length is that of twice the size: cut back
 *		  (B) new size, buckets empty; nodes are linked in order, so until the
 *		      last one is done it is not at the head of its bucket: as above
 *
 * When the power is lost, the disk has any of the pages of any time since the last sync, and the
 * length of any such time.  Nodes only ever come behind others, and counts only grow, so what was
 * synced is there in each case.  What is not there is told by the length and by torn.h.
 *
 * odb_store() keeps the compiler from moving stores across such a step; for readers on other
 * CPUs it is a release that pairs with the system call by which they read.
 */
#ifndef LIBDB_ODB_HANDLE_H
#define LIBDB_ODB_HANDLE_H

#include "deep.h"
#include "header.h"
#include "node.h"

struct odb_descr {
	uint32_t size;
	uint32_t current_size;
	uint32_t reserved[6];
};
_Static_assert(sizeof(struct odb_descr) == ODB_DESCR_LENGTH, "descriptor lies as in the file");

struct odb {
	/* Of a reader, what makes each search end at once: one empty bucket. */
	uint32_t *buckets;
	uint32_t size;		/* as in the descriptor, which another process could spoil */
	uint32_t current_size;	/* as in the descriptor */
	struct odb_node *nodes; /* nodes and descr: in the mapping, NULL in a reader */
	struct odb_descr *descr;
	struct odb_deep deep;
	uint32_t backed; /* nodes below this have room on the disk: storing cannot fail */
	bool writable;

	uint8_t *map;
	size_t map_length;
	int fd;
	char *path;
	struct odb_header header;
	struct odb_shape shape; /* of a reader: when it opened */
};

static inline void odb_store(uint32_t *where, uint32_t value)
{
	__atomic_store_n(where, value, __ATOMIC_RELEASE);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* Points nodes, descr and buckets into the mapping, for @size slots. */
void odb_place(struct odb *db, uint32_t size);

/* Puts a mapped file right that was left by a kill, and makes sure that what is in use has
 * blocks on the disk.  Return: 0, or -1 with @error set; its code is ESTALE if nodes that are
 * named were lost with the power: odb_repair() makes a sound file of the others. */
int odb_mend(struct odb *db, struct odb_error *error);

/* Makes room for nodes up to @end, doubling the file as often as needed.  Return: as above. */
int odb_make_room(struct odb *db, uint64_t end, struct odb_error *error);

#endif
