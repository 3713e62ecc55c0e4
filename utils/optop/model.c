// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What optop has counted: see model.h.
 */
#include "model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define OTHER_TEXT "(other)"

/* Makes room for one more element.  Return: whether there is. */
static bool optop_model_grow(void *array, uint32_t count, size_t size)
{
	void **at = array, *larger;

	/* a power of two, from 64 on, is full */
	if (count && (count < 64 || count & (count - 1)))
		return true;
	larger = realloc(*at, (count < 64 ? 64 : (size_t)count * 2) * size);
	if (larger)
		*at = larger;
	return larger;
}

/* ---- names ---- */

static uint32_t names_add(struct model_names *names, const char *text)
{
	size_t length = strnlen(text, MODEL_NAME_MOST);
	uint64_t key = op_hash_bytes(0, text, length);
	uint32_t i;

	op_hash_for_each_possible (&names->by_text, key, i)
		if (!strncmp(names->item[i], text, length) && !names->item[i][length])
			return i;
	if (names->count >= MODEL_FUNCTIONS_MOST ||
	    !optop_model_grow(&names->item, names->count, sizeof(char *)))
		return MODEL_OTHER;
	names->item[names->count] = strndup(text, length);
	if (!names->item[names->count])
		return MODEL_OTHER;
	if (op_hash_add(&names->by_text, key, names->count)) {
		free(names->item[names->count]);
		return MODEL_OTHER;
	}
	return names->count++;
}

static void names_free(struct model_names *names)
{
	for (uint32_t i = 0; i < names->count; i++)
		free(names->item[i]);
	free(names->item);
	op_hash_free(&names->by_text);
	*names = (struct model_names){0};
}

uint32_t model_image(struct model *model, const char *name)
{
	return names_add(&model->images, name);
}

uint32_t model_function(struct model *model, uint32_t image, const char *name)
{
	size_t length = strnlen(name, MODEL_NAME_MOST);
	uint64_t key = op_hash_mix(op_hash_bytes(0, name, length), image);
	uint32_t i;

	op_hash_for_each_possible (&model->by_function, key, i)
		if (model->function[i].image == image &&
		    !strncmp(model->function[i].name, name, length) &&
		    !model->function[i].name[length])
			return i;
	i = model->functions;
	if (i >= MODEL_FUNCTIONS_MOST ||
	    !optop_model_grow(&model->function, i, sizeof(*model->function)))
		return MODEL_OTHER;
	model->function[i] = (struct model_function){image, strndup(name, length)};
	if (!model->function[i].name)
		return MODEL_OTHER;
	if (op_hash_add(&model->by_function, key, i)) {
		free(model->function[i].name);
		return MODEL_OTHER;
	}
	model->functions++;
	return i;
}

uint32_t model_thread(struct model *model, int32_t tid, int32_t tgid, uint32_t app)
{
	uint64_t key = op_hash_mix(op_hash_mix(op_hash_mix(0, (uint32_t)tid), (uint32_t)tgid), app);
	uint32_t i;

	op_hash_for_each_possible (&model->by_thread, key, i)
		if (model->thread[i].tid == tid && model->thread[i].tgid == tgid &&
		    model->thread[i].app == app)
			return i;
	i = model->threads;
	if (i >= MODEL_FUNCTIONS_MOST ||
	    !optop_model_grow(&model->thread, i, sizeof(*model->thread)) ||
	    op_hash_add(&model->by_thread, key, i))
		return MODEL_OTHER;
	model->thread[i] = (struct model_thread){
		.tid = tid, .tgid = tgid, .app = app, .described = -1, .seen = model->clock};
	model->threads++;
	return i;
}

void model_describe(struct model *model, uint32_t thread, const char *comm, const char *cgroup)
{
	struct model_thread *of = &model->thread[thread];

	/* what was known stays when the thread has ended */
	if (comm)
		of->comm = names_add(&model->comms, comm);
	if (cgroup)
		of->cgroup = names_add(&model->cgroups, cgroup);
	of->described = model->clock;
}

