/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What optop has counted: samples by event, CPU, thread, program and call chain, over the last
 * interval, recently (each second counts less than the one after it), and since the start.
 *
 * Sums are exact, memory is bounded: when a table is full, the half of the entries that is least
 * in recent samples is added to entries "(other)", and all tables are made anew.
 */
#ifndef UTILS_OPTOP_MODEL_H
#define UTILS_OPTOP_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/base/hash.h"
#include "libop/session/feed.h"

/* The most entries of each table. */
#define MODEL_ENTRIES_MOST   (1u << 16)
#define MODEL_NODES_MOST     (1u << 18)
#define MODEL_FUNCTIONS_MOST (1u << 16)
#define MODEL_NAME_MOST	     512 /* bytes; longer names are cut */
#define MODEL_FRAMES_MOST    OP_FEED_FRAMES_MOST
#define MODEL_EVENTS_MOST    32

/* In each table of names, the first is the name of what is not told apart. */
#define MODEL_OTHER 0

/* Seconds after which a sample counts half in MODEL_RECENT. */
#define MODEL_HALF_LIFE 10

enum model_period { MODEL_LAST, MODEL_RECENT, MODEL_ALL, MODEL_PERIODS };

struct model_amount {
	double samples, weight;
};

struct model_entry {
	uint32_t event, cpu, thread, app, node;
	struct model_amount now, amount[MODEL_PERIODS];
};

/* struct model_node - a function, called by that of @caller */
struct model_node {
	uint32_t caller; /* a node; 0: the outermost */
	uint32_t function;
};

struct model_function {
	uint32_t image;
	char *name;
};

struct model_thread {
	int32_t tid, tgid;
	uint32_t app;
	uint32_t comm, cgroup; /* names; MODEL_OTHER: not known */
	double described;      /* when they were read, of model::clock; < 0: never */
	double seen;	       /* when it last had a sample */
};

/* struct model_address - the samples of a function at an address */
struct model_address {
	uint32_t function, event;
	uint64_t offset;
	double now, amount[MODEL_PERIODS];
};

struct model_event {
	char *name;
	bool is_clock;
	uint64_t period;
};

/* Numbers of texts. */
struct model_names {
	char **item;
	uint32_t count;
	struct op_hash by_text;
};

struct model {
	struct model_names images, comms, cgroups;
	struct model_function *function;
	struct model_node *node;
	struct model_entry *entry;
	struct model_thread *thread;
	struct model_address *address;
	uint32_t functions, nodes, entries, threads, addresses;
	struct op_hash by_function, by_node, by_entry, by_thread, by_address;
	struct model_event event[MODEL_EVENTS_MOST];
	uint32_t events, cpus; /* one more than the largest CPU */

	bool frozen;	 /* samples are passed over */
	bool has_chains; /* a sample had a caller */
	bool failed;	 /* out of memory: samples were passed over */
	uint64_t passed; /* over */
	uint64_t taken;	 /* samples; those in entries, passed ones not */
	double clock;	 /* seconds of model_tick() */
	double interval; /* the last one, in seconds */
	uint64_t epoch;	 /* changes when functions, images and threads have other numbers */
};

/* Return: 0, or -1 when out of memory. */
int model_init(struct model *model);
void model_free(struct model *model);

/* What is counted under @number from now on. */
void model_set_event(struct model *model, uint32_t number, const char *name, bool is_clock,
		     uint64_t period);

/* Numbers of names; MODEL_OTHER when out of memory.  Good while model::epoch is the same. */
uint32_t model_image(struct model *model, const char *name);
uint32_t model_function(struct model *model, uint32_t image, const char *name);
uint32_t model_thread(struct model *model, int32_t tid, int32_t tgid, uint32_t app);
void model_describe(struct model *model, uint32_t thread, const char *comm, const char *cgroup);

struct model_sample {
	uint32_t event, cpu, thread, app;
	uint64_t weight;
	uint64_t offset;	  /* of the innermost frame, in its image */
	uint32_t frames;	  /* at least 1 */
	const uint32_t *function; /* the innermost first */
};

/* Counts a sample, unless the model is frozen.  May change the epoch at the next model_tick(). */
void model_add(struct model *model, const struct model_sample *sample);

/* An interval of so many seconds ends. */
void model_tick(struct model *model, double seconds);

/* Begins anew: nothing was counted. */
void model_reset(struct model *model);

/* Makes room: what model_tick() does when a table is nearly full. */
void model_compact(struct model *model);

#endif
