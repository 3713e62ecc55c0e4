/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call chains in memory: the frames of a sample are collected, and its chain is counted in a tree.
 *
 * That is all that is done for a sample.  call_chain_writer.h writes the tree to files when it is
 * full, on demand, and every ten seconds (profile.c).  A killed daemon loses the call chains
 * since then; the samples themselves are in their files at once.
 */
#ifndef DAEMON_COUNT_CALL_CHAINS_H
#define DAEMON_COUNT_CALL_CHAINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/base/error.h"
#include "libop/base/hash.h"
#include "daemon/files/sample_file.h"

/* The kernel module delivers 255 callers; perf_event_max_stack is 127 by default. */
#define CHAIN_FRAMES_MOST 8192
/* Nodes of the tree, in 2 MiB; a chain takes one for each frame it does not share with others. */
#define CHAIN_NODES_MOST (1u << 16)
#define CHAIN_ROOTS_MOST (1u << 12)

/* As the index of a node: none. */
#define CHAIN_NO_NODE UINT32_MAX
/* In chain_node::caller: there is no caller; the other bits are the index of the root. */
#define CHAIN_IS_ROOT UINT32_C(0x80000000)

struct chain_frame {
	struct image *image; /* or one of call_chains::unknown; then @offset is the address */
	uint64_t offset;     /* in @image */
};

/* struct chain_node - a frame below its caller */
struct chain_node {
	struct image *image;
	uint64_t offset;
	uint32_t caller; /* index of its node, or CHAIN_IS_ROOT */
	uint32_t newest; /* the callee that was used last, or CHAIN_NO_NODE */
	uint64_t count;	 /* samples that end here */
};
_Static_assert(sizeof(struct chain_node) == 32, "two in a cache line");

/* struct chain_root - what all chains of a tree have in common */
struct chain_root {
	struct sample_key key; /* of the stack file */
	struct image *program; /* of the process; NULL: unknown, and another image is in @key */
	uint32_t newest;       /* as of a node */
	uint64_t samples;
	bool is_weighted; /* some of them have a weight beyond the period */
};

struct call_chains {
	struct chain_frame *frame; /* of the chain that is being collected, leaf first */
	size_t depth;		   /* 0: none is being collected */
	struct chain_root begun;   /* where it belongs */
	uint64_t begun_weight;

	struct chain_node *node; /* callers come before their callees */
	uint64_t *weight;	 /* of the samples that end at each node, beyond the period */
	struct chain_root *root;
	uint32_t nodes, roots;
	uint32_t last_root;
	struct op_hash by_node, by_root; /* indices */

	struct image unknown[2]; /* for addresses in no image: of user code, of the kernel */
};

/* Return: 0, or -1 with @error set. */
int call_chains_init(struct call_chains *chains, struct op_error *error);
void call_chains_free(struct call_chains *chains);

/**
 * call_chains_begin - begin with the leaf, which was counted as a sample
 * @key: of the stack file: its dep is the application
 * @program: as of struct chain_root
 * @weight: of the sample, beyond the period
 *
 * @leaf's image and those of call_chains_push() must live until the tree is cleared.
 */
static inline void call_chains_begin(struct call_chains *chains, const struct sample_key *key,
				     struct image *program, const struct chain_frame *leaf,
				     uint64_t weight)
{
	chains->begun_weight = weight;
	chains->begun = (struct chain_root){.key = *key, .program = program};
	chains->frame[0] = *leaf;
	chains->depth = 1;
}

/* Adds a caller of the frames so far.  Return: false if the chain is too long. */
static inline bool call_chains_push(struct call_chains *chains, struct image *image,
				    uint64_t offset)
{
	if (chains->depth >= CHAIN_FRAMES_MOST)
		return false;
	chains->frame[chains->depth++] = (struct chain_frame){image, offset};
	return true;
}

/* The same for an address in no known image. */
static inline bool call_chains_push_unknown(struct call_chains *chains, uint64_t address,
					    bool is_kernel)
{
	return call_chains_push(chains, &chains->unknown[is_kernel], address);
}

static inline bool call_chains_is_unknown(const struct call_chains *chains,
					  const struct image *image)
{
	return image == &chains->unknown[0] || image == &chains->unknown[1];
}

/* Whether call_chains_end() can be called: else the tree must be written and cleared first. */
static inline bool call_chains_fit(const struct call_chains *chains)
{
	return chains->nodes + chains->depth <= CHAIN_NODES_MOST &&
	       chains->roots < CHAIN_ROOTS_MOST;
}

/* Counts the chain that was collected, which must fit. */
void call_chains_end(struct call_chains *chains);

/* Empties the tree. */
void call_chains_clear(struct call_chains *chains);

#endif