void model_set_event(struct model *model, uint32_t number, const char *name, bool is_clock,
		     uint64_t period)
{
	char *copy = number < MODEL_EVENTS_MOST ? strndup(name, MODEL_NAME_MOST) : NULL;

	if (!copy)
		return;
	free(model->event[number].name);
	model->event[number] = (struct model_event){copy, is_clock, period};
	if (number >= model->events)
		model->events = number + 1;
}

/* ---- begin and end ---- */

int model_init(struct model *model)
{
	*model = (struct model){0};
	names_add(&model->images, OTHER_TEXT);
	names_add(&model->comms, OTHER_TEXT);
	names_add(&model->cgroups, OTHER_TEXT);
	model_function(model, MODEL_OTHER, OTHER_TEXT);
	model_thread(model, 0, 0, MODEL_OTHER);
	if (!optop_model_grow(&model->node, 0, sizeof(*model->node)) || !model->images.count ||
	    !model->comms.count || !model->cgroups.count || !model->functions || !model->threads) {
		model_free(model);
		return -1;
	}
	model->node[0] = (struct model_node){0};
	model->nodes = 1; /* node 0 is no node */
	return 0;
}

static void free_tables(struct model *model)
{
	names_free(&model->images);
	names_free(&model->comms);
	names_free(&model->cgroups);
	for (uint32_t i = 0; i < model->functions; i++)
		free(model->function[i].name);
	free(model->function);
	free(model->node);
	free(model->entry);
	free(model->thread);
	free(model->address);
	op_hash_free(&model->by_function);
	op_hash_free(&model->by_node);
	op_hash_free(&model->by_entry);
	op_hash_free(&model->by_thread);
	op_hash_free(&model->by_address);
}

void model_free(struct model *model)
{
	free_tables(model);
	for (uint32_t i = 0; i < model->events; i++)
		free(model->event[i].name);
	*model = (struct model){0};
}

/* ---- samples ---- */

/* The node of @function below @caller, or of an outer frame if there is no room. */
static uint32_t find_node(struct model *model, uint32_t caller, uint32_t function)
{
	uint64_t key = op_hash_mix(op_hash_mix(0, caller), function);
	uint32_t i;

	op_hash_for_each_possible (&model->by_node, key, i)
		if (model->node[i].caller == caller && model->node[i].function == function)
			return i;
	i = model->nodes;
	if (i >= MODEL_NODES_MOST || !optop_model_grow(&model->node, i, sizeof(*model->node)) ||
	    op_hash_add(&model->by_node, key, i))
		return 0;
	model->node[i] = (struct model_node){caller, function};
	model->nodes++;
	return i;
}

/* The node of a call chain; 0: there is no room for it. */
static uint32_t find_chain(struct model *model, const uint32_t *function, uint32_t frames)
{
	uint32_t node = 0;

	for (uint32_t i = frames; i-- > 0;) {
		node = find_node(model, node, function[i]);
		if (!node)
			return 0;
	}
	return node;
}

static struct model_entry *find_entry(struct model *model, const struct model_entry *wanted)
{
	uint64_t key = op_hash_mix(op_hash_mix(0, (uint64_t)wanted->event << 32 | wanted->cpu),
				   (uint64_t)wanted->thread << 32 | wanted->app);
	uint32_t i;

	key = op_hash_mix(key, wanted->node);
	op_hash_for_each_possible (&model->by_entry, key, i) {
		struct model_entry *entry = &model->entry[i];

		if (entry->event == wanted->event && entry->cpu == wanted->cpu &&
		    entry->thread == wanted->thread && entry->app == wanted->app &&
		    entry->node == wanted->node)
			return entry;
	}
	i = model->entries;
	/* the entries of what is not told apart have room of their own */
	if ((i >= MODEL_ENTRIES_MOST && wanted->node) ||
	    !optop_model_grow(&model->entry, i, sizeof(*model->entry)) ||
	    op_hash_add(&model->by_entry, key, i))
		return NULL;
	model->entry[i] = *wanted;
	model->entries++;
	return &model->entry[i];
}

/* Where samples are counted that have no entry of their own: by event only. */
static struct model_entry *find_other(struct model *model, uint32_t event)
{
	return find_entry(model, &(struct model_entry){.event = event});
}

