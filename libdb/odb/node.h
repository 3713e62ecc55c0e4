/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A node of a sample file: a key and its count. */
#ifndef LIBDB_ODB_NODE_H
#define LIBDB_ODB_NODE_H

#include <stdint.h>

#include "header.h"

struct odb_node {
	uint64_t key;
	uint32_t value;
	uint32_t next; /* node of the same bucket, always an older one; 0 ends the chain */
};
_Static_assert(sizeof(struct odb_node) == ODB_NODE_LENGTH, "nodes lie as in the file");

#endif
