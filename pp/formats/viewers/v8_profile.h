/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPU profiles of V8, whatever JSON they stand in: a tree of nodes, each a function as its parent
 * calls it, and then the node of each sample and the time since the sample before.  A sample stands
 * for the time until the next one, as it does for the developer tools of Chrome.
 */
#ifndef PP_FORMATS_VIEWERS_V8_PROFILE_H
#define PP_FORMATS_VIEWERS_V8_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/base/hash.h"
#include "pp/formats/input/json_input.h"
#include "pp/formats/model/named_places.h"

#define V8_NOBODY    UINT32_MAX
#define V8_TIME_MOST (INT64_C(1) << 62) /* ns, and as many below 0 */

struct v8_node {
	uint64_t id, hits, parent_id; /* parent_id: if the node says it */
	bool has_id, has_parent_id, is_root;
	uint32_t parent; /* index, or V8_NOBODY */
	struct prof_frame frame;
	size_t first_tick, n_ticks; /* in v8_profile::ticks: at which lines it was sampled */
	uint64_t n_dealt;	    /* samples that have one of these lines */
};

/* A line of a node: "positionTicks". */
struct v8_tick {
	uint64_t line;
	uint64_t ticks; /* of this line and those of the node before it */
};

/* The function of a node: "callFrame".  All zero is one without a name. */
struct v8_function {
	char *name, *url;
	uint64_t line; /* from 0 */
};

/* All zero is an empty one. */
struct v8_profile {
	struct v8_node *nodes;
	size_t n_nodes, nodes_capacity;
	struct op_hash by_id;
	struct v8_child {
		uint32_t parent;
		uint64_t id;
	} * children;
	size_t n_children, children_capacity;
	struct v8_tick *ticks; /* by node */
	size_t n_ticks, ticks_capacity;
	uint64_t *samples; /* ids of nodes */
	size_t n_samples, samples_capacity;
	int64_t *deltas; /* ns since the sample before; of the first one since the start */
	size_t n_deltas, deltas_capacity;
	int64_t start, end; /* ns */
	bool has_start, has_end;
};

/* Where profiles go, and what is said of all of them. */
struct v8_reader {
	struct prof_sink *sink;
	struct named_places *places;
	uint32_t image; /* of what is in no script */
	struct prof_frame *frames;
	uint64_t backward, strange, cut; /* deltas, samples without a node, stacks */
	uint64_t astray;		 /* allocations without a node */
};

/* The process and thread of a profile. */
struct v8_thread {
	uint32_t app, comm;
	int64_t pid, tid;
};

void v8_reader_open(struct v8_reader *reader, struct prof_sink *sink);
void v8_reader_close(struct v8_reader *reader);
/* Notes what is odd. */
void v8_reader_tell(const struct v8_reader *reader);

/* Microseconds, whole or not.  Return: false if it is no time. */
bool v8_time(const struct json_value *value, int64_t *ns);

/* A member of a node, or of its function, that is no object and no array. */
void v8_take_of_node(struct v8_node *node, const char *key, const struct json_value *value);
void v8_take_of_function(struct v8_function *function, const char *key,
			 const struct json_value *value);
void v8_function_clear(struct v8_function *function);

/* Gives a node the place of its function. */
void v8_name_node(struct v8_reader *reader, struct v8_node *node,
		  const struct v8_function *function);

/* Adds an empty node.  Return: it, until the next one is added; NULL: they are too many. */
struct v8_node *v8_profile_add_node(struct v8_profile *profile);
/* After the node @i has its id.  Return: NULL, or what is wrong with it. */
const char *v8_profile_check_node(struct v8_profile *profile, size_t i);
/* @id is a child of the last node. */
void v8_profile_add_child(struct v8_profile *profile, uint64_t id);
/* So many samples of the last node are at a line, from 1 on. */
void v8_profile_add_ticks(struct v8_profile *profile, uint64_t line, uint64_t ticks);
void v8_profile_add_sample(struct v8_profile *profile, uint64_t id);
void v8_profile_add_delta(struct v8_profile *profile, int64_t ns);

/**
 * v8_profile_push - pass on the samples, or the hits if there are none
 *
 * There are as many deltas as samples.  Samples are put in the order of time.
 *
 * Return: 0, or -1 with @error set by the sink.
 */
int v8_profile_push(struct v8_reader *reader, struct v8_profile *profile,
		    const struct v8_thread *thread, struct op_error *error);

/**
 * v8_profile_push_sizes - pass on what nodes have allocated: bytes, as their hits
 *
 * Samples count how many allocations were sampled.
 *
 * Return: as above.
 */
int v8_profile_push_sizes(struct v8_reader *reader, struct v8_profile *profile,
			  const struct v8_thread *thread, struct op_error *error);

/* Adds a part of a profile: nodes, samples and deltas.  Return: NULL, or what is wrong with it. */
const char *v8_profile_append(struct v8_profile *profile, const struct v8_profile *part);

void v8_profile_clear(struct v8_profile *profile);

#endif