/* Addresses beyond the most are not counted: then their function's is less than its samples. */
static struct model_address *find_address(struct model *model, uint32_t function, uint32_t event,
					  uint64_t offset)
{
	uint64_t key = op_hash_mix(op_hash_mix(0, (uint64_t)event << 32 | function), offset);
	uint32_t i;

	op_hash_for_each_possible (&model->by_address, key, i)
		if (model->address[i].function == function && model->address[i].event == event &&
		    model->address[i].offset == offset)
			return &model->address[i];
	i = model->addresses;
	if (i >= MODEL_ENTRIES_MOST ||
	    !optop_model_grow(&model->address, i, sizeof(*model->address)) ||
	    op_hash_add(&model->by_address, key, i))
		return NULL;
	model->address[i] = (struct model_address){function, event, offset, 0, {0}};
	model->addresses++;
	return &model->address[i];
}

void model_add(struct model *model, const struct model_sample *sample)
{
	struct model_entry wanted = {
		.event = sample->event < MODEL_EVENTS_MOST ? sample->event : 0,
		.cpu = sample->cpu,
		.thread = sample->thread,
		.app = sample->app,
	};
	struct model_entry *entry;
	struct model_address *address;

	if (model->frozen) {
		model->passed++;
		return;
	}
	wanted.node = find_chain(model, sample->function, sample->frames);
	entry = wanted.node ? find_entry(model, &wanted) : NULL;
	if (!entry)
		entry = find_other(model, wanted.event);
	if (!entry) {
		model->failed = true;
		model->passed++;
		return;
	}
	entry->now.samples++;
	entry->now.weight += (double)sample->weight;
	address = find_address(model, sample->function[0], wanted.event, sample->offset);
	if (address)
		address->now += (double)sample->weight;
	model->taken++;
	model->has_chains |= sample->frames > 1;
	model->thread[sample->thread].seen = model->clock;
	if (sample->cpu >= model->cpus)
		model->cpus = sample->cpu + 1;
}

/* ---- time ---- */

static bool is_nearly_full(const struct model *model)
{
	return model->entries > MODEL_ENTRIES_MOST / 4 * 3 ||
	       model->nodes > MODEL_NODES_MOST / 4 * 3 ||
	       model->functions > MODEL_FUNCTIONS_MOST / 4 * 3 ||
	       model->threads > MODEL_FUNCTIONS_MOST / 4 * 3 ||
	       model->images.count > MODEL_FUNCTIONS_MOST / 4 * 3 ||
	       model->comms.count > MODEL_FUNCTIONS_MOST / 4 * 3 ||
	       model->cgroups.count > MODEL_FUNCTIONS_MOST / 4 * 3 ||
	       model->addresses > MODEL_ENTRIES_MOST / 4 * 3;
}

static void add_amount(struct model_amount *to, const struct model_amount *from)
{
	to->samples += from->samples;
	to->weight += from->weight;
}

void model_tick(struct model *model, double seconds)
{
	double left = exp2(-seconds / MODEL_HALF_LIFE);

	if (model->frozen)
		return;
	for (uint32_t i = 0; i < model->entries; i++) {
		struct model_entry *entry = &model->entry[i];
		struct model_amount *recent = &entry->amount[MODEL_RECENT];

		entry->amount[MODEL_LAST] = entry->now;
		recent->samples = recent->samples * left + entry->now.samples;
		recent->weight = recent->weight * left + entry->now.weight;
		add_amount(&entry->amount[MODEL_ALL], &entry->now);
		entry->now = (struct model_amount){0};
	}
	for (uint32_t i = 0; i < model->addresses; i++) {
		struct model_address *address = &model->address[i];

		address->amount[MODEL_LAST] = address->now;
		address->amount[MODEL_RECENT] = address->amount[MODEL_RECENT] * left + address->now;
		address->amount[MODEL_ALL] += address->now;
		address->now = 0;
	}
	model->clock += seconds;
	model->interval = seconds;
	if (is_nearly_full(model))
		model_compact(model);
}

/* ---- room ---- */

static int compare_recent(const void *a, const void *b)
{
	const struct model_entry *x = a, *y = b;
	double left = x->amount[MODEL_RECENT].samples, right = y->amount[MODEL_RECENT].samples;

	return (left < right) - (left > right);
}

