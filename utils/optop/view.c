// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Views of the model: see view.h.
 */
#include "view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/number.h"

const char *const dimension_names[] = {"application", "function", "image", "process", "thread",
				       "cgroup",      "cpu",	  "event", NULL};
const char *const view_sort_names[] = {"self", "total", "rate", "name", NULL};
const char *const model_period_names[] = {"interval", "recent", "start", NULL};

void view_request_init(struct view_request *request)
{
	*request = (struct view_request){.period = MODEL_RECENT};
	for (int i = 0; i < DIMENSIONS; i++)
		request->only[i] = VIEW_NO_KEY;
}

/* ---- keys ---- */

/* A process has the number of its first thread in the table. */
static uint32_t process_of(const struct model *model, const uint32_t *first, uint32_t thread)
{
	(void)model;
	return first[thread];
}

/* By thread: the first one of the same process and program.  NULL when out of memory. */
static uint32_t *first_threads(const struct model *model)
{
	uint32_t *first = calloc(model->threads + 1, sizeof(*first));
	struct op_hash seen = {0};
	uint32_t i, j;

	for (i = 0; first && i < model->threads; i++) {
		const struct model_thread *thread = &model->thread[i];
		uint64_t key = op_hash_mix(op_hash_mix(0, (uint32_t)thread->tgid), thread->app);

		op_hash_for_each_possible (&seen, key, j)
			if (model->thread[j].tgid == thread->tgid &&
			    model->thread[j].app == thread->app)
				break;
		first[i] = j == OP_HASH_NONE ? i : j;
		if (j == OP_HASH_NONE && op_hash_add(&seen, key, i)) {
			free(first);
			first = NULL;
		}
	}
	op_hash_free(&seen);
	return first;
}

static uint32_t leaf_of(const struct model *model, const struct model_entry *entry)
{
	return model->node[entry->node].function; /* node 0: MODEL_OTHER */
}

static uint32_t model_key_of(const struct model *model, const uint32_t *first, enum dimension by,
			     const struct model_entry *entry)
{
	switch (by) {
	case BY_APP:
		return entry->app;
	case BY_FUNCTION:
		return leaf_of(model, entry);
	case BY_IMAGE:
		return model->function[leaf_of(model, entry)].image;
	case BY_PROCESS:
		return process_of(model, first, entry->thread);
	case BY_THREAD:
		return entry->thread;
	case BY_CGROUP:
		return model->thread[entry->thread].cgroup;
	case BY_CPU:
		return entry->cpu;
	default:
		return entry->event;
	}
}

static uint32_t keys_of(const struct model *model, enum dimension by)
{
	switch (by) {
	case BY_FUNCTION:
		return model->functions;
	case BY_APP:
	case BY_IMAGE:
		return model->images.count;
	case BY_PROCESS:
	case BY_THREAD:
		return model->threads;
	case BY_CGROUP:
		return model->cgroups.count;
	case BY_CPU:
		return model->cpus;
	default:
		return MODEL_EVENTS_MOST;
	}
}

static bool is_selected(const struct model *model, const uint32_t *first,
			const struct view_request *request, const struct model_entry *entry)
{
	if (request->by != BY_EVENT && entry->event != request->event)
		return false;
	for (int i = 0; i < DIMENSIONS; i++) {
		if (request->only[i] != VIEW_NO_KEY &&
		    model_key_of(model, first, (enum dimension)i, entry) != request->only[i])
			return false;
	}
	return true;
}

/* ---- rows ---- */

static int prepare(struct view *view, const struct model *model, enum dimension by)
{
	uint32_t keys = keys_of(model, by);

	free(view->by_key);
	free(view->mark);
	view->rows = view->hidden = 0;
	view->weight = view->rate = 0;
	view->epoch = model->epoch;
	view->keys = keys;
	view->marks = 0;
	view->by_key = calloc(keys + 1, sizeof(*view->by_key));
	view->mark = calloc(keys + 1, sizeof(*view->mark));
	view->has_total = model->has_chains && (by == BY_FUNCTION || by == BY_IMAGE);
	return view->by_key && view->mark ? 0 : -1;
}

