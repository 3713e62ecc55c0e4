// SPDX-License-Identifier: GPL-2.0-or-later
/* struct prof, which adds samples up: see profile.h.  Texts, events and images are in tables.c,
 * stacks in tree.c, times in timeline.c. */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flat.h"
#include "labels.h"
#include "tables.h"
#include "timeline.h"
#include "tree.h"
#include "libop/base/memory.h"

/* ---- samples ---- */

static uint64_t hash_context(const struct prof_context *c)
{
	uint64_t hash = op_hash_mix((uint64_t)c->app << 32 | c->comm, (uint64_t)c->pid);

	hash = op_hash_mix(op_hash_mix(hash, (uint64_t)c->tid), (uint64_t)c->cpu);
	return op_hash_mix(hash, c->labels);
}

static bool same_context(const struct prof_context *a, const struct prof_context *b)
{
	return a->app == b->app && a->comm == b->comm && a->pid == b->pid && a->tid == b->tid &&
	       a->cpu == b->cpu && a->labels == b->labels;
}

/* The set of a sample's labels. */
static uint32_t find_labels(struct prof_tables *tables, const struct prof_sample *sample)
{
	size_t n = sample->n_labels;

	if (n > PROF_LABELS_MOST) {
		if (!tables->has_many_labels)
			prof_sink_note(&tables->prof.sink,
				       "a sample has %zu labels; %u of each are kept", n,
				       PROF_LABELS_MOST);
		tables->has_many_labels = true;
		n = PROF_LABELS_MOST;
	}
	return labels_set(tables->prof.labels, sample->labels, n);
}

static uint32_t find_context(struct prof_tables *tables, const struct prof_sample *sample)
{
	const unsigned int by = tables->by;
	const unsigned int by_tid = PROF_BY_TID | (sample->time ? PROF_TIMES_BY_TID : 0);
	const struct prof_context wanted = {
		.app = sample->app,
		.comm = by & PROF_BY_COMM ? sample->comm : 0,
		.pid = by & (PROF_BY_PID | by_tid) ? sample->pid : PROF_ANY,
		.tid = by & by_tid ? sample->tid : PROF_ANY,
		.cpu = by & PROF_BY_CPU ? sample->cpu : PROF_ANY,
		.labels = by & PROF_BY_LABELS ? find_labels(tables, sample) : 0,
	};
	struct prof *prof = &tables->prof;
	uint64_t hash;
	uint32_t id = tables->recent_context;

	if (id < prof->n_contexts && same_context(&prof->contexts[id], &wanted))
		return id;
	hash = hash_context(&wanted);
	op_hash_for_each_possible (&tables->by_context, hash, id)
		if (same_context(&prof->contexts[id], &wanted))
			break;
	if (id == OP_HASH_NONE) {
		id = (uint32_t)prof->n_contexts++;
		prof->contexts = op_grow(prof->contexts, &tables->contexts_capacity,
					 prof->n_contexts, sizeof(*prof->contexts));
		prof->contexts[id] = wanted;
		op_hash_add_or_exit(&tables->by_context, hash, id);
	}
	tables->recent_context = id;
	return id;
}

/* Where contexts do not tell names apart, threads keep the last one. */
static void take_thread_name(struct prof_tables *tables, const struct prof_sample *sample)
{
	if (tables->by & PROF_BY_COMM || !(tables->by & PROF_BY_TID) || !sample->comm)
		return;
	*op_pair_table_get(&tables->thread_names, (uint64_t)sample->pid, (uint64_t)sample->tid) =
		sample->comm;
}

const char *prof_thread_name(const struct prof *prof, int64_t pid, int64_t tid)
{
	const struct prof_tables *tables = (const struct prof_tables *)prof;
	const uint64_t *name =
		op_pair_table_find(&tables->thread_names, (uint64_t)pid, (uint64_t)tid);

	return prof->strings[name ? *name : 0];
}

static void take_time(struct prof *prof, uint64_t time)
{
	if (!time)
		return;
	if (!prof->first_time || time < prof->first_time)
		prof->first_time = time;
	if (time > prof->last_time)
		prof->last_time = time;
}

/* A sample without frames, and one at an unknown place: sessions do not tell them apart. */
static size_t depth_of(const struct prof_sample *sample)
{
	const struct prof_frame *leaf = sample->frames;

	if (sample->depth == 1 && leaf->image == PROF_NO_IMAGE && !leaf->offset)
		return 0;
	return sample->depth < PROF_DEPTH_MOST ? sample->depth : PROF_DEPTH_MOST;
}