static uint32_t copy_thread(struct model *to, const struct model *from, uint32_t number)
{
	const struct model_thread *old = &from->thread[number];
	uint32_t app = model_image(to, from->images.item[old->app]);
	uint32_t thread = model_thread(to, old->tid, old->tgid, app);
	struct model_thread *copy = &to->thread[thread];

	if (thread == MODEL_OTHER)
		return thread;
	copy->comm = names_add(&to->comms, from->comms.item[old->comm]);
	copy->cgroup = names_add(&to->cgroups, from->cgroups.item[old->cgroup]);
	copy->described = old->described;
	copy->seen = old->seen;
	return thread;
}

static uint32_t copy_function(struct model *to, const struct model *from, uint32_t number)
{
	const struct model_function *old = &from->function[number];

	return model_function(to, model_image(to, from->images.item[old->image]), old->name);
}

static uint32_t copy_chain(struct model *to, const struct model *from, uint32_t node)
{
	uint32_t function[MODEL_FRAMES_MOST], frames = 0;

	for (; node && frames < MODEL_FRAMES_MOST; node = from->node[node].caller)
		function[frames++] = copy_function(to, from, from->node[node].function);
	return find_chain(to, function, frames);
}

static bool copy_entry(struct model *to, const struct model *from, const struct model_entry *old,
		       bool whole)
{
	struct model_entry wanted = {.event = old->event};
	struct model_entry *entry;

	if (whole && old->node) {
		wanted.cpu = old->cpu;
		wanted.thread = copy_thread(to, from, old->thread);
		wanted.app = model_image(to, from->images.item[old->app]);
		wanted.node = copy_chain(to, from, old->node);
	}
	entry = wanted.node || !whole || !old->node ? find_entry(to, &wanted) : NULL;
	if (!entry)
		entry = find_other(to, old->event);
	if (!entry)
		return false;
	add_amount(&entry->now, &old->now);
	for (int i = 0; i < MODEL_PERIODS; i++)
		add_amount(&entry->amount[i], &old->amount[i]);
	return true;
}

/* Of too many addresses, those with more recent samples than the average one. */
static void copy_addresses(struct model *to, const struct model *from)
{
	double least = 0;

	for (uint32_t i = 0; i < from->addresses; i++)
		least += from->address[i].amount[MODEL_RECENT] / from->addresses;
	if (from->addresses <= MODEL_ENTRIES_MOST / 4 * 3)
		least = 0;
	for (uint32_t i = 0; i < from->addresses; i++) {
		const struct model_address *old = &from->address[i];
		struct model_address *address;

		if (old->amount[MODEL_ALL] <= 0 || old->amount[MODEL_RECENT] < least)
			continue;
		address = find_address(to, copy_function(to, from, old->function), old->event,
				       old->offset);
		if (!address)
			return;
		memcpy(address->amount, old->amount, sizeof(address->amount));
	}
}

void model_compact(struct model *model)
{
	struct model fresh;
	bool good = true;

	if (model_init(&fresh))
		return;
	qsort(model->entry, model->entries, sizeof(*model->entry), compare_recent);
	for (uint32_t i = 0; good && i < model->entries; i++)
		good = copy_entry(&fresh, model, &model->entry[i], i < model->entries / 2);
	if (good)
		copy_addresses(&fresh, model);
	memcpy(fresh.event, model->event, sizeof(fresh.event));
	fresh.events = model->events;
	fresh.cpus = model->cpus;
	fresh.frozen = model->frozen;
	fresh.has_chains = model->has_chains;
	fresh.failed = model->failed || !good;
	fresh.passed = model->passed;
	fresh.taken = model->taken;
	fresh.clock = model->clock;
	fresh.interval = model->interval;
	fresh.epoch = model->epoch + 1;
	free_tables(model);
	*model = fresh;
}

void model_reset(struct model *model)
{
	for (uint32_t i = 0; i < model->entries; i++) {
		model->entry[i].now = (struct model_amount){0};
		memset(model->entry[i].amount, 0, sizeof(model->entry[i].amount));
	}
	for (uint32_t i = 0; i < model->addresses; i++) {
		model->address[i].now = 0;
		memset(model->address[i].amount, 0, sizeof(model->address[i].amount));
	}
	model->taken = model->passed = 0;
	model->failed = false;
	model_compact(model);
}
