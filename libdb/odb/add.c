// SPDX-License-Identifier: GPL-2.0-or-later
/* Adding to counts: the only code that runs for every sample. */
#include <errno.h>

#include "error.h"
#include "handle.h"

/* The newest node of @key, or 0, when the walk of odb_add() was too short or in vain. */
static uint32_t odb_find(struct odb *db, uint64_t key)
{
	struct odb_chains chains = {.nodes = db->nodes,
				    .buckets = db->buckets,
				    .size = db->size,
				    .current_size = db->current_size};
	uint32_t node = db->buckets[odb_bucket(key, db->size)], newer = db->current_size;

	for (int depth = 0; node && node < newer; depth++) {
		/* Without memory for the table it takes as long as the chain. */
		if (depth == ODB_CHAIN_WALK &&
		    (db->deep.built || !odb_deep_build(&db->deep, &chains)))
			return odb_deep_find(&db->deep, db->nodes, key);
		if (db->nodes[node].key == key)
			return node;
		newer = node;
		node = db->nodes[node].next;
	}
	return 0;
}

/* A node has come to the head of @bucket: one lies deep now that did not before. */
static __attribute__((noinline)) void sink(struct odb *db, uint32_t bucket)
{
	uint32_t node = db->buckets[bucket];

	for (int depth = 0; node && depth < ODB_CHAIN_WALK; depth++) {
		uint32_t next = db->nodes[node].next;

		node = next < node ? next : 0;
	}
	if (node)
		odb_deep_put(&db->deep, db->nodes, node);
}

/* Publishes the nodes from current_size to @last, then puts @last at the head of @bucket. */
static inline void publish(struct odb *db, uint32_t bucket, uint32_t last)
{
	db->current_size = last + 1;
	odb_store(&db->descr->current_size, last + 1);
	odb_store(&db->buckets[bucket], last);
}

/* Appends one node; the caller has made room. */
static inline void odb_append(struct odb *db, uint64_t key, uint32_t n)
{
	uint32_t bucket = odb_bucket(key, db->size), node = db->current_size;

	db->nodes[node] = (struct odb_node){.key = key, .value = n, .next = db->buckets[bucket]};
	publish(db, bucket, node);
	if (__builtin_expect(db->deep.built, 0))
		sink(db, bucket);
}

/* Appends as many nodes as @n needs, more than one; the caller has made room. */
static void append_many(struct odb *db, uint64_t key, uint64_t n)
{
	uint32_t bucket = odb_bucket(key, db->size), next = db->buckets[bucket];
	uint32_t node = db->current_size;

	for (; n; node++) {
		uint32_t value = n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;

		db->nodes[node] = (struct odb_node){.key = key, .value = value, .next = next};
		next = node;
		n -= value;
	}
	publish(db, bucket, node - 1);
	/* Several have sunk; the table is built again when it is needed. */
	odb_deep_free(&db->deep);
}

/* Return: whether @n was added to @node, which must be able to hold it. */
static inline bool add_to_node(struct odb_node *node, uint64_t n)
{
	if (__builtin_expect(n > UINT32_MAX - node->value, 0))
		return false;
	__atomic_store_n(&node->value, node->value + (uint32_t)n, __ATOMIC_RELAXED);
	return true;
}

/* The key is new and there is no room, or its node is full or lies deep. */
static __attribute__((noinline)) int add_slowly(struct odb *db, uint64_t key, uint64_t n,
						struct odb_error *error)
{
	uint64_t end = db->current_size + n / UINT32_MAX + !!(n % UINT32_MAX);
	uint32_t node;

	if (!db->writable)
		return odb_fail(error, EBADF, db->path, "not open for writing");
	node = odb_find(db, key);
	if (!n || (node && add_to_node(&db->nodes[node], n)))
		return 0;
	if (end > db->backed && odb_make_room(db, end, error))
		return -1;
	if (n <= UINT32_MAX)
		odb_append(db, key, (uint32_t)n);
	else
		append_many(db, key, n);
	return 0;
}

/* The key is new. */
static __attribute__((noinline)) int add_new(struct odb *db, uint64_t key, uint64_t n,
					     struct odb_error *error)
{
	if (n - 1 >= UINT32_MAX || db->current_size >= db->backed)
		return add_slowly(db, key, n, error);
	odb_append(db, key, (uint32_t)n);
	return 0;
}

/*
 * Most calls are for keys that are known, and end in the loop.  The other functions are
 * not inlined, so that these calls save no registers.
 *
 * Links that do not lead to an older node are none of ours.  A node that is not found for
 * that reason gets a twin, and readers add the two.
 */
int odb_add(struct odb *db, uint64_t key, uint64_t n, struct odb_error *error)
{
	uint32_t node = db->buckets[odb_bucket(key, db->size)], newer = db->current_size;

	for (int depth = 0; depth < ODB_CHAIN_WALK && node - 1 < newer - 1; depth++) {
		struct odb_node *there = &db->nodes[node];

		if (there->key == key) {
			if (add_to_node(there, n))
				return 0;
			break;
		}
		newer = node;
		node = there->next;
	}
	return node ? add_slowly(db, key, n, error) : add_new(db, key, n, error);
}