/* Each function or image of the call chain, once. */
static void add_callers(struct view *view, const struct model *model, enum dimension by,
			uint32_t node, double weight)
{
	view->marks++;
	for (; node; node = model->node[node].caller) {
		uint32_t key = model->node[node].function;

		if (by == BY_IMAGE)
			key = model->function[key].image;
		if (view->mark[key] == view->marks)
			continue;
		view->mark[key] = view->marks;
		view->by_key[key].total += weight;
	}
}

static void add_entry(struct view *view, const struct model *model, const uint32_t *first,
		      const struct view_request *request, const struct model_entry *entry)
{
	double weight = entry->amount[request->period].weight;
	double last = entry->amount[MODEL_LAST].samples;
	struct view_row *row = &view->by_key[model_key_of(model, first, request->by, entry)];

	row->self += weight;
	row->rate += model->interval > 0 ? last / model->interval : 0;
	if (view->has_total && entry->node)
		add_callers(view, model, request->by, entry->node, weight);
	else
		row->total += weight;
}

/* Percentages of events differ: what is shown by event is a share of samples, not of weights. */
static void add_event(struct view *view, const struct model *model,
		      const struct view_request *request, const struct model_entry *entry)
{
	struct view_row *row = &view->by_key[entry->event];
	double samples = entry->amount[request->period].samples;

	row->self += samples;
	row->total += samples;
	row->rate += model->interval > 0 ? entry->amount[MODEL_LAST].samples / model->interval : 0;
}

static void add_all(struct view *view, const struct model *model, const uint32_t *first,
		    const struct view_request *request)
{
	for (uint32_t i = 0; i < model->entries; i++) {
		const struct model_entry *entry = &model->entry[i];
		bool is_event = request->by == BY_EVENT;

		if (is_event || entry->event == request->event) {
			const struct model_amount *amount = &entry->amount[request->period];

			view->weight += is_event ? amount->samples : amount->weight;
			view->rate += model->interval > 0
					      ? entry->amount[MODEL_LAST].samples / model->interval
					      : 0;
		}
		if (!is_selected(model, first, request, entry))
			continue;
		if (is_event)
			add_event(view, model, request, entry);
		else
			add_entry(view, model, first, request, entry);
	}
}

/* What has decayed to less than this part of all is not shown. */
#define SHARE_LEAST 1e-5

static bool is_shown(const struct view *view, const struct view_row *row)
{
	return row->total > view->weight * SHARE_LEAST || row->rate > 0;
}

static int collect(struct view *view, const struct model *model, const struct view_request *request)
{
	size_t count = 0;
	bool filtered = request->filter && *request->filter;

	for (uint32_t key = 0; key < view->keys; key++)
		count += is_shown(view, &view->by_key[key]);
	free(view->row);
	view->row = malloc((count + 1) * sizeof(*view->row));
	if (!view->row)
		return -1;
	for (uint32_t key = 0; key < view->keys; key++) {
		struct view_row *row = &view->by_key[key];

		row->key = key;
		if (!is_shown(view, row))
			continue;
		if (filtered && !view_name_has(model, request->by, key, request->filter))
			view->hidden++;
		else
			view->row[view->rows++] = *row;
	}
	return 0;
}

/* ---- order ---- */

struct order {
	const struct model *model;
	const struct view_request *request;
};

static int compare_names(const struct order *order, const struct view_row *a,
			 const struct view_row *b)
{
	struct op_buffer x = {0}, y = {0};
	int result;

	view_put_name(&x, order->model, order->request->by, a->key);
	view_put_name(&y, order->model, order->request->by, b->key);
	op_buffer_u8(&x, 0);
	op_buffer_u8(&y, 0);
	result = x.failed || y.failed ? 0 : strcmp((char *)x.bytes, (char *)y.bytes);
	op_buffer_free(&x);
	op_buffer_free(&y);
	return result;
}

