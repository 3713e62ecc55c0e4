// SPDX-License-Identifier: GPL-2.0-or-later
/* Calls that a profile without stacks counts: struct prof_call of profile.h. */
#include <errno.h>
#include <stdlib.h>

#include "libop/base/memory.h"
#include "tables.h"
#include "tree.h"

static uint64_t hash_call(const struct prof_call *call)
{
	uint64_t hash =
		op_hash_mix(tables_hash_frame(&call->caller), tables_hash_frame(&call->callee));

	return op_hash_mix(hash, (uint64_t)call->app << 32 | call->value.event);
}

static bool is_place(const struct prof_frame *a, const struct prof_frame *b)
{
	return a->image == b->image && a->offset == b->offset;
}

static struct prof_call *find_call(const struct prof_tables *tables, const struct prof_call *given,
				   uint64_t hash)
{
	uint32_t id;

	op_hash_for_each_possible (&tables->by_call, hash, id) {
		struct prof_call *call = &tables->prof.calls[id];

		if (is_place(&call->caller, &given->caller) &&
		    is_place(&call->callee, &given->callee) && call->app == given->app &&
		    call->value.event == given->value.event)
			return call;
	}
	return NULL;
}

int tables_call(struct prof_sink *sink, const struct prof_call *given, struct op_error *error)
{
	struct prof_tables *tables = tables_of(sink);
	struct prof *prof = &tables->prof;
	uint64_t hash = hash_call(given);
	struct prof_call *known;

	if (tables->by & PROF_COUNTS_ONLY)
		return 0;
	known = find_call(tables, given, hash);
	if (known) {
		known->value.count = tree_add_up(known->value.count, given->value.count);
		known->value.events = tree_add_up(known->value.events, given->value.events);
		known->calls = tree_add_up(known->calls, given->calls);
		return 0;
	}
	if (prof->n_calls >= PROF_NODES_MOST)
		return op_error_set(error, ENOSPC, "there are more than %u distinct calls",
				    PROF_NODES_MOST);
	prof->calls = op_grow(prof->calls, &tables->calls_capacity, prof->n_calls + 1,
			      sizeof(*prof->calls));
	prof->calls[prof->n_calls] = *given;
	op_hash_add_or_exit(&tables->by_call, hash, (uint32_t)prof->n_calls++);
	return 0;
}

static int compare_calls(const void *a, const void *b)
{
	const struct prof_call *x = a, *y = b;
	const uint64_t key[2][6] = {
		{x->app, x->caller.image, x->caller.offset, x->callee.image, x->callee.offset,
		 x->value.event},
		{y->app, y->caller.image, y->caller.offset, y->callee.image, y->callee.offset,
		 y->value.event},
	};

	for (size_t i = 0; i < 6; i++)
		if (key[0][i] != key[1][i])
			return key[0][i] < key[1][i] ? -1 : 1;
	return 0;
}

void tables_order_calls(struct prof_tables *tables, const uint32_t *image_rank)
{
	struct prof *prof = &tables->prof;

	op_hash_free(&tables->by_call);
	for (size_t i = 0; i < prof->n_calls; i++) {
		struct prof_call *call = &prof->calls[i];

		call->app = image_rank[call->app];
		call->caller.image = image_rank[call->caller.image];
		call->callee.image = image_rank[call->callee.image];
	}
	if (prof->n_calls)
		qsort(prof->calls, prof->n_calls, sizeof(*prof->calls), compare_calls);
}
