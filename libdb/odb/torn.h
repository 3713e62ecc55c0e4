/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a loss of power leaves of nodes that were never synced.
 *
 * Pages of a file reach the disk in any order, so current_size may name a node whose page has
 * not: there are zeros, or, where the buckets of half the size were before the file grew, old
 * buckets.  These are told from a node by the nodes that they lead to: each of the four words is
 * 0, or the number of an older node that belongs to just that bucket.  A real node is like that
 * once in the square of the number of buckets, and only with a key below that number.
 */
#ifndef LIBDB_ODB_TORN_H
#define LIBDB_ODB_TORN_H

#include <stdbool.h>
#include <stdint.h>

/**
 * odb_torn_clear - empty the nodes that are old buckets
 * @nodes: the bytes of nodes 0 to @current_size - 1
 *
 * Return: how many there were.
 */
uint32_t odb_torn_clear(uint8_t *nodes, uint32_t current_size, bool swapped);

/* Whether any node from 1 to @current_size - 1, of this machine's byte order, was never written. */
bool odb_torn_any(const uint8_t *nodes, uint32_t current_size);

/* Whether node number @node, from @current_size on, of which the bytes are @bytes, was written
 * and never named: it is something else than zeros or old buckets. */
bool odb_torn_unnamed(const uint8_t *nodes, uint32_t current_size, const uint8_t *bytes,
		      uint32_t node);

#endif