static void lose_labels(struct prof *prof, const struct prof_sample *sample)
{
	for (size_t i = 0; i < sample->n_labels; i++) {
		uint32_t name = sample->labels[i].name;
		size_t k = 0;

		while (k < prof->n_lost_labels && prof->lost_labels[k] != name)
			k++;
		if (k == prof->n_lost_labels && k < PROF_LOST_LABELS_MOST)
			prof->lost_labels[prof->n_lost_labels++] = name;
	}
}

static int aggregation_take_sample(struct prof_sink *sink, const struct prof_sample *sample,
				   struct op_error *error)
{
	struct prof_tables *tables = tables_of(sink);
	struct prof *prof = &tables->prof;
	size_t depth = depth_of(sample);
	uint32_t node = 0, context, entry;

	take_time(prof, sample->time);
	take_thread_name(tables, sample);
	prof->has_entries |= sample->has_entry;
	if (!(tables->by & PROF_BY_LABELS))
		lose_labels(prof, sample);
	if (!(tables->by & PROF_COUNTS_ONLY)) {
		context = find_context(tables, sample);
		if (tree_stack(prof->tree, sample->frames, depth, &node, error))
			return -1;
		for (size_t i = 0; i < sample->n_values; i++) {
			if (tree_add(prof->tree, node, context, &sample->values[i], &entry, error))
				return -1;
			timeline_add(tables, sample, &sample->values[i], entry);
		}
	}
	for (size_t i = 0; i < sample->n_values; i++) {
		struct prof_value *total = &prof->totals[sample->values[i].event];

		total->count = tree_add_up(total->count, sample->values[i].count);
		total->events = tree_add_up(total->events, sample->values[i].events);
	}
	return 0;
}

/* ---- samples without callers ---- */

static int fail_full(struct op_error *error)
{
	return op_error_set(error, ENOSPC, "there are more than %u distinct stacks",
			    PROF_NODES_MOST);
}

/* As if each came by itself. */
static int take_each(struct prof_sink *sink, const struct prof_flat_sample *flat,
		     struct op_error *error)
{
	struct prof_sample sample = flat->common;
	struct prof_frame frame = {.image = flat->image};
	struct prof_value value = {.event = flat->event};
	int result = 0;

	sample.frames = &frame;
	sample.depth = 1;
	sample.values = &value;
	sample.n_values = 1;
	for (size_t i = 0; !result && i < flat->n; i++) {
		uint64_t count = flat->places[i].count;

		frame.offset = flat->places[i].offset;
		value.count = flat->is_weight ? 0 : count;
		if (__builtin_mul_overflow(count, flat->unit, &value.events))
			value.events = UINT64_MAX;
		result = aggregation_take_sample(sink, &sample, error);
	}
	return result;
}

static int take_flat(struct prof_sink *sink, const struct prof_flat_sample *flat,
		     struct op_error *error)
{
	struct prof_tables *tables = tables_of(sink);
	struct prof *prof = &tables->prof;
	struct prof_value *total = &prof->totals[flat->event];
	struct prof_flat column = {.image = flat->image,
				   .event = flat->event,
				   .is_weight = flat->is_weight,
				   .unit = flat->unit};
	uint64_t sum = 0, events;

	/* times are of single samples; what is nowhere has no frame */
	if (tables->by & (PROF_TIMES | PROF_COUNTS_ONLY) || flat->image == PROF_NO_IMAGE)
		return take_each(sink, flat, error);
	if (prof->flats->n_places + flat->n > PROF_NODES_MOST)
		return fail_full(error);
	take_thread_name(tables, &flat->common);
	prof->has_entries |= flat->common.has_entry;
	column.context = find_context(tables, &flat->common);
	flats_add(prof->flats, &column, flat->places, flat->n);
	for (size_t i = 0; i < flat->n; i++)
		sum = tree_add_up(sum, flat->places[i].count);
	if (!flat->is_weight)
		total->count = tree_add_up(total->count, sum);
	if (__builtin_mul_overflow(sum, flat->unit, &events))
		events = UINT64_MAX;
	total->events = tree_add_up(total->events, events);
	return 0;
}

static uint64_t hash_branch(const struct prof_branch *branch)
{
	return op_hash_mix(tables_hash_frame(&branch->from), tables_hash_frame(&branch->to));
}

static bool same_frame(const struct prof_frame *a, const struct prof_frame *b)
{
	return a->image == b->image && a->offset == b->offset;
}