static int optop_view_compare(const void *a, const void *b, void *context)
{
	const struct order *order = context;
	const struct view_row *x = a, *y = b;
	double left, right;
	int result = 0;

	switch (order->request->sort) {
	case SORT_NAME:
		result = compare_names(order, x, y);
		break;
	case SORT_TOTAL:
		left = x->total, right = y->total;
		result = (left < right) - (left > right);
		break;
	case SORT_RATE:
		left = x->rate, right = y->rate;
		result = (left < right) - (left > right);
		break;
	default:
		left = x->self, right = y->self;
		result = (left < right) - (left > right);
	}
	if (!result) /* rows keep their places */
		return op_compare_u64(x->key, y->key);
	return order->request->reversed ? -result : result;
}

int view_make(struct view *view, const struct model *model, const struct view_request *request)
{
	struct order order = {model, request};
	uint32_t *first = first_threads(model);
	int result = first && !prepare(view, model, request->by) ? 0 : -1;

	if (!result) {
		add_all(view, model, first, request);
		result = collect(view, model, request);
	}
	free(first);
	if (result)
		view->rows = 0;
	else
		qsort_r(view->row, view->rows, sizeof(*view->row), optop_view_compare, &order);
	return result;
}

void view_free(struct view *view)
{
	free(view->row);
	free(view->by_key);
	free(view->mark);
	*view = (struct view){0};
}

/* ---- names ---- */

static void optop_view_put_text(struct op_buffer *out, const char *text)
{
	op_buffer_put(out, text, strlen(text));
}

static void optop_view_put_number(struct op_buffer *out, const char *before, int64_t number)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", (long long)number);
	optop_view_put_text(out, before);
	optop_view_put_text(out, text);
}

static void put_task(struct op_buffer *out, const struct model *model, enum dimension by,
		     const struct model_thread *thread)
{
	const char *app = model->images.item[thread->app], *base = strrchr(app, '/');

	if (by == BY_THREAD && thread->comm)
		optop_view_put_text(out, model->comms.item[thread->comm]);
	else
		optop_view_put_text(out, base ? base + 1 : app);
	if (by == BY_THREAD && thread->tid != thread->tgid)
		optop_view_put_number(out, " ", thread->tid);
	optop_view_put_number(out, by == BY_THREAD && thread->tid != thread->tgid ? " of " : " ",
			      thread->tgid);
}

void view_put_name(struct op_buffer *out, const struct model *model, enum dimension by,
		   uint32_t key)
{
	switch (by) {
	case BY_APP:
	case BY_IMAGE:
		optop_view_put_text(out, model->images.item[key]);
		break;
	case BY_FUNCTION:
		optop_view_put_text(out, model->function[key].name);
		break;
	case BY_PROCESS:
	case BY_THREAD:
		put_task(out, model, by, &model->thread[key]);
		break;
	case BY_CGROUP:
		optop_view_put_text(out,
				    key ? model->cgroups.item[key] : "(not known: ended too soon)");
		break;
	case BY_CPU:
		optop_view_put_number(out, "CPU ", key);
		break;
	default:
		optop_view_put_text(out, key < model->events && model->event[key].name
						 ? model->event[key].name
						 : "(unknown)");
	}
}

void view_put_place(struct op_buffer *out, const struct model *model, enum dimension by,
		    uint32_t key)
{
	const char *path = NULL, *base;

	if (by == BY_FUNCTION)
		path = model->images.item[model->function[key].image];
	else if (by == BY_THREAD)
		path = model->images.item[model->thread[key].app];
	if (!path)
		return;
	base = strrchr(path, '/');
	optop_view_put_text(out, base && base[1] ? base + 1 : path);
}

bool view_name_has(const struct model *model, enum dimension by, uint32_t key, const char *text)
{
	struct op_buffer name = {0};
	bool has;

	view_put_name(&name, model, by, key);
	op_buffer_u8(&name, ' ');
	view_put_place(&name, model, by, key);
	op_buffer_u8(&name, '\0');
	has = !name.failed && strcasestr((const char *)name.bytes, text);
	op_buffer_free(&name);
	return has;
}