static int take_branch(struct prof_sink *sink, const struct prof_branch *given,
		       struct op_error *error)
{
	struct prof_tables *tables = tables_of(sink);
	struct prof *prof = &tables->prof;
	struct prof_branch *branch;
	uint64_t hash = hash_branch(given);
	uint32_t id;

	if (tables->by & PROF_COUNTS_ONLY)
		return 0;
	op_hash_for_each_possible (&tables->by_branch, hash, id) {
		branch = &prof->branches[id];
		if (!same_frame(&branch->from, &given->from) ||
		    !same_frame(&branch->to, &given->to))
			continue;
		branch->count += given->count;
		branch->mispredicted += given->mispredicted;
		branch->cycles += given->cycles;
		return 0;
	}
	if (prof->n_branches >= PROF_NODES_MOST)
		return op_error_set(error, ENOSPC, "there are more than %u distinct branches",
				    PROF_NODES_MOST);
	id = (uint32_t)prof->n_branches++;
	prof->branches = op_grow(prof->branches, &tables->branches_capacity, prof->n_branches,
				 sizeof(*prof->branches));
	prof->branches[id] = *given;
	op_hash_add_or_exit(&tables->by_branch, hash, id);
	return 0;
}

/* ---- facts ---- */

static void take_host(struct prof_sink *sink, const struct prof_host *given)
{
	struct prof_host *host = &tables_of(sink)->prof.host;
	const struct {
		const char **kept, *text;
	} texts[] = {
		{&host->hostname, given->hostname},
		{&host->os_release, given->os_release},
		{&host->arch, given->arch},
		{&host->cpu_description, given->cpu_description},
		{&host->cpu_id, given->cpu_id},
		{&host->cpu_type, given->cpu_type},
		{&host->tool, given->tool},
		{&host->command_line, given->command_line},
	};
	const struct {
		uint64_t *kept, number;
	} numbers[] = {
		{&host->cpus_online, given->cpus_online},
		{&host->cpus_available, given->cpus_available},
		{&host->memory, given->memory},
		{&host->start_time, given->start_time},
		{&host->duration, given->duration},
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (texts[i].text)
			*texts[i].kept = tables_keep(sink, texts[i].text);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (numbers[i].number)
			*numbers[i].kept = numbers[i].number;
	if (given->cpu_mhz > 0)
		host->cpu_mhz = given->cpu_mhz;
}

static void take_lost(struct prof_sink *sink, const char *cause, uint64_t count)
{
	struct prof_tables *tables = tables_of(sink);
	struct prof *prof = &tables->prof;
	size_t i = 0;

	while (i < prof->n_losses && strcmp(prof->losses[i].cause, cause))
		i++;
	if (i == prof->n_losses) {
		prof->losses = op_grow(prof->losses, &tables->losses_capacity, ++prof->n_losses,
				       sizeof(*prof->losses));
		prof->losses[i] = (struct prof_loss){.cause = tables_keep(sink, cause)};
	}
	prof->losses[i].count = tree_add_up(prof->losses[i].count, count);
}

static void take_fact(struct prof_sink *sink, const char *key, const char *value)
{
	struct prof_tables *tables = tables_of(sink);
	struct prof *prof = &tables->prof;
	size_t i = prof->n_facts++;

	prof->facts =
		op_grow(prof->facts, &tables->facts_capacity, prof->n_facts, sizeof(*prof->facts));
	prof->facts[i].key = tables_keep(sink, key);
	prof->facts[i].value = tables_keep(sink, value);
}

static void take_note(struct prof_sink *sink, const char *text)
{
	struct prof_tables *tables = tables_of(sink);
	struct prof *prof = &tables->prof;
	size_t i = prof->n_notes++;

	prof->notes =
		op_grow(prof->notes, &tables->notes_capacity, prof->n_notes, sizeof(*prof->notes));
	prof->notes[i] = tables_keep(sink, text);
}

void prof_sink_fact(struct prof_sink *sink, const char *key, const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	sink->fact(sink, key, text);
}

void prof_sink_note(struct prof_sink *sink, const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	sink->note(sink, text);
}

/* ---- the profile ---- */

struct prof *prof_new(unsigned int by, uint32_t nodes_most)
{
	struct prof_tables *tables = op_alloc(1, sizeof(*tables));
	struct prof *prof = &tables->prof;
	struct prof_image unknown = {.kind = PROF_UNKNOWN, .path = "[unknown]", .pid = PROF_ANY};

	tables->by = by;
	prof->sink = (struct prof_sink){
		.string = tables_string,
		.event = tables_event,
		.image = tables_image,
		.image_build_id = tables_build_id,
		.lines = tables_lines,
		.free_place = tables_free_place,
		.sample = aggregation_take_sample,
		.flat = take_flat,
		.branch = take_branch,
		.call = tables_call,
		.host = take_host,
		.lost = take_lost,
		.fact = take_fact,
		.note = take_note,
	};
	prof->tree = tree_new(nodes_most);
	prof->flats = op_alloc(1, sizeof(*prof->flats));
	prof->labels = op_alloc(1, sizeof(*prof->labels));
	labels_set(prof->labels, NULL, 0);
	tables_string(&prof->sink, "");
	tables_image(&prof->sink, &unknown);
	unknown.is_kernel = true;
	tables_image(&prof->sink, &unknown);
	return prof;
}

void prof_free(struct prof *prof)
{
	struct prof_tables *tables;

	if (!prof)
		return;
	tables = tables_of(&prof->sink);
	for (size_t i = 0; i < prof->n_strings; i++)
		free((char *)prof->strings[i]);
	for (size_t i = 0; i < tables->n_places; i++)
		free(tables->places[i].lines);
	free(tables->places);
	free(prof->strings);
	free(prof->events);
	free(prof->totals);
	free(prof->images);
	free(prof->contexts);
	free(prof->branches);
	free(prof->calls);
	free(prof->moments);
	free(prof->losses);
	free(prof->facts);
	free(prof->notes);
	op_pair_table_free(&tables->thread_names);
	op_hash_free(&tables->by_string);
	op_hash_free(&tables->by_event);
	op_hash_free(&tables->by_image);
	op_hash_free(&tables->by_context);
	op_hash_free(&tables->by_branch);
	op_hash_free(&tables->by_call);
	op_hash_free(&tables->by_place);
	tree_free(prof->tree);
	flats_free(prof->flats);
	free(prof->flats);
	labels_free(prof->labels);
	free(prof->labels);
	free(tables);
}

/* ---- reading ---- */

size_t prof_count(const struct prof *prof)
{
	struct prof_cursor cursor = {0};
	struct prof_sample sample;
	size_t n = 0;

	if (!prof->flats->n)
		return prof->tree->n_stacks;
	while (prof_next_values(prof, &cursor, &sample))
		n++;
	prof_cursor_free(&cursor);
	return n;
}

bool prof_is_empty(const struct prof *prof)
{
	return !prof->tree->n_entries && !prof->flats->n_places;
}

size_t prof_count_values(const struct prof *prof)
{
	return prof->tree->n_entries + prof->flats->n_places;
}

size_t prof_nodes(const struct prof *prof)
{
	return prof->tree->n_nodes - 1 + prof->flats->n_places;
}

/* Adds to the values of the sample that is made, which are in the order of events. */
static void add_value(void *context, const struct prof_value *value)
{
	struct prof_cursor *cursor = context;
	size_t i = cursor->n_values;

	while (i && cursor->values[i - 1].event > value->event)
		i--;
	if (i && cursor->values[i - 1].event == value->event) {
		struct prof_value *sum = &cursor->values[i - 1];

		sum->count = tree_add_up(sum->count, value->count);
		sum->events = tree_add_up(sum->events, value->events);
		return;
	}
	cursor->values = op_grow(cursor->values, &cursor->values_capacity, cursor->n_values + 1,
				 sizeof(*cursor->values));
	memmove(&cursor->values[i + 1], &cursor->values[i],
		(cursor->n_values++ - i) * sizeof(*cursor->values));
	cursor->values[i] = *value;
}

static void put_frame(struct prof_cursor *cursor, size_t depth, struct prof_frame frame)
{
	if (depth == cursor->frames_capacity)
		cursor->frames = op_grow(cursor->frames, &cursor->frames_capacity, depth + 1,
					 sizeof(*cursor->frames));
	cursor->frames[depth] = frame;
}

static struct prof_sample sample_in(const struct prof *prof, const struct prof_cursor *cursor,
				    uint32_t context_number, size_t depth)
{
	const struct prof_context *context = &prof->contexts[context_number];
	const struct prof_label_set *labels = &prof->labels->sets[context->labels];

	return (struct prof_sample){
		.frames = cursor->frames,
		.depth = depth,
		.values = cursor->values,
		.n_values = cursor->n_values,
		.app = context->app,
		.comm = context->comm,
		.pid = context->pid,
		.tid = context->tid,
		.cpu = context->cpu,
		.labels = prof->labels->labels + labels->first,
		.n_labels = labels->n,
	};
}

/* Puts the frames of an entry's stack in the cursor.  Return: how many. */
static size_t put_stack(const struct prof *prof, struct prof_cursor *cursor,
			const struct prof_entry *entry)
{
	const struct prof_node *nodes = prof->tree->nodes;
	size_t depth = 0;

	for (uint32_t node = entry->node; node; node = nodes[node].parent)
		put_frame(cursor, depth++,
			  (struct prof_frame){nodes[node].image, nodes[node].offset});
	return depth;
}

/*
 * Which comes first, the entry whose stack is in the cursor, or the next place without callers:
 * below 0, above 0, or 0 if they are of one stack.  Stacks stand in the order of their roots; one
 * without frames is before all.
 */
static int compare_next(const struct prof_cursor *cursor, const struct prof_entry *entry,
			size_t depth)
{
	const struct prof_flat_walk *flat = cursor->flats;
	const struct prof_frame *root;

	if (entry->context != flat->context)
		return entry->context < flat->context ? -1 : 1;
	if (!depth)
		return -1;
	root = &cursor->frames[depth - 1];
	if (root->image != flat->image)
		return root->image < flat->image ? -1 : 1;
	if (root->offset != flat->offset)
		return root->offset < flat->offset ? -1 : 1;
	return depth > 1;
}

static void take_entries(const struct prof *prof, struct prof_cursor *cursor,
			 const struct prof_entry *entry)
{
	const struct prof_entry *end = prof->tree->entries + prof->tree->n_entries, *at = entry;

	for (; at < end && at->node == entry->node && at->context == entry->context; at++)
		add_value(cursor, &(struct prof_value){at->event, at->count, at->events});
	cursor->at += (size_t)(at - entry);
}

/* The next entry of a wanted context, or NULL. */
static const struct prof_entry *find_entry(const struct prof *prof, struct prof_cursor *cursor)
{
	const struct prof_tree *tree = prof->tree;

	while (cursor->contexts && cursor->at < tree->n_entries &&
	       !cursor->contexts[tree->entries[cursor->at].context])
		cursor->at++;
	return cursor->at < tree->n_entries ? &tree->entries[cursor->at] : NULL;
}

bool prof_next(const struct prof *prof, struct prof_cursor *cursor, struct prof_sample *sample)
{
	const struct prof_entry *entry = find_entry(prof, cursor);
	size_t depth = entry ? put_stack(prof, cursor, entry) : 0;
	bool has_flat = false;
	int order;

	if (prof->flats->n) {
		if (!cursor->flats)
			cursor->flats = op_alloc(1, sizeof(*cursor->flats));
		has_flat = flats_peek(prof->flats, cursor->contexts, cursor->flats);
	}
	if (!entry && !has_flat)
		return false;
	order = !has_flat ? -1 : !entry ? 1 : compare_next(cursor, entry, depth);
	cursor->n_values = 0;
	if (order <= 0)
		take_entries(prof, cursor, entry);
	if (order >= 0)
		flats_take(prof->flats, cursor->flats, add_value, cursor);
	if (order > 0) {
		put_frame(cursor, 0,
			  (struct prof_frame){cursor->flats->image, cursor->flats->offset});
		*sample = sample_in(prof, cursor, cursor->flats->context, 1);
	} else {
		*sample = sample_in(prof, cursor, entry->context, depth);
	}
	return true;
}

bool prof_next_values(const struct prof *prof, struct prof_cursor *cursor,
		      struct prof_sample *sample)
{
	const struct prof_entry *entry;

	/* places without callers join stacks of one frame */
	if (prof->flats->n)
		return prof_next(prof, cursor, sample);
	entry = find_entry(prof, cursor);
	if (!entry)
		return false;
	cursor->n_values = 0;
	take_entries(prof, cursor, entry);
	*sample = sample_in(prof, cursor, entry->context, 0);
	return true;
}

bool prof_next_moment(const struct prof *prof, struct prof_cursor *cursor,
		      struct prof_sample *sample)
{
	const struct prof_moment *moment;
	const struct prof_entry *entry;

	if (cursor->at >= prof->n_moments)
		return false;
	moment = &prof->moments[cursor->at++];
	entry = &prof->tree->entries[moment->value];
	cursor->n_values = 0;
	add_value(cursor, &(struct prof_value){entry->event, moment->count, moment->events});
	*sample = sample_in(prof, cursor, entry->context, put_stack(prof, cursor, entry));
	sample->time = moment->time;
	return true;
}

void prof_cursor_free(struct prof_cursor *cursor)
{
	if (cursor->flats)
		flats_walk_free(cursor->flats);
	free(cursor->flats);
	free(cursor->frames);
	free(cursor->values);
	*cursor = (struct prof_cursor){0};
}
